//! Rules for names in graph files, and the form of names in messages. Knows no format.

/// Maximum length of a name or label, in characters. A longer one does not fit on one line of a drawing or a log.
pub const NAME_MAX: usize = 100;

/// Returns the first [`NAME_MAX`] characters of a name, for a message.
pub(crate) fn truncate_name(name: &str) -> &str {
    name.char_indices().nth(NAME_MAX).map_or(name, |(at, _)| &name[..at])
}

/// Joins names as `a`, `b` and `c`, each in backquotes; empty without names.
pub(crate) fn join_quoted<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Returns true if expressions can write the name after a dot: ASCII letters, digits and `_`, not a digit
/// first.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && characters.all(|c| c == '_' || c.is_ascii_alphanumeric())
}
