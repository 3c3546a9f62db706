//! The programs `graph` and `ard`: the only place where the parts are put together. `ard` is `graph` with the workflow fixed.
//!
//! Read in this order: `session` (what every command works with), `printer` (stdout is data, stderr the rest), `exit` and
//! `failure`; what commands share: `options`, `arguments`, `store`, `follow`, `progress`, `question`, `next_command`, `signals`, `logging`, `notices`; then one
//! file a command, each with `command` (what clap knows) and `execute`.

mod exit;
mod failure;
mod printer;
mod session;

mod arguments;
mod declared;
mod follow;
mod graph_file;
mod logging;
mod next_command;
mod notices;
mod options;
mod progress;
mod question;
mod signals;
mod store;
mod table;

mod check;
mod completions;
mod draw;
mod fork;
mod history;
mod list;
mod new;
mod prune;
mod repair;
mod resume;
mod run;
mod schema;
mod state;
mod test;
mod trust;

pub use exit::Exit;
pub use printer::Sink;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};

use self::declared::Named;
use self::failure::Failure;
use self::printer::{Printer, Verbosity};
use self::session::Session;
use crate::llm::{Env, SystemEnv};
use crate::workflows::{StandardInput, Workflow};

/// Which program was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `graph`: every workflow and graph file.
    Graph,
    /// `ard`: the debate.
    Ard,
}

/// What a program is called with. Tests give their own.
pub struct Call {
    /// What was typed, the program's name first.
    pub arguments: Vec<OsString>,
    /// Where data goes.
    pub stdout: Sink,
    /// Where everything else goes.
    pub stderr: Sink,
    /// Opens standard input.
    pub stdin: StandardInput,
    /// Where keys and `STATEGRAPH_LOG` are looked for.
    pub env: Arc<dyn Env>,
    /// The workflows there are.
    pub catalogue: Vec<Box<dyn Workflow>>,
}

impl Call {
    /// Returns the call that this process is, of a program that knows these workflows.
    pub fn of_process(catalogue: Vec<Box<dyn Workflow>>) -> Self {
        Self {
            arguments: std::env::args_os().collect(),
            stdout: Box::new(anstream::AutoStream::auto(std::io::stdout())),
            stderr: Box::new(anstream::AutoStream::auto(std::io::stderr())),
            stdin: Box::new(|| Box::new(std::io::stdin())),
            env: Arc::new(SystemEnv),
            catalogue,
        }
    }
}

impl Program {
    /// The name to type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Ard => "ard",
        }
    }

    /// The only workflow it knows, if it is only one.
    fn only(self) -> Option<&'static str> {
        match self {
            Self::Graph => None,
            Self::Ard => Some("ard"),
        }
    }

    /// Does what this process was called for, with these workflows. A program holds the code of those alone that it is given.
    pub fn main(self, catalogue: Vec<Box<dyn Workflow>>) -> ExitCode {
        self.run(Call::of_process(catalogue)).into()
    }

    /// Does what it was called for. Errors are printed here; the exit code says how it ended.
    pub fn run(self, call: Call) -> Exit {
        let Call { arguments, stdout, stderr, stdin, env, catalogue } = call;
        let declared = Named::among(&arguments);
        let parsed = self.command(&catalogue, declared.as_ref()).try_get_matches_from(arguments);
        let verbosity = parsed.as_ref().map_or(Verbosity::Normal, verbosity);
        let printer = Arc::new(Printer::new(stdout, stderr, verbosity));
        let matches = match parsed {
            Ok(matches) => matches,
            Err(help_or_error) => return answered_by_clap(&printer, &help_or_error),
        };
        let folder = std::env::current_dir().unwrap_or_default();
        let session =
            Session { program: self, catalogue, declared, printer, env, folder, stdin: stdin.into() };
        let done = session.dispatch(&matches);
        let finished = session.printer.finish();
        match done.and_then(|exit| finished.map(|()| exit)) {
            Ok(exit) => exit,
            Err(failure) => {
                session.printer.failure(&failure);
                failure.exit
            }
        }
    }

    /// The whole command line.
    fn command(self, catalogue: &[Box<dyn Workflow>], declared: Option<&Named>) -> Command {
        let command = Command::new(self.name())
            .version(env!("CARGO_PKG_VERSION"))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .args(verbosity_arguments());
        let command = match self {
            Self::Graph => command
                .about("Durable graphs of language-model work: run, continue, look at, draw")
                .after_help(GRAPH_EXAMPLES),
            Self::Ard => command
                .about("An architect and a reviewer argue an idea into a specification")
                .after_help(ARD_EXAMPLES),
        };
        let shared = [run::command(self, catalogue, declared), resume::command(self)];
        match self {
            Self::Ard => command.subcommands(shared).subcommand(completions::command()),
            Self::Graph => command
                .subcommand(list::command())
                .subcommands(shared)
                .subcommands([
                    history::command(),
                    state::command(),
                    fork::command(),
                    prune::command(),
                    repair::command(),
                ])
                .subcommands([new::command(), check::command(), test::command(), draw::command()])
                .subcommands([trust::command(), schema::command(), completions::command()]),
        }
    }
}

const GRAPH_EXAMPLES: &str = "\
Examples:
  graph list                                     what can be run
  graph run ard --idea \"A shared shopping list\"  run a workflow
  graph history                                  the threads so far
  graph draw ard --format ascii                  what a workflow looks like";

const ARD_EXAMPLES: &str = "\
Examples:
  ard run --idea \"A shared shopping list\"        writes spec.md, by rules, without a network
  ard run --idea-file idea.txt --architect-model gemini-2.5-flash
  ard resume 3f2a                                continues a debate";

/// Options of every command stand below its own.
const LAST: usize = 900;

fn verbosity_arguments() -> [Arg; 2] {
    let quiet = Arg::new("quiet").short('q').long("quiet").action(ArgAction::SetTrue);
    let verbose = Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count);
    [
        quiet.global(true).display_order(LAST).help("Say nothing but errors, questions and how to continue"),
        verbose
            .global(true)
            .display_order(LAST)
            .conflicts_with("quiet")
            .help("Say more: checkpoints and the log; -vv and -vvv for more of it"),
    ]
}

fn verbosity(matches: &ArgMatches) -> Verbosity {
    match (matches.get_flag("quiet"), matches.get_count("verbose")) {
        (true, _) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, more) => Verbosity::Verbose(more),
    }
}

/// Help and version are data; what is wrong with a command line is not.
fn answered_by_clap(printer: &Printer, answer: &clap::Error) -> Exit {
    let text = answer.render().ansi().to_string();
    if answer.use_stderr() {
        printer.styled(&text);
        return Exit::Error;
    }
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
        logging::start(&self.printer, self.env.as_ref())?;
        let (name, matches) = matches.subcommand().expect("clap asks for a command");
        match name {
            "run" => run::execute(matches, self),
            "resume" => resume::execute(matches, self),
            "list" => Ok(list::execute(matches, self)),
            "check" => Ok(check::execute(matches, self)),
            "schema" => Ok(schema::execute(matches, self)),
            "new" => new::execute(matches, self),
            "test" => test::execute(matches, self),
            "trust" => trust::execute(matches, self),
            "draw" => draw::execute(matches, self),
            "history" => history::execute(matches, self),
            "state" => state::execute(matches, self),
            "fork" => fork::execute(matches, self),
            "prune" => prune::execute(matches, self),
            "repair" => repair::execute(matches, self),
            "completions" => Ok(completions::execute(matches, self)),
            other => unreachable!("`{other}` is a command without a file"),
        }
    }
}
