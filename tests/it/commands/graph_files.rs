//! Graph files without Rust as whole commands: run, wait, answer, look, fork, test, begin.

use serde_json::{Value, json};

use super::kit::{Done, Place, done};

const FIFTY: &str = include_str!("../../golden/graphs/fifty.yaml");
const FIFTY_CHECK: &str = include_str!("../../golden/graphs/fifty_check.yaml");
const APPROVAL: &str = include_str!("../../../graphs/examples/approval.yaml");
const REFINE: &str = include_str!("../../../graphs/examples/refine.yaml");

async fn graph(place: &Place, arguments: &[&str]) -> Done {
    done(place.graph(arguments)).await
}

fn data(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}", done.out))
}

// Issue 3: a graph of 50 nodes written only in YAML checks, draws, runs, waits, resumes, forks.
#[tokio::test]
async fn a_graph_of_fifty_nodes_checks_draws_runs_waits_resumes_and_forks() {
    let place = Place::new();
    place.write("fifty.yaml", FIFTY);
    place.write("fifty_check.yaml", FIFTY_CHECK);
    let checked = graph(&place, &["check", "fifty.yaml"]).await.exits(0);
    assert!(checked.err.contains("fifty.yaml: no defects (50 nodes"), "{}", checked.err);
    let drawn = graph(&place, &["draw", "fifty.yaml", "--format", "json"]).await.exits(0);
    assert_eq!(
        data(&drawn)["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|node| node["name"] != "START" && node["name"] != "END")
            .count(),
        50
    );
    // The sub-graph asks first.
    let inside = graph(&place, &["run", "fifty.yaml", "--subject", "roofs", "--depth", "3"]).await.exits(3);
    assert!(inside.err.contains(" words right?"), "{}", inside.err);
    // D6: a wrong answer is refused where it is given, also from inside.
    let wrong = graph(&place, &["resume", &inside.thread(), "--answer", "3"]).await.exits(2);
    assert!(wrong.err.contains("3 is not of type \"boolean\""), "{}", wrong.err);
    let waiting = graph(&place, &["resume", &inside.thread(), "--answer", "true"]).await.exits(3);
    assert!(waiting.err.contains("Publish the handbook of 12 chapters?"), "{}", waiting.err);
    let thread = waiting.thread();
    let state = data(&graph(&place, &["state", &thread]).await.exits(0));
    assert_eq!(state["revisions"], 3);
    assert_eq!(state.get("$graph"), None);
    assert_eq!(state["lengths"]["harvest"], json!("harvest of roofs".len()));
    assert_eq!(state["contents"][1], "2. Frost Of Roofs");
    let rejected = graph(&place, &["resume", &thread, "--answer", r#"{"yes": false, "remark": "too long"}"#])
        .await
        .exits(0);
    assert!(
        data(&rejected)["handbook"].as_str().unwrap().ends_with("rejected: too long"),
        "{}",
        rejected.out
    );
    // Back to the question, and another answer.
    let history = graph(&place, &["history", &thread, "--json"]).await.exits(0);
    let rows: Vec<Value> = history.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked = rows.iter().find(|row| row["next"] == json!(["approve"])).unwrap()["checkpoint"]
        .as_str()
        .unwrap()
        .to_owned();
    graph(&place, &["fork", &asked]).await.exits(0);
    graph(&place, &["resume", &thread]).await.exits(3);
    let signed = graph(&place, &["resume", &thread, "--answer", r#"{"yes": true}"#]).await.exits(0);
    assert!(data(&signed)["handbook"].as_str().unwrap().ends_with("approved"), "{}", signed.out);
}

#[tokio::test]
async fn inputs_are_options_and_the_help_lists_them() {
    let place = Place::new();
    place.write("refine.yaml", REFINE);
    let help = graph(&place, &["run", "refine.yaml", "--help"]).await.exits(0);
    for part in ["--topic <STRING>", "[required]", "--enough <INTEGER>", "[default: 7]", "--allow-http"] {
        assert!(help.out.contains(part), "{part}: {}", help.out);
    }
    let typed = graph(&place, &["run", "refine.yaml", "--topic", "rust", "--enough", "6"]).await.exits(0);
    assert_eq!(data(&typed), json!({ "draft": "About rust. More.", "score": 6, "rounds": 2 }));
    place.write("in.json", r#"{"topic": "rust", "enough": 6}"#);
    let read = graph(&place, &["run", "refine.yaml", "--input", "@in.json"]).await.exits(0);
    assert_eq!(read.out, typed.out);
    // The same input is the same thread.
    assert_eq!(read.thread(), typed.thread());
    let missing = graph(&place, &["run", "refine.yaml"]).await.exits(2);
    assert_eq!(
        missing.err,
        "error: the input `topic` is missing: What to write about\nhint: say it with --topic 'some text'\n"
    );
    let wrong = graph(&place, &["run", "refine.yaml", "--topic", "x", "--enough", "many"]).await.exits(2);
    assert_eq!(wrong.err, "error: `--enough` takes an integer, not `many`\nhint: say it with --enough 3\n");
    let stranger = graph(&place, &["run", "refine.yaml", "--input", r#"{"topc": "x"}"#]).await.exits(2);
    assert_eq!(stranger.err, "error: the graph has no input `topc`\nhint: did you mean `topic`?\n");
    let failed = graph(&place, &["run", "refine.yaml", "--topic", "x", "--enough", "10", "--tries", "1"])
        .await
        .exits(2);
    assert!(failed.err.contains("after 1 tries the score is 4, not 10"), "{}", failed.err);
}

#[tokio::test]
async fn a_changed_file_is_noticed_and_a_missing_one_is_named() {
    let place = Place::new();
    place.write("approval.yaml", APPROVAL);
    let thread = graph(&place, &["run", "approval.yaml", "--topic", "x"]).await.exits(3).thread();
    place.write("approval.yaml", APPROVAL.replace("Shall this", "Should this"));
    let looked = graph(&place, &["state", &thread]).await.exits(0);
    assert!(looked.err.contains("approval.yaml has changed since thread"), "{}", looked.err);
    place.write("approval.yaml", APPROVAL.replace("approve", "decide"));
    let renamed = graph(&place, &["resume", &thread]).await.exits(2);
    assert!(renamed.err.contains("`approve`"), "{}", renamed.err);
    std::fs::remove_file(place.at("approval.yaml")).unwrap();
    let gone = graph(&place, &["resume", &thread]).await.exits(2);
    assert!(
        gone.err.contains("came from approval.yaml, which does not exist\nhint: restore the file"),
        "{}",
        gone.err
    );
}

// `check --against` tells before a resume whether a changed file can continue a thread
#[tokio::test]
async fn check_says_what_a_file_would_make_of_a_thread() {
    let place = Place::new();
    place.write("approval.yaml", APPROVAL);
    let thread = graph(&place, &["run", "approval.yaml", "--topic", "x"]).await.exits(3).thread();
    let against = ["check", "approval.yaml", "--against", &thread];
    let same = graph(&place, &against).await.exits(0);
    assert!(same.err.contains("would continue with `approve` (1 open question)"), "{}", same.err);
    assert!(!same.err.contains("note: "), "{}", same.err);
    place.write("approval.yaml", APPROVAL.replace("approve", "decide"));
    let missing = graph(&place, &against).await.exits(1);
    let told = "error: `approve` would run next, and the graph has no such node";
    assert!(missing.err.contains(told), "{}", missing.err);
    assert!(missing.err.contains("approval.yaml would refuse thread "), "{}", missing.err);
    place.write("approval.yaml", APPROVAL.replace("What is announced", "What is announced, type: integer"));
    let changed = graph(&place, &against).await.exits(1);
    assert!(changed.err.contains("error: the channel `topic` cannot be read: "), "{}", changed.err);
    graph(&place, &["resume", &thread, "--answer", r#"{"approved": true}"#]).await.exits(2);
    // A channel that is gone is no obstacle.
    place.write("approval.yaml", APPROVAL.replace("decision", "verdict"));
    let renamed = graph(&place, &against).await.exits(0);
    assert!(
        renamed.err.contains("note: the channel `decision` is gone: its value is left out"),
        "{}",
        renamed.err
    );
    assert!(renamed.err.contains("note: the channel `verdict` is new"), "{}", renamed.err);
    graph(&place, &["resume", &thread, "--answer", r#"{"approved": true}"#]).await.exits(0);
    let done = graph(&place, &against).await.exits(0);
    assert!(done.err.contains("is done: nothing would run"), "{}", done.err);
    graph(&place, &["check", "approval.yaml", "--against", "unknown"]).await.exits(2);
}

#[tokio::test]
async fn a_new_graph_runs_and_passes_its_cases() {
    let place = Place::new();
    let new = graph(&place, &["new", "mine"]).await.exits(0);
    assert_eq!(new.out, "mine.yaml\nmine.test.yaml\ngraph.schema.json\n");
    graph(&place, &["check", "mine.yaml"]).await.exits(0);
    graph(&place, &["run", "mine.yaml", "--topic", "rust"]).await.exits(0);
    let tested = graph(&place, &["test", "mine.yaml"]).await.exits(0);
    assert_eq!(tested.err, "2 passed, 0 failed\n");
    let again = graph(&place, &["new", "mine"]).await.exits(2);
    assert!(again.err.contains("mine.yaml already exists"), "{}", again.err);
    graph(&place, &["new", "../mine"]).await.exits(2);
}

#[tokio::test]
async fn a_new_graph_names_its_schema_for_editors_and_fits_it() {
    let place = Place::new();
    graph(&place, &["new", "mine"]).await.exits(0);
    let text = place.read("mine.yaml");
    assert_eq!(text.lines().next(), Some("# yaml-language-server: $schema=graph.schema.json"));
    assert_eq!(place.read("graph.schema.json"), graph(&place, &["schema"]).await.exits(0).out);
    let schema: Value = serde_json::from_str(&place.read("graph.schema.json")).unwrap();
    let value: Value = serde_saphyr::from_str(&text).unwrap();
    jsonschema::validate(&schema, &value).unwrap();
    assert!(!jsonschema::is_valid(&schema, &json!({ "name": "mine", "nods": {} })));
    // A schema that is there already stays.
    place.write("graph.schema.json", "{}");
    assert_eq!(graph(&place, &["new", "other"]).await.exits(0).out, "other.yaml\nother.test.yaml\n");
    assert_eq!(place.read("graph.schema.json"), "{}");
    // Neither the schema nor the cases are listed as graphs.
    std::fs::create_dir(place.at("graphs")).unwrap();
    for file in ["graph.schema.json", "mine.test.yaml", "mine.yaml"] {
        std::fs::rename(place.at(file), place.at("graphs").join(file)).unwrap();
    }
    let listed = graph(&place, &["list"]).await.exits(0).out;
    let listed: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let workflows = [
        "contextualize-generate",
        "contextualize-refine",
        "contextualize-scope",
        "doc-phases",
        "explore",
        "sections",
    ];
    assert_eq!(listed, [&["ard", "ard-review"][..], &workflows, &["graphs/mine.yaml"]].concat());
}

#[tokio::test]
async fn a_case_that_fails_is_shown_with_its_difference() {
    let place = Place::new();
    graph(&place, &["new", "mine"]).await.exits(0);
    place.write("mine.test.yaml", "cases:\n  - name: wrong\n    input: { topic: rust }\n    expect: { state: { rounds: 3 }, ran: [write] }\n");
    let tested = graph(&place, &["test", "mine.yaml"]).await.exits(1);
    let expected = "FAILED mine.yaml: wrong\n       state.rounds\n         expected 3\n         actual   2\n       ran\n         expected write\n         \
                    actual   write, count, write, count\n";
    assert_eq!((tested.out.as_str(), tested.err.as_str()), (expected, "0 passed, 1 failed\n"));
    std::fs::remove_file(place.at("mine.test.yaml")).unwrap();
    let none = graph(&place, &["test", "mine.yaml"]).await.exits(2);
    assert!(none.err.contains("cannot read mine.test.yaml"), "{}", none.err);
}

#[tokio::test]
async fn a_broken_graph_file_is_not_run_and_says_why() {
    let place = Place::new();
    place.write("refine.yaml", REFINE.replace("state.tries", "state.trise"));
    let broken = graph(&place, &["run", "refine.yaml", "--topic", "x"]).await.exits(2);
    assert!(
        broken.err.contains("error: the state has no channel `trise`\n  at refine.yaml:45:47"),
        "{}",
        broken.err
    );
    place.write("ard.yaml", "name: t\nstate: ard\nnodes:\n  a: { uses: ard.architect }\nedges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n");
    let rust = graph(&place, &["run", "ard.yaml"]).await.exits(2);
    assert!(rust.err.contains("uses the state `ard`, which is declared in Rust"), "{}", rust.err);
}

// F56: where a run stopped, and what goes on; the exit code is that of a wait.
#[tokio::test]
async fn a_breakpoint_is_told_with_the_command_that_goes_on() {
    let place = Place::new();
    let name =
        REFINE.lines().skip_while(|line| *line != "nodes:").nth(1).unwrap().trim().trim_end_matches(':');
    place.write("refine.yaml", REFINE.replace("state:\n", &format!("interrupt_after: [{name}]\nstate:\n")));
    let stopped = graph(&place, &["run", "refine.yaml", "--topic", "rust", "--enough", "6"]).await.exits(3);
    let thread = stopped.thread();
    assert!(
        stopped.err.contains(&format!("breakpoint after `{name}`; saved up to checkpoint {thread}@")),
        "{}",
        stopped.err
    );
    assert_eq!(stopped.command("to continue: "), format!("graph resume {thread}"));
    let mut done = graph(&place, &["resume", &thread]).await;
    while done.code == Some(3) {
        done = graph(&place, &["resume", &thread]).await;
    }
    assert_eq!(data(&done.exits(0))["score"], 6);
}

// F30: a sub-graph that has changed is named, and one without the node that waits is a clear error.
#[tokio::test]
async fn a_changed_sub_graph_is_noticed_and_its_inside_is_drawn() {
    let place = Place::new();
    place.write("fifty.yaml", FIFTY);
    place.write("fifty_check.yaml", FIFTY_CHECK);
    let drawn = graph(&place, &["draw", "fifty.yaml", "--xray", "--format", "mermaid"]).await.exits(0);
    assert!(drawn.out.contains("count") && drawn.out.contains("subgraph"), "{}", drawn.out);
    let thread = graph(&place, &["run", "fifty.yaml", "--subject", "roofs"]).await.exits(3).thread();
    let drawing = ["draw", "fifty.yaml", "--xray", "--thread", &thread, "--format", "json"];
    let visits = data(&graph(&place, &drawing).await.exits(0))["run"]["visits"].clone();
    assert_eq!(
        (&visits["pause/wait"]["count"], &visits["pause/ask"]["standing"]),
        (&json!(1), &json!("waits"))
    );
    assert_eq!(visits["pause"]["standing"], "waits");
    // F61: where the graph inside stands.
    let looked = graph(&place, &["state", &thread]).await.exits(0);
    assert!(
        looked.err.contains("\ninside pause:") && looked.err.contains("step 2, next: ask"),
        "{}",
        looked.err
    );
    place.write("fifty_check.yaml", FIFTY_CHECK.replace("10ms", "20ms"));
    let looked = graph(&place, &["state", &thread]).await.exits(0);
    assert!(looked.err.contains("fifty_check.yaml has changed since thread"), "{}", looked.err);
    assert!(!looked.err.contains("fifty.yaml has"), "{}", looked.err);
    place.write("fifty_check.yaml", FIFTY_CHECK.replace("ask", "query"));
    let renamed = graph(&place, &["resume", &thread, "--answer", "true"]).await.exits(2);
    assert!(renamed.err.contains("`ask`"), "{}", renamed.err);
}

const NOTES: &str = "
name: notes
inputs:
  words: { about: What to note }
  by: { about: Who notes it }
  sign: { default: ':' }
state:
  words: { items: string, reducer: append }
  lines: { items: string, reducer: append }
outputs: [lines]
nodes:
  note: { set: { lines: \"state.by ~ state.sign ~ ' ' ~ (state.words | join(' '))\" } }
edges:
  - { from: START, to: note }
  - { from: note, to: END }
";

// F44
#[tokio::test]
async fn a_run_on_a_thread_that_exists_continues_it_with_the_new_input() {
    let place = Place::new();
    place.write("notes.yaml", NOTES);
    let run = async |arguments: &[&str], code: i32| {
        graph(&place, &[&["run", "notes.yaml", "--thread", "t"], arguments].concat()).await.exits(code)
    };
    let missing = run(&[], 2).await;
    assert!(missing.err.contains("the input `by` is missing"), "{}", missing.err);
    let first = run(&["--words", r#"["one"]"#, "--by", "you", "--sign", "!"], 0).await;
    assert_eq!(data(&first), json!({ "lines": ["you! one"] }));
    // The reducer of the channel takes the input in, and what is not said stays, also where there is a default.
    let second = run(&["--words", r#"["two", "three"]"#], 0).await;
    assert_eq!(data(&second), json!({ "lines": ["you! one", "you! one two three"] }));
    assert_eq!(data(&run(&[], 0).await)["lines"].as_array().unwrap().len(), 3);
    let wrong = run(&["--words", "3"], 2).await;
    assert!(wrong.err.contains("words"), "{}", wrong.err);
    let other = graph(&place, &["run", "notes.yaml", "--words", r#"["else"]"#, "--by", "me"]).await.exits(0);
    assert_eq!(data(&other), json!({ "lines": ["me: else"] }));
}

// F57
#[tokio::test]
async fn a_run_on_a_thread_that_waits_is_refused_unless_it_is_to_restart() {
    let place = Place::new();
    place.write("approval.yaml", APPROVAL);
    let run = async |arguments: &[&str]| {
        let common = ["run", "approval.yaml", "--thread", "t", "--topic"];
        graph(&place, &[&common, arguments].concat()).await.exits(3)
    };
    let checkpoints = async || graph(&place, &["history", "t", "--json"]).await.exits(0).out.lines().count();
    run(&["tea"]).await;
    let before = checkpoints().await;
    let refused = run(&["coffee"]).await;
    for part in [
        "nothing was run",
        "question 2.0.0 of `approve`",
        "--answer '2.0.0={\"approved\":true",
        "`--restart`",
    ] {
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
    assert_eq!(checkpoints().await, before);
    let restarted = run(&["coffee", "--restart"]).await;
    assert!(restarted.err.contains("question 2.0.0 of `approve` was dropped"), "{}", restarted.err);
    assert!(checkpoints().await > before);
    let events = run(&["milk", "--restart", "--json"]).await.out;
    let dropped = events.lines().find(|line| line.contains("question_dropped")).expect("it is an event");
    assert!(dropped.contains("\"node\":\"approve\""), "{dropped}");
    let done = graph(&place, &["resume", "t", "--answer", r#"{"approved": true}"#]).await.exits(0);
    assert_eq!(data(&done), json!({ "draft": "We announce milk." }));
    // Also for the thread that the input names.
    graph(&place, &["run", "approval.yaml", "--topic", "x"]).await.exits(3);
    let alone = graph(&place, &["run", "approval.yaml", "--topic", "x", "--restart"]).await.exits(3);
    assert!(alone.err.contains("question 2.0.0 of `approve` was dropped"), "{}", alone.err);
}

// F49
#[tokio::test]
async fn a_fork_of_the_newest_checkpoint_asks_again() {
    let place = Place::new();
    place.write("approval.yaml", APPROVAL);
    graph(&place, &["run", "approval.yaml", "--thread", "t", "--topic", "tea"]).await.exits(3);
    assert_eq!(graph(&place, &["fork", "t@2"]).await.exits(0).out, "t@3\n");
    let again = graph(&place, &["resume", "t"]).await.exits(3);
    assert!(again.err.contains("question 3.0.0 of `approve`"), "{}", again.err);
}

// F37: a graph file's channels are its schema
#[tokio::test]
async fn a_kept_result_is_given_to_the_same_node_alone() {
    let place = Place::new();
    let file = |state: &str, text: &str| {
        format!(
            "name: kept\nstate: {{ {state} }}\noutputs: [text]\nnodes:\n  make: {{ set: {{ text: \"'{text}'\" }}, cache: {{ by: \"'same'\" }} }}\n\
             edges:\n  - {{ from: START, to: make }}\n  - {{ from: make, to: END }}\n"
        )
    };
    // A node that was edited, and a graph with other channels, have results of their own.
    for (state, text, is_kept) in [
        ("text: string", "old", false),
        ("text: string", "old", true),
        ("text: string", "changed", false),
        ("text: string, more: string", "changed", false),
    ] {
        place.write("kept.yaml", file(state, text));
        let told = graph(&place, &["run", "kept.yaml", "--json"]).await.exits(0);
        assert_eq!(told.out.contains("task_cached"), is_kept, "{state} {text}: {}", told.out);
        assert_eq!(data(&graph(&place, &["run", "kept.yaml"]).await.exits(0)), json!({ "text": text }));
    }
}

// A user may allow more than a graph file gets by itself, at the start and at a resume; what is stored then can be looked at by every command.
#[tokio::test]
async fn the_user_allows_larger_values_at_the_start_and_at_a_resume() {
    let place = Place::new();
    place.write(
        "large.yaml",
        "name: large\nstate: { text: string, yes: any }\noutputs: [yes]\nnodes:\n  write: { template: \"{% for i in range(90000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}\", to: text }\n  \
         ask: { interrupt: Really?, to: yes }\nedges:\n  - { from: START, to: write }\n  - { from: write, to: ask }\n  - { from: ask, to: END }\n",
    );
    let refused = graph(&place, &["run", "large.yaml", "--thread", "t"]).await.exits(2);
    assert!(refused.err.contains("4194304 bytes, the limit `template`"), "{}", refused.err);
    let more = ["--limits", "template=10MiB,value=10MiB"];
    let waiting = graph(&place, &[&["resume", "t"], &more[..]].concat()).await.exits(3);
    assert!(
        waiting.command("to answer: ").contains("--limits template=10MiB,value=10MiB"),
        "{}",
        waiting.err
    );
    let state = graph(&place, &["state", "t"]).await.exits(0);
    assert!(state.out.len() > 9_000_000);
    graph(&place, &["history", "t"]).await.exits(0);
    let answered = graph(&place, &[&["resume", "t", "--answer", "1"], &more[..]].concat()).await.exits(0);
    assert_eq!(data(&answered), json!({ "yes": 1 }));
    graph(&place, &["fork", "t@2"]).await.exits(0);
    let wrong = graph(&place, &["resume", "t", "--limits", "value=much"]).await.exits(2);
    assert!(wrong.err.contains("`--limits`"), "{}", wrong.err);
}
