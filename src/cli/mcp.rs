//! The command `mcp`: offers tools that read a code base, and chosen graphs, to other programs over the Model Context Protocol; and lists
//! the tools of other servers. Standard output belongs to the protocol. Only `graph` links it.

mod graph_tool;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::AddedCommand;
use super::exit::Exit;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::{Session, block_on};
use super::signals::stop_on_signals;
use super::table::Table;
use crate::agent::ToolSource as _;
use crate::engine::{Stop, StopWish};
use crate::mcp::server::{ServedTools, serve};
use crate::repo::Root;
use crate::workflows::ArgValues;
use crate::workflows::tool_servers::open_all_servers;
use graph_tool::{FixedArgument, GraphTool};

#[derive(Args)]
struct McpArgs {
    /// Folder of the code base: no tool reads outside
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Also offer this workflow or graph file as a tool; it may write below the root, call models and keep checkpoints. May be repeated
    #[arg(long, value_name = "NAME|FILE")]
    allow_graph: Vec<String>,
    /// Fix an argument of an offered graph, such as `ard.architect-model=gemini-2.5-flash`; clients cannot set models, paths and limits
    #[arg(long, value_name = "GRAPH.NAME=VALUE", requires = "allow_graph")]
    set: Vec<FixedArgument>,
    /// Trust the files that an offered graph finds, without an approval by `graph trust`
    #[arg(long, requires = "allow_graph")]
    trust: bool,
    /// Directory of the checkpoint store of offered graphs [default: checkpoints below the root]
    #[arg(long, value_name = "DIR")]
    checkpoints: Option<PathBuf>,
}

#[derive(Args)]
struct ToolsArgs {
    /// File of servers [default: ./mcp.json, else mcp.json in the configuration folder]
    #[arg(long, value_name = "FILE")]
    mcp: Option<PathBuf>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// Trust the file without an approval by `graph trust`
    #[arg(long)]
    trust: bool,
}

/// Returns the command `mcp`, which serves tools over the Model Context Protocol, to be added to a
/// [`Catalogue`](super::Catalogue).
pub fn added() -> AddedCommand {
    AddedCommand { name: "mcp", command, execute }
}

fn command() -> Command {
    let tools = ToolsArgs::augment_args(Command::new("tools"))
        .about("List the tools of the servers in mcp.json, with the names that graph files and agents use");
    McpArgs::augment_args(Command::new("mcp"))
        .about("Serve tools that read a code base, and graphs, to other programs over the Model Context Protocol")
        .args_conflicts_with_subcommands(true)
        .subcommand(tools)
        .after_help(
            "Examples, as the settings of a client have them:\n  graph mcp --root REPO                          read, search and outline a code base\n  graph mcp --root REPO --allow-graph ard        also run the debate\n  graph mcp tools                                list the tools that graph files here can use",
        )
}

fn execute(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some((_, matches)) => list_tools(matches, session),
        None => serve_tools(matches, session),
    }
}

fn serve_tools(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = McpArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let folder = session.folder.join(&args.root);
    let root = Root::open(&folder).map_err(|error| Failure::new(error, "give the folder of a code base"))?;
    let folder = root.absolute().to_owned();
    let mut tools =
        ServedTools::new().with_toolbox(&session.catalogue.tools.make(&root, session.env.as_ref()));
    if !args.allow_graph.is_empty() {
        let store =
            StoreArgs { checkpoints: Some(args.checkpoints.unwrap_or_else(|| folder.join("checkpoints"))) };
        let mut setting = session.setting(store.open()?);
        setting.folder = folder;
        if args.trust {
            setting.trust = setting.trust.trusting_all();
        }
        let setting = Arc::new(setting);
        for name in &args.allow_graph {
            tools = tools.with(GraphTool::open(name, &args.set, setting.clone(), session)?);
        }
        for fixed in &args.set {
            if !args
                .allow_graph
                .iter()
                .any(|name| graph_tool::tool_name(name) == graph_tool::tool_name(&fixed.graph))
            {
                return Err(Failure::new(
                    format!("`--set {}.…` fixes an argument of a graph that is not offered", fixed.graph),
                    format!("add `--allow-graph {}`", fixed.graph),
                ));
            }
        }
    }
    let instructions = "Tools that read one code base; none of them writes. Paths are relative to its root.";
    block_on(async {
        let stop = Stop::new();
        stop_on_signals(&stop).map_err(|error| {
            Failure::new(format!("cannot listen for Ctrl-C: {error}"), "end other programs")
        })?;
        let streams = (tokio::io::stdin(), tokio::io::stdout());
        serve(tools, instructions, streams, stop.wait_for(StopWish::Drain)).await.map_err(|error| {
            let hint = error.hint();
            Failure::new(error, hint)
        })
    })?;
    Ok(Exit::Done)
}

fn list_tools(matches: &ArgMatches, session: &Session) -> Result<Exit, Failure> {
    let args = ToolsArgs::from_arg_matches(matches).expect("clap has validated these arguments");
    let given = ArgValues::nothing();
    let given = match args.mcp {
        Some(file) => given.with("mcp", file),
        None => given,
    };
    let store = StoreArgs { checkpoints: None };
    let mut setting = session.setting(store.open()?);
    if args.trust {
        setting.trust = setting.trust.trusting_all();
    }
    let (servers, warnings) = open_all_servers(&given, &setting)?;
    if servers.all().is_empty() {
        let hint = r#"write {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}} to mcp.json, or pass --mcp FILE"#;
        let reason = warnings.first().cloned().unwrap_or_else(|| "there is no mcp.json here".to_owned());
        return Err(Failure::new(reason, hint));
    }
    block_on(async {
        let mut table = Table::new(["tool", "description"]);
        let mut has_failed = false;
        for pattern in servers.all() {
            match servers.list(std::slice::from_ref(&pattern)).await {
                Ok(tools) => {
                    for tool in tools {
                        if args.json {
                            session.printer.data(serde_json::to_string(&tool).expect("a tool is plain data"));
                            continue;
                        }
                        let words: Vec<&str> = tool.spec.description.split_whitespace().collect();
                        let mark = if tool.needs_approval { "(asks first) " } else { "" };
                        table.row([tool.spec.name, format!("{mark}{}", words.join(" "))]);
                    }
                }
                // One server that does not work does not hide the others.
                Err(error) => {
                    has_failed = true;
                    let hint = error.hint().map(|hint| format!("; hint: {hint}")).unwrap_or_default();
                    session.printer.progress(format_args!("{error}{hint}"));
                }
            }
        }
        if !args.json {
            table.print(&session.printer);
        }
        Ok(if has_failed { Exit::NotAccepted } else { Exit::Done })
    })
}
