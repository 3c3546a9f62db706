//! Findings about development: commands, tools, rules for contributors, recipes, dependencies, tests.

use std::collections::{BTreeMap, BTreeSet};

use super::{at, path_of};
use crate::facts::{
    CommandPurpose, Fact, FactKind, FactSubject, FactValue, PathRole, SourceLines, ToolPurpose,
};
use crate::repo::{Language, Scope};
use crate::workflows::explore::rules::finding::{
    COMMANDS, DEPENDENCIES, RECIPES, RULES, RuleFinding, TESTS, TOOLS,
};
use crate::workflows::survey::Survey;
use crate::workflows::survey::commands::{command_line, drop_repeated, is_for_users};
use crate::workflows::survey::guidance::{is_for_agents, usefulness};
use crate::workflows::survey::phrases::{first_place, first_sentence};
use crate::workflows::survey::quoted::{path_span, place};
use crate::workflows::survey::targets::dependency_name;
use crate::workflows::survey::tools::tool_title;

/// Maximum number of steps of a recipe.
const STEPS: usize = 8;
/// Maximum number of commands with the same purpose.
const OF_PURPOSE: usize = 5;
/// Maximum number of commands that run the product; a README may show many.
const EXAMPLES: usize = 3;
/// Maximum number of libraries in a finding.
const LIBRARIES: usize = 30;

/// Appends all findings about development.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    commands(survey, found);
    tools(survey, found);
    rules(survey, found);
    recipes(survey, found);
    libraries(survey, found);
    tests(survey, found);
}

/// Adds the commands of each folder and purpose, those for users last.
fn commands(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let mut groups: BTreeMap<(&str, CommandPurpose), Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Command) {
        if let FactValue::Command { purpose, .. } = &fact.value {
            groups.entry((fact.subject.path(), *purpose)).or_default().push(fact);
        }
    }
    for ((folder, purpose), mut facts) in groups {
        drop_repeated(survey, &mut facts);
        facts.sort_by_key(|fact| is_for_users(fact));
        let of_purpose = if purpose == CommandPurpose::Run { EXAMPLES } else { OF_PURPOSE };
        let of_users = facts.iter().filter(|fact| is_for_users(fact)).count();
        let most = (facts.len() - of_users).clamp(1, OF_PURPOSE) + of_users.min(1);
        for (position, fact) in facts.into_iter().take(most.min(of_purpose)).enumerate() {
            if let Some(content) = command_line(survey, fact, folder, purpose) {
                // The first command of each purpose comes before the second ones.
                let weight = -0.1 * f64::from(purpose as u8);
                found.push(RuleFinding::new(COMMANDS, folder, at(weight, position), content));
            }
        }
    }
}

/// Adds one finding for each folder and purpose with the names of the tools.
fn tools(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let mut groups: BTreeMap<(&str, ToolPurpose), Vec<String>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Tool) {
        let FactValue::Tool { purpose, name } = &fact.value else { continue };
        if let Some(name) = survey.quoter.code(name) {
            let all = groups.entry((fact.subject.path(), *purpose)).or_default();
            all.push(format!("{name} {}", first_place(&fact.sources)));
        }
    }
    for (position, ((folder, purpose), names)) in groups.into_iter().enumerate() {
        let of = if folder.is_empty() { String::new() } else { format!(" of {}", path_span(folder)) };
        let content = format!("{}{of}: {}", tool_title(purpose), names.join(", "));
        found.push(RuleFinding::new(TOOLS, folder, at(0.0, position), content));
    }
}

/// Adds the rules for contributors that concern code, without those for AI agents.
fn rules(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    for (position, fact) in survey.of_product(FactKind::Rule).enumerate() {
        let FactValue::Rule { text } = &fact.value else { continue };
        if usefulness(text) < 2 || is_for_agents(fact) {
            continue;
        }
        if let Some(said) = survey.quoter.prose(text) {
            let content = format!("{said} {}", first_place(&fact.sources));
            found.push(RuleFinding::new(RULES, folder_of(path_of(fact)), at(0.0, position), content));
        }
    }
}

/// Adds a finding for each recipe of the documentation, with its first `STEPS` steps; `…` follows if it has more.
fn recipes(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    for (position, fact) in survey.of_product(FactKind::Recipe).enumerate() {
        let FactValue::Recipe { title, steps } = &fact.value else { continue };
        let Some(title) = survey.quoter.prose(title) else { continue };
        let shown: Vec<String> =
            steps.iter().take(STEPS).filter_map(|step| survey.quoter.prose(step)).collect();
        if !shown.is_empty() {
            let more = if steps.len() > shown.len() { "; …" } else { "" };
            let content = format!("{title}: {}{more} {}", shown.join("; "), first_place(&fact.sources));
            found.push(RuleFinding::new(RECIPES, folder_of(path_of(fact)), at(0.0, position), content));
        }
    }
}

/// Adds a finding for each project with the libraries that it needs at run time.
fn libraries(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let mut groups: BTreeMap<(&str, &str), Vec<(String, &SourceLines)>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Dependency) {
        let FactValue::Dependency { name, requirement, scope: Scope::Runtime | Scope::Peer } = &fact.value
        else {
            continue;
        };
        let of_product =
            |source: &&SourceLines| matches!(PathRole::of(&source.path), PathRole::Runtime | PathRole::Build);
        if let Some(source) = fact.sources.first().filter(of_product) {
            let named = dependency_name(survey, name, requirement.as_deref());
            groups
                .entry((fact.subject.path(), &source.path))
                .or_default()
                .extend(named.map(|name| (name, source)));
        }
    }
    for ((folder, path), all) in groups {
        let names: Vec<String> = all.iter().take(LIBRARIES).map(|(name, _)| name.clone()).collect();
        let (start, end) = all.iter().take(LIBRARIES).fold((usize::MAX, 0), |(start, end), (_, source)| {
            (start.min(source.start), end.max(source.end))
        });
        if !names.is_empty() {
            let more = if all.len() > LIBRARIES { " and others" } else { "" };
            let lines = SourceLines { path: path.to_owned(), start, end };
            let of = if folder.is_empty() {
                "Depends".to_owned()
            } else {
                format!("{} depends", path_span(folder))
            };
            let content = format!("{of} on {}{more} {}", names.join(", "), place(&lines));
            found.push(RuleFinding::new(DEPENDENCIES, folder, 0.0, content));
        }
    }
}

/// Adds the folders of tests that have a stated purpose.
fn tests(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    let is_product = |path: &&String| PathRole::of(path) == PathRole::Runtime;
    let of_product: BTreeSet<&str> =
        survey.files.iter().filter(is_product).map(|path| folder_of(path)).collect();
    for path in &survey.files {
        if PathRole::of(path) == PathRole::Test && Language::of_path(path.as_str()).is_some() {
            *folders.entry(folder_of(path)).or_default() += 1;
        }
    }
    for (folder, files) in folders {
        // The purpose of a folder with code of the product is that of the code.
        if folder.is_empty() || of_product.contains(folder) {
            continue;
        }
        let subjects = [FactSubject::Folder(folder.to_owned()), FactSubject::Project(folder.to_owned())];
        let Some((said, source)) = subjects.iter().find_map(|subject| survey.purpose_of(subject)) else {
            continue;
        };
        let Some(said) = survey.quoter.prose(first_sentence(said)) else { continue };
        let content = format!("Tests in {}: {said} {}", path_span(&format!("{folder}/")), place(source));
        #[allow(clippy::cast_precision_loss, reason = "counts of files are small")]
        found.push(RuleFinding::new(TESTS, folder, files as f64, content));
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
