//! Finds the lines on which rules are off: by options for the whole text, by markdownlint comments for some
//! lines.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::ValidationOptions;
use super::options::disabled_by_markdownlint;
use super::rule_table::{ValidationRule, markdownlint_ids, rules};
use crate::document::LineTable;

static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?is)^<!--+\s*markdownlint-(disable-next-line|disable-line|disable-file|enable-file|configure-file|disable|enable|capture|restore)\b(.*?)--+>$")
        .expect("a valid pattern")
});

/// The line ranges on which each validation rule is switched off, by rule id.
pub(super) struct Suppressions {
    off: BTreeMap<&'static str, Vec<Range<usize>>>,
}

/// The state of the rules while the markdownlint comments of a text are read from top to bottom.
struct CommentReader {
    off: BTreeMap<&'static str, Vec<Range<usize>>>,
    /// Rules that are off at present, each with the line at which that began.
    since: BTreeMap<&'static str, usize>,
    captured: BTreeSet<&'static str>,
}

impl Suppressions {
    pub(super) fn read(
        comments: &[(Range<usize>, &str)],
        lines: &LineTable,
        options: &ValidationOptions,
    ) -> Self {
        let mut reader =
            CommentReader { off: BTreeMap::new(), since: BTreeMap::new(), captured: BTreeSet::new() };
        let everywhere = 0..lines.count() + 2;
        for name in &options.disabled {
            named_rules(name).into_iter().for_each(|rule| reader.add(rule, everywhere.clone()));
        }
        for (range, comment) in comments {
            let Some(captures) = COMMENT.captures(comment) else { continue };
            let (first, last) = (lines.line(range.start), lines.line(range.end.saturating_sub(1)));
            reader.apply(&captures[1].to_ascii_lowercase(), captures[2].trim(), first, last, &everywhere);
        }
        let open: Vec<(&str, usize)> = std::mem::take(&mut reader.since).into_iter().collect();
        for (rule, since) in open {
            reader.add(rule, since..everywhere.end);
        }
        let mut off = reader.off;
        off.values_mut().for_each(merge_ranges);
        Self { off }
    }

    /// Returns true if a rule is on at a line (from 1); line 0 stands for the whole text.
    pub(super) fn allow(&self, rule: &str, line: usize) -> bool {
        let Some(ranges) = self.off.get(rule) else { return true };
        let next = ranges.partition_point(|range| range.start <= line);
        next.checked_sub(1).is_none_or(|number| !ranges[number].contains(&line))
    }
}

impl CommentReader {
    fn add(&mut self, rule: &'static str, lines: Range<usize>) {
        self.off.entry(rule).or_default().push(lines);
    }

    fn apply(&mut self, action: &str, names: &str, first: usize, last: usize, everywhere: &Range<usize>) {
        let rules = if names.is_empty() {
            shared_rules()
        } else {
            names.split_whitespace().flat_map(named_rules).collect()
        };
        match action {
            "disable" => rules.into_iter().for_each(|rule| {
                self.since.entry(rule).or_insert(first);
            }),
            "enable" => rules.into_iter().for_each(|rule| {
                if let Some(since) = self.since.remove(rule) {
                    self.add(rule, since..first);
                }
            }),
            "disable-line" => rules.into_iter().for_each(|rule| self.add(rule, first..last + 1)),
            "disable-next-line" => rules.into_iter().for_each(|rule| self.add(rule, last + 1..last + 2)),
            "disable-file" => rules.into_iter().for_each(|rule| self.add(rule, everywhere.clone())),
            "configure-file" => {
                for id in disabled_by_markdownlint(names).unwrap_or_default() {
                    named_rules(&id).into_iter().for_each(|rule| self.add(rule, everywhere.clone()));
                }
            }
            "capture" => self.captured = self.since.keys().copied().collect(),
            "restore" => self.restore(first),
            _ => {}
        }
    }

    fn restore(&mut self, line: usize) {
        let ended: Vec<&str> =
            self.since.keys().copied().filter(|rule| !self.captured.contains(rule)).collect();
        for rule in ended {
            if let Some(since) = self.since.remove(rule) {
                self.add(rule, since..line);
            }
        }
        for rule in &self.captured {
            self.since.entry(rule).or_insert(line);
        }
    }
}

/// Returns the ids of the rules that markdownlint has too.
fn shared_rules() -> Vec<&'static str> {
    rules().iter().filter(|rule| rule.markdownlint.is_some()).map(|rule| rule.id).collect()
}

/// Returns the ids of the rules that a name stands for: an id of ours, or an id, alias or tag of
/// markdownlint. Empty for an unknown name.
fn named_rules(name: &str) -> Vec<&'static str> {
    if let Some(rule) = ValidationRule::find(name) {
        return vec![rule.id];
    }
    let ids = markdownlint_ids(name);
    if ids.is_empty() {
        return Vec::new();
    }
    let is_named = |rule: &&ValidationRule| rule.markdownlint.is_some_and(|id| ids.contains(&id));
    rules().iter().filter(is_named).map(|rule| rule.id).collect()
}

/// Sorts the ranges and joins those that overlap or touch, so that one search finds the range of a line.
fn merge_ranges(ranges: &mut Vec<Range<usize>>) {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges.drain(..) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    *ranges = merged;
}
