//! Lowers the weights of definitions and rules that a file repeats many times.

use std::collections::{BTreeSet, HashMap};

use super::bodies::{BodyRule, has_terms};
use super::definitions::MapDefinition;

/// Number of functions of a file with the same condition from which on the condition is common and has
/// less weight.
const REPEATED: usize = 5;

/// Divides the scores of definitions with the same owner and name (overloads, variants under `cfg`) by
/// three. The best one, the first of equal ones, keeps its score.
pub(super) fn lower_repeated(definitions: &mut [MapDefinition]) {
    let mut best: HashMap<(Option<String>, &str), f64> = HashMap::new();
    for definition in definitions.iter() {
        let most = best.entry((definition.owner.clone(), definition.symbol.name.as_str())).or_insert(0.0);
        *most = most.max(definition.score);
    }
    for definition in definitions {
        // The first one of equal weight stays.
        let key = (definition.owner.clone(), definition.symbol.name.as_str());
        match best.get_mut(&key) {
            Some(most) if *most <= definition.score => *most = f64::INFINITY,
            _ => definition.score /= 3.0,
        }
    }
}

/// Lowers the weights of conditions that many of a file's functions have, because they tell nothing
/// about a single one.
pub(super) fn lower_repeated_rules(definitions: &mut [MapDefinition]) {
    let rules = definitions.iter_mut().map(|definition| definition.decisions.rules.as_mut_slice());
    lower_repeated_conditions(&mut rules.collect::<Vec<_>>());
}

/// Lowers the weights of whole bodies that repeat another one of the file but for the words of synchronous code, such as
/// `removeSync` beside `remove`.
pub(super) fn lower_twins(definitions: &mut [MapDefinition]) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let rules = definitions.iter_mut().flat_map(|definition| definition.decisions.rules.iter_mut());
    for rule in rules.filter(|rule| rule.statements > 2) {
        let words = ["await ", "async ", "Sync", "_sync", "sync_", "Async", "_async", "async_", ".await"];
        let bare = words.iter().fold(rule.text.clone(), |text, word| text.replace(word, ""));
        if !known.insert(bare) {
            rule.weight *= 0.2;
            rule.statements = 2;
        }
    }
}

/// Multiplies the weight of each `if` rule whose condition occurs in at least `REPEATED` functions by
/// 0.4. Each slice has the rules of one function; conditions with named terms are exempt.
fn lower_repeated_conditions(functions: &mut [&mut [BodyRule]]) {
    /// Returns the condition of an `if` rule without named terms; `None` for other rules.
    fn condition(rule: &BodyRule) -> Option<&str> {
        let condition = rule.text.split(": ").next().unwrap_or_default();
        (condition.starts_with("if ") && !has_terms(condition)).then_some(condition)
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    for rules in functions.iter() {
        let own: BTreeSet<&str> = rules.iter().filter_map(condition).collect();
        for condition in own {
            *counts.entry(condition.to_owned()).or_default() += 1;
        }
    }
    for rule in functions.iter_mut().flat_map(|rules| rules.iter_mut()) {
        if condition(rule).is_some_and(|condition| counts[condition] >= REPEATED) {
            rule.weight *= 0.4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_many_functions_weighs_less_and_one_that_a_function_repeats_does_not() {
        let rules = |texts: &[&str]| -> Vec<BodyRule> {
            texts
                .iter()
                .map(|text| BodyRule {
                    line: 1,
                    end: 1,
                    shown_from: 1,
                    text: (*text).to_owned(),
                    weight: 1.0,
                    statements: 1,
                })
                .collect()
        };
        let mut functions: Vec<Vec<BodyRule>> =
            (0..5).map(|_| rules(&["if !ready: return x", "switch w: 1: a", "else if b: c"])).collect();
        functions.push(rules(&["if b: 1", "if b: 2", "if b: 3", "if b: 4", "if b: 5"]));
        lower_repeated_conditions(&mut functions.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        let weights = |at: usize| functions[at].iter().map(|rule| rule.weight).collect::<Vec<_>>();
        assert_eq!(weights(0), [0.4, 1.0, 1.0]);
        assert_eq!(weights(5), [1.0; 5]);
    }
}
