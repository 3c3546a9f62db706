//! The section "What uses it": the lines that name the best definitions, each with the function around it. Names are compared, not meanings.

use std::collections::BTreeMap;

use stategraph_facts::PathRole;
use stategraph_repo::{FileOutline, SymbolInfo, WalkLimits, parallel_map};

use super::page::{AnswerItem, AnswerSection};
use super::subject::{Subject, reference};
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::question::{SearchTerm, TermForm};
use crate::workflows::contextualize::search::quote;
use crate::workflows::contextualize::search::scan::TermScanner;

/// Most definitions whose uses are listed.
const NAMES: usize = 4;
/// Least score of such a definition, as a part of the best one.
const LEAST_PART: f32 = 0.5;
/// Most lines that are listed of one definition.
const LINES: usize = 12;
/// Most places that are kept of one name in one file.
const PLACES: usize = 50;
/// Largest file that is searched, in bytes.
const FILE_BYTES: u64 = 1_000_000;

/// The places that name the best definitions.
pub(super) struct Mentions {
    /// The definitions, each name once.
    pub(super) definitions: Vec<RankedDefinition>,
    /// The lines with the name of each definition, by file.
    pub(super) by_definition: Vec<BTreeMap<String, Vec<usize>>>,
}

impl Mentions {
    /// Searches all files for the names of the best definitions. Works on all cores.
    pub(super) fn find(subject: &Subject) -> Self {
        let definitions = named_definitions(subject);
        let names: Vec<SearchTerm> = definitions
            .iter()
            .map(|definition| SearchTerm {
                text: last_name(&definition.name).to_owned(),
                weight: 1.0,
                form: TermForm::Identifier,
            })
            .collect();
        let mut by_definition = vec![BTreeMap::new(); names.len()];
        if names.is_empty() {
            return Self { definitions, by_definition };
        }
        let scanner = TermScanner::new(&names);
        let files = subject.code.files();
        let walk = files.walk(WalkLimits::default());
        let found = parallel_map(walk.files.len(), |index| {
            let file = &walk.files[index];
            let is_read = file.bytes <= FILE_BYTES && may_name(&file.path.to_string());
            let text = files.read_text(&file.path).ok().filter(|_| is_read)?;
            Some((file.path.to_string(), lines_with(&scanner, &text, names.len())))
        });
        for (path, lines) in found.into_iter().flatten() {
            for (kept, lines) in by_definition.iter_mut().zip(lines) {
                if !lines.is_empty() {
                    kept.insert(path.clone(), lines);
                }
            }
        }
        Self { definitions, by_definition }
    }
}

/// Returns true for a file whose text may use a definition.
fn may_name(path: &str) -> bool {
    const OTHERS: &[&str] =
        &[".md", ".lock", ".json", ".svg", ".txt", ".rst", ".po", ".csv", ".min.js", ".map", ".snap"];
    !OTHERS.iter().any(|end| path.ends_with(end))
}

fn lines_with(scanner: &TermScanner, text: &str, names: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); names];
    let (mut line, mut counted) = (1, 0);
    scanner.visit(text, |hit| {
        line += text.as_bytes()[counted..hit.at].iter().filter(|byte| **byte == b'\n').count();
        counted = hit.at;
        let lines: &mut Vec<usize> = &mut found[hit.term];
        if lines.last() != Some(&line) && lines.len() < PLACES {
            lines.push(line);
        }
    });
    found
}

/// Returns the best definitions that have a name, each name once.
fn named_definitions(subject: &Subject) -> Vec<RankedDefinition> {
    let best = subject.definitions.first().map_or(0.0, |first| first.score);
    let mut chosen: Vec<RankedDefinition> = Vec::new();
    for definition in subject.definitions.iter().filter(|it| it.score >= best * LEAST_PART) {
        let name = last_name(&definition.name);
        let is_new = !chosen.iter().any(|known| last_name(&known.name) == name);
        let is_name = name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_new && is_name && chosen.len() < NAMES {
            chosen.push(definition.clone());
        }
    }
    chosen
}

/// Returns the last part of a qualified name.
pub(super) fn last_name(name: &str) -> &str {
    name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name)
}

pub(super) fn section(subject: &Subject, mentions: &Mentions) -> AnswerSection {
    let mut section = AnswerSection::new("What uses it");
    for (index, (definition, files)) in mentions.definitions.iter().zip(&mentions.by_definition).enumerate() {
        let uses = uses_of(subject, definition, files);
        let Some(name) = quote::code_span(&definition.name) else { continue };
        let (shown, all) = (uses.len().min(LINES), uses.len());
        if all == 0 {
            let text = format!("- {name}: no other code names it.");
            section.push(AnswerItem { text, priority: index * 8 + 3, ..AnswerItem::default() });
            continue;
        }
        let mut paths: Vec<&str> = uses.iter().map(|it| it.0.as_str()).collect();
        paths.dedup();
        let cut = if shown < all { format!(", {shown} shown") } else { String::new() };
        let text = format!(
            "- {name}: named on {} of code in {}{cut}",
            count(all, "line"),
            count(paths.len(), "file")
        );
        let parent = section.push(AnswerItem { text, priority: index * 8 + 2, ..AnswerItem::default() });
        for (at, (path, line)) in uses.into_iter().take(LINES).enumerate() {
            if let Some(item) = use_item(subject, &path, line) {
                section.push(AnswerItem { priority: index * 8 + 3 + at * 2, parent: Some(parent), ..item });
            }
        }
    }
    section
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns the lines that use a definition, without tests, comments and its own lines: other files first.
fn uses_of(
    subject: &Subject,
    definition: &RankedDefinition,
    files: &BTreeMap<String, Vec<usize>>,
) -> Vec<(String, usize)> {
    let own = definition.start as usize..=definition.end as usize;
    let mut found: Vec<(bool, u8, String, usize)> = Vec::new();
    for (path, lines) in files {
        let role = PathRole::of(path);
        if matches!(role, PathRole::Test | PathRole::Vendored | PathRole::Generated) {
            continue;
        }
        let Some(text) = subject.text(path) else { continue };
        let all: Vec<&str> = text.lines().collect();
        for line in lines {
            let code = all.get(line - 1).copied().unwrap_or_default();
            let is_own = *path == definition.path && own.contains(line);
            if !is_own && !is_aside(code) {
                found.push((
                    *path == definition.path,
                    u8::from(role != PathRole::Runtime),
                    path.clone(),
                    *line,
                ));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, _, path, line)| (path, line)).collect()
}

/// Returns true for a line that is a comment or an import.
fn is_aside(line: &str) -> bool {
    let bare = line.trim_start();
    [
        "//", "/*", "*", "#", "--", "<!--", "import ", "from ", "use ", "pub use ", "using ", "require",
        "#include",
    ]
    .iter()
    .any(|start| bare.starts_with(start))
}

/// Returns the line about a use: its place, the function around it, the code.
fn use_item(subject: &Subject, path: &str, line: usize) -> Option<AnswerItem> {
    let code = subject.lines(path, line, line).pop()?;
    let code = quote::code_span(&code)?;
    let around = subject.code.get_outline(path).and_then(|outline| enclosing(&outline, line));
    let around =
        around.and_then(|name| quote::code_span(&name)).map(|name| format!(" in {name}")).unwrap_or_default();
    Some(AnswerItem {
        text: format!("  - {path}:{line}{around}: {code}"),
        references: vec![reference(path, line, line, "use")],
        ..AnswerItem::default()
    })
}

/// Returns the name of the innermost function or type around a line.
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
