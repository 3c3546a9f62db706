//! A model that plays a script: an agent by the number of its answers so far, and the requests of its tools by their instructions.

use std::sync::Arc;

use serde_json::{Value, json};
use stategraph::engine::{HostRequest, HostStart, QuestionId, Status};
use stategraph::workflows::contextualize::ContextualizeGenerate;
use stategraph::workflows::{ArgValues, Report, Setting, Workflow};
use stategraph_testing::fake_server::{FakeServer, Play, RecordedRequest, completion};

use crate::contextualize::runs::{Shop, Step, good, message, step};

/// An answer of the agent.
#[derive(Clone, Debug)]
pub(super) enum Said {
    Text(&'static str),
    Calls(Vec<(&'static str, Value)>),
}

/// Returns an answer with calls.
pub(super) fn calls<const N: usize>(calls: [(&'static str, Value); N]) -> Said {
    Said::Calls(calls.into())
}

impl Said {
    /// Returns the answer as an endpoint sends it.
    fn play(&self, round: usize, tokens: u64) -> Play {
        let mut body = completion("");
        body["usage"]["prompt_tokens"] = json!(tokens);
        match self {
            Self::Text(text) => {
                body["choices"][0]["message"]["content"] = json!(text);
                Play::json(200, &body)
            }
            Self::Calls(calls) => {
                let call = |(number, (name, arguments)): (usize, &(&str, Value))| {
                    let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                    json!({ "id": format!("c{round}-{number}"), "type": "function", "function": { "name": name, "arguments": arguments } })
                };
                let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
                body["choices"][0] = json!({
                    "index": 0, "finish_reason": "tool_calls",
                    "message": { "role": "assistant", "content": "", "tool_calls": calls },
                });
                Play::json(200, &body)
            }
        }
    }
}

/// Returns true for a request of the agent, not of one of its tools.
pub(super) fn is_agent(request: &RecordedRequest) -> bool {
    let system = request.body["messages"][0]["content"].as_str().unwrap_or_default();
    system.starts_with("You write and change context files with tools")
        || system.starts_with("You find the places in a code base that answer a question, with tools")
}

/// Number of answers of the model in a request.
pub(super) fn round(request: &RecordedRequest) -> usize {
    messages(request).iter().filter(|message| message["role"] == "assistant").count()
}

pub(super) fn messages(request: &RecordedRequest) -> Vec<Value> {
    request.body["messages"].as_array().expect("messages").clone()
}

/// Starts a server that plays the script for the agent; tools get the answers of a good model. After the script the agent says `Done.`
pub(super) async fn serve(script: Vec<Said>) -> FakeServer {
    serve_with(script, good).await
}

/// The same with other answers for the requests of tools.
pub(super) async fn serve_with(
    script: Vec<Said>,
    answer: impl Fn(Step, usize) -> String + Send + Sync + 'static,
) -> FakeServer {
    serve_costing(script, 7, answer).await
}

/// The same with the tokens that each answer of the agent reports for its prompt.
async fn serve_costing(
    script: Vec<Said>,
    tokens: u64,
    answer: impl Fn(Step, usize) -> String + Send + Sync + 'static,
) -> FakeServer {
    let (script, answer) = (Arc::new(script), Arc::new(answer));
    FakeServer::answering(move |number, request| {
        if !is_agent(request) {
            return Play::says(&answer(step(request), number));
        }
        let round = round(request);
        script.get(round).unwrap_or(&Said::Text("Done.")).play(round, tokens)
    })
    .await
}

/// Returns the requests of the agent.
pub(super) fn agent_requests(server: &FakeServer) -> Vec<RecordedRequest> {
    server.requests().into_iter().filter(is_agent).collect()
}

/// Returns the steps of the requests of tools.
pub(super) fn tool_steps(server: &FakeServer) -> Vec<Step> {
    server.requests().iter().filter(|request| !is_agent(request)).map(step).collect()
}

/// Returns the results of the calls of a round, from 0, as the model reads them in the next request.
pub(super) fn results(server: &FakeServer, of: usize) -> Vec<Value> {
    let requests = agent_requests(server);
    let next = requests.iter().find(|request| round(request) == of + 1);
    let messages = messages(next.unwrap_or_else(|| panic!("there is no request after round {of}")));
    let from = messages.iter().rposition(|message| message["role"] == "assistant").expect("an answer");
    let results = messages[from + 1..].iter().filter(|message| message["role"] == "tool");
    results.map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap()).collect()
}

/// Returns the results of a conversation in a state, by round.
pub(super) fn stored_results(state: &Value) -> Vec<Value> {
    let messages = state["conversation"]["messages"].as_array().expect("messages");
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap()).collect()
}

/// Returns the content of a result, which succeeded.
#[track_caller]
pub(super) fn content(result: &Value) -> &str {
    assert_eq!(result["success"], true, "{result}");
    result["content"].as_str().unwrap()
}

/// Returns the kind and the content of a result, which failed.
#[track_caller]
pub(super) fn failure(result: &Value) -> (&str, &str) {
    assert_eq!(result["success"], false, "{result}");
    (result["error"].as_str().expect("a failure has an `error`"), result["content"].as_str().unwrap())
}

/// A shop with a server whose model plays a script.
pub(super) async fn shop(script: Vec<Said>) -> (Shop, FakeServer) {
    shop_with(script, "").await
}

/// The same with further settings.
pub(super) async fn shop_with(script: Vec<Said>, section: &str) -> (Shop, FakeServer) {
    let (shop, server) = (Shop::new(), serve(script).await);
    shop.configure(&server, section);
    (shop, server)
}

/// A shop whose agent reports so many tokens for each prompt.
pub(super) async fn shop_costing(script: Vec<Said>, tokens: u64, section: &str) -> (Shop, FakeServer) {
    let (shop, server) = (Shop::new(), serve_costing(script, tokens, good).await);
    shop.configure(&server, section);
    (shop, server)
}

/// Returns the prompt of the first request of a tool for this step.
pub(super) fn prompt_of(server: &FakeServer, wanted: Step) -> String {
    let requests = server.requests();
    let found = requests.iter().find(|request| !is_agent(request) && step(request) == wanted);
    message(found.expect("the step was asked for"), 1)
}

/// The arguments of a command in agent mode.
pub(super) fn as_agent(given: ArgValues) -> ArgValues {
    given.with("mode", "agent")
}

/// The same without questions before expensive tools.
pub(super) fn approved(given: ArgValues) -> ArgValues {
    as_agent(given).with("approve", "all")
}

/// The end of a run, which may wait for answers.
#[derive(Debug)]
pub(super) struct Stopped {
    pub(super) status: Status,
    pub(super) state: Value,
}

impl Stopped {
    /// Returns the open questions: their ids and their payloads.
    pub(super) fn questions(&self) -> Vec<(QuestionId, Value)> {
        let payload = |text: &str| serde_json::from_str(text).expect("a payload is JSON");
        self.status.questions().iter().map(|it| (it.id, payload(it.payload.get()))).collect()
    }
}

/// Starts a run of a description and returns its end.
pub(super) async fn start(given: &ArgValues, setting: &Setting) -> Stopped {
    let prepared = ContextualizeGenerate.prepare(given, setting).unwrap();
    let start = HostStart::Input { state: prepared.state, thread: Some(prepared.thread) };
    finish(&*prepared.host, HostRequest::new(start)).await
}

/// Resumes the thread of a description with answers.
pub(super) async fn answer(
    given: &ArgValues,
    setting: &Setting,
    answers: Vec<(QuestionId, Value)>,
) -> Stopped {
    let workflow = ContextualizeGenerate;
    let thread = workflow.prepare(given, setting).unwrap().thread;
    let stored = workflow.viewer(setting).unwrap().state(&thread, None).await.unwrap().state;
    let host = workflow.restore(given, setting, &stored).unwrap();
    let mut request = HostRequest::new(HostStart::Resume { thread, at: None });
    request.answers = answers;
    finish(&*host, request).await
}

/// Runs a request to its end.
pub(super) async fn finish(host: &dyn stategraph::engine::Host, request: HostRequest) -> Stopped {
    let mut stream = host.stream(request).await.unwrap();
    while futures_util::StreamExt::next(&mut stream).await.is_some() {}
    let outcome = stream.outcome().expect("the stream has ended").unwrap();
    Stopped { status: outcome.status, state: serde_json::from_str(outcome.state.get()).unwrap() }
}

/// Returns the report about a state.
pub(super) fn report(workflow: &dyn Workflow, state: &Value) -> Report {
    workflow.report(&serde_json::value::to_raw_value(state).unwrap()).unwrap()
}
