//! Statements that no listing of files shows: limits, rules for contributors, generated code.

use super::super::draft::{ContextSection, LineDraft};
use super::super::survey::Survey;
use super::{falling, first_place};
use crate::facts::{Fact, FactKind, FactValue};
use crate::workflows::survey::guidance::{is_for_agents, usefulness};

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let limits = survey.of_product(FactKind::Limit).filter_map(|fact| stated(fact).map(|text| (fact, text)));
    add_texts(survey, draft, limits.collect(), (70.0, "stated limits"));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for fact in survey.of_product(FactKind::Rule) {
        let Some(text) = stated(fact) else { continue };
        match usefulness(text) {
            2 if is_for_agents(fact) => second.push((fact, text)),
            2 => first.push((fact, text)),
            1 if !is_for_agents(fact) => second.push((fact, text)),
            _ => {}
        }
    }
    add_texts(survey, draft, first, (75.0, "rules"));
    add_texts(survey, draft, second, (30.0, "rules"));
}

fn stated(fact: &Fact) -> Option<&str> {
    match &fact.value {
        FactValue::Rule { text } | FactValue::Limit { text } => Some(text),
        _ => None,
    }
}

fn add_texts(
    survey: &Survey,
    draft: &mut LineDraft,
    texts: Vec<(&Fact, &str)>,
    (first, noun): (f64, &'static str),
) {
    let mut at = 0;
    for (fact, text) in texts {
        let Some(said) = survey.quoter.prose(text) else { continue };
        draft.add(
            ContextSection::Unseen,
            falling(first, at, 4.0),
            noun,
            format!("- {said} {}", first_place(&fact.sources)),
        );
        at += 1;
    }
}
