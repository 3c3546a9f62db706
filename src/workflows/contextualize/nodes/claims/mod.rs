//! Checks the text of a model against the repository before it is written, because coding agents obey the file: places that do not exist
//! are removed or marked, and commands that the repository does not state are removed.
//!
//! Reading order: `clean` (wrappers, hidden characters, words to agents), `named_place`, `places` and `prose` (paths and lines), `commands`
//! and `sayings` (commands and the words around them), `names`, `active` (scripts, remote images), `findings`, `edits`; then the walk over
//! the text in this file.

mod active;
mod clean;
mod commands;
mod edits;
mod findings;
mod named_place;
mod names;
mod places;
mod prose;
mod sayings;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

use crate::workflows::contextualize::services::OpenRepository;
use clean::clean;
use commands::{ArgumentNames, StatedCommands};
use edits::TextEdits;
use findings::ClaimFindings;
use names::WordIndex;
use places::{PlaceIndex, PlaceVerdict};

pub(in super::super) use clean::one_line;

/// A model's text after the check against the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CheckedText {
    /// The text.
    pub(super) markdown: String,
    /// Remarks about removed and marked parts.
    pub(super) notes: Vec<String>,
    /// The removed and marked parts, for the user.
    pub(super) withheld: Vec<String>,
}

/// Remark in the place of a removed command.
const REMOVED: &str = "(a command that the repository does not have was removed)";

/// Checks the text of a model and returns it with wrong parts removed or marked. `title` becomes the heading
/// of a text without one; `known` is a text whose commands, names and places are allowed too. Without a
/// repository, commands must be in `known`, and places are not checked.
pub(super) fn check_text(
    text: &str,
    title: Option<&str>,
    repository: Option<&OpenRepository>,
    known: &str,
) -> CheckedText {
    let clean = clean(text, title);
    let found = ClaimFindings { orders: clean.orders, secrets: clean.secrets, ..ClaimFindings::default() };
    let words = repository.map(|it| WordIndex::new(&it.code));
    let places = repository.map(|it| PlaceIndex::new(&it.code, known));
    let mut walk = ClaimWalk {
        stated: StatedCommands::new(repository.map(OpenRepository::facts), known),
        names: places.as_ref().zip(words.as_ref()).map(|(places, words)| ArgumentNames { places, words }),
        title: title.unwrap_or_default().to_owned(),
        edits: TextEdits::new(&clean.text),
        found,
        prose: Vec::new(),
        block: None,
        machine_content: None,
    };
    let parser = Parser::new_ext(&clean.text, Options::ENABLE_TABLES);
    // The definition of a link, `[a]: javascript:…`, is no event.
    let definitions = parser.reference_definitions().iter().map(|(_, it)| (it.span.clone(), it.dest.clone()));
    for (range, _) in definitions.filter(|(_, address)| active::is_program(address)) {
        walk.edits.remove_lines(range);
    }
    for (event, range) in parser.into_offset_iter() {
        walk.visit(event, range);
    }
    walk.check_prose();
    let ClaimWalk { edits, found, .. } = walk;
    CheckedText { markdown: edits.apply(), notes: found.remarks(), withheld: found.lines() }
}

/// The state of the walk over the Markdown events of a model's text: the indexes to look up in, the edits and
/// the findings.
struct ClaimWalk<'a> {
    stated: StatedCommands,
    /// The names of the repository; `None` without one.
    names: Option<ArgumentNames<'a>>,
    /// The question or the name of the project; its names are allowed.
    title: String,
    edits: TextEdits<'a>,
    found: ClaimFindings,
    prose: Vec<Range<usize>>,
    block: Option<CodeBlock>,
    /// The tag with content for a machine that is open within a paragraph, and its start.
    machine_content: Option<(&'static str, usize)>,
}

impl ClaimWalk<'_> {
    fn visit(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => self.block = Some(CodeBlock::new(&kind, range)),
            Event::Start(Tag::HtmlBlock) => self.check_html(range),
            Event::Start(Tag::Image { dest_url, .. }) if active::is_remote(&dest_url) => self.unlink(range),
            Event::Start(Tag::Link { dest_url, .. }) if active::is_program(&dest_url) => self.unlink(range),
            Event::InlineHtml(_) => self.check_inline_html(range),
            Event::Text(_) if self.block.is_some() => {
                if let Some(block) = &mut self.block {
                    block.lines.push(range);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(block) = self.block.take() {
                    block.check(self);
                }
            }
            Event::End(TagEnd::Paragraph) => self.machine_content = None,
            Event::Code(code) => self.check_code(&code, range),
            Event::Text(_) => self.prose.push(range),
            _ => {}
        }
    }

    /// Removes a block of HTML that loads or runs something, or contains a command that is not stated.
    fn check_html(&mut self, range: Range<usize>) {
        let html = &self.edits.text()[range.clone()];
        let refused = html.lines().map(active::without_tags).find(|line| {
            let ordered = sayings::ordered_commands(line, 0..line.len(), &self.stated);
            let mut commands = ordered.into_iter().map(|range| &line[range]).chain([line.trim()]);
            commands.any(|command| self.stated.refuses(command, self.names))
        });
        if active::is_active(html) {
            self.found.active.add(html.lines().next().unwrap_or_default());
        } else if let Some(command) = refused {
            self.found.commands.add(command.trim());
        } else {
            return;
        }
        self.edits.replace(range, "\n".to_owned());
    }

    fn check_inline_html(&mut self, range: Range<usize>) {
        let html = &self.edits.text()[range.clone()];
        if let Some((name, start)) = self.machine_content
            && active::closes_content(html, name)
        {
            self.edits.replace(start..range.end, String::new());
            self.machine_content = None;
        } else if active::is_active(html) {
            self.found.active.add(html);
            self.machine_content =
                self.machine_content.or(active::opens_content(html).map(|name| (name, range.start)));
            self.edits.replace(range, String::new());
        }
    }

    /// Replaces a link or an image by its text, and counts it as an active part.
    fn unlink(&mut self, range: Range<usize>) {
        let link = &self.edits.text()[range.clone()];
        self.found.active.add(link);
        // Inside of a replaced part nothing else is checked, so only plain words stay.
        let words = Some(active::text_of(link)).filter(|text| !text.contains(['`', '[', '<']));
        self.edits.replace(range, words.unwrap_or_default().to_owned());
    }

    /// Checks a code span. A command that is not stated is removed, a wrong place is marked, and a name is
    /// passed to `check_name`.
    fn check_code(&mut self, code: &str, range: Range<usize>) {
        let before = &self.edits.text()[..range.start];
        let is_program = !code.trim().contains(char::is_whitespace)
            && sayings::is_ordered(before)
            && self.stated.is_unknown_program(code.trim())
            && !self.names.is_some_and(|names| names.places.exists(code.trim().trim_start_matches("./")));
        if is_program || self.stated.refuses(code, self.names) {
            if !sayings::is_forbidden(before) && !self.is_quotation(code, before) {
                self.found.commands.add(code);
                self.edits.remove_statement(range, REMOVED);
            }
            return;
        }
        let Some(names) = self.names else { return };
        match names.places.judge(code) {
            PlaceVerdict::Completed(place) => self.edits.replace(range, format!("`{place}`")),
            PlaceVerdict::Fine => self.check_name(code, range, names),
            verdict => {
                self.found.places.add(code);
                let mark = verdict.mark().unwrap_or_default();
                let shown = match &verdict {
                    PlaceVerdict::WrongLines(path) | PlaceVerdict::Ambiguous(path) => path,
                    _ => code.trim(),
                };
                self.edits.replace(range, format!("`{shown}` ({mark})"));
            }
        }
    }

    /// Removes the backticks of a name that the repository does not have. For an existing path it checks the
    /// line numbers in the words around it.
    fn check_name(&mut self, code: &str, range: Range<usize>, names: ArgumentNames<'_>) {
        if names.places.exists(code.trim()) {
            let (edits, wrong) = (&mut self.edits, &mut self.found.places);
            prose::check_lines_around(code, &range, names.places, edits, wrong);
        } else if let Some(part) = names.words.unknown_part(code)
            && !self.stated.mentions(part)
            && !commands::has_words(&self.title, part)
        {
            self.found.names.add(code);
            self.edits.replace(range, code.trim().to_owned());
        }
    }

    /// Returns true for a text that occurs in the code of the repository, after a word such as "message" or
    /// "prints" that quotes it.
    fn is_quotation(&self, code: &str, before: &str) -> bool {
        sayings::is_quoted(before) && self.names.is_some_and(|names| names.places.is_in_code(code.trim()))
    }

    /// Checks the collected text outside of code spans and blocks: places, and commands without backticks.
    fn check_prose(&mut self) {
        for range in join_adjacent(std::mem::take(&mut self.prose)) {
            for command in sayings::ordered_commands(self.edits.text(), range.clone(), &self.stated) {
                let text = &self.edits.text()[command.clone()];
                if self.stated.refuses(text, self.names) {
                    self.found.commands.add(text);
                    self.edits.replace(command, REMOVED.to_owned());
                }
            }
            if let Some(names) = self.names {
                prose::check_prose(range, names.places, &mut self.edits, &mut self.found.places);
            }
        }
    }
}

/// Joins byte ranges that directly follow one another: the parser divides text at brackets.
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

/// A code block of the text, collected while the walk is inside it.
struct CodeBlock {
    range: Range<usize>,
    is_shell: bool,
    /// False for plain text, whose lines may be commands.
    has_language: bool,
    lines: Vec<Range<usize>>,
}

/// Languages of blocks whose lines are commands.
const SHELLS: &[&str] = &[
    "shellsession",
    "sh-session",
    "bash-session",
    "fish",
    "ksh",
    "csh",
    "dash",
    "pwsh",
    "batch",
    "dosbatch",
    "nu",
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
        let has_language =
            !matches!(language.as_str(), "" | "text" | "txt" | "plaintext" | "plain" | "output");
        Self { range, is_shell, has_language, lines: Vec::new() }
    }

    /// Removes the commands that are not stated from a block of shell or plain text, or the whole block if no
    /// command is left. Blocks in other languages stay.
    fn check(self, walk: &mut ClaimWalk<'_>) {
        if self.has_language && !self.is_shell {
            return;
        }
        let ClaimWalk { stated, names, edits, found, .. } = walk;
        let Some(all) = self.lines.first().zip(self.lines.last()).map(|(first, last)| first.start..last.end)
        else {
            return;
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
            let is_refused =
                if self.is_shell { !stated.has(command, *names) } else { stated.refuses(command, *names) };
            if is_refused {
                found.commands.add(command);
                removed.push(line);
            } else {
                kept += 1;
            }
        }
        if !removed.is_empty() && kept == 0 {
            edits.remove_lines(self.range);
        } else {
            removed.into_iter().for_each(|line| edits.remove_lines(line));
        }
    }
}
