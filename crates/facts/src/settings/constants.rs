//! Reads constants that stand for string literals in a file: `const ADDRESS: &str = "ADDR"`.

use std::collections::BTreeMap;

/// Maximum number of names of one file.
const NAMES: usize = 2_000;
/// Words that begin the declaration of a constant, in several languages.
const WORDS: &[&str] = &["const", "static", "final", "readonly", "define", "val", "var"];

/// Returns the names and values of the string constants that a source text declares. A name with two
/// different values is left out.
pub(crate) fn constants(text: &str) -> BTreeMap<&str, &str> {
    let mut found: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for line in text.lines().filter(|line| line.len() < 300 && line.contains('=')) {
        if let Some((name, value)) = constant(line)
            && found.len() < NAMES
        {
            found
                .entry(name)
                .and_modify(|known| *known = known.filter(|known| *known == value))
                .or_insert(Some(value));
        }
    }
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns the name and value of the string constant that a line declares.
fn constant(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once('=')?;
    let value = right.trim().trim_end_matches([';', ',']).trim();
    let content = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let content = content.or_else(|| value.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')))?;
    let is_plain = !content.contains(['"', '\'', '\\', '$', '{']) && !content.is_empty();
    let declared = left.split(':').next()?.trim();
    let mut words = declared.split_whitespace().peekable();
    let has_word = words.clone().any(|word| WORDS.contains(&word));
    let is_alone = words.clone().count() == 1
        && declared.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    // In Go the names of a group stand alone.
    let is_group = line.starts_with('\t') && words.clone().count() <= 2 && words.peek().is_some();
    // `NAME string = "X"` of Go has its type after its name.
    let words_of: Vec<&str> = declared.split_whitespace().filter(|word| *word != "string").collect();
    let name = *words_of.last()?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_plain && is_name && (has_word || is_alone || is_group)).then_some((name, content))
}
