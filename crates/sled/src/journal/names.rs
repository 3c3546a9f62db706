//! File names for thread ids, and back. Pure; touches no file.
//!
//! Different ids get different names on every system. Lower-case letters, digits, `-`, `_` and `.` are kept; every other byte becomes its
//! hex number (`%40`), because some systems ignore case and some normalise `é`. The first letter of a Windows device name and
//! a dot at the end are escaped too. An id whose name would be too long is encoded in base 32 as a whole.

use stategraph_core::ThreadId;
use std::fmt::Write as _;

/// Maximum length of a name in bytes. It leaves room for suffixes below every file system's limit.
const LONGEST: usize = 210;

/// Prefix of a name in base 32. No other name begins like this, because `%` is otherwise followed by a hex number.
const WHOLE: &str = "%%";

/// The digits of base 32: 5 bits each.
const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// Returns the file name of a thread, without extension.
pub(super) fn of(thread: &ThreadId) -> String {
    let id = thread.as_str();
    let mut name = String::with_capacity(id.len());
    let last = id.len() - 1;
    for (at, byte) in id.bytes().enumerate() {
        let stands = byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.');
        let special = (at == 0 && is_device(id)) || (at == last && byte == b'.');
        if stands && !special {
            name.push(char::from(byte));
        } else {
            write!(name, "%{byte:02x}").expect("a String takes all text");
        }
    }
    if name.len() > LONGEST { format!("{WHOLE}{}", base32(id.as_bytes())) } else { name }
}

/// Returns the thread that a file name without extension belongs to; `None` if it is no such name. Also
/// accepts the plain ids that earlier versions used as names.
pub(super) fn thread(name: &str) -> Option<ThreadId> {
    let bytes = match name.strip_prefix(WHOLE) {
        Some(digits) => from_base32(digits)?,
        None => unescape(name)?,
    };
    let thread = ThreadId::new(String::from_utf8(bytes).ok()?).ok()?;
    // Only the canonical name and the plain id are accepted, because one thread must not have two journals.
    (of(&thread) == name || thread.as_str() == name).then_some(thread)
}

/// Decodes the hex numbers after `%`; `None` if one is malformed.
fn unescape(name: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::with_capacity(name.len()), name.as_bytes());
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b'%' {
            let (number, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(number).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*byte);
        }
    }
    Some(bytes)
}

/// Returns true if Windows reserves the name for a device (`con`, `com1`), whatever its extension.
fn is_device(id: &str) -> bool {
    let stem = id.split('.').next().unwrap_or(id);
    match stem.len() {
        3 => matches!(stem, "con" | "prn" | "aux" | "nul"),
        4 => (stem.starts_with("com") || stem.starts_with("lpt")) && stem.as_bytes()[3].is_ascii_digit(),
        _ => false,
    }
}

/// Encodes bytes in base 32.
fn base32(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    let digit = |from: usize| (from..from + 5).fold(0, |digit, at| digit << 1 | usize::from(bit(at)));
    (0..bytes.len() * 8).step_by(5).map(|from| char::from(DIGITS[digit(from)])).collect()
}

/// Decodes base 32; `None` if a digit is invalid.
fn from_base32(digits: &str) -> Option<Vec<u8>> {
    let values: Option<Vec<usize>> =
        digits.bytes().map(|digit| DIGITS.iter().position(|one| *one == digit)).collect();
    let values = values?;
    let bit = |at: usize| values[at / 5] >> (4 - at % 5) & 1;
    let byte = |from: usize| (from..from + 8).fold(0, |byte, at| byte << 1 | bit(at));
    (0..values.len() * 5 / 8).map(|at| u8::try_from(byte(at * 8)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn id(text: &str) -> ThreadId {
        ThreadId::new(text).expect("it is an id")
    }

    #[test]
    fn every_id_has_a_name_of_its_own_that_gives_it_back() {
        let long = "Ü".repeat(64);
        let ids = [
            "a",
            "A",
            "con",
            "CON",
            "Con",
            "con.x",
            "com1",
            "com1x",
            "nul.",
            "a.",
            "a..b",
            "user@example.com",
            "a:b",
            "ü",
            "Ü",
            "x-y_z.1",
            "lpt9.log",
            &"A".repeat(128),
            &"a".repeat(128),
            &long,
        ];
        let mut seen = BTreeMap::new();
        for text in ids {
            let name = of(&id(text));
            assert_eq!(thread(&name), Some(id(text)), "{name}");
            assert!(name.len() <= LONGEST && !name.chars().any(|c| c.is_uppercase() || c == ':'), "{name}");
            assert!(!is_device(&name) && !name.ends_with('.'), "{name}");
            assert_eq!(seen.insert(name, text), None);
        }
        assert_eq!(of(&id("user@example.com")), "user%40example.com");
    }

    #[test]
    fn what_is_no_name_of_ours_is_no_thread() {
        for name in ["", "%", "%4", "%zz", "%61", "%%", "%%zz", "%%0", "a b", ".a", "%C3%BC", "%ff"] {
            assert_eq!(thread(name), None, "{name}");
        }
        assert_eq!(thread("Old"), Some(id("Old")), "as an earlier version named it");
    }
}
