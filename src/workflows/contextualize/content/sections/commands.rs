//! The commands of the projects, exact and with their places.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft, LineId};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, first_place, single_test};
use crate::facts::{CommandPurpose, Fact, FactKind, FactOrigin, FactValue};

/// Maximum of lines of a script that a command shows, and of their characters.
const RUNS: usize = 3;
const RUN_CHARS: usize = 90;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut projects: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Command) {
        projects.entry(fact.subject.path()).or_default().push(fact);
    }
    for (at, (folder, commands)) in projects.into_iter().enumerate() {
        let weight = if folder.is_empty() { 1.0 } else { falling(0.7, at, 4.0) };
        add_project(survey, draft, folder, &commands, weight);
    }
}

fn add_project(survey: &Survey, draft: &mut LineDraft, folder: &str, commands: &[&Fact], weight: f64) {
    let mut parent: Option<LineId> = None;
    let mut groups: BTreeMap<CommandPurpose, Vec<&Fact>> = BTreeMap::new();
    for fact in commands {
        if let FactValue::Command { purpose, .. } = &fact.value {
            groups.entry(*purpose).or_default().push(fact);
        }
    }
    groups.values_mut().for_each(drop_repeated);
    let tests = groups.get(&CommandPurpose::Test).cloned().unwrap_or_default();
    for (purpose, facts) in groups {
        for (at, fact) in facts.into_iter().enumerate() {
            let Some(text) = command_line(survey, fact, folder, purpose) else { continue };
            let for_users = if is_for_users(fact) { 0.25 } else { 1.0 };
            // A document shows many ways to run a program, and each of them runs it.
            let half = if purpose == CommandPurpose::Run { 0.6 } else { 1.5 };
            let rank = weight * for_users * falling(importance(purpose), at, half);
            add_line(draft, &mut parent, folder, rank, &text);
        }
        if purpose == CommandPurpose::Test
            && let Some(text) = single_test::line(survey, folder, &tests)
        {
            add_line(draft, &mut parent, folder, weight * 130.0, &text);
        }
    }
}

/// Drops commands that differ from another one only by `run`: `pnpm test` and `pnpm run test`. The command with its script stays.
fn drop_repeated(commands: &mut Vec<&Fact>) {
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
    *commands = kept.into_iter().map(|(_, fact)| fact).collect();
}

/// Adds a command; below a line with the folder if the project is not in the root.
fn add_line(draft: &mut LineDraft, parent: &mut Option<LineId>, folder: &str, rank: f64, text: &str) {
    if folder.is_empty() {
        draft.add(ContextSection::Commands, rank, "commands", format!("- {text}"));
        return;
    }
    let parent = *parent.get_or_insert_with(|| {
        draft.add_heading(ContextSection::Commands, format!("- In {}:", path_span(folder)))
    });
    draft.add_below(parent, rank, ("commands", 1), format!("  - {text}"));
}

/// Returns true for a command that installs the finished product from a registry.
fn is_for_users(fact: &Fact) -> bool {
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

fn importance(purpose: CommandPurpose) -> f64 {
    match purpose {
        CommandPurpose::Test => 200.0,
        CommandPurpose::Build => 180.0,
        CommandPurpose::Lint | CommandPurpose::Format => 150.0,
        CommandPurpose::Run => 140.0,
        CommandPurpose::Install => 110.0,
        CommandPurpose::Docs | CommandPurpose::Bench => 60.0,
    }
}

fn command_line(survey: &Survey, fact: &Fact, project: &str, purpose: CommandPurpose) -> Option<String> {
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
        text.push_str(" (by convention; the repository does not state it)");
    }
    text.extend([format!(" {}", first_place(&fact.sources))]);
    Some(text)
}

fn purpose_name(purpose: CommandPurpose) -> &'static str {
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
