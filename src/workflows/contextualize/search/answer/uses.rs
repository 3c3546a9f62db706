//! The section "What uses it": the lines that name the best definitions, each with the function around it. Names are compared, not meanings.

use std::collections::BTreeMap;

use stategraph_facts::{FactKind, FactValue, PathRole};
use stategraph_repo::{Mention, SymbolKind};

use super::mentions::{Mentions, PLACES, enclosing, enclosing_function, used_name};
use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, reference};
use crate::workflows::contextualize::search::code_references::CodeReference;
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::quote;

/// Most lines that are listed of one definition.
const LINES: usize = 12;
/// Most of them in one file.
const LINES_OF_FILE: usize = 4;
/// Definitions whose first use is shown with the lines around it, and their number before and after.
const CONTEXTS: usize = 2;
const BEFORE: usize = 6;
const AFTER: usize = 2;
/// Most files whose lines are looked at by their syntax.
const FILES: usize = 24;
pub(super) fn section(subject: &AnswerSubject, mentions: &Mentions) -> AnswerSection {
    let mut section = AnswerSection::new("What uses it");
    for (index, (definition, files)) in mentions.definitions.iter().zip(&mentions.by_definition).enumerate() {
        let Some(name) = quote::code_span(&definition.name) else { continue };
        let uses = Uses::of(subject, mentions, definition, files);
        let parent = section.push(AnswerItem {
            text: format!("- {name}: {}", uses.summary()),
            priority: index * 8 + 2,
            ..AnswerItem::default()
        });
        for (at, item) in uses.collect_shown(subject).into_iter().enumerate() {
            section.push(AnswerItem { priority: index * 8 + 3 + at * 2, parent: Some(parent), ..item });
        }
        if index < CONTEXTS
            && let Some((place, lines)) = uses.context(subject)
        {
            section.push(AnswerItem {
                text: format!("\n  The lines around one use ({place}):\n\n{}\n", quote::fenced(&lines)),
                priority: index * 8 + 9,
                parent: Some(parent),
                references: vec![place],
            });
        }
    }
    section
}

/// The places that use one definition, found by its name, and counts of the matches that are no uses.
struct Uses {
    /// Files and lines without tests, comments, strings and imports: other files first.
    places: Vec<(String, usize)>,
    /// Number of other definitions of the same name.
    namesakes: usize,
    /// Number of other lines with the name: comments, strings, imports.
    asides: usize,
    /// True if there may be more.
    is_cut: bool,
}

impl Uses {
    fn of(
        subject: &AnswerSubject,
        mentions: &Mentions,
        definition: &RankedDefinition,
        files: &BTreeMap<String, Vec<usize>>,
    ) -> Self {
        let mut found = Self::named(subject, mentions, definition, files);
        let resolved = if found.namesakes > 0 { resolved_calls(subject, definition) } else { Vec::new() };
        if !resolved.is_empty() {
            found = Self { places: resolved, is_cut: false, ..found };
        }
        found
    }

    /// Finds the lines of code with the name of a definition in at most 24 files, code of the program first;
    /// test files, vendored and generated files are left out.
    fn named(
        subject: &AnswerSubject,
        mentions: &Mentions,
        definition: &RankedDefinition,
        files: &BTreeMap<String, Vec<usize>>,
    ) -> Self {
        let mut order: Vec<&String> = files.keys().filter(|path| is_using_file(path)).collect();
        order.sort_by_key(|path| (PathRole::of(path) != PathRole::Runtime, **path == definition.path, *path));
        let mut found = Self { places: Vec::new(), namesakes: 0, asides: 0, is_cut: order.len() > FILES };
        for path in order.into_iter().take(FILES) {
            found.add_file(subject, mentions, definition, path, &files[path]);
        }
        found
    }

    fn add_file(
        &mut self,
        subject: &AnswerSubject,
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
        // A parser may see the end of a function too late, with others inside.
        let outline = subject.outline(path);
        let is_function = definition.kind.is_some_and(SymbolKind::is_callable);
        let is_elsewhere = |line: usize| {
            let around = outline
                .as_ref()
                .filter(|_| is_function)
                .and_then(|outline| enclosing_function(outline, line));
            around.is_some_and(|(symbol, _)| symbol.line != definition.start as usize)
        };
        let tests = test_modules(subject, path);
        let text = subject.text(path).unwrap_or_default();
        let all: Vec<&str> = text.lines().collect();
        let of_text = lines.iter().map(|line| (*line, Mention::Use));
        let of_code = parsed.iter().flat_map(|it| it.shown.iter().map(|it| (it.line, it.mention)));
        let places: Vec<(usize, Mention)> =
            if parsed.is_some() { of_code.collect() } else { of_text.collect() };
        for (line, mention) in places {
            let code = all.get(line - 1).copied().unwrap_or_default();
            let is_own = path == definition.path && own.contains(&line) && !is_elsewhere(line);
            match mention {
                _ if is_own => {}
                // The type around a constructor is no namesake of it.
                Mention::Definition => {
                    self.namesakes += usize::from(!is_type && !code.trim_start().starts_with("impl"));
                }
                Mention::Use if !is_aside(code) && !tests.iter().any(|lines| lines.contains(&line)) => {
                    self.places.push((path.to_owned(), line));
                }
                _ => self.asides += 1,
            }
        }
    }

    /// Returns list items for at most 12 uses: those inside a function or type first, at most 4 of these from
    /// one file.
    fn collect_shown(&self, subject: &AnswerSubject) -> Vec<AnswerItem> {
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

    /// Returns up to 6 lines before and 2 lines after the first use, numbered and within its function, and
    /// their place. `None` without a use or with fewer than three lines.
    fn context(&self, subject: &AnswerSubject) -> Option<(CodeReference, Vec<String>)> {
        let (path, line) = self.places.first()?;
        let function = subject.outline(path).and_then(|outline| enclosing_function(&outline, *line));
        let (from, to) = function.map_or((1, usize::MAX), |(symbol, _)| (symbol.line, symbol.line_end));
        let (first, last) = (line.saturating_sub(BEFORE).max(from), (line + AFTER).min(to));
        let lines = subject.lines(path, first, last);
        let indent = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start().len());
        let indent = indent.min().unwrap_or(0);
        let code = lines
            .iter()
            .enumerate()
            .map(|(at, line)| format!("{}: {}", first + at, line.get(indent..).unwrap_or(line.trim_start())));
        let place = reference(path, first, first + lines.len().saturating_sub(1), "lines around a use");
        (lines.len() > 2).then(|| (place, code.collect()))
    }

    /// Returns the text for a definition without uses: not named at all, named only in comments and imports,
    /// or more files than were searched.
    fn absence(&self) -> String {
        match (self.is_cut, self.asides) {
            (true, _) => format!("no use in the first {FILES} files that name it; there are more"),
            (false, 0) => "not named elsewhere in the searched files, tests aside".to_owned(),
            (false, lines) => {
                format!(
                    "elsewhere named only in comments, strings or imports ({}), tests aside",
                    count(lines, "line")
                )
            }
        }
    }

    fn summary(&self) -> String {
        let all = self.places.len();
        let mut paths: Vec<&str> = self.places.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let least = if self.is_cut { "at least " } else { "" };
        let others = match self.namesakes {
            0 => String::new(),
            more => {
                format!(" ({} of this name: a line may mean another)", count(more, "more definition"))
            }
        };
        match all {
            0 => self.absence() + &others,
            _ => format!("named on {least}{} in {}{others}", count(all, "line"), count(paths.len(), "file")),
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns the line ranges of the outermost modules named `test` or `tests` in a file.
fn test_modules(subject: &AnswerSubject, path: &str) -> Vec<std::ops::RangeInclusive<usize>> {
    let outline = subject.outline(path);
    let modules = outline.iter().flat_map(|outline| &outline.symbols).filter(|symbol| {
        symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "test" | "tests")
    });
    modules.map(|symbol| symbol.line..=symbol.line_end).collect()
}

fn is_using_file(path: &str) -> bool {
    !matches!(PathRole::of(path), PathRole::Test | PathRole::Vendored | PathRole::Generated)
}

/// Returns path and line of each call of a definition that the facts record, sorted; calls in tests, vendored
/// and generated files are left out.
fn resolved_calls(subject: &AnswerSubject, definition: &RankedDefinition) -> Vec<(String, usize)> {
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

/// Returns true for a line that begins like a comment or an import.
fn is_aside(line: &str) -> bool {
    let bare = line.trim_start();
    [
        "//", "/*", "*", "#", "--", "<!--", "import ", "from ", "use ", "pub use ", "using ", "require",
        "#include",
    ]
    .iter()
    .any(|start| bare.starts_with(start))
}

/// Returns the list item of a use: its place, the name of the function around it, the line of code. `None` if
/// the line is missing or must not be quoted.
fn use_item(subject: &AnswerSubject, path: &str, line: usize, around: Option<&str>) -> Option<AnswerItem> {
    let code = subject.lines(path, line, line).pop()?;
    let code = quote::code_span(&code)?;
    let around = around.and_then(quote::code_span).map(|name| format!(" in {name}")).unwrap_or_default();
    Some(AnswerItem {
        text: format!("  - {path}:{line}{around}: {code}"),
        references: vec![reference(path, line, line, "use")],
        ..AnswerItem::default()
    })
}
