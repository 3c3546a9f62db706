//! Functions of a file that only pass their arguments on to the same functions: one line for all of them.

use super::super::central::CentralFile;
use super::super::survey::Survey;
use super::definitions::{MapDefinition, TRIVIAL};
use super::gists::leading_calls;

/// Minimum number of functions on one line.
const LEAST: usize = 4;

/// Functions that call the same functions and do nothing else, in the order of the file.
pub(super) struct WrapperGroup<'d> {
    /// Number of the first line of each function.
    lines: Vec<usize>,
    /// The one of highest score.
    pub(super) best: &'d MapDefinition<'d>,
    /// Their names with their lines, and the calls: ``` `Info` L5, `Debug` L9 → `Log` ```.
    pub(super) text: String,
}

impl WrapperGroup<'_> {
    pub(super) fn has(&self, definition: &MapDefinition) -> bool {
        self.lines.contains(&definition.symbol.line)
    }

    pub(super) fn is_first(&self, definition: &MapDefinition) -> bool {
        self.lines.first() == Some(&definition.symbol.line)
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }
}

/// Returns the groups of at least 4 such functions of one type, or of the file.
pub(super) fn groups<'d>(
    survey: &Survey,
    file: &CentralFile,
    definitions: &'d [MapDefinition<'d>],
) -> Vec<WrapperGroup<'d>> {
    let mut found: Vec<(Option<&str>, Vec<String>, Vec<&MapDefinition>)> = Vec::new();
    for definition in definitions.iter().filter(|it| only_calls(it)) {
        let mut calls = leading_calls(survey, &file.path, definition);
        if calls.is_empty() {
            continue;
        }
        for call in &mut calls {
            if let Some(around) = call.strip_suffix(&format!(".{}", definition.symbol.name)) {
                *call = format!("{around}.…");
            }
        }
        let owner = definition.owner.as_deref();
        match found.iter_mut().find(|(of, known, _)| *of == owner && *known == calls) {
            Some((.., members)) => members.push(definition),
            None => found.push((owner, calls, vec![definition])),
        }
    }
    found.retain(|(.., members)| members.len() >= LEAST);
    let made = found.into_iter().filter_map(|(_, calls, members)| {
        let named = members
            .iter()
            .filter_map(|it| Some(format!("{} L{}", survey.quoter.code(&it.symbol.name)?, it.symbol.line)));
        let named: Vec<String> = named.collect();
        let has_same_name = calls.iter().any(|call| call.ends_with(".…"));
        let note = if has_same_name { " (`…`: the same name)" } else { "" };
        let text = format!("{} → {}{note}", named.join(", "), survey.quoter.code(&calls.join(", "))?);
        let best = members.iter().copied().max_by(|a, b| a.score.total_cmp(&b.score))?;
        Some(WrapperGroup { lines: members.iter().map(|it| it.symbol.line).collect(), best, text })
    });
    made.collect()
}

/// Returns true for a function that does nothing but call others: it is short, decides nothing and ends nothing.
fn only_calls(definition: &MapDefinition) -> bool {
    let MapDefinition { symbol, body, .. } = definition;
    let length = symbol.line_end.saturating_sub(symbol.line) + 1;
    let only = body.code.only_statement();
    let is_call = |code: &str| {
        let word = code.split([' ', '(', ':']).next().unwrap_or_default();
        !["if", "unless", "for", "while", "match", "switch", "case", "try"].contains(&word)
            && ![" if ", " unless "].iter().any(|word| code.contains(word))
    };
    symbol.kind.is_callable()
        && definition.condition.is_none()
        && length <= TRIVIAL
        && only.is_some_and(is_call)
        && body.ends.is_empty()
}
