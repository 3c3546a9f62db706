//! `graph mcp` and the servers of graph files, as a user types them; and the examples of docs/mcp.md.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use stategraph_testing::fake_server::{FakeServer, Play, completion};

use super::kit::{Place, done};
use crate::scripted_server::has_python;
use crate::tidy::root;

/// A folder whose `mcp.json` names a scripted server.
fn place(server: &str, more: &Value) -> Place {
    let place = Place::new();
    let script = root().join("crates/mcp/tests/scripted_server.py");
    let mut entry = json!({ "command": "python3", "args": [script, "good", place.at("starts")] });
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    place.write("mcp.json", json!({ "mcpServers": { server: entry } }).to_string());
    place
}

fn graph_file(node: &str) -> String {
    format!(
        "name: t\nstate: {{ out: {{ type: string, default: \"\" }} }}\nnodes:\n  a: {node}\nedges:\n  - {{ from: START, to: a }}\n  - {{ from: a, to: END }}\n"
    )
}

const MARK: &str = "{ tool: { name: mcp__x__mark, arguments: { path: \"'marks'\" } }, to: out }";

/// The command line with a folder for approvals, and a PATH.
fn shell(place: &Place, line: &str) -> tokio::process::Command {
    let mut command = place.shell(line);
    command.env("XDG_STATE_HOME", place.at("state")).env("HOME", place.path());
    command
}

// SEC-131, SEC-194
#[tokio::test]
async fn a_found_file_of_servers_starts_nothing_before_it_is_trusted() {
    if !has_python() {
        return;
    }
    let place = place("x", &json!({}));
    place.write("t.yaml", graph_file(MARK));
    let refused = done(shell(&place, "graph run t.yaml")).await.exits(2);
    assert!(
        refused.err.contains("mcp.json is not trusted yet") && refused.err.contains("start `python3"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("graph trust"), "{}", refused.err);
    assert!(!place.at("starts").exists() && !place.at("marks").exists());
    let shown = done(shell(&place, "graph trust mcp.json")).await.exits(0);
    assert!(shown.out.contains("as the server `x`"), "{}", shown.out);
    let run = done(shell(&place, "graph run t.yaml")).await.exits(0);
    assert!(run.out.contains("\"out\": \"done\""), "{}", run.out);
    assert_eq!(place.read("marks"), "called\n");
}

#[tokio::test]
async fn a_call_that_has_ended_is_not_made_again_by_a_resume() {
    if !has_python() {
        return;
    }
    let place = place("x", &json!({}));
    let file = graph_file(MARK)
        .replace("nodes:\n", "nodes:\n  b: { interrupt: { question: \"'go on?'\" }, to: out }\n");
    let file = file.replace("{ from: a, to: END }", "{ from: a, to: b }\n  - { from: b, to: END }");
    place.write("t.yaml", file);
    done(shell(&place, "graph run t.yaml --mcp mcp.json --thread t")).await.exits(3);
    done(shell(&place, "graph resume t --answer '\"yes\"' --mcp mcp.json")).await.exits(0);
    assert_eq!(place.read("marks"), "called\n");
}

#[tokio::test]
async fn a_call_that_needs_an_approval_waits_for_a_person() {
    if !has_python() {
        return;
    }
    let place = place("x", &json!({ "tools": { "approve": ["mark"] } }));
    place.write("t.yaml", graph_file(MARK));
    let waiting = done(shell(&place, "graph run t.yaml --mcp mcp.json --thread t")).await.exits(3);
    assert!(waiting.err.contains("mcp__x__mark"), "{}", waiting.err);
    assert!(!place.at("marks").exists());
    done(shell(&place, "graph resume t --answer approve --mcp mcp.json")).await.exits(0);
    assert_eq!(place.read("marks"), "called\n");
    let waiting = done(shell(&place, "graph run t.yaml --mcp mcp.json --thread u")).await.exits(3);
    assert!(waiting.err.contains("mcp__x__mark"), "{}", waiting.err);
    let rejected = done(shell(&place, "graph resume u --answer reject --mcp mcp.json")).await.exits(2);
    assert!(rejected.err.contains("a person rejected the call"), "{}", rejected.err);
    assert_eq!(place.read("marks"), "called\n");
}

#[tokio::test]
async fn a_replay_starts_no_server() {
    if !has_python() {
        return;
    }
    let place = place("x", &json!({}));
    place.write("t.yaml", graph_file(MARK));
    let first =
        done(shell(&place, "graph run t.yaml --mcp mcp.json --record tape --thread t")).await.exits(0);
    std::fs::remove_file(place.at("starts")).unwrap();
    let replay = "graph run t.yaml --mcp mcp.json --replay tape --thread t --checkpoints other";
    let again = done(shell(&place, replay)).await.exits(0);
    assert_eq!(again.out, first.out);
    assert!(!place.at("starts").exists());
    assert_eq!(place.read("marks"), "called\n");
}

#[tokio::test]
async fn tools_are_listed_and_a_wrong_name_is_corrected() {
    if !has_python() {
        return;
    }
    let place = place("x", &json!({ "tools": { "deny": ["die"] } }));
    let listed = done(shell(&place, "graph mcp tools --trust")).await.exits(0);
    assert!(listed.out.contains("mcp__x__echo") && !listed.out.contains("mcp__x__die"), "{}", listed.out);
    place.write("t.yaml", graph_file(&MARK.replace("mcp__x__", "mcp__y__")));
    let wrong = done(shell(&place, "graph run t.yaml --trust")).await.exits(2);
    assert!(wrong.err.contains("did you mean `mcp__x__mark`?"), "{}", wrong.err);
    place.write("t.yaml", graph_file(&MARK.replace("mark", "die")));
    let denied = done(shell(&place, "graph run t.yaml --trust")).await.exits(2);
    assert!(denied.err.contains("the file of servers does not allow it"), "{}", denied.err);
    // SEC-131: a missing file and a bad one have no servers, and the reason is told.
    place.write("bad.json", "{}");
    for (file, reason) in [("bad.json", "neither `mcpServers` nor `servers`"), ("none.json", "cannot read")] {
        let without = done(shell(&place, &format!("graph run t.yaml --mcp {file}"))).await.exits(2);
        assert!(without.err.contains(reason), "{}", without.err);
    }
    std::fs::remove_file(place.at("mcp.json")).unwrap();
    done(shell(&place, "graph mcp tools")).await.exits(2);
}

#[tokio::test]
async fn a_documentation_run_uses_servers_waits_for_approval_and_replays_without_them() {
    // SEC-131, SEC-194
    if !has_python() {
        return;
    }
    let place = place("x", &json!({ "tools": { "approve": ["mark"] } }));
    place.write("repo/src/main.rs", "fn main() {}\n");
    let function = json!({ "name": "mcp__x__mark", "arguments": "{\"path\":\"marks\"}" });
    let calls = json!([{ "id": "c", "type": "function", "function": function }]);
    let model = FakeServer::answering(move |number, _| {
        let said =
            "<phase_complete>{\"findings_summary\": \"Nothing.\", \"confidence\": 0.5}</phase_complete>";
        let mut body = completion(said);
        if number == 0 {
            body["choices"][0]["finish_reason"] = "tool_calls".into();
            body["choices"][0]["message"]["tool_calls"] = calls.clone();
        }
        Play::json(200, &body)
    })
    .await;
    place.write("config.yaml", format!("providers:\n  local: {{ base_url: \"{}\" }}\n", model.base_url()));
    let run = "graph run doc-phases repo --model local/any --mcp mcp.json --record tape";
    let waiting = done(shell(&place, run)).await.exits(3);
    assert!(waiting.err.contains("mcp__x__mark") && !place.at("marks").exists(), "{}", waiting.err);
    let resume = format!("graph resume {} --answer approve --mcp mcp.json --record tape", waiting.thread());
    done(shell(&place, &resume)).await;
    assert_eq!(place.read("marks"), "called\n");
}

/// The blocks of docs/mcp.md of a language.
fn blocks(language: &str) -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs/mcp.md")).unwrap();
    let begin = format!("```{language}\n");
    page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_examples_of_the_page_work() {
    if !has_python() {
        return;
    }
    for file in blocks("json") {
        let config = stategraph::mcp::McpConfig::parse(&file, "mcp.json".as_ref()).unwrap();
        assert!(!config.servers().is_empty() && config.warnings().is_empty(), "{:?}", config.warnings());
    }
    let place = place("git", &json!({}));
    let [graph] = blocks("yaml").try_into().unwrap();
    place.write("changes.yaml", &graph);
    done(shell(&place, "graph check changes.yaml")).await.exits(0);
    // The scripted server has no tool of this name, so another one stands for it.
    place.write("changes.yaml", graph.replace("git_log", "echo"));
    done(shell(&place, "graph run changes.yaml --mcp mcp.json")).await.exits(0);
}

/// A client that speaks the protocol by hand.
struct Client {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    async fn start(place: &Place, arguments: &[&str]) -> Self {
        let mut command = place.graph(arguments);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self { child, input, output };
        let us = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": us });
        client.ask(0, "initialize", hello).await;
        client.send(json!({ "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.output.next_line().await.unwrap().expect("the server ended")).unwrap()
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(json!({ "id": id, "method": method, "params": params })).await;
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn call(&mut self, id: u32, tool: &str, arguments: Value) -> Value {
        self.ask(id, "tools/call", json!({ "name": tool, "arguments": arguments })).await["result"].clone()
    }
}

#[tokio::test]
async fn our_server_reads_below_its_root_and_writes_nothing() {
    let place = Place::new();
    place.write("repo/src/lib.rs", "pub fn found() {}\n");
    place.write("secret.txt", "outside");
    let mut client = Client::start(&place, &["mcp", "--root", "repo"]).await;
    let listed = client.ask(1, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 9, "{tools:?}");
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
    let read = client.call(2, "read_file", json!({ "path": "src/lib.rs" })).await;
    assert_eq!(
        (&read["isError"], &read["content"][0]["text"]),
        (&json!(false), &json!("pub fn found() {}\n"))
    );
    let outside = client.call(3, "read_file", json!({ "path": "../secret.txt" })).await;
    assert_eq!(outside["isError"], true);
    assert!(!outside.to_string().contains("\"outside\""), "{outside}");
    let unknown = client.ask(4, "tools/call", json!({ "name": "run_ard", "arguments": {} })).await;
    assert!(unknown["error"].is_object(), "{unknown}");
    let Client { mut child, input, .. } = client;
    drop(input);
    assert!(child.wait().await.unwrap().success());
    assert_eq!(std::fs::read_dir(place.at("repo")).unwrap().count(), 1);
}

#[tokio::test]
async fn an_allowed_graph_runs_with_progress_and_returns_its_document() {
    let place = Place::new();
    place.write("repo/a.txt", "x");
    let mut client = Client::start(&place, &["mcp", "--root", "repo", "--allow-graph", "ard"]).await;
    let listed = client.ask(1, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let ard = tools.iter().find(|tool| tool["name"] == "run_ard").unwrap();
    let properties: Vec<&String> = ard["inputSchema"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["idea"], "paths, models and limits are the owner's");
    let idea = super::kit::IDEA;
    let params =
        json!({ "name": "run_ard", "arguments": { "idea": idea }, "_meta": { "progressToken": "p" } });
    client.send(json!({ "id": 2, "method": "tools/call", "params": params })).await;
    let mut lines = 0;
    let result = loop {
        let message = client.next().await;
        if message["method"] == "notifications/progress" {
            assert_eq!(message["params"]["progressToken"], "p");
            lines += 1;
        } else if message["id"] == 2 {
            break message["result"].clone();
        }
    };
    assert!(lines > 1, "{lines}");
    assert_eq!(result["isError"], false, "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("# "), "{result}");
    assert!(!place.at("repo/spec.md").exists());
    let refused = client.call(3, "run_ard", json!({ "idea": idea, "output": "/tmp/x" })).await;
    assert!(refused.to_string().contains("no argument `output` for clients"), "{refused}");
}

#[tokio::test]
async fn a_cancelled_run_stops_and_the_server_goes_on() {
    let place = Place::new();
    let wait = "name: wait\nstate: { n: { type: integer, default: 0 } }\nnodes:\n  a: { set: { n: state.n + 1 } }\n  b: { sleep: 1h }\nedges:\n  \
                - { from: START, to: a }\n  - { from: a, to: b }\n  - { from: b, to: END }\n";
    place.write("wait.yaml", wait);
    let mut client = Client::start(&place, &["mcp", "--allow-graph", "wait.yaml"]).await;
    let params = json!({ "name": "run_wait", "arguments": {}, "_meta": { "progressToken": 7 } });
    client.send(json!({ "id": 1, "method": "tools/call", "params": params })).await;
    loop {
        let message = client.next().await;
        if message["params"]["message"].as_str().is_some_and(|line| line.contains(": b")) {
            break;
        }
    }
    client.send(json!({ "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    let read = client.call(2, "list_directory", json!({ "path": "." })).await;
    assert_eq!(read["isError"], false);
    // A cancelled run gives its thread back, so the same input can run again.
    let again = client.ask(3, "tools/list", json!({})).await;
    assert!(again["result"].is_object());
}

#[tokio::test]
async fn an_argument_that_no_graph_has_is_a_usage_error() {
    let place = Place::new();
    let wrong = done(place.graph(["mcp", "--allow-graph", "ard", "--set", "ard.modle=x"])).await.exits(2);
    assert!(wrong.err.contains("`ard` has no argument `modle`"), "{}", wrong.err);
    let other = done(place.graph(["mcp", "--allow-graph", "ard", "--set", "explore.model=x"])).await.exits(2);
    assert!(other.err.contains("not offered"), "{}", other.err);
    let unknown = done(place.graph(["mcp", "--allow-graph", "adr"])).await.exits(2);
    assert!(unknown.err.contains("did you mean `ard`?"), "{}", unknown.err);
}
