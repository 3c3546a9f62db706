//! Decides whether a word of a line names a member: a field, a file, a folder, or a marked name of a text that is not code.

use crate::repo::Language;

/// Returns true if the name at byte `start` of a line may be a field: behind `.` or a quote, before
/// `:`, at the beginning of the line, or in a list in braces. Other occurrences may be variables.
pub(super) fn is_field_use(line: &str, start: usize, name: &str) -> bool {
    let (before, after) = (line[..start].trim_end(), line[start + name.len()..].trim_start());
    let is_set = after.starts_with(':') && !after.starts_with("::") && !after.starts_with(":=");
    let is_listed = before.ends_with(['{', ',']) && line.contains('{');
    before.is_empty() && !after.starts_with(":=") && !after.starts_with('(')
        || before.ends_with(['.', '"', '\'', '`', '@'])
        || before.ends_with("->")
        || is_set
        || is_listed
}

/// Returns true if a text has the last part of the type name `title` as a whole word.
pub(super) fn names_type(text: &str, title: &str) -> bool {
    let name = title.rsplit(['.', ':']).next().unwrap_or(title);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// Returns true if `after`, the text behind a folder's name, shows that the name is part of a path or
/// module path: `/`, `::`, or `.name` that is no file ending.
pub(super) fn is_folder_use(after: &str) -> bool {
    let module =
        after.strip_prefix('.').map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next());
    let is_module = module
        .flatten()
        .is_some_and(|name| !name.is_empty() && Language::of_path(format!("a.{name}")).is_none());
    after.starts_with(['/', '\\']) || after.starts_with("::") || is_module
}

/// Returns true if the name at byte `start` of a line of code means a file: it is in a string or a
/// path, or behind a word such as `import` or `mod`. Other occurrences may be variables.
pub(super) fn is_file_use(line: &str, start: usize, name: &str) -> bool {
    const LOADS: &[&str] =
        &["mod", "use", "import", "from", "require", "include", "load", "source", "package"];
    let (before, after) = (&line[..start], &line[start + name.len()..]);
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    before.ends_with(['"', '\'', '`', '/', '\\'])
        || before.ends_with("::")
        || after.starts_with("::")
        || before.ends_with([' ', '(']) && LOADS.contains(&word)
}

/// Returns true if a name in a text that is not code is marked as a name (quotes, backticks, the head
/// of a list item) or looks like one (`a_b`, `aB`). `first` is the byte offset of the line's first
/// letter or digit.
pub(super) fn is_marked(line: &str, first: usize, (start, name): (usize, &str)) -> bool {
    let (before, after) = (&line[..start], &line[start + name.len()..]);
    let has_hump =
        || name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    name.contains('_') || has_hump() || is_within_signs(before, after) || start <= first && is_label(after)
}

/// Returns true if the texts directly before and behind a word are signs of code or markup, as in ``
/// `word` ``, `--word`, `<word>`.
fn is_within_signs(before: &str, after: &str) -> bool {
    let closes = |sign: char| after.starts_with(sign);
    match before.chars().next_back() {
        Some('`' | '$' | '@' | '=' | '{' | '#' | '|' | ':' | ',') => true,
        Some('.') => !before.ends_with(".."),
        Some(sign @ ('"' | '\'' | '*')) => closes(sign),
        Some('<') => closes('>'),
        Some('>') => closes('<'),
        // An option.
        Some('-') => !before.trim_end_matches('-').ends_with(char::is_alphanumeric),
        // A file.
        Some('/') => after.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric)),
        _ => false,
    }
}

/// Returns true if `after`, the text behind a line's first word, is empty or begins with a separator
/// (`:`, `=`, `|`).
fn is_label(after: &str) -> bool {
    let rest = after.trim_start_matches(['*', '`', '"', '\'']);
    let bare = rest.trim_start();
    let is_alone = matches!(bare.trim_end(), "" | "," | ";" | ")" | "]");
    let is_column = rest.starts_with(['\t', '(', ')', ']']) || rest.starts_with("  ");
    is_alone || is_column || [":", "=", "|", "- ", "– ", "— ", "->"].iter().any(|sign| bare.starts_with(sign))
}
