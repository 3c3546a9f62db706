//! Index of all findings of the rules about a repository, built once a run. It owns its data, so that
//! agents on other threads share it.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::{self, FileContents};
use super::finding::RuleFinding;
use super::findings;
use crate::facts::{FactKind, FactSubject, FactValue, Facts, PathRole, SourceLines};
use crate::repo::{CodeBase, EdgeClass, Language};
use crate::workflows::explore::agents::is_below;
use crate::workflows::survey::Survey;
use crate::workflows::survey::quoted::place;

/// Source file with its size and its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexedFile {
    pub(super) bytes: u64,
    pub(super) role: PathRole,
}

/// Dependency of a file (`from`) on another one (`to`), with the lines that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileEdge {
    pub(super) from: String,
    pub(super) to: String,
    /// Imported name at its first place, as a code span; `None` if it must not be quoted.
    pub(super) name: Option<String>,
    /// True if the name is that of a definition, false if it is that of a file.
    pub(super) is_definition: bool,
    pub(super) source: SourceLines,
}

/// Stated purpose of a folder with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FolderPurpose {
    /// Text that is safe to quote in Markdown.
    pub(super) said: String,
    pub(super) source: SourceLines,
}

impl FolderPurpose {
    /// Returns the purpose followed by the reference to its source.
    pub(super) fn with_place(&self) -> String {
        format!("{} {}", self.said, place(&self.source))
    }
}

/// Index of everything that the rules know about a repository: findings, source files, dependencies and
/// the contents of files. The rules of agents and the steps of a document read it.
#[derive(Debug, Default)]
pub struct FindingIndex {
    /// Source files of known languages, by path, including tests and generated code.
    pub(super) files: BTreeMap<String, IndexedFile>,
    /// Dependencies between files of the product.
    pub(super) edges: Vec<FileEdge>,
    /// Purposes of folders; that of the repository has an empty path.
    pub(super) purposes: BTreeMap<String, FolderPurpose>,
    /// Folders with a manifest.
    pub(super) projects: BTreeSet<String>,
    /// Folders directly in the root that have no file of a known language.
    pub(super) bare_folders: Vec<String>,
    /// Definitions, imports and variables of single files.
    pub(super) contents: BTreeMap<String, FileContents>,
    /// Findings, sorted by the first path that they are about.
    pub(super) findings: Vec<RuleFinding>,
}

/// Maximum number of files that are parsed for definitions.
const OUTLINED: usize = 1_500;
/// Maximum number of findings; those with the lowest weights are dropped.
const FINDINGS: usize = 40_000;

impl FindingIndex {
    /// Collects the findings of a repository. Takes seconds for a large one, so call it on a blocking
    /// thread.
    pub fn of(code: &CodeBase, facts: &Facts) -> Self {
        let survey = Survey::of(code, facts, OUTLINED);
        let walk = survey.sizes.iter();
        let files: BTreeMap<String, IndexedFile> = walk
            .filter(|(path, _)| Language::of_path(path.as_str()).is_some())
            .map(|(path, bytes)| (path.clone(), IndexedFile { bytes: *bytes, role: PathRole::of(path) }))
            .collect();
        let is_bare = |folder: &&str| {
            let has_source = files.range(format!("{folder}/")..).next();
            !folder.contains('/') && !has_source.is_some_and(|(path, _)| is_below(path, folder))
        };
        let bare_folders = survey.folders().into_iter().filter(is_bare).map(str::to_owned).collect();
        let projects = survey.projects().into_iter().map(|(folder, _)| folder.to_owned()).collect();
        let purposes = purposes(&survey);
        let edges = edges(&survey);
        let contents = contents::collect(&survey, &edges);
        let mut findings = findings::all(&survey, &purposes);
        if findings.len() > FINDINGS {
            findings.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            findings.truncate(FINDINGS);
        }
        findings.sort_by(|a, b| {
            (&a.about, a.topic).cmp(&(&b.about, b.topic)).then_with(|| b.weight.total_cmp(&a.weight))
        });
        Self { files, edges, purposes, projects, bare_folders, contents, findings }
    }

    /// Returns the findings of which all paths are at or below `path`.
    pub(super) fn within(&self, path: &str) -> impl Iterator<Item = &RuleFinding> {
        let start = self.findings.partition_point(|finding| finding.about[0].as_str() < path);
        let candidates = self.findings[start..].iter();
        let near = candidates.take_while(move |finding| finding.about[0].starts_with(path));
        near.filter(move |finding| finding.about.iter().all(|about| is_within(about, path)))
    }

    /// Returns the source files at or below `scope` that are in none of `parts`.
    pub fn files_of<'a>(&'a self, scope: &'a str, parts: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        let own = self.files_below(scope).map(|(path, _)| path.as_str());
        own.filter(move |path| !parts.iter().any(|part| is_below(path, part)))
    }

    /// Returns the source files of the folder or module at `scope`, at any depth. The module
    /// `src/parser` has `src/parser.rs` too; an empty scope has all files.
    pub(super) fn files_below<'a>(
        &'a self,
        scope: &'a str,
    ) -> impl Iterator<Item = (&'a String, &'a IndexedFile)> {
        let near = self.files.range(scope.to_owned()..).take_while(move |(path, _)| path.starts_with(scope));
        near.filter(move |(path, _)| is_below(path, scope))
    }
}

/// Returns true if `path` is the scope itself or below it.
pub(super) fn is_within(path: &str, scope: &str) -> bool {
    path == scope || is_below(path, scope)
}

/// Returns the stated purposes of the repository (empty path) and of its folders.
fn purposes(survey: &Survey<'_>) -> BTreeMap<String, FolderPurpose> {
    let mut found = BTreeMap::new();
    let mut add = |path: &str, (text, source): (&str, &SourceLines)| {
        if let Some(said) = survey.quoter.prose(text) {
            found.insert(path.to_owned(), FolderPurpose { said, source: source.clone() });
        }
    };
    let of_root = [FactSubject::Repository, FactSubject::Project(String::new())];
    if let Some(stated) = of_root.iter().find_map(|subject| survey.purpose_of(subject)) {
        add("", stated);
    }
    for folder in survey.folders() {
        if let Some(stated) = survey.folder_purpose(folder) {
            add(folder, stated);
        }
    }
    found
}

/// Returns the dependencies between runtime files of the product.
fn edges(survey: &Survey<'_>) -> Vec<FileEdge> {
    let of_product = survey.of_product(FactKind::Edge).filter(|fact| fact.role == PathRole::Runtime);
    let edge = |fact: &crate::facts::Fact| match (&fact.subject, &fact.value) {
        (FactSubject::File(from), FactValue::Edge { to, name, class }) => Some(FileEdge {
            from: from.clone(),
            to: to.clone(),
            name: survey.quoter.code(name),
            is_definition: *class != EdgeClass::Declared,
            source: fact.sources.first()?.clone(),
        }),
        _ => None,
    };
    of_product.filter_map(edge).collect()
}
