//! Reads and checks a graph file together with the files that it includes as sub-graphs. All of them are in the
//! folder of the named file or below it. Runs nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stategraph_base::regular::{Links, read_up_to};
use stategraph_core::{CompiledGraph, NESTING_MAX};
use stategraph_files::inline::{FileOrigin, JsonState};
use stategraph_files::{Definition, Diagnostics, FILE_MAX};
use stategraph_repo::{PathError, RepoPath, Root};

use super::node::build_graph;
use super::services::{Models, Services};

/// Maximum depth of included files: the engine's limit of nested graphs.
const DEPTH_MAX: usize = NESTING_MAX;

/// Maximum number of nodes of a graph with its sub-graphs. A sub-graph counts as often as it is included,
/// because drawings and the digest of the graph contain each copy, and files that include two files each
/// double them at each level.
const NODES_MAX: usize = 10_000;

/// Maximum number of files that one graph file may include, directly or indirectly.
const FILES_MAX: usize = 64;

/// A graph file that another one includes as a sub-graph, parsed and compiled.
pub(super) struct IncludedGraph {
    pub(super) definition: Definition,
    /// Record of the file that a thread stores.
    pub(super) origin: FileOrigin,
    pub(super) graph: CompiledGraph<JsonState, Services>,
    size: GraphSize,
}

/// The size of a graph with its sub-graphs.
#[derive(Clone, Copy)]
pub(super) struct GraphSize {
    /// Number of levels of files below it; 0 without sub-graphs.
    depth: usize,
    /// Number of nodes, those of sub-graphs included.
    nodes: usize,
}

/// The sub-graphs that a file includes, by the file names it uses.
pub(super) type IncludedGraphs = BTreeMap<String, Arc<IncludedGraph>>;

/// The reader of the files that a graph file includes, directly and indirectly. It refuses cycles and paths
/// outside the folder of the first file.
pub(super) struct IncludeResolver {
    /// Folder of the named file, as the user typed it; all files are below it.
    folder: PathBuf,
    /// Files that include the current file, outermost first. A file that is among them would include itself.
    including: Vec<PathBuf>,
    /// Files read so far, by path, so that each is read once.
    loaded: BTreeMap<PathBuf, Arc<IncludedGraph>>,
}

impl IncludeResolver {
    /// Makes a reader for the graph file that the user named.
    pub(super) fn new(definition: &Definition) -> Self {
        let file = Path::new(definition.file());
        // A definition that was parsed from text has no file to resolve.
        let path = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        Self { folder: folder_of(file).to_owned(), including: vec![path], loaded: BTreeMap::new() }
    }

    /// Reads, checks and compiles the files that a definition includes, directly and indirectly. Returns the
    /// direct ones.
    pub(super) fn load_includes(&mut self, definition: &Definition) -> Result<IncludedGraphs, Diagnostics> {
        let mut children = IncludedGraphs::new();
        for file in definition.included_files() {
            let child = self.load_file(definition, file)?;
            definition.check_inclusion(file, &child.definition)?;
            children.insert(file.to_owned(), child);
        }
        Ok(children)
    }

    /// Returns the size of the graph of a definition with these sub-graphs. Fails if it exceeds [`NODES_MAX`].
    pub(super) fn measure(
        definition: &Definition,
        children: &IncludedGraphs,
    ) -> Result<GraphSize, Diagnostics> {
        let mut size = GraphSize { depth: 0, nodes: definition.draft().nodes.len() };
        for file in definition.inclusions() {
            let Some(child) = children.get(file) else { continue };
            size.depth = size.depth.max(child.size.depth + 1);
            size.nodes = size.nodes.saturating_add(child.size.nodes);
            if size.nodes > NODES_MAX {
                let reason = format!("with the graphs inside it the graph has more than {NODES_MAX} nodes");
                return Err(definition.reject_inclusion(file, &reason));
            }
        }
        Ok(size)
    }

    /// Returns the sub-graph of the included file, which is read unless it was read before. Fails if it
    /// includes itself, or if there are too many files or levels.
    fn load_file(&mut self, definition: &Definition, file: &str) -> Result<Arc<IncludedGraph>, Diagnostics> {
        let refused = |reason: &str| definition.reject_inclusion(file, reason);
        let path = self.resolve_path(definition, file)?;
        let is_itself = self.folder.join(path.relative()) == Path::new(definition.file());
        if is_itself || self.including.iter().any(|above| above == path.absolute()) {
            return Err(refused("it includes itself in the end"));
        }
        let too_deep = || refused(&format!("graphs include graphs more than {DEPTH_MAX} deep"));
        if let Some(child) = self.loaded.get(path.absolute()) {
            let depth = self.including.len() + child.size.depth;
            return if depth > DEPTH_MAX { Err(too_deep()) } else { Ok(child.clone()) };
        }
        if self.including.len() > DEPTH_MAX {
            return Err(too_deep());
        }
        if self.loaded.len() == FILES_MAX {
            return Err(refused(&format!("the graph includes more than {FILES_MAX} files")));
        }
        let child = read_definition(definition, file, &path, &self.folder)?.included_by(definition);
        self.including.push(path.absolute().to_owned());
        let built = build_graph(&child, self);
        self.including.pop();
        let (graph, origin, size) = built?;
        // These services are never used: the graph runs with those of the graph that includes it.
        let services = Services::new(Models::Named(BTreeMap::new()));
        let graph = graph.compile_with(services).map_err(|defects| refused(&defects.to_string()))?;
        let child = Arc::new(IncludedGraph { definition: child, origin, graph, size });
        self.loaded.insert(path.absolute().to_owned(), child.clone());
        Ok(child)
    }

    /// Resolves the path of an included file, which is relative to the including file. Fails if it is outside
    /// the folder of the named file.
    fn resolve_path(&self, definition: &Definition, file: &str) -> Result<RepoPath, Diagnostics> {
        let refused = |reason: String| definition.reject_inclusion(file, &reason);
        let here = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let root = Root::open(here).map_err(|error| refused(error.to_string()))?;
        let beside = folder_of(Path::new(definition.file()));
        // Names of included files consist of the folder and a path below it.
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

    /// Returns the definition and those of all files that it includes, each once, itself first. Included
    /// files with defects are left out.
    pub(super) fn list_definitions(definition: &Definition) -> Vec<Definition> {
        let mut resolver = Self::new(definition);
        // Defects of included files are reported when the graph is built.
        let _ = resolver.load_includes(definition);
        let known = resolver.loaded.into_values().map(|child| child.definition.clone());
        std::iter::once(definition.clone()).chain(known).collect()
    }
}

/// Returns the record of a file and its included files, which a thread stores to notice later changes of
/// them.
pub(super) fn combined_origin(definition: &Definition, children: &IncludedGraphs) -> FileOrigin {
    let children = children.values().map(|child| child.origin.clone());
    children.fold(definition.origin(), FileOrigin::including)
}

/// Reads and parses an included file. Fails if it is too long or declares no channels. Errors of reading
/// point to the line that includes it.
fn read_definition(
    definition: &Definition,
    file: &str,
    path: &RepoPath,
    folder: &Path,
) -> Result<Definition, Diagnostics> {
    let refused = |reason: &str| definition.reject_inclusion(file, reason);
    let name = folder.join(path.relative()).display().to_string();
    let bytes = read_up_to(path.absolute(), FILE_MAX, Links::Refused)
        .map_err(|error| refused(&format!("cannot read {name}: {error}")))?;
    if bytes.len() > FILE_MAX {
        return Err(refused("the file is too long"));
    }
    let child = Definition::parse(bytes, name)?;
    if child.schema().is_none() {
        return Err(refused("its state is registered, and only files that declare channels can be included"));
    }
    Ok(child)
}

/// Returns the folder of a file; empty for a bare file name.
fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}
