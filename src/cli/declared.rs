//! Loads graph files of users as workflows: the file that the command line names, or the file that a thread
//! came from. Runs nothing.

use std::ffi::OsString;
use std::path::Path;

use serde_json::value::RawValue;

use super::failure::Failure;
use super::graph_file;
use super::session::Session;
use crate::definition::Definition;
use crate::definition::inline::FileOrigin;
use crate::engine::{CheckpointStore, ThreadId};
use crate::workflows::Declared;

/// The graph file that the command line names, loaded as a workflow before clap parses the line.
pub(super) struct NamedGraphFile {
    /// Path as the user typed it.
    pub(super) path: String,
    pub(super) workflow: Declared,
}

impl NamedGraphFile {
    /// Finds and loads the graph file of `graph run FILE …`, so that its inputs can be options. Returns
    /// `None` if there is none or if it is invalid; the command reports the defects when it runs.
    pub(super) fn find_in(arguments: &[OsString]) -> Option<Self> {
        let mut words =
            arguments.iter().skip(1).filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-'));
        let path = words.next().filter(|command| *command == "run").and_then(|_| words.next())?;
        if !graph_file::has_graph_extension(Path::new(path)) {
            return None;
        }
        let workflow = load(Path::new(path)).ok()?;
        Some(Self { path: path.to_owned(), workflow })
    }
}

/// Loads a graph file as a workflow. Fails for an invalid file, and for one whose state is a Rust type.
pub(super) fn load(path: &Path) -> Result<Declared, Failure> {
    let definition = graph_file::read(path)?;
    crate::kinds::graph(&require_inline_state(definition.clone(), path)?)?;
    Ok(Declared::new(definition).expect("require_inline_state() accepted it"))
}

/// Returns the definition unchanged if the file declares its channels; an error if it uses a state declared
/// in Rust.
fn require_inline_state(definition: Definition, path: &Path) -> Result<Definition, Failure> {
    match definition.state_name() {
        None => Ok(definition),
        Some(state) => Err(Failure::new(
            format!("{} uses the state `{state}`, which is declared in Rust", path.display()),
            format!(
                "to run a workflow with your own topology: `graph run {state} --overrides DIR`, with DIR/graphs/{state}.yaml"
            ),
        )),
    }
}

/// Loads the graph file that a thread came from, with the record of its origin, and prints which of its
/// files have changed since. Returns `None` if the store does not have the thread, or if the thread did not
/// come from a graph file.
pub(super) async fn load_for_thread(
    session: &Session,
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Result<Option<(FileOrigin, Declared)>, Failure> {
    let Some(lineage) = store.load(thread, None).await? else { return Ok(None) };
    let snapshot: Option<&RawValue> = lineage.chain.first().and_then(|first| first.snapshot.as_deref());
    let Some(origin) = snapshot.and_then(Declared::origin) else { return Ok(None) };
    let path = session.folder.join(&origin.file);
    if !path.exists() {
        return Err(Failure::new(
            format!("thread `{thread}` came from {}, which does not exist", origin.file),
            "restore the file, or run the command in the folder in which the run began",
        ));
    }
    let workflow = load(Path::new(&origin.file))?;
    let now = crate::kinds::origin(workflow.definition())?;
    for file in now.changed_since(&origin) {
        session
            .printer
            .say(format_args!("{file} has changed since thread {thread} began; the current version is used"));
    }
    Ok(Some((origin, workflow)))
}
