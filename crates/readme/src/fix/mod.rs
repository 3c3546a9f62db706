//! Repairs of a document that need no author (SEC-27, SEC-124 to 126): tags of data streams, the
//! sub-section about the agentless deployment, repeated disclosure notes. Everything else keeps its bytes;
//! protected blocks are never touched.
//!
//! - `edit` has insertions and removals, and the ranges of a document that they may touch.
//! - `tags` adds missing tags; `agentless` adds or removes the sub-section; this file removes repeated
//!   notes.

mod agentless;
mod edit;
mod tags;

use crate::document::{is_disclosure, lost_preserve_blocks};
use crate::package::IntegrationPackage;

use edit::{Edit, EditableText};

pub(crate) use agentless::AGENTLESS_TEXT;
pub(crate) use tags::{is_tag_name, stream_tags};

/// The result of [`fix_document`]: the repaired document, and the changes that were made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FixedDocument {
    /// Text.
    pub text: String,
    /// Changes, one sentence each; empty for a document that needs none.
    pub changes: Vec<String>,
}

/// A repair step: it returns the edits that the current text needs, or none.
type FixStep = fn(&EditableText<'_>, &IntegrationPackage) -> Vec<Edit>;

/// Maximum number of rounds of all steps. A document needs one round, and a second one to see that nothing
/// is left; one that still changes in the last round is returned without any repair.
const ROUNDS: usize = 5;

/// Repair steps in their order. Removals come first, because a removed section may hold tags.
const STEPS: &[FixStep] = &[repeated_notes, agentless::plan, tags::plan];

/// Repairs a document by the facts of its package: repeated disclosure notes, the sub-section about the
/// agentless deployment, and missing tags of data streams. A second call changes nothing (SEC-126).
///
/// ```
/// use stategraph_readme::{fix::fix_document, package::{DataStream, IntegrationPackage}};
///
/// let mut package = IntegrationPackage::default();
/// package.data_streams.push(DataStream { name: "log".to_owned(), title: "Logs".to_owned(), ..DataStream::default() });
/// let fixed = fix_document("# Acme\n\n## Reference\n", &package);
/// assert_eq!(fixed.text, "# Acme\n\n## Reference\n\n### Logs\n\n{{fields \"log\"}}\n");
/// assert_eq!(fix_document(&fixed.text, &package).changes, Vec::<String>::new());
/// ```
pub fn fix_document(text: &str, package: &IntegrationPackage) -> FixedDocument {
    let unchanged = || FixedDocument { text: text.to_owned(), changes: Vec::new() };
    let mut fixed = unchanged();
    for _ in 0..ROUNDS {
        let before = fixed.changes.len();
        STEPS.iter().for_each(|step| run_step(*step, &mut fixed, package));
        if fixed.changes.len() == before {
            return fixed;
        }
    }
    // Each repair of this document asks for another one. No half of them is better than the text of its author.
    unchanged()
}

fn run_step(step: FixStep, fixed: &mut FixedDocument, package: &IntegrationPackage) {
    let edits = step(&EditableText::new(&fixed.text), package);
    if edits.is_empty() {
        return;
    }
    let changed = edit::apply(&fixed.text, &edits);
    // In a document with an open fence or comment a new tag or heading can be code. Another run would add it again.
    let is_effective = step(&EditableText::new(&changed), package).is_empty();
    if is_effective && lost_preserve_blocks(&fixed.text, &changed).is_empty() {
        fixed.text = changed;
        fixed.changes.extend(edits.into_iter().map(|edit| edit.change));
    }
}

/// Returns the edits that remove disclosure notes which repeat an earlier one word for word (SEC-46).
fn repeated_notes(text: &EditableText<'_>, _: &IntegrationPackage) -> Vec<Edit> {
    let mut known: Vec<&str> = Vec::new();
    let mut edits = Vec::new();
    for line in 1..=text.lines.count() {
        let range = text.lines.range(line);
        let note = text.source[range.clone()].trim();
        if note.is_empty() || !is_disclosure(note) || !text.is_editable(&range) {
            continue;
        }
        if known.contains(&note) {
            // The blank line behind it goes too, or two of them would follow each other.
            let next = text.lines.range(line + 1);
            let is_blank = line < text.lines.count() && text.source[next.clone()].trim().is_empty();
            let end = if is_blank { next.end } else { range.end };
            edits.push(Edit::remove(range.start..end, "Removed a repeated disclosure note.".to_owned()));
        } else {
            known.push(note);
        }
    }
    edits
}
