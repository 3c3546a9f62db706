//! `graph run explore` and `graph replay`, from outside.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stategraph_testing::fake_server::{FakeServer, Play, RecordedRequest};

use super::kit::{Done, Place, done, ended, signal};

/// A folder with a repository of a chain of folders.
fn place() -> Place {
    let place = Place::new();
    place.write(
        "shop/Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\ndescription = \"Sells bread.\"\n",
    );
    place.write("shop/src/main.rs", "//! The shop.\n\nmod a;\n\nfn main() {\n    a::open();\n}\n");
    for depth in 1..=6 {
        let folder = ["a"; 6][..depth].join("/");
        place.write(
            &format!("shop/src/{folder}/mod.rs"),
            "//! Keeps bread.\n\n/// Opens the store.\npub fn open() {}\n",
        );
    }
    place
}

/// Returns the files below a folder with their texts.
fn files(place: &Place, folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![place.at(folder)];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.display().to_string(), std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// Returns an answer that calls tools.
fn calls(calls: &[(&str, Value)]) -> Play {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            json!({ "id": format!("c{index}"), "type": "function", "function": function })
        })
        .collect();
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    Play::json(
        200,
        &json!({
            "id": "1", "object": "chat.completion", "model": "tree",
            "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
        }),
    )
}

/// Returns the id of the agent that asks, and the number of its answer from 1.
fn asker(request: &RecordedRequest) -> (String, usize) {
    let messages = request.body["messages"].as_array().unwrap();
    let system = messages[0]["content"].as_str().unwrap();
    let id = system.split_once("You are agent ").unwrap().1.split(',').next().unwrap().to_owned();
    (id, messages.iter().filter(|message| message["role"] == "assistant").count() + 1)
}

/// Every agent delegates the folder below its own, notes and finishes.
fn descend(request: &RecordedRequest) -> Play {
    let (id, answer) = asker(request);
    let below = format!("src/{}", vec!["a"; id.matches('.').count() + 1].join("/"));
    if answer == 1 && id.matches('.').count() < 6 {
        calls(&[("delegate", json!({ "target": below, "purpose": "look" }))])
    } else {
        calls(&[
            ("write_notepad", json!({ "topic": "store", "content": format!("{id} keeps bread.") })),
            ("finish", json!({ "summary": format!("{id}: `src/main.rs`") })),
        ])
    }
}

fn configure(place: &Place, server: &FakeServer) {
    place.write("config.yaml", format!("providers:\n  local: {{ base_url: \"{}\" }}\n", server.base_url()));
}

async fn explore(place: &Place, more: &[&str]) -> Done {
    done(place.graph([&["run", "explore", "shop"], more].concat())).await
}

#[tokio::test]
async fn without_a_model_rules_explore_and_the_result_says_so() {
    // EXP-11, EXP-58
    let place = place();
    let before = files(&place, "shop");
    let told = explore(&place, &[]).await.exits(0);
    assert!(told.err.contains("by rules, without a language model"), "{}", told.err);
    let written: Vec<&str> = told.out.lines().collect();
    assert!(
        written.contains(&"explorations/shop/agents.md")
            && written.contains(&"explorations/shop/events.jsonl"),
        "{written:?}"
    );
    assert!(written.iter().all(|file| place.at(file).is_file()), "{written:?}");
    assert!(place.read("explorations/shop/agents.md").contains("Written by rules"));
    assert_eq!(files(&place, "shop"), before, "nothing is written into the repository");
    let first = files(&place, "explorations");
    explore(&place, &[]).await.exits(0);
    let agents = |files: &BTreeMap<String, String>| {
        let found = files.iter().find(|(path, _)| path.ends_with("agents.json")).unwrap();
        found.1.clone()
    };
    assert_eq!(
        agents(&files(&place, "explorations")),
        agents(&first),
        "the same repository, the same result"
    );
}

#[tokio::test]
async fn a_model_that_was_asked_for_needs_its_key() {
    // EXP-11
    let told = explore(&place(), &["--model", "openai/gpt-4o"]).await.exits(2);
    assert!(told.err.contains("OPENAI_API_KEY"), "{}", told.err);
}

#[tokio::test]
async fn flags_set_depth_and_limits() {
    // EXP-61, EXP-62, EXP-66
    let place = place();
    let server = FakeServer::answering(|_, request| descend(request)).await;
    configure(&place, &server);
    let model = ["--model", "local/tree"];
    explore(&place, &[&model[..], &["--depth", "2", "--output-dir", "out"]].concat()).await.exits(0);
    let agents: Vec<Value> = serde_json::from_str(&place.read("out/shop/agents.json")).unwrap();
    assert_eq!(agents.len(), 3);
    explore(&place, &[&model[..], &["--depth", "0"]].concat()).await.exits(0);
    let agents: Vec<Value> = serde_json::from_str(&place.read("explorations/shop/agents.json")).unwrap();
    assert_eq!(agents.len(), 1);
    let limited = explore(&place, &[&model[..], &["--steps", "1"]].concat()).await.exits(1);
    assert!(limited.err.contains("agent 0 failed"), "{}", limited.err);
    for (flag, value) in [
        ("--depth", "31"),
        ("--depth", "-1"),
        ("--max-agents", "0"),
        ("--max-tokens", "many"),
        ("--max-cost", "NaN"),
        ("--max-seconds", "0"),
        ("--steps", "0"),
        ("--parallel", "65"),
        ("--tools", "pliers"),
        ("--output-dir", ""),
    ] {
        let told = explore(&place, &[&format!("{flag}={value}")]).await.exits(2);
        assert!(told.err.contains("error") && told.err.contains("hint"), "{flag}: {}", told.err);
    }
    done(place.graph(["run", "explore", "nowhere"])).await.exits(2);
    place.write("empty/.hidden", "");
    let told = done(place.graph(["run", "explore", "empty"])).await.exits(2);
    assert!(told.err.contains("has no files to explore"), "{}", told.err);
}

#[tokio::test]
async fn a_document_has_agents_only_where_they_are_asked_for() {
    // EXP-57, EXP-58, EXP-61
    let place = place();
    explore(&place, &["--document"]).await.exits(0);
    let alone = place.read("explorations/shop/document.md");
    assert!(!place.at("explorations/shop/agents.json").exists() && !alone.contains("(agent "), "{alone}");
    explore(&place, &["--document", "--agents", "--depth", "1"]).await.exits(0);
    let agents: Vec<Value> = serde_json::from_str(&place.read("explorations/shop/agents.json")).unwrap();
    assert_eq!(agents[0]["id"], "0");
    assert!(place.read("explorations/shop/document.md").contains("(agent 0)"));
    let told = explore(&place, &["--agents"]).await.exits(2);
    assert!(told.err.contains("write `--document --agents`"), "{}", told.err);
}

#[tokio::test]
async fn a_prompt_of_the_user_replaces_that_of_the_program() {
    // EXP-64
    let place = place();
    let server = FakeServer::answering(|_, request| descend(request)).await;
    configure(&place, &server);
    place.write("own/prompts/explore/agent.system.md", "You are agent {{ agent_id }}, a poet. {{ purpose }}");
    let own = ["--model", "local/tree", "--depth", "0", "--overrides", "own"];
    explore(&place, &own).await.exits(0);
    let system = server.requests()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.starts_with("You are agent 0, a poet."), "{system}");
}

#[tokio::test]
async fn ctrl_c_at_depth_five_and_the_printed_command_goes_on() {
    // EXP-44, EXP-45, EXP-48, EXP-74
    let undisturbed = place();
    let server = FakeServer::answering(|_, request| descend(request)).await;
    configure(&undisturbed, &server);
    explore(&undisturbed, &["--model", "local/tree"]).await.exits(0);
    let expected = server.requests().len();
    let place = place();
    let (told_depth, mut reached) = tokio::sync::mpsc::unbounded_channel();
    let hanging = FakeServer::answering(move |_, request| {
        if asker(request).0.matches('.').count() < 5 {
            return descend(request);
        }
        told_depth.send(()).unwrap();
        Play::stream().silence()
    })
    .await;
    configure(&place, &hanging);
    let child = place.graph(["run", "explore", "shop", "--model", "local/tree"]).spawn().unwrap();
    reached.recv().await.unwrap();
    signal(&child, "INT");
    let stopped = ended(child).await.exits(130);
    let answering = FakeServer::answering(|_, request| descend(request)).await;
    configure(&place, &answering);
    done(place.shell(&stopped.command("to continue: "))).await.exits(0);
    let paid = hanging.requests().len() - 1;
    assert_eq!(paid + answering.requests().len(), expected, "no answer is paid twice");
    for file in ["notepad.json", "notepad.md", "agents.md", "coverage.json"] {
        let path = format!("explorations/shop/{file}");
        assert_eq!(undated(&place.read(&path)), undated(&undisturbed.read(&path)), "{file}");
    }
    let log = place.read("explorations/shop/events.jsonl");
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("agent_spawned"), count("agent_finished"), count("agent_error")), (7, 7, 0));
    assert_eq!(count("tool_start"), count("tool_end") + count("tool_error"));
}

/// Returns a text without its times.
fn undated(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("timestamp") && !line.starts_with("Written by"));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn the_log_is_printed_again() {
    // EXP-48, EXP-65, EXP-71
    let place = place();
    let server = FakeServer::answering(|_, request| descend(request)).await;
    configure(&place, &server);
    let live = explore(&place, &["--model", "local/tree", "--depth", "1", "--json"]).await.exits(0);
    let log = "explorations/shop/events.jsonl";
    let again = done(place.graph(["replay", log, "--json"])).await.exits(0).out;
    assert_eq!(again, place.read(log));
    let streamed: Vec<String> = live
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "custom" && event["data"]["seq"].is_u64())
        .map(|event| event["data"].to_string())
        .collect();
    let logged: Vec<String> =
        again.lines().map(|line| serde_json::from_str::<Value>(line).unwrap().to_string()).collect();
    assert_eq!(streamed, logged, "`--json` prints the same stream");
    let text = done(place.graph(["replay", log])).await.exits(0).out;
    assert!(text.contains("0 explores the repository") && text.contains("0.1 explores src/a"), "{text}");
    assert!(text.contains("0.1 notes on store: 0.1 keeps bread."), "{text}");
    let rest = done(place.graph(["replay", log, "--from", "4", "--json"])).await.exits(0).out;
    assert!(rest.starts_with("{\"seq\":4,"), "{rest}");
}

#[tokio::test]
async fn a_log_that_is_none_or_damaged_is_named() {
    let place = place();
    explore(&place, &[]).await.exits(0);
    let log = "explorations/shop/events.jsonl";
    place.write("cut.jsonl", place.read(log).trim_end());
    let cut = done(place.graph(["replay", "cut.jsonl"])).await.exits(0);
    assert!(cut.err.contains("damaged or still being written"), "{}", cut.err);
    place.write("other.jsonl", "hello\n");
    place.write(
        "evil.jsonl",
        "{\"seq\":1,\"event\":\"notepad_created\",\"agent_id\":\"0.\u{1b}[2J\",\"topic\":\"a\"}\n",
    );
    for file in ["other.jsonl", "evil.jsonl", "missing.jsonl", "shop"] {
        let told = done(place.graph(["replay", file])).await.exits(2);
        assert!(told.err.contains("hint"), "{}", told.err);
    }
}
