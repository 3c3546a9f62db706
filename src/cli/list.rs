//! The command `list`: lists the workflows, and the graph files in `./graphs`.

use std::path::Path;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::exit::Exit;
use super::graph_file;
use super::session::Session;

/// Folder whose graph files are listed.
const FOLDER: &str = "graphs";

#[derive(Args)]
struct ListArgs {
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

/// A workflow or graph file that the command `list` prints.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ListedGraph {
    Workflow { name: String, about: String },
    GraphFile { file: String, about: String },
}

pub(super) fn command() -> Command {
    ListArgs::augment_args(Command::new("list")).about("List the workflows, and the graph files in ./graphs")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = ListArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let mut entries: Vec<ListedGraph> = session
        .catalogue
        .iter()
        .map(|workflow| ListedGraph::Workflow {
            name: workflow.name().to_owned(),
            about: workflow.about().to_owned(),
        })
        .collect();
    entries.extend(graph_files(Path::new(FOLDER)));
    let width = entries.iter().map(|entry| entry.name().chars().count()).max().unwrap_or(0);
    for entry in &entries {
        if args.json {
            session.printer.data(serde_json::to_string(entry).expect("an entry is strings"));
        } else {
            session.printer.data(format_args!("{:width$}  {}", entry.name(), entry.about()));
        }
    }
    Exit::Done
}

impl ListedGraph {
    fn name(&self) -> &str {
        match self {
            Self::Workflow { name, .. } => name,
            Self::GraphFile { file, .. } => file,
        }
    }

    fn about(&self) -> &str {
        match self {
            Self::Workflow { about, .. } | Self::GraphFile { about, .. } => about,
        }
    }
}

/// Returns the graph files directly in a folder, sorted by path, with the description from each. An invalid
/// file has the command that shows its defects instead.
fn graph_files(folder: &Path) -> Vec<ListedGraph> {
    let Ok(listed) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| graph_file::is_graph_file(path));
    paths.sort();
    let entry = |path: std::path::PathBuf| {
        let about = match graph_file::read(&path) {
            Ok(definition) => definition.draft().about,
            Err(_) => format!("has defects: graph check {}", path.display()),
        };
        ListedGraph::GraphFile { file: path.display().to_string(), about }
    };
    paths.into_iter().map(entry).collect()
}
