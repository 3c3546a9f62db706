//! `list`: the workflows, and the graph files of the current folder.

use std::path::Path;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;

use super::exit::Exit;
use super::graph_file;
use super::session::Session;

/// Where graph files are looked for.
const FOLDER: &str = "graphs";

#[derive(Args)]
struct List {
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

/// Something that can be run or drawn.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Entry {
    Workflow { name: String, about: String },
    GraphFile { file: String, about: String },
}

pub(super) fn command() -> Command {
    List::augment_args(Command::new("list")).about("List the workflows, and the graph files in ./graphs")
}

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Exit {
    let args = List::from_arg_matches(matches).expect("clap has checked what it describes");
    let mut entries: Vec<Entry> = session
        .catalogue
        .iter()
        .map(|workflow| Entry::Workflow {
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

impl Entry {
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

/// The graph files of a folder, by name. One that is broken is listed with the command that shows why.
fn graph_files(folder: &Path) -> Vec<Entry> {
    let Ok(listed) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| graph_file::looks_like_one(path));
    paths.sort();
    let entry = |path: std::path::PathBuf| {
        let about = match graph_file::read(&path) {
            Ok(definition) => definition.draft().about,
            Err(_) => format!("has defects: graph check {}", path.display()),
        };
        Entry::GraphFile { file: path.display().to_string(), about }
    };
    paths.into_iter().map(entry).collect()
}
