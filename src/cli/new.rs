//! The command `new`: writes a commented graph file that runs without a model, test cases for it, and the schema for editors.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::graph_file::SCHEMA_FILE;
use super::session::Session;
use crate::definition::schema;
use crate::repo::replace;

const GRAPH: &str = include_str!("../../graphs/starter/starter.yaml");
const CASES: &str = include_str!("../../graphs/starter/starter.test.yaml");

/// Name of the graph in both templates, which the user's name replaces.
const NAME: &str = "starter";

#[derive(Args)]
struct NewArgs {
    /// Name of the graph; NAME.yaml, NAME.test.yaml and graph.schema.json are written
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn command() -> Command {
    NewArgs::augment_args(Command::new("new"))
        .about("Write a commented graph file that runs, test cases for it, and its schema for editors")
        .after_help("Then: graph run NAME.yaml --topic rust, graph test NAME.yaml, graph draw NAME.yaml")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = NewArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let name = args.name.strip_suffix(".yaml").unwrap_or(&args.name);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_allowed) {
        return Err(Failure::new(
            format!("`{name}` cannot be the name of a graph"),
            "use letters, digits, `-` and `_`",
        ));
    }
    let graph = format!("# yaml-language-server: $schema={SCHEMA_FILE}\n{}", GRAPH.replace(NAME, name));
    let files = [(format!("{name}.yaml"), graph), (format!("{name}.test.yaml"), CASES.replace(NAME, name))];
    if let Some((file, _)) = files.iter().find(|(file, _)| session.folder.join(file).exists()) {
        return Err(Failure::new(format!("{file} already exists"), "choose another name, or remove it"));
    }
    for (file, text) in &files {
        let path: PathBuf = session.folder.join(file);
        replace(&path, text.as_bytes())?;
        session.printer.data(file);
    }
    write_schema(session)?;
    session.printer.command("to run it", &format!("graph run {name}.yaml --topic rust"));
    session.printer.command("to test it", &format!("graph test {name}.yaml"));
    Ok(Exit::Done)
}

/// Writes the JSON Schema that the first line of the graph file refers to, unless the file exists. A local
/// file works without a network, and has the version of this program.
fn write_schema(session: &Session) -> Result<(), Failure> {
    let path = session.folder.join(SCHEMA_FILE);
    if path.exists() {
        return Ok(());
    }
    let text = serde_json::to_string_pretty(&schema()).expect("a schema is JSON") + "\n";
    replace(&path, text.as_bytes())?;
    session.printer.data(SCHEMA_FILE);
    Ok(())
}
