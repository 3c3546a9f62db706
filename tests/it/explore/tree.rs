//! A tree of many agents and eight levels: the same in every order and in every durability.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use stategraph::engine::Durability;
use stategraph::llm::Role;

use super::kit::{Ask, Explored, Exploring, Place, Says, TreeModel, assert_whole, call, finish, note};

/// A repository with a chain of eight folders and three full trees of four levels.
pub(super) fn deep_place() -> Place {
    let mut files = vec!["main.rs".to_owned()];
    let chain = ["a"; 7].join("/");
    let mut at = "t0".to_owned();
    files.push(format!("{at}/f.rs"));
    for folder in chain.split('/') {
        at = format!("{at}/{folder}");
        files.push(format!("{at}/f.rs"));
    }
    for top in ["t1", "t2", "t3"] {
        let mut level = vec![top.to_owned()];
        for _ in 0..4 {
            files.extend(level.iter().map(|folder| format!("{folder}/f.rs")));
            level = level.iter().flat_map(|folder| [format!("{folder}/a"), format!("{folder}/b")]).collect();
        }
    }
    Place::new(&files.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the folders directly below the scope of an agent, by the files that its first message names.
pub(super) fn parts(ask: &Ask) -> Vec<String> {
    let first = ask.request.messages.iter().find(|message| message.role == Role::User).unwrap();
    let scope = first.content.split_once("Your scope: `").map(|(_, rest)| rest.split('`').next().unwrap());
    let names = first.content.lines().filter_map(|line| line.strip_prefix("- "));
    let below = names.filter_map(|name| match scope {
        Some(scope) => Some((name.strip_prefix(scope)?.strip_prefix('/')?, format!("{scope}/"))),
        None => Some((name, String::new())),
    });
    let folders: BTreeSet<String> = below
        .filter_map(|(rest, before)| rest.split_once('/').map(|(folder, _)| format!("{before}{folder}")))
        .collect();
    folders.into_iter().collect()
}

/// The script of every agent: a note, all parts to children; then a note and the end.
pub(super) fn divide(ask: &Ask) -> Says {
    if ask.answer == 1 {
        let mut calls = vec![note("seen", &format!("agent {} was here", ask.id))];
        calls.extend(parts(ask).iter().map(|part| {
            ("delegate", serde_json::json!({ "target": part, "purpose": format!("explore {part}"), "context": "be quick" }))
        }));
        call(calls)
    } else {
        let topic: &'static str = if ask.depth().is_multiple_of(2) { "even" } else { "odd" };
        call([note(topic, &format!("{} is done", ask.id)), finish(&format!("`f.rs` of {}", ask.id))])
    }
}

fn tree_of(explored: &Explored) -> Value {
    serde_json::to_value(&explored.result).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tree_of_eight_levels_is_the_same_with_one_agent_at_a_time_and_with_eight() {
    // EXP-5, EXP-24, EXP-59, EXP-68, EXP-74
    let mut trees = Vec::new();
    for parallel in [1, 8, 8] {
        let place = deep_place();
        let model = TreeModel::new(divide);
        let explored = Exploring::with(&model).set(|to| to.parallel = parallel).run(&place).await.unwrap();
        assert!(explored.ids().len() >= 40, "{}", explored.ids().len());
        assert_eq!(explored.result.agents.iter().map(|agent| agent.depth).max(), Some(8));
        assert_whole(&explored.events);
        let files = ["notepad.json", "notepad.md", "agents.json", "agents.md", "coverage.json"];
        let written = files.map(|file| place.read(&format!("explorations/repo/{file}")));
        trees.push((tree_of(&explored), written));
    }
    assert_eq!(trees[0], trees[1]);
    assert_eq!(trees[1], trees[2]);
}

#[tokio::test]
async fn eight_levels_work_in_every_durability() {
    // EXP-59
    let mut trees = Vec::new();
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let place = deep_place();
        let exploring = Exploring { durability, ..Exploring::with(&TreeModel::new(divide)) };
        trees.push(tree_of(&exploring.run(&place).await.unwrap()));
    }
    assert_eq!(trees[0], trees[1]);
    assert_eq!(trees[0], trees[2]);
}

#[tokio::test]
async fn no_file_is_in_the_scopes_of_two_agents_that_are_not_above_one_another() {
    // EXP-67
    let place = deep_place();
    let explored = place.explore(&TreeModel::new(divide)).await;
    let agents = &explored.result.agents;
    for (index, one) in agents.iter().enumerate() {
        for other in &agents[index + 1..] {
            let (above, below) = (format!("{}.", one.id), other.id.to_string());
            let shared = one.scope.files.iter().any(|file| other.scope.files.contains(file));
            assert!(!shared || below.starts_with(&above), "{} and {}", one.id, other.id);
        }
    }
}

#[tokio::test]
async fn the_graph_of_the_agents_is_freed_with_its_services() {
    // EXP-4: compiled once; the services hold the graph, and the graph does not hold the services.
    let place = Place::new(&["a.rs"]);
    let model = TreeModel::new(|_| call([finish("done")]));
    place.explore(&model).await;
    assert_eq!(Arc::strong_count(&model), 1, "the run still holds the model");
}
