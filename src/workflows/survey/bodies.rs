//! The decisions of functions, as their lines show them: conditions, named constants and literals, raised errors, exits. Reads lines and
//! parses nothing: what spans too many lines is left out.

mod callees;
mod conditions;
mod ends;
mod lines;
mod rule_weights;
mod rules;
mod statements;
mod terms;

pub(crate) use callees::WrittenCall;
pub(crate) use ends::is_exit;
pub(crate) use rules::BodyRule;

use crate::repo::Language;
use crate::workflows::survey::quoted::is_refused;

/// Most lines of a function that are read.
const LINES: usize = 400;
/// Most conditions, terms and ends of a function.
const CONDITIONS: usize = 3;
const TERMS: usize = 8;
const ENDS: usize = 4;
/// Most lines between a condition and the end that it leads to.
const NEAR: usize = 2;
/// Most called names of a function.
const NAMES: usize = 60;

/// A condition as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    /// Its first line.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// Greater tells more: constants and literals, then comparisons.
    weight: f64,
}

/// A raised error or an exit: `throw ShopError`, `exit(2)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyEnd {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The condition directly above it.
    pub(crate) condition: Option<String>,
}

impl Condition {
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

/// The decisions of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BodyDecisions {
    /// The conditions that tell most, in the order of the text.
    pub(crate) conditions: Vec<Condition>,
    /// Constants, and literals that look like keys or words, in the order of the text.
    pub(crate) terms: Vec<String>,
    /// Names before a bracket.
    pub(crate) names: Vec<WrittenCall>,
    /// Raised errors and exits.
    pub(crate) ends: Vec<BodyEnd>,
    /// Conditions with what follows, cases, defaults and results, in the order of the text.
    pub(crate) rules: Vec<BodyRule>,
}

/// Reads the lines of a function, from `first` (its number) on. Lines for which `is_other` is true belong to functions inside it.
pub(crate) fn read_decisions(
    language: Language,
    lines: &[&str],
    first: usize,
    is_other: &dyn Fn(usize) -> bool,
) -> BodyDecisions {
    let mut found = BodyDecisions::default();
    let mut above: Option<(usize, String)> = None;
    let lines = &lines[..lines.len().min(LINES)];
    let code = lines::code_lines(language, lines);
    found.rules = rules::rules(language, lines, &code, &|at| is_other(first + at));
    for rule in &mut found.rules {
        rule.line += first;
    }
    for (at, line) in code.iter().enumerate() {
        let number = first + at;
        if line.is_empty() || is_other(number) {
            continue;
        }
        // The first line is the signature; a function on one line is not read.
        if at > 0 {
            if let Some(whole) = conditions::condition(language, &code[at..]) {
                above = Some((at, whole.text.clone()));
                if whole.is_telling() {
                    found.conditions.push(Condition { line: number, text: whole.text, weight: whole.weight });
                }
            }
            // Of the whole line, because a literal alone may not look like a secret.
            if !is_refused(line) {
                terms::add(line, &mut found.terms, TERMS);
            }
            callees::add(line, &mut found.names, NAMES);
        }
        for end in ends::ends(language, line) {
            if found.ends.len() < ENDS && !found.ends.iter().any(|known| known.text == end) {
                let near = above.as_ref().filter(|(start, _)| at - start <= NEAR);
                let condition = near.map(|(_, condition)| condition.clone());
                found.ends.push(BodyEnd { line: number, text: end, condition });
            }
        }
    }
    // The best ones, then in the order of the text.
    found.conditions.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.line.cmp(&b.line)));
    found.conditions.truncate(CONDITIONS);
    found.conditions.sort_by_key(|condition| condition.line);
    found
}

/// Returns lines of code as one, without comments.
pub(crate) fn flat_code(language: Language, lines: &[&str]) -> String {
    let code = lines::code_lines(language, lines);
    let code: Vec<String> = code.iter().map(|line| without_inner_comment(line)).collect();
    let words: Vec<&str> = code.iter().flat_map(|line| line.split_whitespace()).collect();
    words.join(" ")
}

/// Returns true for code with a named constant or a text.
pub(crate) fn has_terms(code: &str) -> bool {
    terms::literals(code).next().is_some() || terms::words(code).any(terms::is_constant)
}

/// Returns a line without a comment inside it.
fn without_inner_comment(line: &str) -> String {
    match (line.find("/*"), line.find("*/")) {
        (Some(start), Some(end)) if start < end && line[..start].matches('"').count().is_multiple_of(2) => {
            format!("{}{}", &line[..start], &line[end + 2..])
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
