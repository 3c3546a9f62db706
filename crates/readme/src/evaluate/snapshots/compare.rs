//! Compares two snapshots: lengths, issues, lines and sections. Linear in the size of both, unlike a shortest difference of lines.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::IterationSnapshot;
use crate::document::parse;

/// The differences between two snapshots (saved versions of a section or document), as changes from the
/// first to the second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotComparison {
    /// Name of the first snapshot.
    pub first: String,
    /// Name of the second snapshot.
    pub second: String,
    /// Characters of the second minus those of the first.
    pub characters: i64,
    /// Issues of the second minus those of the first.
    pub issues: i64,
    /// Verdicts of the validators on the first and on the second; `None` if they did not run.
    pub valid: (Option<bool>, Option<bool>),
    /// Lines that the second has more often than the first, counted with their repetitions.
    pub lines_added: usize,
    /// Lines that the first has more often than the second, counted with their repetitions.
    pub lines_removed: usize,
    /// Titles of the sections that only the second has, in its order.
    pub sections_added: Vec<String>,
    /// Titles of the sections that only the first has, in its order.
    pub sections_removed: Vec<String>,
    /// Titles of the sections whose own text, without sub-sections, differs, in the order of the second.
    pub sections_changed: Vec<String>,
}

/// Compares two snapshots, each given as metadata and content. Lines are compared without regard to their
/// order.
pub fn compare_snapshots(
    first: (&IterationSnapshot, &str),
    second: (&IterationSnapshot, &str),
) -> SnapshotComparison {
    let (before, after) = (sections(first.1), sections(second.1));
    let missing_in = |other: &[(String, String)], all: &[(String, String)]| -> Vec<String> {
        let known: BTreeSet<&str> = other.iter().map(|(title, _)| title.as_str()).collect();
        all.iter().map(|(title, _)| title).filter(|title| !known.contains(title.as_str())).cloned().collect()
    };
    let texts: BTreeMap<&str, &str> =
        before.iter().map(|(title, text)| (title.as_str(), text.as_str())).collect();
    let is_changed =
        |(title, text): &&(String, String)| texts.get(title.as_str()).is_some_and(|old| old != text);
    let (lines_added, lines_removed) = count_lines(first.1, second.1);
    SnapshotComparison {
        first: first.0.file_stem(),
        second: second.0.file_stem(),
        characters: difference(first.1.chars().count(), second.1.chars().count()),
        issues: difference(first.0.issue_count, second.0.issue_count),
        valid: (first.0.valid, second.0.valid),
        lines_added,
        lines_removed,
        sections_added: missing_in(&before, &after),
        sections_removed: missing_in(&after, &before),
        sections_changed: after.iter().filter(is_changed).map(|(title, _)| title.clone()).collect(),
    }
}

/// Returns the sections of a text, sub-sections included: title and own text. A repeated title gets a
/// number, such as `Setup (2)`, so that titles are unique.
fn sections(text: &str) -> Vec<(String, String)> {
    let document = parse(text);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sections = Vec::new();
    let flat = document.flatten();
    for section in &flat {
        let times = seen.entry(&section.title).or_default();
        *times += 1;
        let title = if *times == 1 { section.title.clone() } else { format!("{} ({times})", section.title) };
        sections.push((title, section.own_text()));
    }
    sections
}

fn count_lines(first: &str, second: &str) -> (usize, usize) {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    first.lines().for_each(|line| *balance.entry(line).or_default() -= 1);
    second.lines().for_each(|line| *balance.entry(line).or_default() += 1);
    let sum =
        |counts: &mut dyn Iterator<Item = i64>| usize::try_from(counts.sum::<i64>()).unwrap_or(usize::MAX);
    let added = sum(&mut balance.values().copied().filter(|count| *count > 0));
    (added, sum(&mut balance.values().filter(|count| **count < 0).map(|count| -count)))
}

fn difference(first: usize, second: usize) -> i64 {
    let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    number(second).saturating_sub(number(first))
}
