//! The sections of a component's page about behaviour: documentation behind first sentences, values of tables, failures.

use super::super::facts::PageFacts;
use super::super::page::{Block, Target, Text, code, link, plain, prose, source};
use super::source_code::ComponentCode;
use super::{not_shown, sourced};
use crate::facts::SourceLines;
use crate::workflows::doc_phases::memory::ComponentSummary;
use crate::workflows::doc_phases::selection::{
    BranchLabel, DefinitionBehaviour, LiteralEntry, WrittenFailure,
};

/// Maximum of definitions in a section.
const DEFINITIONS: usize = 60;

/// Definition of a component with its behaviour, as the page lists it.
struct ListedDefinition<'a> {
    path: &'a str,
    name: &'a str,
    place: Option<SourceLines>,
    told: &'a DefinitionBehaviour,
}

impl ListedDefinition<'_> {
    /// Returns true if the page quotes the definition.
    fn is_in(&self, quoted: &ComponentCode<'_>) -> bool {
        self.place.as_ref().is_some_and(|place| quoted.quotes(self.path, place.start))
    }

    /// Returns the beginning of a list item: the name, and a link to the definition.
    fn start(&self) -> Text {
        let places: Vec<SourceLines> = self.place.iter().cloned().collect();
        sourced(vec![code(self.name)], &places)
    }
}

/// Returns the definitions in the files of a component that have a behaviour, by file and line.
fn definitions<'a>(facts: &'a PageFacts, component: &'a ComponentSummary) -> Vec<ListedDefinition<'a>> {
    let files = facts.files_of(component);
    let own = facts.selected.behaviour.iter().filter(|(path, _)| files.has(path));
    let mut all: Vec<ListedDefinition<'_>> = Vec::new();
    for (path, names) in own {
        let told = |(name, told): (&'a String, &'a DefinitionBehaviour)| {
            let place = facts.selected.exact_definition(path, name);
            let place = place.or_else(|| told.variants.first().map(|first| first.lines.clone()));
            ListedDefinition { path, name, place, told }
        };
        all.extend(names.iter().map(told));
    }
    all.sort_by_key(|one| (one.path, one.place.as_ref().map_or(usize::MAX, |place| place.start), one.name));
    all
}

/// Lists the documentation of each definition after its first sentence, which another table has; that of code that the page quotes is
/// left out.
pub(super) fn documentation(
    facts: &PageFacts,
    component: &ComponentSummary,
    quoted: &ComponentCode<'_>,
) -> Vec<Block> {
    let item = |one: ListedDefinition<'_>| -> Text {
        let mut item = one.start();
        item.push(plain(": "));
        for (at, paragraph) in one.told.documentation.iter().enumerate() {
            item.extend((at > 0).then(|| plain(separator(&one.told.documentation[at - 1]))));
            item.extend(prose(paragraph));
        }
        item
    };
    let mut all = definitions(facts, component);
    all.retain(|one| !one.told.documentation.is_empty() && !one.is_in(quoted));
    let number = all.len();
    keep_telling(facts, &mut all);
    let items: Vec<Text> = all.into_iter().map(item).collect();
    let shown = items.len();
    let block = (shown > 0).then_some(Block::List(items));
    block.into_iter().chain(not_shown(number, shown, "definitions")).collect()
}

/// Keeps at most [`DEFINITIONS`]: those whose code tells most for its length.
fn keep_telling(facts: &PageFacts, all: &mut Vec<ListedDefinition<'_>>) {
    let weight = |one: &ListedDefinition<'_>| {
        let codes = facts.selected.code.get(one.path)?;
        let own = codes.iter().find(|it| it.names.iter().any(|name| name == one.name))?;
        Some(own.weight)
    };
    let mut weights: Vec<Option<u32>> = all.iter().map(weight).collect();
    weights.sort_by(|a, b| b.cmp(a));
    let Some(least) = weights.get(DEFINITIONS).copied() else { return };
    let mut equal = DEFINITIONS - weights.iter().filter(|it| **it > least).count();
    all.retain(|one| match weight(one).cmp(&least) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal if equal > 0 => {
            equal -= 1;
            true
        }
        _ => false,
    });
}

/// Returns the text that separates a paragraph, which ends with `before`, from the next one on the same line.
fn separator(before: &str) -> &'static str {
    if before.ends_with(['.', '!', '?', ':', ';']) { " " } else { "; " }
}

/// Lists the constants that are literal tables, each with its entries; those that the page quotes are left out.
pub(super) fn tables(
    facts: &PageFacts,
    component: &ComponentSummary,
    quoted: &ComponentCode<'_>,
) -> Vec<Block> {
    let item = |one: ListedDefinition<'_>| -> Option<Text> {
        if one.told.entries.is_empty() || one.is_in(quoted) {
            return None;
        }
        let mut item = one.start();
        item.push(plain(": "));
        for (at, entry) in one.told.entries.iter().enumerate() {
            item.extend((at > 0).then(|| plain(", ")));
            item.push(code(entry.key.trim_matches('`')));
            if let Some(value) = &entry.value {
                item.extend([plain(" = "), code(value.trim_matches('`'))]);
            }
        }
        match one.told.more_entries {
            0 => {}
            1 => item.push(plain(" and one more")),
            more => item.push(plain(format!(" and {more} more"))),
        }
        Some(item)
    };
    list(definitions(facts, component).into_iter().filter_map(item).collect(), "tables")
}

/// Lists the functions that can fail: statements that raise errors or end the program, each with its branch
/// and line, and calls whose errors the function passes on.
/// Those in code that the page shows are left out.
pub(super) fn failures(
    facts: &PageFacts,
    component: &ComponentSummary,
    shown: &ComponentCode<'_>,
) -> Vec<Block> {
    let item = |one: ListedDefinition<'_>| -> Option<(Text, Vec<Text>)> {
        let own = one.told.failures.iter().filter(|failure| !shown.has(one.path, failure.line));
        let mut inner: Vec<Text> = own.map(|failure| failure_text(one.path, failure)).collect();
        let passed: Vec<&LiteralEntry> =
            one.told.passed_on.iter().filter(|call| !shown.has(one.path, call.line)).collect();
        inner.extend(passed_on(one.path, &passed));
        if inner.is_empty() {
            return None;
        }
        inner.extend(one.told.has_more_failures.then(|| vec![plain("further ones are not listed")]));
        Some((one.start(), inner))
    };
    let mut items: Vec<_> = definitions(facts, component).into_iter().filter_map(item).collect();
    let all = items.len();
    items.truncate(DEFINITIONS);
    let shown = items.len();
    let block = (shown > 0).then_some(Block::Tree(items));
    block.into_iter().chain(not_shown(all, shown, "functions")).collect()
}

/// Returns an item that names the calls whose errors a function returns to its caller; `None` without such
/// calls.
fn passed_on(path: &str, calls: &[&LiteralEntry]) -> Option<Text> {
    if calls.is_empty() {
        return None;
    }
    let mut text = vec![plain("passes on the errors of ")];
    for (at, call) in calls.iter().enumerate() {
        text.extend((at > 0).then(|| plain(", ")));
        let place = SourceLines { path: path.to_owned(), start: call.line, end: call.line };
        text.extend([code(&call.key), plain(" "), link(call.line.to_string(), Target::Source(place))]);
    }
    Some(text)
}

/// Returns an item for a failing statement: its text, the branch around it, and its line.
fn failure_text(path: &str, failure: &WrittenFailure) -> Text {
    let mut text = vec![code(&failure.statement)];
    if let Some(branch) = &failure.branch {
        let (words, shown) = match BranchLabel::of(branch) {
            BranchLabel::ElseOf(head) => (", in the else branch of ", head),
            BranchLabel::Head(head) => (", in the branch ", head),
            BranchLabel::Inside(name) => (", in the inner function ", name),
        };
        text.extend([plain(words), code(shown)]);
    }
    if let Some(inside) = &failure.inside {
        text.extend([plain(", in the inner function "), code(inside)]);
    }
    let place = SourceLines { path: path.to_owned(), start: failure.line, end: failure.line };
    text.extend([plain(" ("), source(&place), plain(")")]);
    text
}

/// Maximum of examples on a page.
const EXAMPLES: usize = 6;

/// Quotes the first example in the documentation of each definition, at most [`EXAMPLES`]: those of methods
/// come last. Those of code that the page quotes with its documentation are left out.
pub(super) fn examples(
    facts: &PageFacts,
    component: &ComponentSummary,
    quoted: &ComponentCode<'_>,
) -> Vec<Block> {
    let mut all: Vec<ListedDefinition<'_>> = definitions(facts, component);
    all.retain(|one| {
        let lines = one.told.example.as_ref().map(|example| example.lines);
        lines.is_some_and(|lines| !quoted.quotes(one.path, lines.0) || !quoted.quotes(one.path, lines.1))
    });
    // A method is explained by the example of its type.
    all.sort_by_key(|one| one.name.contains('.'));
    let number = all.len();
    all.truncate(EXAMPLES);
    let shown = all.len();
    let quoted = all.into_iter().filter_map(|one| {
        let example = one.told.example.as_ref()?;
        let lines = SourceLines { path: one.path.to_owned(), start: example.lines.0, end: example.lines.1 };
        let words = sourced(vec![code(one.name)], &[lines]);
        let block = Block::Code { language: language_of(one.path).into(), text: example.code.clone() };
        Some([Block::Paragraph(words), block])
    });
    let blocks: Vec<Block> = quoted.flatten().collect();
    blocks.into_iter().chain(not_shown(number, shown, "examples")).collect()
}

/// Returns the word for a file's language in a code block, such as `rust`; empty for an unknown extension.
pub(super) fn language_of(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "rs" => "rust",
        "py" => "python",
        "ts" | "tsx" | "mts" | "cts" => "ts",
        "js" | "mjs" | "cjs" | "jsx" => "js",
        "go" => "go",
        "java" => "java",
        "cs" => "csharp",
        "php" => "php",
        "rb" => "ruby",
        "c" | "h" => "c",
        "cpp" | "cc" | "hpp" => "cpp",
        "sh" | "bash" => "sh",
        "ps1" => "powershell",
        "yml" | "yaml" => "yaml",
        _ => "",
    }
}

fn list(mut items: Vec<Text>, what: &str) -> Vec<Block> {
    let all = items.len();
    items.truncate(DEFINITIONS);
    let shown = items.len();
    let block = (shown > 0).then_some(Block::List(items));
    block.into_iter().chain(not_shown(all, shown, what)).collect()
}
