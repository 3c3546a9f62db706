//! Lowers the weights of definitions and code that a file repeats many times.

use std::collections::{BTreeSet, HashMap};

use super::bodies::BodyCode;
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

/// Lowers the weights of conditions that many of a file's functions have, because they tell nothing about a single one.
pub(super) fn lower_repeated_conditions(definitions: &mut [MapDefinition]) {
    let bodies = definitions.iter_mut().map(|definition| &mut definition.body.code);
    lower_conditions(&mut bodies.collect::<Vec<_>>());
}

/// Marks bodies that repeat another one of the file but for the words of synchronous code, such as `removeSync` beside `remove`, or but
/// for types of numbers.
pub(super) fn mark_twins(definitions: &mut [MapDefinition]) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for code in
        definitions.iter_mut().map(|definition| &mut definition.body.code).filter(|code| code.len() > 2)
    {
        let Some(text) = code.whole() else { continue };
        let words = ["await ", "async ", "Sync", "_sync", "sync_", "Async", "_async", "async_", ".await"];
        let bare = words.iter().fold(text, |text, word| text.replace(word, ""));
        // `add_u16` beside `add_u8` and `add_f32`.
        let numbers = ["uint", "Uint", "UInt", "float", "Float", "Int"];
        let bare = numbers.iter().fold(bare, |text, word| text.replace(word, "int"));
        let bare: String = bare.chars().filter(|c| !c.is_ascii_digit()).collect();
        code.is_repeated = !known.insert(bare);
    }
}

/// Lowers the weights below each condition that occurs in at least `REPEATED` bodies; conditions with named terms are exempt.
fn lower_conditions(bodies: &mut [&mut BodyCode]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for body in bodies.iter() {
        let own: BTreeSet<&str> = body.conditions().collect();
        for condition in own {
            *counts.entry(condition.to_owned()).or_default() += 1;
        }
    }
    for body in bodies {
        body.lower_conditions(&|condition| counts.get(condition).is_some_and(|count| *count >= REPEATED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{CodeTree, Language, outline};
    use crate::workflows::survey::bodies::read_body;

    fn code(text: &str) -> BodyCode {
        let text = format!("def f(a):\n{text}");
        let tree = CodeTree::parse(Language::Python, &text).expect("it is parsed");
        let file = outline(Language::Python, "a.py", &text);
        let statements = tree.body(&file.symbols[0]).unwrap_or_default();
        read_body(Language::Python, &statements, &|_| false).code
    }

    #[test]
    fn what_stands_below_a_condition_of_many_functions_weighs_less() {
        let common = "    if not ready:\n        raise ShopError(512)\n    work(a)\n    return 34 + a\n";
        let mut bodies: Vec<BodyCode> = (0..5).map(|_| code(common)).collect();
        bodies.push(code("    if late:\n        raise ShopError(512)\n    work(a)\n    return 34 + a\n"));
        let value = |body: &BodyCode| body.excerpts(&[400]).first().map(|it| it.value);
        let before = value(&bodies[5]);
        assert_eq!(value(&bodies[0]), before);
        lower_conditions(&mut bodies.iter_mut().collect::<Vec<_>>());
        assert!(value(&bodies[0]) < before && value(&bodies[5]) == before);
    }
}
