//! The prompts of the agents.

use serde_json::json;
use stategraph::llm::Prompts;
use stategraph::workflows::explore::services::PROMPTS;

use super::agents::FILES;
use super::kit::{Place, TreeModel, call, delegate, finish};

#[test]
fn the_system_prompt_has_places_for_the_purpose_and_the_context() {
    // EXP-26
    let prompts = Prompts::new(PROMPTS).unwrap();
    let variables = json!({
        "agent_id": "0.1", "is_root": false, "scope": "src", "purpose": "Find the bread.",
        "context_packet": "The shop sells bread.", "depth": 1, "max_depth": 2, "may_delegate": true,
        "agents_left": 3, "steps": 80, "tools": ["finish"],
    });
    let system = prompts.render("agent.system.md", &variables).unwrap();
    assert!(system.contains("Find the bread.") && system.contains("The shop sells bread."), "{system}");
}

#[tokio::test]
async fn an_agent_is_told_what_it_is_and_what_it_may_use() {
    // EXP-27, EXP-28
    let files: Vec<String> =
        (0..70).map(|n| format!("src/f{n:02}.rs")).chain(["lib/a.rs".into(), "lib/b.rs".into()]).collect();
    let place = Place::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let model = TreeModel::new(|ask| {
        if ask.id == "0" && ask.answer == 1 { call([delegate("lib")]) } else { call([finish("x")]) }
    });
    place.explore(&model).await;
    let root = model.ask("0", 1).request;
    let system = &root.messages[0].content;
    assert!(
        system.contains("You are the root agent") && system.contains("at depth 0 of at most 8"),
        "{system}"
    );
    assert!(!system.contains("You must not delegate"));
    for tool in
        ["read_file", "list_directory", "read_notepad", "write_notepad", "list_topics", "delegate", "finish"]
    {
        assert!(system.contains(&format!("`{tool}`")), "{tool}");
        assert!(root.tools.iter().any(|spec| spec.name == tool), "{tool}");
    }
    let first = &root.messages[1].content;
    let path = place.path().join("repo").canonicalize().unwrap();
    assert!(first.contains(path.to_str().unwrap()) && first.contains("72"), "{first}");
    assert_eq!(first.lines().filter(|line| line.starts_with("- ")).count(), 50);
    assert!(first.contains("and 22 more"), "{first}");
    let child = &model.ask("0.1", 1).request.messages[0].content;
    assert!(!child.contains("root agent") && child.contains("at depth 1 of at most 8"), "{child}");
    assert!(child.contains("look at lib"), "{child}");
}

#[tokio::test]
async fn another_prompt_changes_the_behaviour() {
    // EXP-64
    use super::kit::Exploring;
    use stategraph::workflows::explore::exploration_graph;
    let place = Place::new(FILES);
    place.write(
        "over/agent.system.md",
        "You are agent {{ agent_id }}, a poet. {{ purpose }}{{ context_packet }}",
    );
    let model = TreeModel::new(|_| call([finish("x")]));
    let exploring = Exploring::with(&model);
    let mut resources = place.resources(&exploring);
    resources.prompts = Prompts::overridden(PROMPTS, &place.path().join("over")).unwrap();
    exploration_graph(resources).run(place.run_state(&exploring)).await.unwrap();
    assert!(model.ask("0", 1).request.messages[0].content.starts_with("You are agent 0, a poet."));
}
