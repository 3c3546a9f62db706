//! The command `facts`: prints what a code base says of itself, each line with its source. Only `graph` links it, because it brings the
//! grammars of twelve languages.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::AddedCommand;
use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use super::table::Table;
use crate::facts::{Fact, FactKind, FactOrigin, FactSubject, FactValue, Facts};
use crate::repo::{CodeBase, Root};

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
}

/// Returns the command for a [`Catalogue`](super::Catalogue).
pub fn added() -> AddedCommand {
    AddedCommand { name: "facts", command, execute }
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
    let facts = Facts::collect(&CodeBase::new(Arc::new(root)));
    let by_default = |kind: FactKind| args.kind.is_empty() && kind != FactKind::Edge;
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

/// Prints the facts of a kind as a table.
fn print(kind: FactKind, facts: &Facts, session: &Session) {
    let mut table = Table::new([kind.name(), "of", "source", "value"]);
    for fact in facts.of_kind(kind) {
        let (what, value) = cells(fact);
        let by_convention = if fact.origin == FactOrigin::Convention { " (by convention)" } else { "" };
        let more = fact.sources.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        // The value stands last, because a long one would push the rest out of sight.
        let source = format!("{}{more}{by_convention}", fact.sources[0]);
        table.row([what, fact.subject.to_string(), source, value]);
    }
    table.print(&session.printer);
}

/// Returns the first cell of a row, and the value.
fn cells(fact: &Fact) -> (String, String) {
    let joined = |parts: [Option<&str>; 3]| parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    match &fact.value {
        FactValue::Project { ecosystem, name, version, .. } => {
            (word(ecosystem), joined([name.as_deref(), version.as_deref(), None]))
        }
        FactValue::Target { target, name, entry } => (word(target), joined([Some(name), Some(entry), None])),
        FactValue::Dependency { name, requirement, scope } => {
            (word(scope), joined([Some(name), requirement.as_deref(), None]))
        }
        FactValue::Command { purpose, command, folder } => {
            let place = if folder.is_empty() { String::new() } else { format!("  (in {folder})") };
            (word(purpose), format!("{command}{place}"))
        }
        FactValue::Purpose { text } => (subject_kind(&fact.subject).into(), text.clone()),
        FactValue::Tool { purpose, name } => (word(purpose), name.clone()),
        FactValue::Setting { form, name, default, text } => {
            let default = default.as_deref().map(|value| format!("= {value}"));
            (word(form), joined([Some(name), default.as_deref(), text.as_deref()]))
        }
        FactValue::Route { method, path, handler } => {
            (method.clone().unwrap_or_default(), joined([Some(path), handler.as_deref(), None]))
        }
        FactValue::Subcommand { name, text } => {
            ("subcommand".into(), joined([Some(name), text.as_deref(), None]))
        }
        FactValue::Relation { relation, to, name, field } => {
            (word(relation), joined([field.as_deref(), Some(name), Some(to)]))
        }
        FactValue::Trace { steps } => {
            let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            ("trace".into(), names.join(" → "))
        }
        FactValue::Concern { concern, construct, places } => {
            (word(concern), format!("{construct}  {places} places"))
        }
        FactValue::Rule { text } | FactValue::Limit { text } => {
            (fact.value.kind().name().into(), text.clone())
        }
        FactValue::Recipe { title, steps } => ("recipe".into(), format!("{title}: {}", steps.join("; "))),
        FactValue::Edge { to, class, name } => (word(class), format!("{to}  {name}")),
    }
}

/// Returns the name of an enum's value, as in JSON.
fn word(value: &impl Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}

fn subject_kind(subject: &FactSubject) -> &'static str {
    match subject {
        FactSubject::Repository => "repository",
        FactSubject::Project(_) => "project",
        FactSubject::Folder(_) => "folder",
        FactSubject::File(_) => "file",
        FactSubject::Symbol { .. } => "type",
    }
}
