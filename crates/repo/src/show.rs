//! Names as they stand in messages and listings: one line each, whatever the file system holds. Never used to open a file.

use std::path::Path;

use super::limit::SHOWN_CHARS;
use stategraph_base::cut;

/// Returns a path for a message. Bytes that are not UTF-8 become U+FFFD; a name with line breaks or other control characters becomes a JSON
/// string, so that a listing keeps one line per entry and a model can send the name back.
pub fn show(path: impl AsRef<Path>) -> String {
    let plain = path.as_ref().to_string_lossy();
    if plain.chars().any(char::is_control) || plain.trim() != plain {
        return serde_json::to_string(&plain).expect("a string serialises");
    }
    plain.into_owned()
}

/// Returns true if a path is shown unchanged, so that a reader can open it.
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

/// Like [`show`], limited to [`SHOWN_CHARS`], because a typed path may have megabytes.
pub(super) fn show_typed(path: &Path) -> String {
    let shown = show(path);
    let cut = cut(&shown, SHOWN_CHARS);
    if cut.left_out == 0 { cut.kept.to_owned() } else { format!("{}…", cut.kept) }
}
