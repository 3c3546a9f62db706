//! Findings about settings: variables, options, keys and features, with defaults and help texts.

use std::collections::BTreeMap;

use super::at;
use crate::facts::{Fact, FactValue};
use crate::workflows::explore::rules::finding::{RuleFinding, SETTINGS};
use crate::workflows::survey::Survey;
use crate::workflows::survey::phrases::{cut_at_word, first_place, first_sentence};
use crate::workflows::survey::quoted::path_span;
use crate::workflows::survey::settings::{FORMS, best_places};

/// Maximum number of settings in a finding.
const TOGETHER: usize = 8;
/// Maximum length of a help text, in characters.
const HELP: usize = 160;

/// Appends the settings, several of one file and form in a finding.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let mut groups: BTreeMap<(u8, &str), Vec<&Fact>> = BTreeMap::new();
    for (form, path, fact) in best_places(survey) {
        groups.entry((form, path)).or_default().push(fact);
    }
    for ((form, path), facts) in groups {
        let all: Vec<String> = facts.into_iter().filter_map(|fact| setting(survey, fact)).collect();
        for (position, chunk) in all.chunks(TOGETHER).enumerate() {
            let (told, all) = (chunk.len(), all.len());
            // There may be others that no fact tells.
            let count = if told < all { format!(" ({told} of {all} found)") } else { String::new() };
            let content =
                format!("{} in {}{count}: {}", FORMS[usize::from(form)], path_span(path), chunk.join("; "));
            found.push(RuleFinding::new(SETTINGS, path, at(-f64::from(form) * 0.1, position), content));
        }
    }
}

/// Formats a setting: name, default, first sentence of its help, and its place.
fn setting(survey: &Survey<'_>, fact: &Fact) -> Option<String> {
    let FactValue::Setting { name, default, text, .. } = &fact.value else { return None };
    let mut said = survey.quoter.code(name)?;
    if let Some(default) = default.as_deref().and_then(|default| survey.quoter.code(default)) {
        said.extend([format!(" = {default}")]);
    }
    let help = text.as_deref().map(|text| cut_at_word(first_sentence(text), HELP));
    // The parts of a feature are a list of code.
    let help = help.and_then(|help| {
        if help.starts_with('[') { survey.quoter.code(&help) } else { survey.quoter.prose(&help) }
    });
    said.extend(help.map(|help| format!(": {}", help.trim_end_matches('.'))));
    said.extend([format!(" {}", first_place(&fact.sources))]);
    Some(said)
}
