//! Finds the names that a line of code calls.

/// Words before `(` that are no calls.
const KEYWORDS: &[&str] = &[
    "if", "for", "while", "switch", "match", "return", "catch", "function", "fn", "def", "func", "and", "or",
    "not", "in", "elif", "sizeof", "typeof", "new", "await", "throw", "assert", "print", "super", "except",
    "with", "lambda", "async", "import", "require",
];

/// Receivers that mean the surrounding type itself.
const OWN: &[&str] = &["self.", "this.", "Self::", "this->", "$this->", "self::", "static::"];
/// Minimum length of a compound method name that hardly any other type has, in bytes.
const DISTINCT: usize = 9;

/// Returns true if a called name probably belongs to the code base: `before`, the text before it, ends
/// with no receiver or with `self.` and the like, or the name is compound and long.
fn is_own(before: &str, name: &str) -> bool {
    let is_compound = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    !before.ends_with(['.', ':', '>', '!'])
        || OWN.iter().any(|own| before.ends_with(own))
        || is_compound && name.len() >= DISTINCT
}

/// Name of a call as written before `(`; the definition that it means is not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenCall {
    pub(crate) name: String,
    /// True if an object or type stands before the name.
    pub(crate) has_receiver: bool,
    /// True if that object is the own one: `self.take()`.
    pub(crate) is_own: bool,
    /// The type before the name, as far as its first letter tells: `NonNull` of `NonNull::new(a)`.
    pub(crate) of: Option<String>,
}

/// Adds the names that a line calls to `names`: `take` of `stock.take(1)`. Each name is added once;
/// `names` gets at most `most` entries. Names that probably belong to a library are skipped.
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
                    let of = line[..from].trim_end_matches(['.', ':']);
                    let of =
                        of.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
                    let of = Some(of)
                        .filter(|of| has_receiver && *of != "Self" && of.starts_with(char::is_uppercase));
                    names.push(WrittenCall {
                        name: name.to_owned(),
                        has_receiver,
                        is_own: OWN.iter().any(|own| line[..from].ends_with(own)),
                        of: of.map(str::to_owned),
                    });
                }
            }
            (_, '"' | '`') => quote = Some(c),
            _ => {}
        }
        start = is_word.then(|| start.unwrap_or(at));
    }
}
