//! Helpers for paths, and searches for the lines of words in manifests.

/// Returns the folder of a path; empty for a file in the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the path of a file in a folder; an empty folder is the root. A leading `./` or `/` of `path` is
/// removed.
pub(crate) fn join_path(folder: &str, path: &str) -> String {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Returns the number, from 1, of the first line that contains `needle` as a whole word.
pub(crate) fn line_of(text: &str, needle: &str) -> Option<usize> {
    line_where(text, needle, |_| true)
}

/// Returns the number, from 1, of the first line that contains `needle` as a whole word and for which
/// `fits` returns true.
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
