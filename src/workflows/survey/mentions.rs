//! The lines of a code base that name one member of a set, in any spelling: what one such member needs, as an example for the next.

use std::collections::{BTreeMap, HashMap};

use stategraph_base::redact_secrets;

use super::definitions::words_of;
use super::siblings::is_read;
use super::view::Survey;
use crate::facts::generated_line;
use crate::repo::Language;

/// Maximum number of files that are read, their bytes together, and the size of one file in bytes.
const FILES: usize = 1_500;
const BYTES: usize = 8 << 20;
const FILE_BYTES: usize = 200_000;
/// Maximum length of a line that is read, in bytes.
const LINE: usize = 400;
/// Maximum number of members of a set that are tried.
const TRIED: usize = 40;
/// Number of lines from which on a name is a common word, and minimum number of places of an example.
const COMMON: usize = 40;
const LEAST: usize = 3;
/// Maximum number of lines of a file that are kept.
const SHOWN: usize = 3;
/// Maximum number of words of a name that is compared.
const WORDS: usize = 8;

/// A file with lines that name a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) path: String,
    /// The first lines that name it, from 1, without indentation; none if only the path of the file does.
    pub(crate) lines: Vec<(usize, String)>,
    /// Number of further lines of the file that name it.
    pub(crate) more: usize,
}

impl Mention {
    fn of(path: &str) -> Self {
        Self { path: path.to_owned(), lines: Vec::new(), more: 0 }
    }
}

/// A member of a set with the files that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExampleMember {
    pub(crate) name: String,
    pub(crate) mentions: Vec<Mention>,
}

/// Returns for each set of names its typical member: the one that shares most files with other members, and has the fewest lines of
/// these. `None` for a set whose members are common words or are named in fewer than three files.
pub(crate) fn examples(survey: &Survey, sets: &[Vec<String>]) -> Vec<Option<ExampleMember>> {
    let mut index: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (at, members) in sets.iter().enumerate() {
        for (member, name) in members.iter().enumerate().take(TRIED) {
            let key = words_of(name).concat();
            if key.len() > 2 {
                index.entry(key).or_default().push((at, member));
            }
        }
    }
    let mut found: Vec<Vec<BTreeMap<&str, Mention>>> =
        sets.iter().map(|members| vec![BTreeMap::new(); members.len().min(TRIED)]).collect();
    let mut left = BYTES;
    for path in survey.files.iter().filter(|path| is_read(path)).take(FILES) {
        if survey.sizes.get(path).is_some_and(|size| *size > FILE_BYTES as u64) {
            continue;
        }
        let Ok((_, text)) = survey.code.text(path) else { continue };
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        if generated_line(&text).is_some() {
            continue;
        }
        for (at, member) in named_in(&index, path, true) {
            found[at][member].insert(path, Mention::of(path));
        }
        let is_code = Language::of_path(path).is_some();
        // A secret of several lines is found only in the whole text; the number of lines stays.
        let text = redact_secrets(&text);
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| line.len() <= LINE) {
            for (at, member) in named_in(&index, line, is_code) {
                let known = found[at][member].entry(path).or_insert_with(|| Mention::of(path));
                if known.lines.len() < SHOWN {
                    known.lines.push((number, line.trim().to_owned()));
                } else {
                    known.more += 1;
                }
            }
        }
    }
    sets.iter().zip(found).map(|(members, mentions)| typical(members, mentions)).collect()
}

/// Returns the member that shares most files with others.
fn typical(members: &[String], mentions: Vec<BTreeMap<&str, Mention>>) -> Option<ExampleMember> {
    let mut users: HashMap<&str, usize> = HashMap::new();
    for path in mentions.iter().flat_map(BTreeMap::keys) {
        *users.entry(path).or_default() += 1;
    }
    let lines = |of: &BTreeMap<&str, Mention>| {
        of.values().map(|mention| mention.lines.len() + mention.more).sum::<usize>()
    };
    let is_fit = |of: &BTreeMap<&str, Mention>| of.len() >= LEAST && lines(of) <= COMMON;
    let shared =
        |of: &BTreeMap<&str, Mention>| of.keys().filter(|path| users[**path] * 2 > members.len()).count();
    let rank = |of: &BTreeMap<&str, Mention>| (shared(of), std::cmp::Reverse(lines(of)));
    let best = mentions.iter().enumerate().filter(|(_, of)| is_fit(of));
    // The first of equals.
    let (at, _) = best.rev().max_by_key(|(_, of)| rank(of))?;
    let mentions = mentions.into_iter().nth(at)?.into_values().collect();
    Some(ExampleMember { name: members[at].clone(), mentions })
}

/// Returns the members that a line or a path names, each once, as set and member; with `takes_parts` also as a part of a longer name.
fn named_in(
    index: &HashMap<String, Vec<(usize, usize)>>,
    line: &str,
    takes_parts: bool,
) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for name in line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))) {
        if name.len() < 3 {
            continue;
        }
        let words = words_of(name);
        let words = &words[..words.len().min(WORDS)];
        for start in 0..words.len() {
            let mut key = String::new();
            for (end, word) in words.iter().enumerate().skip(start) {
                key.push_str(word);
                if !takes_parts && (start > 0 || end + 1 < words.len()) {
                    continue;
                }
                let meant = index.get(&key).into_iter().flatten();
                found.extend(meant.filter(|it| !found.contains(it)).copied().collect::<Vec<_>>());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::Facts;
    use crate::repo::{CodeBase, MemoryFiles};

    #[test]
    fn the_typical_member_has_the_lines_that_name_it_in_all_spellings() {
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            ("src/main.rs", "mod cmd;\n\nenum Command {\n    SplitRows,\n    Join,\n}\n"),
            ("src/cmd/mod.rs", "pub mod split_rows;\npub mod join;\n"),
            ("src/cmd/split_rows.rs", "pub fn run() {}\n"),
            ("src/cmd/join.rs", "pub fn run() { join(join()) }\n"),
            ("tests/test_split_rows.rs", "fn works() { run(\"split-rows\") }\n"),
            ("Cargo.toml", "[package]\nname = \"rows\"\nversion = \"1.0.0\"\n"),
        ])));
        let facts = Facts::collect(&code);
        let survey = Survey::of(&code, &facts, 10);
        let found = examples(&survey, &[vec!["SplitRows".to_owned(), "Join".to_owned()]]);
        let example = found[0].as_ref().expect("an example");
        assert_eq!(example.name, "SplitRows");
        let line = |it: &Mention| {
            let first = it.lines.first().map_or_else(String::new, |(line, text)| format!(" {line} {text}"));
            format!("{}{first}", it.path)
        };
        assert_eq!(
            example.mentions.iter().map(line).collect::<Vec<_>>(),
            [
                "src/cmd/mod.rs 1 pub mod split_rows;",
                "src/cmd/split_rows.rs",
                "src/main.rs 4 SplitRows,",
                "tests/test_split_rows.rs 1 fn works() { run(\"split-rows\") }",
            ]
        );
    }

    #[test]
    fn common_words_and_lonely_names_are_no_examples() {
        let line = "fn run() { run() }\n".repeat(60);
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            ("src/a.rs", line.as_str()),
            ("src/b.rs", line.as_str()),
            ("src/c.rs", line.as_str()),
            ("src/d.rs", "fn rest() {}\n"),
        ])));
        let facts = Facts::collect(&code);
        let survey = Survey::of(&code, &facts, 10);
        assert_eq!(examples(&survey, &[vec!["run".to_owned()], vec!["rest".to_owned()]]), [None, None]);
    }
}
