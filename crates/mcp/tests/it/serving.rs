//! Our server, asked by our client's library over a pipe.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientRequest, ContentBlock, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::{Map, Value, json};
use stategraph_agent::{NoArguments, Tool, ToolOutput, Toolbox};
use stategraph_llm::ToolSpec;
use stategraph_mcp::server::{ServedCall, ServedTool, ServedTools, ToolAccess, serve};
use tokio::sync::{Mutex, Notify};

struct Readme;

impl Tool for Readme {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "readme"
    }

    fn description(&self) -> &'static str {
        "Reads."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        ToolOutput::ok("key = AKIAIOSFODNN7EXAMPLE\u{1b}[0m, text")
    }
}

/// A tool that tells progress and waits until it is cancelled.
struct Waiting {
    spec: ToolSpec,
    begun: Arc<Notify>,
    was_cancelled: Arc<AtomicBool>,
}

impl ServedTool for Waiting {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> ToolAccess {
        ToolAccess::Acts
    }

    fn call<'a>(&'a self, _: Map<String, Value>, call: &'a ServedCall) -> BoxFuture<'a, ToolOutput> {
        async move {
            call.tell_progress("begun");
            self.begun.notify_one();
            call.cancelled().await;
            self.was_cancelled.store(true, Ordering::SeqCst);
            self.begun.notify_one();
            ToolOutput::ok("late")
        }
        .boxed()
    }
}

#[derive(Clone, Default)]
struct Client {
    lines: Arc<Mutex<Vec<String>>>,
    told: Arc<Notify>,
}

impl ClientHandler for Client {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.lines.lock().await.push(progress.message.unwrap_or_default());
        self.told.notify_one();
    }
}

struct Session {
    client: Client,
    running: RunningService<RoleClient, Client>,
    begun: Arc<Notify>,
    was_cancelled: Arc<AtomicBool>,
    server: tokio::task::JoinHandle<()>,
}

async fn connect() -> Session {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (begun, was_cancelled) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let parameters = json!({ "type": "object", "properties": {} });
    let spec = ToolSpec { name: "wait".into(), description: "Waits.".into(), parameters: parameters.into() };
    let tools = ServedTools::new().with_toolbox(&Toolbox::new().with(Readme).unwrap()).with(Waiting {
        spec,
        begun: begun.clone(),
        was_cancelled: was_cancelled.clone(),
    });
    let server = tokio::spawn(async move {
        let streams = tokio::io::split(ours);
        serve(tools, "Tools of a test.", streams, std::future::pending()).await.unwrap();
    });
    let client = Client::default();
    let running = client.clone().serve(tokio::io::split(theirs)).await.unwrap();
    Session { client, running, begun, was_cancelled, server }
}

fn text(result: &CallToolResult) -> &str {
    match &result.content[0] {
        ContentBlock::Text(text) => &text.text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_client_lists_and_calls_tools_and_gets_no_key_of_a_file() {
    let session = connect().await;
    let tools = session.running.list_all_tools().await.unwrap();
    let hints: Vec<_> = tools
        .iter()
        .map(|tool| (&*tool.name, tool.annotations.as_ref().and_then(|hints| hints.read_only_hint)))
        .collect();
    assert_eq!(hints, [("readme", Some(true)), ("wait", Some(false))]);
    let read = session.running.call_tool(CallToolRequestParams::new("readme")).await.unwrap();
    assert_eq!(read.is_error, Some(false));
    assert!(!text(&read).contains("AKIA") && !text(&read).contains('\u{1b}'), "{}", text(&read));
    let wrong = CallToolRequestParams::new("readme")
        .with_arguments(serde_json::from_value(json!({ "x": 1 })).unwrap());
    assert!(session.running.call_tool(wrong).await.is_ok());
    let unknown = session.running.call_tool(CallToolRequestParams::new("raedme")).await.unwrap_err();
    assert!(unknown.to_string().contains("did you mean `readme`?"), "{unknown}");
}

#[tokio::test]
async fn a_call_tells_its_progress_and_ends_when_the_client_cancels_it() {
    let session = connect().await;
    let request =
        ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(CallToolRequestParams::new("wait")));
    let handle =
        session.running.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    session.begun.notified().await;
    session.client.told.notified().await;
    assert_eq!(*session.client.lines.lock().await, ["begun"]);
    assert!(!session.was_cancelled.load(Ordering::SeqCst));
    handle.cancel(None).await.unwrap();
    session.begun.notified().await;
    assert!(session.was_cancelled.load(Ordering::SeqCst));
}

#[tokio::test]
async fn calls_end_when_the_client_is_gone() {
    let session = connect().await;
    let request =
        ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(CallToolRequestParams::new("wait")));
    let handle =
        session.running.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    session.begun.notified().await;
    drop(handle);
    session.running.cancel().await.unwrap();
    session.server.await.unwrap();
    assert!(session.was_cancelled.load(Ordering::SeqCst));
}
