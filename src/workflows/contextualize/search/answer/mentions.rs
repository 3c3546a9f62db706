//! The places that name the best definitions, in all files. Names are compared, not meanings.

use std::collections::BTreeMap;
use std::path::Path;

use stategraph_repo::{
    FileOutline, Language, References, SymbolInfo, Walk, WalkLimits, WalkedFile, parallel_map, references,
};

use super::subject::AnswerSubject;
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::question::{SearchTerm, TermForm};
use crate::workflows::contextualize::search::scan::TermScanner;

/// Most definitions whose uses are listed.
const NAMES: usize = 4;
/// Least score of such a definition, as a fraction of the best one's.
const LEAST_PART: f32 = 0.4;
/// Most places that are kept of one name in one file.
pub(super) const PLACES: usize = 50;
/// Largest file that is searched, in bytes.
const FILE_BYTES: u64 = 1_000_000;

/// The lines of all files that contain the names of the best definitions. Built once per answer; the sections
/// "What uses it" and "Tests about it" read it.
pub(super) struct Mentions {
    /// The definitions, each name once.
    pub(super) definitions: Vec<RankedDefinition>,
    /// The lines with the name of each definition, by file.
    pub(super) by_definition: Vec<BTreeMap<String, Vec<usize>>>,
    /// The files with such a line.
    files: BTreeMap<String, WalkedFile>,
}

impl Mentions {
    /// Searches all files of at most 1 MB, without prose and data, for the names of the best definitions.
    /// Works on all cores.
    pub(super) fn find(subject: &AnswerSubject) -> Self {
        let definitions = named_definitions(subject);
        let mut by_definition = vec![BTreeMap::new(); definitions.len()];
        if definitions.is_empty() {
            return Self { definitions, by_definition, files: BTreeMap::new() };
        }
        let (scanner, terms) = scanner_of(&definitions);
        let files = subject.code.files();
        let walk = files.walk(WalkLimits::default());
        let found = parallel_map(walk.files.len(), |index| {
            let file = &walk.files[index];
            let is_read = file.bytes <= FILE_BYTES && may_name(&file.path.to_string());
            let text = files.read_text(&file.path).ok().filter(|_| is_read)?;
            Some((file.path.to_string(), lines_with(&scanner, &text, terms.len())))
        });
        let mut using = BTreeMap::new();
        for (file, (path, lines)) in
            walk.files.iter().zip(found).filter_map(|(file, found)| Some((file, found?)))
        {
            if lines.iter().any(|lines| !lines.is_empty()) {
                using.insert(path.clone(), file.clone());
            }
            for (kept, term) in by_definition.iter_mut().zip(&terms) {
                if !lines[*term].is_empty() {
                    kept.insert(path.clone(), lines[*term].clone());
                }
            }
        }
        Self { definitions, by_definition, files: using }
    }
}

/// Returns a scanner for the names of definitions, and for each definition the index of its term in the
/// scanner. A final `?` or `!` (Ruby) is dropped, so `compile` and `compile!` share a term.
fn scanner_of(definitions: &[RankedDefinition]) -> (TermScanner, Vec<usize>) {
    let mut names: Vec<SearchTerm> = Vec::new();
    let mut terms = Vec::new();
    for definition in definitions {
        let text = used_name(definition).trim_end_matches(['?', '!']);
        let known = names.iter().position(|name| name.text == text);
        terms.push(known.unwrap_or(names.len()));
        if known.is_none() {
            names.push(SearchTerm { text: text.to_owned(), weight: 1.0, form: TermForm::Identifier });
        }
    }
    (TermScanner::new(&names), terms)
}

/// Returns false for files of prose and data (`.md`, `.json`, `.lock`, …): a name in them is no use of a
/// definition.
fn may_name(path: &str) -> bool {
    const OTHERS: &[&str] =
        &[".md", ".lock", ".json", ".svg", ".txt", ".rst", ".po", ".csv", ".min.js", ".map", ".snap"];
    !OTHERS.iter().any(|end| path.ends_with(end))
}

fn lines_with(scanner: &TermScanner, text: &str, names: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); names];
    let (mut line, mut counted) = (1, 0);
    scanner.visit(text, |hit| {
        line += text[counted..hit.at].matches('\n').count();
        counted = hit.at;
        let lines: &mut Vec<usize> = &mut found[hit.term];
        if lines.last() != Some(&line) && lines.len() < PLACES {
            lines.push(line);
        }
    });
    found
}

/// Returns the definitions to search for: at most 4 with at least 0.4 of the best score whose name is a plain
/// identifier, each used name once.
fn named_definitions(subject: &AnswerSubject) -> Vec<RankedDefinition> {
    let best = subject.definitions.first().map_or(0.0, |first| first.score);
    let mut chosen: Vec<RankedDefinition> = Vec::new();
    for definition in subject.definitions.iter().filter(|it| it.score >= best * LEAST_PART) {
        let name = used_name(definition);
        let is_new = !chosen.iter().any(|known| used_name(known) == name);
        let bare = name.trim_end_matches(['?', '!']);
        let is_name = bare.len() > 1 && bare.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_new && is_name && chosen.len() < NAMES {
            chosen.push(definition.clone());
        }
    }
    chosen
}

/// Names of functions that make a value of the type around them.
const CONSTRUCTORS: &[&str] = &["__construct", "__init__", "constructor", "initialize", "new"];

/// Returns the name by which other code refers to a definition: the last segment (`Client.send` → `send`),
/// for a constructor its type (`Client.new` → `Client`).
pub(super) fn used_name(definition: &RankedDefinition) -> &str {
    let mut parts = definition.name.rsplit(['.', ':', '#', '\\']).filter(|part| !part.is_empty());
    let last = parts.next().unwrap_or(&definition.name);
    if CONSTRUCTORS.contains(&last) { parts.next().unwrap_or(last) } else { last }
}

impl Mentions {
    /// Parses one file and returns the references to `name` in it; `None` if its language has no outline, or
    /// the file contains no searched name.
    pub(super) fn parsed(&self, subject: &AnswerSubject, path: &str, name: &str) -> Option<References> {
        Language::of_path(path)?;
        let walk = Walk { files: vec![self.files.get(path)?.clone()], ..Walk::default() };
        Some(references(&**subject.code.files(), &walk, name, Path::new("")))
    }
}

/// Returns the dotted name of the innermost function or type around a line (`Type.method`); `None` outside of
/// all.
pub(super) fn enclosing(outline: &FileOutline, line: usize) -> Option<String> {
    let has = |symbol: &&SymbolInfo| symbol.line <= line && line <= symbol.line_end;
    let mut names: Vec<&str> = Vec::new();
    let mut level = &outline.symbols;
    while let Some(symbol) = level.iter().find(has) {
        if symbol.kind.is_value() {
            break;
        }
        names.extend(symbol.receiver());
        names.push(&symbol.name);
        level = &symbol.children;
    }
    (!names.is_empty()).then(|| names.join("."))
}

/// Returns the symbol of the innermost function around a line, and the dotted name of the innermost
/// definition there (`Type.method`); `None` outside of functions.
pub(super) fn enclosing_function(outline: &FileOutline, line: usize) -> Option<(SymbolInfo, String)> {
    let name = enclosing(outline, line)?;
    let around = outline
        .walk()
        .filter(|(_, symbol)| symbol.kind.is_callable() && symbol.line <= line && line <= symbol.line_end);
    let (_, symbol) = around.min_by_key(|(_, symbol)| symbol.line_end - symbol.line)?;
    Some((symbol.clone(), name))
}
