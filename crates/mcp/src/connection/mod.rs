//! One connected server: its start with the handshake, its requests with time limits, its end. Knows
//! nothing about rules for tools; see `listing` and `servers`.

mod events;
mod http;
mod process;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rmcp::model::{CancelledNotificationParam, ClientRequest, ProtocolVersion, RequestId, ServerResult};
use rmcp::service::{ClientInitializeError, Peer, PeerRequestOptions, RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};

use crate::clean::clean_line;
use crate::config::{McpServer, ServerTransport, expand};
use crate::error::McpError;
use crate::limit::TIMEOUTS_IN_A_ROW;
use events::ServerEvents;
use process::ServerProcess;
use stategraph_llm::Env;

pub(crate) use process::StderrTail;

/// Environment variables that are passed to every program of a server. Others are not passed, because they
/// hold the keys of models.
const PASSED_VARIABLES: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// Maximum number of characters of a server's text in a message.
const MESSAGE_CHARS: usize = 300;

/// Inputs for the start of an MCP server besides its configuration entry: the environment variables and the
/// working folder.
pub(crate) struct StartContext<'a> {
    /// The environment variables.
    pub(crate) env: &'a dyn Env,
    /// Working folder of the programs.
    pub(crate) folder: &'a Path,
    /// Set to the standard error of the program once it runs, for the message when the start takes too
    /// long.
    pub(crate) stderr: &'a OnceLock<StderrTail>,
}

/// A connection to an MCP server after the handshake. Dropping it ends the server and all processes that it
/// started, within about two seconds.
pub(crate) struct Connection {
    service: RunningService<RoleClient, ServerEvents>,
    events: ServerEvents,
    process: Option<ServerProcess>,
    timeouts: AtomicU32,
}

impl Connection {
    /// Starts the program of an MCP server, or connects to its address, and completes the handshake.
    /// Replaces variables first. Has no time limit; the caller sets one.
    pub(crate) async fn open(server: &McpServer, context: &StartContext<'_>) -> Result<Self, Failed> {
        let events = ServerEvents::default();
        let name = server.name.as_str();
        let expand = |text: &str| {
            expand(text, &|name| context.env.var(name))
                .map_err(|variable| McpError::MissingVariable { server: name.to_owned(), variable })
        };
        let expand_all = |pairs: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, McpError> {
            pairs.iter().map(|(key, value)| Ok((key.clone(), expand(value)?))).collect()
        };
        let (service, process) = match &server.transport {
            ServerTransport::Program { command, args, env, folder } => {
                let program = process::ServerProgram {
                    command: expand(command)?,
                    args: args.iter().map(|arg| expand(arg)).collect::<Result<_, _>>()?,
                    env: passed_variables(context).chain(expand_all(env)?).collect(),
                    folder: match folder {
                        Some(folder) => context.folder.join(expand(folder)?),
                        None => context.folder.to_owned(),
                    },
                };
                let (mut process, transport) = ServerProcess::start(&program).map_err(|source| {
                    McpError::Spawn { server: name.to_owned(), command: server.command_line(), source }
                })?;
                drop(context.stderr.set(process.stderr()));
                match events.clone().serve(transport).await {
                    Ok(service) => (service, Some(process)),
                    Err(error) => {
                        let status = process.exit_status().await;
                        let status = status.map(|status| format!("it ended with {status}"));
                        let reason = status.unwrap_or_else(|| handshake_reason(&error));
                        let stderr = process.last_lines().await;
                        return Err(McpError::Handshake { server: name.to_owned(), reason, stderr }.into());
                    }
                }
            }
            ServerTransport::Http { url, headers } => {
                let transport = http::transport(&expand(url)?, &expand_all(headers)?)
                    .map_err(|reason| McpError::BadEntry { server: name.to_owned(), reason })?;
                let service = events.clone().serve(transport).await.map_err(|error| McpError::Handshake {
                    server: name.to_owned(),
                    reason: handshake_reason(&error),
                    stderr: String::new(),
                })?;
                (service, None)
            }
        };
        let connection = Self { service, events, process, timeouts: AtomicU32::new(0) };
        connection.check_version(name)?;
        Ok(connection)
    }

    /// Fails if the server speaks a protocol version that `rmcp` does not know. `rmcp` itself accepts any
    /// version, and then speaks the newest to a server that may mean another.
    fn check_version(&self, server: &str) -> Result<(), McpError> {
        let version = self.service.peer().peer_info().map(|info| info.protocol_version.clone());
        match version {
            Some(version) if ProtocolVersion::KNOWN_VERSIONS.contains(&version) => Ok(()),
            other => {
                let version = other.map(|version| clean_line(version.as_str(), 40)).unwrap_or_default();
                Err(McpError::Version { server: server.to_owned(), version })
            }
        }
    }

    /// Sends a request and waits for its result. `limit` bounds the silence of the server: a progress
    /// notification starts it anew. `total` bounds the whole request. A request that times out, or whose
    /// future is dropped, is cancelled at the server.
    pub(crate) async fn request(
        &self,
        request: ClientRequest,
        limit: Duration,
        total: Duration,
    ) -> Result<ServerResult, ServiceError> {
        let options =
            PeerRequestOptions::with_timeout(limit).reset_timeout_on_progress().with_max_total_timeout(total);
        let handle = self.service.send_cancellable_request(request, options).await?;
        let mut guard = CancelOnDrop { peer: self.service.peer().clone(), id: Some(handle.id.clone()) };
        let result = handle.await_response().await;
        guard.id = None;
        match &result {
            Err(ServiceError::Timeout { .. }) => {
                self.timeouts.fetch_add(1, Ordering::Relaxed);
            }
            _ => self.timeouts.store(0, Ordering::Relaxed),
        }
        result
    }

    /// Returns true if the connection is closed, or if several requests in a row have timed out: it must be
    /// replaced.
    pub(crate) fn is_lost(&self) -> bool {
        self.service.peer().is_transport_closed()
            || self.service.is_closed()
            || self.timeouts.load(Ordering::Relaxed) >= TIMEOUTS_IN_A_ROW
    }

    /// Returns true if the server has announced a change of its tool list since the last call.
    pub(crate) fn take_list_changed(&self) -> bool {
        self.events.take_list_changed()
    }

    /// Returns the last lines of the server's standard error with an introduction (`; its last lines: …`);
    /// empty if there are none or the server has no program.
    pub(crate) async fn last_lines(&self) -> String {
        match &self.process {
            Some(process) => process.last_lines().await,
            None => String::new(),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The task of the service drops the pipes then, and a server that reads the end of its input ends.
        self.service.cancellation_token().cancel();
    }
}

/// The error of a server's start, boxed to keep results small.
pub(crate) type Failed = Box<McpError>;

/// Guard that cancels a request at the server when it is dropped before the result arrived. `id` is `None`
/// afterwards.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let cancelled =
                CancelledNotificationParam::new(Some(id), Some("the caller stopped waiting".to_owned()));
            // A server that is gone needs no notification.
            drop(peer.notify_cancelled(cancelled).await);
        });
    }
}

/// Returns the variables of `PASSED_VARIABLES` that are set, with their values.
fn passed_variables(context: &StartContext<'_>) -> impl Iterator<Item = (String, String)> {
    PASSED_VARIABLES.into_iter().filter_map(|name| Some((name.to_owned(), context.env.var(name)?)))
}

/// Returns the error of a handshake as one clean line.
fn handshake_reason(error: &ClientInitializeError) -> String {
    clean_line(&error.to_string(), MESSAGE_CHARS)
}
