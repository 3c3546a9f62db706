//! A graph file and the files that it includes as sub-graphs, read and checked. All of them lie in the folder of the file that was
//! named, or below it. Runs nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stategraph_base::regular::{Links, read_up_to};
use stategraph_core::{CompiledGraph, NESTING_MAX};
use stategraph_files::inline::{JsonState, Origin};
use stategraph_files::{Definition, Diagnostics, FILE_MAX};
use stategraph_repo::{PathError, RepoPath, Root};

use super::node::built;
use super::services::{Models, Services};

/// Levels of included files: as many graphs inside each other as the engine runs.
const DEPTH_MAX: usize = NESTING_MAX;

/// The most nodes of a graph with those of the graphs inside it, each as often as it is included: a drawing, and the digest of the
/// graph, hold them all, and files that include the same two files at each level double them at each.
const NODES_MAX: usize = 10_000;

/// The most files that one graph file may include, those of included files among them.
const FILES_MAX: usize = 64;

/// A graph file that is included.
pub(super) struct Child {
    pub(super) definition: Definition,
    /// What a thread remembers of it.
    pub(super) origin: Origin,
    pub(super) graph: CompiledGraph<JsonState, Services>,
    extent: Extent,
}

/// How much a graph holds with the graphs inside it.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Levels of files below it.
    height: usize,
    nodes: usize,
}

/// The graphs that a file includes, by the name that it gives them.
pub(super) type Children = BTreeMap<String, Arc<Child>>;

/// The files that belong to the graph file that was named, while they are read.
pub(super) struct Family {
    /// The folder of the named file, as it was typed; all files lie below it.
    folder: PathBuf,
    /// The files that include the one that is being read, the named one first.
    above: Vec<PathBuf>,
    /// The files that were read. One that is included twice is read once.
    known: BTreeMap<PathBuf, Arc<Child>>,
}

impl Family {
    /// Begins with the file that was named.
    pub(super) fn of(definition: &Definition) -> Self {
        let file = Path::new(definition.file());
        // A definition that was read from no file has none to find again.
        let path = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        Self { folder: folder_of(file).to_owned(), above: vec![path], known: BTreeMap::new() }
    }

    /// Reads the files that a definition includes, and those that they include.
    pub(super) fn children(&mut self, definition: &Definition) -> Result<Children, Diagnostics> {
        let mut children = Children::new();
        for file in definition.includes() {
            let child = self.child(definition, file)?;
            definition.check_included(file, &child.definition)?;
            children.insert(file.to_owned(), child);
        }
        Ok(children)
    }

    /// How much the graph of a definition with these children holds.
    pub(super) fn extent(definition: &Definition, children: &Children) -> Result<Extent, Diagnostics> {
        let mut extent = Extent { height: 0, nodes: definition.draft().nodes.len() };
        for file in definition.inclusions() {
            let Some(child) = children.get(file) else { continue };
            extent.height = extent.height.max(child.extent.height + 1);
            extent.nodes = extent.nodes.saturating_add(child.extent.nodes);
            if extent.nodes > NODES_MAX {
                let reason = format!("with the graphs inside it the graph has more than {NODES_MAX} nodes");
                return Err(definition.refused_inclusion(file, &reason));
            }
        }
        Ok(extent)
    }

    fn child(&mut self, definition: &Definition, file: &str) -> Result<Arc<Child>, Diagnostics> {
        let refused = |reason: &str| definition.refused_inclusion(file, reason);
        let place = self.place(definition, file)?;
        let is_itself = self.folder.join(place.relative()) == Path::new(definition.file());
        if is_itself || self.above.iter().any(|above| above == place.absolute()) {
            return Err(refused("it includes itself in the end"));
        }
        let too_deep = || refused(&format!("graphs include graphs more than {DEPTH_MAX} deep"));
        if let Some(child) = self.known.get(place.absolute()) {
            let depth = self.above.len() + child.extent.height;
            return if depth > DEPTH_MAX { Err(too_deep()) } else { Ok(child.clone()) };
        }
        if self.above.len() > DEPTH_MAX {
            return Err(too_deep());
        }
        if self.known.len() == FILES_MAX {
            return Err(refused(&format!("the graph includes more than {FILES_MAX} files")));
        }
        let child = read(definition, file, &place, &self.folder)?;
        self.above.push(place.absolute().to_owned());
        let built = built(&child, self);
        self.above.pop();
        let (graph, origin, extent) = built?;
        // It runs with the services of the graph that includes it.
        let services = Services::new(Models::Named(BTreeMap::new()));
        let graph = graph.compile_with(services).map_err(|defects| refused(&defects.to_string()))?;
        let child = Arc::new(Child { definition: child, origin, graph, extent });
        self.known.insert(place.absolute().to_owned(), child.clone());
        Ok(child)
    }

    /// The place of an included file; none outside of the folder.
    fn place(&self, definition: &Definition, file: &str) -> Result<RepoPath, Diagnostics> {
        let refused = |reason: String| definition.refused_inclusion(file, &reason);
        let here = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let root = Root::open(here).map_err(|error| refused(error.to_string()))?;
        let beside = folder_of(Path::new(definition.file()));
        // The names of included files are made of the folder and a path below it.
        let beside = beside.strip_prefix(&self.folder).unwrap_or(Path::new(""));
        let typed = if Path::new(file).is_absolute() { PathBuf::from(file) } else { beside.join(file) };
        root.path(typed).map_err(|error| match error {
            PathError::Absolute { .. } | PathError::Escapes { .. } | PathError::LinkOutside { .. } => {
                let folder = here.display();
                refused(format!("it lies outside of `{folder}`, the folder of the graph file that was named"))
            }
            error => refused(error.to_string()),
        })
    }

    /// The definition and all that it includes, each once, itself first; without those that cannot be used.
    pub(super) fn all(definition: &Definition) -> Vec<Definition> {
        let mut family = Self::of(definition);
        // What is wrong with a file is said when the graph is built.
        let _ = family.children(definition);
        let known = family.known.into_values().map(|child| child.definition.clone());
        std::iter::once(definition.clone()).chain(known).collect()
    }
}

/// What a thread remembers of a file and those that it includes.
pub(super) fn origin(definition: &Definition, children: &Children) -> Origin {
    let children = children.values().map(|child| child.origin.clone());
    children.fold(definition.origin(), Origin::including)
}

fn read(
    definition: &Definition,
    file: &str,
    place: &RepoPath,
    folder: &Path,
) -> Result<Definition, Diagnostics> {
    let refused = |reason: &str| definition.refused_inclusion(file, reason);
    let path = folder.join(place.relative()).display().to_string();
    let bytes = read_up_to(place.absolute(), FILE_MAX, Links::Refused)
        .map_err(|error| refused(&format!("cannot read {path}: {error}")))?;
    if bytes.len() > FILE_MAX {
        return Err(refused("the file is too long"));
    }
    let child = Definition::parse(bytes, path)?;
    if child.schema().is_none() {
        return Err(refused("its state is registered, and only files that declare channels can be included"));
    }
    Ok(child)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}
