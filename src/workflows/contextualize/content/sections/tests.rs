//! The places of tests, and the names of their files.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{falling, first_place, first_sentence};
use crate::facts::{FactKind, FactSubject, FactValue, PathRole, SettingForm};
use crate::repo::Language;

/// Maximum of folders of tests.
const FOLDERS: usize = 14;
/// Maximum of file names of a folder.
const FILES: usize = 4;
/// Maximum of variables.
const VARIABLES: usize = 6;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    add_variables(survey, draft);
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in &survey.files {
        if PathRole::of(path) == PathRole::Test && Language::of_path(path.as_str()).is_some() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            folders.entry(folder).or_default().push(name);
        }
    }
    let mut order: Vec<(&str, Vec<&str>)> = folders.into_iter().collect();
    order.sort_by_key(|(folder, names)| (std::cmp::Reverse(names.len()), *folder));
    for (at, (folder, names)) in order.into_iter().take(FOLDERS).enumerate() {
        let text = folder_line(survey, folder, &names);
        draft.add(ContextSection::Tests, falling(70.0, at, 3.0), "folders of tests", text);
    }
}

/// Lists the environment variables that tests read.
fn add_variables(survey: &Survey, draft: &mut LineDraft) {
    let mut told: BTreeMap<&str, String> = BTreeMap::new();
    for fact in survey.facts.of_kind(FactKind::Setting).filter(|fact| fact.role == PathRole::Test) {
        let FactValue::Setting { form: SettingForm::Variable, name, .. } = &fact.value else { continue };
        let is_common = ["HOME", "PATH", "CI", "USER", "PWD", "TMPDIR", "TERM"].contains(&name.as_str());
        if let Some(shown) =
            survey.quoter.code(name).filter(|_| !is_common && !told.contains_key(name.as_str()))
        {
            told.insert(name, format!("{shown} {}", first_place(&fact.sources)));
        }
    }
    let shown: Vec<String> = told.into_values().take(VARIABLES).collect();
    if !shown.is_empty() {
        let text = format!("- Tests read the variables {}", shown.join(", "));
        draft.add_many(ContextSection::Tests, 90.0, ("variables of tests", shown.len()), text);
    }
}

fn folder_line(survey: &Survey, folder: &str, names: &[&str]) -> String {
    let mut shown: Vec<String> = names.iter().take(FILES).map(|name| path_span(name)).collect();
    if names.len() > FILES {
        shown.push(format!("{} more", names.len() - FILES));
    }
    let of = if folder.is_empty() { "the root".to_owned() } else { path_span(&format!("{folder}/")) };
    let mut text = format!("- {of}: {}", shown.join(", "));
    let subjects = [FactSubject::Folder(folder.to_owned()), FactSubject::Project(folder.to_owned())];
    let purpose =
        subjects.iter().filter(|_| !folder.is_empty()).find_map(|subject| survey.purpose_of(subject));
    if let Some((said, source)) = purpose
        && let Some(said) = survey.quoter.prose(first_sentence(said))
    {
        text.extend([format!(". {said} {}", place(source))]);
    }
    text
}
