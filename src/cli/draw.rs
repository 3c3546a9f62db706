//! The command `draw`: draws a graph, with the path of a run if a thread is named.

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
struct DrawArgs {
    /// Workflow or graph file [default: the graph of --thread]
    #[arg(value_name = "WORKFLOW|FILE", required_unless_present = "thread")]
    graph: Option<PathBuf>,
    /// Output format [default: from the extension of --output, else mermaid]
    #[arg(long, value_enum)]
    format: Option<DrawFormat>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Expand sub-graphs down to this depth; without a number, all of them
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "255")]
    xray: Option<u8>,
    /// Show the path of a run: a thread id or a prefix of it, or a checkpoint (THREAD@N)
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
    /// Scale factor of a PNG, from 0.1 to 16
    #[arg(long, value_name = "N", default_value_t = Scale::DOUBLE)]
    scale: Scale,
    /// Colours of a PNG; an SVG contains both themes
    #[arg(long, value_enum, default_value = "light")]
    theme: DrawTheme,
}

#[derive(ValueEnum, Clone, Copy)]
enum DrawFormat {
    /// Mermaid flowchart, which `GitHub` and many editors show
    Mermaid,
    /// Vector graphic for a web page; follows the light or dark theme of the reader
    Svg,
    /// Pixel graphic; requires --output
    Png,
    /// Graphviz source
    Dot,
    /// Text for a terminal
    Ascii,
    /// Nodes and edges as JSON
    Json,
}

#[derive(ValueEnum, Clone, Copy)]
enum DrawTheme {
    /// For a light page
    Light,
    /// For a dark page
    Dark,
}

/// The path of a run that a drawing shows, and the graph that was run.
struct DrawnRun {
    path: RunPath,
    /// Name of the graph.
    graph: String,
    /// Digest of the graph's topology when the checkpoint was written.
    digest: String,
    /// Graph file that the thread came from. `None` for a workflow of the program.
    file: Option<PathBuf>,
}

impl DrawnRun {
    /// Returns the graph to draw: the graph file of the run, or else the name of its workflow. Fails if the
    /// program has no such workflow.
    fn source(&self, session: &Session) -> Result<PathBuf, Failure> {
        let Self { path, graph, file, .. } = self;
        if let Some(file) = file {
            return Ok(file.clone());
        }
        if session.workflow(graph).is_ok() {
            return Ok(PathBuf::from(graph));
        }
        Err(Failure::new(
            format!(
                "thread `{}` ran the graph `{graph}`, which is not a workflow of this program",
                path.thread
            ),
            format!("name its graph file: `graph draw FILE --thread {}`", path.thread),
        ))
    }
}

pub(super) fn command() -> Command {
    DrawArgs::augment_args(Command::new("draw"))
        .about("Draw a workflow or a graph file, optionally with the path of a run")
        .after_help(EXAMPLES)
}

const EXAMPLES: &str = "\
Examples:
  graph draw ard --format ascii             print the graph in the terminal
  graph draw ard -o ard.svg                 write an SVG
  graph draw my.yaml --xray -o my.png       expand all sub-graphs
  graph draw --thread 3f2a -o run.svg       show the steps of a run, their durations, and the waiting node";

pub(super) fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = DrawArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let format = args.format()?;
    let run = args.thread.as_deref().map(|id| block_on(load_run(session, &args, id))).transpose()?;
    let graph = match (&args.graph, &run) {
        (Some(graph), _) => graph.clone(),
        (None, Some(run)) => run.source(session)?,
        (None, None) => unreachable!("clap requires a graph or a thread"),
    };
    let graph = load_topology(session, &graph)?;
    if run.as_ref().is_some_and(|run| run.digest != graph.digest().to_string()) {
        session
            .printer
            .progress("the run used another version of this graph; only what both versions have is marked");
    }
    let mut drawing = graph.drawing().xray(args.xray.map_or(0, usize::from));
    if let Some(run) = &run {
        drawing = drawing.with_run(&run.path);
    }
    if let DrawFormat::Png = format {
        return write_png(session, &args, &drawing.picture());
    }
    let text = render_text(&drawing, format);
    match &args.output {
        None => session.printer.data(text.trim_end()),
        Some(path) => write_file(session, path, text.as_bytes())?,
    }
    Ok(Exit::Done)
}

fn write_png(session: &Session, args: &DrawArgs, picture: &Picture) -> Result<Exit, Failure> {
    let Some(path) = &args.output else {
        return Err(Failure::new(
            "a PNG cannot be printed on standard output",
            "pass a file, such as `--output graph.png`",
        ));
    };
    let theme = match args.theme {
        DrawTheme::Light => Theme::Light,
        DrawTheme::Dark => Theme::Dark,
    };
    write_file(session, path, &png(picture, args.scale, theme)?)?;
    Ok(Exit::Done)
}

fn write_file(session: &Session, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(path, bytes)?;
    session.printer.progress(format_args!("written to {}", path.display()));
    Ok(())
}

/// Loads the path of a run for a drawing: all steps of the thread that `id` names, or those up to the
/// checkpoint that it names.
async fn load_run(session: &Session, args: &DrawArgs, id: &str) -> Result<DrawnRun, Failure> {
    let store = args.store.open()?;
    let found = resolve(store.as_ref(), id).await?;
    let query = HistoryQuery::default().before(found.seq.map(Seq::next));
    let history = store.history(&found.thread, &query).await?;
    let run = path_of(&found.thread, &history).ok_or_else(|| {
        let gone = format!("thread `{}` was removed a moment ago", found.thread);
        Failure::new(gone, "`graph history` lists the threads")
    })?;
    if args.graph.is_some() {
        return Ok(run);
    }
    let origin = declared::load_for_thread(session, store.as_ref(), &found.thread).await?;
    Ok(DrawnRun { file: origin.map(|(origin, _)| PathBuf::from(origin.file)), ..run })
}

fn path_of(thread: &ThreadId, history: &[HistoryEntry]) -> Option<DrawnRun> {
    let path = RunPath::of(thread, history)?;
    let newest = &history.iter().find(|entry| entry.checkpoint.seq == path.checkpoint)?.checkpoint;
    Some(DrawnRun {
        path,
        graph: newest.name.as_ref().to_owned(),
        digest: newest.graph.to_string(),
        file: None,
    })
}

/// Returns the topology of a workflow or a graph file. `graph` is a workflow if it is the name of one; text
/// with `/` or `.`, and an existing file, is a file otherwise.
fn load_topology(session: &Session, graph: &Path) -> Result<Topology, Failure> {
    let name = graph.to_str().filter(|text| !text.contains(['/', '.']) && !graph.exists());
    let known = graph.to_str().is_some_and(|text| session.workflow(text).is_ok());
    let file = name.or(graph.to_str().filter(|_| known)).map(|name| session.workflow(name)).transpose()?;
    let definition = match file.and_then(crate::workflows::Workflow::graph_file) {
        Some(file) => Definition::parse(file.text, file.file)?,
        None => graph_file::read(graph)?,
    };
    graph_file::topology(session, &definition)
}

impl DrawArgs {
    /// Returns the format of `--format`, else the one for the output file's extension, else Mermaid.
    fn format(&self) -> Result<DrawFormat, Failure> {
        match (self.format, &self.output) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(DrawFormat::Mermaid),
            (None, Some(path)) => format_of_extension(path).ok_or_else(|| {
                Failure::new(
                    format!("the extension of {} is not that of a format", path.display()),
                    "pass `--format`, or use the extension .svg, .png, .mmd, .dot, .txt or .json",
                )
            }),
        }
    }
}

fn format_of_extension(path: &Path) -> Option<DrawFormat> {
    match path.extension()?.to_str()? {
        "mmd" | "mermaid" | "md" => Some(DrawFormat::Mermaid),
        "svg" => Some(DrawFormat::Svg),
        "png" => Some(DrawFormat::Png),
        "dot" | "gv" => Some(DrawFormat::Dot),
        "txt" => Some(DrawFormat::Ascii),
        "json" => Some(DrawFormat::Json),
        _ => None,
    }
}

/// Returns the drawing in a text format, with one line break at the end.
fn render_text(drawing: &Drawing<'_>, format: DrawFormat) -> String {
    let mut text = match format {
        DrawFormat::Mermaid => drawing.mermaid(),
        DrawFormat::Svg | DrawFormat::Png => drawing.svg(),
        DrawFormat::Dot => drawing.dot(),
        DrawFormat::Ascii => drawing.ascii(ASCII_WIDTH),
        DrawFormat::Json => drawing.json(),
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
