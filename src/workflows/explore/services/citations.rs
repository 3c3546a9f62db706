//! Finds the files that texts of agents cite (EXP-72). A model cites in any form, rules only in
//! brackets: `[src/store.rs:3]`. Pure.

use std::collections::BTreeSet;

use crate::repo::Language;

/// Maximum number of unknown citations of a text that are reported.
const REPORTED: usize = 20;

/// Maximum number of citations of a text that are checked.
const CITED: usize = 500;

/// File endings, besides those of known languages, that a text can cite.
const ENDINGS: &[&str] =
    &["md", "toml", "yaml", "yml", "json", "lock", "cfg", "ini", "txt", "sql", "proto", "sh", "html", "css"];

/// Returns the cited paths that are not in `paths`, sorted and each once. A path may be cited by its
/// end: `store.rs` for `src/store.rs`.
pub(super) fn find_unknown(text: &str, paths: &BTreeSet<String>) -> Vec<String> {
    // Bounded, because each is compared with all paths.
    let cited: BTreeSet<&str> = cited_paths(text).take(CITED).collect();
    let unknown = cited.into_iter().filter(|cited| !is_known(cited, paths));
    unknown.take(REPORTED).map(str::to_owned).collect()
}

/// Returns the places in brackets of a text by rules, joined by spaces: `src/store.rs:3` of
/// `[src/store.rs:3]`. Other words are quoted code and may name files that do not belong to the
/// repository.
pub(super) fn places(text: &str) -> String {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let inside = inside.map(|(place, _)| place.trim_matches('`').trim());
    inside.filter(|place| is_place(place)).collect::<Vec<_>>().join(" ")
}

/// Returns true for a path with a line number or a range: `a.rs:3`, `a.rs:3-9`.
fn is_place(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.rsplit_once(':').is_some_and(|(_, lines)| match lines.split_once('-') {
        Some((start, end)) => is_number(start) && is_number(end),
        None => is_number(lines),
    })
}

/// Returns the words of a text that look like relative paths of files. Addresses, `::` names and
/// patterns are left out.
fn cited_paths(text: &str) -> impl Iterator<Item = &str> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ':');
    let words = text.split(move |c: char| !(is_inner(c) || matches!(c, '$' | '{' | '}' | '~' | '%')));
    words.filter_map(|word| {
        // A set of files such as `{a.rs,b.rs}`.
        let word = word.trim_start_matches('{').trim_end_matches(['}', '.', ':']);
        // An address is no path, nor is a name with `::`, nor a pattern such as `$HOME/a.toml` and `src/{a,b}.rs`.
        if word.contains("//") || word.contains("::") || word.contains(['$', '{', '}', '~', '%']) {
            return None;
        }
        let path = word.split(':').next().unwrap_or_default().trim_end_matches('.').trim_start_matches("./");
        let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        let is_file = !stem.is_empty() && (ENDINGS.contains(&ending) || Language::of_path(path).is_some());
        (is_file && !path.starts_with('/')).then_some(path)
    })
}

/// Returns true if a path in `paths` equals the cited path or ends with `/` and the cited path.
fn is_known(cited: &str, paths: &BTreeSet<String>) -> bool {
    paths.contains(cited)
        || paths.iter().any(|path| path.strip_suffix(cited).is_some_and(|before| before.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(text: &str) -> Vec<String> {
        let paths = ["src/store.rs", "src/cart.rs", "src/a/mod.rs"];
        find_unknown(text, &paths.into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn a_pattern_of_several_files_is_no_citation() {
        assert_eq!(unknown("See src/{store,cart}.rs and src/{a,b}/mod.rs, {store.rs,gone.rs}."), ["gone.rs"]);
        assert_eq!(unknown("See src/{store.rs,cart.rs} and $HOME/a.toml."), [""; 0]);
    }

    #[test]
    fn only_brackets_with_a_path_and_a_line_are_places_of_rules() {
        let text = r#"`def load(files=["count.toml", "base.json"])` [src/gone.rs:3] [`src/__init__.py:5-9`] [a.rs] [b.rs:c]"#;
        assert_eq!(places(text), "src/gone.rs:3 src/__init__.py:5-9");
    }
}
