//! Names of components: the rule for `PascalCase`, and their mentions in texts.

/// Returns true for `PascalCase`: only letters and digits, with a first letter that is not lower case.
///
/// `Api`, `API`, `Http2Client` and names in scripts without case pass; `my_store`, `My Store` and `store` do not.
pub fn is_pascal_case(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase()) && name.chars().all(char::is_alphanumeric)
}

/// Returns true if a text contains the name as a whole word, in exactly this spelling; false for an
/// empty name.
pub fn mentions(text: &str, name: &str) -> bool {
    !name.is_empty() && text.match_indices(name).any(|(at, _)| is_whole_word(text, at, name.len()))
}

/// Returns true if no letter, digit or `_` is directly before or behind the `length` bytes at offset
/// `at`.
fn is_whole_word(text: &str, at: usize, length: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + length..].chars().next();
    let inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !inner(before) && !inner(after)
}
