//! Interface of a workflow: name, arguments, graph file, prompts, and the preparation of a run. Independent
//! of the command line and of servers, which use all workflows through it.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::difference::StateDifference;
use super::outside_write::{OutsideWrite, encode_typed_write};
pub use super::prepared_run::{ContinuedRun, PreparedRun, ReopenedState, RunStart};
use crate::definition::{Definition, Diagnostics, FILE_MAX, Registry};
use crate::engine::{
    CheckpointStore, Clock, CompiledGraph, Event, LongTermStore, SharedHost, State, Topology,
};
use crate::llm::{EmbeddedPrompt, Env, Prompts, Tape};
use crate::trust::{TrustError, TrustStore};
use stategraph_agent::Toolbox;
use stategraph_base::regular::{Links, read_up_to};
use stategraph_repo::Root;

/// Workflow that commands can run, resume and inspect.
pub trait Workflow: Send + Sync {
    /// Returns the name, as typed after `graph run`.
    fn name(&self) -> &str;

    /// Returns a description in one line.
    fn about(&self) -> &str;

    /// Returns its place in a group: `graph run GROUP WORD` runs it then. `None` unless set: `graph run NAME`
    /// runs it.
    fn place_in_group(&self) -> Option<PlaceInGroup> {
        None
    }

    /// Returns the arguments of the workflow, besides those of every run.
    fn arguments(&self) -> Vec<Argument<'_>>;

    /// Returns the embedded graph file; `None` for a workflow of a user's graph file.
    fn graph_file(&self) -> Option<EmbeddedGraph>;

    /// Returns false if none of its nodes asks a model or calls a tool; true unless set. Traces leave out the nodes of such a workflow.
    fn calls_models(&self) -> bool {
        true
    }

    /// Returns its embedded prompts.
    fn prompts(&self) -> &'static [EmbeddedPrompt];

    /// Builds a graph file on this workflow's state and returns its topology, or its defects. Compiles
    /// nothing to run.
    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics>;

    /// Prepares a new run. All arguments are validated here, before any node runs.
    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError>;

    /// Prepares a run that continues a thread with new inputs (LangGraph F44); `None` for a workflow whose
    /// runs begin anew on an existing thread.
    fn prepare_continuation(
        &self,
        _: &ArgValues,
        _: &Setting,
    ) -> Result<Option<ContinuedRun>, WorkflowError> {
        Ok(None)
    }

    /// Returns the change of a stored state that the arguments of a resume ask for, such as a higher limit; `None` if they ask for none.
    fn reopen(
        &self,
        _: &ArgValues,
        _: &Setting,
        _: &RawValue,
    ) -> Result<Option<ReopenedState>, WorkflowError> {
        Ok(None)
    }

    /// Returns the JSON by which an update of the graph writes a user's value to a channel. `host` is the
    /// [`viewer`](Self::viewer). Fails with the reason if there is no such channel or the value does not fit
    /// it.
    fn encode_write(
        &self,
        host: &SharedHost,
        channel: &str,
        value: &Value,
        effect: OutsideWrite,
    ) -> Result<Value, String> {
        encode_typed_write(host, channel, value, effect)
    }

    /// Compiles the graph to resume a stored run, given its state.
    fn restore(
        &self,
        given: &ArgValues,
        setting: &Setting,
        stored: &RawValue,
    ) -> Result<SharedHost, WorkflowError>;

    /// Returns a compiled graph that reads threads and changes them from outside. Needs no key and calls no
    /// model.
    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError>;

    /// Returns the progress line for an event; `None` for an event that is not shown.
    fn line(&self, event: &Event) -> Option<String>;

    /// Returns further lines for an event, such as the texts of a review; empty unless overridden.
    fn details(&self, _: &Event) -> Vec<String> {
        Vec::new()
    }

    /// Returns the lines that the workflow adds to the live view of a run; `None` unless overridden.
    fn live_lines(&self) -> Option<Box<dyn LiveLines>> {
        None
    }

    /// Compares two states of the workflow, by path unless overridden.
    fn compare(&self, old: &RawValue, new: &RawValue) -> Result<StateDifference, WorkflowError> {
        StateDifference::by_path(old, new).map_err(|error| WorkflowError::new(error, None))
    }

    /// Returns the report about the final state of a run.
    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError>;
}

/// Lines that a workflow adds to the live view of one run, updated by its events.
pub trait LiveLines: Send {
    /// Updates the lines by an event of the run.
    fn observe(&mut self, event: &Event);

    /// Returns the lines, the most important first. The view may show fewer.
    fn lines(&self) -> Vec<String>;
}

/// Place of a workflow in a group: `graph run GROUP WORD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceInGroup {
    /// First word, which all workflows of the group share.
    pub group: &'static str,
    /// A description of the group in one line; equal in all of its workflows.
    pub about: &'static str,
    /// Second word, which names the workflow.
    pub word: &'static str,
}

/// Graph file that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedGraph {
    /// Path of the file, in errors and in a folder of overrides.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Argument that a workflow accepts on the command line: an option, a switch or a positional value.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    /// The name: `--name` for an option.
    pub name: &'a str,
    /// The form of the argument.
    pub kind: ArgumentKind<'a>,
    /// The meaning, in one line.
    pub about: &'a str,
}

/// Form of an [`Argument`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind<'a> {
    /// `--name VALUE`; the text stands for the value in the help.
    Option(&'a str),
    /// Option with a letter too: `-n VALUE`.
    Lettered(char, &'a str),
    /// An input of a graph file: `--name VALUE`, with the type and the default of the value.
    Input {
        /// The type.
        value: &'a str,
        /// Default value; `None` makes the input required.
        default: Option<&'a Value>,
    },
    /// `VALUE` by position; the text stands for it in the help.
    Positional(&'a str),
    /// `--name` alone.
    Switch,
}

/// Arguments that the user gave, by name, with access to standard input.
#[derive(Default)]
pub struct ArgValues {
    values: BTreeMap<String, OsString>,
    stdin: Option<StandardInput>,
}

/// Function that opens standard input. Called at most once, and only when an argument asks for it.
pub type StandardInput = Box<dyn Fn() -> Box<dyn Read> + Send + Sync>;

impl ArgValues {
    /// Makes empty arguments.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Adds the value of an argument; any value for a switch.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the function that opens standard input.
    #[must_use]
    pub fn with_stdin(mut self, open: StandardInput) -> Self {
        self.stdin = Some(open);
        self
    }

    /// Returns the value of an argument as the system passed it; `None` if it was not given.
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        self.values.get(name).map(OsString::as_os_str)
    }

    /// Returns true if the argument was given, with or without a value.
    pub fn is_given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Returns a value as a path.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).map(PathBuf::from)
    }

    /// Returns the value of an argument as text. Fails if it is not UTF-8.
    pub fn text(&self, name: &str) -> Result<Option<&str>, WorkflowError> {
        let not_text = || {
            WorkflowError::msg(format!("the value of `--{name}` is not UTF-8 text"))
                .with_hint("put it in a file in UTF-8, or type it without the bytes in question")
        };
        self.raw(name).map(|value| value.to_str().ok_or_else(not_text)).transpose()
    }

    /// Returns the value of an argument as a whole number. Fails if it is none.
    pub fn number(&self, name: &str) -> Result<Option<u32>, WorkflowError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let number = text.parse().map_err(|_| {
            WorkflowError::msg(format!("`--{name}` takes a whole number of 0 or more, not `{text}`"))
                .with_hint(format!("write it in digits: --{name} 3"))
        })?;
        Ok(Some(number))
    }

    /// Opens standard input, if there is one.
    pub fn stdin(&self) -> Option<Box<dyn Read>> {
        self.stdin.as_ref().map(|open| open())
    }
}

/// Environment in which a run is prepared: stores, clock, variables, folders, tape, trust.
#[derive(Clone)]
pub struct Setting {
    /// The store for its checkpoints.
    pub store: Arc<dyn CheckpointStore>,
    /// The store for the results of nodes with a cache; `None` turns caching off.
    pub cache: Option<Arc<dyn LongTermStore>>,
    /// Long-term store of graph files; `None` if a run must not use it.
    pub memory: Option<Arc<dyn LongTermStore>>,
    /// Clock of the checkpoints; the run itself uses [`taped_clock`](Self::taped_clock).
    pub clock: Clock,
    /// Environment variables, in which keys are looked up.
    pub env: Arc<dyn Env>,
    /// Working folder, in which relative paths start.
    pub folder: PathBuf,
    /// Folder whose `graphs/` and `prompts/` replace those of the program.
    pub overrides: Option<PathBuf>,
    /// Graph file of the user, which takes precedence over both.
    pub graph: Option<PathBuf>,
    /// Records or replays the outside inputs of the run: answers, times, ids, results of tools.
    pub tape: Tape,
    /// Files that the user trusts, with the approved capabilities.
    pub trust: TrustStore,
    /// Makes the tools of agents in graph files.
    pub tools: ToolMaker,
}

/// Factory of the tools that read files below a folder, for agents in graph files. Each program sets its own,
/// because tools that know programming languages link their grammars.
#[derive(Clone)]
pub struct ToolMaker(Arc<MakeTools>);

type MakeTools = dyn Fn(&Root, &dyn Env) -> Toolbox + Send + Sync;

impl ToolMaker {
    /// Makes a factory from a function of the folder and of the environment, in which the folder of caches is
    /// looked up.
    pub fn new(make: impl Fn(&Root, &dyn Env) -> Toolbox + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// Makes the tools for the files below a folder.
    pub fn make(&self, root: &Root, env: &dyn Env) -> Toolbox {
        (self.0)(root, env)
    }
}

impl Default for ToolMaker {
    /// Makes the tools that need no grammar: `read_file` and `list_directory`.
    fn default() -> Self {
        Self::new(|root, _| stategraph_code_tools::reading(root))
    }
}

impl Setting {
    /// Returns the clock of the run, whose times are recorded to or replayed from the tape. If the tape
    /// cannot be written, the next answer of a model reports it.
    pub fn taped_clock(&self) -> Clock {
        let (clock, tape) = (self.clock.clone(), self.tape.clone());
        Clock::from_fn(move || {
            let now = clock.now_ms();
            tape.time(now).unwrap_or(now)
        })
    }

    /// Returns the graph file of this run: the user's, else that in the folder of overrides, else `graph`.
    pub fn definition(&self, graph: EmbeddedGraph) -> Result<Definition, WorkflowError> {
        let EmbeddedGraph { file, text } = graph;
        let overriding = self.overrides.as_ref().map(|folder| folder.join(file)).filter(|path| path.exists());
        let own = self.graph.clone().or(overriding);
        let parsed = match own {
            None => Definition::parse(text, file),
            Some(path) => {
                let unreadable = |error| {
                    WorkflowError::msg(format!("cannot read {}: {error}", path.display()))
                        .with_hint("make it readable, or move it away to use the graph of the program")
                };
                let bytes = read_up_to(&path, FILE_MAX, Links::Followed).map_err(unreadable)?;
                Definition::parse(bytes, path.display().to_string())
            }
        };
        parsed.map_err(|defects| WorkflowError::new(defects, None))
    }

    /// Compiles a graph file with the services of a run and with the store and clock of this setting.
    pub fn compile<S: State, D: Send + Sync + 'static>(
        &self,
        graph: EmbeddedGraph,
        registry: &Registry<S, D>,
        services: D,
    ) -> Result<CompiledGraph<S, D>, WorkflowError> {
        let graph =
            self.definition(graph)?.build(registry).map_err(|defects| WorkflowError::new(defects, None))?;
        let graph = graph.compile_with(services).map_err(|defects| WorkflowError::new(defects, None))?;
        Ok(graph.with_store(self.store.clone()).with_clock(self.clock.clone()))
    }

    /// Returns the prompts of a workflow. A file of the same name in `prompts/<workflow>` of the folder of
    /// overrides replaces a prompt.
    pub fn prompts(&self, workflow: &str, embedded: &[EmbeddedPrompt]) -> Result<Prompts, WorkflowError> {
        let own = self.overrides.as_ref().map(|folder| folder.join("prompts").join(workflow));
        let prompts = match own {
            None => Prompts::new(embedded),
            Some(folder) => Prompts::overridden(embedded, &folder),
        };
        prompts.map_err(|error| {
            let hint = error.hint();
            WorkflowError::new(error, hint)
        })
    }
}

/// Report about a finished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The acceptance of the result.
    pub acceptance: Acceptance,
    /// Lines for the user.
    pub lines: Vec<String>,
    /// Files that were written, as the user named them.
    pub outputs: Vec<PathBuf>,
    /// Result as data; `None` if it is a file or a document.
    pub result: Option<Value>,
    /// Document that goes to standard output instead of a file.
    pub document: Option<String>,
}

/// Acceptance of a result; it decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// The result is complete.
    Accepted,
    /// There is a result, but something is left open.
    NotAccepted,
}

/// Error of a run that could not be prepared, with an optional hint for the user.
pub struct WorkflowError {
    source: Box<dyn Error + Send + Sync>,
    hint: Option<String>,
}

impl WorkflowError {
    /// Wraps an error of another layer with a hint for the user.
    pub fn new(source: impl Error + Send + Sync + 'static, hint: Option<String>) -> Self {
        Self { source: Box::new(source), hint }
    }

    /// Makes an error from a message.
    pub fn msg(text: impl Into<String>) -> Self {
        Self { source: text.into().into(), hint: None }
    }

    /// Sets the hint: the next step for the user.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the wrapped error if it is of this type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }
}

impl From<TrustError> for WorkflowError {
    fn from(error: TrustError) -> Self {
        let hint = error.hint();
        Self::new(error, Some(hint))
    }
}

impl fmt::Debug for WorkflowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for WorkflowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl Error for WorkflowError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.source()
    }
}
