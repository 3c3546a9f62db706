//! The section "Tests about it": tests that name the best definitions, or have the words of the question in their names.

use std::collections::BTreeMap;

use stategraph_facts::PathRole;
use stategraph_repo::SymbolInfo;

use super::mentions::{Mentions, enclosing_function};
use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, reference};
use crate::workflows::contextualize::search::definitions::{LineHits, RankWeights, score_definitions};
use crate::workflows::contextualize::search::quote;

/// Most tests that are named.
const TESTS: usize = 8;
/// Most files with tests that are looked at.
const FILES: usize = 30;
/// Weight of a line that names a definition, beside that of the words of a test.
const MENTION: f32 = 4.0;
/// Factor of a function of a test file that is no test.
const HELPER: f32 = 0.3;
/// Least score of a test by its words, as a fraction of the best one's.
const LEAST_PART: f32 = 0.4;
/// Most candidates whose tests are looked at by name.
const NAMED_FILES: usize = 6;
/// Most lines above a hit in which the beginning of its test is searched.
const REACH: usize = 200;
/// Beginnings of lines that open a test with a title, in languages where a test is no function of its own.
const OPENERS: &[&str] = &[
    "it(",
    "it.",
    "it ",
    "test(",
    "test.",
    "test ",
    "describe(",
    "describe ",
    "context(",
    "context ",
    "specify",
    "scenario",
    "@test ",
    "TEST(",
    "TEST_F(",
    "TEST_CASE(",
    "SECTION(",
    "t.Run(",
    "Deno.test(",
];

/// A candidate for the section: a test function, a titled test block or a helper of a test file, with its
/// score.
struct FoundTest {
    score: f32,
    path: String,
    name: Option<String>,
    start: usize,
    end: usize,
}

pub(super) fn section(subject: &AnswerSubject, mentions: &Mentions) -> AnswerSection {
    let mut section = AnswerSection::new("Tests about it");
    let base = if subject.question.aims.tests { 1 } else { 7 };
    for (index, test) in find_tests(subject, mentions).into_iter().take(TESTS).enumerate() {
        let place = reference(&test.path, test.start, test.end, "test");
        let name = test.name.as_deref().and_then(quote::code_span);
        let text = match name {
            Some(name) => format!("- {name} ({place})"),
            None => format!("- ({place})"),
        };
        section.push(AnswerItem { text, priority: base + index * 4, parent: None, references: vec![place] });
    }
    section
}

/// Returns the tests that mention the best definitions or have words of the question in their names, the best
/// first.
fn find_tests(subject: &AnswerSubject, mentions: &Mentions) -> Vec<FoundTest> {
    let mut tests: BTreeMap<(String, usize), FoundTest> = BTreeMap::new();
    for (path, hits) in files_with_tests(mentions) {
        for (line, weight) in hits {
            let Some((test, factor)) = test_at(subject, &path, line) else { continue };
            tests.entry((path.clone(), test.start)).or_insert(test).score += weight * factor * MENTION;
        }
    }
    for test in named_tests(subject) {
        let score = test.score;
        tests.entry((test.path.clone(), test.start)).or_insert(FoundTest { score: 0.0, ..test }).score +=
            score;
    }
    let mut found: Vec<FoundTest> = tests.into_values().collect();
    found.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (&a.path, a.start).cmp(&(&b.path, b.start)))
    });
    found
}

/// Returns the test around a line, with score 0, and its weight factor: 1 for a test, 0.3 for a helper
/// function of a test file. `None` if the line is in no test.
fn test_at(subject: &AnswerSubject, path: &str, line: usize) -> Option<(FoundTest, f32)> {
    let is_test_file = PathRole::of(path) == PathRole::Test;
    let around = subject.outline(path).and_then(|outline| enclosing_function(&outline, line));
    let (name, start, end, factor) = match around {
        Some((symbol, name)) if is_test_file || is_test_name(&name) => {
            (Some(name), symbol.line, symbol.line_end, if is_test(&symbol) { 1.0 } else { HELPER })
        }
        _ if is_test_file => {
            let (name, start, end) = titled(subject, path, line);
            (name, start, end, 1.0)
        }
        _ => return None,
    };
    // A line that is in no test, such as an import, tells nothing.
    name.as_ref()?;
    Some((FoundTest { score: 0.0, path: path.to_owned(), name, start, end }, factor))
}

/// Returns the tests of the six best candidate test files whose names or titles match the question; those
/// below 0.4 of the best score are left out.
fn named_tests(subject: &AnswerSubject) -> Vec<FoundTest> {
    let candidates =
        subject.discovery.candidates.iter().filter(|file| PathRole::of(&file.path) == PathRole::Test);
    let weights = RankWeights { scanner: &subject.scanner, terms: &subject.discovery.weights, tests: true };
    let mut found = Vec::new();
    for file in candidates.take(NAMED_FILES) {
        let Some(text) = subject.text(&file.path) else { continue };
        let hits = LineHits::of(&subject.scanner, &text);
        let outline = subject.outline(&file.path);
        for scored in outline.iter().flat_map(|outline| score_definitions(outline, &hits, &weights)) {
            if scored.symbol.kind.is_callable() {
                let factor = if is_test(scored.symbol) { 1.0 } else { HELPER };
                found.push(FoundTest {
                    score: scored.score * factor,
                    path: file.path.clone(),
                    name: Some(scored.name),
                    start: scored.symbol.line,
                    end: scored.symbol.line_end,
                });
            }
        }
        for (at, line) in text.lines().enumerate().filter(|(_, line)| opens_test(line)) {
            let title = title(line.trim());
            if let Some(score) = subject.relevance(&[(&title, 3.0)]) {
                found.push(FoundTest {
                    score,
                    path: file.path.clone(),
                    name: Some(title),
                    start: at + 1,
                    end: at + 1,
                });
            }
        }
    }
    let best = found.iter().fold(0.0_f32, |best, test| best.max(test.score));
    found.retain(|test| test.score >= best * LEAST_PART);
    found
}

/// Returns true if the name of a function begins or ends with `test`, or an attribute contains `test`,
/// `fact`, `theory` or `case`.
fn is_test(symbol: &SymbolInfo) -> bool {
    let name = symbol.name.to_lowercase();
    let marks = ["test", "fact", "theory", "case"];
    let is_marked = |decorator: &String| marks.iter().any(|mark| decorator.to_lowercase().contains(mark));
    name.starts_with("test") || name.ends_with("test") || symbol.decorators.iter().any(is_marked)
}

#[allow(clippy::cast_precision_loss, reason = "counts of lines")]
/// Returns at most 30 files that mention the best definitions, with the lines and a weight for each line.
/// Test files come first, then files with most mentions. Lower definitions and frequent names weigh less.
fn files_with_tests(mentions: &Mentions) -> Vec<(String, Vec<(usize, f32)>)> {
    let mut files: BTreeMap<(bool, String), Vec<(usize, f32)>> = BTreeMap::new();
    let mut weight = 1.0_f32;
    for lines in &mentions.by_definition {
        // A name that is everywhere tells little about a test.
        let all: usize = lines.values().map(Vec::len).sum();
        let rarity = 1.0 / (1.0 + all as f32 / 20.0);
        for (path, lines) in lines {
            let is_test = PathRole::of(path) == PathRole::Test;
            let kept = files.entry((!is_test, path.clone())).or_default();
            kept.extend(lines.iter().map(|line| (*line, weight * rarity)));
        }
        weight *= 0.7;
    }
    let mut all: Vec<_> = files.into_iter().collect();
    all.sort_by_key(|((is_other, path), hits)| (*is_other, std::cmp::Reverse(hits.len()), path.clone()));
    all.into_iter().take(FILES).map(|((_, path), hits)| (path, hits)).collect()
}

fn is_test_name(name: &str) -> bool {
    name.split('.')
        .any(|part| matches!(part, "test" | "tests") || part.starts_with("test_") || part.ends_with("_test"))
}

/// Returns title, first and last line of the test block around `line`: it begins at the nearest line above,
/// within 200 lines, that opens a test, and ends at `line`. Without such a line: `(None, line, line)`.
fn titled(subject: &AnswerSubject, path: &str, line: usize) -> (Option<String>, usize, usize) {
    let first = line.saturating_sub(REACH).max(1);
    let above = subject.lines(path, first, line);
    let opener = above.iter().enumerate().rev().find(|(_, text)| opens_test(text));
    match opener {
        Some((at, text)) => (Some(title(text.trim())), first + at, line),
        None => (None, line, line),
    }
}

/// Returns true for a line that begins like a titled test, such as `it("works", …)` or `TEST(Parser, …)`.
fn opens_test(line: &str) -> bool {
    let bare = line.trim_start();
    OPENERS.iter().any(|opener| bare.starts_with(opener)) && bare.contains(['"', '\'', '`', '('])
}

/// Returns the text in quotes of a line that opens a test: `it("works", () => {` → `works`. Without quotes,
/// the line without a final `{`.
fn title(line: &str) -> String {
    let Some(at) = line.find(['"', '\'', '`']) else { return line.trim_end_matches(['{', ' ']).to_owned() };
    let quote = line[at..].chars().next().unwrap_or('"');
    let inside = &line[at + 1..];
    inside[..inside.rfind(quote).unwrap_or(inside.len())].to_owned()
}
