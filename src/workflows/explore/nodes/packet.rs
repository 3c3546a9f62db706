//! The knowledge that a child is given: the words of the parent, what the parent wrote and what it read, within 2,000 characters (EXP-70).
//! Pure.

use std::fmt::Write as _;

use crate::repo::cut;
use crate::workflows::explore::agents::AgentRun;
use crate::workflows::explore::notepad::NotepadEntry;
use crate::workflows::foreign_text::without_secrets;

/// Longest packet, in characters (EXP-23).
pub(super) const PACKET_CHARS: usize = 2_000;
/// Longest part of it that the parent words itself.
const WORDS_CHARS: usize = 1_200;
/// Longest part of a note.
const NOTE_CHARS: usize = 160;
/// Most files that are named.
const FILES: usize = 20;

/// Returns the packet of a child. `planned` are the notes of the answer that delegates.
pub(super) fn build_packet(words: &str, agent: &AgentRun, planned: &[NotepadEntry]) -> String {
    let mut packet = Packet::default();
    let words = without_secrets(words.trim());
    let words = words.trim_end();
    if !words.is_empty() {
        let kept = cut(words, WORDS_CHARS).kept;
        packet.add(&if kept.len() < words.len() { format!("{kept}… [cut]") } else { words.to_owned() });
    }
    let notes: Vec<&NotepadEntry> = agent.written_notes().chain(planned).collect();
    // The newest first, because they are closest to the reason of the delegation.
    for note in notes.iter().rev() {
        let line = note.content.split_whitespace().collect::<Vec<_>>().join(" ");
        packet.add(&format!("- {}: {}", note.topic, cut(&line, NOTE_CHARS).kept));
    }
    if !agent.read.is_empty() {
        let files: Vec<&str> = agent.read.iter().take(FILES).map(String::as_str).collect();
        packet.add(&format!("Your parent read: {}", files.join(", ")));
    }
    packet.text
}

/// A packet that grows by whole lines up to its limit.
#[derive(Default)]
struct Packet {
    text: String,
    chars: usize,
}

impl Packet {
    fn add(&mut self, line: &str) {
        // `</context>` would end the element of the prompt.
        let line = line.replace("</context", "< /context");
        let chars = line.chars().count() + 1;
        if self.chars + chars > PACKET_CHARS {
            return;
        }
        self.chars += chars;
        let separator = if self.text.is_empty() { "" } else { "\n" };
        let _ = write!(self.text, "{separator}{line}");
    }
}
