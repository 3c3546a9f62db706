//! Threads changed from outside: `update`, `fork --set`, `copy`, `continue`, and breakpoints for one run.

use serde_json::{Value, json};

use super::kit::{Done, Place, done};

const POEM: &str = r#"name: poem
inputs: { topic: { about: What to write about } }
state:
  draft: string
  score: integer
  log: { items: string, reducer: append }
  once: { type: string?, keep: untracked }
  yes: boolean
nodes:
  write: { template: "On {{ state.topic }}", to: draft }
  judge: { set: { score: "state.draft | length", log: state.draft } }
  ask:
    interrupt:
      question: Good?
      answer: { type: object, required: [yes, why], properties: { yes: { type: boolean }, why: { type: string } } }
    to: { yes: result.yes }
edges:
  - { from: START, to: write }
  - { from: write, to: judge }
  - { from: judge, when: state.score > 50, to: write }
  - { from: judge, else: ask }
  - { from: ask, to: END }
"#;

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    done(place.graph(arguments)).await
}

/// A thread `t` that waits: `write` made `t@2`, `judge` made `t@3`, and `ask` asks `3.0.0`.
async fn waiting() -> Place {
    let place = Place::new();
    place.write("poem.yaml", POEM);
    graph(&place, &["run", "poem.yaml", "--topic", "rust", "--thread", "t"]).await.exits(3);
    place
}

async fn snapshot(place: &Place, thread: &str) -> Value {
    serde_json::from_str(&graph(place, &["state", thread, "--json"]).await.exits(0).out).unwrap()
}

/// Runs a command that must fail, and checks its message, its hint, and that the thread `t` has no new checkpoint.
async fn refused(place: &Place, arguments: &[&str], error: &str, hint: &str) {
    let before = snapshot(place, "t").await;
    let told = graph(place, arguments).await.exits(2);
    assert!(told.err.contains(&format!("error: {error}")), "{arguments:?}: {}", told.err);
    assert!(told.err.contains("hint: ") && told.err.contains(hint), "{arguments:?}: {}", told.err);
    assert_eq!(told.out, "", "{arguments:?}");
    assert_eq!(snapshot(place, "t").await, before, "{arguments:?} wrote something");
}

// F47
#[tokio::test]
async fn an_update_passes_the_reducers_and_keeps_the_plan_and_the_question() {
    let place = waiting().await;
    let told = graph(&place, &["update", "t", r#"{"score": 9, "log": "by hand"}"#]).await.exits(0);
    assert_eq!(told.out, "t@4\n");
    assert!(told.err.contains("next: ask\nto continue: graph resume t\n"), "{}", told.err);
    let now = snapshot(&place, "t").await;
    assert_eq!((&now["state"]["score"], &now["state"]["log"]), (&json!(9), &json!(["On rust", "by hand"])));
    assert_eq!((&now["source"], &now["questions"][0]["id"]), (&json!("update"), &json!("4.0.0")));
    graph(&place, &["resume", "t", "--answer", r#"4.0.0={"yes": true, "why": "it is"}"#]).await.exits(0);
}

#[tokio::test]
async fn an_update_as_a_node_is_followed_as_that_node_is() {
    let place = waiting().await;
    // The edges behind `judge` choose on the new score.
    place.write("high.json", r#"{"score": 99}"#);
    let told = graph(&place, &["update", "t", "@high.json", "--as-node", "judge"]).await.exits(0);
    assert!(told.err.contains("next: ask, write"), "{}", told.err);
    let ended = graph(&place, &["update", "t", r#"{"yes": true}"#, "--as-node", "END"]).await.exits(0);
    assert!(ended.err.contains("next: nothing, it is done"), "{}", ended.err);
    let over = graph(&place, &["resume", "t"]).await.exits(0);
    assert!(
        over.err.contains("thread t is finished") && over.err.contains("graph continue t --help"),
        "{}",
        over.err
    );
}

#[tokio::test]
async fn an_update_that_cannot_be_written_is_refused_with_its_reason() {
    let place = waiting().await;
    let score = r#"{"score": 1}"#;
    for (arguments, error, hint) in [
        (&["update", "t", "{nope"][..], "the update is not JSON", "such as '{\"score\": 8}'"),
        (&["update", "t", "[1]"], "the update is no JSON object", "by channel"),
        (&["update", "t", "{}"], "the update has no value", "by channel"),
        (&["update", "t", "@none.json"], "cannot read none.json", "JSON object"),
        (
            &["update", "t", r#"{"score": "high"}"#],
            "nothing was written, because of `score`: ",
            "graph state t",
        ),
        (&["update", "t", r#"{"log": [1]}"#], "nothing was written, because of `log`: ", "graph state t"),
        (&["update", "t", r#"{"scor": 1}"#], "nothing was written, because of `scor`: ", "graph state t"),
        (
            &["update", "t", r#"{"$graph": {}}"#],
            "nothing was written, because of `$graph`: ",
            "graph state t",
        ),
        (
            &["update", "t", r#"{"once": "x"}"#],
            "nothing was written, because of `once`: `once` is untracked",
            "state t",
        ),
        (
            &["update", "t", score, "--as-node", "jugde"],
            "the graph `poem` has no node `jugde`",
            "did you mean `judge`?",
        ),
        (&["update", "t@2", score], "`t@2` is a checkpoint", "graph fork t@2 --set CHANNEL=VALUE"),
        (&["update", "other", score], "there is no thread `other`", "graph history"),
    ] {
        refused(&place, arguments, error, hint).await;
    }
    let unknown = graph(&place, &["update", "t", r#"{"scor": 1}"#]).await.exits(2);
    assert!(unknown.err.contains("did you mean `score`?"), "{}", unknown.err);
}

#[tokio::test]
async fn a_workflow_in_rust_is_updated_in_the_same_words() {
    let place = Place::new();
    done(place.ard(["run", "--idea", "A tin that counts. It keeps things.", "--thread", "t"])).await.exits(0);
    graph(&place, &["update", "t", r#"{"iteration": 7, "rationales": "Said by hand."}"#]).await.exits(0);
    let state = snapshot(&place, "t").await["state"].clone();
    assert_eq!(state["iteration"], 7);
    assert_eq!(state["rationales"].as_array().unwrap().last(), Some(&json!("Said by hand.")));
    refused(
        &place,
        &["update", "t", r#"{"iteration": "x"}"#],
        "nothing was written, because of `iteration`: invalid type: string",
        "",
    )
    .await;
    refused(
        &place,
        &["update", "t", r#"{"iter": 1}"#],
        "nothing was written, because of `iter`: unknown field `iter`",
        "",
    )
    .await;
    graph(&place, &["fork", "t@2", "--set", "rationales=[]", "--set", "rough_idea=5"]).await.exits(0);
    let state = snapshot(&place, "t").await["state"].clone();
    assert_eq!((&state["rationales"], &state["rough_idea"]), (&json!([]), &json!("5")));
    refused(
        &place,
        &["continue", "t", "--idea", "x"],
        "`ard` takes no new input on a thread that exists",
        "graph resume t",
    )
    .await;
}

// F49
#[tokio::test]
async fn a_fork_with_other_values_is_one_checkpoint_that_replaces_them() {
    let place = waiting().await;
    let set = ["--set", "score=5", "--set", "draft=7", "--set", r#"log=["a=b"]"#];
    let told = graph(&place, &[&["fork", "t@3"], &set[..]].concat()).await.exits(0);
    assert_eq!(told.out, "t@4\n");
    let now = snapshot(&place, "t").await;
    let state = &now["state"];
    assert_eq!((&state["score"], &state["draft"], &state["log"]), (&json!(5), &json!("7"), &json!(["a=b"])));
    assert_eq!(
        (&now["parent"], &now["source"], &now["next"]),
        (&json!("t@3"), &json!("fork"), &json!(["ask"]))
    );
    assert_eq!(snapshot(&place, "t@3").await["state"]["score"], 7, "the old one stays");
    for (arguments, error, hint) in [
        (
            &["fork", "t@3", "--set", "score=high"][..],
            "nothing was written, because of `score`: ",
            "graph state t",
        ),
        (&["fork", "t@3", "--set", "scor=1"], "nothing was written, because of `scor`: ", "graph state t"),
        (&["fork", "t@3", "--set", "score"], "`--set score` names no value", "--set CHANNEL=VALUE"),
        (&["fork", "t@3", "--set", "score=1", "--set", "score=2"], "`score` is set twice", ""),
        (&["fork", "t", "--set", "score=1"], "`t` is a thread", "graph history t"),
    ] {
        refused(&place, arguments, error, hint).await;
    }
}

#[tokio::test]
async fn a_copy_has_the_history_and_goes_its_own_way() {
    let place = waiting().await;
    assert_eq!(graph(&place, &["copy", "t"]).await.exits(0).out, "t-2\n");
    assert_eq!(graph(&place, &["copy", "t"]).await.exits(0).out, "t-3\n");
    assert_eq!(graph(&place, &["copy", "t", "mine"]).await.exits(0).out, "mine\n");
    let answer = ["resume", "mine", "--answer", r#"3.0.0={"yes": true, "why": "it is"}"#];
    graph(&place, &answer).await.exits(0);
    assert_eq!(snapshot(&place, "mine").await["state"]["yes"], true);
    assert_eq!(snapshot(&place, "t").await["questions"][0]["id"], "3.0.0", "the original still waits");
    assert_eq!(graph(&place, &["history", "t-2", "--json"]).await.exits(0).out.lines().count(), 3);
    for (arguments, error, hint) in [
        (&["copy", "t", "mine"][..], "thread `mine` exists already", "choose another id"),
        (&["copy", "t@1"], "`t@1` is a checkpoint", "graph fork"),
        (&["copy", "other"], "there is no thread `other`", "graph history"),
    ] {
        refused(&place, arguments, error, hint).await;
    }
    graph(&place, &["copy", "t", "../etc"]).await.exits(2);
}

// F44, F57: `continue` takes input, `resume` takes answers, and each names the other
#[tokio::test]
async fn continue_begins_again_with_new_input_on_the_state_of_the_thread() {
    let place = waiting().await;
    let kept = graph(&place, &["continue", "t", "--topic", "iron"]).await.exits(3);
    assert!(kept.err.contains("nothing was run: that would drop a question of thread t"), "{}", kept.err);
    let told = graph(&place, &["continue", "t", "--topic", "iron", "--restart", "-q"]).await.exits(3);
    assert!(told.err.contains("question 6.0.0 of `ask`") && !told.err.contains("step 1"), "{}", told.err);
    let state = snapshot(&place, "t").await["state"].clone();
    assert_eq!((&state["draft"], &state["log"]), (&json!("On iron"), &json!(["On rust", "On iron"])));
    // Without an input the graph runs again on the values that it has.
    graph(&place, &["continue", "t", "--restart"]).await.exits(3);
    assert_eq!(snapshot(&place, "t").await["state"]["log"], json!(["On rust", "On iron", "On iron"]));
    let help = graph(&place, &["continue", "t", "--help"]).await.exits(0).out;
    assert!(help.contains("--topic <STRING>") && help.contains("What to write about"), "{help}");
    assert!(!help.contains("[required]") && !help.contains("--answer"), "an input may be left out: {help}");
    for (arguments, error, hint) in [
        (&["continue", "t", "--answer", "1"][..], "`continue` begins again", "graph resume t --answer JSON"),
        (&["continue", "t@2", "--topic", "x"], "`t@2` is a checkpoint", "graph fork t@2"),
        (&["continue", "other", "--topic", "x"], "there is no thread `other`", "graph history"),
        (&["continue", "t", "--topik", "x"], "unexpected argument '--topik' found", ""),
        (&["resume", "t", "--topic", "x"], "unexpected argument '--topic' found", "graph continue THREAD"),
    ] {
        if hint.is_empty() {
            let told = graph(&place, arguments).await.exits(2);
            assert!(told.err.contains(error), "{}", told.err);
        } else {
            refused(&place, arguments, error, hint).await;
        }
    }
    place.write("poem.yaml", "name: [");
    let broken = graph(&place, &["continue", "t", "--topic", "x"]).await.exits(2);
    assert!(broken.err.contains("poem.yaml"), "{}", broken.err);
}

// F56
#[tokio::test]
async fn breakpoints_hold_for_one_run_and_replace_those_of_the_graph() {
    let place = Place::new();
    place.write("poem.yaml", POEM.replace("state:", "interrupt_before: [write]\nstate:"));
    let run = ["run", "poem.yaml", "--topic", "rust", "--thread", "t"];
    let told = graph(&place, &[&run[..], &["--break-after", "write"]].concat()).await.exits(3);
    assert!(told.err.contains("breakpoint after `write`; saved up to checkpoint t@2"), "{}", told.err);
    let told =
        graph(&place, &["resume", "t", "--break-before", "ask", "--break-before", "judge"]).await.exits(3);
    assert!(told.err.contains("breakpoint before `ask`; saved up to checkpoint t@3"), "{}", told.err);
    // The next run passes it, and has the breakpoints of the graph again.
    let told = graph(&place, &["resume", "t"]).await.exits(3);
    assert!(told.err.contains("waiting for 1 answer"), "{}", told.err);
    let told = graph(&place, &["continue", "t", "--restart", "--break-before", "all"]).await.exits(3);
    assert!(told.err.contains("breakpoint before `write`"), "{}", told.err);
    let told = graph(&place, &["resume", "t", "--break-before", "aks"]).await.exits(2);
    assert!(
        told.err.contains("no breakpoint at `aks`") && told.err.contains("did you mean `ask`?"),
        "{}",
        told.err
    );
}

// D6: the printed command fits the schema of the question, and a late answer is told why it is late
#[tokio::test]
async fn the_printed_answer_can_be_pasted_and_counts_once() {
    let place = waiting().await;
    let told = graph(&place, &["resume", "t"]).await.exits(3);
    let command = told.command("to answer: ");
    assert_eq!(command, r#"graph resume t --answer '3.0.0={"yes":true,"why":"TEXT"}'"#);
    graph(&place, &["fork", "t@3"]).await.exits(0);
    let gone = done(place.shell(&command)).await.exits(2);
    assert!(
        gone.err.contains("there is no open question 3.0.0: thread t went on without its answer"),
        "{}",
        gone.err
    );
    let next = graph(&place, &["resume", "t"]).await.exits(3).command("to answer: ");
    done(place.shell(&next)).await.exits(0);
    assert_eq!(snapshot(&place, "t").await["state"]["yes"], true);
    let twice = done(place.shell(&next)).await.exits(2);
    assert!(twice.err.contains("there is no open question 4.0.0: it was answered already"), "{}", twice.err);
    assert!(twice.err.contains("hint: nothing waits for an answer"), "{}", twice.err);
    let never = graph(&place, &["resume", "t", "--answer", "9.0.0=1"]).await.exits(2);
    assert!(
        never.err.contains("there is no open question 9.0.0: thread t has not asked it"),
        "{}",
        never.err
    );
}

#[tokio::test]
async fn lists_tell_times_by_their_distance_and_fit_a_narrow_terminal() {
    let place = waiting().await;
    let id = "0b1c2d3e-0000-7000-8000-000000000000";
    graph(&place, &["copy", "t", id]).await.exits(0);
    for arguments in [&["history"][..], &["history", id]] {
        let wide = graph(&place, arguments).await.exits(0).out;
        assert!(wide.contains(" ago") || wide.contains("just now"), "{wide}");
        assert!(!wide.contains("GMT"), "{wide}");
        let mut command = place.graph(arguments);
        command.env("COLUMNS", "40");
        let narrow = done(command).await.exits(0).out;
        assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
        let rows = narrow.lines().filter(|line| !line.starts_with(' ')).count();
        assert_eq!(rows, wide.lines().count() - 1, "{narrow}");
        assert!(narrow.contains(id) && narrow.contains("(waits"), "{narrow}");
    }
}
