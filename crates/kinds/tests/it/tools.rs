//! Tools that graph files declare themselves.

use std::sync::Arc;

use serde_json::{Value, json};
use stategraph_core::store::MemoryStore;
use stategraph_core::{Status, ThreadId};
use stategraph_files::Definition;
use stategraph_kinds::{Services, graph};
use stategraph_llm::{Scripted, ScriptedAnswer, ToolCall};

use super::kinds::{asking, offline, one, start, value};

/// A graph of one node, with tools.
fn with_tools(tools: &str, state: &str, node: &str) -> String {
    one(state, node).replace("nodes:\n", &format!("tools:\n{tools}nodes:\n"))
}

fn calling(calls: &[(&str, Value)]) -> ScriptedAnswer {
    let call = |(at, (name, arguments)): (usize, &(&str, Value))| ToolCall {
        id: format!("c{at}"),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
    };
    ScriptedAnswer { tool_calls: calls.iter().enumerate().map(call).collect(), ..Default::default() }
}

const SUM: &str = "  sum:\n    description: Adds\n    parameters: { type: object, properties: { a: { type: integer }, b: { type: integer } }, required: [a, b] }\n    \
                   set: { sum: arguments.a + arguments.b + state.extra }\n";
const STATE: &str = "{ extra: { type: integer, default: 100 }, out: string }";

/// Returns the tool results that the model received.
async fn read(tools: &str, services: impl Fn(Services) -> Services, calls: &[(&str, Value)]) -> Vec<Value> {
    let names: Vec<&str> =
        tools.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':')).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.starts_with(' ')).collect();
    let node = format!("{{ agent: {{ task: t, tools: [{}] }}, to: out }}", names.join(", "));
    let (asked, model) = asking(Scripted::new("test/m").reply(calling(calls)).answer("done"));
    assert_eq!(value(&with_tools(tools, STATE, &node), services(asked), "out").await.unwrap(), json!("done"));
    let asked = model.requests();
    let results = asked[1].messages.iter().skip(2);
    results.map(|message| serde_json::from_str(&message.content).unwrap()).collect()
}

// ENG-10, ENG-30: what an agent is offered, and one result for each call, whatever it is.
#[tokio::test]
async fn an_agent_calls_tools_of_its_file() {
    let results = read(
        SUM,
        |services| services,
        &[
            ("sum", json!({ "a": 1, "b": 2 })),
            ("sum", json!({ "a": 1, "b": 2 })),
            ("sum", json!({ "a": "1" })),
            ("smu", json!({})),
        ],
    )
    .await;
    assert_eq!(results[0], json!({ "success": true, "content": "{\"sum\":103}" }));
    assert_eq!(results[1], results[0]);
    assert_eq!((&results[2]["success"], &results[2]["error"]), (&json!(false), &json!("bad_arguments")));
    assert!(results[3]["content"].as_str().unwrap().contains("did you mean `sum`?"), "{}", results[3]);
}

#[tokio::test]
async fn a_tool_that_fails_is_told_to_the_model() {
    let tools = "  stop:\n    description: Stops\n    fail: \"not {{ arguments.what }}\"\n  ask:\n    description: Asks\n    http: { url: \"http://example.org/\" }\n";
    let results =
        read(tools, |services| services, &[("stop", json!({ "what": "now" })), ("ask", json!({}))]).await;
    assert_eq!(
        results[0],
        json!({ "success": false, "content": "not now", "error": "failed", "again": "never" })
    );
    assert!(results[1]["content"].as_str().unwrap().contains("was not allowed"), "{}", results[1]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_ends_at_its_limit_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let child = "name: child\nstate: { n: integer }\nnodes:\n  wait: { sleep: 1h }\nedges:\n  - { from: START, to: wait }\n  - { from: wait, to: END }\n";
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let tools = "  wait:\n    description: Waits\n    timeout: 3m\n    subgraph: { file: child.yaml }\n";
    let text = with_tools(tools, STATE, "{ agent: { task: t, tools: [wait] }, to: out }");
    let definition = Definition::parse(&text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let (services, model) =
        asking(Scripted::new("test/m").reply(calling(&[("wait", json!({}))])).answer("late"));
    let graph = graph(&definition).unwrap().compile_with(services).unwrap();
    let before = tokio::time::Instant::now();
    graph.with_store(Arc::new(MemoryStore::new())).run(start(&text)).await.unwrap();
    assert_eq!(before.elapsed().as_secs(), 180);
    let read = model.requests()[1].messages.last().unwrap().content.clone();
    assert!(read.contains("`wait` did not answer within 180s"), "{read}");
}

// F58-F61, P16: the body of a tool may be a graph, which may ask; finished work is not repeated.
#[tokio::test]
async fn a_tool_that_asks_makes_the_node_wait_and_goes_on_with_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let child = "name: child\ninputs: { city: string }\nstate: { ok: boolean }\noutputs: [ok]\nnodes:\n  ask: { interrupt: { question: \"{{ state.city }}?\", \
                 answer: { type: boolean } }, to: ok }\nedges:\n  - { from: START, to: ask }\n  - { from: ask, to: END }\n";
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let tools = "  confirm:\n    description: Asks a person\n    subgraph: { file: child.yaml, with: { city: arguments.city } }\n";
    let text = with_tools(tools, STATE, "{ agent: { task: t, tools: [confirm] }, to: out }");
    let definition = Definition::parse(&text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let calls = calling(&[("confirm", json!({ "city": "Bern" })), ("confirm", json!({ "city": "Chur" }))]);
    let (services, model) = asking(Scripted::new("test/m").reply(calls).answer("both asked"));
    let graph = graph(&definition).unwrap().compile_with(services).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let mut end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let mut asked = Vec::new();
    while let Status::Waiting(questions) = &end.status {
        let question = questions[0].clone();
        let payload: Value = serde_json::from_str(question.payload.get()).unwrap();
        asked.push(payload["question"].as_str().unwrap().to_owned());
        let yes = payload["question"] == "Bern?";
        end = graph.resume(&thread).answer(question.id, &yes).await.unwrap();
    }
    asked.sort();
    assert_eq!(asked, ["Bern?", "Chur?"]);
    assert_eq!(end.state.get("out"), Some(&json!("both asked")));
    let last = model.requests();
    let results: Vec<&str> =
        last[1].messages.iter().skip(2).map(|message| message.content.as_str()).collect();
    assert!(results[0].contains("true") && results[1].contains("false"), "{results:?}");
    assert_eq!(last.len(), 2);
}

#[tokio::test]
async fn a_tool_node_runs_a_tool_of_its_file() {
    let node = "{ tool: { name: sum, arguments: { a: 1, b: 2 } }, to: out }";
    let text = with_tools(SUM, &STATE.replace("out: string", "out: object"), node);
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!({ "sum": 103 }));
    let wrong = text.replace("b: 2", "b: \"'two'\"");
    let error = value(&wrong, offline(), "out").await.unwrap_err();
    assert!(format!("{error:?}").contains("the arguments of `sum` do not fit"), "{error:?}");
}

#[tokio::test]
async fn a_model_is_told_of_the_tools_of_its_file() {
    let (services, model) = asking(Scripted::new("test/m").answer("none"));
    let text =
        with_tools(SUM, "{ extra: integer, out: object }", "{ model: { prompt: p, tools: [sum] }, to: out }");
    value(&text, services, "out").await.unwrap();
    let offered = &model.requests()[0].tools[0];
    assert_eq!((offered.name.as_str(), offered.description.as_str()), ("sum", "Adds"));
    assert_eq!(offered.parameters["required"], json!(["a", "b"]));
}

// P16, ENG-14: what a tool did is not done again when another one had to wait.
#[tokio::test]
async fn what_a_tool_did_is_not_done_again_when_another_one_asks() {
    let folder = tempfile::tempdir().unwrap();
    let child = "name: child\nstate: { ok: boolean }\nnodes:\n  ask: { interrupt: Really?, to: ok }\n\
                 edges:\n  - { from: START, to: ask }\n  - { from: ask, to: END }\n";
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let tools = "  look:\n    description: Looks\n    model: { prompt: \"Which colour?\" }\n  confirm:\n    description: Asks\n    \
                 subgraph: { file: child.yaml }\n";
    let text = with_tools(tools, STATE, "{ agent: { task: t, tools: [look, confirm] }, to: out }");
    let definition = Definition::parse(&text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let calls = calling(&[("confirm", json!({})), ("look", json!({}))]);
    let (services, model) = asking(Scripted::new("test/m").reply(calls).answer("blue").answer("done"));
    let graph = graph(&definition).unwrap().compile_with(services).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let Status::Waiting(questions) = end.status else { panic!("{:?}", end.status) };
    assert_eq!(model.requests().len(), 2);
    let end = graph.resume(&thread).answer(questions[0].id, &true).await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!("done")));
    let asked = model.requests();
    assert_eq!(asked.len(), 3);
    assert!(asked[2].messages.last().unwrap().content.contains("blue"));
}
