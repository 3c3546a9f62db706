//! MCP servers whose tools the agents of workflows use. Their file is named by the user, else
//! `mcp.json` in the working folder, else that in the user's configuration folder. A file that was not
//! named is used only after its trust was checked. No server starts before its first use.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::json;

use super::foreign_text::without_secrets;
use super::workflow::{ArgValues, Argument, ArgumentKind, Setting, WorkflowError};
use crate::agent::around::off_the_tape;
use crate::agent::{ForeignTool, Middleware, Next, ToolOutput, ToolSource as _, Toolbox};
use crate::engine::{NodeError, NodeResult};
use crate::llm::{Tape, ToolCall};
use crate::mcp::{McpConfig, McpError, McpServers, PinStore};
use crate::trust::TrustRequest;

/// Argument that names the file of servers.
pub(crate) const MCP: Argument<'static> = Argument {
    name: "mcp",
    kind: ArgumentKind::Option("FILE"),
    about: "Servers of tools, for tools named mcp__SERVER__TOOL [default: ./mcp.json when there]",
};

/// Same argument for workflows that use a file of servers only if the user names it.
pub(crate) const NAMED_MCP: Argument<'static> = Argument {
    about: "Let the agents also use the tools of the servers of this file [default: none]",
    ..MCP
};

/// Name of the file that is used if the user names none.
const MCP_FILE: &str = "mcp.json";

/// Returns the servers of a run that uses the tools `names` (names or patterns). Fails for a name
/// without a server, and if the file was not named and the user has not approved the used servers. A
/// replay skips both checks.
pub(crate) fn open_servers(
    given: &ArgValues,
    setting: &Setting,
    names: &[&str],
) -> Result<McpServers, WorkflowError> {
    let (config, is_named) = read_config(given, setting);
    let servers = make_servers(config.clone(), setting);
    if matches!(setting.tape, Tape::Replay(_)) {
        // A replay takes lists and results from the tape, so it needs neither the servers nor trust in them.
        return Ok(servers);
    }
    let used =
        servers.check_names(names.iter().copied()).map_err(|error| match config.warnings().first() {
            // A file that cannot be used is why there is no such server.
            Some(warning) if config.servers().is_empty() => mcp_error(error).with_hint(warning),
            _ => mcp_error(error),
        })?;
    if !is_named {
        setting.trust.check_part(&config.trust_request(), |capability| config.is_of(capability, &used))?;
    }
    Ok(servers)
}

/// Returns all servers of the file that the user named with `--mcp`; `None` without that option.
pub(crate) fn open_named_servers(given: &ArgValues, setting: &Setting) -> Option<McpServers> {
    given.is_given(MCP.name).then(|| make_servers(read_config(given, setting).0, setting))
}

/// Returns messages for the beginning of a run about the file of `--mcp`. `unused` is the reason why no
/// agent of the run calls tools, if so; that is then the only message.
pub(crate) fn list_notes(given: &ArgValues, setting: &Setting, unused: Option<&str>) -> Vec<String> {
    match unused {
        Some(reason) if given.is_given(MCP.name) => {
            vec![format!("the servers of `--mcp` are of no use: {reason}")]
        }
        Some(_) => Vec::new(),
        None => list_warnings(given, setting),
    }
}

/// Returns all servers of a file and the warnings about the file, for a command that lists their tools.
/// Fails if the file was not named and is not trusted.
pub fn open_all_servers(
    given: &ArgValues,
    setting: &Setting,
) -> Result<(McpServers, Vec<String>), WorkflowError> {
    let (config, is_named) = read_config(given, setting);
    if !is_named {
        setting.trust.check(&config.trust_request())?;
    }
    let warnings = config.warnings().to_vec();
    Ok((make_servers(config, setting), warnings))
}

/// Returns the warnings about the file that the user named with `--mcp`. A missing or invalid file
/// gives a warning and no servers.
pub(crate) fn list_warnings(given: &ArgValues, setting: &Setting) -> Vec<String> {
    if given.is_given(MCP.name) { read_config(given, setting).0.warnings().to_vec() } else { Vec::new() }
}

/// Returns the capabilities that a file of servers requests; `None` if the file cannot be read as one.
pub fn servers_trust_request(path: &std::path::Path) -> Option<TrustRequest> {
    Some(McpConfig::load(path).ok()?.trust_request())
}

/// Tools of the agents of a run, including those of servers.
pub struct AgentTools {
    /// All tools.
    pub toolbox: Toolbox,
    /// Descriptions of those tools that belong to servers.
    pub foreign: Vec<ForeignTool>,
}

impl AgentTools {
    /// Adds the tools of servers to `toolbox`. The servers are asked for their lists; a replay takes
    /// these from the tape.
    pub(crate) async fn list(
        toolbox: Toolbox,
        servers: Option<&McpServers>,
        tape: &Tape,
    ) -> NodeResult<Self> {
        let foreign = list_foreign(servers, tape).await?;
        Ok(Self { toolbox: add_foreign(toolbox, servers, &foreign)?, foreign })
    }
}

/// Asks all servers for their tools; a replay takes the list from the tape. Empty without servers.
pub(crate) async fn list_foreign(servers: Option<&McpServers>, tape: &Tape) -> NodeResult<Vec<ForeignTool>> {
    let Some(servers) = servers else { return Ok(Vec::new()) };
    let names = servers.all();
    tape.effect("foreign tools", json!(names), off_the_tape, servers.list(&names)).await
}

/// Adds listed tools of servers to a toolbox.
pub(crate) fn add_foreign(
    toolbox: Toolbox,
    servers: Option<&McpServers>,
    foreign: &[ForeignTool],
) -> NodeResult<Toolbox> {
    let Some(servers) = servers else { return Ok(toolbox) };
    servers.add_to(toolbox, foreign).map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).permanent().with_hint(hint)
    })
}

/// Middleware that cleans the results of servers: it removes secrets, hidden characters and structured
/// data, which could imitate a result of our own tools. The results pass through the tape, so that a
/// replay starts no server. Belongs inside the journal, next to the tools.
pub(crate) struct ServerResults<'a> {
    foreign: &'a [ForeignTool],
    tape: &'a Tape,
}

impl<'a> ServerResults<'a> {
    /// Makes the middleware for these tools of servers.
    pub(crate) fn new(foreign: &'a [ForeignTool], tape: &'a Tape) -> Self {
        Self { foreign, tape }
    }
}

impl Middleware for ServerResults<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        if !self.foreign.iter().any(|tool| tool.spec.name == call.name) {
            return next.run(call);
        }
        async move {
            let name = format!("tool {}", call.name);
            let input = json!({ "arguments": call.arguments });
            let cleaned = async {
                let output = next.run(call).await?;
                let content = without_secrets(&output.content).trim_end().to_owned();
                Ok(ToolOutput { content, data: None, ..output })
            };
            self.tape.effect(&name, input, off_the_tape, cleaned).await
        }
        .boxed()
    }
}

/// Makes the servers of a file, with the pins that the user has stored for their tools.
fn make_servers(config: McpConfig, setting: &Setting) -> McpServers {
    let env = setting.env.clone();
    let pins = PinStore::of_user(|name| env.var(name));
    McpServers::new(config, setting.env.clone(), setting.folder.clone()).pins(pins)
}

/// Reads the file of servers; also returns true if the user named it. A missing or invalid file has no
/// servers (SEC-131).
fn read_config(given: &ArgValues, setting: &Setting) -> (McpConfig, bool) {
    let named = given.path(MCP.name).map(|path| setting.folder.join(path));
    let is_named = named.is_some();
    let path = named.unwrap_or_else(|| found_file(setting));
    if !is_named && !path.exists() {
        return (McpConfig::none(path), is_named);
    }
    (McpConfig::load_or_empty(&path), is_named)
}

/// Returns the file of servers that is used without being named: `mcp.json` in the working folder, or
/// that in the configuration folder if only that exists.
fn found_file(setting: &Setting) -> PathBuf {
    let here = setting.folder.join(MCP_FILE);
    if here.exists() {
        return here;
    }
    let folder = |name: &str| setting.env.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    let of_user = config.map(|config| config.join("stategraph").join(MCP_FILE));
    of_user.filter(|path| path.exists()).unwrap_or(here)
}

fn mcp_error(error: McpError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, Some(hint))
}

/// Returns the servers as a source of tools for a graph file.
pub(crate) fn as_source(servers: McpServers) -> Arc<dyn crate::agent::ToolSource> {
    Arc::new(servers)
}
