//! The command `schema`: prints the JSON Schema of graph files, for editors.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::exit::Exit;
use super::session::Session;
use crate::definition::{schema, test_schema};

pub(super) fn command() -> Command {
    let tests = Arg::new("tests").long("tests").action(ArgAction::SetTrue);
    Command::new("schema")
        .arg(tests.help("Print the JSON Schema of test-case files instead"))
        .about("Print the JSON Schema of graph files")
        .after_help("For editors: graph schema > graph.schema.json, and as the first line of a graph file:\n# yaml-language-server: $schema=graph.schema.json")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let schema = if matches.get_flag("tests") { test_schema() } else { schema() };
    let schema = serde_json::to_string_pretty(&schema);
    session.printer.data(schema.expect("a schema is JSON"));
    Exit::Done
}
