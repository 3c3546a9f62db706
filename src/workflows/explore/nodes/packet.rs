//! Context packet: the knowledge that a parent passes to a child, within 2,000 characters (EXP-70): its
//! own words, its notes, and the files that it read. Pure.

use std::fmt::Write as _;

use crate::repo::cut;
use crate::workflows::explore::agents::AgentRun;
use crate::workflows::explore::notepad::NotepadEntry;
use crate::workflows::foreign_text::without_secrets;

/// Maximum length of a packet, in characters (EXP-23).
pub(super) const PACKET_CHARS: usize = 2_000;
/// Maximum length of the parent's own words, in characters.
const WORDS_CHARS: usize = 1_200;
/// Maximum length of each note, in characters.
const NOTE_CHARS: usize = 160;
/// Maximum number of read files that are named.
const FILES: usize = 20;

/// Builds the packet of a child. `words` are the parent's own words for it; `planned` are the notes in
/// the answer that delegates.
pub(super) fn build_packet(words: &str, agent: &AgentRun, planned: &[NotepadEntry]) -> String {
    let mut packet = LineBuffer::default();
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

/// Text that grows by whole lines up to `PACKET_CHARS`.
#[derive(Default)]
struct LineBuffer {
    text: String,
    chars: usize,
}

impl LineBuffer {
    /// Appends a line, or drops it if it does not fit.
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
