//! The life of an agent: the loop, its end, its failures.

use serde_json::json;
use stategraph::workflows::explore::agent_graph;
use stategraph::workflows::explore::agents::AgentEnd;
use stategraph::workflows::explore::agents::{AgentAllowance, AgentId, AgentRun, AgentScope};

use super::kit::{Exploring, Place, Says, TreeModel, assert_whole, call, delegate, finish, note, text};

pub(super) const FILES: &[&str] = &[
    "Cargo.toml",
    "src/lib.rs",
    "src/store/mod.rs",
    "src/store/disk.rs",
    "src/web/mod.rs",
    "src/web/page.rs",
];

#[tokio::test]
async fn one_kind_of_agent_delegates_and_finishes_on_every_level() {
    // EXP-1, EXP-5, EXP-6, EXP-17, EXP-18
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store"), delegate("src/web")]),
        ("0", 2) => call([finish("Two parts.")]),
        (id, _) => call([finish(&format!("the summary of {id}"))]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.ids(), ["0", "0.1", "0.2"]);
    let child = explored.agent("0.2");
    assert_eq!((child.parent.clone(), child.depth), (Some(AgentId::root()), 1));
    assert_eq!(child.purpose, "look at src/web");
    assert_eq!(child.scope.files, ["src/web/mod.rs", "src/web/page.rs"]);
    assert_eq!((child.end.clone(), child.summary.as_str()), (AgentEnd::Finished, "the summary of 0.2"));
    assert_eq!(explored.agent("0").summary, "Two parts.");
    let results = model.ask("0", 2).results();
    assert!(results[1]["content"].as_str().unwrap().contains("the summary of 0.2"), "{results:?}");
    assert_whole(&explored.events);
}

#[test]
fn the_state_of_an_agent_has_the_parts_of_the_contract() {
    // EXP-2
    let scope = AgentScope { path: "src".into(), files: vec!["src/a.rs".into()] };
    let agent = AgentRun::new(AgentId::root().child(2), "look".into(), scope, AgentAllowance::default());
    let state = serde_json::to_value(&agent).unwrap();
    assert_eq!(state["agent_id"], "0.2");
    assert_eq!(state["parent_id"], "0");
    assert_eq!(
        (&state["purpose"], &state["depth"], &state["summary"]),
        (&json!("look"), &json!(1), &json!(""))
    );
    assert_eq!(state["scope_files"], json!(["src/a.rs"]));
    for part in ["messages", "context_packet", "repo_root", "max_depth"] {
        assert!(state.get(part).is_some(), "{part}");
    }
    let root =
        AgentRun::new(AgentId::root(), String::new(), AgentScope::default(), AgentAllowance::default());
    assert_eq!((root.parent_id, root.depth), (None, 0));
}

#[test]
fn the_graph_asks_runs_the_calls_and_asks_again() {
    // EXP-3
    let topology = agent_graph().topology();
    let mut ways: Vec<(String, String)> =
        topology.edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
    ways.sort();
    ways.dedup();
    assert_eq!(topology.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>(), ["agent", "tools"]);
    assert!(
        ways.contains(&("agent".into(), "tools".into())) && ways.contains(&("tools".into(), "agent".into())),
        "{ways:?}"
    );
}

#[tokio::test]
async fn finish_ends_the_agent_beside_other_calls() {
    // EXP-7, EXP-6
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match ask.id.as_str() {
        "0" => call([finish("first"), note("a", "after the end"), finish("second"), delegate("src/store")]),
        _ => call([finish("child")]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0").summary, "first");
    assert_eq!(explored.agent("0").rounds, 1);
    assert_eq!(explored.notes().len(), 1, "the other calls run");
    assert_eq!(explored.ids(), ["0", "0.1"]);
    assert_whole(&explored.events);
}

#[tokio::test]
async fn an_agent_that_stops_is_reminded_once_and_then_ends_with_its_text() {
    // EXP-8, EXP-3
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match ask.answer {
        1 => text("I think I am done."),
        _ => text("The store keeps bread."),
    });
    let explored = place.explore(&model).await;
    let root = explored.agent("0");
    assert_eq!((root.end.clone(), root.summary.as_str()), (AgentEnd::Stopped, "The store keeps bread."));
    assert_eq!(model.asked().len(), 2);
    assert!(model.ask("0", 2).last().contains("call `finish`"));
    assert_eq!(explored.named("agent_finished")[0]["called_finish"], false);
    assert!(place.read("explorations/repo/agents.md").contains("stopped without `finish`"));
}

#[tokio::test]
async fn a_reminded_agent_goes_on() {
    // EXP-8
    let place = Place::new(FILES);
    let model =
        TreeModel::new(
            |ask| if ask.last().contains("call `finish`") { call([finish("done")]) } else { text("") },
        );
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0").end, AgentEnd::Finished);
    // Endpoints refuse a message without content.
    assert!(
        model.asked()[1]
            .request
            .messages
            .iter()
            .all(|message| !message.content.is_empty() || !message.tool_calls.is_empty())
    );
}

#[tokio::test]
async fn the_step_limit_ends_that_agent_and_its_parent_goes_on() {
    // EXP-9, EXP-25
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store")]),
        ("0", _) => call([finish("done")]),
        (_, answer) => call([note("seen", &format!("finding {answer}"))]),
    });
    let explored = Exploring::with(&model).set(|to| to.steps = 5).run(&place).await.unwrap();
    assert!(explored.failure("0.1").contains("5 answers"), "{}", explored.failure("0.1"));
    assert_eq!(explored.notes().len(), 5, "its notes are kept");
    assert_eq!(explored.agent("0").end, AgentEnd::Finished);
    let errors = explored.named("agent_error");
    assert_eq!((errors.len(), &errors[0]["agent_id"]), (1, &json!("0.1")));
    assert_whole(&explored.events);
    let warned = model.ask("0.1", 5).results();
    assert!(warned[0]["budget_warning"].as_str().unwrap().contains("call `finish`"), "{warned:?}");
    assert_eq!(stategraph::workflows::explore::input::ExploreSettings::default().steps, 80);
}

#[tokio::test]
async fn a_child_whose_model_fails_is_an_error_of_the_call() {
    // EXP-25, EXP-38, EXP-39
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store"), delegate("src/web")]),
        ("0", _) => call([finish("done without the store")]),
        ("0.1", 1) => call([note("store", "It has two files.")]),
        ("0.1", _) => Says { fails: true, ..Says::default() },
        _ => call([finish("the web")]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0").end, AgentEnd::Finished);
    assert!(explored.failure("0.1").contains("script"), "{}", explored.failure("0.1"));
    let results = model.ask("0", 2).results();
    assert_eq!((&results[0]["success"], &results[1]["success"]), (&json!(false), &json!(true)));
    assert!(results[0]["content"].as_str().unwrap().contains("with 1 note"), "{results:?}");
    assert_eq!(explored.notes().len(), 1);
    let failed: Vec<_> = explored.named("tool_error");
    assert_eq!((failed.len(), &failed[0]["tool"]), (1, &json!("delegate")));
    assert_whole(&explored.events);
}

#[tokio::test]
async fn a_root_without_a_model_fails_the_run_which_can_be_resumed() {
    let place = Place::new(FILES);
    let kept = stategraph::store::MemoryStore::new();
    let broken = TreeModel::new(|ask| {
        if ask.answer == 1 { call([note("a", "b")]) } else { Says { fails: true, ..Says::default() } }
    });
    let exploring = Exploring::with(&broken).store(std::sync::Arc::new(kept));
    exploring.run(&place).await.expect_err("the model is gone");
    let model = TreeModel::new(|ask| call([finish(&format!("answer {}", ask.answer))]));
    let exploring = Exploring { model: Some(model.clone()), ..exploring };
    let explored = exploring.resume(&place).await.unwrap();
    assert_eq!((explored.agent("0").summary.as_str(), model.asked().len()), ("answer 2", 1));
    assert_whole(&explored.events);
}
