//! Names as they stand in messages and listings: one line each, whatever the file system holds. Never used to open a file.

use std::path::Path;

use super::limit::SHOWN_CHARS;
use stategraph_base::cut;

/// Returns a path as text for messages and listings, on one line. Bytes that are not UTF-8 become U+FFFD. A
/// path with control characters, or white space at its ends, becomes a JSON string, so that a model can send
/// it back.
pub fn show(path: impl AsRef<Path>) -> String {
    let plain = path.as_ref().to_string_lossy();
    if plain.chars().any(char::is_control) || plain.trim() != plain {
        return serde_json::to_string(&plain).expect("a string serialises");
    }
    plain.into_owned()
}

/// Returns true if [`show`] returns the path unchanged, so that a reader of the text can open it.
///
/// ```
/// use stategraph_repo::is_plain;
///
/// assert!(is_plain("src/über uns.rs") && !is_plain("a\nb.rs"));
/// ```
pub fn is_plain(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    path.to_str().is_some_and(|plain| show(plain) == plain)
}

/// Returns a path as [`show`] does, cut at [`SHOWN_CHARS`] characters. For paths that a user or model typed,
/// which may be very long.
pub(super) fn show_typed(path: &Path) -> String {
    let shown = show(path);
    let cut = cut(&shown, SHOWN_CHARS);
    if cut.left_out == 0 { cut.kept.to_owned() } else { format!("{}…", cut.kept) }
}
