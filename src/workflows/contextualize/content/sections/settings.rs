//! Configuration: variables, options, keys and features, with defaults and places.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft, LineId};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{cut_at_word, falling, first_sentence, lines_of};
use crate::facts::{Fact, FactValue, PathRole};
use crate::repo::Language;
use crate::workflows::survey::settings::{FORMS, best_places};

/// Longest help text, in characters.
const HELP: usize = 150;
/// Longest text of a document, in characters.
const DOCUMENT: usize = 230;
/// Number of settings without a help text on one line.
const ON_LINE: usize = 8;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut groups: BTreeMap<(u8, &str), Vec<&Fact>> = BTreeMap::new();
    for (form, source, fact) in best_places(survey) {
        groups.entry((form, source)).or_default().push(fact);
    }
    let mut ordered: Vec<((u8, &str), Vec<&Fact>)> = groups.into_iter().collect();
    // The file with most settings reads the configuration.
    ordered.sort_by_key(|((form, path), facts)| {
        (
            *form,
            facts.iter().all(|fact| fact.role != PathRole::Runtime),
            std::cmp::Reverse(facts.len()),
            *path,
        )
    });
    let mut positions = [0_usize; FORMS.len()];
    for ((form, path), facts) in ordered {
        let is_side = facts.iter().all(|fact| fact.role != PathRole::Runtime);
        let weight = if is_side { 0.4 } else { 1.0 } * WEIGHTS[usize::from(form)];
        add_group(survey, draft, (form, path), &facts, (weight, &mut positions[usize::from(form)]));
    }
}

const WEIGHTS: [f64; 5] = [75.0, 65.0, 60.0, 65.0, 60.0];

/// Adds the settings of one form (such as options) in one file below a heading: each with a help text on its
/// own line, the others eight to a line. `position` counts the lines of the form, and lowers their rank.
fn add_group(
    survey: &Survey,
    draft: &mut LineDraft,
    (form, path): (u8, &str),
    facts: &[&Fact],
    (weight, position): (f64, &mut usize),
) {
    let heading = format!("- {} in {}:", FORMS[usize::from(form)], path_span(path));
    let mut parent: Option<LineId> = None;
    let mut below = |draft: &mut LineDraft, rank: f64, count: usize, text: String| {
        let parent =
            *parent.get_or_insert_with(|| draft.add_heading(ContextSection::Settings, heading.clone()));
        draft.add_below(parent, rank, ("settings", count), text);
    };
    let mut bare: Vec<String> = Vec::new();
    for fact in facts {
        let Some((text, has_help)) = setting(survey, fact) else { continue };
        if !has_help {
            bare.push(text);
            continue;
        }
        // Nearly every program has these.
        if ["--help", "--version"].iter().any(|usual| text.starts_with(&format!("`{usual}`"))) {
            below(draft, 0.2 * weight, 1, format!("  - {text}"));
            continue;
        }
        below(draft, falling(weight, *position, 8.0), 1, format!("  - {text}"));
        *position += 1;
    }
    for chunk in bare.chunks(ON_LINE) {
        below(draft, falling(weight, *position, 8.0), chunk.len(), format!("  - {}", chunk.join(", ")));
        *position += 2;
    }
}

/// Returns the text of a setting (name, default, help, lines) and true if it has a help text; `None` if its
/// name must not be quoted.
fn setting(survey: &Survey, fact: &Fact) -> Option<(String, bool)> {
    let FactValue::Setting { name, default, text, .. } = &fact.value else { return None };
    let source = fact.sources.first()?;
    let mut said = survey.quoter.code(name)?;
    if let Some(default) = default.as_deref().and_then(|default| survey.quoter.code(default)) {
        said.extend([format!(" = {default}")]);
    }
    // A document tells the bounds of a value behind its meaning.
    let is_document = Language::of_path(source.path.as_str()).is_none();
    let help = text.as_deref().map(|text| {
        let first = first_sentence(text);
        // A later sentence may tell the default.
        let has_default = text[first.len()..].to_lowercase().contains("default");
        if is_document || has_default { cut_at_word(text, DOCUMENT) } else { cut_at_word(first, HELP) }
    });
    // The parts of a feature are a list of code.
    let help = help.and_then(|help| {
        if help.starts_with('[') { survey.quoter.code(&help) } else { survey.quoter.prose(&help) }
    });
    if let Some(help) = &help {
        said.extend([format!(": {help}")]);
    }
    said.extend([format!(" {}", lines_of(source.start, source.end))]);
    Some((said, help.is_some()))
}
