//! Reads graph files that the command line names, and builds their topology. `declared.rs` makes them runnable.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::session::Session;
use crate::definition::{Definition, FILE_MAX};
use crate::engine::Topology;
use stategraph_base::regular::{Links, read_up_to};

/// File name of the JSON Schema for editors that `graph new` writes beside a graph file.
pub(super) const SCHEMA_FILE: &str = "graph.schema.json";

/// File extensions of graph files.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Returns true if the file name has the extension of a graph file.
pub(super) fn has_graph_extension(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|text| EXTENSIONS.contains(&text))
}

/// Returns true if a file can be a graph file by its name. Test-case files and [`SCHEMA_FILE`] have the
/// same extensions, but are no graph files.
pub(super) fn is_graph_file(path: &Path) -> bool {
    has_graph_extension(path) && graph_of(path).is_none() && !path.ends_with(SCHEMA_FILE)
}

/// Returns the path of the test-case file beside a graph file: `my.test.yaml` for `my.yaml`.
pub(super) fn cases_of(graph: &Path) -> PathBuf {
    let extension = graph.extension().and_then(|extension| extension.to_str()).unwrap_or("yaml");
    graph.with_extension(format!("test.{extension}"))
}

/// Returns the path of the graph file that a test-case file belongs to: `my.yaml` for `my.test.yaml`. `None` for every other name.
pub(super) fn graph_of(cases: &Path) -> Option<PathBuf> {
    let stem = Path::new(cases.file_stem()?);
    let is_cases =
        has_graph_extension(cases) && stem.extension().is_some_and(|extension| extension == "test");
    is_cases.then(|| cases.with_file_name(stem).with_extension(cases.extension().unwrap_or_default()))
}

/// Reads and parses a graph file. Its form is checked; its nodes and edges are not.
pub(super) fn read(path: &Path) -> Result<Definition, Failure> {
    Ok(Definition::parse(read_bytes(path)?, path.display().to_string())?)
}

/// Reads the bytes of a graph file. A file of more than [`FILE_MAX`] bytes is an error.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error| {
        Failure::new(
            format!("cannot read {}: {error}", path.display()),
            "pass a graph file; `graph new NAME` creates one that runs",
        )
    };
    read_up_to(path, FILE_MAX, Links::Followed).map_err(unreadable)
}

/// Checks a graph file and returns its topology. A file that declares its state is checked against its node
/// kinds, the graph of a known workflow against the nodes of that workflow, any other one only by itself.
pub(super) fn topology(session: &Session, definition: &Definition) -> Result<Topology, Failure> {
    let state = definition.state_name();
    if state.is_none() {
        return Ok(crate::kinds::graph(definition)?.topology());
    }
    if let Some(workflow) = session.catalogue.iter().find(|workflow| Some(workflow.name()) == state) {
        return Ok(workflow.check(definition)?);
    }
    definition.check()?;
    Ok(Topology::of(&definition.draft()))
}
