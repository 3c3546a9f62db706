//! What every command of one call works with: the program's name, the workflows, the printer, the world around.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Program;
use super::declared::Named;
use super::failure::Failure;
use super::printer::Printer;
use super::signals::outlive_file_limit;
use crate::engine::{CheckpointStore, Clock, nearest};
use crate::llm::{Env, Tape};
use crate::trust::TrustStore;
use crate::workflows::{Given, Setting, StandardInput, Workflow};

/// One call of a program.
pub(super) struct Session {
    pub(super) program: Program,
    pub(super) catalogue: Vec<Box<dyn Workflow>>,
    /// The graph file that `graph run` names.
    pub(super) declared: Option<Named>,
    pub(super) printer: Arc<Printer>,
    pub(super) env: Arc<dyn Env>,
    pub(super) folder: PathBuf,
    pub(super) stdin: Arc<dyn Fn() -> Box<dyn std::io::Read> + Send + Sync>,
}

impl Session {
    /// What surrounds a run on this store; nothing is overridden, recorded or replayed.
    pub(super) fn setting(&self, store: Arc<dyn CheckpointStore>) -> Setting {
        Setting {
            store,
            cache: None,
            clock: Clock::SYSTEM,
            env: self.env.clone(),
            folder: self.folder.clone(),
            overrides: None,
            graph: None,
            tape: Tape::Off,
            trust: self.trust(),
        }
    }

    /// The files that the user trusts.
    pub(super) fn trust(&self) -> TrustStore {
        TrustStore::of_user(|name| self.env.var(name))
    }

    /// What the user said, with standard input.
    pub(super) fn with_stdin(&self, given: Given) -> Given {
        let open = self.stdin.clone();
        let stdin: StandardInput = Box::new(move || open());
        given.with_stdin(stdin)
    }

    /// The workflow of this name.
    pub(super) fn workflow(&self, name: &str) -> Result<&dyn Workflow, Failure> {
        let found = self.catalogue.iter().find(|workflow| workflow.name() == name);
        found.map(AsRef::as_ref).ok_or_else(|| {
            let near = nearest(name, self.catalogue.iter().map(|workflow| workflow.name()));
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

/// Awaits. The runtime starts here, so that commands that wait for nothing do without.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(error, "the system allows no more threads; stop something"))?;
    let done = runtime.block_on(async {
        outlive_file_limit().map_err(|error| Failure::new(error, "the system takes no more signals"))?;
        work.await
    });
    // What still writes a file may end or clean up; nothing else is waited for, as what was acknowledged is on disk.
    runtime.shutdown_timeout(PATIENCE);
    done
}

/// How long a command that is over waits for what it left behind.
const PATIENCE: Duration = Duration::from_secs(1);

/// Threads beside the main one, which drives the run. A second signal is heard while a node computes, and a node that computes does
/// not hold up answers of models.
const WORKERS: usize = 2;
