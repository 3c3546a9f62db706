//! The session with one client: answers its requests until the client closes its side or the program is
//! asked to end. Calls run concurrently, up to a bound.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::catalogue::{ServedCall, ServedTools};
use super::result::{describe, to_result};
use crate::clean::clean_line;
use crate::limit::SERVED_AT_ONCE;
use stategraph_agent::{ToolFailure, ToolOutput};
use stategraph_core::nearest;

/// Maximum number of progress lines that wait to be sent to the client; further ones are dropped.
const PROGRESS_LINES: usize = 64;

/// Maximum number of characters of a progress line.
const PROGRESS_CHARS: usize = 300;

/// Failure of an MCP session to begin: the client did not complete the handshake.
#[derive(Debug, Error)]
#[error("the client did not begin the protocol: {reason}")]
pub struct ServeError {
    reason: String,
}

impl ServeError {
    /// Returns the hint for this error: the next step that the user can take.
    pub fn hint(&self) -> &'static str {
        "this command speaks the Model Context Protocol over standard input and output; name it in the settings of a client"
    }
}

/// Runs an MCP server for one client over `input` and `output`. `instructions` are sent to the client at
/// the start. Returns when the client closes its side or `stop` is ready; running calls are then cancelled
/// and get a moment to end.
pub async fn serve(
    tools: ServedTools,
    instructions: &str,
    (input, output): (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let ended = CancellationToken::new();
    let slots = Arc::new(Semaphore::new(SERVED_AT_ONCE));
    let server = ToolServer {
        tools,
        instructions: instructions.to_owned(),
        slots: slots.clone(),
        ended: ended.clone(),
    };
    let mut stop = std::pin::pin!(stop);
    let begun = tokio::select! {
        begun = server.serve((input, output)) => begun,
        () = &mut stop => return Ok(()),
    };
    let running =
        begun.map_err(|error| ServeError { reason: clean_line(&error.to_string(), PROGRESS_CHARS) })?;
    let token = running.cancellation_token();
    let waiting = running.waiting();
    tokio::pin!(waiting);
    tokio::select! {
        _ = &mut waiting => {}
        () = &mut stop => token.cancel(),
    }
    ended.cancel();
    // All slots are free when all calls have ended.
    let all = u32::try_from(SERVED_AT_ONCE).unwrap_or(u32::MAX);
    drop(tokio::time::timeout(crate::limit::CLOSE_LIMIT, slots.acquire_many(all)).await);
    Ok(())
}

/// Request handler of one MCP session of our own server.
struct ToolServer {
    tools: ServedTools,
    instructions: String,
    slots: Arc<Semaphore>,
    /// Cancelled when the session is over.
    ended: CancellationToken,
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let us = Implementation::new("stategraph", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(us)
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|tool| describe(tool.as_ref())).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.get(name).map(|tool| describe(tool.as_ref()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.get(&request.name) else {
            let names = self.tools.iter().map(|tool| tool.spec().name.as_str());
            let meant = nearest(&clean_line(&request.name, 64), names);
            let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            let reason = format!("no tool `{}`{meant}", clean_line(&request.name, 64));
            return Err(ErrorData::invalid_params(reason, None));
        };
        let (progress, mut lines) = mpsc::channel(PROGRESS_LINES);
        let call = ServedCall { progress, cancelled: context.ct.child_token() };
        let work = async {
            let _slot = self.slots.acquire().await;
            tool.call(request.arguments.unwrap_or_default(), &call).await
        };
        let mut work = std::pin::pin!(work);
        let mut told = 0_u32;
        let output = loop {
            tokio::select! {
                output = &mut work => break output,
                Some(line) = lines.recv() => {
                    told += 1;
                    tell(&context, told, &line).await;
                }
                () = self.ended.cancelled(), if !call.cancelled.is_cancelled() => call.cancelled.cancel(),
            }
        };
        while let Ok(line) = lines.try_recv() {
            told += 1;
            tell(&context, told, &line).await;
        }
        let output = if call.cancelled.is_cancelled() && output.is_success() {
            // The client does not read it, but the log of a proxy may.
            ToolOutput::failure(ToolFailure::Refused, "the call was cancelled")
        } else {
            output
        };
        Ok(to_result(&output).into())
    }
}

/// Sends a progress notification with this running number, if the client asked for progress.
async fn tell(context: &RequestContext<RoleServer>, number: u32, line: &str) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let progress = ProgressNotificationParam::new(token, f64::from(number));
    let progress = progress.with_message(clean_line(line, PROGRESS_CHARS));
    // A client that is gone ends the session anyway.
    drop(context.peer.notify_progress(progress).await);
}
