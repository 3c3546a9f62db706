//! Findings that must not be lost: in an answer with several calls, below an agent that fails, behind an answer that is very long.

use serde_json::json;
use stategraph::workflows::explore::agents::AgentEnd;

use super::agents::FILES;
use super::kit::{Exploring, Place, TreeModel, assert_whole, call, delegate, finish, note, text};

#[tokio::test]
async fn a_child_knows_the_notes_of_the_answer_that_delegates_to_it_wherever_they_stand() {
    for parallel in [1, 8] {
        let place = Place::new(FILES);
        let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
            ("0", 1) => call([
                note("a.first", "The first finding."),
                delegate("src/store"),
                note("b.last", "The last finding."),
            ]),
            ("0.1", 1) => call([
                ("read_notepad", json!({ "topic": "a.first" })),
                ("read_notepad", json!({ "topic": "b.last" })),
            ]),
            (id, _) => call([finish(id)]),
        });
        let explored = Exploring::with(&model).set(|to| to.parallel = parallel).run(&place).await.unwrap();
        let read = model.ask("0.1", 2).results();
        assert_eq!(read[0]["content"], "[agent 0] The first finding.");
        assert_eq!(read[1]["content"], "[agent 0] The last finding.");
        let system = &model.ask("0.1", 1).request.messages[0].content;
        assert!(system.contains("The first finding.") && system.contains("The last finding."), "{system}");
        assert_eq!(explored.notes().len(), 2);
        assert_eq!(explored.named("notepad_write").len(), 2);
        assert_whole(&explored.events);
    }
}

#[tokio::test]
async fn finish_waits_for_a_note_of_its_answer_that_was_not_written() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match ask.answer {
        1 => call([finish("too early"), note("...", "a finding"), note("kept", "another")]),
        2 => call([note("topic", "a finding"), finish("all is written")]),
        answer => panic!("the agent was asked for answer {answer}"),
    });
    let explored = place.explore(&model).await;
    let results = model.ask("0", 2).results();
    assert!(results[0]["content"].as_str().unwrap().contains("was not written"), "{results:?}");
    assert_eq!(explored.agent("0").summary, "all is written");
    let topics: Vec<String> = explored.notes().into_iter().map(|note| note.0).collect();
    assert_eq!(topics, ["kept", "topic"]);
    assert_whole(&explored.events);
}

#[tokio::test]
async fn finish_in_the_last_answer_counts_whatever_became_of_its_notes() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|_| call([note("...", "a finding"), finish("the end")]));
    let explored = Exploring::with(&model).set(|to| to.steps = 1).run(&place).await.unwrap();
    assert_eq!(
        (explored.agent("0").end.clone(), &*explored.agent("0").summary),
        (AgentEnd::Finished, "the end")
    );
}

#[tokio::test]
async fn notes_and_records_below_an_agent_whose_step_breaks_are_kept() {
    // EXP-25
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store")]),
        ("0.1", 1) => call([note("a.own", "before"), delegate("src/store/disk"), note("a.own", "beside")]),
        ("0.1.1", 1) => call([note("a.below", "deep"), finish("the disk")]),
        ("0.1", 2) => panic!("the node of agent 0.1 breaks"),
        (id, _) => call([finish(id)]),
    });
    let explored = place.explore(&model).await;
    assert!(matches!(explored.agent("0.1").end, AgentEnd::Failed(_)), "{:?}", explored.agent("0.1"));
    assert_eq!(explored.ids(), ["0", "0.1", "0.1.1"]);
    assert_eq!(explored.agent("0.1.1").summary, "the disk");
    let contents: Vec<String> = explored.notes().into_iter().map(|note| note.1).collect();
    assert_eq!(contents, ["deep", "before", "beside"]);
    assert_eq!(explored.agent("0.1").notes, 2);
    let results = model.ask("0", 2).results();
    assert!(results[0]["content"].as_str().unwrap().contains("failed, with 2 notes"), "{results:?}");
    assert_whole(&explored.events);
}

#[tokio::test]
async fn a_parent_hears_the_last_text_of_a_child_that_reached_a_limit() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store")]),
        ("0.1", _) => {
            let mut says = call([("list_topics", json!({}))]);
            says.text = "The store keeps pages.".to_owned();
            says
        }
        (id, _) => call([finish(id)]),
    });
    let explored = Exploring::with(&model).set(|to| to.steps = 3).run(&place).await.unwrap();
    assert!(explored.failure("0.1").contains("3 answers"), "{}", explored.failure("0.1"));
    let results = model.ask("0", 2).results();
    assert!(results[0]["content"].as_str().unwrap().contains("The store keeps pages."), "{results:?}");
}

#[tokio::test]
async fn a_very_long_answer_leaves_the_log_whole() {
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match ask.answer {
        1 => text(&"x".repeat(3 << 20)),
        _ => call([finish("done")]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.named("agent_finished").len(), 1, "events behind the long answer are readable");
    assert_whole(&explored.events);
}
