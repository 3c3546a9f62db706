//! Facts about the purposes of folders that a document lists: items such as "`crates/core`: the engine",
//! and table rows whose first cell is a folder.

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::projects::{folder_of, join_path};

use super::sentence::purpose_of;

/// Maximum number of purposes from one document.
const MOST: usize = 60;

/// Returns the purposes of folders that lists and tables describe, in documents of the root, `docs` and
/// `.github`.
pub(crate) fn facts(texts: &Texts) -> Vec<Fact> {
    let is_document = |path: &&String| {
        let lower = path.to_lowercase();
        let (folder, name) = (folder_of(&lower), lower.rsplit('/').next().unwrap_or(&lower));
        let speaks = [
            "readme",
            "architecture",
            "contributing",
            "development",
            "hacking",
            "agents",
            "claude",
            "structure",
            "overview",
            "codebase",
        ]
        .iter()
        .any(|start| name.starts_with(start));
        let is_outer = folder.is_empty() || folder == "docs" || folder == "doc" || folder == ".github";
        name.ends_with(".md") && speaks && is_outer
    };
    let mut found = Vec::new();
    for path in texts.paths().filter(is_document) {
        let Some(text) = texts.read(path) else { continue };
        let mut in_fence = false;
        let mut count = 0;
        for (at, line) in text.lines().enumerate() {
            in_fence ^= line.trim_start().starts_with("```");
            if in_fence || count >= MOST {
                continue;
            }
            let Some((named, told)) = item(line).or_else(|| row(line)) else { continue };
            let Some(folder) = existing(path, named, texts) else { continue };
            let Some(text) = purpose_of(told) else { continue };
            count += 1;
            let source = SourceLines::line(path, at + 1);
            found.push(Fact::new(
                FactSubject::Folder(folder),
                FactValue::Purpose { text },
                source,
                FactOrigin::Quoted,
            ));
        }
    }
    found
}

/// Splits a list item into name and description: ``- `name`: text``, `* [name](x) - text`, `- **name** –
/// text`.
fn item(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?.trim();
    let (named, rest) = split_name(rest)?;
    let rest = rest.trim_start();
    let told = [":", "--", "-", "–", "—"].iter().find_map(|mark| rest.strip_prefix(mark))?;
    Some((named, told.trim()))
}

/// Splits a table row of two cells into name and description: `` | `name` | text | ``.
fn row(line: &str) -> Option<(&str, &str)> {
    let mut cells = line.trim().strip_prefix('|')?.split('|');
    let (named, rest) = split_name(cells.next()?.trim())?;
    let told = cells.next()?.trim();
    let is_last = cells.all(|cell| cell.trim().is_empty());
    (rest.trim().is_empty() && is_last).then_some((named, told))
}

/// Splits a text into the name at its start, written as code or as a link, and the rest.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let bold = text.trim_start_matches("**");
    if let Some(rest) = bold.strip_prefix('[') {
        let (words, rest) = rest.split_once(']')?;
        let rest =
            rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest);
        return Some((words.trim_matches('`'), rest.trim_start_matches("**")));
    }
    let rest = bold.strip_prefix('`')?;
    let (words, rest) = rest.split_once('`')?;
    let rest = rest.trim_start_matches("**");
    Some((words, rest))
}

/// Returns the path of the named folder, relative to the document's folder or to the root; `None` if
/// neither exists.
fn existing(document: &str, named: &str, texts: &Texts) -> Option<String> {
    let is_path = named.ends_with('/') || named.contains('/') || named.len() >= 3;
    let plain = named.trim_start_matches("./").trim_matches('/');
    let is_name = plain.chars().all(|c| c.is_alphanumeric() || "-_./@+".contains(c)) && !plain.contains("..");
    if plain.is_empty() || !is_path || !is_name {
        return None;
    }
    let base = folder_of(document);
    [join_path(base, plain), plain.to_owned()]
        .into_iter()
        .find(|folder| texts.below(&format!("{folder}/")).next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_rows_name_a_folder_and_its_purpose() {
        for (line, expected) in [
            ("- `src/core`: the engine of it", Some(("src/core", "the engine of it"))),
            ("* [`web/`](web) - The pages.", Some(("web/", "The pages."))),
            ("- **`cli`** — The program.", Some(("cli", "The program."))),
            ("| `a/b` | Reads files. |", Some(("a/b", "Reads files."))),
            ("| `a` | 1 | 2 |", None),
            ("- plain words: nothing", None),
        ] {
            assert_eq!(item(line).or_else(|| row(line)), expected, "{line}");
        }
    }
}
