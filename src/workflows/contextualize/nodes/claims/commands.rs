//! Commands that a text names, looked up among those that the repository states. A command that is not stated is refused, even if it
//! would work: an agent runs the commands that it reads.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::names::WordIndex;
use super::places::PlaceIndex;
use crate::facts::{FactValue, Facts, TargetKind};

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
    "doas",
    "env",
    "exec",
    "nohup",
    "xargs",
    "nc",
    "ncat",
    "perl",
    "ruby",
    "powershell",
    "pwsh",
    "iwr",
    "iex",
    "crontab",
    "rsync",
    "mv",
    "cp",
    "tee",
    "launchctl",
];
/// Programs that run what another one prints.
const INTERPRETERS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php", "iex"];
/// Programs that load the files of their arguments, also inside of `$(…)` and `<(…)`.
const LOADERS: &[&str] = &["curl", "wget", "iwr"];
/// Words of Go after which `go` is a program and no statement.
const GO_COMMANDS: &[&str] = &[
    "build", "clean", "doc", "env", "fmt", "generate", "get", "install", "list", "mod", "run", "test",
    "tool", "vet", "work",
];

/// Index of the commands that the repository states in manifests, scripts and documents. A command of a
/// model's text that is not in it is removed.
pub(super) struct StatedCommands {
    exact: BTreeSet<String>,
    /// Texts with commands: scripts, steps, examples.
    texts: String,
    programs: BTreeSet<String>,
    /// Programs that the repository builds.
    own: BTreeSet<String>,
    /// Everything that it builds, and the names of its packages.
    targets: BTreeSet<String>,
    lookups: Cell<usize>,
}

/// The files and the words of the repository, in which the arguments of commands are looked up.
#[derive(Clone, Copy)]
pub(super) struct ArgumentNames<'a> {
    pub(super) places: &'a PlaceIndex<'a>,
    pub(super) words: &'a WordIndex<'a>,
}

/// Most words of a command that is put together from a stated beginning and names.
const ARGUMENTS: usize = 12;
/// Words of commands that take the names of tests and targets.
const RUNNING: &[&str] = &[
    "test", "tests", "run", "build", "check", "bench", "lint", "fmt", "clippy", "doc", "vet", "pytest",
    "nextest", "vitest", "jest", "unittest",
];

/// Options whose value is something that the repository builds.
const TARGETED: &[&str] = &["--bin", "--example", "--bench", "-p", "--package"];

/// Most commands of one text that are looked up; further ones are refused. Each lookup reads all texts.
const LOOKUPS: usize = 1_000;

impl StatedCommands {
    /// Collects commands from the facts, and from the text `known`, whose commands are allowed too.
    pub(super) fn new(facts: Option<&Facts>, known: &str) -> Self {
        let mut stated = Self {
            exact: BTreeSet::new(),
            texts: format!("\n{}\n", join_words_of_lines(known)),
            programs: PROGRAMS.iter().map(|program| (*program).to_owned()).collect(),
            own: BTreeSet::new(),
            targets: BTreeSet::new(),
            lookups: Cell::new(0),
        };
        for fact in facts.into_iter().flat_map(Facts::iter) {
            match &fact.value {
                FactValue::Command { command, runs, .. } => {
                    stated.add(command);
                    runs.iter().for_each(|line| stated.add(line));
                }
                FactValue::Target { target, name, .. } => {
                    if *target == TargetKind::Program {
                        stated.own.insert(name.clone());
                    }
                    stated.targets.insert(name.clone());
                }
                FactValue::Project { name: Some(name), .. } => {
                    stated.targets.insert(name.clone());
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

    /// Returns true for a text that is a command and that the repository does not state.
    pub(super) fn refuses(&self, text: &str, names: Option<ArgumentNames<'_>>) -> bool {
        self.is_command(text) && !self.has(text, names)
    }

    /// Returns true if the repository states a command, also as a part of a longer one, or if it is a stated
    /// beginning with known names as arguments. Of commands joined with `&&` or `;`, each must be.
    pub(super) fn has(&self, command: &str, names: Option<ArgumentNames<'_>>) -> bool {
        let command = join_words(command.split(" #").next().unwrap_or(command));
        let is_known = |command: &str| {
            self.is_stated(command) || names.is_some_and(|names| self.is_composed(command, names))
        };
        let parts = command.split(" && ").flat_map(|part| part.split("; ")).map(str::trim);
        is_known(&command) || parts.clone().count() > 1 && parts.into_iter().all(is_known)
    }

    /// Returns true for a command that is a stated beginning, such as `cargo test`, followed by names of the
    /// repository and stated options. The name of a program that the repository builds is a beginning too.
    fn is_composed(&self, command: &str, names: ArgumentNames<'_>) -> bool {
        let words: Vec<&str> = command.split(' ').collect();
        let is_plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || "-_./:=@+,".contains(c));
        let (Some(program), true) = (words.first(), words.iter().all(is_plain) && words.len() <= ARGUMENTS)
        else {
            return false;
        };
        let is_own = self.own.contains(*program) || self.is_own_script(program, names);
        let base = (2..words.len())
            .rev()
            .find(|end| RUNNING.contains(&words[end - 1]) && self.is_stated(&words[..*end].join(" ")));
        let Some(base) = base.or(is_own.then_some(1)) else { return false };
        let begin = words[..base].join(" ");
        (base..words.len()).all(|at| match words[at].trim_start_matches('-') {
            "" => true,
            // Words of the code are no targets, no packages and no scripts.
            name if words[at] == name && TARGETED.contains(&words[at - 1]) => self.targets.contains(name),
            name if at == base && starts_anything(program, words[at - 1]) => {
                name.contains(['/', '.']) && names.places.exists(name)
            }
            option if option.len() < words[at].len() => {
                let (option, value) = option.split_once('=').unwrap_or((option, ""));
                let is_target = TARGETED.contains(&words[at].split('=').next().unwrap_or_default());
                (is_own && names.words.has(&option.replace('-', "_")) || self.has_option(&begin, words[at]))
                    && (value.is_empty() || !is_target || self.targets.contains(value))
            }
            name => names.places.exists(name) || is_name(name, names.words),
        })
    }

    fn is_own_script(&self, program: &str, names: ArgumentNames<'_>) -> bool {
        program.strip_prefix("./").is_some_and(|path| self.has_script(path, names))
    }

    fn has_script(&self, path: &str, names: ArgumentNames<'_>) -> bool {
        self.spend_lookup() && names.places.exists(path)
    }

    /// Returns true if a stated line that contains `begin` also contains the option.
    fn has_option(&self, begin: &str, option: &str) -> bool {
        let mut lines = self.texts.lines().filter(|line| has_words(line, begin));
        self.spend_lookup() && lines.any(|line| has_words(line, option))
    }

    /// Counts a lookup; returns false if the limit of 1,000 is exceeded.
    fn spend_lookup(&self) -> bool {
        self.lookups.set(self.lookups.get() + 1);
        self.lookups.get() <= LOOKUPS
    }

    fn is_stated(&self, command: &str) -> bool {
        if command.is_empty() || self.exact.contains(command) {
            return true;
        }
        self.spend_lookup() && has_words(&self.texts, command)
    }

    /// Returns true if the stated commands, rules, recipes or topics contain this word.
    pub(super) fn mentions(&self, word: &str) -> bool {
        self.spend_lookup() && has_words(&self.texts, word)
    }

    /// Returns true for the name of a well-known program, or a script such as `./run.sh`, that no stated
    /// command uses.
    pub(super) fn is_unknown_program(&self, text: &str) -> bool {
        let is_script = text.starts_with("./") && Path::new(text).extension().is_some_and(|end| end == "sh");
        (PROGRAMS.contains(&text) || is_script) && !self.is_stated(text)
    }

    /// Returns true if a text is a command: a known program with an argument, a script by its path, any name
    /// before an option, or a pipe into an interpreter.
    pub(super) fn is_command(&self, text: &str) -> bool {
        let is_variable = |word: &&str| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        };
        if feeds_interpreter(text) {
            return true;
        }
        let mut words = text.split_whitespace().skip_while(is_variable);
        let (Some(program), Some(second)) = (words.next(), words.next()) else { return false };
        match program {
            _ if program.starts_with(['.', '/', '~']) && program.contains('/') => true,
            _ if is_option(second) && is_program_name(program) => true,
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

/// Returns true for `run` of a program that runs scripts by name, such as `npm run`: the next word must be
/// stated, or be a file.
fn starts_anything(program: &str, subcommand: &str) -> bool {
    subcommand == "run" && !matches!(program, "cargo" | "go" | "dotnet" | "npx")
}

/// Returns true if a command pipes into an interpreter or substitutes a download: `curl … | sh`,
/// `bash <(curl …)`.
fn feeds_interpreter(text: &str) -> bool {
    let is_one_of = |part: &str, programs: &[&str]| {
        let mut words = part.split_whitespace().skip_while(|word| matches!(*word, "sudo" | "env" | "exec"));
        words.next().is_some_and(|word| programs.contains(&word.rsplit('/').next().unwrap_or(word)))
    };
    let piped = text.replace("||", " ");
    let loads = text.split(['(', '`']).skip(1);
    piped.split('|').skip(1).any(|part| is_one_of(part, INTERPRETERS)) || { loads }
        .any(|part| part.trim_start().contains(' ') && is_one_of(part, LOADERS))
}

/// Returns true for a word of the form `-x` or `--name`.
fn is_option(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let dashes = word.len() - name.len();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    dashes == 2 && begins || dashes == 1 && begins && name.len() == 1
}

fn is_program_name(word: &str) -> bool {
    let is_of_name =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '+');
    word.len() > 1 && word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_of_name)
}

/// Returns true if every word of a name such as `tests::parses` occurs in the repository and has at least 3
/// characters.
fn is_name(text: &str, words: &WordIndex<'_>) -> bool {
    let mut parts =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| part.len() >= 3 && words.has(part))
}

/// Returns true if `text` contains `words` between borders of words: `cargo test` in `run cargo test.`, but
/// not in `cargo tests`.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=');
    !words.is_empty()
        && text.match_indices(words).any(|(at, _)| {
            let after = text[at + words.len()..].trim_start_matches('.');
            !text[..at].ends_with(is_inside) && !after.starts_with(is_inside)
        })
}

/// Returns a command on one line, with single blanks and without line continuations.
fn join_words(text: &str) -> String {
    text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns lines with single blanks, each command on its own line: backticks become line breaks, because they
/// stand around commands.
fn join_words_of_lines(text: &str) -> String {
    text.replace("\\\n", " ").replace('`', "\n").lines().map(join_words).collect::<Vec<_>>().join("\n")
}

/// Splits a range of a text into the byte ranges of its lines; a line that ends with a backslash includes the
/// next one.
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
