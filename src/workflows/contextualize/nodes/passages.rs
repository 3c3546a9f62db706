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

/// Lines of a file, from 1.
type LineRange = RangeInclusive<usize>;

/// Returns the found lines of a file: of its definitions and of its hits.
pub(super) fn found_lines(discovery: &Discovery, path: &str) -> Vec<LineRange> {
    let definitions = discovery.definitions.iter().filter(|found| found.path == path);
    let definitions = definitions.map(|found| found.start as usize..=found.end as usize);
    let candidate = discovery.candidates.iter().find(|found| found.path == path);
    let hits = candidate.into_iter().flat_map(|found| &found.hits).filter_map(|hit| hit.line);
    definitions.chain(hits.take(HITS).map(|line| line as usize..=line as usize)).collect()
}

/// Returns the lines of a file that checked places name.
pub(super) fn referenced_lines(references: &[CodeReference], path: &str) -> Vec<LineRange> {
    let mine = references.iter().filter(|reference| reference.path == path);
    mine.map(|reference| reference.start as usize..=reference.end as usize).collect()
}

/// Returns the files in at most `chars` characters, each with an equal part of what the ones before it left.
pub(super) fn show_files(
    repository: &OpenRepository,
    files: &[(String, Vec<LineRange>)],
    chars: usize,
) -> Vec<ShownFile> {
    let mut left = chars;
    let mut shown = Vec::new();
    for (at, (path, lines)) in files.iter().enumerate() {
        let part = left / (files.len() - at);
        if part < LEAST {
            break;
        }
        let Some(file) = show_lines(repository, path, lines, part) else { continue };
        left = left.saturating_sub(file.text.len());
        shown.push(file);
    }
    shown
}

/// Returns numbered lines of a file: all of them if they fit, else those around the found ones; `None` if it is no text.
fn show_lines(
    repository: &OpenRepository,
    path: &str,
    found: &[LineRange],
    chars: usize,
) -> Option<ShownFile> {
    let (place, text) = repository.code.text(path).ok()?;
    let text = as_data(&text);
    let lines: Vec<&str> = text.lines().map(|line| cut(line, LINE_CHARS).kept).collect();
    let is_whole = lines.iter().map(|line| line.len() + 8).sum::<usize>() <= chars;
    let ranges = if is_whole || found.is_empty() { vec![1..=lines.len()] } else { widen(found, lines.len()) };
    let (mut shown, mut count, mut before) = (String::new(), 0, 0);
    'all: for range in ranges {
        if *range.start() > before + 1 {
            shown.push_str("…\n");
        }
        for number in range {
            let line = lines[number - 1];
            if shown.len() + line.len() + 8 > chars {
                break 'all;
            }
            let _ = writeln!(shown, "{number}| {line}");
            (count, before) = (count + 1, number);
        }
    }
    (count > 0).then(|| ShownFile { path: place.to_string(), text: shown, left_out: lines.len() - count })
}

/// Returns the ranges with lines around them, in order, joined if they overlap, inside the file.
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
