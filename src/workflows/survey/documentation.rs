//! Short documentation of definitions, without words that their signatures already show.

use super::central::CentralFile;
use super::definitions::{qualified, words_of};
use super::view::Survey;
use crate::facts::{FactSubject, purpose};
use crate::repo::{Language, SymbolInfo};

/// Returns the documentation of a definition. Tried in this order: the stated purpose among the facts,
/// its doc comment, and for functions the comment of its declaration in a C or C++ header.
pub(crate) fn documentation(
    survey: &Survey,
    file: &CentralFile,
    symbol: &SymbolInfo,
    owner: Option<&str>,
) -> Option<String> {
    let subject = FactSubject::Symbol { path: file.path.clone(), name: qualified(owner, &symbol.name) };
    let stated = survey.purpose_of(&subject).map(|(text, _)| text.to_owned());
    let declared = || survey.declared.get(&symbol.name).filter(|_| symbol.kind.is_callable());
    let docs = symbol.docstring.as_ref().or_else(declared);
    let docs = stated.or_else(|| docs.and_then(|docs| purpose(docs)))?;
    // `/**<` of Doxygen.
    Some(docs.trim_start_matches(['<', ' ']).to_owned())
}

/// Removes the name of the subject (and `is`, `is a`) from the beginning of a Go comment: `Take removes
/// items` → `removes items`. Other languages and texts stay as they are.
pub(crate) fn without_own_name(said: &str, name: &str, path: &str) -> String {
    let rest = said
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(' '))
        .filter(|_| Language::of_path(path) == Some(Language::Go));
    let is_verb =
        |rest: &&str| rest.split(' ').next().is_some_and(|word| word.ends_with('s') && rest.len() > 8);
    let Some(rest) = rest.filter(is_verb) else { return said.to_owned() };
    let noun = rest
        .strip_prefix("is a ")
        .or_else(|| rest.strip_prefix("is an "))
        .or_else(|| rest.strip_prefix("is "));
    noun.unwrap_or(rest).to_owned()
}

/// Returns true for documentation without any word beyond those of the name and filler words: `Gets the
/// user name` of `get_user_name`.
pub(crate) fn repeats_name(said: &str, name: &str) -> bool {
    const FILLING: &[&str] = &[
        "the",
        "a",
        "an",
        "of",
        "to",
        "for",
        "this",
        "that",
        "given",
        "from",
        "in",
        "is",
        "it",
        "its",
        "and",
        "function",
        "method",
        "class",
        "struct",
        "type",
        "module",
        "returns",
        "return",
        "gets",
        "get",
        "sets",
        "set",
        "represents",
        "with",
        "if",
        "whether",
        "should",
        "be",
        "new",
        "current",
    ];
    let known = words_of(name);
    let whole = name.to_lowercase();
    let mut words = said
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !FILLING.contains(&word.as_str()) && *word != whole);
    words.all(|word| known.iter().any(|part| is_same_word(part, &word)))
}

/// Returns true if two words differ only in their English endings: `parse`, `parses`, `parsing`.
fn is_same_word(a: &str, b: &str) -> bool {
    const ENDS: &[&str] = &["", "e", "s", "es", "d", "ed", "ing", "y", "ies", "ied"];
    let shared: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    shared >= 2 && ENDS.contains(&&a[shared..]) && ENDS.contains(&&b[shared..]) || a == b
}

#[cfg(test)]
mod tests {
    use super::repeats_name;

    #[test]
    fn a_documentation_that_only_repeats_the_name_tells_nothing() {
        for (said, name) in [
            ("Gets the user name.", "get_user_name"),
            ("Parses options", "parseOptions"),
            ("The Stock struct", "Stock"),
        ] {
            assert!(repeats_name(said, name), "{said}");
        }
        assert!(!repeats_name("Parses options in order", "parseOptions"));
        assert!(!repeats_name("Takes books out of the stock", "take"));
        assert!(!repeats_name("The type of a table", "to_type"));
        assert!(!repeats_name("Returns the former", "form"));
    }
}
