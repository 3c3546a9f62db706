//! An `AGENTS.md` of generated text and of what people add. Neither reads nor writes files.

use thiserror::Error;

/// The marks around the generated text.
const BEGIN: &str = "<!-- generated: begin -->";
const END: &str = "<!-- generated: end -->";
/// The place for people, in a new file.
const PLACE: &str = "<!-- Add your own notes below. Text outside the generated part is kept. -->";

/// The reason why an `AGENTS.md` cannot be updated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// The file has no generated part: people wrote it.
    #[error("the file was written by hand: it has no line `{BEGIN}`")]
    HandWritten,
    /// The marks are incomplete, repeated or in the wrong order.
    #[error("the marks `{BEGIN}` and `{END}` must each be there once, in this order")]
    BrokenMarks,
}

/// Returns the content of an `AGENTS.md` whose generated part, between two marks, is replaced by `generated`;
/// everything outside the marks stays. Without an existing text, or with a blank one, returns a new file with
/// a comment that marks the place for notes.
pub fn merge_agents_md(existing: Option<&str>, generated: &str) -> Result<String, MergeError> {
    // Marks inside the generated text would move the border.
    let generated = generated.replace(BEGIN, "").replace(END, "");
    let part = format!("{BEGIN}\n{}\n{END}", generated.trim());
    let Some(existing) = existing.filter(|text| !text.trim().is_empty()) else {
        return Ok(format!("{part}\n\n{PLACE}\n"));
    };
    let (begins, ends) = (positions(existing, BEGIN), positions(existing, END));
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Err(MergeError::HandWritten),
        ([begin], [end]) if begin < end => {
            Ok(format!("{}{part}{}", &existing[..*begin], &existing[end + END.len()..]))
        }
        _ => Err(MergeError::BrokenMarks),
    }
}

fn positions(text: &str, mark: &str) -> Vec<usize> {
    text.match_indices(mark).map(|(at, _)| at).collect()
}
