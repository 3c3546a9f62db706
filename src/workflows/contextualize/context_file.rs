//! Context files: front matter, paths below the output folder, writing without loss.
//!
//! Reading order: `front_matter` (the YAML block), `metadata` (its keys in files of this program), `error`, `paths`, `write`.

mod error;
mod front_matter;
mod metadata;
mod paths;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::workflows::seal::DocumentSeal;
use stategraph_base::regular::{Links, read_up_to};

pub use error::{ContextFileError, ContextFileProblem};
pub use front_matter::FrontMatter;
pub use metadata::{ContextAuthor, ContextMetadata, Provenance, ScopedContextMetadata};
pub use paths::ContextPaths;
pub use write::{
    mark_output_dir, probe_output, read_agents_md, resolve_output, write_agents_md, write_context,
    write_scope,
};

/// Longest context file that is read, in bytes.
pub const CONTEXT_FILE_MAX: usize = 2 << 20;

/// The line before and after the front matter.
const FENCE: &str = "---";

/// The digest is the last key of the front matter.
const SEAL: DocumentSeal = DocumentSeal { next: "\n---\n" };

/// A context file: front matter and a body in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextFile {
    /// The front matter.
    pub front_matter: FrontMatter,
    /// All text after the line that ends the front matter.
    pub body: String,
}

impl ContextFile {
    /// Makes a file of front matter and Markdown.
    pub fn new(front_matter: FrontMatter, markdown: &str) -> Self {
        Self { front_matter, body: format!("\n{}\n", markdown.trim_matches('\n')) }
    }

    /// Reads the context file at `path`, which must be a regular file (CTX-104).
    pub fn read(path: &Path) -> Result<Self, ContextFileError> {
        let failed = |problem| ContextFileError { path: path.to_owned(), problem };
        let bytes = read_up_to(path, CONTEXT_FILE_MAX, Links::Followed)
            .map_err(|error| failed(ContextFileProblem::unreadable(&error)))?;
        Self::parse(&bytes).map_err(failed)
    }

    /// Parses a context file. The front matter ends at the first line that is `---` from its first column: YAML allows such a line neither
    /// in a quoted nor in a block text, and lines of the body come later (CTX-32).
    pub fn parse(bytes: &[u8]) -> Result<Self, ContextFileProblem> {
        if bytes.len() > CONTEXT_FILE_MAX {
            return Err(ContextFileProblem::TooLarge { limit: CONTEXT_FILE_MAX });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ContextFileProblem::NotText { line: line_at(bytes, error.valid_up_to()) })?;
        let (yaml, body) = split(text)?;
        Ok(Self { front_matter: FrontMatter::parse(yaml)?, body: body.to_owned() })
    }

    /// Renders the file as text. Its front matter ends with a digest, by which a later run detects edits.
    pub fn render(&self) -> String {
        SEAL.seal(&format!("{FENCE}\n{}{FENCE}\n{}", self.front_matter.render(), self.body))
    }
}

/// Splits a file into the front matter, without its `---` lines, and the body.
fn split(text: &str) -> Result<(&str, &str), ContextFileProblem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line)).ok_or(ContextFileProblem::NoFrontMatter)?;
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            return Ok((&text[first.len()..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    Err(ContextFileProblem::Unclosed)
}

/// Returns true for a line of three hyphens and perhaps blanks.
fn is_fence(line: &str) -> bool {
    line.strip_prefix(FENCE).is_some_and(|rest| rest.trim().is_empty())
}

/// Returns the number of the line, from 1, that contains the byte at `at`.
fn line_at(bytes: &[u8], at: usize) -> usize {
    bytes[..at].split(|byte| *byte == b'\n').count()
}
