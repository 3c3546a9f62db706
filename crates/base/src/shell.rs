//! Quotes words of a command line for a POSIX shell, for the commands that messages suggest.

use std::borrow::Cow;
use std::ffi::OsStr;

/// Returns a word as one types it in a POSIX shell: unchanged if all of its characters are safe, otherwise in
/// single quotes. Bytes that are not UTF-8 become U+FFFD.
pub fn quote_for_shell(word: &OsStr) -> Cow<'_, str> {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}
