//! `schema`: the JSON Schema of graph files, for editors.

use clap::{ArgMatches, Command};

use super::exit::Exit;
use super::session::Session;

pub(super) fn command() -> Command {
    Command::new("schema")
        .about("Print the JSON Schema of graph files")
        .after_help("For an editor: `graph schema > graph.schema.json`, and as the first line of a graph file\n# yaml-language-server: $schema=graph.schema.json")
}

pub(super) fn execute(_: &ArgMatches, session: &Session) -> Exit {
    let schema = serde_json::to_string_pretty(&crate::definition::schema());
    session.printer.data(schema.expect("a schema is JSON"));
    Exit::Done
}
