//! The purpose of the product, and its projects.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::{about, cut_at_word, falling};
use crate::facts::FactSubject;
use crate::workflows::survey::targets::{project_line, says_the_same};

/// Longest summary of a user, in characters.
const SUMMARY: usize = 600;
/// Maximum of different statements of the purpose.
const PURPOSES: usize = 3;

pub(super) fn add(survey: &Survey, summary: Option<&str>, draft: &mut LineDraft) {
    if let Some(summary) = summary.and_then(|text| survey.quoter.prose(&cut_at_word(text.trim(), SUMMARY))) {
        draft.add(ContextSection::Purpose, 1_000.0, "", format!("The user says: {summary}\n"));
    }
    add_purposes(survey, draft);
    about::add(survey, draft);
    add_projects(survey, draft);
}

fn add_purposes(survey: &Survey, draft: &mut LineDraft) {
    let subjects = [FactSubject::Repository, FactSubject::Project(String::new())];
    let mut found: Vec<_> = subjects.iter().flat_map(|subject| survey.purposes_of(subject)).collect();
    // A README says more than a manifest.
    found.sort_by_key(|(_, source)| !is_readme(&source.path));
    let mut told: Vec<&str> = Vec::new();
    for (text, source) in found {
        if told.len() == PURPOSES || told.iter().any(|known| says_the_same(known, text)) {
            continue;
        }
        let Some(said) = survey.quoter.prose(text) else { continue };
        let rank = if told.is_empty() { 900.0 } else { falling(60.0, told.len(), 0.7) };
        draft.add(ContextSection::Purpose, rank, "", format!("{said} {}\n", place(source)));
        told.push(text);
    }
}

fn is_readme(path: &str) -> bool {
    path.to_lowercase().starts_with("readme")
}

/// Adds a line for each project of the repository, from its manifest.
fn add_projects(survey: &Survey, draft: &mut LineDraft) {
    let projects = survey.projects();
    for (at, (folder, fact)) in projects.iter().enumerate() {
        let rank = if folder.is_empty() { 120.0 } else { falling(60.0, at, 5.0) };
        if let Some(text) = project_line(survey, folder, fact) {
            draft.add(ContextSection::Purpose, rank, "projects", text);
        }
    }
}
