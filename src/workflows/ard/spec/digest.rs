//! The digest in the front matter: tells a document of this program from one that a person wrote or edited.

use crate::repo::ContentHash;

/// Line of the front matter, without its value.
const KEY: &str = "digest: ";
/// Line before which the digest stands.
const NEXT: &str = "\narchitect:\n";
/// Hexadecimal digits of the digest.
const DIGITS: usize = 16;

/// Adds the digest of a document to its front matter.
pub(super) fn seal(text: &str) -> String {
    let line = format!("\n{KEY}{}{NEXT}", digest(text));
    text.replacen(NEXT, &line, 1)
}

/// Returns true for a document that this program wrote and nobody has edited since.
pub(super) fn is_sealed(text: &str) -> bool {
    let Some(start) = text.find(&format!("\n{KEY}")) else { return false };
    let value = start + 1 + KEY.len();
    let Some(found) = text.get(value..value + DIGITS) else { return false };
    let without = format!("{}{}", &text[..start], &text[value + DIGITS..]);
    digest(&without) == found
}

fn digest(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string().chars().take(DIGITS).collect()
}
