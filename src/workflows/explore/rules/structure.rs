//! Questions about the structure of a repository, for the sections of a document.

use super::contents::FileSymbol;
use super::delegate::{ScopePart, cut};
use super::finding::{ENTRIES, FILES, PROJECTS, PURPOSE};
use super::index::FindingIndex;
use crate::facts::PathRole;
use crate::workflows::explore::agents::is_below;
use crate::workflows::survey::quoted::place;

impl FindingIndex {
    /// Returns the paths of the parts that rules cut a scope into, at most `most`.
    pub fn parts(&self, scope: &str, most: usize) -> Vec<String> {
        cut(self, scope, most).into_iter().map(|part| part.path).collect()
    }

    /// Returns a scope as a reader finds it, as a code span.
    pub fn title(&self, scope: &str) -> String {
        if scope.is_empty() { "Other files".to_owned() } else { ScopePart::of(self, scope).span(self) }
    }

    /// Returns the source files of the product in a scope that are in none of its parts.
    pub fn product_files<'a>(
        &'a self,
        scope: &'a str,
        parts: &'a [&'a str],
    ) -> impl Iterator<Item = &'a str> {
        let of_product = self.files_below(scope).filter(|(_, file)| file.role == PathRole::Runtime);
        let paths = of_product.map(|(path, _)| path.as_str());
        paths.filter(move |path| !parts.iter().any(|part| is_below(path, part)))
    }

    /// Returns the source files that are not of the product, with their use.
    pub fn other_files(&self) -> impl Iterator<Item = (&str, PathRole)> {
        let others = self.files.iter().filter(|(_, file)| file.role != PathRole::Runtime);
        others.map(|(path, file)| (path.as_str(), file.role))
    }

    /// Returns the folders of the root without files of a known language.
    pub fn folders_without_source(&self) -> impl Iterator<Item = &str> {
        self.bare_folders.iter().map(String::as_str)
    }

    /// Returns the stated purpose of a folder with its place; that of the repository for an empty path.
    pub fn purpose_of(&self, folder: &str) -> Option<String> {
        self.purposes.get(folder).map(super::index::FolderPurpose::with_place)
    }

    /// Returns the purposes of the repository, the best first.
    pub fn repository_purposes(&self) -> Vec<String> {
        self.told("", |topic| topic == PURPOSE)
    }

    /// Returns projects, programs and libraries.
    pub fn entries(&self, most: usize) -> Vec<String> {
        let told = self.findings.iter().filter(|finding| [PROJECTS, ENTRIES].contains(&finding.topic));
        let mut found: Vec<_> = told.map(|finding| (finding.topic != PROJECTS, &finding.content)).collect();
        found.sort();
        found.into_iter().take(most).map(|(_, content)| content.clone()).collect()
    }

    /// Returns files with their purposes, those with the greatest weight first.
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

    /// Returns the definitions of a file.
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

    /// Returns the environment variables that a file reads.
    pub fn variables_of(&self, path: &str) -> impl Iterator<Item = &str> {
        self.contents.get(path).into_iter().flat_map(|contents| &contents.variables).map(String::as_str)
    }

    /// Returns the dependencies between files of the product: from, to, and the name with its place. Names of definitions come first.
    pub fn edges_shown(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let ordered = self.edges.iter().filter(|edge| edge.is_definition);
        let ordered = ordered.chain(self.edges.iter().filter(|edge| !edge.is_definition));
        ordered.map(|edge| {
            let name = edge.name.as_deref().unwrap_or_default();
            let shown = format!("{name} {}", place(&edge.source)).trim_start().to_owned();
            (edge.from.as_str(), edge.to.as_str(), shown)
        })
    }

    fn told(&self, about: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let own = self.findings.iter().filter(|finding| finding.about == [about] && is_wanted(finding.topic));
        let mut found: Vec<_> = own.map(|finding| (finding.weight, &finding.content)).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, content)| content.clone()).collect()
    }
}
