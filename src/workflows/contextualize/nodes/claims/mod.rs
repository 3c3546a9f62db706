//! Checks the text of a model against the repository before it is written, because coding agents obey the file: places that do not exist
//! are removed or marked, and commands that the repository does not state are removed.
//!
//! Reading order: `clean` (wrappers, hidden characters, words to agents), `places` (paths and lines), `commands`, `edits`; then the walk
//! over the text in this file.

mod clean;
mod commands;
mod edits;
mod places;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

use crate::workflows::contextualize::services::OpenRepository;
use clean::clean;
use commands::StatedCommands;
use edits::TextEdits;
use places::{PlaceIndex, PlaceVerdict};

pub(in super::super) use clean::one_line;

/// A checked text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CheckedText {
    /// The text.
    pub(super) markdown: String,
    /// Remarks about removed and marked parts.
    pub(super) notes: Vec<String>,
}

/// Counts of the findings.
#[derive(Default)]
struct ClaimCounts {
    places: usize,
    commands: usize,
}

/// Checks the text of a model. `title` is the first heading of a text without one; `known` is a text whose commands and places are allowed
/// besides those of the repository. Without a repository only the commands of `known` stay, and places are not checked.
pub(super) fn check_text(
    text: &str,
    title: Option<&str>,
    repository: Option<&OpenRepository>,
    known: &str,
) -> CheckedText {
    let (text, withheld) = clean(text, title);
    let stated = StatedCommands::new(repository.map(OpenRepository::facts), known);
    let index = repository.map(|it| PlaceIndex::new(&it.code, known));
    let mut edits = TextEdits::new(&text);
    let mut found = ClaimCounts::default();
    let mut prose: Vec<Range<usize>> = Vec::new();
    let mut block: Option<CodeBlock> = None;
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => block = Some(CodeBlock::new(&kind, range)),
            Event::Text(_) if block.is_some() => {
                if let Some(block) = &mut block {
                    block.lines.push(range);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(block) = block.take() {
                    found.commands += block.check(&stated, &mut edits);
                }
            }
            Event::Code(code) => {
                if stated.refuses(&code) {
                    found.commands += 1;
                    edits
                        .remove_statement(range, "(a command that the repository does not have was removed)");
                } else if let Some(index) = &index {
                    found.places += check_span(&code, range, index, &mut edits);
                }
            }
            Event::Text(_) => prose.push(range),
            _ => {}
        }
    }
    if let Some(index) = &index {
        for range in join_adjacent(prose) {
            found.places += places::check_prose(range, index, &mut edits);
        }
    }
    CheckedText { markdown: edits.apply(), notes: notes(&found, withheld) }
}

fn notes(found: &ClaimCounts, withheld: usize) -> Vec<String> {
    let counted = |number: usize, what: &str, rest: &str| {
        let (s, are) = if number == 1 { ("", "is") } else { ("s", "are") };
        (number > 0).then(|| format!("{number} {what}{s} of the model {are} {rest}"))
    };
    let places =
        counted(found.places, "place", "not in the repository; the text marks them or leaves them out");
    let commands = counted(
        found.commands,
        "command",
        "in no manifest, script, CI file or guide and left out of the text",
    );
    let withheld = counted(withheld, "line", "left out, because of a secret or of words to agents");
    [places, commands, withheld].into_iter().flatten().collect()
}

/// Checks a code span that may be a place. Returns 1 for a wrong one.
fn check_span(code: &str, range: Range<usize>, index: &PlaceIndex<'_>, edits: &mut TextEdits<'_>) -> usize {
    let verdict = index.judge(code);
    let wrong = usize::from(verdict.is_wrong());
    match verdict {
        PlaceVerdict::Fine => {}
        PlaceVerdict::Completed(place) | PlaceVerdict::Corrected(place) => {
            edits.replace(range, format!("`{place}`"));
        }
        PlaceVerdict::Missing => {
            edits.replace(range, format!("`{}` (not in the repository)", code.trim()));
        }
    }
    wrong
}

/// Joins ranges of text that follow one another: the parser divides text at brackets.
fn join_adjacent(ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

/// A fenced or indented block of code.
struct CodeBlock {
    range: Range<usize>,
    is_shell: bool,
    has_language: bool,
    lines: Vec<Range<usize>>,
}

/// Languages of blocks whose lines are commands.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "shell",
    "zsh",
    "console",
    "shell-session",
    "powershell",
    "ps1",
    "bat",
    "cmd",
    "terminal",
];

impl CodeBlock {
    fn new(kind: &CodeBlockKind<'_>, range: Range<usize>) -> Self {
        let language = match kind {
            CodeBlockKind::Fenced(language) => language.split([' ', ',', '{']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let language = language.to_lowercase();
        let is_shell = SHELLS.contains(&language.as_str());
        Self { range, is_shell, has_language: !language.is_empty(), lines: Vec::new() }
    }

    /// Removes the commands that are not stated, and the block if none is left. Returns their number.
    fn check(self, stated: &StatedCommands, edits: &mut TextEdits<'_>) -> usize {
        if self.has_language && !self.is_shell {
            return 0;
        }
        let Some(all) = self.lines.first().zip(self.lines.last()).map(|(first, last)| first.start..last.end)
        else {
            return 0;
        };
        let text = edits.text();
        let lines = commands::logical_lines(text, all);
        let has_prompts = lines.iter().any(|line| text[line.clone()].trim_start().starts_with("$ "));
        let (mut removed, mut kept) = (Vec::new(), 0);
        for line in lines {
            let command = text[line.clone()].trim();
            let is_output = has_prompts && !command.starts_with("$ ");
            let command =
                command.strip_prefix("$ ").or_else(|| command.strip_prefix("> ")).unwrap_or(command);
            if command.is_empty() || command.starts_with('#') || is_output {
                continue;
            }
            let is_refused = if self.is_shell { !stated.has(command) } else { stated.refuses(command) };
            if is_refused { removed.push(line) } else { kept += 1 }
        }
        let count = removed.len();
        if count > 0 && kept == 0 {
            edits.remove_lines(self.range);
        } else {
            removed.into_iter().for_each(|line| edits.remove_lines(line));
        }
        count
    }
}
