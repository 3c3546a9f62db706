//! The command `trust`: prints the capabilities that a file requests, and approves them.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::{Failure, FailureCause};
use super::graph_file;
use super::session::Session;
use crate::mcp::PinStore;
use crate::repo::show;
use crate::trust::TrustRequest;
use crate::workflows::tool_servers::servers_trust_request;
use crate::workflows::{Declared, trust_request};

#[derive(Args)]
struct TrustArgs {
    /// Configuration, graph file or file of tool servers
    #[arg(value_name = "FILE", default_value = "config.yaml")]
    file: PathBuf,
    /// List the trusted files, each with its approved capabilities
    #[arg(long, conflicts_with_all = ["file", "revoke"])]
    list: bool,
    /// Revoke the approval of the file
    #[arg(long)]
    revoke: bool,
}

pub(super) fn command() -> Command {
    TrustArgs::augment_args(Command::new("trust"))
        .about("Show the capabilities that a file requests, and approve them")
        .after_help(
            "Until you approve it, a configuration found in the working folder cannot send keys to other hosts, read environment \
             variables, set headers or write outside the folder, and a file of tool servers cannot start programs.\nA change of these parts needs a new approval; any other change does \
             not. To trust the files of a single command, pass --trust to it.",
        )
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = TrustArgs::from_arg_matches(matches).expect("clap has validated these arguments");
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
            _ => "is no longer trusted",
        };
        session.printer.progress(format_args!("{file} {revoked}"));
        return Ok(Exit::Done);
    }
    let request = read_request(&args.file)?;
    if request.is_empty() {
        session.printer.progress(format_args!("{file} requests nothing that needs an approval"));
        return Ok(Exit::Done);
    }
    request.wants().iter().for_each(|want| session.printer.data(want));
    store.allow(&request)?;
    // The tools of its servers are accepted as the servers describe them next.
    PinStore::of_user(|name| session.env.var(name)).forget(&args.file);
    session.printer.progress(format_args!(
        "{file} is trusted with this from now on; `graph trust --revoke {file}` revokes it"
    ));
    Ok(Exit::Done)
}

/// Reads the capabilities that a file requests. The file is a file of tool servers if it looks like one,
/// else a graph file, else a configuration.
fn read_request(file: &Path) -> Result<TrustRequest, Failure> {
    if file.extension().is_some_and(|ending| ending == "json")
        && let Some(request) = servers_trust_request(file)
    {
        return Ok(request);
    }
    match graph_file::read(file) {
        Ok(definition) => {
            let declared = Declared::new(definition);
            Ok(declared.map_or_else(|| TrustRequest::of(file), |graph| graph.trust_request()))
        }
        Err(failure) if matches!(failure.cause, FailureCause::Defects(_)) && is_meant_as_graph(file) => {
            Err(failure)
        }
        Err(_) => Ok(trust_request(file)?),
    }
}

/// Returns true for a file with the top-level key `nodes`, which a configuration does not have.
fn is_meant_as_graph(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.lines().any(|line| line.starts_with("nodes:")))
}
