//! Queries of the index about the structure of a repository, for the sections of a document.

use super::contents::FileSymbol;
use super::delegate::{ScopePart, cut};
use super::finding::{ENTRIES, FILES, PROJECTS, PURPOSE};
use super::index::FindingIndex;
use crate::facts::PathRole;
use crate::workflows::explore::agents::is_below;
use crate::workflows::survey::quoted::place;

impl FindingIndex {
    /// Returns the paths of at most `most` parts into which the rules divide a scope.
    pub fn parts(&self, scope: &str, most: usize) -> Vec<String> {
        cut(self, scope, most).into_iter().map(|part| part.path).collect()
    }

    /// Returns the scope as a code span for readers; `./` for the empty path, the root without the other scopes.
    pub fn title(&self, scope: &str) -> String {
        if scope.is_empty() { "`./`".to_owned() } else { ScopePart::of(self, scope).span(self) }
    }

    /// Returns the source files of the product in a scope that are in none of `parts`.
    pub fn product_files<'a>(
        &'a self,
        scope: &'a str,
        parts: &'a [&'a str],
    ) -> impl Iterator<Item = &'a str> {
        let of_product = self.files_below(scope).filter(|(_, file)| file.role == PathRole::Runtime);
        let paths = of_product.map(|(path, _)| path.as_str());
        paths.filter(move |path| !parts.iter().any(|part| is_below(path, part)))
    }

    /// Returns the source files outside of the product (tests, examples, …) with their roles.
    pub fn other_files(&self) -> impl Iterator<Item = (&str, PathRole)> {
        let others = self.files.iter().filter(|(_, file)| file.role != PathRole::Runtime);
        others.map(|(path, file)| (path.as_str(), file.role))
    }

    /// Returns the folders directly in the root that have no file of a known language.
    pub fn folders_without_source(&self) -> impl Iterator<Item = &str> {
        self.bare_folders.iter().map(String::as_str)
    }

    /// Returns the stated purpose of a folder with its source; that of the repository for an empty
    /// path.
    pub fn purpose_of(&self, folder: &str) -> Option<String> {
        self.purposes.get(folder).map(super::index::FolderPurpose::with_place)
    }

    /// Returns the purposes of the repository, the best first.
    pub fn repository_purposes(&self) -> Vec<String> {
        self.told("", |topic| topic == PURPOSE)
    }

    /// Returns at most `most` lines about projects, programs and libraries; projects come first.
    pub fn entries(&self, most: usize) -> Vec<String> {
        let told = self.findings.iter().filter(|finding| [PROJECTS, ENTRIES].contains(&finding.topic));
        let mut found: Vec<_> = told.map(|finding| (finding.topic != PROJECTS, &finding.content)).collect();
        found.sort();
        found.into_iter().take(most).map(|(_, content)| content.clone()).collect()
    }

    /// Returns at most `most` lines about the purposes of `files`, those with the greatest weight
    /// first.
    pub fn described_files(&self, files: &[String], most: usize) -> Vec<String> {
        let mut found: Vec<_> = files
            .iter()
            .flat_map(|path| self.within(path))
            .filter(|finding| finding.topic == FILES)
            .map(|finding| (finding.weight, finding.content.clone()))
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().take(most).map(|(_, content)| content).collect()
    }

    /// Returns the definitions of a file; empty for a file that was not parsed.
    pub fn symbols_of(&self, path: &str) -> &[FileSymbol] {
        self.contents.get(path).map_or(&[], |contents| &contents.symbols)
    }

    /// Returns the modules of other projects that a file imports, each with its place.
    pub fn imports_of(&self, path: &str) -> impl Iterator<Item = (&str, &str)> {
        let contents = self.contents.get(path).into_iter();
        contents
            .flat_map(|contents| &contents.imports)
            .map(|(module, place)| (module.as_str(), place.as_str()))
    }

    /// Returns the lines about the environment variables that a file reads.
    pub fn variables_of(&self, path: &str) -> impl Iterator<Item = &str> {
        self.contents.get(path).into_iter().flat_map(|contents| &contents.variables).map(String::as_str)
    }

    /// Returns the dependencies between files of the product as (from, to, name with its place). Those
    /// by a name of a definition come first.
    pub fn edges_shown(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let ordered = self.edges.iter().filter(|edge| edge.is_definition);
        let ordered = ordered.chain(self.edges.iter().filter(|edge| !edge.is_definition));
        ordered.map(|edge| {
            let name = edge.name.as_deref().unwrap_or_default();
            let shown = format!("{name} {}", place(&edge.source)).trim_start().to_owned();
            (edge.from.as_str(), edge.to.as_str(), shown)
        })
    }

    /// Returns the contents of the findings about exactly one path whose topic is wanted, by weight.
    fn told(&self, about: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let own = self.findings.iter().filter(|finding| finding.about == [about] && is_wanted(finding.topic));
        let mut found: Vec<_> = own.map(|finding| (finding.weight, &finding.content)).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, content)| content.clone()).collect()
    }
}
