//! `draw`: a graph as a picture in text.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::exit::Exit;
use super::failure::Failure;
use super::graph_file;
use super::session::Session;
use crate::definition::Definition;
use crate::engine::Topology;
use crate::repo::replace;

#[derive(Args)]
struct Draw {
    /// A workflow or a graph file
    #[arg(value_name = "WORKFLOW|FILE")]
    graph: PathBuf,
    /// How it is drawn [default: by the ending of --output, else mermaid]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy)]
enum Format {
    /// A Mermaid flowchart, which `GitHub` and many editors show
    Mermaid,
    /// For Graphviz
    Dot,
    /// For a terminal
    Ascii,
    /// Nodes and edges
    Json,
}

pub(super) fn command() -> Command {
    Draw::augment_args(Command::new("draw")).about("Draw a workflow or a graph file")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Draw::from_arg_matches(matches).expect("clap has checked what it describes");
    let graph = topology(session, &args.graph)?;
    let format = args.format.or_else(|| of_ending(args.output.as_deref()?)).unwrap_or(Format::Mermaid);
    let drawn = drawn(&graph, format);
    match &args.output {
        None => session.printer.data(drawn.trim_end()),
        Some(path) => {
            replace(path, drawn.as_bytes())?;
            session.printer.progress(format_args!("written to {}", path.display()));
        }
    }
    Ok(Exit::Done)
}

/// What looks like a path is one; a name is looked for among the workflows.
fn topology(session: &Session, graph: &Path) -> Result<Topology, Failure> {
    let name = graph.to_str().filter(|text| !text.contains(['/', '.']) && !graph.exists());
    let known = graph.to_str().is_some_and(|text| session.workflow(text).is_ok());
    let file = name.or(graph.to_str().filter(|_| known)).map(|name| session.workflow(name)).transpose()?;
    let definition = match file.and_then(crate::workflows::Workflow::graph_file) {
        Some(file) => Definition::parse(file.text, file.file)?,
        None => graph_file::read(graph)?,
    };
    graph_file::topology(session, &definition)
}

fn of_ending(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "mmd" | "mermaid" | "md" => Some(Format::Mermaid),
        "dot" | "gv" => Some(Format::Dot),
        "txt" => Some(Format::Ascii),
        "json" => Some(Format::Json),
        _ => None,
    }
}

fn drawn(graph: &Topology, format: Format) -> String {
    let mut text = match format {
        Format::Mermaid => graph.mermaid(),
        Format::Dot => graph.dot(),
        Format::Ascii => graph.ascii(),
        Format::Json => serde_json::to_string_pretty(graph).expect("a topology is strings and numbers"),
    };
    text.truncate(text.trim_end().len());
    text + "\n"
}
