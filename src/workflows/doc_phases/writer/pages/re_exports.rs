//! The names that files export of other files: the public interface of a library whose entry defines little.

use std::collections::BTreeSet;

use super::super::facts::PageFacts;
use super::super::page::{Block, Text, code, plain, prose, source};
use super::super::stated::is_within;
use super::component::shown_kind;
use super::{filled_table, not_shown};
use crate::facts::SourceLines;
use crate::workflows::doc_phases::memory::ComponentSummary;
use crate::workflows::doc_phases::selection::ReExport;
use crate::workflows::survey::phrases::first_sentence;

/// Maximum of rows of a table.
const ROWS: usize = 60;

/// Returns a table of the names that the files of a component export from other components, each once.
pub(super) fn of_component(facts: &PageFacts, component: &ComponentSummary) -> Vec<Block> {
    let around = facts.places_of(component);
    let own = facts.selected.re_exports.iter().filter(|(path, _)| is_within(path, &around));
    let all = own.flat_map(|(path, names)| names.iter().map(move |name| (path.as_str(), name)));
    // The table of declarations has the component's own names.
    let is_foreign = |one: &ReExport| one.at.as_ref().is_none_or(|at| !is_within(&at.path, &around));
    let mut seen = BTreeSet::new();
    table(all.filter(|(_, one)| is_foreign(one) && seen.insert(one.name.as_str())).collect())
}

/// Returns a table of the names that one file exports from others.
pub(super) fn of_file(facts: &PageFacts, path: &str) -> Vec<Block> {
    let names = facts.selected.re_exports.get_key_value(path);
    table(
        names
            .into_iter()
            .flat_map(|(path, names)| names.iter().map(move |name| (path.as_str(), name)))
            .collect(),
    )
}

fn table(mut names: Vec<(&str, &ReExport)>) -> Vec<Block> {
    let all = names.len();
    names.truncate(ROWS);
    let shown = names.len();
    let row = |(path, one): (&str, &ReExport)| -> Vec<Text> {
        let said = one.documentation.as_deref().map(|said| prose(first_sentence(said))).unwrap_or_default();
        let at: Text = match &one.at {
            Some(at) => vec![source(at)],
            None if one.is_external => vec![plain("another package")],
            None => Text::new(),
        };
        let exported = SourceLines { path: path.to_owned(), start: one.line, end: one.line };
        vec![
            vec![code(&one.name)],
            vec![plain(shown_kind(&one.kind, "", one.at.as_ref()))],
            said,
            at,
            vec![source(&exported)],
        ]
    };
    let rows = names.into_iter().map(row).collect();
    let head = ["Name", "Kind", "Description", "Defined at", "Exported at"];
    filled_table(&head, rows).into_iter().chain(not_shown(all, shown, "names")).collect()
}
