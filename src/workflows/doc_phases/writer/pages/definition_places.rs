//! Lookup of the names that a component declares in its files.

use std::collections::BTreeMap;

use super::super::facts::{PageFact, PageFacts};
use crate::facts::SourceLines;
use crate::workflows::doc_phases::memory::{ComponentSummary, FileRole};
use crate::workflows::doc_phases::selection::DefinitionVariant;

/// Lookup of a component's names in the files that define or export them.
pub(super) struct DefinitionPlaces<'a> {
    facts: &'a PageFacts,
    files: Vec<&'a str>,
    /// Names that files export, with the first file.
    exports: BTreeMap<&'a str, &'a str>,
}

impl<'a> DefinitionPlaces<'a> {
    pub(super) fn of(
        facts: &'a PageFacts,
        component: &'a ComponentSummary,
        own: &'a [PageFact<FileRole>],
    ) -> Self {
        let around = facts.files_of(component);
        let all = facts.selected.definitions.keys().map(String::as_str);
        let mut exports = BTreeMap::new();
        for file in own.iter().map(|file| &file.entry) {
            for name in &file.key_exports {
                exports.entry(name.as_str()).or_insert(file.file_path.as_str());
            }
        }
        Self { facts, files: all.filter(|path| around.has(path)).collect(), exports }
    }

    pub(super) fn is_internal(&self, path: &str, name: &str) -> bool {
        self.facts.selected.behaviour_of(path, name).is_some_and(|told| told.is_internal)
    }

    /// Returns the definitions of a name for different build conditions, in the first file that has them;
    /// empty without.
    pub(super) fn variants(&self, name: &str) -> &'a [DefinitionVariant] {
        let told = self.files.iter().filter_map(|path| self.facts.selected.behaviour_of(path, name));
        let is_conditional =
            |variants: &&[DefinitionVariant]| variants.iter().any(|one| !one.condition.is_empty());
        told.map(|told| told.variants.as_slice()).find(is_conditional).unwrap_or_default()
    }

    /// Returns the lines of the method `name` whose signature is `signature`, for a type with several methods
    /// of this name.
    pub(super) fn overload(&self, name: &str, signature: &str) -> Option<SourceLines> {
        let told = self.files.iter().filter_map(|path| self.facts.selected.behaviour_of(path, name));
        let meant = |one: &&DefinitionVariant| signature.trim_end_matches('…') == one.signature;
        told.flat_map(|told| &told.variants).find(meant).map(|one| one.lines.clone())
    }

    /// Returns true if a plain name stands for a method in these lines.
    fn is_method(&self, name: &str, place: &SourceLines) -> bool {
        let lines = format!("{}-{}", place.start, place.end);
        let names = self.facts.selected.definitions.get(&place.path);
        let is_same = |(known, at): (&String, &String)| {
            *at == lines && known.strip_suffix(name).is_some_and(|owner| owner.ends_with('.'))
        };
        !name.contains(['.', ':']) && names.is_some_and(|names| names.iter().any(is_same))
    }

    /// Returns the lines of a name in the file that exports it, else in the only file of the component that
    /// defines it.
    pub(super) fn find(&self, name: &str) -> Option<SourceLines> {
        let exact = |path: &&str| self.facts.selected.exact_definition(path, name);
        let exported = self.exports.get(name).and_then(|path| self.facts.selected.definition(path, name));
        // A function or type of the name is meant before a method, in whatever file.
        let own = exported.iter().cloned().chain(self.files.iter().filter_map(exact));
        if let Some(place) = own.into_iter().find(|place| !self.is_method(name, place)) {
            return Some(place);
        }
        if let Some(place) = exported.or_else(|| self.files.iter().find_map(exact)) {
            return Some(place);
        }
        // Several of a type have this name, and those of another type with it are not meant.
        let is_ambiguous = |path: &&str| {
            self.facts.selected.definitions.get(*path).is_some_and(|names| names.contains_key(name))
        };
        if self.files.iter().any(is_ambiguous) {
            return None;
        }
        let mut found = self.files.iter().filter_map(|path| self.facts.selected.definition(path, name));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}
