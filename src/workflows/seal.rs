//! The digest in the front matter of a document: tells a document of this program from a document that a person wrote or edited.

use crate::repo::ContentHash;

/// Line of the front matter, without its value. Quoted, because YAML reads some digests as numbers.
const KEY: &str = "\ndigest: \"";
/// Hexadecimal digits of the digest.
const DIGITS: usize = 16;

/// The place of the digest in one kind of documents: before the first line with this text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DocumentSeal {
    /// The line that follows the digest, whole, with the line breaks around it.
    pub(super) next: &'static str,
}

impl DocumentSeal {
    /// Adds the digest of a document to its front matter.
    pub(super) fn seal(self, text: &str) -> String {
        let line = format!("{KEY}{}\"{}", digest(text), self.next);
        text.replacen(self.next, &line, 1)
    }

    /// Returns true for a document that this program wrote, unedited since.
    pub(super) fn is_sealed(self, text: &str) -> bool {
        let Some((before, rest)) = text.split_once(KEY) else { return false };
        let Some((found, after)) = rest.split_at_checked(DIGITS) else { return false };
        let Some(after) = after.strip_prefix('"').and_then(|after| after.strip_prefix(self.next)) else {
            return false;
        };
        digest(&format!("{before}{}{after}", self.next)) == found
    }
}

fn digest(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string().chars().take(DIGITS).collect()
}
