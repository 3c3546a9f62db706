//! Page `notepad.md`: the notes by topic, for people.

use std::fmt::Write as _;

use crate::workflows::explore::state::{ExplorationResult, ExploreRun};
use crate::workflows::markdown::{inline, plain_lines};

/// Explanation of calls and of code in notes.
const LEGEND: &str = "Calls are those that resolve, also of inner functions; inner calls of a line come first. Code stands on one line, `…` leaves statements out.";

/// Renders the page.
pub(super) fn render(run: &ExploreRun, result: &ExplorationResult) -> String {
    let mut page = format!("# Notepad of {}\n\n", inline(&run.name));
    let _ = writeln!(page, "{}\n", author_line(run));
    let says = |part: &str| result.notes.iter().any(|note| note.content.contains(part));
    if run.settings.is_offline() && (says(" calls `") || says("Code: `")) {
        let _ = writeln!(page, "{LEGEND}\n");
    }
    if let Some(root) = result.root().filter(|root| !root.summary.is_empty()) {
        let _ = writeln!(page, "## Summary\n\n{}\n", plain_lines(&root.summary).join("\n"));
    }
    let mut topic = None;
    for note in &result.notes {
        if topic != Some(&note.topic) {
            let _ = writeln!(page, "## {}\n", inline(note.topic.as_str()));
            topic = Some(&note.topic);
        }
        // With one agent all are of it, and by rules each is that of its folder.
        let is_told = result.agents.len() > 1 && !run.settings.is_offline();
        let author = is_told.then(|| format!(" (agent {})", note.author));
        let text = plain_lines(&note.content).join("\n  ");
        let _ = writeln!(page, "- {text}{}\n", author.unwrap_or_default());
    }
    format!("{}\n", page.trim_end())
}

/// Returns the line that names the author of the texts (a model or rules) and the date.
pub(super) fn author_line(run: &ExploreRun) -> String {
    let (started, settings) = (run.started, &run.settings);
    if settings.is_offline() {
        let date = started.date();
        format!("Written by rules, without a language model, on {date}.")
    } else {
        format!("Written by {} on {}.", inline(&settings.model), started.date())
    }
}
