//! A graph file and the files that it includes as sub-graphs, read and checked. Runs nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::definition::{Definition, Diagnostics, FILE_MAX};
use crate::engine::CompiledGraph;

use super::node::built;
use super::services::{Models, Services};
use crate::definition::inline::{JsonState, Origin};

/// How deep graphs may include graphs.
const DEPTH_MAX: usize = 16;

/// A graph file that is included.
pub(super) struct Child {
    pub(super) definition: Definition,
    /// What a thread remembers of it.
    pub(super) origin: Origin,
    pub(super) graph: CompiledGraph<JsonState, Services>,
}

/// The graphs that a file includes, by the name that it gives them.
pub(super) type Children = BTreeMap<String, Arc<Child>>;

/// Reads the files that a definition includes, and those that they include.
pub(super) fn children(definition: &Definition, trail: &[String]) -> Result<Children, Diagnostics> {
    let mut children = Children::new();
    for file in definition.includes() {
        let child = read(definition, file, trail)?;
        let (graph, origin) = built(&child, &[trail, &[path(definition, file)]].concat())?;
        definition.check_included(file, &child)?;
        // It runs with the services of whoever includes it.
        let services = Services::new(Models::Named(BTreeMap::new()));
        let graph = graph
            .compile_with(services)
            .map_err(|defects| definition.refused_inclusion(file, &defects.to_string()))?;
        children.insert(file.to_owned(), Arc::new(Child { definition: child, origin, graph }));
    }
    Ok(children)
}

/// What a thread remembers of a file and those that it includes.
pub(super) fn origin(definition: &Definition, children: &Children) -> Origin {
    let children = children.values().map(|child| child.origin.clone());
    children.fold(definition.origin(), Origin::including)
}

/// The definition and all that it includes, itself first.
pub(super) fn all(definition: &Definition, trail: &[String]) -> Vec<Definition> {
    let mut list = vec![definition.clone()];
    for file in definition.includes() {
        if let Ok(child) = read(definition, file, trail) {
            list.extend(all(&child, &[trail, &[path(definition, file)]].concat()));
        }
    }
    list
}

fn read(definition: &Definition, file: &str, trail: &[String]) -> Result<Definition, Diagnostics> {
    let path = path(definition, file);
    let refused = |reason: &str| definition.refused_inclusion(file, reason);
    if trail.contains(&path) || path == definition.file() {
        return Err(refused("it includes itself in the end"));
    }
    if trail.len() == DEPTH_MAX {
        return Err(refused(&format!("graphs include graphs more than {DEPTH_MAX} deep")));
    }
    let bytes = std::fs::read(&path).map_err(|error| refused(&format!("cannot read {path}: {error}")))?;
    if bytes.len() > FILE_MAX {
        return Err(refused("the file is too long"));
    }
    let child = Definition::parse(bytes, path)?;
    if child.schema().is_none() {
        return Err(refused("its state is registered, and only files that declare channels can be included"));
    }
    Ok(child)
}

/// The path of an included file, as the one that includes it was typed.
fn path(definition: &Definition, file: &str) -> String {
    let folder = Path::new(definition.file()).parent().unwrap_or(Path::new(""));
    folder.join(file).display().to_string()
}
