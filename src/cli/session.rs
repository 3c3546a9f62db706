//! The context that every command gets: the program, its workflows, the printer, the environment, and the runtime.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::continuation::NamedThread;
use super::converse::Interaction;
use super::deadline::ExitDeadline;
use super::declared::NamedGraphFile;
use super::failure::Failure;
use super::printer::Printer;
use super::signals::survive_file_size_limit;
use super::traces::Traces;
use super::{Catalogue, Program};
use crate::engine::{CheckpointStore, Clock, nearest};
use crate::llm::{Env, Tape};
use crate::trace::export::EXIT_LIMIT;
use crate::trust::TrustStore;
use crate::workflows::{ArgValues, Setting, StandardInput, Workflow};

/// The context of one program run, which every command gets.
pub(super) struct Session {
    pub(super) program: Program,
    pub(super) catalogue: Catalogue,
    /// Graph file that `graph run FILE` names.
    pub(super) graph_file: Option<NamedGraphFile>,
    /// Thread that `graph continue THREAD` names.
    pub(super) named_thread: Option<NamedThread>,
    pub(super) printer: Arc<Printer>,
    pub(super) interaction: Interaction,
    pub(super) env: Arc<dyn Env>,
    /// Working directory.
    pub(super) folder: PathBuf,
    /// Opens standard input.
    pub(super) stdin: Arc<dyn Fn() -> Box<dyn std::io::Read> + Send + Sync>,
    /// Trace export of the command.
    pub(super) traces: Traces,
    /// Deadline for all waits at the end of the program.
    pub(super) deadline: ExitDeadline,
}

impl Session {
    /// Runs a future that runs nodes to its end, on a new runtime. The background tasks that it leaves
    /// share the time limit at the end with the traces.
    pub(super) fn block_on<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        run_to_end(work, || self.deadline.left_for_tasks(self.traces.are_on()))
    }

    /// Returns the setting for a command that uses this store: without overrides, cache, memory and
    /// recording.
    pub(super) fn setting(&self, store: Arc<dyn CheckpointStore>) -> Setting {
        Setting {
            store,
            cache: None,
            memory: None,
            clock: Clock::SYSTEM,
            env: self.env.clone(),
            folder: self.folder.clone(),
            overrides: None,
            graph: None,
            tape: Tape::Off,
            trust: self.trust(),
            tools: self.catalogue.tools.clone(),
        }
    }

    /// Returns the store of the files that the user has approved.
    pub(super) fn trust(&self) -> TrustStore {
        TrustStore::of_user(|name| self.env.var(name))
    }

    /// Returns the given values with the standard input of the program added, from which a workflow may
    /// read.
    pub(super) fn with_stdin(&self, given: ArgValues) -> ArgValues {
        let open = self.stdin.clone();
        let stdin: StandardInput = Box::new(move || open());
        given.with_stdin(stdin)
    }

    /// Returns the workflow of this name. The error for an unknown name suggests a similar one.
    pub(super) fn workflow(&self, name: &str) -> Result<&dyn Workflow, Failure> {
        let found = self.catalogue.iter().find(|workflow| workflow.name() == name);
        found.map(AsRef::as_ref).ok_or_else(|| {
            let groups = self.catalogue.iter().filter_map(|workflow| workflow.place_in_group());
            let groups = groups.map(|place| place.group);
            let names = self.catalogue.iter().map(|workflow| workflow.name());
            let near = nearest(name, groups.chain(names));
            Failure::new(
                format!("there is no workflow `{name}`"),
                match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`graph list` shows the workflows".to_owned(),
                },
            )
        })
    }
}

/// Runs a future to its end on a new runtime. The runtime is made here, so that commands without async work
/// do not pay for it.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    run_to_end(work, || EXIT_LIMIT)
}

/// Runs a future to its end on a new runtime. `limit` returns the maximum wait for the blocking tasks that
/// the future leaves behind.
fn run_to_end<T>(
    work: impl Future<Output = Result<T, Failure>>,
    limit: impl FnOnce() -> Duration,
) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build().map_err(
            |error| Failure::new(error, "the limit of threads may be reached; end other programs"),
        )?;
    let result = runtime.block_on(async {
        survive_file_size_limit().map_err(|error| {
            Failure::new(error, "cannot install a signal handler; end other programs and try again")
        })?;
        work.await
    });
    // Blocking tasks that still write a file may end or clean up. Nothing else is waited for, because every acknowledged commit is on
    // disk.
    runtime.shutdown_timeout(limit());
    result
}

/// Number of worker threads beside the main thread, which drives the run. Two, because a second signal must
/// be handled while a node computes, and a computing node must not delay the answers of models.
const WORKERS: usize = 2;
