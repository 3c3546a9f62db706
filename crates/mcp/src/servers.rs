//! All servers of a configuration as one source of tools. A server is started at its first use; its tools
//! are listed and compared with their pins; it is started once more if it ends. The caller has checked the
//! user's trust.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tracing::Instrument as _;

use crate::call::call;
use crate::config::{McpConfig, McpServer, ServerTransport, variables};
use crate::connection::{Connection, StartContext, StderrTail};
use crate::error::McpError;
use crate::limit::STARTS;
use crate::listing::{ListedTool, ToolList, list_tools};
use crate::name::{split, tool_name};
use crate::pins::{PinState, PinStore};
use crate::tool::McpTool;
use stategraph_agent::{ForeignTool, Retryability, ToolOutput, ToolSource, Toolbox, ToolboxError, selects};
use stategraph_core::{NodeError, NodeResult, nearest};
use stategraph_llm::{Env, Redactor, ToolSpec};

/// Variables whose values are not secret. They are not redacted, because they occur in many texts.
const PLAIN_VARIABLES: [&str; 8] = ["PATH", "HOME", "LANG", "TMPDIR", "PWD", "USER", "LOGNAME", "SHELL"];

/// The MCP servers of a configuration as a source of tools for agents, with the connections to those that
/// run. Clones share them; when the last one is dropped, all servers end.
#[derive(Clone)]
pub struct McpServers {
    shared: Arc<SharedServers>,
}

/// State that all clones of `McpServers` share. Servers are keyed by their portable names.
struct SharedServers {
    file: PathBuf,
    servers: BTreeMap<String, ServerSlot>,
    env: Arc<dyn Env>,
    folder: PathBuf,
    pins: PinStore,
    redactor: Redactor,
}

/// A configured MCP server with the state of its connection.
struct ServerSlot {
    server: McpServer,
    state: Mutex<SlotState>,
}

/// Connection to an MCP server, if it runs, and the number of times that it was started.
#[derive(Default)]
struct SlotState {
    running: Option<Arc<RunningServer>>,
    starts: u32,
}

/// A connected MCP server with its tools, as last listed.
struct RunningServer {
    connection: Connection,
    tools: Mutex<OfferedTools>,
}

/// The tools of a server by the server's own names. A tool that is switched off has the reason instead.
type OfferedTools = BTreeMap<String, Result<ListedTool, String>>;

impl McpServers {
    /// Makes the source without starting a server. `env` has the variables that entries name; `folder` is
    /// the working folder of programs.
    ///
    /// The caller must have checked [`McpConfig::trust_request`] if the file was found rather than named.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "the servers stand for the file, which has no other use"
    )]
    pub fn new(config: McpConfig, env: Arc<dyn Env>, folder: impl Into<PathBuf>) -> Self {
        let redactor = redactor(&config, env.as_ref());
        let file = config.path().to_owned();
        let slot = |(name, server): (&String, &McpServer)| {
            (name.clone(), ServerSlot { server: server.clone(), state: Mutex::default() })
        };
        let servers = config.servers().iter().map(slot).collect();
        let shared =
            SharedServers { file, servers, env, folder: folder.into(), pins: PinStore::off(), redactor };
        Self { shared: Arc::new(shared) }
    }

    /// Sets the store of pins, so that a tool that changed since an earlier run is switched off. Has no
    /// effect after the source was cloned.
    #[must_use]
    pub fn pins(mut self, pins: PinStore) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.pins = pins;
        }
        self
    }

    /// Checks that each tool name or pattern refers to a server of the file. Starts nothing. Returns the
    /// portable names of these servers, sorted, each once. An unknown server is an error.
    pub fn check_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>, McpError> {
        let servers: BTreeSet<String> = names
            .into_iter()
            .map(|name| Ok(self.slot(name)?.0.to_owned()))
            .collect::<Result<_, McpError>>()?;
        Ok(servers.into_iter().collect())
    }

    /// Returns one pattern per server, `mcp__server__*`, which together select all tools of the file.
    pub fn all(&self) -> Vec<String> {
        self.shared.servers.keys().map(|server| format!("mcp__{server}__*")).collect()
    }

    /// Starts the servers of the named tools and returns these tools as a toolbox, for programs that run
    /// agents themselves. `names` is as for [`ToolSource::list`].
    pub async fn toolbox(&self, names: &[String]) -> NodeResult<Toolbox> {
        let tools = self.list(names).await?;
        self.add_to(Toolbox::new(), &tools).map_err(|error| {
            let hint = error.hint();
            NodeError::from(error).permanent().with_hint(hint)
        })
    }

    /// Returns a message with name and reason for each tool of a server that is switched off. `server` is a
    /// portable name. Starts the server if it does not run.
    pub async fn refusals(&self, server: &str) -> Result<Vec<String>, McpError> {
        let pattern = format!("mcp__{server}__*");
        let (_, slot) = self.slot(&pattern)?;
        let running = self.running(slot).await.map_err(|error| *error)?;
        let tools = running.tools.lock().await;
        let refused = tools.iter().filter_map(|(name, tool)| Some((name, tool.as_ref().err()?)));
        Ok(refused
            .map(|(name, reason)| format!("`{}`: {reason}", crate::clean::clean_line(name, 100)))
            .collect())
    }

    /// Returns the portable name and the slot (entry and connection) of the MCP server that a tool name or
    /// pattern refers to.
    fn slot<'a>(&'a self, name: &'a str) -> Result<(&'a str, &'a ServerSlot), McpError> {
        let servers = &self.shared.servers;
        let found = split(name).and_then(|(server, _)| Some((server, servers.get(server)?)));
        found.ok_or_else(|| {
            let server = split(name).map_or(name, |(server, _)| server);
            let meant = nearest(server, servers.keys().map(String::as_str));
            let meant = meant.map(|server| name.replacen(split(name).map_or("", |(own, _)| own), &server, 1));
            McpError::UnknownServer {
                name: name.to_owned(),
                file: self.shared.file.display().to_string(),
                meant,
            }
        })
    }

    /// Returns the connected MCP server of a slot. Starts it if it does not run or its connection is lost;
    /// fails after `STARTS` starts.
    async fn running(&self, slot: &ServerSlot) -> Result<Arc<RunningServer>, Box<McpError>> {
        // Held during the start, so that concurrent calls start one server.
        let mut state = slot.state.lock().await;
        if let Some(running) = state.running.as_ref().filter(|running| !running.connection.is_lost()) {
            return Ok(running.clone());
        }
        if let Some(lost) = state.running.take() {
            // Its end may block for a moment.
            drop(tokio::task::spawn_blocking(move || drop(lost)).await);
        }
        if state.starts >= STARTS {
            return Err(Box::new(McpError::GaveUp {
                server: slot.server.name.clone(),
                starts: state.starts,
            }));
        }
        state.starts += 1;
        let running = Arc::new(self.start(&slot.server).await?);
        state.running = Some(running.clone());
        Ok(running)
    }

    /// Connects to a server and lists its tools, within the server's start limit.
    async fn start(&self, server: &McpServer) -> Result<RunningServer, Box<McpError>> {
        let shared = &self.shared;
        let stderr = OnceLock::new();
        let context = StartContext { env: shared.env.as_ref(), folder: &shared.folder, stderr: &stderr };
        let limit = server.start_limit;
        let work = async {
            let connection = Connection::open(server, &context).await?;
            let listed = list_tools(&connection, &server.name, limit).await?;
            Ok((connection, listed))
        };
        let (connection, listed) = tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let stderr = stderr.get().map(StderrTail::last_lines).unwrap_or_default();
            Err(Box::new(McpError::StartTimedOut { server: server.name.clone(), limit, stderr }))
        })?;
        let tools = Mutex::new(self.offer(server, listed));
        Ok(RunningServer { connection, tools })
    }

    /// Applies the user's rules and the pins to the listed tools. A tool that they switch off keeps the
    /// reason, for messages.
    fn offer(&self, server: &McpServer, listed: ToolList) -> OfferedTools {
        let digests = listed.iter().filter(|(name, _)| server.tools.offers(name));
        let digests =
            digests.filter_map(|(name, tool)| Some((name.clone(), tool.as_ref().ok()?.digest.clone())));
        let pinned = self.shared.pins.compare(&self.shared.file, &server.name, &digests.collect());
        let accept =
            format!("`graph trust {}` accepts its tools as they are now", self.shared.file.display());
        let judge = |(name, tool): (String, Result<ListedTool, String>)| {
            let tool = match pinned.get(&name) {
                None if tool.is_ok() => Err("the file of servers does not allow it".to_owned()),
                Some(PinState::New) => {
                    Err(format!("the server did not have it when its tools were first used; {accept}"))
                }
                Some(PinState::Changed) => Err(format!(
                    "the server describes it in another way than when it was first used; {accept}"
                )),
                _ => tool,
            };
            if let (Err(reason), true) = (&tool, server.tools.offers(&name)) {
                tracing::warn!("the tool `{name}` of the server `{}` is off: {reason}", server.name);
            }
            (name, tool)
        };
        listed.into_iter().map(judge).collect()
    }

    /// Returns the tools of one server that a name or pattern selects, sorted by full name. Fails if it
    /// selects none.
    async fn select(&self, pattern: &str) -> Result<Vec<ForeignTool>, Box<McpError>> {
        let (portable, slot) = self.slot(pattern)?;
        let running = self.running(slot).await?;
        let tools = running.tools.lock().await;
        let mut selected: BTreeMap<String, ForeignTool> = BTreeMap::new();
        let mut off = None;
        for (own, tool) in tools.iter() {
            let name = tool_name(portable, own);
            if !selects(pattern, &name) {
                continue;
            }
            match tool {
                // Two names of the server may become one of ours; the first one in the alphabet has it.
                Ok(tool) => {
                    selected
                        .entry(name.clone())
                        .or_insert_with(|| foreign_tool(name, own, tool, &slot.server));
                }
                Err(reason) => off = Some(reason.clone()),
            }
        }
        if selected.is_empty() {
            let names: Vec<&str> =
                tools.iter().filter(|(_, tool)| tool.is_ok()).map(|(name, _)| name.as_str()).collect();
            let list = crate::clean::clean_line(&names.join(", "), 500);
            let reason = off.unwrap_or_else(|| format!("its tools are {list}"));
            let tool = split(pattern).map_or(pattern, |(_, tool)| tool).to_owned();
            return Err(Box::new(McpError::UnknownTool { server: slot.server.name.clone(), tool, reason }));
        }
        Ok(selected.into_values().collect())
    }

    /// Calls a tool by its full name, `mcp__server__tool`. Refuses the call if the tool's digest is no
    /// longer `digest`, which means that the server changed its description. Secrets in the output are
    /// redacted; failures are outputs, too.
    pub(crate) async fn call(&self, name: &str, digest: &str, arguments: Map<String, Value>) -> ToolOutput {
        let (server, tool) = split(name).unwrap_or(("", name));
        let span = tracing::info_span!("mcp_call", server, tool);
        let output = match self.call_unredacted(name, digest, arguments).instrument(span).await {
            Ok(output) => output,
            Err(error) => {
                let hint = error.hint();
                ToolOutput::failed(stategraph_core::with_causes(&*error))
                    .again(Retryability::Never)
                    .hint(Some(hint))
            }
        };
        self.redact(output)
    }

    /// Does the work of `call` without redaction. Lists the tools anew if the server announced a change.
    async fn call_unredacted(
        &self,
        name: &str,
        digest: &str,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, Box<McpError>> {
        let (portable, slot) = self.slot(name)?;
        let running = self.running(slot).await?;
        let server = &slot.server;
        if running.connection.take_list_changed() {
            // The list is compared, and never grows by itself.
            let listed = list_tools(&running.connection, &server.name, server.limit).await?;
            *running.tools.lock().await = self.offer(server, listed);
        }
        let found = {
            let tools = running.tools.lock().await;
            let mut named = tools.iter().filter(|(own, _)| tool_name(portable, own) == name);
            named.find_map(|(own, tool)| Some((own.clone(), tool.as_ref().ok()?.digest.clone())))
        };
        let refuse = |reason: &str| {
            Box::new(McpError::UnknownTool {
                server: server.name.clone(),
                tool: split(name).map_or(name, |(_, tool)| tool).to_owned(),
                reason: reason.to_owned(),
            })
        };
        let (own, now) = found.ok_or_else(|| refuse("the server took it away during the run"))?;
        if now != digest {
            return Err(refuse("the server changed its description during the run; begin the run again"));
        }
        Ok(call(&running.connection, &server.name, &own, arguments, server.limit, server.total_limit()).await)
    }

    /// Replaces the values of variables that the entries name in an output, because a server may repeat its
    /// input.
    fn redact(&self, mut output: ToolOutput) -> ToolOutput {
        output.content = self.shared.redactor.text(&output.content).into_owned();
        if let Some(data) = &mut output.data {
            self.shared.redactor.value(data);
        }
        output
    }
}

impl ToolSource for McpServers {
    fn list<'a>(&'a self, names: &'a [String]) -> BoxFuture<'a, NodeResult<Vec<ForeignTool>>> {
        async move {
            let mut listed: Vec<ForeignTool> = Vec::new();
            for name in names {
                let tools = self.select(name).await.map_err(|error| self.node_error(&error))?;
                for tool in tools {
                    if listed.iter().all(|known| known.spec.name != tool.spec.name) {
                        listed.push(tool);
                    }
                }
            }
            Ok(listed)
        }
        .boxed()
    }

    fn add_to(&self, toolbox: Toolbox, tools: &[ForeignTool]) -> Result<Toolbox, ToolboxError> {
        tools.iter().try_fold(toolbox, |toolbox, tool| toolbox.with(McpTool::new(tool.clone(), self.clone())))
    }
}

impl McpServers {
    /// Converts an error to a permanent error of a graph node, with secrets redacted.
    fn node_error(&self, error: &McpError) -> NodeError {
        let hint = self.shared.redactor.text(&error.hint()).into_owned();
        let text = stategraph_core::with_causes(error);
        NodeError::msg(self.shared.redactor.text(&text).into_owned()).permanent().with_hint(hint)
    }
}

/// Converts a listed tool to the form that agents record. `name` is its full name, `own` the server's name
/// of it.
fn foreign_tool(name: String, own: &str, tool: &ListedTool, server: &McpServer) -> ForeignTool {
    // A little more than the call itself may take, so that users see the message of the call.
    let limit = server.total_limit() + Duration::from_secs(5);
    ForeignTool {
        spec: ToolSpec {
            name,
            description: tool.description.clone(),
            parameters: tool.parameters.clone().into(),
        },
        digest: tool.digest.clone(),
        needs_approval: server.tools.asks_about(own),
        limit_seconds: limit.as_secs(),
    }
}

/// Returns a redactor for the values of all variables that the `env` and `headers` of entries name.
fn redactor(config: &McpConfig, env: &dyn Env) -> Redactor {
    let values = config.servers().values().flat_map(|server| match &server.transport {
        ServerTransport::Program { env, .. } => env.values().collect::<Vec<_>>(),
        ServerTransport::Http { headers, .. } => headers.values().collect(),
    });
    let names: BTreeSet<String> = values.flat_map(|value| variables(value)).collect();
    let secret = names.into_iter().filter(|name| !PLAIN_VARIABLES.contains(&name.as_str()));
    secret.fold(Redactor::new(), |redactor, name| match env.var(&name) {
        Some(value) => redactor.with(&name, &value),
        None => redactor,
    })
}
