//! `new`: a commented graph file that runs without a model, and cases for it.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use crate::repo::replace;

const GRAPH: &str = include_str!("../../graphs/starter/starter.yaml");
const CASES: &str = include_str!("../../graphs/starter/starter.test.yaml");

/// The name that stands in both.
const NAME: &str = "starter";

#[derive(Args)]
struct New {
    /// The graph's name: NAME.yaml and NAME.test.yaml are written
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn command() -> Command {
    New::augment_args(Command::new("new"))
        .about("Write a commented graph file that runs, and cases for it")
        .after_help("Then: graph run NAME.yaml --topic rust, graph test NAME.yaml, graph draw NAME.yaml")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = New::from_arg_matches(matches).expect("clap has checked what it describes");
    let name = args.name.strip_suffix(".yaml").unwrap_or(&args.name);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Failure::new(
            format!("`{name}` cannot be the name of a graph"),
            "use letters, digits, `-` and `_`",
        ));
    }
    let files = [(format!("{name}.yaml"), GRAPH), (format!("{name}.test.yaml"), CASES)];
    if let Some((file, _)) = files.iter().find(|(file, _)| session.folder.join(file).exists()) {
        return Err(Failure::new(format!("{file} is there already"), "choose another name, or remove it"));
    }
    for (file, text) in &files {
        let path: PathBuf = session.folder.join(file);
        replace(&path, text.replace(NAME, name).as_bytes())?;
        session.printer.data(file);
    }
    session.printer.command("to run it", &format!("graph run {name}.yaml --topic rust"));
    session.printer.command("to test it", &format!("graph test {name}.yaml"));
    Ok(Exit::Done)
}
