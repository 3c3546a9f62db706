//! The section "Commands and configuration about it": commands, settings, subcommands, routes and rules whose words match the question.

use stategraph_facts::{Fact, FactKind, FactValue, PathRole};

use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, source_reference};
use crate::workflows::contextualize::search::quote;

/// Most facts of the section.
const FACTS: usize = 10;
/// Least relevance of a fact, as a fraction of the best one's.
const LEAST_PART: f32 = 0.4;
/// Kinds of facts that the section lists; of equal relevance, the earlier kind comes first.
const KINDS: &[FactKind] = &[
    FactKind::Recipe,
    FactKind::Command,
    FactKind::Setting,
    FactKind::Subcommand,
    FactKind::Route,
    FactKind::Rule,
    FactKind::Limit,
];

pub(super) fn section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = AnswerSection::new("Commands and configuration about it");
    let facts = KINDS.iter().flat_map(|kind| subject.facts.of_kind(*kind));
    let mut found: Vec<(f32, &Fact)> = facts
        .filter(|fact| !matches!(fact.role, PathRole::Vendored | PathRole::Generated))
        .filter_map(|fact| Some((relevance(subject, fact)?, fact)))
        .collect();
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let least = found.first().map_or(0.0, |(best, _)| best * LEAST_PART);
    for (index, (_, fact)) in found.into_iter().filter(|(score, _)| *score >= least).take(FACTS).enumerate() {
        if let Some(item) = item(fact) {
            section.push(AnswerItem { priority: 6 + index * 4, ..item });
        }
    }
    section
}

fn relevance(subject: &AnswerSubject, fact: &Fact) -> Option<f32> {
    match &fact.value {
        FactValue::Setting { name, text, .. } | FactValue::Subcommand { name, text } => {
            subject.relevance(&[(name, 2.0), (text.as_deref().unwrap_or_default(), 1.0)])
        }
        FactValue::Command { command, runs, .. } => {
            subject.relevance(&[(command, 1.5), (&runs.join("\n"), 0.7)])
        }
        FactValue::Route { path, handler, .. } => {
            subject.relevance(&[(path, 2.0), (handler.as_deref().unwrap_or_default(), 1.0)])
        }
        FactValue::Recipe { title, steps } => subject.relevance(&[(title, 2.0), (&steps.join("\n"), 0.5)]),
        FactValue::Rule { text } | FactValue::Limit { text } => subject.relevance(&[(text, 1.0)]),
        _ => None,
    }
}

fn item(fact: &Fact) -> Option<AnswerItem> {
    let source = fact.sources.first()?;
    let (kind, _) = fact.cells();
    let said = match &fact.value {
        FactValue::Setting { name, default, text, .. } => {
            let default = default.as_deref().and_then(quote::code_span).map(|it| format!(", default {it}"));
            format!(
                "{kind} {}{}{}",
                quote::code_span(name)?,
                default.unwrap_or_default(),
                behind(text.as_deref())
            )
        }
        FactValue::Subcommand { name, text } => {
            format!("subcommand {}{}", quote::code_span(name)?, behind(text.as_deref()))
        }
        FactValue::Command { command, folder, .. } => {
            let place = quote::code_span(folder).map(|folder| format!(" in {folder}")).unwrap_or_default();
            format!("command ({kind}) {}{place}", quote::code_span(command)?)
        }
        FactValue::Route { method, path, handler } => {
            let handler =
                handler.as_deref().and_then(quote::code_span).map(|it| format!(" answered by {it}"));
            let route = format!("{} {path}", method.as_deref().unwrap_or("any method"));
            format!("route {}{}", quote::code_span(&route)?, handler.unwrap_or_default())
        }
        FactValue::Recipe { title, steps } => {
            let steps: Vec<String> = steps.iter().filter_map(|step| quote::prose(step)).collect();
            format!("steps \u{201c}{}\u{201d}: {}", quote::prose(title)?, steps.join(" / "))
        }
        FactValue::Rule { text } | FactValue::Limit { text } => format!("{kind}: {}", quote::prose(text)?),
        _ => return None,
    };
    Some(AnswerItem {
        text: format!("- {said} ({source})"),
        references: vec![source_reference(source, kind)],
        ..AnswerItem::default()
    })
}

fn behind(text: Option<&str>) -> String {
    text.and_then(|text| quote::prose(quote::first_sentence(text)))
        .map(|text| format!(" — {text}"))
        .unwrap_or_default()
}
