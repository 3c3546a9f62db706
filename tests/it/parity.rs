//! Holds that every clause of LangGraph's table that is promised here is cited above a test, and that `docs/langgraph.md` has a row
//! for it which names such a test. What the clauses say is in that page; tests of what they say are with their themes.

use std::collections::{BTreeMap, BTreeSet};

use super::tidy::{none, root, shown, tests};

/// How many clauses each series has. F: what LangGraph does, all but what is only Python's (of F31 batches alone). D: what is done
/// otherwise here, on purpose. P: what its users complain of.
const SERIES: [(&str, u32); 3] = [("F", 72), ("D", 16), ("P", 16)];

/// A test, and the clauses that the comment above it cites.
struct Test {
    /// The crate without `stategraph-`, and the path in its tests: `core::dispatch::a_name`.
    path: String,
    cites: BTreeSet<String>,
}

fn clauses() -> impl Iterator<Item = String> {
    SERIES.iter().flat_map(|(series, last)| (1..=*last).map(move |number| format!("{series}{number}")))
}

/// The functions of the tests with a comment above them: tests, and what several tests share, such as the clauses of a store.
fn cited() -> Vec<Test> {
    let mut found = Vec::new();
    for (of, path, text) in tests() {
        let file = shown(&path);
        let inside = file.rsplit_once("/it/").map_or(file.as_str(), |(_, inside)| inside);
        let inside = inside.trim_end_matches(".rs").trim_end_matches("/mod");
        let module = of.map_or_else(|| inside.to_owned(), |of| format!("{of}::{inside}"));
        let mut above = BTreeSet::new();
        for line in text.lines().map(str::trim) {
            if line.starts_with("//!") || line.starts_with("#[") {
                continue;
            }
            if line.starts_with("//") {
                above.extend(ids(line));
                continue;
            }
            let words = ["pub(super) ", "pub(crate) ", "async "];
            let line = words.iter().fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
            if let Some(name) = line.strip_prefix("fn ") {
                let name = name.split(['(', '<']).next().unwrap_or_default();
                let path = format!("{}::{name}", module.replace('/', "::"));
                found.push(Test { path, cites: std::mem::take(&mut above) });
            }
            above.clear();
        }
    }
    found
}

/// The clauses that a comment cites, each by its own number.
fn ids(comment: &str) -> Vec<String> {
    let words = comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    let is_clause = |word: &&str| {
        let number = SERIES.iter().find_map(|(series, last)| Some((word.strip_prefix(series)?, *last)));
        number.is_some_and(|(number, last)| number.parse().is_ok_and(|number: u32| number <= last))
    };
    words.filter(is_clause).map(str::to_owned).collect()
}

/// The rows of the page: clause, and the test that it names.
fn rows() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(root().join("docs/langgraph.md")).unwrap();
    let cells = page.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let rows =
        cells.filter(|cells| cells.len() > 3 && ids(cells[1]).first().is_some_and(|id| id == cells[1]));
    rows.map(|cells| (cells[1].to_owned(), cells[cells.len() - 2].trim_matches('`').to_owned())).collect()
}

#[test]
fn every_clause_is_cited_above_a_test() {
    let all: BTreeSet<String> = cited().into_iter().flat_map(|test| test.cites).collect();
    let missing: Vec<String> = clauses().filter(|clause| !all.contains(clause)).collect();
    none("no comment above a test cites these clauses", &missing);
}

#[test]
fn every_clause_has_a_row_and_every_row_a_test_that_cites_it() {
    let tests: BTreeMap<String, BTreeSet<String>> =
        cited().into_iter().map(|test| (test.path, test.cites)).collect();
    let rows = rows();
    let mut found: Vec<String> = rows
        .iter()
        .filter_map(|(clause, test)| match tests.get(test) {
            None => Some(format!("{clause}: there is no test `{test}`")),
            Some(cites) if !cites.contains(clause) => Some(format!("{clause}: `{test}` does not cite it")),
            Some(_) => None,
        })
        .collect();
    for clause in clauses() {
        match rows.iter().filter(|(row, _)| *row == clause).count() {
            1 => {}
            rows => found.push(format!("{clause}: {rows} rows")),
        }
    }
    none("docs/langgraph.md does not say what the tests say", &found);
}
