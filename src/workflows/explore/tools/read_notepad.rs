//! Tool `read_notepad` (EXP-14): the notes of one topic.

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::agent::{Tool, ToolOutput};
use crate::repo::cut;
use crate::workflows::explore::notepad::{Notepad, Topic};

/// Maximum length of an answer, in characters.
const SHOWN_CHARS: usize = 8_000;

/// Tool that returns the notes of one topic.
#[derive(Debug, Clone)]
pub struct ReadNotepad {
    notepad: Arc<Notepad>,
}

/// Arguments of `read_notepad`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadNotepadArguments {
    /// The topic, such as `architecture.layers`.
    pub topic: String,
}

impl ReadNotepad {
    /// Makes the tool for a notepad.
    pub fn new(notepad: Arc<Notepad>) -> Self {
        Self { notepad }
    }

    /// Returns the failure for a topic without notes, with the most similar topic if there is one.
    fn unknown(&self, typed: &str) -> ToolOutput {
        let topics: Vec<String> =
            self.notepad.list_topics().into_iter().map(|(topic, _)| topic.to_string()).collect();
        let near = crate::engine::nearest(typed, topics.iter().map(String::as_str));
        let known = match (near, topics.is_empty()) {
            (Some(near), _) => format!("; did you mean `{near}`?"),
            (None, true) => "; the notepad is empty".to_owned(),
            (None, false) => "; `list_topics` shows the topics that exist".to_owned(),
        };
        ToolOutput::failed(format!("there is no topic `{}`{known}", cut(typed, 100).kept))
    }
}

impl Tool for ReadNotepad {
    type Arguments = ReadNotepadArguments;

    fn name(&self) -> &'static str {
        "read_notepad"
    }

    fn description(&self) -> &'static str {
        "Reads the notes of one topic of the shared notepad, with the agents that wrote them."
    }

    async fn run(&self, ReadNotepadArguments { topic: typed }: ReadNotepadArguments) -> ToolOutput {
        let Ok(topic) = typed.parse::<Topic>() else { return self.unknown(typed.trim()) };
        let notes = self.notepad.read(&topic);
        if notes.is_empty() {
            return self.unknown(topic.as_str());
        }
        let mut text = String::new();
        for note in notes {
            let _ = writeln!(text, "[agent {}] {}", note.author, note.content);
        }
        ToolOutput::ok(cut(text.trim_end(), SHOWN_CHARS).to_string())
    }
}
