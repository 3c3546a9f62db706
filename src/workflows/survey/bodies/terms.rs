//! Finds named constants and short literals in a line of code.

/// Maximum length of a literal, in bytes; longer ones are sentences.
const CHARS: usize = 28;
/// Maximum number of spaces in a literal.
const SPACES: usize = 2;

/// Names in capitals that occur in all code and are no terms.
const COMMON: &[&str] = &[
    "NULL", "TRUE", "FALSE", "EOF", "LOG", "LOGGER", "UTF", "UTF8", "UTF_8", "TODO", "FIXME", "XXX", "HTTP",
    "URL", "JSON", "ASCII", "ERR", "OK", "STDERR", "STDOUT", "STDIN", "DEBUG", "INFO", "WARN", "ERROR",
    "TRACE", "SAFETY", "NOTE", "FILE", "DIR", "SIZE_MAX", "INT_MAX",
];

/// Parts of lines that print or log; their literals are texts for people and no terms.
const PRINTING: &[&str] = &[
    "log", "print", "debug", "warn", "info(", "trace", "error(", "echo ", "puts ", "assert", "expect(",
    "raise", "throw", "Err(", "die(", "panic", "bail!", "context(",
];

/// Adds the named constants and the literals of a line to `terms`, each once, up to `most` entries.
/// Literals of lines that print or log are skipped.
pub(super) fn add(line: &str, terms: &mut Vec<String>, most: usize) {
    let mut push = |term: String| {
        if terms.len() < most && !terms.contains(&term) {
            terms.push(term);
        }
    };
    // A text that goes on in another line.
    if line.ends_with('\\') || line.matches('"').count() % 2 == 1 {
        return;
    }
    // `<<~EOS` begins a text.
    let is_end_of_text =
        |word: &str| ["<<~", "<<-", "<<"].iter().any(|sign| line.contains(&format!("{sign}{word}")));
    for word in
        words(line).filter(|word| is_constant(word) && !COMMON.contains(word) && !is_end_of_text(word))
    {
        push(word.to_owned());
    }
    if PRINTING.iter().any(|part| line.contains(part)) {
        return;
    }
    for literal in literals(line).filter(|literal| is_told(literal)) {
        push(format!("\"{literal}\""));
    }
}

/// Returns true for a name in capitals with at least three letters: `MAX_SIZE`, `UNAUTHORIZED`.
pub(super) fn is_constant(word: &str) -> bool {
    word.len() > 2
        && word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && word.chars().filter(char::is_ascii_uppercase).count() > 2
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Returns the words (letters, digits, `_`) of a line outside of its string literals.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    let outside = line.split(['"', '`']).step_by(2);
    let without_single = outside.flat_map(|part| {
        let is_paired = part.matches('\'').count() % 2 == 0;
        part.split('\'').enumerate().filter(move |(at, _)| !is_paired || at % 2 == 0).map(|(_, part)| part)
    });
    without_single.flat_map(|part| {
        part.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
    })
}

/// Returns the contents of the string literals of a line, double-quoted ones first. A single quote
/// begins one only if quotes come in pairs and enclose more than one character, because it may be a
/// character or a lifetime.
pub(super) fn literals(line: &str) -> impl Iterator<Item = &str> {
    let double = line.split('"').skip(1).step_by(2);
    let single = line.split('"').step_by(2).flat_map(|part| {
        let count = part.matches('\'').count();
        let is_paired = count > 0 && count % 2 == 0;
        part.split('\'').skip(1).step_by(2).filter(move |literal| is_paired && literal.chars().count() > 1)
    });
    // The last part behind an open quote is no literal.
    let is_open = line.matches('"').count() % 2 == 1;
    let count = double.clone().count();
    double.take(if is_open { count.saturating_sub(1) } else { count }).chain(single)
}

/// Returns true for a literal of 2 to `CHARS` bytes that looks like a key, a word or a pattern, and not
/// like a sentence.
fn is_told(literal: &str) -> bool {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '-' | '.' | '/' | ':' | '*' | ' ' | '{' | '}' | '=' | '%' | '$' | '@')
    };
    (2..=CHARS).contains(&literal.len())
        && literal.chars().all(is_plain)
        && literal.chars().any(|c| c.is_ascii_alphanumeric())
        && literal.matches(' ').count() <= SPACES
        && !literal.starts_with(' ')
        && !literal.eq_ignore_ascii_case("utf-8")
        && !(literal.starts_with('%') && literal.len() < 4)
}
