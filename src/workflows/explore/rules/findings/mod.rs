//! Findings about a repository, one file for each area. Every finding has a source and says only what
//! that source says.

mod constructs;
mod definitions;
mod development;
mod documents;
mod entries;
mod files;
mod flow;
mod overview;
mod settings;
mod types;

use std::collections::BTreeMap;

pub(super) use definitions::definition_text;

use super::finding::RuleFinding;
use super::index::FolderPurpose;
use crate::facts::Fact;
use crate::workflows::survey::Survey;

/// Returns all findings of a repository. `purposes` are the stated purposes of folders, by path.
pub(super) fn all(survey: &Survey<'_>, purposes: &BTreeMap<String, FolderPurpose>) -> Vec<RuleFinding> {
    let mut found = Vec::new();
    overview::collect(survey, purposes, &mut found);
    entries::collect(survey, &mut found);
    flow::collect(survey, &mut found);
    files::collect(survey, purposes, &mut found);
    definitions::collect(survey, &mut found);
    types::collect(survey, &mut found);
    settings::collect(survey, &mut found);
    constructs::collect(survey, &mut found);
    development::collect(survey, &mut found);
    documents::collect(survey, &mut found);
    found
}

/// Returns the path of the first source of a fact.
fn path_of(fact: &Fact) -> &str {
    fact.sources.first().map_or("", |source| source.path.as_str())
}

/// Returns a note that a finding shows some of several things, ` (8 of 20)`; empty if it shows all.
fn part_of(told: usize, all: usize) -> String {
    if told < all { format!(" ({told} of {all})") } else { String::new() }
}

/// Returns the weight of the item at a position in a list: `first` minus the position.
#[allow(clippy::cast_precision_loss, reason = "positions are small")]
fn at(first: f64, position: usize) -> f64 {
    first - position as f64
}
