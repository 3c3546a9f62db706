//! The section "What uses it": the lines that name the best definitions, each with the function around it. Names are compared, not meanings.

use std::collections::BTreeMap;

use stategraph_facts::{FactKind, FactValue, PathRole};
use stategraph_repo::{FileOutline, SymbolInfo, WalkLimits, parallel_map};

use super::page::{AnswerItem, AnswerSection};
use super::subject::{Subject, reference};
use crate::workflows::contextualize::search::corpus::is_definition_line;
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
                text: used_name(definition).to_owned(),
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
    const OTHERS: &[&str] = &[".md", ".lock", ".json", ".svg", ".txt", ".rst", ".po", ".csv", ".min.js", ".map", ".snap"];
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
        let name = used_name(definition);
        let is_new = !chosen.iter().any(|known| used_name(known) == name);
        let is_name = name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_new && is_name && chosen.len() < NAMES {
            chosen.push(definition.clone());
        }
    }
    chosen
}

/// Names of functions that make a value of the type around them.
const CONSTRUCTORS: &[&str] = &["__construct", "__init__", "constructor", "initialize", "new"];

/// Returns the name by which other code uses a definition: the last part of its name, for a constructor that of its type.
fn used_name(definition: &RankedDefinition) -> &str {
    let mut parts = definition.name.rsplit(['.', ':', '#', '\\']).filter(|part| !part.is_empty());
    let last = parts.next().unwrap_or(&definition.name);
    if CONSTRUCTORS.contains(&last) { parts.next().unwrap_or(last) } else { last }
}

pub(super) fn section(subject: &Subject, mentions: &Mentions) -> AnswerSection {
    let mut section = AnswerSection::new("What uses it");
    for (index, (definition, files)) in mentions.definitions.iter().zip(&mentions.by_definition).enumerate() {
        let Some(name) = quote::code_span(&definition.name) else { continue };
        let uses = Uses::of(subject, definition, files);
        let parent = section.push(AnswerItem {
            text: format!("- {name}: {}", uses.summary()),
            priority: index * 8 + 2,
            ..AnswerItem::default()
        });
        for (at, (path, line)) in uses.places.iter().take(LINES).enumerate() {
            if let Some(item) = use_item(subject, path, *line) {
                section.push(AnswerItem { priority: index * 8 + 3 + at * 2, parent: Some(parent), ..item });
            }
        }
    }
    section
}

/// The lines that use a definition.
struct Uses {
    /// Files and lines without tests, comments and imports: other files first.
    places: Vec<(String, usize)>,
    /// Number of other definitions of the same name.
    namesakes: usize,
    /// True if the places are calls that resolve to the definition.
    are_resolved: bool,
}

impl Uses {
    fn of(subject: &Subject, definition: &RankedDefinition, files: &BTreeMap<String, Vec<usize>>) -> Self {
        let (named, namesakes) = named_lines(subject, definition, files);
        let resolved = if namesakes > 0 { resolved_calls(subject, definition) } else { Vec::new() };
        let are_resolved = !resolved.is_empty();
        Self { places: if are_resolved { resolved } else { named }, namesakes, are_resolved }
    }

    fn summary(&self) -> String {
        let all = self.places.len();
        let mut paths: Vec<&str> = self.places.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let cut = if all > LINES { format!(", {LINES} shown") } else { String::new() };
        let verb = if self.are_resolved { "called" } else { "named" };
        let others = match (self.namesakes, self.are_resolved) {
            (0, _) | (_, true) => String::new(),
            (more, false) => {
                format!(". {} of this name: a line may mean another", count(more, "more definition"))
            }
        };
        match all {
            0 => "no other code outside tests names it".to_owned(),
            _ => format!("{verb} on {} in {}{cut}{others}", count(all, "line"), count(paths.len(), "file")),
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns the lines of code with the name of a definition, and the number of other definitions of that name.
fn named_lines(
    subject: &Subject,
    definition: &RankedDefinition,
    files: &BTreeMap<String, Vec<usize>>,
) -> (Vec<(String, usize)>, usize) {
    let own = definition.start as usize..=definition.end as usize;
    let name = used_name(definition);
    let mut namesakes = 0;
    let mut found: Vec<(bool, bool, String, usize)> = Vec::new();
    for (path, lines) in files.iter().filter(|(path, _)| is_using_file(path)) {
        let Some(text) = subject.text(path) else { continue };
        let all: Vec<&str> = text.lines().collect();
        let is_same = *path == definition.path;
        for line in lines.iter().filter(|line| !is_same || !own.contains(line)) {
            let code = all.get(line - 1).copied().unwrap_or_default();
            if defines(code, name) {
                namesakes += usize::from(!is_type_name(definition, name));
            } else if !is_aside(code) {
                found.push((PathRole::of(path) != PathRole::Runtime, is_same, path.clone(), *line));
            }
        }
    }
    found.sort();
    (found.into_iter().map(|(_, _, path, line)| (path, line)).collect(), namesakes)
}

fn is_using_file(path: &str) -> bool {
    !matches!(PathRole::of(path), PathRole::Test | PathRole::Vendored | PathRole::Generated)
}

/// Returns true if the name is that of the type around a constructor: its own definition is no namesake.
fn is_type_name(definition: &RankedDefinition, name: &str) -> bool {
    !definition.name.ends_with(name)
}

/// Returns true if a line looks like a definition of the name.
fn defines(line: &str, name: &str) -> bool {
    let text = format!("\n{line}");
    text.find(name).is_some_and(|at| is_definition_line(&text, at))
}

/// Returns the calls of a definition that the facts resolve.
fn resolved_calls(subject: &Subject, definition: &RankedDefinition) -> Vec<(String, usize)> {
    let calls = subject.facts.of_kind(FactKind::Calls).filter_map(|fact| match &fact.value {
        FactValue::Calls { calls } => Some(calls),
        _ => None,
    });
    let is_it = |name: &str| name == definition.name || definition.name.ends_with(&format!(".{name}")) && name.contains('.');
    let mut found: Vec<(String, usize)> = calls
        .flatten()
        .filter(|step| is_it(&step.name) && is_using_file(&step.at.path))
        .map(|step| (step.at.path.clone(), step.at.start))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Returns true for a line that is a comment or an import.
fn is_aside(line: &str) -> bool {
    let bare = line.trim_start();
    ["//", "/*", "*", "#", "--", "<!--", "import ", "from ", "use ", "pub use ", "using ", "require", "#include"]
        .iter()
        .any(|start| bare.starts_with(start))
}

/// Returns the line about a use: its place, the function around it, the code.
fn use_item(subject: &Subject, path: &str, line: usize) -> Option<AnswerItem> {
    let code = subject.lines(path, line, line).pop()?;
    let code = quote::code_span(&code)?;
    let around = subject.code.get_outline(path).and_then(|outline| enclosing(&outline, line));
    let around = around.and_then(|name| quote::code_span(&name)).map(|name| format!(" in {name}")).unwrap_or_default();
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
