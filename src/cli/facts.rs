//! The command `facts`: prints what a code base says of itself, each line with its source. Only `graph` links it, because it brings the
//! grammars of twelve languages.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use stategraph_code_tools::CodeTools;

use super::AddedCommand;
use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use super::table::Table;
use crate::facts::{FactKind, FactOrigin, FactSubject, Facts, FactsCache, ParseCoverage};
use crate::repo::{CodeBase, Root};
use crate::workflows::ToolMaker;

#[derive(Args)]
struct FactsArgs {
    /// Folder of the code base
    #[arg(value_name = "REPO", default_value = ".")]
    repo: PathBuf,
    /// Kind of facts to print; may be repeated. Default: all but edges
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(FactKind::ALL.map(FactKind::name)))]
    kind: Vec<String>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// Parse all files again, and keep nothing in the cache folder of the user
    #[arg(long)]
    no_cache: bool,
}

/// Returns the command `facts`, which prints facts about a code base, to be added to a
/// [`Catalogue`](super::Catalogue).
pub fn added() -> AddedCommand {
    AddedCommand { name: "facts", command, execute }
}

/// Returns the maker of the tools that know programming languages, for the agents of a
/// [`Catalogue`](super::Catalogue).
pub fn code_tools() -> ToolMaker {
    ToolMaker::new(|root, env| {
        CodeTools::new(root.clone()).cache(FactsCache::of_user(|name| env.var(name))).toolbox()
    })
}

fn command() -> Command {
    FactsArgs::augment_args(Command::new("facts"))
        .about("Print what a code base says of itself: projects, commands, purposes, dependencies, each with its source")
        .after_help("Examples:\n  graph facts                         the code base of this folder\n  graph facts REPO --kind command     how to build, run and test it\n  graph facts REPO --kind edge --json which file needs which")
}

fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = FactsArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let folder = session.folder.join(&args.repo);
    let root = Root::open(&folder).map_err(|error| Failure::new(error, "give the folder of a code base"))?;
    let code = CodeBase::new(Arc::new(root));
    let cache = FactsCache::of_user(|name| session.env.var(name)).filter(|_| !args.no_cache);
    let facts = match cache {
        Some(cache) => Facts::collect_cached(&code, &cache),
        None => Facts::collect(&code),
    };
    let ParseCoverage { walked, code, parsed } = facts.coverage();
    if parsed < code {
        session.printer.progress(format_args!(
            "parsed {parsed} of {code} source files of {walked} files, those of the programs and the outer folders first"
        ));
    }
    // Of these there are as many as functions and imports.
    let is_bulky = |kind: FactKind| matches!(kind, FactKind::Edge | FactKind::Calls);
    let by_default = |kind: FactKind| args.kind.is_empty() && !is_bulky(kind);
    let is_wanted = |kind: FactKind| by_default(kind) || args.kind.iter().any(|name| name == kind.name());
    for kind in FactKind::ALL.into_iter().filter(|kind| is_wanted(*kind)) {
        if args.json {
            for fact in facts.of_kind(kind) {
                session.printer.data(serde_json::to_string(fact).expect("a fact is plain data"));
            }
        } else {
            print(kind, &facts, session);
        }
    }
    if facts.iter().next().is_none() {
        session.printer.progress(format_args!(
            "no facts: {} has no manifest, no document and no code that is known",
            args.repo.display()
        ));
    }
    Ok(Exit::Done)
}

/// Prints all facts of one kind as a table.
fn print(kind: FactKind, facts: &Facts, session: &Session) {
    let mut table = Table::new([kind.name(), "of", "source", "value"]);
    for fact in facts.of_kind(kind) {
        let (what, value) = fact.cells();
        let by_convention = if fact.origin == FactOrigin::Convention { " (by convention)" } else { "" };
        let more = fact.sources.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        // The value stands last, because a long one would push the rest out of sight.
        let source = format!("{}{more}{by_convention}", fact.sources[0]);
        // The file of a definition stands beside it, as its source.
        let subject = match &fact.subject {
            FactSubject::Symbol { name, .. } => name.clone(),
            other => other.to_string(),
        };
        table.row([what, subject, source, value.split_whitespace().collect::<Vec<_>>().join(" ")]);
    }
    table.print(&session.printer);
}
