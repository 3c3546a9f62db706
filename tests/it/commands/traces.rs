//! Traces of the real programs, at a collector on loopback and in a file: one tree for each run, nothing of the texts unless asked for.
//! See `dead_collectors.rs` for those that fail.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::{Value, json};
use stategraph_testing::fake_server::{FakeServer, Play};
use stategraph_testing::{ReceivedSpan, spans_of, spans_of_lines};
use tokio::process::Command;

use super::debate::{CALLS, Debate, IDEA};
use super::kit::{Done, Place, done};

pub(super) const RUN: [&str; 3] = ["run", "--idea", IDEA];

/// A collector that takes everything.
pub(super) async fn collector() -> FakeServer {
    FakeServer::playing(vec![Play::body(200, "application/x-protobuf", "")]).await
}

pub(super) fn traced(mut command: Command, collector: &FakeServer) -> Command {
    command.env("LLM_TRACING_ENABLED", "true").env("LLM_TRACING_ENDPOINT", collector.url("/v1/traces"));
    command
}

/// A debate with traces and further variables.
async fn traced_debate(variables: &[(&str, &str)]) -> (Place, Done, Vec<ReceivedSpan>, FakeServer) {
    let (place, debate, collector) = (Place::new(), Debate::answered().await, collector().await);
    place.configure(&debate.base_url());
    let mut command = traced(place.ard(RUN), &collector);
    command.envs(variables.iter().copied());
    let told = done(command).await.exits(0);
    let spans = spans_of(&collector.requests());
    (place, told, spans, collector)
}

/// The only span without a parent among the others.
#[track_caller]
pub(super) fn root(spans: &[ReceivedSpan]) -> &ReceivedSpan {
    let ids: Vec<&str> = spans.iter().map(|span| span.id.as_str()).collect();
    let mut roots = spans.iter().filter(|span| !ids.contains(&span.parent.as_str()));
    let root = roots.next().expect("a trace has a root");
    assert_eq!((root.parent.as_str(), roots.next()), ("", None), "it is one tree");
    assert!(spans.iter().all(|span| span.trace == root.trace), "it is one trace");
    root
}

fn of_kind<'a>(spans: &'a [ReceivedSpan], kind: &str) -> Vec<&'a ReceivedSpan> {
    spans.iter().filter(|span| span.text("openinference.span.kind") == kind).collect()
}

#[tokio::test]
async fn a_debate_is_one_tree_of_a_run_its_nodes_and_their_model_calls() {
    // SEC-149, SEC-151, SEC-154, SEC-195, ENG-28
    let (_, told, spans, _) = traced_debate(&[]).await;
    let root = root(&spans);
    assert_eq!(root.name, "invoke_workflow ard");
    assert_eq!(
        (root.text("gen_ai.operation.name"), root.text("stategraph.outcome")),
        ("invoke_workflow", "done")
    );
    let nodes: Vec<&ReceivedSpan> =
        spans.iter().filter(|span| span.attributes.contains_key("graph.node.name")).collect();
    assert!(nodes.len() >= CALLS && nodes.iter().all(|node| node.parent == root.id), "{nodes:?}");
    let calls = of_kind(&spans, "LLM");
    assert_eq!(calls.len(), CALLS);
    for call in calls {
        let node = nodes.iter().find(|node| node.id == call.parent).expect("a node asked");
        assert!(["architect", "reviewer"].contains(&node.name.as_str()), "{}", node.name);
        assert_eq!((call.name.clone(), call.kind), (format!("chat {}", node.name), 3));
        // As text they would count nothing.
        assert_eq!(call.attribute("gen_ai.usage.input_tokens"), &json!(7));
        assert_eq!(call.attribute("gen_ai.usage.output_tokens"), &json!(3));
        assert_eq!(call.attribute("gen_ai.response.finish_reasons"), &json!(["stop"]));
        assert_eq!(
            (call.text("gen_ai.provider.name"), call.text("gen_ai.response.model")),
            ("local", "fake-1")
        );
        assert_eq!((call.text("server.address"), call.text("gen_ai.output.type")), ("127.0.0.1", "json"));
    }
    for span in &spans {
        assert_eq!(span.text("session.id"), told.thread(), "{span:?}");
        assert_eq!(span.resource["openinference.project.name"], json!("stategraph"));
        assert_ne!(span.status, 2, "{span:?}");
    }
    assert!(nodes.iter().all(|node| node.attribute("stategraph.step").is_i64()));
}

#[tokio::test]
async fn key_and_project_reach_the_collector_and_nothing_else() {
    // SEC-150, SEC-196
    const KEY: &str = "the-key-of-the-collector";
    let variables = [
        ("LLM_TRACING_API_KEY", KEY),
        ("LLM_TRACING_PROJECT_NAME", "debates"),
        // Of another collector: not sent to this one.
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-other=secret"),
        ("STATEGRAPH_LOG", "trace"),
    ];
    let (place, told, spans, collector) = traced_debate(&variables).await;
    let requests = collector.requests();
    for request in &requests {
        assert_eq!(request.line, "POST /v1/traces");
        assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
        assert!(!request.headers.contains_key("x-other"), "{:?}", request.headers);
        assert!(!String::from_utf8_lossy(&request.bytes).contains(KEY));
    }
    assert!(!requests.is_empty());
    assert!(spans.iter().all(|span| span.resource["openinference.project.name"] == json!("debates")));
    assert!(!told.err.contains(KEY) && !place.read("traces.json").contains(KEY));
}

#[tokio::test]
async fn the_file_has_the_spans_that_the_collector_gets() {
    // SEC-153
    let (place, _, sent, _) = traced_debate(&[]).await;
    let by_id = |spans: Vec<ReceivedSpan>| -> BTreeMap<String, ReceivedSpan> {
        spans.into_iter().map(|span| (span.id.clone(), span)).collect()
    };
    let written = by_id(spans_of_lines(&place.read("traces.json")));
    assert_eq!(written, by_id(sent));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(place.at("traces.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn nothing_is_traced_unless_it_is_switched_on() {
    // SEC-149
    for variables in [
        vec![],
        vec![("LLM_TRACING_ENABLED", "false"), ("OTEL_TRACES_EXPORTER", "otlp")],
        vec![("LLM_TRACING_ENABLED", "true"), ("OTEL_SDK_DISABLED", "true")],
    ] {
        let (place, collector) = (Place::new(), collector().await);
        let mut command = place.ard(RUN);
        command
            .env("LLM_TRACING_ENDPOINT", collector.url("/v1/traces"))
            .env("STATEGRAPH_LOG", "info")
            .envs(variables);
        done(command).await.exits(0);
        assert!(collector.requests().is_empty() && !place.at("traces.json").exists());
    }
}

#[tokio::test]
async fn texts_are_in_spans_only_if_their_capture_is_on_and_then_without_secrets() {
    // SEC-154, ENG-27
    const SECRET: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let idea = format!("{IDEA} It logs in with {SECRET} each day.");
    let long = format!("{idea} {}", "It counts again. ".repeat(2_000));
    for (capture, hidden) in [("false", ""), ("true", ""), ("true", "OPENINFERENCE_HIDE_INPUTS")] {
        let (place, debate, collector) = (Place::new(), Debate::answered().await, collector().await);
        place.configure(&debate.base_url());
        let mut command = traced(place.ard(["run", "--idea", &long]), &collector);
        command.env("LLM_TRACING_CONTENT", capture);
        if !hidden.is_empty() {
            command.env(hidden, "true");
        }
        // The scripted debate does not answer all that the checks find in the longer idea.
        assert!(matches!(done(command).await.code, Some(0 | 2)));
        let spans = spans_of(&collector.requests());
        let calls = of_kind(&spans, "LLM");
        let texts = format!("{spans:?}{}", place.read("traces.json"));
        assert!(!texts.contains(SECRET));
        let shows_input = capture == "true" && hidden.is_empty();
        assert_eq!(texts.contains("counts what is put into it"), shows_input, "{capture} {hidden}");
        assert_eq!(texts.contains("FirstPart"), capture == "true", "{capture} {hidden}");
        if shows_input {
            let messages: Value = serde_json::from_str(calls[0].text("gen_ai.input.messages")).unwrap();
            let said = messages.to_string();
            assert!(said.contains("[secret]") && said.contains(" bytes]"), "{said}");
            let answer: Value = serde_json::from_str(calls[0].text("gen_ai.output.messages")).unwrap();
            assert_eq!(
                (&answer[0]["role"], &answer[0]["finish_reason"]),
                (&json!("assistant"), &json!("stop"))
            );
        }
    }
}

#[tokio::test]
async fn a_log_level_switches_no_spans_on_and_traces_print_nothing() {
    let (place, debate, collector) = (Place::new(), Debate::answered().await, collector().await);
    place.configure(&debate.base_url());
    let quiet = done(place.ard(RUN)).await.exits(0);
    let loud =
        done(traced(place.ard(["run", "--idea", IDEA, "--thread", "other"]), &collector)).await.exits(0);
    let without_ids = |told: &Done| told.err.lines().filter(|line| !line.contains("thread ")).count();
    assert_eq!(without_ids(&quiet), without_ids(&loud), "{}\n{}", quiet.err, loud.err);
    let mut silent = traced(place.ard(["run", "--idea", IDEA, "--thread", "third", "-q"]), &collector);
    silent.env("STATEGRAPH_LOG", "off");
    done(silent).await.exits(0);
    let spans = spans_of(&collector.requests());
    assert_eq!(of_kind(&spans, "LLM").len(), 2 * CALLS);
}

const LOOP: &str = "
name: count
state: { n: { type: integer, default: 0 } }
nodes:
  add: { set: { n: 'state.n + 1' } }
edges:
  - { from: START, to: add }
  - { from: add, when: state.n < 5, to: add }
  - { from: add, else: END }
";

#[tokio::test]
async fn an_option_switches_traces_on_for_one_run() {
    // SEC-16
    for (options, expected) in [(vec!["--enable-tracing"], true), (vec![], false)] {
        let (place, collector) = (Place::new(), collector().await);
        place.write("count.yaml", LOOP);
        let arguments = ["run", "count.yaml"].into_iter().chain(options);
        let mut run = traced(place.graph(arguments), &collector);
        run.env_remove("LLM_TRACING_ENABLED");
        done(run).await.exits(0);
        assert_eq!(!collector.requests().is_empty(), expected);
    }
}

#[tokio::test]
async fn nodes_of_a_graph_without_models_have_spans_only_if_asked_for() {
    for (nodes, expected) in [("false", 1), ("true", 6)] {
        let (place, collector) = (Place::new(), collector().await);
        place.write("count.yaml", LOOP);
        let mut command = traced(place.graph(["run", "count.yaml"]), &collector);
        command.env("LLM_TRACING_NODES", nodes);
        done(command).await.exits(0);
        let spans = spans_of(&collector.requests());
        root(&spans);
        assert_eq!(spans.len(), expected, "{spans:?}");
    }
}

#[tokio::test]
async fn a_run_inside_another_trace_is_a_part_of_it() {
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";
    let inside = format!("00-{TRACE}-{SPAN}-01");
    for (text, told) in [(inside.as_str(), 0), (&inside[..50], 1)] {
        let (place, collector) = (Place::new(), collector().await);
        place.write("count.yaml", LOOP);
        let mut command = traced(place.graph(["run", "count.yaml"]), &collector);
        command.env("TRACEPARENT", text).env("LLM_TRACING_NODES", "true");
        let run = done(command).await.exits(0);
        assert_eq!(run.err.matches("`TRACEPARENT` is ignored").count(), told, "{}", run.err);
        let spans = spans_of(&collector.requests());
        assert!(spans.len() > 1);
        if told > 0 {
            root(&spans);
            continue;
        }
        assert!(spans.iter().all(|span| span.trace == TRACE));
        let outer: Vec<&str> =
            spans.iter().filter(|span| span.parent == SPAN).map(|span| span.name.as_str()).collect();
        assert_eq!(outer, ["invoke_workflow count"]);
    }
}

/// An answer that calls a tool for each of these paths.
fn calling(tool: &str, paths: &[&str]) -> Play {
    let call = |(index, path): (usize, &&str)| {
        let function = json!({ "name": tool, "arguments": json!({ "path": path }).to_string() });
        json!({ "id": format!("c{index}"), "type": "function", "function": function })
    };
    let calls: Vec<Value> = paths.iter().enumerate().map(call).collect();
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    Play::json(
        200,
        &json!({
            "id": "1", "object": "chat.completion", "model": "tools",
            "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
        }),
    )
}

const AGENT: &str = "
name: reader
state: { answer: string }
nodes:
  read: { agent: { task: 'What is in the folder?', tools: [list_directory, read_file] }, to: answer }
edges:
  - { from: START, to: read }
  - { from: read, to: END }
";

#[tokio::test]
async fn every_tool_call_has_its_response_below_its_agent() {
    // SEC-154, SEC-156, ENG-28
    let (place, collector) = (Place::new(), collector().await);
    let model = FakeServer::playing(vec![
        calling("read_file", &["notes.txt", "missing.txt", "notes.txt"]),
        calling("no_such_tool", &["."]),
        Play::says("It has notes."),
    ])
    .await;
    place.write("reader.yaml", AGENT);
    place.write("notes.txt", "buy bread");
    place.write("config.yaml", format!("providers:\n  local: {{ base_url: \"{}\" }}\n", model.base_url()));
    let mut command = traced(place.graph(["run", "reader.yaml", "--model", "local/tools"]), &collector);
    command.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY");
    done(command).await.exits(0);
    let spans = spans_of(&collector.requests());
    root(&spans);
    let agents = of_kind(&spans, "AGENT");
    assert_eq!(
        (agents.len(), agents[0].name.as_str(), agents[0].text("output.value")),
        (1, "invoke_agent read", "It has notes.")
    );
    let tools = of_kind(&spans, "TOOL");
    let told: Vec<(&str, &str, i64)> = tools
        .iter()
        .map(|tool| (tool.text("gen_ai.tool.name"), tool.text("stategraph.outcome"), tool.status))
        .collect();
    let mut told = told;
    told.sort_unstable();
    assert_eq!(
        told,
        [
            ("no_such_tool", "failed", 2),
            ("read_file", "failed", 2),
            ("read_file", "ok", 0),
            ("read_file", "ok", 0)
        ]
    );
    for tool in &tools {
        assert_eq!(tool.parent, agents[0].id);
        assert!(
            !tool.text("gen_ai.tool.call.result").is_empty() && !tool.text("gen_ai.tool.call.id").is_empty()
        );
        assert!(tool.text("gen_ai.tool.call.arguments").contains("path"));
    }
    let calls = of_kind(&spans, "LLM");
    assert_eq!(calls.len(), 3);
    assert!(calls.iter().all(|call| call.parent == agents[0].id));
    assert!(calls[0].text("gen_ai.tool.definitions").contains("list_directory"));
    assert!(calls.iter().any(|call| call.text("gen_ai.output.messages").contains("\"tool_call\"")));
}

#[tokio::test]
async fn a_run_of_every_workflow_is_one_tree() {
    // SEC-151, SEC-195, CTX-99, ENG-28
    let model = "name: ask\nstate: { text: string }\nnodes:\n  \
                 write: { model: { prompt: first, offline: \"'by rule'\" }, to: text }\n\
                 edges:\n  - { from: START, to: write }\n  - { from: write, to: END }\n";
    for (arguments, name) in [
        (vec!["run", "ard", "--idea", IDEA], "ard"),
        (vec!["run", "doc-phases", "repo"], "doc-phases"),
        (vec!["run", "contextualize", "generate", "repo"], "contextualize"),
        (vec!["run", "explore", "repo"], "explore"),
        (vec!["run", "ask.yaml"], "ask"),
    ] {
        let place = Place::new();
        place.write("repo/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
        place
            .write("repo/src/main.rs", "//! The shop.\n\nmod store;\n\nfn main() {\n    store::open();\n}\n");
        place.write("repo/src/store/mod.rs", "//! Keeps bread.\n\n/// Opens the store.\npub fn open() {}\n");
        place.write("ask.yaml", model);
        let mut command = place.graph(&arguments);
        command
            .env("LLM_TRACING_ENABLED", "true")
            .env("OTEL_TRACES_EXPORTER", "none")
            .env("LLM_TRACING_FILE", "spans.jsonl");
        let told = done(command).await;
        assert!(matches!(told.code, Some(0 | 1)), "{name}: {}", told.err);
        let spans = spans_of_lines(&place.read("spans.jsonl"));
        let root = root(&spans);
        assert!(root.name.starts_with(&format!("invoke_workflow {name}")), "{}", root.name);
        assert_eq!(root.text("stategraph.outcome"), "done", "{name}");
        assert!(spans.iter().any(|span| span.attributes.contains_key("graph.node.name")), "{name}");
        // Rules stand in the place of the model in two of them.
        let by_rules = ["contextualize", "explore"].contains(&name);
        assert_eq!(of_kind(&spans, "LLM").is_empty(), by_rules, "{name}");
    }
}

#[tokio::test]
async fn a_replayed_answer_counts_no_tokens() {
    let (place, debate, collector) = (Place::new(), Debate::answered().await, collector().await);
    place.configure(&debate.base_url());
    done(place.ard([&RUN[..], &["--record", "tape.jsonl"]].concat())).await.exits(0);
    done(traced(
        place.ard([&RUN[..], &["--replay", "tape.jsonl", "--checkpoints", "again"]].concat()),
        &collector,
    ))
    .await
    .exits(0);
    let spans = spans_of(&collector.requests());
    let calls = of_kind(&spans, "LLM");
    assert_eq!(calls.len(), CALLS);
    for call in calls {
        assert_eq!(call.attribute("stategraph.replayed"), &json!(true));
        assert_eq!(call.attribute("gen_ai.usage.input_tokens"), &Value::Null);
    }
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_before_anything_runs() {
    // SEC-150
    for (variable, value, text) in [
        ("LLM_TRACING_ENABLED", "maybe", "is neither true nor false"),
        ("LLM_TRACING_ENDPOINT", "localhost:6006", "is no address of a collector"),
        ("LLM_TRACING_ENDPOINT", "http://me:pass@localhost/", "it holds a password"),
        ("OTEL_TRACES_EXPORTER", "console", "is not supported"),
        ("LLM_TRACING_ENDPOINT", "http://collector.example/v1/traces", "would travel unencrypted"),
    ] {
        let place = Place::new();
        let mut command = place.ard(RUN);
        command.env("LLM_TRACING_ENABLED", "true").env("LLM_TRACING_API_KEY", "the-key").env(variable, value);
        let told = done(command).await.exits(2);
        assert!(told.err.contains(text) && told.err.contains("\nhint: "), "{}", told.err);
        assert!(!told.err.contains("the-key") && !told.err.contains(":pass"), "{}", told.err);
        assert!(!place.at("spec.md").exists());
    }
}

#[tokio::test]
async fn the_page_about_traces_reads_its_own_file() {
    // SEC-153
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tracing.md")).unwrap();
    let script = page.split("```sh\n").find(|block| block.contains("<<'SCRIPT'")).expect("the page has it");
    let script = script.split("```").next().unwrap();
    let place = Place::new();
    let told = done(place.shell(script)).await;
    if told.err.contains("python3: not found") && std::env::var_os("CI").is_none() {
        let _ = writeln!(std::io::stderr(), "not run: python3 is missing");
        return;
    }
    let told = told.exits(0);
    assert!(
        told.out.lines().filter(|line| line.starts_with("chat ")).count() >= 2,
        "{}{}",
        told.out,
        told.err
    );
}
