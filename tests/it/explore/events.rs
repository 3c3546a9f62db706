//! The stream of events: payloads, numbers, readers, the log.

use stategraph::workflows::explore::agents::AgentId;
use stategraph::workflows::explore::events::{EventLog, ExplorationEvent, WAITING_TOKENS, read_log};

use super::agents::FILES;
use super::kit::{Exploring, Place, Says, TreeModel, assert_whole, call, delegate, finish, note};

fn token(at: u64) -> ExplorationEvent {
    ExplorationEvent::LlmToken { agent_id: AgentId::root(), answer: 1, at, text: "word".into() }
}

fn start(call: u32) -> ExplorationEvent {
    ExplorationEvent::tool_start(&AgentId::root(), &format!("3.{call}"), "read_file", "{}")
}

#[tokio::test]
async fn every_event_of_the_contract_is_told_with_its_payload() {
    // EXP-37, EXP-38, EXP-39, EXP-40, EXP-42, EXP-43, EXP-44, EXP-45
    let place = Place::new(FILES);
    let long = "l".repeat(2_000);
    let model = TreeModel::new(move |ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => Says {
            text: "I look at the store first, and then at the pages of the web, which come next, I think."
                .into(),
            ..call([
                note("a", &long),
                delegate("src/store"),
                delegate("refused"),
                ("read_file", serde_json::json!({ "path": long })),
            ])
        },
        ("0.1", _) => Says { fails: true, ..Says::default() },
        _ => call([finish(&long)]),
    });
    let explored = place.explore(&model).await;
    assert_whole(&explored.events);
    let tokens: String =
        explored.named("llm_token").iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
    assert!(tokens.starts_with("I look at the store") && tokens.ends_with("I think."), "{tokens}");
    let first = |name: &str| explored.named(name).into_iter().next().unwrap_or_else(|| panic!("no {name}"));
    for event in &explored.events {
        assert!(serde_json::to_value(event).unwrap()["agent_id"].is_string());
    }
    let chars = |value: &serde_json::Value| value.as_str().unwrap().chars().count();
    assert_eq!(chars(&first("tool_start")["input"]), 500);
    assert_eq!(first("tool_start")["tool"], "write_notepad");
    assert!(chars(&first("tool_end")["output"]) <= 500);
    assert!(explored.named("tool_error").iter().all(|event| chars(&event["error"]) <= 300));
    assert!(explored.named("tool_error").iter().any(|event| event["tool"] == "read_file"));
    // A refused call does not run, and has a beginning and an end all the same.
    let refused = |event: &&serde_json::Value| event["error"].as_str().unwrap().contains("no source files");
    assert_eq!(explored.named("tool_error").iter().filter(refused).count(), 1);
    let spawned = explored.named("agent_spawned");
    assert_eq!((&spawned[0]["parent"], &spawned[0]["depth"]), (&serde_json::Value::Null, &0.into()));
    assert_eq!((&spawned[1]["parent"], &spawned[1]["scope"]), (&"0".into(), &"src/store".into()));
    assert_eq!(spawned[1]["purpose"], "look at src/store");
    assert!(chars(&first("agent_error")["error"]) <= 300);
    assert!(chars(&first("agent_finished")["summary"]) >= 500);
    let written = first("notepad_write");
    assert_eq!(
        (&written["topic"], &written["author"], chars(&written["content"])),
        (&"a".into(), &"0".into(), 2_000)
    );
    assert!(first("notepad_created")["seq"].as_u64() < written["seq"].as_u64());
}

#[tokio::test]
async fn a_slow_reader_loses_tokens_and_nothing_else() {
    // EXP-41, EXP-46
    let log = EventLog::default();
    let mut reader = log.subscribe(1).unwrap();
    let tokens = WAITING_TOKENS as u64 + 500;
    for number in 0..tokens {
        log.lock().tell(token(number)).unwrap();
        log.lock().tell(start(u32::try_from(number).unwrap())).unwrap();
    }
    assert_eq!(reader.dropped(), 500);
    log.close();
    let (mut calls, mut last) = (0, 0);
    while let Some(event) = reader.next().await {
        assert!(event.seq > last);
        last = event.seq;
        calls += u64::from(!event.event.is_token());
    }
    assert_eq!(calls, tokens);
}

#[tokio::test]
async fn a_reader_can_ask_from_a_number_on() {
    // EXP-48
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let log = EventLog::at(&path);
    log.begin().unwrap();
    (1..=5).for_each(|call| drop(log.lock().tell(start(call)).unwrap()));
    let mut reader = log.subscribe(4).unwrap();
    log.lock().tell(start(6)).unwrap();
    log.close();
    let mut numbers = Vec::new();
    while let Some(event) = reader.next().await {
        numbers.push(event.seq);
    }
    assert_eq!(numbers, [4, 5, 6]);
}

#[test]
fn a_log_goes_on_behind_its_last_whole_line_and_tells_nothing_twice() {
    // EXP-44, EXP-48
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let log = EventLog::at(&path);
    log.begin().unwrap();
    (1..=3).for_each(|call| drop(log.lock().tell(start(call)).unwrap()));
    drop(log);
    let mut torn = std::fs::read(&path).unwrap();
    torn.extend(b"{\"seq\":4,\"event\":\"tool_st");
    std::fs::write(&path, &torn).unwrap();
    let log = EventLog::at(&path);
    assert!(log.lock().tell(start(3)).unwrap().is_none());
    assert_eq!(log.lock().tell(start(4)).unwrap().unwrap().seq, 4);
    let mut events = Vec::new();
    let whole = read_log(&path, |event| events.push(event)).unwrap();
    assert_eq!((events.len(), whole), (4, std::fs::metadata(&path).unwrap().len()));
}

#[test]
fn a_damaged_log_is_read_up_to_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let good = r#"{"seq":1,"event":"notepad_created","agent_id":"0","topic":"a"}"#;
    for bad in ["", "{}", "\u{0}\u{0}", good, &good.replace(":1", ":3"), &"x".repeat(3 << 20), "[[[[[["] {
        std::fs::write(&path, format!("{good}\n{bad}\n{}\n", good.replace(":1", ":2"))).unwrap();
        let mut events = 0;
        read_log(&path, |_| events += 1).unwrap();
        assert_eq!(events, 1, "{}", &bad[..bad.len().min(40)]);
    }
}

#[tokio::test]
async fn subscribers_of_the_run_get_the_stream_with_its_numbers() {
    // EXP-41, EXP-48
    use futures_util::StreamExt as _;
    use stategraph::engine::{EventKind, EventKinds};
    use stategraph::workflows::explore::exploration_graph;
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([note("a", "b"), delegate("src/store"), delegate("src/web")]),
        (id, _) => call([note("c", id), finish(id)]),
    });
    let exploring = Exploring::with(&model);
    let graph = exploration_graph(place.resources(&exploring));
    let mut stream = graph.run(place.run_state(&exploring)).stream(EventKinds::CUSTOM).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = stream.next().await {
        // The tokens of answers are told by the model layer, outside the numbers of the exploration.
        if let EventKind::Custom { name, data, .. } = &event.kind
            && name != "usage"
        {
            let data: serde_json::Value = serde_json::from_str(data.get()).unwrap();
            assert_eq!(data["event"], name.as_str());
            seen.push(data["seq"].as_u64().unwrap());
        }
    }
    assert_eq!(seen, (1..=place.events().len() as u64).collect::<Vec<_>>());
}
