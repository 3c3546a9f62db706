//! The parts of files that a request about a question shows: numbered lines around the hits, within a bound for all files.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::material::{ShownFile, as_data};
use crate::repo::cut;
use crate::workflows::contextualize::search::{CodeReference, Discovery};
use crate::workflows::contextualize::services::OpenRepository;

/// Lines that are shown before and after a found place.
const AROUND: usize = 12;
/// Longest line that is shown, in characters. Minified files have lines that say nothing.
const LINE_CHARS: usize = 300;
/// Fewest characters of a file that are worth its heading.
const LEAST: usize = 300;
/// Largest number of found lines of one file that are shown.
const HITS: usize = 6;

/// Most files of one request.
const FILES: usize = 64;
/// Characters of the number of a line, with its marks.
const NUMBER: usize = 8;

/// A range of lines of a file, counted from 1, both ends included.
pub(super) type LineRange = RangeInclusive<usize>;

/// Returns the lines of a file that the discovery found: its definitions, and up to 6 lines with a keyword.
pub(super) fn found_lines(discovery: &Discovery, path: &str) -> Vec<LineRange> {
    let definitions = discovery.definitions.iter().filter(|found| found.path == path);
    let definitions = definitions.map(|found| found.start as usize..=found.end as usize);
    let candidate = discovery.candidates.iter().find(|found| found.path == path);
    let hits = candidate.into_iter().flat_map(|found| &found.hits).filter_map(|hit| hit.line);
    definitions.chain(hits.take(HITS).map(|line| line as usize..=line as usize)).collect()
}

/// Returns the line ranges of those references that are in the file at `path`.
pub(super) fn referenced_lines(references: &[CodeReference], path: &str) -> Vec<LineRange> {
    let mine = references.iter().filter(|reference| reference.path == path);
    mine.map(|reference| reference.start as usize..=reference.end as usize).collect()
}

/// The lines of a file, and the ranges of them that were found.
struct FileLines<'a> {
    path: String,
    lines: Vec<String>,
    found: &'a [LineRange],
}

impl<'a> FileLines<'a> {
    /// Reads a file and makes it safe for a prompt; `None` if it is no text.
    fn read(repository: &OpenRepository, path: &str, found: &'a [LineRange]) -> Option<Self> {
        let (place, text) = repository.code.text(path).ok()?;
        let lines = as_data(&text);
        let lines = lines.lines().map(|line| cut(line, LINE_CHARS).kept.to_owned()).collect();
        Some(Self { path: place.to_string(), lines, found })
    }

    /// Returns the bytes that all lines take with their numbers.
    fn chars(&self) -> usize {
        self.lines.iter().map(|line| line.len() + NUMBER).sum()
    }

    /// Returns the file with numbered lines, in at most `chars` bytes: all lines if they fit, else those
    /// around the found ones. `None` if no line fits.
    fn show(self, chars: usize) -> Option<ShownFile> {
        let total = self.lines.len();
        let is_whole = self.chars() <= chars;
        let ranges =
            if is_whole || self.found.is_empty() { vec![1..=total] } else { widen(self.found, total) };
        let (mut shown, mut count, mut before) = (String::new(), 0, 0);
        'all: for range in ranges {
            if *range.start() > before + 1 {
                shown.push_str("…\n");
            }
            for number in range {
                let line = &self.lines[number - 1];
                if shown.len() + line.len() + NUMBER > chars {
                    break 'all;
                }
                let _ = writeln!(shown, "{number}| {line}");
                (count, before) = (count + 1, number);
            }
        }
        (count > 0).then(|| ShownFile { path: self.path, text: shown, left_out: total - count })
    }
}

/// Returns the files in at most `chars` characters in total; `files` are paths with their found lines.
/// Earlier files get more room, and room that a file does not need goes to the others. A file with little
/// room is left out.
pub(super) fn show_files(
    repository: &OpenRepository,
    files: &[(String, Vec<LineRange>)],
    chars: usize,
) -> Vec<ShownFile> {
    let files = files.iter().filter_map(|(path, found)| FileLines::read(repository, path, found));
    let files: Vec<FileLines<'_>> = files.take(FILES).collect();
    let needs: Vec<usize> = files.iter().map(FileLines::chars).collect();
    let parts = allot(&needs, chars);
    let shown = files.into_iter().zip(parts).filter_map(|(file, part)| {
        let is_worth = part >= LEAST || part >= file.chars();
        if is_worth { file.show(part) } else { None }
    });
    shown.collect()
}

/// Divides `chars` among files by the weights 4, 3, 2, 1, 1, …; no file gets more than its number in `needs`,
/// and the rest goes to the others.
fn allot(needs: &[usize], chars: usize) -> Vec<usize> {
    let weight = |at: usize| 4_usize.saturating_sub(at).max(1);
    let mut parts = vec![0; needs.len()];
    let mut open: Vec<usize> = (0..needs.len()).collect();
    let mut left = chars;
    while !open.is_empty() {
        let all: usize = open.iter().map(|at| weight(*at)).sum();
        let part = |at: usize| left * weight(at) / all;
        let (whole, cut): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| needs[**at] <= part(**at));
        if whole.is_empty() {
            open.iter().for_each(|at| parts[*at] = part(*at));
            break;
        }
        whole.iter().for_each(|at| parts[*at] = needs[*at]);
        left = left.saturating_sub(whole.iter().map(|at| needs[*at]).sum());
        open = cut;
    }
    parts
}

/// Returns the ranges widened by 12 lines on both sides, inside a file of `total` lines, sorted, and joined
/// if they touch.
fn widen(found: &[LineRange], total: usize) -> Vec<LineRange> {
    let mut wide: Vec<LineRange> = found
        .iter()
        .map(|range| range.start().saturating_sub(AROUND).max(1)..=(range.end() + AROUND).min(total))
        .filter(|range| range.start() <= range.end())
        .collect();
    wide.sort_by_key(|range| (*range.start(), *range.end()));
    let mut joined: Vec<LineRange> = Vec::new();
    for range in wide {
        match joined.last_mut() {
            Some(last) if *range.start() <= last.end() + 1 => {
                *last = *last.start()..=*range.end().max(last.end());
            }
            _ => joined.push(range),
        }
    }
    joined
}
