//! `trust`: shows the capabilities that a file asks for, and allows them from now on.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::{Failure, What};
use super::graph_file;
use super::session::Session;
use crate::repo::show;
use crate::trust::TrustRequest;
use crate::workflows::{Declared, trust_request};

#[derive(Args)]
struct Trust {
    /// A configuration or a graph file
    #[arg(value_name = "FILE", default_value = "config.yaml")]
    file: PathBuf,
    /// Show the files that are trusted, and what each is trusted with
    #[arg(long, conflicts_with_all = ["file", "revoke"])]
    list: bool,
    /// Trust the file no longer
    #[arg(long)]
    revoke: bool,
}

pub(super) fn command() -> Command {
    Trust::augment_args(Command::new("trust"))
        .about("Show what a file asks for that only you can allow, and allow it")
        .after_help(
            "A configuration that is found may not send keys elsewhere, read variables, set headers or write outside its folder \
             before it is trusted.\nA change of these parts needs a new approval; any other change does not. \
             For one command alone: --trust",
        )
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Trust::from_arg_matches(matches).expect("clap has checked what it describes");
    let store = session.trust();
    if args.list {
        for approval in store.approvals()? {
            session.printer.data(show(&approval.file));
            approval.wants.iter().for_each(|want| session.printer.data(format_args!("  {want}")));
        }
        return Ok(Exit::Done);
    }
    let file = args.file.display();
    if args.revoke {
        let revoked = match store.revoke(&session.folder.join(&args.file))? {
            0 => "was not trusted",
            _ => "is trusted no longer",
        };
        session.printer.progress(format_args!("{file} {revoked}"));
        return Ok(Exit::Done);
    }
    let request = request(&args.file)?;
    if request.is_empty() {
        session.printer.progress(format_args!("{file} asks for nothing that needs trust"));
        return Ok(Exit::Done);
    }
    request.wants().iter().for_each(|want| session.printer.data(want));
    store.allow(&request)?;
    session.printer.progress(format_args!(
        "{file} is trusted with this from now on; `graph trust --revoke {file}` takes it back"
    ));
    Ok(Exit::Done)
}

/// The capabilities that a graph file asks for, or a configuration, as every other file is read.
fn request(file: &Path) -> Result<TrustRequest, Failure> {
    match graph_file::read(file) {
        Ok(definition) => {
            let declared = Declared::new(definition);
            Ok(declared.map_or_else(|| TrustRequest::of(file), |graph| graph.trust_request()))
        }
        Err(failure) if matches!(failure.what, What::Defects(_)) && names_nodes(file) => Err(failure),
        Err(_) => Ok(trust_request(file)?),
    }
}

/// Returns true for a file that is meant as a graph: a configuration has no such key.
fn names_nodes(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.lines().any(|line| line.starts_with("nodes:")))
}
