//! Results of an exploration as files: `notepad.json` and `notepad.md` (the notes), `agents.json` and
//! `agents.md` (the tree), `coverage.json`; `document.md`. `events.jsonl` is written during the run.

mod folder;
mod notes_page;
mod tree_page;

use serde::Serialize;

use super::notepad::Notepad;
use super::state::{ExplorationResult, ExploreRun};

pub use folder::{EVENTS_FILE, ResultFolder};

/// Result file, rendered but not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFile {
    /// Its name.
    pub name: &'static str,
    /// Its text; `None` for a file that must not be there, because it would be empty (EXP-34).
    pub text: Option<String>,
}

/// Renders the files of a run: those of the agents, if they ran, and the document, if there is one.
pub fn render_results(run: &ExploreRun) -> Vec<ResultFile> {
    let mut files = run.result.as_ref().map_or_else(Vec::new, |result| of_agents(run, result));
    files.extend(run.document.clone().map(|text| ResultFile { name: "document.md", text: Some(text) }));
    files
}

/// Renders the files about notes, agents and coverage.
fn of_agents(run: &ExploreRun, result: &ExplorationResult) -> Vec<ResultFile> {
    let notepad = Notepad::of(result.notes.iter().cloned());
    let notes = notepad.to_json().map(|notes| json_text(&notes));
    let page = notes.is_some().then(|| notes_page::render(run, result));
    vec![
        ResultFile { name: "notepad.json", text: notes },
        ResultFile { name: "notepad.md", text: page },
        ResultFile { name: "agents.json", text: Some(json_text(&result.agents)) },
        ResultFile { name: "agents.md", text: Some(tree_page::render(run, result)) },
        ResultFile { name: "coverage.json", text: Some(json_text(&result.coverage)) },
    ]
}

fn json_text(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a result is JSON with string keys");
    text.push('\n');
    text
}
