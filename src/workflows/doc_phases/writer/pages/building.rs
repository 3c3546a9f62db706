//! The page of commands and tools.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Span, Text, code, heading, plain, prose, source};
use super::behaviour::language_of;
use super::{BUILDING, facts_note, section, sourced};
use crate::facts::{
    CommandPurpose, Fact, FactKind, FactOrigin, FactSubject, FactValue, PipelineJob, PipelineSummary,
    SourceLines, ToolPurpose,
};
use crate::workflows::doc_phases::selection::{BuildFile, ExampleTest};
use crate::workflows::survey::commands::purpose_name;

/// Maximum of commands with one purpose.
const COMMANDS: usize = 10;

/// Returns the page BUILDING about commands, tests, tools and CI workflows; `None` if there are none of them.
pub(in super::super) fn building(facts: &PageFacts) -> Option<DocumentPage> {
    let mut projects: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in facts.selected.of_product(FactKind::Command) {
        projects.entry(project_of(&fact.subject)).or_default().push(fact);
    }
    let mut blocks = Vec::new();
    let single = projects.len() == 1;
    for (folder, commands) in &projects {
        let example = facts.selected.single_tests.get(*folder);
        if single {
            blocks.extend(by_purpose(2, folder, commands));
            blocks.extend(section(2, "One test", example.into_iter().flat_map(one_test)));
        } else {
            let example = section(3, "One test", example.into_iter().flat_map(one_test));
            let commands = by_purpose(3, folder, commands).into_iter().chain(example);
            blocks.extend(section(2, &project_title(facts, folder), commands));
        }
    }
    blocks.extend(section(2, "Where the tests are", test_files(facts)));
    blocks.extend(section(2, "Helpers of tests", test_helpers(facts)));
    blocks.extend(section(2, "Tools", tools(facts)));
    blocks.extend(section(2, "Workflows of GitHub Actions", workflows(facts)));
    blocks.extend(section(2, "Scripts, and configurations of other services", build_files(facts)));
    if blocks.is_empty() {
        return None;
    }
    blocks.insert(0, facts_note());
    Some(DocumentPage {
        path: BUILDING.to_owned(),
        title: format!("Build, run and test {}", facts.system()),
        blocks,
    })
}

/// Returns the command for one test, and the test that it runs.
fn one_test(example: &ExampleTest) -> Vec<Block> {
    let mut text = vec![code(&example.command)];
    match &example.pattern_of {
        Some(of) => {
            text.extend([plain(": the command of "), code(of), plain(" with one of its files")]);
            return vec![Block::Paragraph(sourced(text, std::slice::from_ref(&example.source)))];
        }
        None if example.is_of_file => {
            text.push(plain(
                ", by convention of the test runner, runs all tests of a file, which begins like this:",
            ));
        }
        None => text.push(plain(", by convention of the test runner, runs")),
    }
    let mut blocks = vec![Block::Paragraph(sourced(text, std::slice::from_ref(&example.source)))];
    if !example.code.is_empty() {
        let end = if example.is_cut { "\n…" } else { "" };
        let language = language_of(&example.source.path).into();
        blocks.push(Block::Code { language, text: format!("{}{end}", example.code) });
    }
    blocks
}

/// Lists one command for each wanted purpose, such as build and test, for a newcomer: preferably of the root
/// project; `None` if there is no command.
pub(super) fn first_commands(facts: &PageFacts, wanted: &[CommandPurpose]) -> Option<Block> {
    let item = |wanted: CommandPurpose| -> Option<Text> {
        let of_purpose = facts.selected.of_product(FactKind::Command).filter_map(|fact| match &fact.value {
            FactValue::Command { purpose, command, folder, .. } if *purpose == wanted => {
                Some((fact, command, folder))
            }
            _ => None,
        });
        // Users install the product; contributors install its tools.
        let is_for_users = |fact: &Fact, command: &str| {
            let is_readme =
                fact.sources.first().is_some_and(|place| place.path.to_lowercase().starts_with("readme"));
            wanted != CommandPurpose::Install
                || is_readme && command.to_lowercase().contains(&facts.system().to_lowercase())
        };
        // The first minimum wins: the order of the facts is that of trust.
        let (fact, command, folder) = of_purpose.min_by_key(|(fact, command, _)| {
            let of_one_system = wanted == CommandPurpose::Install && needs_one_system(command);
            // `all` often cleans, checks and tests too.
            let is_all = command.ends_with(" all");
            // `test` is the command for tests, and `dev` another one that runs them.
            let is_named = command.split([' ', ':']).any(|word| word == purpose_name(wanted).to_lowercase());
            (
                !project_of(&fact.subject).is_empty(),
                !is_for_users(fact, command),
                of_one_system,
                is_all,
                !is_named,
            )
        })?;
        let label = [Span::Strong(format!("{}:", purpose_name(wanted))), plain(" ")];
        Some(label.into_iter().chain(command_line(fact, command, folder, "")).collect())
    };
    let items: Vec<Text> = wanted.iter().copied().filter_map(item).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

/// Returns true for a command of a package manager of one operating system, such as `brew` or `apt`.
fn needs_one_system(command: &str) -> bool {
    const MANAGERS: [&str; 18] = [
        "brew", "apt", "apt-get", "dnf", "yum", "pacman", "yay", "paru", "zypper", "apk", "emerge", "snap",
        "choco", "scoop", "winget", "port", "pkg", "nix-env",
    ];
    command.split_whitespace().find(|word| *word != "sudo").is_some_and(|word| MANAGERS.contains(&word))
}

fn project_of(subject: &FactSubject) -> &str {
    match subject {
        FactSubject::Project(folder) | FactSubject::Folder(folder) => folder,
        _ => "",
    }
}

/// Returns the title of a project's section: its name and folder.
fn project_title(facts: &PageFacts, folder: &str) -> String {
    let name =
        facts.selected.of_kind(FactKind::Project).find_map(|fact| match (&fact.subject, &fact.value) {
            (FactSubject::Project(of), FactValue::Project { name: Some(name), .. }) if of == folder => {
                Some(name.as_str())
            }
            _ => None,
        });
    match (name, folder) {
        (_, "") => "The whole repository".to_owned(),
        (Some(name), folder) if name != folder => format!("{name} ({folder})"),
        (_, folder) => folder.to_owned(),
    }
}

/// Lists the commands of a project under a heading for each purpose, in the order in which a newcomer needs
/// them; at most [`COMMANDS`] each.
fn by_purpose(level: u8, project: &str, commands: &[&Fact]) -> Vec<Block> {
    let mut groups: BTreeMap<CommandPurpose, Vec<Text>> = BTreeMap::new();
    for fact in commands {
        if let FactValue::Command { purpose, command, folder, .. } = &fact.value {
            groups.entry(*purpose).or_default().push(command_line(fact, command, folder, project));
        }
    }
    let group = |(purpose, mut items): (CommandPurpose, Vec<Text>)| {
        let more = items.len().saturating_sub(COMMANDS);
        items.truncate(COMMANDS);
        if more > 0 {
            items.push(vec![plain(format!("and {more} more"))]);
        }
        [heading(level, purpose_name(purpose)), Block::List(items)]
    };
    groups.into_iter().flat_map(group).collect()
}

fn command_line(fact: &Fact, command: &str, folder: &str, project: &str) -> Text {
    let mut item = vec![code(command)];
    if !folder.is_empty() && folder != project {
        item.extend([plain(" in "), code(folder)]);
    }
    if let FactValue::Command { runs, .. } = &fact.value
        && !runs.is_empty()
    {
        item.push(plain(" runs "));
        for (at, line) in runs.iter().enumerate() {
            item.extend((at > 0).then(|| plain(", ")));
            item.push(code(line));
        }
    }
    if fact.origin == FactOrigin::Convention {
        item.push(plain(" by convention"));
    }
    if let Some(place) = fact.sources.first() {
        item.extend([plain(" ("), source(place), plain(")")]);
    }
    item
}

/// Returns a step of a job, with its condition outside of the code.
fn workflow_step(step: &str) -> Text {
    match step.strip_suffix(')').and_then(|step| step.split_once(" (if ")) {
        Some((step, condition)) => vec![code(step), plain(" if "), code(condition)],
        None => vec![code(step)],
    }
}

/// Lists the CI workflows of the repository with their events, and their jobs with conditions and steps.
fn workflows(facts: &PageFacts) -> Vec<Block> {
    let job = |job: &PipelineJob| -> Text {
        let mut text = vec![code(&job.name)];
        if !job.runs_on.is_empty() {
            text.extend([plain(" on "), code(&job.runs_on)]);
        }
        if !job.setups.is_empty() {
            text.push(plain(" with "));
            text.extend(super::comma_separated(job.setups.iter().map(code)));
        }
        if !job.needs.is_empty() {
            text.push(plain(" after "));
            text.extend(super::comma_separated(job.needs.iter().map(code)));
        }
        if let Some(condition) = &job.condition {
            text.extend([plain(" if "), code(condition)]);
        }
        if !job.matrix.is_empty() {
            text.push(plain(" for "));
            text.extend(super::comma_separated(job.matrix.iter().map(code)));
        }
        text.push(plain(": "));
        for (at, step) in job.steps.iter().enumerate() {
            text.extend((at > 0).then(|| plain(", ")));
            text.extend(workflow_step(step));
        }
        text
    };
    let item = |one: &PipelineSummary| {
        let mut text = sourced(vec![Span::Strong(one.name.clone())], std::slice::from_ref(&one.source));
        if !one.events.is_empty() {
            text.push(plain(" runs on "));
            text.push(plain(one.events.join("; ")));
        }
        (text, one.jobs.iter().map(job).collect())
    };
    let items: Vec<_> = facts.selected.pipelines.iter().map(item).collect();
    (!items.is_empty()).then_some(Block::Tree(items)).into_iter().collect()
}

/// Quotes the scripts that commands and workflows run, and the configurations of other CI services.
fn build_files(facts: &PageFacts) -> Vec<Block> {
    let quote = |file: &BuildFile| {
        let lines = SourceLines { path: file.path.clone(), start: 1, end: file.text.lines().count().max(1) };
        let mut text = file.text.clone();
        if file.more_lines > 0 {
            let _ = write!(text, "\n… ({} more lines)", file.more_lines);
        }
        let language = language_of(&file.path).into();
        [Block::Paragraph(vec![source(&lines)]), Block::Code { language, text }]
    };
    facts.selected.build_files.iter().flat_map(quote).collect()
}

/// Maximum of test files in the list.
const TEST_FILES_SHOWN: usize = 30;

/// Lists the files of tests with their documented purposes, and the source files with tests inside; helpers
/// are left out.
fn test_files(facts: &PageFacts) -> Option<Block> {
    let is_test = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        // A file of a folder of tests may have any name; helpers and data are none.
        let is_in_folder =
            path.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec"));
        let is_helper = ["__init__", "helper", "fixture", "util", "support", "setup", "common"]
            .iter()
            .any(|word| name.starts_with(word) || path.contains(&format!("/{word}")));
        let is_of_helpers = name.contains("helper")
            || path.split('/').any(|part| matches!(part, "support" | "helpers" | "fixtures"));
        // Libraries that tests are run with.
        let stem = name.split('.').next().unwrap_or(&name);
        let is_library = ["mocha", "chai", "expect", "qunit", "jasmine", "sinon", "jquery"].contains(&stem);
        (name.contains("test") || name.contains("spec") || is_in_folder && !is_helper)
            && !name.contains("conftest")
            && !is_of_helpers
            && !is_library
            && !path.to_lowercase().contains("bench")
    };
    let is_helper = |path: &&String| facts.selected.test_helpers.contains_key(*path);
    let tests = facts.selected.test_files.iter().filter(|path| !is_helper(path));
    let all: Vec<&String> = tests.filter(is_test).collect();
    let item = |path: &&String| {
        let stated = facts.selected.purpose(&FactSubject::File((*path).clone()));
        let mut item = vec![code(path.as_str())];
        if let Some((text, place)) = stated {
            item.push(plain(": "));
            item.extend(prose(text));
            item = sourced(item, std::slice::from_ref(place));
        }
        item
    };
    let mut items: Vec<Text> = all.iter().take(TEST_FILES_SHOWN).map(item).collect();
    let more = all.len().saturating_sub(TEST_FILES_SHOWN);
    items.extend((more > 0).then(|| vec![plain(format!("and {more} more"))]));
    let inner = &facts.selected.inner_tests;
    if !inner.is_empty() {
        let mut item = vec![plain("beside the code that they test, in ")];
        item.extend(super::comma_separated(inner.iter().take(TEST_FILES_SHOWN).map(code)));
        let more = inner.len().saturating_sub(TEST_FILES_SHOWN);
        item.extend((more > 0).then(|| plain(format!(" and {more} more"))));
        items.push(item);
    }
    (!items.is_empty()).then_some(Block::List(items))
}

/// Lists the files beside the tests that have no tests, with what they define.
fn test_helpers(facts: &PageFacts) -> Option<Block> {
    let item = |(path, names): (&String, &Vec<String>)| {
        let mut text = vec![code(path), plain(" defines ")];
        text.extend(super::comma_separated(names.iter().map(code)));
        text
    };
    let items: Vec<Text> = facts.selected.test_helpers.iter().take(TEST_FILES_SHOWN).map(item).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

/// Lists the development tools by purpose, such as formatters, with links to the files that configure them.
fn tools(facts: &PageFacts) -> Option<Block> {
    let mut purposes: BTreeMap<ToolPurpose, BTreeMap<&str, Vec<SourceLines>>> = BTreeMap::new();
    for fact in facts.selected.of_product(FactKind::Tool) {
        if let FactValue::Tool { purpose, name } = &fact.value {
            purposes
                .entry(*purpose)
                .or_default()
                .entry(name)
                .or_default()
                .extend(fact.sources.iter().cloned());
        }
    }
    let item = |(purpose, names): (ToolPurpose, BTreeMap<&str, Vec<SourceLines>>)| {
        let mut item = vec![Span::Strong(format!("{}:", tool_title(purpose))), plain(" ")];
        for (at, (name, sources)) in names.into_iter().enumerate() {
            item.extend((at > 0).then(|| plain(", ")));
            item.push(code(name));
            item = sourced(item, &sources);
        }
        item
    };
    (!purposes.is_empty()).then(|| Block::List(purposes.into_iter().map(item).collect()))
}

fn tool_title(purpose: ToolPurpose) -> &'static str {
    match purpose {
        ToolPurpose::Toolchain => "Platform",
        ToolPurpose::Formatter => "Formatter",
        ToolPurpose::Linter => "Linter",
        ToolPurpose::Types => "Type checker",
        ToolPurpose::Tests => "Tests",
        ToolPurpose::Build => "Builds and tasks",
        ToolPurpose::Docs => "Documentation",
        ToolPurpose::Hooks => "Hooks",
        ToolPurpose::Generator => "Generator",
    }
}
