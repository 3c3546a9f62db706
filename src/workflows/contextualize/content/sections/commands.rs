//! The commands of the projects, exact and with their places.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft, LineId};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{falling, first_place};
use crate::facts::{CommandPurpose, Fact, FactKind, FactValue, SourceLines};
use crate::workflows::survey::commands::{command_line, drop_repeated, is_for_users};
use crate::workflows::survey::single_test;

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
    groups.values_mut().for_each(|commands| drop_repeated(survey, commands));
    let tests = groups.get(&CommandPurpose::Test).cloned().unwrap_or_default();
    for (purpose, facts) in groups {
        for (at, fact) in facts.into_iter().enumerate() {
            let Some(text) = command_line(survey, fact, folder, purpose) else { continue };
            let for_users = if is_for_users(fact) || upgrades_installer(fact) { 0.03 } else { 1.0 };
            // A document shows many ways to run a program, and each of them runs it.
            let half = if purpose == CommandPurpose::Run { 0.3 } else { 1.5 };
            let rank = weight * for_users * falling(importance(purpose), at, half);
            add_line(draft, &mut parent, folder, rank, &text);
        }
        if purpose == CommandPurpose::Test
            && let Some(text) = single_test_line(survey, folder, &tests)
        {
            add_line(draft, &mut parent, folder, weight * 130.0, &text);
        }
    }
}

/// Returns the line with a command for one test or one test file; `None` if none is known.
fn single_test_line(survey: &Survey, folder: &str, tests: &[&Fact]) -> Option<String> {
    let test = single_test::of_project(survey, folder, tests)?;
    let command = survey.quoter.code(&test.command)?;
    let Some(of) = &test.pattern_of else {
        let source = SourceLines { end: test.source.start, ..test.source };
        let place = place(&source);
        return Some(format!(
            "One test: {command} (by convention of the test runner; the test is at {place})"
        ));
    };
    let of = survey.quoter.code(of)?;
    let place = first_place(&[test.source]);
    Some(format!("One test file: {command} (the command of {of} with one of its files) {place}"))
}

/// Adds a command to the section. For a project outside of the root it stands below a heading with the
/// folder, which is created in `parent` at the first call.
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

/// Returns true for a command that only upgrades pip itself.
fn upgrades_installer(fact: &Fact) -> bool {
    let FactValue::Command { command, .. } = &fact.value else { return false };
    ["--upgrade pip", "-U pip"].iter().any(|end| command.ends_with(end))
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
