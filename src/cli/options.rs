//! The options that several commands share: where checkpoints are, and how a run is made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::session::Session;
use crate::engine::{CheckpointStore, Durability, HostRequest, HostStart, LongTermStore};
use crate::llm::layer::{Recorder, Replay, ReplayOrder};
use crate::llm::{ModelErrorKind, Tape};
use crate::store::{ItemFiles, SledStore};
use crate::workflows::Setting;

/// Where checkpoints are kept when nothing is said.
const CHECKPOINTS: &str = "./checkpoints";

/// Where, below the checkpoints, the results of nodes with a cache are kept.
const CACHE: &str = "cache";

/// Where checkpoints are.
#[derive(Args, Clone)]
pub(super) struct StoreArgs {
    /// Where checkpoints are kept [default: ./checkpoints]
    #[arg(long, value_name = "DIR")]
    pub(super) checkpoints: Option<PathBuf>,
}

impl StoreArgs {
    /// The store; nothing is made before something is written.
    pub(super) fn open(&self) -> Result<Arc<dyn CheckpointStore>, Failure> {
        Ok(Arc::new(SledStore::open(self.folder()?)?))
    }

    /// The folder of the checkpoints. A link that leads out of the working folder is refused, unless the user named it: one that is
    /// only found may be a stranger's.
    pub(super) fn folder(&self) -> Result<&Path, Failure> {
        if let Some(folder) = &self.checkpoints {
            return Ok(folder);
        }
        let found = Path::new(CHECKPOINTS);
        let Ok(landing) = found.canonicalize() else { return Ok(found) };
        if Path::new(".").canonicalize().is_ok_and(|working| landing.starts_with(working)) {
            return Ok(found);
        }
        Err(Failure::new(
            format!("{CHECKPOINTS} leads out of the working folder, to {}", landing.display()),
            format!("if checkpoints should be kept there, say so: --checkpoints {CHECKPOINTS}"),
        ))
    }
}

/// How a run is made, new or resumed.
#[derive(Args, Clone)]
#[command(next_help_heading = "Run options")]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// When a checkpoint must be on disk: before the next step, soon, or at the end of the run
    #[arg(long, value_name = "WHEN", value_enum, default_value = "sync", hide_possible_values = true)]
    durability: When,
    /// Stop after so many steps; the run can be resumed [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    step_limit: Option<u64>,
    /// Run so many nodes at once, at most [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_concurrency: Option<u16>,
    /// A folder whose graphs/ and prompts/ are used instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub(super) overrides: Option<PathBuf>,
    /// Append what the run takes from outside to this file: answers of models, results of tools, times
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Take all that from this file, made by --record; nothing is asked
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Print what happens as JSON lines on standard output
    #[arg(long)]
    json: bool,
    /// Trust the files that this run finds, such as ./config.yaml, without `graph trust`
    #[arg(long)]
    pub(super) trust: bool,
}

/// The three durabilities by name.
#[derive(ValueEnum, Clone, Copy)]
enum When {
    /// Before the next step.
    Sync,
    /// While the next steps run.
    Async,
    /// At the end of the run.
    Exit,
}

/// What goes to standard output while a graph runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// The paths of what was made.
    Paths,
    /// Every event.
    Events,
}

impl RunArgs {
    /// What goes to standard output.
    pub(super) fn output(&self) -> Output {
        if self.json { Output::Events } else { Output::Paths }
    }

    /// What surrounds the run.
    pub(super) fn setting(&self, session: &Session) -> Result<Setting, Failure> {
        let setting = session.setting(self.store.open()?);
        let tape = self.tape()?;
        let cache = self.store.folder()?.join(CACHE);
        let cache = || Arc::new(ItemFiles::open(cache)) as Arc<dyn LongTermStore>;
        Ok(Setting {
            overrides: self.overrides.clone(),
            // A result that is kept would be missing from the recording.
            cache: matches!(tape, Tape::Off).then(cache),
            tape,
            trust: if self.trust { setting.trust.trusting_all() } else { setting.trust },
            ..setting
        })
    }

    /// A request with these limits.
    pub(super) fn request(&self, start: HostStart) -> HostRequest {
        let mut request = HostRequest::new(start);
        request.durability = match self.durability {
            When::Sync => Durability::Sync,
            When::Async => Durability::ASYNC,
            When::Exit => Durability::Exit,
        };
        request.step_limit = self.step_limit;
        request.max_concurrency = self.max_concurrency.map(usize::from);
        request
    }

    fn tape(&self) -> Result<Tape, Failure> {
        let failed = |kind: ModelErrorKind| {
            Failure::new(kind.to_string(), "a recording is a file of JSON lines that `--record FILE` wrote")
        };
        match (&self.record, &self.replay) {
            (Some(path), _) => Recorder::append(path).map(Tape::Record).map_err(failed),
            // In any order: nodes that ask at once are answered in the order in which the endpoint was done.
            (None, Some(path)) => Replay::open(path, ReplayOrder::Any).map(Tape::Replay).map_err(failed),
            (None, None) => Ok(Tape::Off),
        }
    }
}
