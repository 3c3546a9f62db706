//! The section "What uses it": the lines that name the best definitions, each with the function around it. Names are compared, not meanings.

use std::collections::BTreeMap;
use std::path::Path;

use stategraph_facts::{FactKind, FactValue, PathRole};
use stategraph_repo::{
    FileOutline, Language, Mention, References, SymbolInfo, SymbolKind, Walk, WalkLimits, WalkedFile,
    parallel_map, references,
};

use super::page::{AnswerItem, AnswerSection};
use super::subject::{Subject, reference};
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::question::{SearchTerm, TermForm};
use crate::workflows::contextualize::search::quote;
use crate::workflows::contextualize::search::scan::TermScanner;

/// Most definitions whose uses are listed.
const NAMES: usize = 4;
/// Least score of such a definition, as a part of the best one.
const LEAST_PART: f32 = 0.4;
/// Most lines that are listed of one definition.
const LINES: usize = 12;
/// Most of them in one file.
const LINES_OF_FILE: usize = 4;
/// Most files whose lines are looked at by their syntax.
const FILES: usize = 24;
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
    /// The files with such a line.
    files: BTreeMap<String, WalkedFile>,
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
            return Self { definitions, by_definition, files: BTreeMap::new() };
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
        let mut using = BTreeMap::new();
        for (file, (path, lines)) in
            walk.files.iter().zip(found).filter_map(|(file, found)| Some((file, found?)))
        {
            if lines.iter().any(|lines| !lines.is_empty()) {
                using.insert(path.clone(), file.clone());
            }
            for (kept, lines) in by_definition.iter_mut().zip(lines) {
                if !lines.is_empty() {
                    kept.insert(path.clone(), lines);
                }
            }
        }
        Self { definitions, by_definition, files: using }
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
        let uses = Uses::of(subject, mentions, definition, files);
        let parent = section.push(AnswerItem {
            text: format!("- {name}: {}", uses.summary()),
            priority: index * 8 + 2,
            ..AnswerItem::default()
        });
        for (at, item) in uses.shown(subject).into_iter().enumerate() {
            section.push(AnswerItem { priority: index * 8 + 3 + at * 2, parent: Some(parent), ..item });
        }
    }
    section
}

/// The lines that use a definition.
struct Uses {
    /// Files and lines without tests, comments, strings and imports: other files first.
    places: Vec<(String, usize)>,
    /// Number of other definitions of the same name.
    namesakes: usize,
    /// True if there may be more.
    is_cut: bool,
    /// True if the places are calls that resolve to the definition.
    are_resolved: bool,
}

impl Uses {
    fn of(
        subject: &Subject,
        mentions: &Mentions,
        definition: &RankedDefinition,
        files: &BTreeMap<String, Vec<usize>>,
    ) -> Self {
        let mut found = Self::named(subject, mentions, definition, files);
        let resolved = if found.namesakes > 0 { resolved_calls(subject, definition) } else { Vec::new() };
        if !resolved.is_empty() {
            found = Self { places: resolved, are_resolved: true, is_cut: false, ..found };
        }
        found
    }

    /// Returns the lines of code with the name of a definition.
    fn named(
        subject: &Subject,
        mentions: &Mentions,
        definition: &RankedDefinition,
        files: &BTreeMap<String, Vec<usize>>,
    ) -> Self {
        let mut order: Vec<&String> = files.keys().filter(|path| is_using_file(path)).collect();
        order.sort_by_key(|path| (PathRole::of(path) != PathRole::Runtime, **path == definition.path, *path));
        let mut found =
            Self { places: Vec::new(), namesakes: 0, is_cut: order.len() > FILES, are_resolved: false };
        for path in order.into_iter().take(FILES) {
            found.add_file(subject, mentions, definition, path, &files[path]);
        }
        found
    }

    fn add_file(
        &mut self,
        subject: &Subject,
        mentions: &Mentions,
        definition: &RankedDefinition,
        path: &str,
        lines: &[usize],
    ) {
        let own = definition.start as usize..=definition.end as usize;
        let name = used_name(definition);
        let is_type = !definition.name.ends_with(name);
        let parsed = mentions.parsed(subject, path, name);
        self.is_cut |= lines.len() >= PLACES || parsed.as_ref().is_some_and(|it| it.total > it.shown.len());
        let tests = test_modules(subject, path);
        let text = subject.text(path).unwrap_or_default();
        let all: Vec<&str> = text.lines().collect();
        let of_text = lines.iter().map(|line| (*line, Mention::Use));
        let of_code = parsed.iter().flat_map(|it| it.shown.iter().map(|it| (it.line, it.mention)));
        let places: Vec<(usize, Mention)> =
            if parsed.is_some() { of_code.collect() } else { of_text.collect() };
        for (line, mention) in places {
            let code = all.get(line - 1).copied().unwrap_or_default();
            let is_own = path == definition.path && own.contains(&line);
            match mention {
                _ if is_own => {}
                // The type around a constructor is no namesake of it.
                Mention::Definition => {
                    self.namesakes += usize::from(!is_type && !code.trim_start().starts_with("impl"))
                }
                Mention::Use if !is_aside(code) && !tests.iter().any(|lines| lines.contains(&line)) => {
                    self.places.push((path.to_owned(), line))
                }
                _ => {}
            }
        }
    }

    /// Returns the lines to show: of each file only some, those in functions before others.
    fn shown(&self, subject: &Subject) -> Vec<AnswerItem> {
        let mut of_file: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (path, line) in &self.places {
            let taken = of_file.entry(path).or_default();
            if *taken >= LINES_OF_FILE || inside.len() >= LINES {
                continue;
            }
            let around = subject.outline(path).and_then(|outline| enclosing(&outline, *line));
            let Some(item) = use_item(subject, path, *line, around.as_deref()) else { continue };
            *taken += usize::from(around.is_some());
            if around.is_some() { inside.push(item) } else { outside.push(item) }
        }
        inside.extend(outside);
        inside.truncate(LINES);
        inside
    }

    fn summary(&self) -> String {
        let all = self.places.len();
        let mut paths: Vec<&str> = self.places.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let least = if self.is_cut { "at least " } else { "" };
        let verb = if self.are_resolved { "called" } else { "named" };
        let others = match (self.namesakes, self.are_resolved) {
            (0, _) | (_, true) => String::new(),
            (more, false) => {
                format!(" ({} of this name: a line may mean another)", count(more, "more definition"))
            }
        };
        match all {
            0 => format!("no other code outside tests names it{others}"),
            _ => format!("{verb} on {least}{} in {}{others}", count(all, "line"), count(paths.len(), "file")),
        }
    }
}

impl Mentions {
    /// Returns the references in one file, by its syntax; `None` for a file in a language without an outline.
    fn parsed(&self, subject: &Subject, path: &str, name: &str) -> Option<References> {
        Language::of_path(path)?;
        let walk = Walk { files: vec![self.files.get(path)?.clone()], ..Walk::default() };
        Some(references(&**subject.code.files(), &walk, name, Path::new("")))
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns the lines of modules with tests inside a file of code.
fn test_modules(subject: &Subject, path: &str) -> Vec<std::ops::RangeInclusive<usize>> {
    let outline = subject.outline(path);
    let modules = outline.iter().flat_map(|outline| &outline.symbols).filter(|symbol| {
        symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "test" | "tests")
    });
    modules.map(|symbol| symbol.line..=symbol.line_end).collect()
}

fn is_using_file(path: &str) -> bool {
    !matches!(PathRole::of(path), PathRole::Test | PathRole::Vendored | PathRole::Generated)
}

/// Returns the calls of a definition that the facts resolve.
fn resolved_calls(subject: &Subject, definition: &RankedDefinition) -> Vec<(String, usize)> {
    let calls = subject.facts.of_kind(FactKind::Calls).filter_map(|fact| match &fact.value {
        FactValue::Calls { calls } => Some(calls),
        _ => None,
    });
    let is_it = |name: &str| {
        name == definition.name || definition.name.ends_with(&format!(".{name}")) && name.contains('.')
    };
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
    [
        "//", "/*", "*", "#", "--", "<!--", "import ", "from ", "use ", "pub use ", "using ", "require",
        "#include",
    ]
    .iter()
    .any(|start| bare.starts_with(start))
}

/// Returns the line about a use: its place, the function around it, the code.
fn use_item(subject: &Subject, path: &str, line: usize, around: Option<&str>) -> Option<AnswerItem> {
    let code = subject.lines(path, line, line).pop()?;
    let code = quote::code_span(&code)?;
    let around = around.and_then(quote::code_span).map(|name| format!(" in {name}")).unwrap_or_default();
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
