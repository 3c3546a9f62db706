//! Options that several commands share: the checkpoint store, and the settings of a run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::session::Session;
use crate::engine::{Breakpoints, CheckpointStore, Durability, HostRequest, HostStart, LongTermStore};
use crate::llm::layer::{Recorder, Replay, ReplayOrder};
use crate::llm::{ModelErrorKind, Tape};
use crate::store::{ItemFiles, SledStore};
use crate::workflows::Setting;

/// Default directory of the checkpoint store.
const CHECKPOINTS: &str = "./checkpoints";

/// Value of `--break-before` and `--break-after` that stands for all nodes, as in graph files.
const ALL_NODES: &str = "all";

/// Folder inside the store for cached results of nodes.
const CACHE: &str = "cache";

/// Folder inside the store for the long-term memory of graph files.
const MEMORY: &str = "memory";

/// The option that names the checkpoint store.
#[derive(Args, Clone)]
pub(super) struct StoreArgs {
    /// Directory of the checkpoint store [default: ./checkpoints]
    #[arg(long, value_name = "DIR")]
    pub(super) checkpoints: Option<PathBuf>,
}

impl StoreArgs {
    /// Returns the store that `--checkpoints` names in a command line, else the default one, for use before
    /// clap parses the line.
    pub(super) fn find_in(arguments: &[OsString]) -> Self {
        let mut words = arguments.iter().filter_map(|word| word.to_str());
        let mut checkpoints = None;
        while let Some(word) = words.next() {
            if word == "--checkpoints" {
                checkpoints = words.next();
            } else if let Some(folder) = word.strip_prefix("--checkpoints=") {
                checkpoints = Some(folder);
            }
        }
        Self { checkpoints: checkpoints.filter(|folder| !folder.is_empty()).map(PathBuf::from) }
    }

    /// Opens the store; nothing is written. Its folder is created by the first write.
    pub(super) fn open(&self) -> Result<Arc<dyn CheckpointStore>, Failure> {
        Ok(Arc::new(SledStore::open(self.folder()?)?))
    }

    /// Returns the folder of the store. Without the option, a symbolic link that leads out of the working
    /// folder is an error, because it may come from the author of a cloned repository.
    pub(super) fn folder(&self) -> Result<&Path, Failure> {
        if let Some(folder) = &self.checkpoints {
            return Ok(folder);
        }
        let default = Path::new(CHECKPOINTS);
        let Ok(target) = default.canonicalize() else { return Ok(default) };
        if Path::new(".").canonicalize().is_ok_and(|working| target.starts_with(working)) {
            return Ok(default);
        }
        Err(Failure::new(
            format!("{CHECKPOINTS} leads out of the working folder, to {}", target.display()),
            format!("to use that directory, pass `--checkpoints {CHECKPOINTS}`"),
        ))
    }
}

/// Options of every run, new or resumed.
#[derive(Args, Clone)]
#[command(next_help_heading = "Run options")]
pub(super) struct CommonRunArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Write checkpoints to disk before the next step (`sync`), while the next steps run (`async`), or at the end of the run (`exit`)
    /// [default: sync; async where rules work and no answer was paid for]
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true)]
    durability: Option<DurabilityArg>,
    /// Maximum number of steps; a run that reaches it can be resumed [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    step_limit: Option<u64>,
    /// Maximum number of nodes that run at once [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_concurrency: Option<u16>,
    /// Pause this run before the node, or before each one (`all`); may be repeated. Breakpoints of the graph do not count then
    #[arg(long, value_name = "NODE")]
    break_before: Vec<String>,
    /// Pause this run after the node, or after each one (`all`); may be repeated
    #[arg(long, value_name = "NODE")]
    break_after: Vec<String>,
    /// Directory whose graphs/ and prompts/ replace the built-in ones
    #[arg(long, value_name = "DIR")]
    pub(super) overrides: Option<PathBuf>,
    /// Append the external inputs of the run to this file: model answers, tool results, times
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Replay the external inputs from this file, written by --record; no model is called
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Print events as JSON lines on standard output
    #[arg(long)]
    json: bool,
    /// Send traces of this run, as `LLM_TRACING_ENABLED=true` does
    #[arg(long)]
    enable_tracing: bool,
    /// Trust the files that this run finds, such as ./config.yaml, without an approval by `graph trust`
    #[arg(long)]
    pub(super) trust: bool,
}

/// The value of `--durability`.
#[derive(ValueEnum, Clone, Copy)]
enum DurabilityArg {
    /// Written before the next step.
    Sync,
    /// Written while the next steps run.
    Async,
    /// Written at the end of the run.
    Exit,
}

/// The data that a run prints on standard output: its result, or its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputMode {
    /// The result and the paths of written files, when the run is done.
    Result,
    /// Every event as a JSON line, while the graph runs.
    Events,
}

impl CommonRunArgs {
    /// Returns the data that the run prints on standard output: events with `--json`, else the result.
    pub(super) fn output_mode(&self) -> OutputMode {
        if self.json { OutputMode::Events } else { OutputMode::Result }
    }

    /// Returns the setting of the run: store, cache, memory, recording and trust. Opens the store and the
    /// recording.
    pub(super) fn setting(&self, session: &Session) -> Result<Setting, Failure> {
        let setting = session.setting(self.store.open()?);
        let tape = self.tape()?;
        let memory = ItemFiles::open(self.store.folder()?.join(MEMORY));
        let cache = self.store.folder()?.join(CACHE);
        let cache = || Arc::new(ItemFiles::open(cache)) as Arc<dyn LongTermStore>;
        Ok(Setting {
            overrides: self.overrides.clone(),
            // No cache with a recording, because the calls behind a cached result would be missing from it.
            cache: matches!(tape, Tape::Off).then(cache),
            memory: Some(Arc::new(memory)),
            tape,
            trust: if self.trust { setting.trust.trusting_all() } else { setting.trust },
            ..setting
        })
    }

    /// Returns a request for the host that begins at `start`, with the durability, limits and breakpoints
    /// of the options.
    pub(super) fn request(&self, start: HostStart) -> HostRequest {
        let mut request = HostRequest::new(start);
        request.durability = self.durability_or(Durability::default());
        request.step_limit = self.step_limit;
        request.max_concurrency = self.max_concurrency.map(usize::from);
        request.breakpoints = self.breakpoints();
        request
    }

    /// Returns the breakpoints of the options; `None` if there are none, so that those of the graph apply.
    fn breakpoints(&self) -> Option<Breakpoints> {
        if self.break_before.is_empty() && self.break_after.is_empty() {
            return None;
        }
        let has_all = |names: &[String]| names.iter().any(|name| name == ALL_NODES);
        let none = Breakpoints::none();
        let before =
            if has_all(&self.break_before) { none.before_all() } else { none.before(&self.break_before) };
        Some(if has_all(&self.break_after) { before.after_all() } else { before.after(&self.break_after) })
    }

    /// Returns the durability that the option sets, else `default`.
    pub(super) fn durability_or(&self, default: Durability) -> Durability {
        match self.durability {
            Some(DurabilityArg::Sync) => Durability::Sync,
            Some(DurabilityArg::Async) => Durability::ASYNC,
            Some(DurabilityArg::Exit) => Durability::Exit,
            None => default,
        }
    }

    /// Opens the file of `--record` or `--replay`; `Tape::Off` without these options.
    fn tape(&self) -> Result<Tape, Failure> {
        let failed = |kind: ModelErrorKind| {
            Failure::new(kind.to_string(), "a recording is a file of JSON lines that `--record FILE` wrote")
        };
        match (&self.record, &self.replay) {
            (Some(path), _) => Recorder::append(path).map(Tape::Record).map_err(failed),
            // In any order, because the answers to concurrent nodes were recorded in the order in which they arrived.
            (None, Some(path)) => Replay::open(path, ReplayOrder::Any).map(Tape::Replay).map_err(failed),
            (None, None) => Ok(Tape::Off),
        }
    }
}
