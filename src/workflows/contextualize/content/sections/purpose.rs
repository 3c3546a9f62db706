//! The purpose of the product, and its projects.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{about, cut_at_word, falling, first_place};
use crate::facts::{Fact, FactSubject, FactValue, ProjectShape};
use crate::repo::ProjectType;

/// Longest summary of a user, in characters.
const SUMMARY: usize = 600;
/// Maximum of purposes of the product.
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
        let rank = if told.is_empty() { 900.0 } else { falling(60.0, told.len(), 2.0) };
        draft.add(ContextSection::Purpose, rank, "", format!("{said} {}\n", place(source)));
        told.push(text);
    }
}

fn is_readme(path: &str) -> bool {
    path.to_lowercase().starts_with("readme")
}

/// Returns true if most words of one text are in the other.
fn says_the_same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 3)
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = other.iter().filter(|word| one.contains(word)).count();
    shared * 3 >= other.len().min(one.len()) * 2
}

/// Tells the projects with their manifests.
fn add_projects(survey: &Survey, draft: &mut LineDraft) {
    let projects = survey.projects();
    for (at, (folder, fact)) in projects.iter().enumerate() {
        let rank = if folder.is_empty() { 120.0 } else { falling(60.0, at, 5.0) };
        if let Some(text) = project_line(survey, folder, fact) {
            draft.add(ContextSection::Purpose, rank, "projects", text);
        }
    }
}

fn project_line(survey: &Survey, folder: &str, fact: &Fact) -> Option<String> {
    let FactValue::Project { ecosystem, name, version, shape } = &fact.value else { return None };
    // An inner folder whose manifest names nothing is hardly a project.
    if name.is_none() && !folder.is_empty() {
        return None;
    }
    let mut text = format!("- {}", ecosystem_name(*ecosystem));
    text.push_str(match shape {
        Some(ProjectShape::Library) => " library",
        Some(ProjectShape::Program) => " program",
        Some(ProjectShape::Both) => " library with programs",
        Some(ProjectShape::Workspace) => " workspace",
        Some(ProjectShape::Framework) => " framework",
        Some(ProjectShape::Website) => " website",
        None => " project",
    });
    if let Some(name) = name.as_deref().and_then(|name| survey.quoter.code(name)) {
        text.extend([format!(" {name}")]);
    }
    if let Some(version) = version.as_deref().and_then(|version| survey.quoter.code(version)) {
        text.extend([format!(" version {version}")]);
    }
    if !folder.is_empty() {
        text.extend([format!(" in {}", path_span(folder))]);
    }
    text.extend([format!(" {}", first_place(&fact.sources))]);
    let own = survey.purpose_of(&FactSubject::Project(folder.to_owned())).filter(|_| !folder.is_empty());
    let own = own.or_else(|| survey.folder_purpose(folder).filter(|_| !folder.is_empty()));
    if let Some((said, source)) = own
        && let Some(said) = survey.quoter.prose(super::first_sentence(said))
    {
        text.extend([format!(": {said} {}", place(source))]);
    }
    Some(text)
}

pub(super) fn ecosystem_name(ecosystem: ProjectType) -> &'static str {
    match ecosystem {
        ProjectType::Node => "Node",
        ProjectType::Python => "Python",
        ProjectType::Rust => "Rust",
        ProjectType::Go => "Go",
        ProjectType::Maven => "Maven",
        ProjectType::Gradle => "Gradle",
        ProjectType::Php => "PHP",
        ProjectType::Dotnet => ".NET",
        ProjectType::Ruby => "Ruby",
        ProjectType::Cmake => "CMake",
        ProjectType::Meson => "Meson",
        ProjectType::Autotools => "Autotools",
        ProjectType::Unknown => "Unknown",
    }
}
