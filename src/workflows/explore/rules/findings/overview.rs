//! Findings about purposes of the repository, its projects and its folders, and about the limits that
//! it states.

use std::collections::BTreeMap;

use super::{at, path_of};
use crate::facts::{FactKind, FactSubject, FactValue};
use crate::workflows::explore::rules::finding::{LIMITS, PROJECTS, PURPOSE, RuleFinding};
use crate::workflows::explore::rules::index::FolderPurpose;
use crate::workflows::survey::Survey;
use crate::workflows::survey::phrases::first_place;
use crate::workflows::survey::quoted::{path_span, place};
use crate::workflows::survey::targets::{adds_nothing, project_places, project_title, says_the_same};

/// Maximum number of purposes of the repository.
const PURPOSES: usize = 3;

/// Appends the findings about purposes, projects and limits.
pub(super) fn collect(
    survey: &Survey<'_>,
    purposes: &BTreeMap<String, FolderPurpose>,
    found: &mut Vec<RuleFinding>,
) {
    of_repository(survey, found);
    of_folders(survey, purposes, found);
    for (folder, fact) in survey.projects() {
        if let Some(title) = project_title(survey, folder, fact).filter(|title| !is_template(title)) {
            let content = format!("{title} {}", project_places(fact));
            found.push(RuleFinding::new(PROJECTS, folder, 1.0, content));
        }
    }
    let limits = survey.of_product(FactKind::Limit).filter_map(|fact| match &fact.value {
        FactValue::Limit { text } => {
            Some((fact, format!("{} {}", survey.quoter.prose(text)?, first_place(&fact.sources))))
        }
        _ => None,
    });
    for (position, (fact, content)) in limits.enumerate() {
        let folder = path_of(fact).rsplit_once('/').map_or("", |(folder, _)| folder);
        found.push(RuleFinding::new(LIMITS, folder, at(0.0, position), content));
    }
}

/// Adds up to `PURPOSES` different purposes of the repository; those of a README come first.
fn of_repository(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let subjects = [FactSubject::Repository, FactSubject::Project(String::new())];
    let mut all: Vec<_> = subjects.iter().flat_map(|subject| survey.purposes_of(subject)).collect();
    all.sort_by_key(|(_, source)| !source.path.to_lowercase().starts_with("readme"));
    let mut told: Vec<&str> = Vec::new();
    for (text, source) in all {
        if told.len() == PURPOSES || told.iter().any(|known| says_the_same(known, text)) {
            continue;
        }
        let Some(said) = survey.quoter.prose(text) else { continue };
        found.push(RuleFinding::new(PURPOSE, "", at(10.0, told.len()), format!("{said} {}", place(source))));
        told.push(text);
    }
}

/// Adds the purposes of folders, except those that add no word to the purpose of a folder around them.
fn of_folders(survey: &Survey<'_>, purposes: &BTreeMap<String, FolderPurpose>, found: &mut Vec<RuleFinding>) {
    let of_root = [FactSubject::Repository, FactSubject::Project(String::new())];
    let all: Vec<&str> =
        of_root.iter().flat_map(|subject| survey.purposes_of(subject)).map(|(text, _)| *text).collect();
    for (folder, stated) in purposes.iter().filter(|(folder, _)| !folder.is_empty()) {
        let mut outer = folder.as_str();
        let mut repeats = all.iter().any(|text| adds_nothing(text, &stated.said));
        while !outer.is_empty() && !repeats {
            outer = outer.rsplit_once('/').map_or("", |(outer, _)| outer);
            repeats = purposes.get(outer).is_some_and(|around| adds_nothing(&around.said, &stated.said));
        }
        if !repeats {
            let content = format!("{}: {}", path_span(&format!("{folder}/")), stated.with_place());
            let depth = folder.matches('/').count();
            found.push(RuleFinding::new(PURPOSE, folder, at(5.0, depth), content));
        }
    }
}

/// Returns true for a text with variables of a template.
fn is_template(text: &str) -> bool {
    ["${", "{{", "<%"].iter().any(|mark| text.contains(mark))
}
