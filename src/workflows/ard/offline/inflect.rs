//! Forms of English words: singular and plural, base forms of verbs, names made of words.

use super::lexicon::{Verb, singular_is_itself, verb};

/// How a verb form ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordForm {
    /// store
    Base,
    /// stores
    Third,
    /// stored
    Past,
    /// storing
    Gerund,
}

/// The singular of a noun in lower case.
pub(super) fn singular(word: &str) -> String {
    let irregular = match word {
        "people" => "person",
        "children" => "child",
        "loaves" => "loaf",
        "leaves" => "leaf",
        "shelves" => "shelf",
        "halves" => "half",
        "knives" => "knife",
        _ => "",
    };
    if !irregular.is_empty() {
        return irregular.to_owned();
    }
    if word.len() < 4 || singular_is_itself(word) || ["ss", "us", "is"].iter().any(|end| word.ends_with(end))
    {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let es = ["sses", "xes", "ches", "shes", "zzes"].iter().any(|end| word.ends_with(end));
    word.strip_suffix(if es { "es" } else { "s" }).unwrap_or(word).to_owned()
}

/// Whether a noun in lower case looks like a plural.
pub(super) fn is_plural(word: &str) -> bool {
    singular(word) != word
}

/// The verb a word in lower case may be a form of.
pub(super) fn verb_form(word: &str) -> Option<(Verb, WordForm)> {
    let irregular = match word {
        "sent" => ("send", WordForm::Past),
        "kept" => ("keep", WordForm::Past),
        "sold" => ("sell", WordForm::Past),
        "shown" => ("show", WordForm::Past),
        "written" => ("write", WordForm::Past),
        "found" => ("find", WordForm::Past),
        "paid" => ("pay", WordForm::Past),
        "drawn" => ("draw", WordForm::Past),
        "chosen" => ("choose", WordForm::Past),
        "lent" => ("lend", WordForm::Past),
        _ => return verb(word).map(|verb| (verb, WordForm::Base)).or_else(|| regular(word)),
    };
    verb(irregular.0).map(|verb| (verb, irregular.1))
}

fn regular(word: &str) -> Option<(Verb, WordForm)> {
    for (ending, form) in [("s", WordForm::Third), ("ed", WordForm::Past), ("ing", WordForm::Gerund)] {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 1) else { continue };
        if let Some(found) = bases(stem).iter().find_map(|base| verb(base)) {
            return Some((found, form));
        }
    }
    None
}

/// Base forms that a stem without its ending may come from.
fn bases(stem: &str) -> Vec<String> {
    let mut bases = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(short) = stem.strip_suffix('i') {
        bases.push(format!("{short}y"));
    }
    if let Some(short) = stem.strip_suffix("ie") {
        bases.push(format!("{short}y"));
    }
    if let Some(short) = stem.strip_suffix('e') {
        bases.push(short.to_owned());
    }
    let mut back = stem.chars().rev();
    if let (Some(a), Some(b)) = (back.next(), back.next())
        && a == b
    {
        bases.push(stem[..stem.len() - a.len_utf8()].to_owned());
    }
    bases
}

/// "stores" of "store".
pub(super) fn third_person(lemma: &str) -> String {
    if ["s", "x", "ch", "sh", "z", "o"].iter().any(|end| lemma.ends_with(end)) {
        return format!("{lemma}es");
    }
    match lemma.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{lemma}s"),
    }
}

/// Puts words together in `PascalCase`; always a valid name unless nothing alphanumeric is given, which gives none.
pub(super) fn pascal<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<String> {
    let mut name = String::new();
    for piece in words.into_iter().flat_map(|word| word.split(|c: char| !c.is_alphanumeric())) {
        let shouted = piece.len() > 1 && piece.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
        let rest = if shouted { piece.to_lowercase() } else { piece.to_owned() };
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { continue };
        name.extend(first.to_uppercase().chain(chars).filter(|c| c.is_alphanumeric()));
        if name.chars().count() >= LONGEST_NAME {
            break;
        }
    }
    let name: String = name.chars().take(LONGEST_NAME).collect();
    let first = name.chars().next()?;
    // Digits and letters without a capital form cannot begin a name.
    Some(if first.is_alphabetic() && !first.is_lowercase() { name } else { format!("Part{name}") })
}

/// Characters in a name at most.
const LONGEST_NAME: usize = 40;
