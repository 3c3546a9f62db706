//! The dependencies of the projects by their use.

use std::collections::{BTreeMap, BTreeSet};

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::falling;
use crate::facts::{FactKind, FactValue, SourceLines};
use crate::repo::Scope;
use crate::workflows::survey::targets::dependency_name;

/// Maximum of names on a line.
const NAMES: usize = 24;
/// Maximum number of optional dependencies that rank next to those at run time.
const FEW: usize = 6;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut groups: BTreeMap<(&str, usize), Vec<(String, &SourceLines)>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Dependency) {
        let FactValue::Dependency { name, requirement, scope } = &fact.value else { continue };
        if let Some(source) = fact.sources.first() {
            let named = dependency_name(survey, short_name(name), requirement.as_deref());
            let group = groups.entry((fact.subject.path(), order(*scope))).or_default();
            group.extend(named.map(|name| (name, source)));
        }
    }
    let mut ordered: Vec<_> = groups.into_iter().collect();
    // Of a workspace the projects count that need most.
    ordered.sort_by_key(|((folder, scope), all)| {
        (!folder.is_empty(), *scope, std::cmp::Reverse(all.len()), *folder)
    });
    for (at, ((folder, scope), all)) in ordered.into_iter().enumerate() {
        for (chunk_at, chunk) in all.chunks(NAMES).enumerate() {
            let mut told: BTreeSet<&str> = BTreeSet::new();
            let chunk: Vec<&(String, &SourceLines)> =
                chunk.iter().filter(|(name, _)| told.insert(name)).collect();
            let names: Vec<&str> = chunk.iter().map(|(name, _)| name.as_str()).collect();
            // Features that are on by default need some of the optional ones.
            let is_optional = scope == order(Scope::Optional) && chunk.len() <= FEW;
            let first = if at == 0 {
                100.0
            } else if is_optional {
                70.0
            } else {
                35.0
            };
            let rank = falling(falling(first, at, 4.0), chunk_at, 1.0);
            let of = if folder.is_empty() { String::new() } else { format!(" of {}", path_span(folder)) };
            let text = format!("- {}{of}: {} {}", TITLES[scope], names.join(", "), lines_around(&chunk));
            draft.add_many(ContextSection::Dependencies, rank, ("dependencies", chunk.len()), text);
        }
    }
}

const TITLES: [&str; 5] = ["At run time", "Optional", "From its user", "For the build", "For development"];

fn order(scope: Scope) -> usize {
    match scope {
        Scope::Runtime => 0,
        Scope::Optional => 1,
        Scope::Peer => 2,
        Scope::Build => 3,
        Scope::Dev => 4,
    }
}

/// Returns the name of a dependency without the prefix `github.com/` of Go modules.
fn short_name(name: &str) -> &str {
    name.strip_prefix("github.com/").unwrap_or(name)
}

/// Returns the places of some dependencies as text: for each file one range from the first to the last line.
fn lines_around(places: &[&(String, &SourceLines)]) -> String {
    let mut files: Vec<SourceLines> = Vec::new();
    for (_, source) in places {
        match files.iter_mut().find(|known| known.path == source.path) {
            Some(known) => {
                (known.start, known.end) = (known.start.min(source.start), known.end.max(source.end));
            }
            None => files.push((*source).clone()),
        }
    }
    files.iter().map(place).collect::<Vec<_>>().join(", ")
}
