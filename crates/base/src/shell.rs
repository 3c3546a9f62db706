//! Words of a command line as a POSIX shell takes them, for the commands that messages suggest.

use std::borrow::Cow;
use std::ffi::OsStr;

/// Quotes a word where a shell would not take it as it is. Bytes that are no text come out as the replacement character.
pub fn quoted(word: &OsStr) -> Cow<'_, str> {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}
