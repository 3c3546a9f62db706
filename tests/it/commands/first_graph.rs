//! A first graph of a user: a fan-out over tickets, a question, breakpoints, updates. The messages that guide through it.

use serde_json::{Value, json};

use super::kit::{Done, Place, done};

const TRIAGE: &str = r#"
name: triage
inputs:
  tickets:
    items: { type: object, properties: { id: { type: integer }, text: { type: string } }, required: [id, text] }
    default: [{ id: 1, text: help }, { id: 2, text: broken }]
context:
  user: { about: Who decides }
state:
  labels: { items: string, reducer: append }
  pairs: { type: integer, default: 0, reducer: { fold: "value + write.size" } }
  ok: boolean
outputs: [labels, ok]
nodes:
  begin: { set: {} }
  label:
    subgraph: { file: label.yaml, with: { text: item.text } }
    to: { labels: result.label }
  ask:
    interrupt: { question: "Fine, {{ context.user }}?", answer: { type: boolean } }
    to: ok
edges:
  - { from: START, to: begin }
  - { from: begin, each: state.tickets, to: label, empty: END }
  - { from: label, to: ask }
  - { from: ask, to: END }
"#;

const LABEL: &str = r#"
name: label
inputs:
  text: string
state:
  label: string
nodes:
  guess:
    model: { prompt: "Label {{ state.text }}", offline: "'about ' ~ state.text" }
    to: label
  confirm:
    interrupt: { question: "Is it {{ state.label }}?", answer: { type: string } }
    to: label
edges:
  - { from: START, to: guess }
  - { from: guess, when: "state.text != 'help'", to: confirm }
  - { from: guess, else: END }
  - { from: confirm, to: END }
outputs: [label]
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("triage.yaml", TRIAGE);
    place.write("label.yaml", LABEL);
    place
}

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    done(place.graph(arguments)).await
}

const RUN: [&str; 4] = ["run", "triage.yaml", "--context", r#"{"user": "ada"}"#];

async fn run(place: &Place, arguments: &[&str]) -> Done {
    graph(place, &[&RUN, arguments].concat()).await
}

fn last_event(done: &Done) -> Value {
    serde_json::from_str(done.out.lines().last().expect("an event")).expect("JSON")
}

/// Runs a command line that a run has printed.
async fn typed(place: &Place, line: &str) -> Done {
    done(place.shell(line)).await
}

// A second run of the same input keeps the question, with and without a named thread
#[tokio::test]
async fn a_second_run_keeps_an_open_question_until_it_is_to_restart() {
    let place = place();
    let first = run(&place, &[]).await.exits(3);
    let thread = first.thread();
    let count = async || graph(&place, &["history", &thread, "--json"]).await.exits(0).out.lines().count();
    let before = count().await;
    let second = run(&place, &[]).await.exits(3);
    for part in ["nothing was run", "Is it about broken?", "with `--restart` the question is dropped"] {
        assert!(second.err.contains(part), "{part}: {}", second.err);
    }
    assert_eq!(second.command("to answer: "), first.command("to answer: "));
    assert_eq!(count().await, before);
    let answer = second.command("to answer: ").replace("TEXT", "outage");
    let answered = typed(&place, &answer).await.exits(3);
    assert!(answered.err.contains("Fine, ada?"), "{}", answered.err);
    let restarted = run(&place, &["--restart"]).await.exits(3);
    assert!(restarted.err.contains("of `ask` was dropped"), "{}", restarted.err);
    // Without a question there is nothing to drop.
    let limited = run(&place, &["--restart", "--step-limit", "1"]).await.exits(2);
    let over = run(&place, &[]).await.exits(3);
    assert!(over.err.contains("was not finished; this one starts over"), "{}", over.err);
    let continued = over.command("to continue the earlier one instead: ");
    assert!(continued.starts_with(&format!("graph resume {}@", limited.thread())), "{continued}");
}

// Also while the tokens belong to a task that waits
#[tokio::test]
async fn a_waiting_run_tells_what_it_has_spent() {
    let place = place();
    let waiting = run(&place, &[]).await.exits(3);
    assert!(waiting.err.contains("\noffline: 2 calls, ~"), "{}", waiting.err);
    let json = run(&place, &["--thread", "t", "--json"]).await.exits(3);
    let spent = last_event(&json);
    assert_eq!((&spent["event"], &spent["step"]), (&json!("run_finished"), &json!(2)));
    assert_eq!(spent["spent"]["offline"]["answers"], 2, "{spent}");
    // A resume that answers nothing runs no task again, and tells the same.
    let resume = ["resume", "t", "--context", r#"{"user": "ada"}"#, "--json"];
    let again = last_event(&graph(&place, &resume).await.exits(3));
    assert_eq!(again["spent"], spent["spent"]);
    let answer = [&resume[..], &["--answer", "\"outage\""]].concat();
    let asked = last_event(&graph(&place, &answer).await.exits(3));
    assert_eq!(asked["spent"], spent["spent"], "nothing is counted twice");
}

#[tokio::test]
async fn a_breakpoint_names_a_node_of_a_sub_graph_and_a_failed_item_is_named() {
    let place = place();
    let stopped = run(&place, &["--break-before", "label/confirm", "-q"]).await.exits(3);
    assert!(stopped.err.contains("breakpoint before `label/confirm`"), "{}", stopped.err);
    let wrong = run(&place, &["--break-after", "confirm"]).await.exits(2);
    let told = "there can be no breakpoint at `confirm`: the graph `triage` has no such node\nhint: did you mean `label/confirm`?";
    assert!(wrong.err.contains(told), "{}", wrong.err);
    let question =
        "interrupt: { question: \"Is it {{ state.label }}?\", answer: { type: string } }\n    to: label";
    place.write("label.yaml", LABEL.replace(question, "fail: not known"));
    let failed = run(&place, &[]).await.exits(2);
    let told = r#"node `label` (item 1: {"id":2,"text":"broken"}) failed in step 2"#;
    assert!(failed.err.contains(told), "{}", failed.err);
}

#[tokio::test]
async fn a_value_that_an_update_cannot_write_is_no_fault_of_the_graph() {
    let place = place();
    run(&place, &["--thread", "t"]).await.exits(3);
    let refused = graph(&place, &["update", "t", r#"{"pairs": {"length": 3}}"#]).await.exits(2);
    assert!(refused.err.contains("the write to `pairs` cannot be kept"), "{}", refused.err);
    assert!(refused.err.contains("hint: nothing was written; give other values"), "{}", refused.err);
    let updated = graph(&place, &["update", "t", r#"{"pairs": {"size": 3}}"#]).await.exits(0);
    assert_eq!(updated.command("to continue: "), r#"graph resume t --context '{"user": …}'"#);
    assert!(updated.err.contains("repeat them as needed: `--context`, `--model`"), "{}", updated.err);
}

#[tokio::test]
async fn a_comparison_with_a_thread_names_channels_only() {
    let place = place();
    let thread = run(&place, &[]).await.exits(3).thread();
    graph(&place, &["update", &thread, r#"{"pairs": {"size": 3}}"#]).await.exits(0);
    let same = graph(&place, &["check", "triage.yaml", "--against", &thread]).await.exits(0);
    assert!(!same.err.contains('$'), "{}", same.err);
    assert!(same.err.contains("triage.yaml: no defects (3 nodes, 5 edges)"), "{}", same.err);
    let one = "name: one\nstate: { n: integer }\nnodes:\n  n: { set: { n: 1 } }\nedges:\n  - { from: START, to: n }\n  - { from: n, to: END }\n";
    place.write("one.yaml", one);
    let checked = graph(&place, &["check", "one.yaml"]).await.exits(0);
    assert!(checked.err.contains("(1 node, 2 edges)"), "{}", checked.err);
    let wrong = run(&place, &["--tickets", r#"[{"id": 1}]"#]).await.exits(2);
    assert!(wrong.err.contains(r#"hint: say it with --tickets '[{"id":0,"text":"TEXT"}]'"#), "{}", wrong.err);
}
