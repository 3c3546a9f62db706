//! Everything that memory has for the documents, read once. What the pages are made from, and nothing else (DOC-108).

use std::collections::{BTreeMap, BTreeSet};

use super::DocumentOptions;
use crate::repo::Slug;
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataModel, FileRole, Memory, MemoryEntry,
    RuntimeFlow, Timestamp, WrittenBy,
};

/// Components that a list or a diagram shows (DOC-118).
pub(super) const COMPONENTS: usize = 50;
/// Files, functions or types that a component's page shows.
pub(super) const FILES: usize = 50;
/// Concerns that the overview shows.
pub(super) const CONCERNS: usize = 20;
/// Data models that their page shows.
pub(super) const MODELS: usize = 100;
/// Flows that the overview tells.
pub(super) const FLOWS: usize = 20;

/// An entry with what documents say of it.
#[derive(Debug, Clone)]
pub(super) struct Fact<E> {
    pub(super) entry: E,
    pub(super) updated_at: Timestamp,
    pub(super) written_by: WrittenBy,
}

/// All of them, each list in the order of ids.
pub(super) struct Facts {
    pub(super) overview: Option<Fact<ArchitectureOverview>>,
    pub(super) components: Vec<Fact<ComponentSummary>>,
    pub(super) files: Vec<Fact<FileRole>>,
    pub(super) models: Vec<Fact<DataModel>>,
    pub(super) flows: Vec<Fact<RuntimeFlow>>,
    pub(super) concerns: Vec<Fact<CrossCuttingConcern>>,
    /// What of the repository was not read, and why.
    pub(super) left_out: Vec<String>,
    /// The components that use each component, by id: as they say themselves, and as it is said of them.
    users: BTreeMap<String, BTreeSet<String>>,
}

impl Facts {
    pub(super) fn of(memory: &Memory, options: &DocumentOptions) -> Self {
        let components = load_facts::<ComponentSummary>(memory, options);
        let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for Fact { entry: component, .. } in &components {
            let id = &component.component_id;
            users.entry(id.clone()).or_default().extend(component.dependents.iter().cloned());
            for used in &component.dependencies {
                users.entry(used.clone()).or_default().insert(id.clone());
            }
        }
        Self {
            overview: load_facts(memory, options).pop(),
            components,
            files: load_facts(memory, options),
            models: load_facts(memory, options),
            flows: load_facts(memory, options),
            concerns: load_facts(memory, options),
            left_out: memory.left_out(),
            users,
        }
    }

    /// The components that lists and diagrams show: the most certain ones, in the order of ids.
    pub(super) fn listed_components(&self) -> Vec<&Fact<ComponentSummary>> {
        most_certain(&self.components, COMPONENTS)
    }

    /// The components that use this one, itself left out.
    pub(super) fn users_of(&self, id: &str) -> Vec<&str> {
        self.users.get(id).into_iter().flatten().map(String::as_str).filter(|user| *user != id).collect()
    }

    /// The name of a component for people; its id, where it has no entry.
    pub(super) fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.component(id).map_or(id, |component| &component.component_name)
    }

    /// The entry of a component.
    pub(super) fn component(&self, id: &str) -> Option<&ComponentSummary> {
        let at = self.components.binary_search_by(|fact| fact.entry.component_id.as_str().cmp(id)).ok()?;
        Some(&self.components[at].entry)
    }

    /// Where a component is: by the boundaries of the overview, which name several places where there are several; else by its entry.
    pub(super) fn places_of<'a>(&'a self, component: &'a ComponentSummary) -> Vec<&'a str> {
        let bounds = self.overview.as_ref().and_then(|overview| {
            overview.entry.component_boundaries.get(&component.component_id).filter(|paths| !paths.is_empty())
        });
        let own = || Some(component.root_path.as_str()).filter(|path| !path.is_empty()).into_iter().collect();
        bounds.map_or_else(own, |paths| paths.iter().map(String::as_str).collect())
    }

    /// The name of the whole system.
    pub(super) fn system(&self) -> &str {
        self.overview.as_ref().map_or("this repository", |overview| &overview.entry.system_name)
    }
}

fn load_facts<E: MemoryEntry + Clone>(memory: &Memory, options: &DocumentOptions) -> Vec<Fact<E>> {
    let records = memory.all(E::TYPE);
    let fact = |record: &crate::workflows::doc_phases::memory::EntryRecord| {
        Some(Fact {
            entry: E::from_entry(&record.entry)?.clone(),
            updated_at: record.updated_at(),
            written_by: record.written_by().unwrap_or(&options.written_by).clone(),
        })
    };
    records.iter().filter_map(fact).collect()
}

/// The most certain ones, in the order that they have.
pub(super) fn most_certain<E: MemoryEntry>(all: &[Fact<E>], most: usize) -> Vec<&Fact<E>> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*b].entry.confidence().total_cmp(&all[*a].entry.confidence()).then(a.cmp(b)));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|at| &all[at]).collect()
}

/// The document of a component, without extension.
pub(super) fn component_page(id: &str) -> String {
    format!("components/{}", Slug::of(id))
}

/// The diagram of a flow.
pub(super) fn flow_diagram(id: &str) -> String {
    format!("diagrams/flow_{}.mmd", Slug::of(id))
}
