//! The output of runs of graph files: failures and their handlers, kinds of errors, hints, tokens and cost; and their test files.

use serde_json::{Value, json};

use super::kit::{Done, Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    done(place.graph(arguments)).await
}

/// The events that a run with `--json` printed.
fn events(done: &Done) -> Vec<Value> {
    done.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn event<'a>(events: &'a [Value], name: &str) -> &'a Value {
    events.iter().find(|event| event["event"] == name).unwrap_or_else(|| panic!("no `{name}` in {events:#?}"))
}

const INNER: &str = "name: inner\ninputs: { topic: string }\nstate: { text: string }\noutputs: [text]\nnodes:\n  \
                     write: { model: { prompt: \"About {{ state.topic }}\", offline: \"'by rule'\" }, to: text }\n\
                     edges:\n  - { from: START, to: write }\n  - { from: write, to: END }\n";
const OUTER: &str = "name: outer\nstate: { out: object, text: string }\nnodes:\n  \
                     write: { model: { prompt: first, offline: \"'outside'\" }, to: text }\n  \
                     part: { subgraph: { file: inner.yaml, with: { topic: \"'rust'\" } }, to: out }\n\
                     edges:\n  - { from: START, to: write }\n  - { from: write, to: part }\n  - { from: part, to: END }\n";

fn nested() -> Place {
    let place = Place::new();
    place.write("inner.yaml", INNER);
    place.write("outer.yaml", OUTER);
    place
}

#[tokio::test]
async fn cases_count_the_nodes_of_their_graph_and_script_models_inside_sub_graphs() {
    let place = nested();
    place.write(
        "outer.test.yaml",
        "cases:\n  - name: its own nodes\n    models: { part/write: [inside], write: [o] }\n    \
         expect: { ran: [write, part], state: { out: { text: inside }, text: o } }\n  \
         - name: all nodes\n    expect: { ran: [write, part/write, part], state: { out: { text: by rule } } }\n",
    );
    let tested = graph(&place, &["test", "outer.yaml"]).await;
    assert_eq!((tested.err.as_str(), tested.code), ("2 passed, 0 failed\n", Some(0)), "{}", tested.out);
    // The file of the cases means the same.
    graph(&place, &["test", "outer.test.yaml"]).await.exits(0);
    place.write(
        "outer.test.yaml",
        "cases:\n  - { name: c, models: { part/wrote: [x] }, expect: { ran: [part/writ] } }\n",
    );
    let wrong = graph(&place, &["test", "outer.yaml"]).await.exits(2);
    for part in ["no node `part/wrote`", "no node `part/writ`", "did you mean `part/write`?"] {
        assert!(wrong.err.contains(part), "{part}: {}", wrong.err);
    }
}

#[tokio::test]
async fn check_knows_a_file_of_cases_and_checks_it_against_its_graph() {
    let place = nested();
    place.write("outer.test.yaml", "cases:\n  - { name: c, expect: { ran: [write] } }\n");
    let good = graph(&place, &["check", "outer.yaml", "outer.test.yaml"]).await.exits(0);
    assert!(good.err.ends_with("outer.test.yaml: no defects (1 case)\n"), "{}", good.err);
    place.write("outer.test.yaml", "cases:\n  - { name: c, expect: { rann: [write], state: { txt: x } } }\n");
    let bad = graph(&place, &["check", "outer.test.yaml"]).await.exits(1);
    assert!(
        bad.err.contains("did you mean `ran`?") && bad.err.contains("outer.test.yaml: 2 defects"),
        "{}",
        bad.err
    );
    std::fs::copy(place.at("outer.test.yaml"), place.at("cases.yaml")).unwrap();
    let nameless = graph(&place, &["check", "cases.yaml"]).await.exits(2);
    assert!(
        nameless.err.contains("cases.yaml holds test cases, but its name does not end in `.test.yaml`"),
        "{}",
        nameless.err
    );
    std::fs::rename(place.at("outer.test.yaml"), place.at("other.test.yaml")).unwrap();
    let alone = graph(&place, &["check", "other.test.yaml"]).await.exits(2);
    assert!(alone.err.contains("cannot read other.yaml"), "{}", alone.err);
}

const HANDLED: &str = "name: handled\nstate:\n  text: { type: string, default: none }\nnodes:\n  \
                       fetch:\n    http: { url: \"https://weather.example/\" }\n    to: { text: result.body }\n    \
                       error_handler: { set: { text: failure.error } }\n  \
                       end: { set: { text: \"'done'\" } }\n\
                       edges:\n  - { from: START, to: fetch }\n  - { from: fetch, to: end }\n  - { from: end, to: END }\n";

// F33
#[tokio::test]
async fn an_error_that_a_handler_takes_over_is_printed_is_an_event_and_is_coloured_in_the_drawing() {
    let place = Place::new();
    place.write("handled.yaml", HANDLED);
    let run = graph(&place, &["run", "handled.yaml"]).await.exits(0);
    let line = "`fetch` failed: the graph wants to ask `weather.example`, which was not allowed; its error handler `set` takes over";
    assert!(run.err.lines().any(|said| said == line), "{}", run.err);
    let told = graph(&place, &["run", "handled.yaml", "--thread", "t", "--json"]).await.exits(0);
    let events = events(&told);
    let caught = event(&events, "task_caught");
    assert_eq!(
        (&caught["node"], &caught["handler"], &caught["attempts"]),
        (&json!("fetch"), &json!("set"), &json!(1))
    );
    assert_eq!(caught["error"], "the graph wants to ask `weather.example`, which was not allowed");
    let drawing = |format: &'static str| ["draw", "--thread", "t", "--format", format];
    let drawn: Value = serde_json::from_str(&graph(&place, &drawing("json")).await.exits(0).out).unwrap();
    let visits = &drawn["run"]["visits"];
    assert_eq!((&visits["fetch"]["standing"], &visits["fetch"]["caught"]), (&json!("caught"), &json!(1)));
    assert_eq!((&visits["end"]["standing"], &drawn["run"]["standing"]), (&json!("done"), &json!("done")));
    let mermaid = graph(&place, &drawing("mermaid")).await.exits(0).out;
    assert!(mermaid.contains("classDef caught") && mermaid.contains("#c05621"), "{mermaid}");
    let svg = graph(&place, &drawing("svg")).await.exits(0).out;
    assert!(svg.contains("#c05621"), "{svg}");
    let text = graph(&place, &drawing("ascii")).await.exits(0).out;
    assert!(text.contains("failed, handled"), "{text}");
}

#[tokio::test]
async fn the_last_event_of_a_failed_run_says_what_kind_of_error_it_was() {
    let place = Place::new();
    place.write("handled.yaml", HANDLED.replace("    error_handler: { set: { text: failure.error } }\n", ""));
    let failed = graph(&place, &["run", "handled.yaml", "--json"]).await.exits(2);
    let last = events(&failed).pop().unwrap();
    assert_eq!((&last["event"], &last["status"]), (&json!("run_finished"), &json!("failed")));
    let error = &last["error"];
    assert_eq!((&error["kind"], &error["node"]), (&json!("node"), &json!("fetch")));
    assert_eq!(
        error["text"],
        "node `fetch` failed in step 1: the graph wants to ask `weather.example`, which was not allowed"
    );
    assert_eq!(error["hint"], "if you trust this graph with it: `--allow-http weather.example`");
    let limited =
        graph(&place, &["run", "handled.yaml", "--json", "--step-limit", "1", "--thread", "u"]).await;
    assert_eq!(events(&limited).pop().unwrap()["error"]["kind"], "node", "{}", limited.err);
    place.write("loop.yaml", "name: l\nstate: { n: { type: integer, default: 0 } }\nnodes:\n  a: { set: { n: state.n + 1 } }\n\
        edges:\n  - { from: START, to: a }\n  - { from: a, when: state.n < 9, to: a }\n  - { from: a, else: END }\n");
    let limited = graph(&place, &["run", "loop.yaml", "--json", "--step-limit", "2"]).await.exits(2);
    assert_eq!(events(&limited).pop().unwrap()["error"]["kind"], "step_limit");
    let done = graph(&place, &["run", "loop.yaml", "--json"]).await.exits(0);
    assert_eq!(events(&done).pop().unwrap().get("error"), None);
}

#[tokio::test]
async fn hints_for_graph_files_speak_of_files() {
    let place = Place::new();
    let two = "name: two\nstate: { n: integer }\nnodes:\n  a: { set: { n: 1 } }\n  b: { set: { n: 2 } }\n\
               edges:\n  - { from: START, to: a }\n  - { from: START, to: b }\n  - { from: [a, b], to: END }\n";
    place.write("two.yaml", two);
    let both = graph(&place, &["run", "two.yaml"]).await.exits(2);
    assert!(both.err.contains("`a` and `b` both wrote `n`"), "{}", both.err);
    assert!(both.err.contains("hint: give `n` a `reducer` such as `append` in the file"), "{}", both.err);
    // The same inside another graph.
    place.write(
        "around.yaml",
        "name: around\nstate: { out: object }\nnodes:\n  in: { subgraph: { file: two.yaml }, to: out }\n\
        edges:\n  - { from: START, to: in }\n  - { from: in, to: END }\n",
    );
    let inside = graph(&place, &["run", "around.yaml"]).await.exits(2);
    assert!(inside.err.contains("a `reducer` such as `append` in the file"), "{}", inside.err);
    // A channel whose type has changed.
    let waiting = "name: w\nstate: { n: { type: any, default: 1 } }\nnodes:\n  ask: { interrupt: Go on? }\n\
                   edges:\n  - { from: START, to: ask }\n  - { from: ask, to: END }\n";
    place.write("w.yaml", waiting);
    let thread = graph(&place, &["run", "w.yaml"]).await.exits(3).thread();
    place.write("w.yaml", waiting.replace("type: any, default: 1", "type: string, default: x"));
    let changed = graph(&place, &["resume", &thread, "--answer", "1"]).await.exits(2);
    for said in [&both, &inside, &changed] {
        assert!(!said.err.contains("#["), "{}", said.err);
    }
}

/// A graph with a model before and after a question, and one in a sub-graph.
const SPENDING: &str = "name: spending\nmodel: local/m\nstate: { text: string, out: object, yes: boolean }\noutputs: [text]\nnodes:\n  \
                        write: { model: { prompt: first }, to: text }\n  \
                        part: { subgraph: { file: inner.yaml, with: { topic: \"'rust'\" } }, to: out }\n  \
                        ask: { interrupt: { question: More?, answer: { type: boolean } }, to: yes }\n  \
                        more: { model: { prompt: second }, to: text }\n\
                        edges:\n  - { from: START, to: write }\n  - { from: write, to: part }\n  - { from: part, to: ask }\n  \
                        - { from: ask, to: more }\n  - { from: more, to: END }\n";

#[tokio::test]
async fn tokens_and_money_stand_at_the_end_of_a_run_and_count_on_after_a_resume() {
    let server = FakeServer::playing(vec![Play::says("text")]).await;
    let place = Place::new();
    place.write("inner.yaml", INNER);
    place.write("spending.yaml", SPENDING);
    let prices = ", prices: { \"*\": { input: 1000000, output: 2000000 } }";
    place.write(
        "config.yaml",
        format!("providers:\n  local: {{ base_url: \"{}\"{prices} }}\n", server.base_url()),
    );
    let waiting = graph(&place, &["run", "spending.yaml"]).await.exits(3);
    assert!(
        waiting.err.contains("local/m: 2 calls, 14 tokens read, 6 written, $26.0000\n"),
        "{}",
        waiting.err
    );
    let thread = waiting.thread();
    let shown = graph(&place, &["state", &thread]).await.exits(0);
    assert!(!shown.out.contains("$spent"), "{}", shown.out);
    let done = graph(&place, &["resume", &thread, "--answer", "true", "--json"]).await.exits(0);
    let spent = events(&done).pop().unwrap()["spent"]["local/m"].clone();
    assert_eq!(
        spent,
        json!({ "answers": 3, "prompt_tokens": 21, "completion_tokens": 9, "cost": 39_000_000_000_000_u64 })
    );
    assert!(done.err.contains("local/m: 3 calls, 21 tokens read, 9 written, $39.0000\n"), "{}", done.err);
    assert_eq!(server.requests().len(), 3);
}
