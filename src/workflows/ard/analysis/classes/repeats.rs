//! Drops findings that repeat others.

use std::collections::BTreeSet;

use super::super::IdeaAnalysis;

/// Drops requirements, quantities, actors and exclusions that repeat an earlier one, and constraints
/// that are the beginning of a longer one from the same statement.
pub(super) fn drop_repeated(analysis: &mut IdeaAnalysis) {
    let constraints = analysis.constraints.clone();
    analysis.constraints.retain(|one| {
        !constraints.iter().any(|other| {
            one.statement == other.statement
                && other.text.len() > one.text.len()
                && other.text.starts_with(&one.text)
        })
    });
    let mut seen = BTreeSet::new();
    analysis.requirements.retain(|requirement| seen.insert(requirement.text.to_lowercase()));
    let mut seen = BTreeSet::new();
    analysis.quantities.retain(|quantity| seen.insert((quantity.text.clone(), quantity.statement)));
    let mut seen = BTreeSet::new();
    analysis.actors.retain(|actor| seen.insert(actor.text.clone()));
    let mut seen = BTreeSet::new();
    analysis.exclusions.retain(|exclusion| seen.insert(exclusion.text.to_lowercase()));
}
