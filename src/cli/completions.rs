//! `completions`: what a shell needs to complete this program's commands.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_complete::Shell;

use super::exit::Exit;
use super::session::Session;

#[derive(Args)]
struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn command() -> Command {
    Completions::augment_args(Command::new("completions"))
        .about("Print what a shell needs to complete commands")
        .after_help("For bash: source <(graph completions bash)")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = Completions::from_arg_matches(matches).expect("clap has checked what it describes");
    let mut command = session.program.command(&session.catalogue, None);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, session.program.name(), &mut script);
    session.printer.raw(&script);
    Exit::Done
}
