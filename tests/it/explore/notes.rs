//! The notepad: its topics, its notes, its forms.

use std::sync::Arc;

use serde_json::json;
use stategraph::workflows::Timestamp;
use stategraph::workflows::explore::agents::AgentId;
use stategraph::workflows::explore::notepad::{
    MAX_AGENT_NOTES, NOTE_CHARS, Notepad, NotepadEntry, TEXT_CHARS, Topic, WriteEffect,
};

use super::agents::FILES;
use super::kit::{Place, TreeModel, assert_whole, call, finish, note};

fn entry(topic: &str, author: u32, number: u32) -> NotepadEntry {
    NotepadEntry {
        topic: topic.parse().unwrap(),
        content: format!("finding {number} of {author}"),
        author: AgentId::root().child(author),
        number,
        at: Timestamp::from_ms(1_705_314_600_000),
    }
}

#[test]
fn a_topic_is_a_key_with_dots() {
    // EXP-30, EXP-36
    let key = |text: &str| text.parse::<Topic>().map(|topic| topic.to_string());
    assert_eq!(key("architecture.layers").unwrap(), "architecture.layers");
    assert_eq!(key(" Design Decisions\n").unwrap(), "Design_Decisions");
    for empty in ["", "  ", "\u{0}", "..."] {
        assert!(key(empty).unwrap_err().to_string().contains("empty"), "{empty:?}");
    }
    assert!(key(&"x".repeat(10_000_000)).unwrap_err().to_string().contains("10000000 characters"));
}

#[test]
fn notes_are_appended_and_ordered_by_author_and_number() {
    // EXP-15, EXP-31
    let notepad = Notepad::default();
    assert_eq!(notepad.write(entry("a.b", 10, 1)), WriteEffect::NewTopic);
    assert_eq!(notepad.write(entry("a.b", 2, 2)), WriteEffect::Appended);
    assert_eq!(notepad.write(entry("a.b", 2, 1)), WriteEffect::Appended);
    assert_eq!(notepad.write(entry("a.b", 10, 1)), WriteEffect::Known);
    let order: Vec<_> = notepad
        .read(&"a.b".parse().unwrap())
        .iter()
        .map(|note| (note.author.to_string(), note.number))
        .collect();
    assert_eq!(order, [("0.2".to_owned(), 1), ("0.2".to_owned(), 2), ("0.10".to_owned(), 1)]);
}

#[test]
fn a_thousand_parallel_writes_lose_none() {
    // EXP-29, EXP-35
    let notepad = Arc::new(Notepad::default());
    std::thread::scope(|scope| {
        for author in 1..=10 {
            let notepad = notepad.clone();
            scope.spawn(move || {
                (1..=100).for_each(|number| {
                    assert_ne!(notepad.write(entry("t", author, number)), WriteEffect::Known);
                });
            });
        }
    });
    assert_eq!(notepad.list_topics(), [("t".parse().unwrap(), 1_000)]);
}

#[test]
fn the_stored_form_has_content_author_and_time_by_topic() {
    // EXP-33
    let notepad = Notepad::of([entry("a.b", 1, 1), entry("c", 1, 2)]);
    let stored = notepad.to_json().unwrap();
    assert_eq!(
        stored,
        json!({
            "a.b": [{ "content": "finding 1 of 1", "author": "0.1", "timestamp": "2024-01-15T10:30:00Z" }],
            "c": [{ "content": "finding 2 of 1", "author": "0.1", "timestamp": "2024-01-15T10:30:00Z" }],
        })
    );
    assert_eq!(Notepad::default().to_json(), None);
}

#[test]
fn the_text_for_prompts_is_bounded_and_begins_every_topic_first() {
    // EXP-34
    let notes = (1..=30)
        .flat_map(|author| (1..=40).map(move |number| entry(&format!("topic.{number}"), author, number)));
    let text = Notepad::of(notes).to_text(TEXT_CHARS);
    assert!(text.chars().count() <= 8_000, "{}", text.len());
    assert!((1..=40).all(|number| text.contains(&format!("topic.{number}:"))), "{text}");
    assert!(text.ends_with("more notes"), "{text}");
    assert_eq!(Notepad::of([entry("a", 1, 1)]).to_text(TEXT_CHARS), "a:\n- finding 1 of 1 [agent 0.1]");
}

#[tokio::test]
async fn agents_write_read_and_list_topics() {
    // EXP-14, EXP-15, EXP-16, EXP-31, EXP-32, EXP-36, EXP-40, EXP-43
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([note("a.b", "one"), note("a.b", "two"), note("", "no topic"), note("c", "  \n")]),
        ("0", 2) => call([("delegate", json!({ "target": "src/store" }))]),
        ("0.1", 1) => call([
            ("list_topics", json!({})),
            ("read_notepad", json!({ "topic": "a.b" })),
            ("read_notepad", json!({ "topic": "a.c" })),
            ("read_notepad", json!({ "topic": "" })),
            note("a.b", "three"),
        ]),
        (id, _) => call([finish(id)]),
    });
    let explored = place.explore(&model).await;
    let written = model.ask("0", 2).results();
    assert_eq!(
        written.iter().map(|result| result["success"] == true).collect::<Vec<_>>(),
        [true, true, false, false]
    );
    assert!(written[2]["content"].as_str().unwrap().contains("topic is empty"), "{written:?}");
    assert!(written[3]["content"].as_str().unwrap().contains("content is empty"), "{written:?}");
    let read = model.ask("0.1", 2).results();
    assert_eq!(read[0]["content"], "a.b (2 notes)");
    assert_eq!(read[1]["content"], "[agent 0] one\n[agent 0] two");
    assert!(read[2]["content"].as_str().unwrap().contains("no topic `a.c`; did you mean `a.b`?"), "{read:?}");
    assert_eq!(read[3]["success"], false);
    let notes: Vec<String> = explored.notes().into_iter().map(|(_, content, ..)| content).collect();
    assert_eq!(notes, ["one", "two", "three"]);
    assert_eq!(explored.named("notepad_created").len(), 1);
    assert_eq!(explored.named("notepad_write").len(), 3);
    assert_whole(&explored.events);
}

#[tokio::test]
async fn huge_notes_and_too_many_topics_are_cut_and_refused() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match ask.answer {
        1 => call([note("big", &"y".repeat(900_000)), note("huge", &"z".repeat(10_000_000))]),
        answer @ 2..=6 => {
            call((0..40).map(|n| note(if n % 2 == 0 { "even" } else { "odd" }, &format!("{answer} {n}"))))
        }
        _ => call([finish("done")]),
    });
    let explored = place.explore(&model).await;
    let big = explored.notes().into_iter().find(|note| note.0 == "big").unwrap();
    assert!(big.1.chars().count() < NOTE_CHARS + 100, "{}", big.1.len());
    let results = model.ask("0", 2).results();
    assert!(results[0]["content"].as_str().unwrap().contains("was cut"), "{}", results[0]);
    assert!(results[1]["content"].as_str().unwrap().contains("bytes"), "{}", results[1]);
    let request = &model.ask("0", 2).request;
    assert!(
        request.estimated_tokens() < 20_000,
        "they stay in the conversation: {}",
        request.estimated_tokens()
    );
    assert_eq!(explored.notes().len(), MAX_AGENT_NOTES as usize);
    assert!(model.ask("0", 6).results()[20]["content"].as_str().unwrap().contains("limit"));
}

#[tokio::test]
async fn an_exploration_without_notes_stores_no_notepad() {
    // EXP-34
    let place = Place::new(FILES);
    place.explore(&TreeModel::new(|_| call([note("a", "b"), finish("done")]))).await;
    assert!(place.path().join("explorations/repo/notepad.json").exists());
    place.explore(&TreeModel::new(|_| call([finish("done")]))).await;
    assert!(!place.path().join("explorations/repo/notepad.json").exists());
    assert!(place.path().join("explorations/repo/agents.json").exists());
}
