//! Facts about commands (build, test, run, …) as lines of text.

use std::collections::BTreeSet;

use super::phrases::first_place;
use super::quoted::path_span;
use super::view::Survey;
use crate::facts::{CommandPurpose, Fact, FactOrigin, FactValue};
use crate::repo::ProjectType;

/// Maximum number of script lines in the text of a command; lines longer than `RUN_CHARS` characters
/// are left out.
const RUNS: usize = 3;
const RUN_CHARS: usize = 90;

/// Drops commands of one folder that differ only by `run` (`pnpm test`, `pnpm run test`) and facts that
/// are no commands. The first fact of each group stays, or the last one whose script is known.
pub(crate) fn drop_repeated(survey: &Survey, commands: &mut Vec<&Fact>) {
    let mut kept: Vec<(String, &Fact)> = Vec::new();
    for fact in commands.iter() {
        let FactValue::Command { command, folder, runs, .. } = &fact.value else { continue };
        let key = format!("{folder} {}", command.replace(" run ", " "));
        match kept.iter_mut().find(|(known, _)| *known == key) {
            Some(known) if !runs.is_empty() => known.1 = fact,
            Some(_) => {}
            None => kept.push((key, fact)),
        }
    }
    let main = main_ecosystem(survey);
    let is_main = |fact: &&Fact| match &fact.value {
        FactValue::Command { command, .. } => main.is_none_or(|main| is_tool_of(main, command)),
        _ => true,
    };
    kept.sort_by_key(|(_, fact)| !is_main(fact));
    let mut shown: BTreeSet<String> = BTreeSet::new();
    let kept = kept.into_iter().map(|(_, fact)| fact);
    // A second example of a program with other arguments says no more than the first one.
    *commands = kept.filter(|fact| example_of(fact).is_none_or(|program| shown.insert(program))).collect();
}

/// Returns the ecosystem of the first project in the root, if the root has projects of several ones.
fn main_ecosystem(survey: &Survey) -> Option<ProjectType> {
    let ecosystem = |fact: &Fact| match &fact.value {
        FactValue::Project { ecosystem, .. } => Some(*ecosystem),
        _ => None,
    };
    let of_root = survey.projects().into_iter().filter(|(folder, _)| folder.is_empty());
    let mut all = of_root.filter_map(|(_, fact)| ecosystem(fact));
    let first = all.next()?;
    all.any(|other| other != first).then_some(first)
}

/// Returns true if the program of a command is a tool of the ecosystem.
fn is_tool_of(ecosystem: ProjectType, command: &str) -> bool {
    let tools: &[&str] = match ecosystem {
        ProjectType::Rust => &["cargo", "rustup", "just"],
        ProjectType::Python => {
            &["pip", "pip3", "python", "python3", "pytest", "tox", "uv", "poetry", "hatch", "nox"]
        }
        ProjectType::Node => &["npm", "pnpm", "yarn", "npx", "bun", "node", "deno"],
        ProjectType::Go => &["go", "golangci-lint"],
        ProjectType::Maven => &["mvn", "./mvnw"],
        ProjectType::Gradle => &["gradle", "./gradlew"],
        ProjectType::Php => &["composer", "php", "vendor/bin/phpunit"],
        ProjectType::Dotnet => &["dotnet"],
        ProjectType::Ruby => &["bundle", "rake", "rspec", "gem"],
        ProjectType::Cmake | ProjectType::Meson | ProjectType::Autotools | ProjectType::Unknown => &[],
    };
    let program = command.split_whitespace().next().unwrap_or_default();
    tools.contains(&program) || matches!(program, "make" | "task")
}

/// Returns the folder and the program of a command that runs a program with several plain arguments, as examples of a README do:
/// `grex a b c`.
fn example_of(fact: &Fact) -> Option<String> {
    let FactValue::Command { purpose: CommandPurpose::Run, command, folder, .. } = &fact.value else {
        return None;
    };
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_plain = words.len() > 2 && words[1..].iter().all(|word| !word.starts_with('-') && word.len() < 3);
    is_plain.then(|| format!("{folder} {}", words[0]))
}

/// Returns true for a command that installs the finished product from a registry, as `brew install x`
/// or `npm install -g x`. Such a command is for users, not for developers.
pub(crate) fn is_for_users(fact: &Fact) -> bool {
    const MANAGERS: &[&str] = &[
        "brew",
        "apt",
        "apt-get",
        "dnf",
        "yum",
        "pacman",
        "snap",
        "choco",
        "scoop",
        "winget",
        "port",
        "emerge",
        "zypper",
        "xbps-install",
        "nix-env",
        "pkg",
        "apk",
        "flatpak",
        "gem",
        "conda",
        "mamba",
        "pipx",
    ];
    let FactValue::Command { purpose: CommandPurpose::Install, command, .. } = &fact.value else {
        return false;
    };
    let mut words = command.split_whitespace().filter(|word| *word != "sudo");
    let program = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let is_local = rest
        .iter()
        .any(|word| matches!(*word, "." | "-e" | "-r" | "--path" | "--editable") || word.starts_with("./"));
    let is_global = matches!(program, "npm" | "pnpm" | "yarn")
        && rest.iter().any(|word| matches!(*word, "-g" | "--global" | "global"));
    let is_package =
        matches!(program, "cargo" | "go" | "pip" | "pip3") && rest.first() == Some(&"install") && !is_local;
    MANAGERS.contains(&program) || is_global || is_package
}

/// Returns the text of a command fact: purpose, command, folder (unless it is `project`), the first
/// lines of the script that it runs, and the place of its definition. `None` if the fact is no command
/// or the quoter refuses it.
pub(crate) fn command_line(
    survey: &Survey,
    fact: &Fact,
    project: &str,
    purpose: CommandPurpose,
) -> Option<String> {
    let FactValue::Command { command, folder, runs, .. } = &fact.value else { return None };
    let mut text = format!("{}: {}", purpose_name(purpose), survey.quoter.code(command)?);
    if !folder.is_empty() && folder != project {
        text.extend([format!(" in {}", path_span(folder))]);
    }
    let shown = runs.iter().take(RUNS).filter(|line| line.chars().count() <= RUN_CHARS);
    let shown: Vec<String> = shown.filter_map(|line| survey.quoter.code(line)).collect();
    if !shown.is_empty() {
        let more = if runs.len() > shown.len() { ", …" } else { "" };
        text.extend([format!(" runs {}{more}", shown.join(", "))]);
    }
    if fact.origin == FactOrigin::Convention {
        text.push_str(" (by convention)");
    }
    text.extend([format!(" {}", first_place(&fact.sources))]);
    Some(text)
}

/// Returns the verb that stands before a command of this purpose.
pub(crate) fn purpose_name(purpose: CommandPurpose) -> &'static str {
    match purpose {
        CommandPurpose::Install => "Install",
        CommandPurpose::Build => "Build",
        CommandPurpose::Run => "Run",
        CommandPurpose::Test => "Test",
        CommandPurpose::Lint => "Lint",
        CommandPurpose::Format => "Format",
        CommandPurpose::Docs => "Make documentation",
        CommandPurpose::Bench => "Measure",
    }
}
