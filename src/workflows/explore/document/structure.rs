//! Step `explore` of a document: the purposes and public definitions of each scope.

use super::plan::DocumentPlan;
use super::section::ScopeSection;
use crate::workflows::explore::rules::FindingIndex;

/// Maximum number of definitions of a section.
const INTERFACE: usize = 24;
/// Maximum number of files of a section whose purposes are shown.
const FILES: usize = 16;
/// Maximum number of names of a section by which findings are assigned to it.
const NAMES: usize = 400;

/// Makes the section of each scope in a plan, without imports and findings.
pub fn explore(index: &FindingIndex, plan: &DocumentPlan) -> Vec<ScopeSection> {
    let section = |scope: &super::plan::DocumentScope| {
        let mut symbols: Vec<_> = scope.files.iter().flat_map(|path| index.symbols_of(path)).collect();
        symbols.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let interface = symbols.iter().filter(|symbol| symbol.is_public && !is_auxiliary(&symbol.name));
        let interface = interface.take(INTERFACE);
        let mut names: Vec<String> = symbols.iter().take(NAMES).map(|symbol| symbol.name.clone()).collect();
        names.sort();
        names.dedup();
        ScopeSection {
            path: scope.path.clone(),
            title: scope.title.clone(),
            purpose: index.purpose_of(&scope.path).filter(|_| !scope.path.is_empty()),
            described_files: index.described_files(&scope.files, FILES),
            interface: interface.map(|symbol| symbol.text.clone()).collect(),
            names,
            files: scope.files.clone(),
            ..ScopeSection::default()
        }
    };
    plan.scopes.iter().map(section).collect()
}

/// Returns true for a name that no user of the code needs: a logger, `__author__`, a name of one letter.
fn is_auxiliary(name: &str) -> bool {
    name.len() == 1 || name.starts_with("__") || matches!(name.to_lowercase().as_str(), "log" | "logger")
}
