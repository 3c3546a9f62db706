//! Commands that a text names, looked up among those that the repository states. A command that is not stated is refused, even if it
//! would work: an agent runs what it reads.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::facts::{FactValue, Facts};

/// Programs whose name at the beginning of a code span makes it a command.
const PROGRAMS: &[&str] = &[
    "cargo",
    "rustup",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "bun",
    "deno",
    "node",
    "pip",
    "pip3",
    "pipx",
    "python",
    "python3",
    "pytest",
    "tox",
    "nox",
    "poetry",
    "uv",
    "hatch",
    "pdm",
    "conda",
    "go",
    "make",
    "cmake",
    "ctest",
    "ninja",
    "meson",
    "mvn",
    "./mvnw",
    "gradle",
    "./gradlew",
    "java",
    "docker",
    "docker-compose",
    "podman",
    "kubectl",
    "helm",
    "git",
    "gh",
    "curl",
    "wget",
    "sh",
    "bash",
    "zsh",
    "sudo",
    "su",
    "apt",
    "apt-get",
    "brew",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "bundle",
    "rake",
    "gem",
    "rails",
    "composer",
    "php",
    "dotnet",
    "just",
    "rm",
    "chmod",
    "chown",
    "dd",
    "mkfs",
    "kill",
    "eval",
    "ssh",
    "scp",
    "source",
    "systemctl",
    "terraform",
    "ansible",
    "bazel",
    "swift",
    "mix",
];
/// Words of Go after which `go` is a program and no statement.
const GO_COMMANDS: &[&str] = &[
    "build", "clean", "doc", "env", "fmt", "generate", "get", "install", "list", "mod", "run", "test",
    "tool", "vet", "work",
];

/// The commands that a repository states.
pub(super) struct StatedCommands {
    exact: BTreeSet<String>,
    /// Texts with commands: scripts, steps, examples.
    texts: String,
    programs: BTreeSet<String>,
    lookups: Cell<usize>,
}

/// Most commands of one text that are looked up; further ones are refused. Each lookup reads all texts.
const LOOKUPS: usize = 1_000;

impl StatedCommands {
    /// Collects the commands of the facts and of a text.
    pub(super) fn new(facts: Option<&Facts>, known: &str) -> Self {
        let mut stated = Self {
            exact: BTreeSet::new(),
            texts: format!("\n{}\n", join_words_of_lines(known)),
            programs: PROGRAMS.iter().map(|program| (*program).to_owned()).collect(),
            lookups: Cell::new(0),
        };
        for fact in facts.into_iter().flat_map(Facts::iter) {
            match &fact.value {
                FactValue::Command { command, runs, .. } => {
                    stated.add(command);
                    runs.iter().for_each(|line| stated.add(line));
                }
                FactValue::Recipe { steps, .. } => steps.iter().for_each(|step| stated.add_text(step)),
                FactValue::Rule { text } => stated.add_text(text),
                FactValue::Topic { text, example, .. } => {
                    text.iter().chain(example).for_each(|text| stated.add_text(text));
                }
                _ => {}
            }
        }
        stated
    }

    fn add(&mut self, command: &str) {
        let command = join_words(command);
        if let Some(program) = command.split(' ').next() {
            self.programs.insert(program.to_owned());
        }
        self.add_text(&command);
        self.exact.insert(command);
    }

    fn add_text(&mut self, text: &str) {
        self.texts.push_str(&join_words_of_lines(text));
        self.texts.push('\n');
    }

    /// Returns true for a text that is a command and is not stated.
    pub(super) fn refuses(&self, text: &str) -> bool {
        self.is_command(text) && !self.has(text)
    }

    /// Returns true if the repository states a command, alone or as a part of another one.
    pub(super) fn has(&self, command: &str) -> bool {
        let command = join_words(command.split(" #").next().unwrap_or(command));
        let parts = command.split(" && ").flat_map(|part| part.split("; ")).map(str::trim);
        self.is_stated(&command)
            || parts.clone().count() > 1 && parts.into_iter().all(|part| self.is_stated(part))
    }

    fn is_stated(&self, command: &str) -> bool {
        if command.is_empty() || self.exact.contains(command) {
            return true;
        }
        self.lookups.set(self.lookups.get() + 1);
        if self.lookups.get() > LOOKUPS {
            return false;
        }
        has_words(&self.texts, command)
    }

    /// Returns true for a program with arguments.
    fn is_command(&self, text: &str) -> bool {
        let mut words = text.split_whitespace();
        let (Some(program), Some(second)) = (words.next(), words.next()) else { return false };
        match program {
            "go" => GO_COMMANDS.contains(&second),
            // Words of languages are also programs.
            "make" | "just" | "source" | "kill" | "eval" | "swift" | "mix" | "node" => {
                !second.starts_with(['(', '=', '{', ':', '<']) && self.programs.contains(program)
            }
            // A program with a version is none.
            _ => {
                let is_version = second.starts_with(|c: char| c.is_ascii_digit() || "<>=~^:".contains(c));
                self.programs.contains(program) && !is_version
            }
        }
    }
}

/// Returns true if a text has these words, not as parts of others.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=');
    !words.is_empty()
        && text.match_indices(words).any(|(at, _)| {
            let after = text[at + words.len()..].trim_start_matches('.');
            !text[..at].ends_with(is_inside) && !after.starts_with(is_inside)
        })
}

/// Returns a text on one line with single blanks.
fn join_words(text: &str) -> String {
    text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns lines with single blanks each; marks of code become line breaks, because a command stands between them.
fn join_words_of_lines(text: &str) -> String {
    text.replace("\\\n", " ").replace('`', "\n").lines().map(join_words).collect::<Vec<_>>().join("\n")
}

/// Returns the lines of a range of text; a line that ends with a backslash goes on in the next.
pub(super) fn logical_lines(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let (mut at, mut goes_on) = (range.start, false);
    for line in text[range].split_inclusive('\n') {
        let end = at + line.len();
        match lines.last_mut() {
            Some(last) if goes_on => last.end = end,
            _ => lines.push(at..end),
        }
        goes_on = line.trim_end().ends_with('\\');
        at = end;
    }
    lines
}
