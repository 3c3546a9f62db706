//! The digest in the front matter: tells a document of this program from a document that a person wrote or edited.

use crate::repo::ContentHash;

/// Line of the front matter, without its value. Quoted, because YAML reads some digests as numbers.
const KEY: &str = "\ndigest: \"";
/// End of the line, and the line after it.
const NEXT: &str = "\"\narchitect:\n";
/// Line before which the digest stands.
const PLACE: &str = "\narchitect:\n";
/// Hexadecimal digits of the digest.
const DIGITS: usize = 16;

/// Adds the digest of a document to its front matter.
pub(super) fn seal(text: &str) -> String {
    let line = format!("{KEY}{}{NEXT}", digest(text));
    text.replacen(PLACE, &line, 1)
}

/// Returns true for a document that this program wrote, unedited since.
pub(super) fn is_sealed(text: &str) -> bool {
    let Some((before, rest)) = text.split_once(KEY) else { return false };
    let Some((found, after)) = rest.split_once(NEXT) else { return false };
    digest(&format!("{before}{PLACE}{after}")) == found
}

fn digest(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string().chars().take(DIGITS).collect()
}
