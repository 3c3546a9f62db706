//! The programs `graph` and `ard`: the only module that assembles workflows, stores and models. `ard` is `graph` with a fixed
//! workflow.
//!
//! Reading order: `session` (the context of every command), `printer` (data goes to stdout, everything else to stderr), `exit` and
//! `failure`; modules that commands share: `options`, `arguments`, `store`, `follow`, `progress`, `question`, `answer`, `example`, `converse`, `next_command`,
//! `writes`, `signals`, `logging`, `notices`, `traces`, `deadline`; then one file per command, each with `command` (its clap definition) and `execute`; and `complete`,
//! which answers a shell instead of executing a command.

mod exit;
mod failure;
mod printer;
mod session;

mod answer;
mod arguments;
mod converse;
mod deadline;
mod declared;
mod follow;
mod graph_file;
mod logging;
mod next_command;
mod notices;
mod option_hints;
mod options;
mod progress;
mod question;
mod signals;
mod store;
mod table;
mod traces;
mod writes;

mod check;
mod complete;
mod completions;
mod continuation;
mod copy;
mod diff;
mod draw;
pub mod facts;
mod fork;
mod history;
mod list;
mod live;
mod man;
pub mod mcp;
mod new;
mod prune;
mod repair;
pub mod replay;
mod resume;
mod run;
mod schema;
mod state;
mod test;
mod trust;
mod update;

pub use converse::Interaction;
pub use exit::Exit;
pub use printer::Sink;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};

use self::continuation::NamedThread;
use self::deadline::ExitDeadline;
use self::declared::NamedGraphFile;
use self::failure::Failure;
use self::printer::{Printer, Verbosity};
use self::session::Session;
use self::traces::Traces;
use crate::llm::{Env, SystemEnv};
use crate::workflows::{StandardInput, ToolMaker, Workflow};

/// One of the two programs that this crate builds, `graph` and `ard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `graph`: every workflow and graph file.
    Graph,
    /// `ard`: the debate between architect and reviewer.
    Ard,
}

/// The workflows of a program, the commands that only some programs link, and the maker of agents' tools.
#[derive(Default)]
pub struct Catalogue {
    workflows: Vec<Box<dyn Workflow>>,
    commands: Vec<AddedCommand>,
    tools: ToolMaker,
}

/// A command that a program has besides those of all programs, such as `mcp`.
pub struct AddedCommand {
    name: &'static str,
    command: fn() -> Command,
    execute: fn(&ArgMatches, &Session) -> Result<Exit, Failure>,
}

impl Catalogue {
    /// Makes a catalogue of these workflows, without further commands.
    pub fn new(workflows: Vec<Box<dyn Workflow>>) -> Self {
        Self { workflows, commands: Vec::new(), tools: ToolMaker::default() }
    }

    /// Sets the maker of the tools for agents in graph files. By default these tools read and list files.
    #[must_use]
    pub fn tools(mut self, tools: ToolMaker) -> Self {
        self.tools = tools;
        self
    }

    /// Adds a command that only this program has.
    #[must_use]
    pub fn with(mut self, command: AddedCommand) -> Self {
        self.commands.push(command);
        self
    }
}

impl std::ops::Deref for Catalogue {
    type Target = [Box<dyn Workflow>];

    fn deref(&self) -> &Self::Target {
        &self.workflows
    }
}

/// The inputs of one program run: arguments, streams, environment, workflows. The executables take them
/// from the process; tests supply their own.
pub struct Invocation {
    /// Command-line arguments; the first is the program's name.
    pub arguments: Vec<OsString>,
    /// Sink for data: results and everything that `--json` prints.
    pub stdout: Sink,
    /// Sink for progress, questions and errors.
    pub stderr: Sink,
    /// Opens standard input.
    pub stdin: StandardInput,
    /// The presence of a person to answer questions.
    pub interaction: Interaction,
    /// Source of environment variables, such as API keys and `STATEGRAPH_LOG`.
    pub env: Arc<dyn Env>,
    /// Workflows and further commands of the program.
    pub catalogue: Catalogue,
}

impl Invocation {
    /// Returns the invocation with the arguments, streams and environment of this process.
    pub fn from_process(catalogue: Catalogue) -> Self {
        Self {
            arguments: std::env::args_os().collect(),
            stdout: standard_output(),
            stderr: Box::new(anstream::AutoStream::auto(std::io::stderr())),
            stdin: Box::new(|| Box::new(std::io::stdin())),
            interaction: Interaction::of_process(),
            env: Arc::new(SystemEnv),
            catalogue,
        }
    }
}

/// Returns standard output. Without colours it is not wrapped in a filter of styles, which would be the
/// main cost of printing an event with `--json`. Only help has styles there; see [`print_clap_answer`].
fn standard_output() -> Sink {
    if has_colours() {
        Box::new(anstream::AutoStream::auto(std::io::stdout()))
    } else {
        Box::new(std::io::stdout())
    }
}

fn has_colours() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// A command of a program that always runs the same workflow, such as `ard run`.
struct OwnCommand {
    name: &'static str,
    workflow: &'static str,
}

impl Program {
    /// Returns the name of the executable: `graph` or `ard`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Ard => "ard",
        }
    }

    /// Returns the commands of the program that run a fixed workflow; `None` for `graph`, where the user
    /// names the workflow behind `run`.
    fn own_commands(self) -> Option<&'static [OwnCommand]> {
        match self {
            Self::Graph => None,
            Self::Ard => Some(&[
                OwnCommand { name: "run", workflow: "ard" },
                OwnCommand { name: "review", workflow: "ard-review" },
            ]),
        }
    }

    /// Returns true if the program can run the workflow or graph file of this name.
    fn runs(self, workflow: &str) -> bool {
        self.own_commands().is_none_or(|own| own.iter().any(|command| command.workflow == workflow))
    }

    /// Returns advice for a command line that clap refuses, if the user seems to mean another command
    /// (`continue` instead of `resume`); else `None`.
    fn usage_advice(self, arguments: &[OsString]) -> Option<&'static str> {
        let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
        let is_resume = words.find(|word| !word.starts_with('-')) == Some("resume");
        (self == Self::Graph && is_resume).then_some(
            "`resume` goes on where a thread stands and takes answers; new input goes to `graph continue THREAD`",
        )
    }

    /// Runs the program with the arguments and streams of this process. The executable links only the workflows in `catalogue`. A process
    /// with the environment variable `COMPLETE` answers the completion request of a shell and exits instead.
    pub fn main(self, catalogue: Catalogue) -> ExitCode {
        complete::answer_shell(self, &catalogue);
        self.run(Invocation::from_process(catalogue)).into()
    }

    /// Runs the program: parses the arguments, executes the command, prints its result or error, and
    /// returns the exit code.
    pub fn run(self, invocation: Invocation) -> Exit {
        let Invocation { arguments, stdout, stderr, stdin, interaction, env, catalogue } = invocation;
        let graph_file = NamedGraphFile::find_in(&arguments);
        let named_thread = (self == Self::Graph).then(|| NamedThread::find_in(&arguments)).flatten();
        let command = self.command(&catalogue, graph_file.as_ref(), named_thread.as_ref());
        let advice = self.usage_advice(&arguments);
        let parsed = command.try_get_matches_from(arguments);
        let verbosity = parsed.as_ref().map_or(Verbosity::Normal, verbosity);
        let columns = env.var("COLUMNS").and_then(|text| text.parse().ok()).filter(|columns| *columns > 0);
        let printer = Arc::new(Printer::new(stdout, stderr, verbosity, columns));
        let matches = match parsed {
            Ok(matches) => matches,
            Err(help_or_error) => return print_clap_answer(&printer, &help_or_error, advice),
        };
        let folder = std::env::current_dir().unwrap_or_default();
        let session = Session {
            program: self,
            catalogue,
            graph_file,
            named_thread,
            printer,
            interaction,
            env,
            folder,
            stdin: stdin.into(),
            traces: Traces::default(),
            deadline: ExitDeadline::default(),
        };
        let result = session.dispatch(&matches);
        session.traces.finish(&session);
        let finished = session.printer.finish();
        match result.and_then(|exit| finished.map(|()| exit)) {
            Ok(exit) => exit,
            Err(failure) => {
                session.printer.failure(&failure);
                failure.exit
            }
        }
    }

    /// Returns the clap definition of the program. `graph_file` adds a subcommand of `run` with the inputs of that file.
    /// `named_thread` adds a subcommand of `continue` with the inputs of that thread's graph.
    fn command(
        self,
        catalogue: &Catalogue,
        graph_file: Option<&NamedGraphFile>,
        named_thread: Option<&NamedThread>,
    ) -> Command {
        let command = Command::new(self.name())
            .version(env!("CARGO_PKG_VERSION"))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .args(verbosity_arguments());
        let command = match self {
            Self::Graph => command
                .about("Run, resume, inspect and draw durable graphs of LLM workflows")
                .after_help(GRAPH_EXAMPLES),
            Self::Ard => command
                .about("An architect and a reviewer argue an idea into a specification")
                .after_help(ARD_EXAMPLES),
        };
        let mut shared = run::commands(self, catalogue, graph_file);
        shared.push(resume::command(self));
        match self {
            Self::Ard => command.subcommands(shared).subcommands([
                diff::command(),
                completions::command(),
                man::command(),
            ]),
            Self::Graph => command
                .subcommand(list::command())
                .subcommands(shared)
                .subcommand(continuation::command(catalogue, named_thread))
                .subcommands([
                    history::command(),
                    state::command(),
                    diff::command(),
                    update::command(),
                    fork::command(),
                    copy::command(),
                    prune::command(),
                    repair::command(),
                ])
                .subcommands([new::command(), check::command(), test::command(), draw::command()])
                .subcommands(catalogue.commands.iter().map(|added| (added.command)()))
                .subcommands([trust::command(), schema::command()])
                .subcommands([completions::command(), man::command()]),
        }
    }
}

const GRAPH_EXAMPLES: &str = "\
Examples:
  graph list                                     list the workflows
  graph run ard --idea \"A shared shopping list\"  run a workflow
  graph history                                  list the threads
  graph draw ard --format ascii                  draw a workflow in the terminal";

const ARD_EXAMPLES: &str = "\
Examples:
  ard run --idea \"A shared shopping list\"        write spec.md by rules, without a network
  ard run --idea-file idea.txt --architect-model gemini-2.5-flash
  ard resume 3f2a                                continue a debate
  ard review spec.md                             judge a specification that you wrote";

/// Display order of the options that all commands have: below the command's own options.
const LAST: usize = 900;

/// Letter of `--quiet`, unless a workflow has an option with this letter.
const QUIET_LETTER: char = 'q';

/// Returns the option `--quiet`, without a letter.
fn quiet_argument() -> Arg {
    let quiet = Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).global(true).display_order(LAST);
    quiet.help("Print only errors, questions and the command that continues")
}

fn verbosity_arguments() -> [Arg; 2] {
    let verbose = Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count);
    [
        quiet_argument().short(QUIET_LETTER),
        verbose
            .global(true)
            .display_order(LAST)
            .conflicts_with("quiet")
            .help("Print checkpoints and whole texts too; -vv and -vvv also print the log"),
    ]
}

fn verbosity(matches: &ArgMatches) -> Verbosity {
    match (matches.get_flag("quiet"), matches.get_count("verbose")) {
        (true, _) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, more) => Verbosity::Verbose(more),
    }
}

/// Prints the answer of clap and returns the exit code: help and version go to standard output, usage
/// errors to standard error. `advice` is printed below the error for an unknown argument.
fn print_clap_answer(printer: &Printer, answer: &clap::Error, advice: Option<&str>) -> Exit {
    let text = answer.render();
    if answer.use_stderr() {
        printer.print_styled(&text.ansi().to_string());
        if let Some(advice) = advice.filter(|_| answer.kind() == clap::error::ErrorKind::UnknownArgument) {
            printer.hint(advice);
        }
        return Exit::Error;
    }
    let text = if has_colours() { text.ansi().to_string() } else { text.to_string() };
    printer.raw(text.as_bytes());
    match printer.finish() {
        Ok(()) => Exit::Done,
        Err(failure) => {
            printer.failure(&failure);
            failure.exit
        }
    }
}

impl Session {
    fn dispatch(&self, matches: &ArgMatches) -> Result<Exit, Failure> {
        let (name, matches) = matches.subcommand().expect("clap requires a command");
        logging::start(&self.printer, self.env.as_ref(), self.traces.start(name, matches, self)?)?;
        match name {
            "run" | "review" => run::execute(name, matches, self),
            "resume" => resume::execute(matches, self),
            "continue" => continuation::execute(matches, self, self.named_thread.as_ref()),
            "list" => Ok(list::execute(matches, self)),
            "check" => Ok(check::execute(matches, self)),
            "schema" => Ok(schema::execute(matches, self)),
            "new" => new::execute(matches, self),
            "test" => test::execute(matches, self),
            "trust" => trust::execute(matches, self),
            "draw" => draw::execute(matches, self),
            "history" => history::execute(matches, self),
            "state" => state::execute(matches, self),
            "diff" => diff::execute(matches, self),
            "update" => update::execute(matches, self),
            "fork" => fork::execute(matches, self),
            "copy" => copy::execute(matches, self),
            "prune" => prune::execute(matches, self),
            "repair" => repair::execute(matches, self),
            "completions" => Ok(completions::execute(matches, self)),
            "man" => man::execute(matches, self),
            other => {
                let added = self.catalogue.commands.iter().find(|added| added.name == other);
                let added = added.expect("clap knows only the commands of command()");
                (added.execute)(matches, self)
            }
        }
    }
}
