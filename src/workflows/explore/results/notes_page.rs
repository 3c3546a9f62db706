//! Page `notepad.md`: the notes by topic, for people.

use std::fmt::Write as _;

use crate::workflows::explore::notepad::NotepadEntry;
use crate::workflows::explore::state::{ExplorationResult, ExploreRun};
use crate::workflows::markdown::{inline, plain_lines};

/// Renders the page.
pub(super) fn render(run: &ExploreRun, result: &ExplorationResult) -> String {
    let mut page = format!("# Notepad of {}\n\n", inline(&run.name));
    let _ = writeln!(page, "{}\n", author_line(run));
    if let Some(root) = result.root().filter(|root| !root.summary.is_empty()) {
        let _ = writeln!(page, "## Summary\n\n{}\n", plain_lines(&root.summary).join("\n"));
    }
    let mut topic = None;
    for note in &result.notes {
        if topic != Some(&note.topic) {
            let _ = writeln!(page, "## {}\n", inline(note.topic.as_str()));
            topic = Some(&note.topic);
        }
        let _ = writeln!(page, "{}\n", item(note));
    }
    format!("{}\n", page.trim_end())
}

/// Returns the line that names the author of the texts (a model or rules) and the date.
pub(super) fn author_line(run: &ExploreRun) -> String {
    let (started, settings) = (run.started, &run.settings);
    if settings.is_offline() {
        format!("Written by rules, without a language model, on {}.", started.date())
    } else {
        format!("Written by {} on {}.", inline(&settings.model), started.date())
    }
}

/// Returns a note as an item of a list; its further lines are indented, so that they belong to it.
fn item(note: &NotepadEntry) -> String {
    let text = plain_lines(&note.content).join("\n  ");
    format!("- {text} (agent {})", note.author)
}
