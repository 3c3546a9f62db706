//! The page of notes: remarks about places in the code, by kind.

use std::collections::BTreeSet;

use super::super::facts::{PageFact, PageFacts};
use super::super::page::{Block, DocumentPage, Text, code, plain, prose, source};
use super::{NOTES, colophon, component_link, not_shown, rules_note, section};
use crate::workflows::doc_phases::memory::{Note, NoteKind, WrittenBy};

/// Maximum of notes of one kind on the page.
const NOTES_SHOWN: usize = 100;

/// Returns the page NOTES with all notes, by kind; `None` without notes.
pub(in super::super) fn notes(facts: &PageFacts) -> Option<DocumentPage> {
    let date = facts.notes.iter().map(|note| note.updated_at).max()?;
    let authors: BTreeSet<&WrittenBy> = facts.notes.iter().map(|note| &note.written_by).collect();
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(NoteKind::ALL.iter().flat_map(|kind| section(2, title(*kind), of_kind(facts, *kind))));
    blocks.push(colophon(date, &authors));
    Some(DocumentPage { path: NOTES.to_owned(), title: format!("Notes on {}", facts.system()), blocks })
}

/// Lists the notes of a component, each with its kind and place.
pub(super) fn of_component(facts: &PageFacts, id: &str) -> Vec<Block> {
    let own: Vec<&PageFact<Note>> = in_order(facts).filter(|note| note.entry.component == id).collect();
    let item = |note: &&PageFact<Note>| {
        let kind = plain(format!("{}: ", title(note.entry.kind).trim_end_matches('s')));
        std::iter::once(kind).chain(statement(&note.entry)).collect::<Text>()
    };
    let items: Vec<Text> = own.iter().take(NOTES_SHOWN).map(item).collect();
    let shown = items.len();
    let list = (shown > 0).then_some(Block::List(items));
    list.into_iter().chain(not_shown(own.len(), shown, "notes")).collect()
}

fn of_kind(facts: &PageFacts, kind: NoteKind) -> Vec<Block> {
    let all: Vec<&PageFact<Note>> = in_order(facts).filter(|note| note.entry.kind == kind).collect();
    let item = |note: &&PageFact<Note>| {
        let mut text = statement(&note.entry);
        if let Some(component) = facts.component(&note.entry.component) {
            text.extend([plain(" – "), component_link(facts, &component.component_id)]);
        }
        text
    };
    let items: Vec<Text> = all.iter().take(NOTES_SHOWN).map(item).collect();
    let shown = items.len();
    let list = (shown > 0).then_some(Block::List(items));
    list.into_iter().chain(not_shown(all.len(), shown, "notes")).collect()
}

/// Returns the notes sorted by kind, place and text, so that pages do not depend on their ids.
fn in_order(facts: &PageFacts) -> impl Iterator<Item = &PageFact<Note>> {
    let mut all: Vec<&PageFact<Note>> = facts.notes.iter().collect();
    all.sort_by_key(|note| {
        let lines = note.entry.lines();
        let place = lines.map(|lines| (lines.path, lines.start, lines.end));
        (note.entry.kind, place, note.entry.text.clone())
    });
    all.into_iter()
}

/// Returns the text of a note with a link to its place.
fn statement(note: &Note) -> Text {
    let place = note.lines().map_or_else(|| code(&note.place), |lines| source(&lines));
    let mut text = prose(&note.text);
    text.extend([plain(" ("), place, plain(")")]);
    text
}

fn title(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Defect => "Defects",
        NoteKind::Contradiction => "Contradictions",
        NoteKind::Invariant => "Invariants",
        NoteKind::HowTo => "How to",
        NoteKind::Limit => "Limits",
        NoteKind::Licence => "Licences",
    }
}
