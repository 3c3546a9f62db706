//! Citations of files in the texts of agents (EXP-72). A model cites in any form, rules only in brackets: `[src/store.rs:3]`. Pure.

use std::collections::BTreeSet;

use crate::repo::Language;

/// Most unknown citations of one text that are reported.
const REPORTED: usize = 20;

/// Most citations of one text that are checked.
const CITED: usize = 500;

/// Endings of files without a grammar that a text can cite.
const ENDINGS: &[&str] =
    &["md", "toml", "yaml", "yml", "json", "lock", "cfg", "ini", "txt", "sql", "proto", "sh", "html", "css"];

/// Returns the paths that a text cites and that `paths` does not have, each once. A path may be cited by its end, such as `store.rs` for
/// `src/store.rs`.
pub(super) fn find_unknown(text: &str, paths: &BTreeSet<String>) -> Vec<String> {
    // Bounded, because each is compared with all paths.
    let cited: BTreeSet<&str> = cited_paths(text).take(CITED).collect();
    let unknown = cited.into_iter().filter(|cited| !is_known(cited, paths));
    unknown.take(REPORTED).map(str::to_owned).collect()
}

/// Returns the parts of a text in brackets, joined: the places of findings by rules. The words around them are quoted, and may name files
/// that users have.
pub(super) fn bracketed(text: &str) -> String {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(place, _)| place);
    inside.collect::<Vec<_>>().join(" ")
}

/// Returns the words of a text that look like paths of files.
fn cited_paths(text: &str) -> impl Iterator<Item = &str> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ':');
    let words = text.split(move |c: char| !(is_inner(c) || matches!(c, '$' | '{' | '}' | '~' | '%')));
    words.filter_map(|word| {
        // An address is no path, nor is a name with `::`, nor a pattern such as `$HOME/a.toml`.
        if word.contains("//") || word.contains("::") || word.contains(['$', '{', '~', '%']) {
            return None;
        }
        let word = word.trim_matches('}');
        let path = word.split(':').next().unwrap_or_default().trim_end_matches('.').trim_start_matches("./");
        let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        let is_file = !stem.is_empty() && (ENDINGS.contains(&ending) || Language::of_path(path).is_some());
        (is_file && !path.starts_with('/')).then_some(path)
    })
}

fn is_known(cited: &str, paths: &BTreeSet<String>) -> bool {
    paths.contains(cited)
        || paths.iter().any(|path| path.strip_suffix(cited).is_some_and(|before| before.ends_with('/')))
}
