//! `draw`: a graph as a picture, with the path of a run if one is named.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::declared;
use super::exit::Exit;
use super::failure::Failure;
use super::graph_file;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use crate::definition::Definition;
use crate::engine::picture::{Picture, Theme};
use crate::engine::{
    ASCII_WIDTH, Draw as _, Drawing, HistoryEntry, HistoryQuery, RunPath, Seq, ThreadId, Topology,
};
use crate::raster::{RasterError, Scale, png};
use crate::repo::replace;
use crate::store::resolve;

#[derive(Args)]
struct Draw {
    /// A workflow or a graph file; by default the one that the thread came from
    #[arg(value_name = "WORKFLOW|FILE", required_unless_present = "thread")]
    graph: Option<PathBuf>,
    /// How it is drawn [default: by the ending of --output; mermaid without one]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show what is inside sub-graphs, so many levels deep; all without a number
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "255")]
    xray: Option<u8>,
    /// Show the path of a run: a thread, a checkpoint (THREAD@N), or the beginning of a thread's id
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
    /// How many pixels of a PNG stand for one of the picture
    #[arg(long, value_name = "N", default_value_t = Scale::DOUBLE)]
    scale: Scale,
    /// The colours of a PNG; an SVG has both
    #[arg(long, value_enum, default_value = "light")]
    theme: Colours,
}

#[derive(ValueEnum, Clone, Copy)]
enum Format {
    /// A Mermaid flowchart, which `GitHub` and many editors show
    Mermaid,
    /// A picture for a page, light or dark as its reader likes it
    Svg,
    /// A picture as pixels; needs --output
    Png,
    /// For Graphviz
    Dot,
    /// For a terminal
    Ascii,
    /// Nodes and edges
    Json,
}

#[derive(ValueEnum, Clone, Copy)]
enum Colours {
    /// For a light page
    Light,
    /// For a dark one
    Dark,
}

/// A run to be shown.
struct Shown {
    path: RunPath,
    /// The graph that it ran, and that graph's digest.
    graph: String,
    digest: String,
    /// The graph file that the thread came from, if it was one.
    file: Option<PathBuf>,
}

impl Shown {
    /// What it ran: a graph file, or a workflow by name.
    fn source(&self, session: &Session) -> Result<PathBuf, Failure> {
        let Self { path, graph, file, .. } = self;
        if let Some(file) = file {
            return Ok(file.clone());
        }
        if session.workflow(graph).is_ok() {
            return Ok(PathBuf::from(graph));
        }
        Err(Failure::new(
            format!("thread `{}` ran the graph `{graph}`, which is no workflow of this program", path.thread),
            format!("name its file: `graph draw FILE --thread {}`", path.thread),
        ))
    }
}

pub(super) fn command() -> Command {
    Draw::augment_args(Command::new("draw"))
        .about("Draw a workflow or a graph file, with the path of a run if you like")
        .after_help(EXAMPLES)
}

const EXAMPLES: &str = "\
Examples:
  graph draw ard --format ascii             in the terminal
  graph draw ard -o ard.svg                 for a page
  graph draw my.yaml --xray -o my.png       with what is inside its sub-graphs
  graph draw --thread 3f2a -o run.svg       where a run was, how long, and where it waits";

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = Draw::from_arg_matches(matches).expect("clap has checked what it describes");
    let format = args.format()?;
    let run = args.thread.as_deref().map(|id| block_on(run(session, &args, id))).transpose()?;
    let graph = match (&args.graph, &run) {
        (Some(graph), _) => graph.clone(),
        (None, Some(run)) => run.source(session)?,
        (None, None) => unreachable!("clap asks for a graph or a thread"),
    };
    let graph = topology(session, &graph)?;
    if run.as_ref().is_some_and(|run| run.digest != graph.digest().to_string()) {
        session
            .printer
            .progress("the run was made with another version of this graph; what both have is shown");
    }
    let mut drawing = graph.drawing().xray(args.xray.map_or(0, usize::from));
    if let Some(run) = &run {
        drawing = drawing.with_run(&run.path);
    }
    if let Format::Png = format {
        return pixels(session, &args, &drawing.picture());
    }
    let drawn = drawn(&drawing, format);
    match &args.output {
        None => session.printer.data(drawn.trim_end()),
        Some(path) => written(session, path, drawn.as_bytes())?,
    }
    Ok(Exit::Done)
}

fn pixels(session: &Session, args: &Draw, picture: &Picture) -> Result<Exit, Failure> {
    let Some(path) = &args.output else {
        return Err(Failure::new(
            "a PNG is no text for standard output",
            "name a file, such as `--output graph.png`",
        ));
    };
    let theme = match args.theme {
        Colours::Light => Theme::Light,
        Colours::Dark => Theme::Dark,
    };
    written(session, path, &png(picture, args.scale, theme)?)?;
    Ok(Exit::Done)
}

fn written(session: &Session, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(path, bytes)?;
    session.printer.progress(format_args!("written to {}", path.display()));
    Ok(())
}

/// What a thread did until the checkpoint that `id` means.
async fn run(session: &Session, args: &Draw, id: &str) -> Result<Shown, Failure> {
    let store = args.store.open()?;
    let found = resolve(store.as_ref(), id).await?;
    let query = HistoryQuery::default().before(found.seq.map(Seq::next));
    let history = store.history(&found.thread, &query).await?;
    let shown = shown(&found.thread, &history).ok_or_else(|| {
        let gone = format!("thread `{}` was removed a moment ago", found.thread);
        Failure::new(gone, "`graph history` lists the threads")
    })?;
    if args.graph.is_some() {
        return Ok(shown);
    }
    let origin = declared::of_thread(session, store.as_ref(), &found.thread).await?;
    Ok(Shown { file: origin.map(|(origin, _)| PathBuf::from(origin.file)), ..shown })
}

fn shown(thread: &ThreadId, history: &[HistoryEntry]) -> Option<Shown> {
    let path = RunPath::of(thread, history)?;
    let tip = &history.iter().find(|entry| entry.checkpoint.seq == path.checkpoint)?.checkpoint;
    Some(Shown { path, graph: tip.name.as_ref().to_owned(), digest: tip.graph.to_string(), file: None })
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

impl Draw {
    /// The format asked for, else that of the file's ending.
    fn format(&self) -> Result<Format, Failure> {
        match (self.format, &self.output) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Mermaid),
            (None, Some(path)) => of_ending(path).ok_or_else(|| {
                Failure::new(
                    format!("the ending of {} names no format", path.display()),
                    "say `--format`, or end the name with .svg, .png, .mmd, .dot, .txt or .json",
                )
            }),
        }
    }
}

fn of_ending(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "mmd" | "mermaid" | "md" => Some(Format::Mermaid),
        "svg" => Some(Format::Svg),
        "png" => Some(Format::Png),
        "dot" | "gv" => Some(Format::Dot),
        "txt" => Some(Format::Ascii),
        "json" => Some(Format::Json),
        _ => None,
    }
}

fn drawn(drawing: &Drawing<'_>, format: Format) -> String {
    let mut text = match format {
        Format::Mermaid => drawing.mermaid(),
        Format::Svg | Format::Png => drawing.svg(),
        Format::Dot => drawing.dot(),
        Format::Ascii => drawing.ascii(ASCII_WIDTH),
        Format::Json => drawing.json(),
    };
    text.truncate(text.trim_end().len());
    text + "\n"
}

impl From<RasterError> for Failure {
    fn from(error: RasterError) -> Self {
        let hint = error.hint();
        Self::new(error, hint)
    }
}
