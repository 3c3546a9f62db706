//! The names that a line calls, as written.

/// Words before a bracket that call nothing.
const KEYWORDS: &[&str] = &[
    "if", "for", "while", "switch", "match", "return", "catch", "function", "fn", "def", "func", "and", "or",
    "not", "in", "elif", "sizeof", "typeof", "new", "await", "throw", "assert", "print", "super", "except",
    "with", "lambda", "async", "import", "require",
];

/// Objects whose methods are those of the type around.
const OWN: &[&str] = &["self.", "this.", "Self::", "this->", "$this->", "self::", "static::"];
/// Fewest characters of the name of a method that hardly any other type has.
const DISTINCT: usize = 9;

/// Returns true for a name that the code around it defines, as far as the text tells: without a receiver, with that of the type around, or so
/// long that no library has it.
fn is_own(before: &str, name: &str) -> bool {
    let is_compound = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    !before.ends_with(['.', ':', '>', '!'])
        || OWN.iter().any(|own| before.ends_with(own))
        || is_compound && name.len() >= DISTINCT
}

/// A name before a bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenCall {
    pub(crate) name: String,
    /// True if it stands behind an object or a type.
    pub(crate) has_receiver: bool,
}

/// Adds the names before a bracket, each once, up to a number: `take` of `stock.take(1)`.
pub(super) fn add(line: &str, names: &mut Vec<WrittenCall>, most: usize) {
    let mut quote: Option<char> = None;
    let mut start: Option<usize> = None;
    for (at, c) in line.char_indices() {
        if let Some(open) = quote {
            quote = Some(open).filter(|open| *open != c);
            continue;
        }
        let is_word = c.is_alphanumeric() || c == '_' || c == '$';
        match (start, c) {
            (Some(from), '(') if names.len() < most => {
                let name = &line[from..at];
                // `this.#load()` means a private method, and no function of that name.
                let is_name = is_own(&line[..from], name)
                    && !line[..from].ends_with('#')
                    && !name.starts_with(|c: char| c.is_numeric())
                    && !KEYWORDS.contains(&name);
                if is_name && !names.iter().any(|known| known.name == name) {
                    let has_receiver = line[..from].ends_with(['.', ':', '>']);
                    names.push(WrittenCall { name: name.to_owned(), has_receiver });
                }
            }
            (_, '"' | '`') => quote = Some(c),
            _ => {}
        }
        start = is_word.then(|| start.unwrap_or(at));
    }
}
