//! The section of a component's page with its code: definitions as they are written, and the definitions of other files that they call.

use std::fmt::Write as _;

use super::super::facts::PageFacts;
use super::super::page::{Block, Span, Target, Text, code, link, plain};
use super::behaviour::language_of;
use crate::facts::{FactKind, FactValue, SourceLines};
use crate::workflows::doc_phases::memory::ComponentSummary;
use crate::workflows::doc_phases::selection::QuotedCode;

/// Maximum of bytes of code on a page.
const BYTES: usize = 90_000;
/// Maximum of names of one quotation that are told, and of definitions that it calls.
const NAMES: usize = 6;
const CALLED: usize = 10;
/// Maximum of functions that are named at one of the same form.
const ALIKE: usize = 40;

/// The code that the page of a component shows. Other sections leave out what can be read in it.
pub(super) struct ComponentCode<'a> {
    shown: Vec<(&'a str, &'a QuotedCode)>,
    /// Number of quotations that did not fit.
    hidden: usize,
}

impl<'a> ComponentCode<'a> {
    /// Chooses the code in the files of a component that tells most for its length, in the order of files and lines.
    pub(super) fn of(facts: &'a PageFacts, component: &ComponentSummary) -> Self {
        let files = facts.files_of(component);
        let own = facts.selected.code.iter().filter(|(path, _)| files.has(path));
        let mut all: Vec<(&str, &QuotedCode)> =
            own.flat_map(|(path, codes)| codes.iter().map(|it| (path.as_str(), it))).collect();
        let number = all.len();
        all.sort_by_key(|(path, it)| (std::cmp::Reverse(it.weight), *path, it.lines));
        let mut left = BYTES;
        all.retain(|(_, it)| match left.checked_sub(it.text.len()) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        });
        all.sort_by_key(|(path, it)| (*path, it.lines));
        Self { hidden: number - all.len(), shown: all }
    }

    /// Returns true if the page shows the code at this line whole, or code of the same form.
    pub(super) fn has(&self, path: &str, line: usize) -> bool {
        let is_in = |lines: &(usize, usize)| (lines.0..=lines.1).contains(&line);
        let is_alike = |it: &QuotedCode| it.alike.iter().any(|(_, lines)| is_in(lines));
        self.shown.iter().any(|(of, it)| *of == path && is_alike(it)) || self.quotes(path, line)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Returns true if the page quotes code of this file.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.shown.iter().any(|(of, _)| *of == path)
    }

    /// Returns true if the page quotes the code at this line whole, with its documentation.
    pub(super) fn quotes(&self, path: &str, line: usize) -> bool {
        let holds = |it: &QuotedCode| it.more_lines == 0 && (it.lines.0..=it.lines.1).contains(&line);
        self.shown.iter().any(|(of, it)| *of == path && holds(it))
    }

    /// Returns the section: for each file, for each quotation its names, its lines, the code, the definitions of other files that it calls, and the functions that are written alike.
    pub(super) fn section(&self, facts: &PageFacts) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut file = "";
        for (path, quoted) in &self.shown {
            let lines = SourceLines { path: (*path).to_owned(), start: quoted.lines.0, end: quoted.lines.1 };
            if file != *path {
                file = path;
                blocks.push(Block::Heading(3, vec![code(*path)]));
            }
            let place = link(line_numbers(quoted.lines), Target::Source(lines.clone()));
            let place = [plain(" ("), place, plain(")")];
            blocks.push(Block::Paragraph(names(path, quoted).into_iter().chain(place).collect()));
            let mut text = quoted.text.clone();
            if quoted.more_lines > 0 {
                let _ = write!(text, "\n… ({} more lines)", quoted.more_lines);
            }
            blocks.push(Block::Code { language: language_of(path).into(), text });
            blocks.extend(called(facts, &lines).map(Block::Paragraph));
            blocks.extend(alike(path, quoted).map(Block::Paragraph));
        }
        if !blocks.is_empty() && self.hidden > 0 {
            let text = format!("{} further definitions of this component are not quoted.", self.hidden);
            blocks.push(Block::Paragraph(vec![plain(text)]));
        }
        blocks
    }
}

/// Returns the numbers of lines as a label: `7`, `7-9`.
fn line_numbers(lines: (usize, usize)) -> String {
    if lines.0 == lines.1 { lines.0.to_string() } else { format!("{}-{}", lines.0, lines.1) }
}

/// Returns a qualified name as the language of the file writes it.
fn shown_name(path: &str, name: &str) -> Span {
    let is_pathed =
        path.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "rs" | "cpp" | "cc" | "hpp" | "php"));
    if is_pathed { code(name.replace('.', "::")) } else { code(name) }
}

/// Returns the names that a quotation defines.
fn names(path: &str, quoted: &QuotedCode) -> Text {
    if quoted.names.is_empty() {
        return vec![plain("The whole script")];
    }
    let mut text = Text::new();
    for (at, name) in quoted.names.iter().take(NAMES).enumerate() {
        text.extend((at > 0).then(|| plain(", ")));
        text.push(shown_name(path, name));
    }
    let more = quoted.names.len().saturating_sub(NAMES);
    text.extend((more > 0).then(|| plain(format!(" and {more} more"))));
    text
}

/// Names the functions that differ from a quotation by names, calls and texts alone; `None` without any.
fn alike(path: &str, quoted: &QuotedCode) -> Option<Text> {
    if quoted.alike.is_empty() {
        return None;
    }
    let mut text = vec![plain("Written in the same form, with other names, texts and calls: ")];
    for (at, (name, lines)) in quoted.alike.iter().take(ALIKE).enumerate() {
        text.extend((at > 0).then(|| plain(", ")));
        let place = SourceLines { path: path.to_owned(), start: lines.0, end: lines.1 };
        text.extend([
            shown_name(path, name),
            plain(" ("),
            link(line_numbers(*lines), Target::Source(place)),
            plain(")"),
        ]);
    }
    let more = quoted.alike.len().saturating_sub(ALIKE);
    text.push(if more == 0 { plain(".") } else { plain(format!(" and {more} more.")) });
    Some(text)
}

/// Returns the definitions of other files that the code in these lines calls, each with its place; `None` without any.
fn called(facts: &PageFacts, lines: &SourceLines) -> Option<Text> {
    let mut found: Vec<(&str, SourceLines)> = Vec::new();
    for fact in facts.selected.of_product(FactKind::Calls).filter(|fact| fact.subject.path() == lines.path) {
        let FactValue::Calls { calls } = &fact.value else { continue };
        let inside = calls.iter().filter(|call| (lines.start..=lines.end).contains(&call.at.start));
        for call in inside {
            let file = facts.selected.only_file_of(&call.name).filter(|file| *file != lines.path);
            let place = file.and_then(|file| facts.selected.exact_definition(file, &call.name));
            if found.iter().all(|(known, _)| *known != call.name) {
                found.extend(place.map(|place| (call.name.as_str(), place)));
            }
        }
    }
    if found.is_empty() {
        return None;
    }
    let more = found.len().saturating_sub(CALLED);
    let mut text = vec![plain("Defined in other files: ")];
    for (at, (name, place)) in found.into_iter().take(CALLED).enumerate() {
        text.extend((at > 0).then(|| plain(", ")));
        text.extend([code(name), plain(" ("), link(place.to_string(), Target::Source(place)), plain(")")]);
    }
    text.push(if more == 0 { plain(".") } else { plain(format!(" and {more} more.")) });
    Some(text)
}
