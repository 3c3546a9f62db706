//! The command `man`: prints the manual page of the program, or writes a page for each of its commands. clap's definitions are the
//! only source of the text, so that pages and help texts agree.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_mangen::Man;

use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use crate::repo::replace;

#[derive(Args)]
struct ManArgs {
    /// Write one page per command to this directory instead of printing that of the program
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn command() -> Command {
    ManArgs::augment_args(Command::new("man"))
        .about("Print the manual page, or write the pages of all commands to a directory")
        .after_help(
            "To read it: graph man | man -l -\nTo install the pages: graph man ~/.local/share/man/man1",
        )
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = ManArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let mut command = session.program.command(&session.catalogue, None, None);
    command.build();
    match &args.folder {
        None => session.printer.raw(&render_page(&command)),
        Some(folder) => write_pages(session, &command, folder)?,
    }
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its subcommands to `folder`, and prints their paths.
fn write_pages(session: &Session, command: &Command, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(Man::new(command.clone()).get_filename());
    replace(&path, &render_page(command))?;
    session.printer.data(path.display());
    command.get_subcommands().try_for_each(|subcommand| write_pages(session, subcommand, folder))
}

/// Returns the manual page of a command in roff.
fn render_page(command: &Command) -> Vec<u8> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).expect("writing to memory cannot fail");
    page
}
