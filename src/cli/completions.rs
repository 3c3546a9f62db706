//! The command `completions`: prints the static completion script of a shell.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_complete::Shell;

use super::exit::Exit;
use super::session::Session;

#[derive(Args)]
struct CompletionsArgs {
    /// Shell that the script is for
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn command() -> Command {
    CompletionsArgs::augment_args(Command::new("completions"))
        .about("Print the completion script of a shell")
        .after_help("For bash: source <(graph completions bash)\nFor bash, with thread ids and graph files: source <(COMPLETE=bash graph)")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = CompletionsArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let mut command = session.program.command(&session.catalogue, None, None);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, session.program.name(), &mut script);
    session.printer.raw(&script);
    Exit::Done
}
