//! The sections of a component's page about behaviour: documentation behind first sentences, values of tables, failures.

use super::super::facts::PageFacts;
use super::super::page::{Block, Text, code, plain, prose, source};
use super::super::stated::is_within;
use super::{not_shown, sourced};
use crate::facts::SourceLines;
use crate::workflows::doc_phases::memory::ComponentSummary;
use crate::workflows::doc_phases::selection::{DefinitionBehaviour, WrittenFailure};

/// Maximum of definitions in a section.
const DEFINITIONS: usize = 60;

/// A definition of a component with its behaviour.
struct ToldDefinition<'a> {
    path: &'a str,
    name: &'a str,
    place: Option<SourceLines>,
    told: &'a DefinitionBehaviour,
}

impl ToldDefinition<'_> {
    /// Starts an item with the name and its place.
    fn start(&self) -> Text {
        let places: Vec<SourceLines> = self.place.iter().cloned().collect();
        sourced(vec![code(self.name)], &places)
    }
}

/// Returns the definitions of a component whose behaviour is known, in the order of the text.
fn definitions<'a>(facts: &'a PageFacts, component: &'a ComponentSummary) -> Vec<ToldDefinition<'a>> {
    let around = facts.places_of(component);
    let own = facts.selected.behaviour.iter().filter(|(path, _)| is_within(path, &around));
    let mut all: Vec<ToldDefinition<'_>> = Vec::new();
    for (path, names) in own {
        let told = |(name, told): (&'a String, &'a DefinitionBehaviour)| {
            let place = facts.selected.exact_definition(path, name);
            let place = place.or_else(|| told.variants.first().map(|first| first.lines.clone()));
            ToldDefinition { path, name, place, told }
        };
        all.extend(names.iter().map(told));
    }
    all.sort_by_key(|one| (one.path, one.place.as_ref().map_or(usize::MAX, |place| place.start), one.name));
    all
}

/// Quotes what the documentation says behind the first sentence, which the table of declarations has.
pub(super) fn documentation(facts: &PageFacts, component: &ComponentSummary) -> Vec<Block> {
    let item = |one: ToldDefinition<'_>| -> Option<Text> {
        if one.told.documentation.is_empty() {
            return None;
        }
        let mut item = one.start();
        item.push(plain(": "));
        for (at, paragraph) in one.told.documentation.iter().enumerate() {
            item.extend((at > 0).then(|| plain(separator(&one.told.documentation[at - 1]))));
            item.extend(prose(paragraph));
        }
        Some(item)
    };
    list(definitions(facts, component).into_iter().filter_map(item).collect(), "definitions")
}

/// Returns what stands between two paragraphs on one line.
fn separator(before: &str) -> &'static str {
    if before.ends_with(['.', '!', '?', ':', ';']) { " " } else { "; " }
}

/// Lists the entries of literal tables.
pub(super) fn tables(facts: &PageFacts, component: &ComponentSummary) -> Vec<Block> {
    let item = |one: ToldDefinition<'_>| -> Option<Text> {
        if one.told.entries.is_empty() {
            return None;
        }
        let mut item = one.start();
        item.push(plain(": "));
        for (at, entry) in one.told.entries.iter().enumerate() {
            item.extend((at > 0).then(|| plain(", ")));
            item.push(code(&entry.key));
            if let Some(value) = &entry.value {
                item.extend([plain(" = "), code(value)]);
            }
        }
        match one.told.more_entries {
            0 => {}
            1 => item.push(plain(" and one more")),
            more => item.push(plain(format!(" and {more} more"))),
        }
        Some(item)
    };
    list(definitions(facts, component).into_iter().filter_map(item).collect(), "tables")
}

/// Lists the statements of functions that raise errors, each with its branch and its place.
pub(super) fn failures(facts: &PageFacts, component: &ComponentSummary) -> Vec<Block> {
    let item = |one: ToldDefinition<'_>| -> Option<Text> {
        if one.told.failures.is_empty() {
            return None;
        }
        let mut item = one.start();
        item.push(plain(": "));
        for (at, failure) in one.told.failures.iter().enumerate() {
            item.extend((at > 0).then(|| plain("; ")));
            item.extend(failure_text(one.path, failure));
        }
        Some(item)
    };
    list(definitions(facts, component).into_iter().filter_map(item).collect(), "functions")
}

/// Returns a statement with the branch that it stands in and its line.
fn failure_text(path: &str, failure: &WrittenFailure) -> Text {
    let mut text = vec![code(&failure.statement)];
    if let Some(branch) = &failure.branch {
        let (words, head) = match branch.strip_prefix("else of ") {
            Some(head) => (", in the else branch of ", head),
            None => (", in the branch ", branch.as_str()),
        };
        text.extend([plain(words), code(head.trim_end_matches(['{', ':', ' ']))]);
    }
    let place = SourceLines { path: path.to_owned(), start: failure.line, end: failure.line };
    text.extend([plain(" ("), source(&place), plain(")")]);
    text
}

fn list(mut items: Vec<Text>, what: &str) -> Vec<Block> {
    let all = items.len();
    items.truncate(DEFINITIONS);
    let shown = items.len();
    let block = (shown > 0).then_some(Block::List(items));
    block.into_iter().chain(not_shown(all, shown, what)).collect()
}
