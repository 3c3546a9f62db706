//! Conventions: tools with their configuration, required versions, recipes.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, first_place};
use crate::facts::{FactKind, FactValue, ToolPurpose};
use crate::workflows::survey::tools::tool_title;

/// Maximum of steps of a recipe that are shown.
const STEPS: usize = 6;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    add_tools(survey, draft);
    let mut at = 0;
    for fact in survey.of_product(FactKind::Recipe) {
        let FactValue::Recipe { title, steps } = &fact.value else { continue };
        let Some(title) = survey.quoter.prose(title) else { continue };
        let shown: Vec<String> =
            steps.iter().take(STEPS).filter_map(|step| survey.quoter.prose(step)).collect();
        if shown.is_empty() {
            continue;
        }
        let more = if steps.len() > shown.len() { "; …" } else { "" };
        let text = format!("- {title}: {}{more} {}", shown.join("; "), first_place(&fact.sources));
        draft.add(ContextSection::Conventions, falling(70.0, at, 3.0), "recipes", text);
        at += 1;
    }
}

fn add_tools(survey: &Survey, draft: &mut LineDraft) {
    let mut groups: BTreeMap<(&str, ToolPurpose), Vec<String>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Tool) {
        let FactValue::Tool { purpose, name } = &fact.value else { continue };
        if let Some(name) = survey.quoter.code(name) {
            let all = groups.entry((fact.subject.path(), *purpose)).or_default();
            all.push(format!("{name} {}", first_place(&fact.sources)));
        }
    }
    for (at, ((folder, purpose), names)) in groups.into_iter().enumerate() {
        let of = if folder.is_empty() { String::new() } else { format!(" of {}", path_span(folder)) };
        let text = format!("- {}{of}: {}", tool_title(purpose), names.join(", "));
        let first = if folder.is_empty() { 100.0 } else { 60.0 };
        draft.add_many(ContextSection::Conventions, falling(first, at, 8.0), ("tools", names.len()), text);
    }
}
