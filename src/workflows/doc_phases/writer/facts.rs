//! The content of memory for the documents, read once. The pages are made from it alone (DOC-108).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::DocumentOptions;
use super::stated::{is_side, is_within};
use crate::repo::Slug;
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataModel, FileRole, Memory, MemoryEntry,
    Note, RuntimeFlow, Timestamp, WrittenBy,
};
use crate::workflows::doc_phases::selection::SelectedFacts;

/// Maximum of components in a list or a diagram (DOC-118).
pub(super) const COMPONENTS: usize = 50;
/// Maximum of files, functions or types on a component's page.
pub(super) const FILES: usize = 50;
/// Maximum of concerns in the overview.
pub(super) const CONCERNS: usize = 20;
/// Maximum of data models on their page.
pub(super) const MODELS: usize = 100;
/// Maximum of flows in the overview.
pub(super) const FLOWS: usize = 20;

/// An entry of the agent's memory with the date of its last change and its explorer, as documents state them.
#[derive(Debug, Clone)]
pub(super) struct PageFact<E> {
    pub(super) entry: E,
    pub(super) updated_at: Timestamp,
    pub(super) written_by: WrittenBy,
}

/// All content of the agent's memory that documents are made of, read once; each list is in the order of ids.
pub(super) struct PageFacts {
    pub(super) overview: Option<PageFact<ArchitectureOverview>>,
    pub(super) components: Vec<PageFact<ComponentSummary>>,
    pub(super) files: Vec<PageFact<FileRole>>,
    pub(super) models: Vec<PageFact<DataModel>>,
    pub(super) flows: Vec<PageFact<RuntimeFlow>>,
    pub(super) concerns: Vec<PageFact<CrossCuttingConcern>>,
    pub(super) notes: Vec<PageFact<Note>>,
    /// Facts of the repository, with their places.
    pub(super) selected: Arc<SelectedFacts>,
    /// Number of files that the exploration saw.
    pub(super) seen_files: usize,
    /// Parts of the repository that were not read, each with the reason.
    pub(super) left_out: Vec<String>,
    /// Users of each component, by id: from its own entry and from those of the users.
    users: BTreeMap<String, BTreeSet<String>>,
}

/// Returns the folders and files of a component: its boundaries in the overview, else the root path of its entry.
fn places_of<'a>(
    overview: Option<&'a PageFact<ArchitectureOverview>>,
    component: &'a ComponentSummary,
) -> Vec<&'a str> {
    let bounds = overview.and_then(|overview| {
        overview.entry.component_boundaries.get(&component.component_id).filter(|paths| !paths.is_empty())
    });
    let own = || Some(component.root_path.as_str()).filter(|path| !path.is_empty()).into_iter().collect();
    bounds.map_or_else(own, |paths| paths.iter().map(String::as_str).collect())
}

/// Adds to each component those whose files its own files import or name.
fn add_dependencies(
    components: &mut [PageFact<ComponentSummary>],
    overview: Option<&PageFact<ArchitectureOverview>>,
    selected: &SelectedFacts,
) {
    let all_places: Vec<(String, Vec<String>)> = components
        .iter()
        .map(|fact| {
            let places = places_of(overview, &fact.entry).into_iter().map(str::to_owned).collect();
            (fact.entry.component_id.clone(), places)
        })
        .collect();
    // The closest component owns a file.
    let owner = |path: &str| -> Option<&str> {
        let place_around = |(_, places): &&(String, Vec<String>)| {
            let around = places.iter().filter(|place| is_within(path, &[place.as_str()]));
            around.map(|place| if *place == "." { 0 } else { place.len() }).max()
        };
        let around = all_places.iter().filter(|it| place_around(it).is_some());
        around.max_by_key(place_around).map(|(id, _)| id.as_str())
    };
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, targets) in &selected.file_edges {
        let Some(from) = owner(from) else { continue };
        let needed = targets.iter().filter_map(|to| owner(to)).filter(|to| *to != from);
        found.entry(from).or_default().extend(needed);
    }
    for component in components {
        let known = &mut component.entry.dependencies;
        let new = found.get(component.entry.component_id.as_str()).into_iter().flatten();
        let new: Vec<String> =
            new.filter(|id| !known.iter().any(|known| known == *id)).map(|id| (*id).to_owned()).collect();
        known.extend(new);
    }
}

impl PageFacts {
    pub(super) fn of(memory: &Memory, options: &DocumentOptions) -> Self {
        let overview: Option<PageFact<ArchitectureOverview>> = load_facts(memory, options).pop();
        let mut components = load_facts::<ComponentSummary>(memory, options);
        let selected = memory.facts();
        add_dependencies(&mut components, overview.as_ref(), &selected);
        let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for PageFact { entry: component, .. } in &components {
            let id = &component.component_id;
            users.entry(id.clone()).or_default().extend(component.dependents.iter().cloned());
            for used in &component.dependencies {
                users.entry(used.clone()).or_default().insert(id.clone());
            }
        }
        Self {
            overview,
            components,
            files: load_facts(memory, options),
            models: load_facts(memory, options),
            flows: load_facts(memory, options),
            concerns: load_facts(memory, options),
            notes: load_facts(memory, options),
            selected,
            seen_files: memory.seen_files(),
            left_out: memory.left_out(),
            users,
        }
    }

    /// Returns the components that lists and diagrams show: the most certain ones, at most [`COMPONENTS`], in
    /// the order of ids.
    pub(super) fn listed_components(&self) -> Vec<&PageFact<ComponentSummary>> {
        most_certain(&self.components, COMPONENTS)
    }

    /// Returns the ids of the components that use this one, without itself.
    pub(super) fn users_of(&self, id: &str) -> Vec<&str> {
        self.users.get(id).into_iter().flatten().map(String::as_str).filter(|user| *user != id).collect()
    }

    /// Returns the display name of a component; its id if it has no entry.
    pub(super) fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.component(id).map_or(id, |component| &component.component_name)
    }

    /// Returns the entry of the component with this id, if there is one.
    pub(super) fn component(&self, id: &str) -> Option<&ComponentSummary> {
        let at = self.components.binary_search_by(|fact| fact.entry.component_id.as_str().cmp(id)).ok()?;
        Some(&self.components[at].entry)
    }

    /// Returns the folders and files of a component: its boundaries in the overview, else the root path of
    /// its entry.
    pub(super) fn places_of<'a>(&'a self, component: &'a ComponentSummary) -> Vec<&'a str> {
        places_of(self.overview.as_ref(), component)
    }

    /// Returns the files of a component, without those of components inside it.
    pub(super) fn files_of<'a>(&'a self, component: &'a ComponentSummary) -> ComponentFiles<'a> {
        let own = self.places_of(component);
        let others = self.components.iter().filter(|it| it.entry.component_id != component.component_id);
        let others = others.flat_map(|it| self.places_of(&it.entry));
        let inner = others.filter(|place| !own.contains(place) && is_within(place, &own)).collect();
        ComponentFiles { own, inner }
    }

    /// Returns true if all paths of a component are those of tests, examples or benchmarks.
    pub(super) fn is_side_component(&self, component: &ComponentSummary) -> bool {
        let places = self.places_of(component);
        !places.is_empty() && places.iter().all(|place| is_side(place))
    }

    /// Returns the name of the system; `this repository` without an overview.
    pub(super) fn system(&self) -> &str {
        self.overview.as_ref().map_or("this repository", |overview| &overview.entry.system_name)
    }
}

/// The files of a component.
pub(super) struct ComponentFiles<'a> {
    own: Vec<&'a str>,
    /// Folders and files inside of these that belong to other components.
    inner: Vec<&'a str>,
}

impl ComponentFiles<'_> {
    /// Returns true if the component has the file: of several components around it, the one with the closest folder has it.
    pub(super) fn has(&self, path: &str) -> bool {
        let closest = |places: &[&str]| {
            let around = places.iter().filter(|place| is_within(path, &[place]));
            around.map(|place| if *place == "." { 0 } else { place.len() }).max()
        };
        closest(&self.own).is_some_and(|own| closest(&self.inner).is_none_or(|inner| inner < own))
    }
}

fn load_facts<E: MemoryEntry + Clone>(memory: &Memory, options: &DocumentOptions) -> Vec<PageFact<E>> {
    let records = memory.all(E::TYPE);
    let fact = |record: &crate::workflows::doc_phases::memory::EntryRecord| {
        Some(PageFact {
            entry: E::from_entry(&record.entry)?.clone(),
            updated_at: record.updated_at(),
            written_by: record.written_by().unwrap_or(&options.written_by).clone(),
        })
    };
    records.iter().filter_map(fact).collect()
}

/// Returns the facts with the highest confidence, at most `most`, in their original order.
pub(super) fn most_certain<E: MemoryEntry>(all: &[PageFact<E>], most: usize) -> Vec<&PageFact<E>> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*b].entry.confidence().total_cmp(&all[*a].entry.confidence()).then(a.cmp(b)));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|at| &all[at]).collect()
}

/// Returns the path of a component's document without extension: `components/core`.
pub(super) fn component_page(id: &str) -> String {
    format!("components/{}", Slug::of(id))
}

/// Returns the path of a flow's diagram file: `diagrams/flow_start.mmd`.
pub(super) fn flow_diagram(id: &str) -> String {
    format!("diagrams/flow_{}.mmd", Slug::of(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_component_with_the_closest_folder() {
        let root = ComponentFiles { own: vec![".", "v2/main.go"], inner: vec!["v2"] };
        let inner = ComponentFiles { own: vec!["v2"], inner: vec!["v2/main.go"] };
        let owners = |path: &str| [root.has(path), inner.has(path)];
        assert_eq!(owners("a.go"), [true, false]);
        assert_eq!(owners("v2/b.go"), [false, true]);
        assert_eq!(owners("v2/main.go"), [true, false]);
    }
}
