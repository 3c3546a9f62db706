//! Digest in the front matter of a document. It shows that this program wrote the document, and that no
//! one edited it since.

use crate::repo::ContentHash;

/// Line of the front matter up to the digest. The digest is quoted, because YAML reads some digests as
/// numbers.
const KEY: &str = "\ndigest: \"";
/// Number of hexadecimal digits of the digest.
const DIGITS: usize = 16;

/// Position of the digest in one kind of document: before the first occurrence of `next`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DocumentSeal {
    /// Whole line behind the digest, with the line breaks around it.
    pub(super) next: &'static str,
}

impl DocumentSeal {
    /// Returns the document with its digest inserted into the front matter.
    pub(super) fn seal(self, text: &str) -> String {
        let line = format!("{KEY}{}\"{}", digest(text), self.next);
        text.replacen(self.next, &line, 1)
    }

    /// Returns true if this program wrote the document and it was not edited since: it has a digest
    /// that fits its text.
    pub(super) fn is_sealed(self, text: &str) -> bool {
        let Some((before, rest)) = text.split_once(KEY) else { return false };
        let Some((found, after)) = rest.split_at_checked(DIGITS) else { return false };
        let Some(after) = after.strip_prefix('"').and_then(|after| after.strip_prefix(self.next)) else {
            return false;
        };
        digest(&format!("{before}{}{after}", self.next)) == found
    }
}

/// Returns the first `DIGITS` hexadecimal digits of the text's hash.
fn digest(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string().chars().take(DIGITS).collect()
}
