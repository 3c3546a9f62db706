//! Ids as file names: readable, portable, and never two ids with one name (ENG-17, DOC-97). Touches no file.

use std::fmt;

use uuid::Uuid;

use super::limit::SLUG_BYTES;

/// Number of hexadecimal digits (80 bits) in the mark at the end of names from which the id cannot be read
/// back.
const MARK_DIGITS: usize = 20;

/// Names that Windows keeps for devices.
const DEVICES: &[&str] = &["aux", "con", "nul", "prn"];

/// A file name, without extension, that stands for one id: lower-case ASCII, so that it survives every file system.
///
/// An id from which the name can be read back (`a-z`, `0-9`, `.`, `_`, `-`; `/` as `--`) is its own name. Any other gets a
/// simplified name and a mark made of the whole id. No name of the first kind looks like one of the second.
///
/// ```
/// use stategraph_repo::Slug;
///
/// assert_eq!(Slug::of("user_service").as_str(), "user_service");
/// assert_eq!(Slug::of("src/auth/login.rs").as_str(), "src--auth--login.rs");
/// assert_ne!(Slug::of("src--auth"), Slug::of("src/auth"));
/// assert_ne!(Slug::of("Auth"), Slug::of("auth"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// Returns the file name for `id`, which may be any text. It is the same in every run.
    pub fn of(id: &str) -> Self {
        let plain = id.replace('/', "--");
        let reads_back = plain.replace("--", "/") == id;
        if reads_back && is_plain(&plain) { Self(plain) } else { Self(mark(id)) }
    }

    /// Returns the file name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_plain(name: &str) -> bool {
    let portable = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    let ends_well = |name: &str| !name.starts_with(['.', '-']) && !name.ends_with('.');
    (1..=SLUG_BYTES).contains(&name.len())
        && name.bytes().all(portable)
        && ends_well(name)
        && !is_device(name)
        && !looks_marked(name)
}

/// Returns true for names that Windows reserves for devices: `con`, `con.txt`, `com1` and the like.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let numbered = |port: &str| stem.strip_prefix(port).is_some_and(|n| n.len() == 1 && n != "0");
    DEVICES.contains(&stem) || numbered("com") || numbered("lpt")
}

fn looks_marked(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, mark)| {
        mark.len() == MARK_DIGITS && mark.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Returns the name of an id that cannot be read back from its name: its letters and digits in lower case,
/// and a hash of the whole id.
fn mark(id: &str) -> String {
    let mut words = String::new();
    for letter in id.chars().take(SLUG_BYTES) {
        match letter {
            _ if letter.is_ascii_alphanumeric() => words.push(letter.to_ascii_lowercase()),
            _ if words.ends_with('-') => {}
            _ => words.push('-'),
        }
    }
    words.truncate(SLUG_BYTES - MARK_DIGITS - 1);
    let words = words.trim_matches('-');
    let mark = &Uuid::new_v5(&Uuid::NAMESPACE_OID, id.as_bytes()).simple().to_string()[..MARK_DIGITS];
    match words {
        "" => format!("id-{mark}"),
        words => format!("{words}-{mark}"),
    }
}
