//! Paths, and the lines of words in manifests.

pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns a path below a folder; the folder may be empty for the root.
pub(crate) fn join_path(folder: &str, path: &str) -> String {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Returns the first line, from 1, that has a text as a whole word.
pub(crate) fn line_of(text: &str, needle: &str) -> Option<usize> {
    line_where(text, needle, |_| true)
}

/// Returns the first line, from 1, that has a text as a whole word and passes a test.
pub(super) fn line_where(text: &str, needle: &str, mut fits: impl FnMut(&str) -> bool) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let has = |line: &str| {
        line.match_indices(needle)
            .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + needle.len()..].starts_with(is_part))
    };
    text.lines().position(|line| has(line) && fits(line)).map(|index| index + 1)
}
