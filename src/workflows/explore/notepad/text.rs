//! Forms of the notes: a bounded text for prompts, and JSON for storage (EXP-33, EXP-34). Pure.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::note::NotepadEntry;
use super::topic::Topic;
use crate::repo::cut;

/// Characters that are reserved for the line about omitted notes.
const REMARK_CHARS: usize = 40;
/// Maximum length of a note in the text, in characters.
const NOTE_CHARS: usize = 600;

/// Returns the notes by topic in whole lines of up to `chars` characters together. Every topic gets its
/// first note before any topic gets its second one.
pub(super) fn format(topics: &BTreeMap<Topic, Vec<NotepadEntry>>, chars: usize) -> String {
    let total: usize = topics.values().map(Vec::len).sum();
    let most = topics.values().map(Vec::len).max().unwrap_or_default();
    let mut chosen: BTreeMap<&Topic, Vec<String>> = BTreeMap::new();
    let (mut used, mut shown) = (REMARK_CHARS, 0);
    'all: for row in 0..most {
        for (topic, notes) in topics {
            let Some(note) = notes.get(row) else { continue };
            let words = note.content.split_whitespace().collect::<Vec<_>>().join(" ");
            let line = format!("- {} [agent {}]", cut(&words, NOTE_CHARS).kept, note.author);
            let heading = if row == 0 { topic.as_str().chars().count() + 2 } else { 0 };
            let length = line.chars().count() + 1 + heading;
            if used + length > chars {
                break 'all;
            }
            used += length;
            shown += 1;
            chosen.entry(topic).or_default().push(line);
        }
    }
    let mut text = String::new();
    for (topic, lines) in chosen {
        let _ = writeln!(text, "{topic}:\n{}", lines.join("\n"));
    }
    if shown < total {
        let _ = write!(text, "… and {} more notes", total - shown);
    }
    cut(text.trim_end(), chars).kept.to_owned()
}

/// Returns a JSON object with a list of notes for each topic; `None` without notes.
pub(super) fn to_json(topics: &BTreeMap<Topic, Vec<NotepadEntry>>) -> Option<Value> {
    if topics.is_empty() {
        return None;
    }
    let entry =
        |note: &NotepadEntry| json!({ "content": note.content, "author": note.author, "timestamp": note.at });
    let of_topic = |(topic, notes): (&Topic, &Vec<NotepadEntry>)| {
        (topic.to_string(), Value::Array(notes.iter().map(entry).collect()))
    };
    Some(Value::Object(topics.iter().map(of_topic).collect()))
}
