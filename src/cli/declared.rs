//! Graph files of users as workflows: one named on the command line, and the one that a thread came from. Runs nothing.

use std::ffi::OsString;
use std::path::Path;

use serde_json::value::RawValue;

use super::failure::Failure;
use super::graph_file;
use super::session::Session;
use crate::definition::Definition;
use crate::definition::inline::Origin;
use crate::engine::{CheckpointStore, ThreadId};
use crate::workflows::Declared;

/// A graph file as it was typed, and the workflow in it.
pub(super) struct Named {
    pub(super) path: String,
    pub(super) workflow: Declared,
}

impl Named {
    /// The graph file of `graph run FILE …`, so that its inputs can be options. What is wrong with one is said when the command runs.
    pub(super) fn among(arguments: &[OsString]) -> Option<Self> {
        let mut words =
            arguments.iter().skip(1).filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-'));
        let path = words.next().filter(|command| *command == "run").and_then(|_| words.next())?;
        if !graph_file::looks_like_one(Path::new(path)) {
            return None;
        }
        let workflow = of(Path::new(path)).ok()?;
        Some(Self { path: path.to_owned(), workflow })
    }
}

/// The workflow of a graph file that declares its channels.
pub(super) fn of(path: &Path) -> Result<Declared, Failure> {
    let definition = graph_file::read(path)?;
    crate::kinds::graph(&checked(definition.clone(), path)?)?;
    Ok(Declared::new(definition).expect("it was just checked"))
}

/// The file, if it is one that needs no Rust.
fn checked(definition: Definition, path: &Path) -> Result<Definition, Failure> {
    match definition.state_name() {
        None => Ok(definition),
        Some(state) => Err(Failure::new(
            format!("{} works on the state `{state}`, which is Rust's", path.display()),
            format!(
                "to run a workflow with a topology of your own: `graph run {state} --overrides DIR`, with DIR/graphs/{state}.yaml"
            ),
        )),
    }
}

/// The file that a thread came from, and its workflow; none when the thread is not of a graph file.
pub(super) async fn of_thread(
    session: &Session,
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Result<Option<(Origin, Declared)>, Failure> {
    let Some(lineage) = store.load(thread, None).await? else { return Ok(None) };
    let snapshot: Option<&RawValue> = lineage.chain.first().and_then(|first| first.snapshot.as_deref());
    let Some(origin) = snapshot.and_then(Declared::origin) else { return Ok(None) };
    let path = session.folder.join(&origin.file);
    if !path.exists() {
        return Err(Failure::new(
            format!("thread `{thread}` came from {}, which is not there", origin.file),
            "put the file back, or type the command in the folder where the run began",
        ));
    }
    let workflow = of(Path::new(&origin.file))?;
    let now = crate::kinds::origin(workflow.definition())?;
    for file in now.changed_since(&origin) {
        session.printer.say(format_args!(
            "{file} has changed since thread {thread} began; what the file says now counts"
        ));
    }
    Ok(Some((origin, workflow)))
}
