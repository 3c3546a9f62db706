//! `ard run` and `graph run ard` in an empty folder with an empty environment.

use super::kit::{Done, IDEA, Place, done};

/// The main path: data on stdout, the rest on stderr.
// ENG-25, ARD-28, ARD-73
#[tokio::test]
async fn a_debate_by_rules_writes_its_specification_and_prints_where() {
    let place = Place::new();
    let Done { out, err, .. } = done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    assert_eq!(out, "spec.md\n");
    let spec = place.read("spec.md");
    assert!(spec.contains("ending: not_judged") && spec.contains("rules"), "{spec}");
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines[0].starts_with("thread "), "{err}");
    assert!(lines[1].starts_with("round 1  architect  offline"), "{err}");
    assert!(err.contains("not judged: rules found nothing wrong") && err.contains("tokens"), "{err}");
}

// Issue 2, "done when": two runs give the same bytes; ENG-18, ARD-74.
#[tokio::test]
async fn two_runs_write_and_print_the_same_bytes() {
    let (one, other) = (Place::new(), Place::new());
    let first = done(one.ard(["run", "--idea", IDEA, "--json"])).await.exits(0);
    let spec = one.read("spec.md");
    let elsewhere = done(other.ard(["run", "--idea", IDEA, "--json"])).await.exits(0);
    let folder = |done: &Done, place: &Place| done.out.replace(&place.path().display().to_string(), "HERE");
    assert_eq!(folder(&first, &one), folder(&elsewhere, &other));
    assert_eq!(spec, other.read("spec.md"));
    done(one.ard(["run", "--idea", IDEA])).await.exits(0);
    assert_eq!(spec, one.read("spec.md"), "in the same folder too");
}

// ENG-25: `ard` is `graph` with the workflow fixed.
#[tokio::test]
async fn graph_run_ard_is_the_same_debate() {
    let (one, other) = (Place::new(), Place::new());
    let ard = done(one.ard(["run", "--idea", IDEA])).await.exits(0);
    let graph = done(other.graph(["run", "ard", "--idea", IDEA])).await.exits(0);
    assert_eq!(ard.out, graph.out);
    assert_eq!(one.read("spec.md"), other.read("spec.md"));
}

// ARD-26, ARD-28
#[tokio::test]
async fn the_idea_comes_as_text_from_a_file_or_from_standard_input() {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    let spec = place.read("spec.md");
    place.write("idea.txt", IDEA);
    done(place.ard(["run", "--idea-file", "idea.txt", "--output", "file.md"])).await.exits(0);
    assert_eq!(place.read("file.md"), spec);
    done(place.shell("ard run - --output pipe.md < idea.txt")).await.exits(0);
    assert_eq!(place.read("pipe.md"), spec);
}

// ARD-12, DESIGN.md section 5
#[tokio::test]
async fn a_debate_that_runs_out_of_rounds_ends_with_1() {
    let place = Place::new();
    let told = done(place.ard(["run", "--idea", IDEA, "--max-iterations", "0"])).await.exits(1);
    assert_eq!(told.out, "spec.md\n");
    assert!(told.err.contains("refused: 1 challenge of the rules left open"), "{}", told.err);
}

// DESIGN.md section 5: -q silences progress.
#[tokio::test]
async fn quiet_says_nothing_but_where_the_specification_is() {
    let place = Place::new();
    let Done { out, err, .. } = done(place.ard(["run", "-q", "--idea", IDEA])).await.exits(0);
    assert_eq!((out.as_str(), err.as_str()), ("spec.md\n", ""));
}

// DESIGN.md, engine decision 8: the events are the JSON lines, and nothing else is on stdout.
#[tokio::test]
async fn json_prints_events_and_nothing_else() {
    let place = Place::new();
    let Done { out, .. } = done(place.ard(["run", "--json", "-q", "--idea", IDEA])).await.exits(0);
    let events: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "run_started");
    assert_eq!(events.last().unwrap()["status"], "done");
    assert!(events.windows(2).all(|pair| pair[0]["seq"].as_u64() < pair[1]["seq"].as_u64()));
    for kind in ["checkpoint", "task_started", "task_finished", "updates", "custom"] {
        assert!(events.iter().any(|event| event["event"] == kind), "no {kind}");
    }
}

// ENG-16, ENG-20: a run that reaches its step limit can be continued.
#[tokio::test]
async fn a_step_limit_stops_a_run_that_can_be_resumed() {
    let place = Place::new();
    let told = done(place.ard(["run", "--idea", IDEA, "--step-limit", "2"])).await.exits(2);
    assert!(told.err.contains("error: the run reached its limit of 2 steps"), "{}", told.err);
    assert!(!place.at("spec.md").exists());
    done(place.shell(&told.command("to continue: "))).await.exits(0);
    assert!(place.read("spec.md").contains("ending: not_judged"));
}

// DESIGN.md, engine decision 7
#[tokio::test]
async fn every_durability_gives_the_same_specification() {
    let place = Place::new();
    for durability in ["sync", "async", "exit"] {
        let file = format!("{durability}.md");
        let args = ["run", "--idea", IDEA, "--durability", durability, "--output", &file];
        done(place.ard(args)).await.exits(0);
    }
    assert_eq!(place.read("sync.md"), place.read("async.md"));
    assert_eq!(place.read("sync.md"), place.read("exit.md"));
}

// A run of the same input begins anew, and says how to go back to the one that was not finished.
#[tokio::test]
async fn an_unfinished_run_of_the_same_idea_can_be_continued_instead() {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA, "--step-limit", "2"])).await.exits(2);
    let told = done(place.ard(["run", "--idea", IDEA])).await.exits(0);
    let command = told.command("to continue the earlier one instead: ");
    std::fs::remove_file(place.at("spec.md")).unwrap();
    done(place.shell(&command)).await.exits(0);
    assert!(place.read("spec.md").contains("ending: not_judged"));
}

// ENG-23, ENG-24: prompts and graphs can be overridden; answers can be recorded and replayed.
#[tokio::test]
async fn a_recorded_debate_replays_byte_for_byte() {
    let place = Place::new();
    done(place.ard(["run", "--idea", IDEA, "--record", "tape.jsonl"])).await.exits(0);
    let spec = place.read("spec.md");
    // The id of the thread, then two calls of each agent.
    let tape = place.read("tape.jsonl");
    assert_eq!(tape.lines().filter(|line| line.starts_with("{\"model\"")).count(), 4);
    assert_eq!(tape.lines().count(), 5);
    done(place.ard(["run", "--idea", IDEA, "--replay", "tape.jsonl"])).await.exits(0);
    assert_eq!(place.read("spec.md"), spec);
    let other =
        done(place.ard(["run", "--idea", "It counts boxes.", "--replay", "tape.jsonl"])).await.exits(2);
    assert!(other.err.contains("the recording does not match"), "{}", other.err);
}

// The README shows what its command writes.
#[tokio::test]
async fn the_excerpt_in_the_readme_is_what_the_command_writes() {
    let readme = include_str!("../../../README.md");
    let command = readme.lines().find_map(|line| line.strip_prefix("cargo run --bin ard -- run --idea \""));
    let idea = command.expect("the command").trim_end_matches('"');
    let place = Place::new();
    done(place.ard(["run", "--idea", idea])).await.exits(0);
    let spec = place.read("spec.md");
    let excerpts: Vec<&str> = readme
        .split("```markdown\n")
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next())
        .filter(|text| text.contains("**Q1.**") || text.contains("| R1 |"))
        .collect();
    assert_eq!(excerpts.len(), 2);
    for excerpt in excerpts {
        assert!(spec.contains(excerpt), "{excerpt}\n\nis not in\n\n{spec}");
    }
}
