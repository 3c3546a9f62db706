//! Reads a graph file that was named on the command line, and finds the workflow on whose state it works. What it is to run is
//! `declared.rs`'s.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::session::Session;
use crate::definition::{Definition, FILE_MAX};
use crate::engine::Topology;
use stategraph_base::regular::{Links, read_up_to};

/// The endings of graph files.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Whether the name is that of a graph file.
pub(super) fn looks_like_one(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
}

/// Returns the file of cases beside a graph file: `my.test.yaml` of `my.yaml`.
pub(super) fn cases_of(graph: &Path) -> PathBuf {
    let ending = graph.extension().and_then(|ending| ending.to_str()).unwrap_or("yaml");
    graph.with_extension(format!("test.{ending}"))
}

/// Returns the graph file that a file of cases belongs to: `my.yaml` of `my.test.yaml`. `None` for every other name.
pub(super) fn graph_of(cases: &Path) -> Option<PathBuf> {
    let stem = Path::new(cases.file_stem()?);
    let is_cases = looks_like_one(cases) && stem.extension().is_some_and(|ending| ending == "test");
    is_cases.then(|| cases.with_file_name(stem).with_extension(cases.extension().unwrap_or_default()))
}

/// Reads a graph file; its parts have the right form.
pub(super) fn read(path: &Path) -> Result<Definition, Failure> {
    Ok(Definition::parse(bytes(path)?, path.display().to_string())?)
}

/// Reads the text of a graph file. No more of it is read than a graph file may have.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error| {
        Failure::new(
            format!("cannot read {}: {error}", path.display()),
            "name a graph file; `graph new NAME` begins one that runs",
        )
    };
    read_up_to(path, FILE_MAX, Links::Followed).map_err(unreadable)
}

/// The graph of a file: built with the nodes of its workflow where there is one, else by its names alone.
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
