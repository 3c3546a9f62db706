//! Each kind of node does its work, and repeats nothing of it on a resume.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use stategraph_agent::{Tool, ToolOutput, Toolbox};
use stategraph_core::store::MemoryStore;
use stategraph_core::{Clock, CompiledGraph, RunError, Status, ThreadId};
use stategraph_files::Definition;
use stategraph_files::inline::JsonState;
use stategraph_kinds::{HostPolicy, Models, Services, graph, rules, toolbox};
use stategraph_llm::{Role, Scripted, ScriptedAnswer, SharedModel, ToolCall};
use stategraph_repo::Root;

use stategraph_testing::fake_server::{FakeServer, Play};

/// A graph of one node.
pub(super) fn one(state: &str, node: &str) -> String {
    format!(
        "name: t\nstate: {state}\nnodes:\n  n: {node}\nedges:\n  - {{ from: START, to: n }}\n  - {{ from: n, to: END }}\n"
    )
}

pub(super) fn compiled(text: &str, services: Services) -> CompiledGraph<JsonState, Services> {
    let definition = Definition::parse(text, "t.yaml").unwrap_or_else(|found| panic!("{found}"));
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}"));
    graph.compile_with(services).expect("no defects").with_store(Arc::new(MemoryStore::new()))
}

pub(super) fn start(text: &str) -> JsonState {
    JsonState::new(Definition::parse(text, "t.yaml").unwrap().schema().unwrap().clone())
}

pub(super) fn asking(model: Scripted) -> (Services, Arc<Scripted>) {
    let model = Arc::new(model);
    (Services::new(Models::One(model.clone() as SharedModel)), model)
}

pub(super) fn offline() -> Services {
    Services::new(Models::One(Arc::new(rules())))
}

pub(super) async fn value(text: &str, services: Services, channel: &str) -> Result<Value, RunError> {
    let end = compiled(text, services).run(start(text)).await?;
    assert!(matches!(end.status, Status::Done), "{:?}", end.status);
    Ok(end.state.get(channel).cloned().unwrap())
}

#[tokio::test]
async fn a_template_makes_a_text() {
    let text = one(
        "{ who: { type: string, default: you }, out: string }",
        "{ template: \"Dear {{ state.who | upper }}\", to: out }",
    );
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!("Dear YOU"));
}

#[tokio::test]
async fn a_result_can_go_to_several_channels() {
    let text = one(
        "{ a: string, b: integer }",
        "{ template: \"four\", to: { a: result | upper, b: result | length } }",
    );
    assert_eq!(value(&text, offline(), "a").await.unwrap(), json!("FOUR"));
    assert_eq!(value(&text, offline(), "b").await.unwrap(), json!(4));
}

#[tokio::test]
async fn a_model_is_asked_with_what_the_file_says() {
    let text = one(
        "{ topic: { type: string, default: rust }, out: string }",
        "{ model: { system: Be brief., prompt: \"About {{ state.topic }}\", temperature: 0.5, max_tokens: 9 }, to: out }",
    );
    let (services, model) = asking(Scripted::new("test/m").answer("It rusts."));
    assert_eq!(value(&text, services, "out").await.unwrap(), json!("It rusts."));
    let asked = &model.requests()[0];
    assert_eq!((asked.temperature, asked.max_tokens, asked.label.as_str()), (Some(0.5), Some(9), "n"));
    let said: Vec<_> =
        asked.messages.iter().map(|message| (message.role, message.content.as_str())).collect();
    assert_eq!(said, [(Role::System, "Be brief."), (Role::User, "About rust")]);
}

// ENG-14
#[tokio::test]
async fn an_answer_that_does_not_fit_the_schema_is_asked_for_again() {
    let text = one(
        "{ out: object }",
        "{ model: { prompt: p, schema: { type: object, properties: { score: { type: integer } }, required: [score] } }, to: out }",
    );
    let (services, model) =
        asking(Scripted::new("test/m").answer("{\"score\": \"high\"}").answer("{\"score\": 7}"));
    assert_eq!(value(&text, services, "out").await.unwrap(), json!({ "score": 7 }));
    assert_eq!(model.requests().len(), 2);
    assert!(model.requests()[1].messages[2].content.contains("score"));
    let bad = Scripted::new("test/m").answer("no").answer("no").answer("no");
    let (services, model) = asking(bad);
    let error = value(&text, services, "out").await.unwrap_err();
    assert!(error.hint().unwrap().contains("Its answer: no"), "{error:?}");
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn a_model_told_of_tools_gives_its_calls() {
    let text = one("{ out: object }", "{ model: { prompt: p, tools: [read_file] }, to: out }");
    let call = ToolCall { id: "1".into(), name: "read_file".into(), arguments: "{}".into() };
    let (services, _) = asking(
        Scripted::new("test/m").reply(ScriptedAnswer { tool_calls: vec![call], ..Default::default() }),
    );
    let out = value(&text, services, "out").await.unwrap();
    assert_eq!(out["calls"][0]["name"], "read_file");
}

#[tokio::test]
async fn without_a_model_the_key_offline_answers_and_where_there_is_none_the_error_says_so() {
    let text = one("{ out: string }", "{ model: { prompt: p, offline: \"'by rule'\" }, to: out }");
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!("by rule"));
    let text = one("{ out: string }", "{ model: { prompt: p }, to: out }");
    let error = value(&text, offline(), "out").await.unwrap_err();
    assert!(error.hint().unwrap().contains("give the run one: `gemini-2.5-flash`"), "{error:?}");
}

struct Add;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    /// Named as the argument of the tool that this one stands for.
    path: (i64, i64),
}

impl Tool for Add {
    type Arguments = Pair;
    fn name(&self) -> &'static str {
        "read_file"
    }
    fn description(&self) -> &'static str {
        "Adds."
    }
    async fn run(&self, Pair { path: (a, b) }: Pair) -> ToolOutput {
        if a < 0 { ToolOutput::failed("negative") } else { ToolOutput::ok((a + b).to_string()) }
    }
}

#[tokio::test]
async fn a_tool_is_called_with_computed_arguments_and_its_failure_fails_the_node() {
    let node = "{ tool: { name: read_file, arguments: { path: [state.n, 2] } }, to: out }";
    let services = || offline().tools(Toolbox::new().with(Add).unwrap());
    let text = one("{ n: { type: integer, default: 40 }, out: string }", node);
    assert_eq!(value(&text, services(), "out").await.unwrap(), json!("42"));
    let text = one("{ n: { type: integer, default: -1 }, out: string }", node);
    let error = value(&text, services(), "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("`read_file`: negative"), "{error:?}");
}

#[tokio::test]
async fn a_tool_reads_below_its_folder_only() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "hello").unwrap();
    let services = || offline().tools(toolbox(&Root::open(folder.path()).unwrap()));
    let node = |path: &str| {
        one(
            "{ out: string }",
            &format!("{{ tool: {{ name: read_file, arguments: {{ path: \"'{path}'\" }} }}, to: out }}"),
        )
    };
    assert_eq!(value(&node("a.txt"), services(), "out").await.unwrap(), json!("hello"));
    value(&node("../a.txt"), services(), "out").await.expect_err("outside");
}

// ENG-10, P16: an agent asks, calls tools, asks again; a resumed agent repeats nothing.
#[tokio::test]
async fn an_agent_works_with_tools_until_it_is_done() {
    let text = one("{ out: string }", "{ agent: { task: add, tools: [read_file] }, to: out }");
    let call = |id: &str, name: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: "{\"path\":[1,2]}".into(),
    };
    let calls = |calls: Vec<ToolCall>| ScriptedAnswer { tool_calls: calls, ..Default::default() };
    let script = Scripted::new("test/m")
        .reply(calls(vec![call("1", "read_file"), call("2", "list_directory")]))
        .answer("three");
    let (services, model) = asking(script);
    let services = services.tools(Toolbox::new().with(Add).unwrap());
    assert_eq!(value(&text, services, "out").await.unwrap(), json!("three"));
    let last = &model.requests()[1].messages;
    assert_eq!(last.len(), 4);
    assert!(last[2].content.contains("\"content\":\"3\""), "{last:?}");
    assert!(last[3].content.contains("unknown_tool"), "{last:?}");
}

#[tokio::test]
async fn an_agent_that_never_ends_is_stopped_at_its_limit() {
    let text = one("{ out: string }", "{ agent: { task: t, tools: [read_file], rounds: 2 }, to: out }");
    let call =
        || ToolCall { id: "1".into(), name: "read_file".into(), arguments: "{\"a\":1,\"b\":2}".into() };
    let answer = || ScriptedAnswer { tool_calls: vec![call()], ..Default::default() };
    let (services, model) = asking(Scripted::new("test/m").reply(answer()).reply(answer()).answer("late"));
    let services = services.tools(Toolbox::new().with(Add).unwrap());
    let error = value(&text, services, "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("after 2 rounds"), "{error:?}");
    assert_eq!(model.requests().len(), 2);
}

// F21 in the small, D8: results in the order of the items, whatever the order of completion.
#[tokio::test]
async fn a_map_works_on_each_item_and_keeps_their_order() {
    let text = one(
        "{ list: { type: list, default: [3, 1, 2] }, out: list }",
        "{ map: { over: state.list, as: number, at_once: 2, do: { set: { square: number * number, at: index } } }, to: out }",
    );
    let expected = json!([{ "square": 9, "at": 0 }, { "square": 1, "at": 1 }, { "square": 4, "at": 2 }]);
    assert_eq!(value(&text, offline(), "out").await.unwrap(), expected);
    let wrong = one(
        "{ list: { type: any, default: 3 }, out: list }",
        "{ map: { over: state.list, do: { template: x } }, to: out }",
    );
    let error = value(&wrong, offline(), "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("`map` works on a list"), "{error:?}");
}

// P16: after a failure only the items that are missing are asked for.
#[tokio::test]
async fn a_map_that_failed_in_the_middle_asks_only_for_the_rest() {
    let text = one(
        "{ list: { type: list, default: [a, b, c] }, out: list }",
        "{ map: { over: state.list, at_once: 1, do: { model: { prompt: \"{{ item }}\" } } }, to: out }",
    );
    let kind = stategraph_llm::ModelErrorKind::ScriptEnded { answers: 0, question: 0 };
    let (services, model) = asking(Scripted::new("test/m").answer("A").fail(kind).answer("B").answer("C"));
    let graph = compiled(&text, services);
    let thread = ThreadId::new("t").unwrap();
    graph.run(start(&text)).thread(thread.clone()).await.expect_err("the second item fails");
    let end = graph.resume(&thread).await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!(["A", "B", "C"])));
    assert_eq!(model.requests().len(), 4);
}

// D6: an answer that does not fit is refused where it is given, and the question stays open.
#[tokio::test]
async fn an_answer_that_does_not_fit_is_refused_and_the_question_stays_open() {
    let text = one(
        "{ draft: { type: string, default: text }, out: boolean }",
        "{ interrupt: { question: \"Publish?\", show: { draft: state.draft }, answer: { type: boolean } }, to: out }",
    );
    let graph = compiled(&text, offline());
    let thread = ThreadId::new("t").unwrap();
    let waits = |status: Status| match status {
        Status::Waiting(mut questions) => questions.remove(0),
        other => panic!("{other:?}"),
    };
    let asked = waits(graph.run(start(&text)).thread(thread.clone()).await.unwrap().status);
    let payload: Value = serde_json::from_str(asked.payload.get()).unwrap();
    assert_eq!(
        payload,
        json!({ "question": "Publish?", "show": { "draft": "text" }, "answer": { "type": "boolean" } })
    );
    assert_eq!(asked.schema.as_ref().unwrap().get(), "{\"type\":\"boolean\"}");
    let refused = graph.resume(&thread).answer(asked.id, &"maybe").await.unwrap_err();
    assert!(
        matches!(refused, RunError::AnswerRefused { question, .. } if question == asked.id),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("\"maybe\" is not of type \"boolean\""), "{refused}");
    let end = graph.resume(&thread).answer(asked.id, &true).await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!(true)));
}

#[tokio::test]
async fn a_host_is_asked_only_where_it_was_allowed() {
    let server =
        FakeServer::playing(vec![Play::json(200, &json!({ "n": 7 })), Play::body(404, "text/plain", "gone")])
            .await;
    let host = server.base_url().trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let node = format!(
        "{{ http: {{ method: POST, url: \"http://{host}/x?q={{{{ state.q | urlencode }}}}\", headers: {{ x-a: \"{{{{ state.q }}}}\" }}, json: {{ q: state.q }} }}, to: out }}"
    );
    let text = one("{ q: { type: string, default: a b }, out: object }", &node);
    let error = value(&text, offline(), "out").await.unwrap_err();
    assert_eq!(error.hint().unwrap(), format!("if you trust this graph with it, allow HTTP to `{host}`"));
    assert!(server.requests().is_empty());
    let open = || offline().hosts(HostPolicy::allow([host.clone()]));
    assert_eq!(value(&text, open(), "out").await.unwrap(), json!({ "status": 200, "body": { "n": 7 } }));
    let asked = &server.requests()[0];
    assert!(asked.line.starts_with("POST /x?q=a%20b"), "{asked:?}");
    assert_eq!((&asked.headers["x-a"], &asked.body), (&"a b".to_owned(), &json!({ "q": "a b" })));
    let error = value(&text, open(), "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("404 Not Found: gone"), "{error:?}");
    let small = text.replace("http: {", "http: { limit: 3,");
    let error = value(&small, open(), "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("404") || error.hint().is_some(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_sleep_takes_its_time() {
    let text = one("{ n: integer }", "{ sleep: 90s }");
    let before = tokio::time::Instant::now();
    value(&text, offline(), "n").await.unwrap();
    assert!((Duration::from_secs(89)..Duration::from_secs(91)).contains(&before.elapsed()));
}

/// A clock that is set back while a run waits, or while it is stopped.
#[tokio::test(start_paused = true)]
async fn a_sleep_is_never_longer_than_it_says() {
    let text = one("{ n: integer }", "{ sleep: 90s }");
    let told = std::sync::atomic::AtomicU64::new(1_800_000_000_000);
    // A day earlier each time.
    let clock = Clock::from_fn(move || told.fetch_sub(86_400_000, std::sync::atomic::Ordering::Relaxed));
    let before = tokio::time::Instant::now();
    value(&text, offline().clock(clock), "n").await.unwrap();
    assert!((Duration::from_secs(89)..Duration::from_secs(91)).contains(&before.elapsed()));
}

#[tokio::test]
async fn a_fail_fails_with_its_message() {
    let text = one("{ n: { type: integer, default: 3 } }", "{ fail: \"only {{ state.n }} left\" }");
    let error = value(&text, offline(), "n").await.unwrap_err();
    let RunError::Node { source, attempts, .. } = error else { panic!() };
    assert_eq!((source.to_string().as_str(), attempts), ("only 3 left", 1));
}

// ENG-20: expressions are bounded.
#[tokio::test]
async fn an_expression_that_never_ends_runs_out_of_steps() {
    let loops =
        "{% for a in range(10000) %}{% for b in range(10000) %}{% set x = 1 %}{% endfor %}{% endfor %}";
    let text = one("{ out: string }", &format!("{{ template: \"{loops}\", to: out }}"));
    let error = value(&text, offline(), "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("more than 1000000 steps"), "{error:?}");
}

// Expressions see only the names that they are given: no file, no environment variable.
#[test]
fn an_expression_cannot_read_files() {
    let text = one("{ out: string }", "{ template: \"{% include '/etc/passwd' %}\", to: out }");
    let refused = Definition::parse(&text, "t.yaml").expect_err("nothing is loaded");
    assert!(refused.to_string().contains("`include` needs other templates"), "{refused}");
}

// F1, F58, F59, F61: a graph as a node; its questions are the task's, and it goes on where it stood.
#[tokio::test]
async fn a_sub_graph_runs_asks_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let child = "name: child\ninputs: { x: integer }\nstate:\n  asked: { type: integer, reducer: add }\n  y: integer\noutputs: [y]\nnodes:\n  \
                 first: { model: { prompt: p }, to: { asked: 1 } }\n  ask: { interrupt: \"add to {{ state.x }}?\", to: y }\n  sum: { set: { y: state.x + state.y } }\n\
                 edges:\n  - { from: START, to: first }\n  - { from: first, to: ask }\n  - { from: ask, to: sum }\n  - { from: sum, to: END }\n";
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let text = one(
        "{ n: { type: integer, default: 40 }, out: object }",
        "{ subgraph: { file: child.yaml, with: { x: state.n } }, to: out }",
    );
    let definition = Definition::parse(&text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let (services, model) = asking(Scripted::new("test/m").answer("once"));
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}")).compile_with(services).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let Status::Waiting(questions) = end.status else { panic!("it asks") };
    assert_eq!(questions[0].payload.get(), "\"add to 40?\"");
    let end = graph.resume(&thread).answer(questions[0].id, &2).await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!({ "y": 42 })));
    assert_eq!(model.requests().len(), 1);
}

// "map over a list, with a sub-graph": results in order, each with a log of its own.
#[tokio::test]
async fn a_map_runs_a_sub_graph_for_each_item() {
    let folder = tempfile::tempdir().unwrap();
    let child = "name: child\ninputs: { x: integer }\nstate: { y: integer }\noutputs: [y]\nnodes:\n  double: { set: { y: state.x * 2 } }\n\
                 edges:\n  - { from: START, to: double }\n  - { from: double, to: END }\n";
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let node = "{ map: { over: state.list, do: { subgraph: { file: child.yaml, with: { x: item } } } }, to: { out: \"result | map(attribute='y') | list\" } }";
    let text = one("{ list: { type: list, default: [1, 2, 3] }, out: list }", node);
    let definition = Definition::parse(&text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}")).compile_with(offline()).unwrap();
    let end = graph.with_store(Arc::new(MemoryStore::new())).run(start(&text)).await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!([2, 4, 6])));
}
