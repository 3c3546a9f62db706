//! Dynamic shell completion: answers a shell that has loaded the script of `COMPLETE=bash graph`. Besides commands and options, it
//! completes thread ids of the store, workflows and graph files. Writes nothing, takes no lock, and sends no request.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};

use super::declared::NamedGraphFile;
use super::graph_file::{graph_of, is_graph_file};
use super::options::StoreArgs;
use super::{Catalogue, Program};
use crate::engine::ThreadId;

/// Maximum number of thread ids that are offered at once; shells ask the user before they show more.
const THREADS_MAX: usize = 100;

/// Maximum time for listing the threads, because the shell waits for the answer and the store may be on a
/// slow network disk.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Answers the completion request of a shell and exits, if the environment variable `COMPLETE` is set; else
/// returns at once.
///
/// Must be called before the process starts threads, because the variable is removed from the environment.
pub(super) fn answer_shell(program: Program, catalogue: &Catalogue) {
    CompleteEnv::with_factory(|| {
        // The shell passes the typed line after `--`.
        let line: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
        // No thread is opened for the inputs of `continue`.
        let command = program.command(catalogue, NamedGraphFile::find_in(&line).as_ref(), None);
        let workflows = catalogue.iter().map(|workflow| workflow.name().to_owned()).collect();
        add_completers(
            with_external_arguments(command),
            &CompletionList { store: typed_store(&line), workflows },
        )
    })
    .complete();
}

/// The sources of completion candidates: the store with the threads, and the names of the workflows.
struct CompletionList {
    store: StoreArgs,
    /// Names of the workflows.
    workflows: Vec<String>,
}

/// Returns the store that `--checkpoints` names in the typed line, or the default store.
fn typed_store(line: &[OsString]) -> StoreArgs {
    let found = StoreArgs::find_in(line);
    StoreArgs { checkpoints: found.checkpoints.and_then(|folder| folder.to_str().map(expand_home)) }
}

/// Returns the path with a leading `~/` replaced by the home folder, because the shell has not expanded a
/// line that is still being typed.
fn expand_home(folder: &str) -> PathBuf {
    let home = folder.strip_prefix("~/").and_then(|rest| Some(std::env::home_dir()?.join(rest)));
    home.unwrap_or_else(|| PathBuf::from(folder))
}

/// Adds an argument for graph files to `graph run`, and one for threads to `graph continue`, for completion
/// only. The real commands take these words as external subcommands, for which clap completes neither paths
/// nor threads.
fn with_external_arguments(command: Command) -> Command {
    command.mut_subcommands(|subcommand| match subcommand.get_name() {
        "run" if subcommand.is_allow_external_subcommands_set() => {
            subcommand.arg(Arg::new("file").value_name("GRAPH"))
        }
        "continue" => subcommand.arg(Arg::new("thread").value_name("THREAD")),
        _ => subcommand,
    })
}

/// Adds a completer to each argument of a command and its subcommands whose value name, such as `THREAD` or
/// `FILE`, has one.
fn add_completers(command: Command, candidates: &CompletionList) -> Command {
    let command = command.mut_args(|arg| match completer_of(&arg, candidates) {
        Some(completer) => arg.add(completer),
        None => arg,
    });
    command.mut_subcommands(|subcommand| add_completers(subcommand, candidates))
}

fn completer_of(arg: &Arg, candidates: &CompletionList) -> Option<ArgValueCompleter> {
    let name = arg.get_value_names()?.first()?.as_str();
    Some(match name {
        "ID" | "THREAD" | "CHECKPOINT" | "FROM" | "TO" => {
            let store = candidates.store.clone();
            ArgValueCompleter::new(move |typed: &OsStr| complete_thread(&store, typed))
        }
        "WORKFLOW|FILE" => {
            let workflows = candidates.workflows.clone();
            ArgValueCompleter::new(move |typed: &OsStr| complete_graph(&workflows, typed))
        }
        // The workflows are subcommands.
        "GRAPH" => ArgValueCompleter::new(|typed: &OsStr| complete_graph(&[], typed)),
        "FILE" if arg.is_positional() => ArgValueCompleter::new(
            PathCompleter::file().filter(|path| is_graph_file(path) || graph_of(path).is_some()),
        ),
        "FILE" => ArgValueCompleter::new(PathCompleter::any()),
        "DIR" | "REPO" => ArgValueCompleter::new(PathCompleter::dir()),
        _ => return None,
    })
}

/// Returns the names of workflows, and the graph files, that begin with the typed text.
fn complete_graph(workflows: &[String], typed: &OsStr) -> Vec<CompletionCandidate> {
    let prefix = typed.to_str();
    let names = workflows.iter().filter(|name| prefix.is_some_and(|prefix| name.starts_with(prefix)));
    let files = PathCompleter::file().filter(is_graph_file).complete(typed);
    names.map(CompletionCandidate::new).chain(files).collect()
}

/// Returns at most [`THREADS_MAX`] ids of threads that begin with the typed text; none if the store cannot
/// be read.
fn complete_thread(store: &StoreArgs, typed: &OsStr) -> Vec<CompletionCandidate> {
    let ids = typed.to_str().and_then(|prefix| list_threads(store, prefix)).unwrap_or_default();
    sample(&ids).map(|id| CompletionCandidate::new(id.as_str())).collect()
}

/// Lists the ids of threads that begin with `prefix`, sorted, by the file names of their journals; `None`
/// on an error or a timeout. Opens no journal, because that may open the index, which is then locked and
/// written to.
fn list_threads(store: &StoreArgs, prefix: &str) -> Option<Vec<ThreadId>> {
    let store = store.open().ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
    let listed = runtime.block_on(async { tokio::time::timeout(TIMEOUT, store.ids(prefix)).await });
    // Not awaited: after a timeout, the listing still hangs on its disk.
    runtime.shutdown_background();
    listed.ok()?.ok()
}

/// Selects at most [`THREADS_MAX`] ids at equal distances, from a sorted list. The first and the last are
/// always selected, because the shell inserts the common prefix of all candidates, which is that of these
/// two.
fn sample(ids: &[ThreadId]) -> impl Iterator<Item = &ThreadId> {
    let shown = ids.len().min(THREADS_MAX);
    (0..shown).map(move |position| &ids[position * (ids.len() - 1) / (shown - 1).max(1)])
}
