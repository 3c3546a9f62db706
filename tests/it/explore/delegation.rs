//! Delegations: what a child is given, and what is refused.

use serde_json::json;
use stategraph::workflows::explore::agents::AgentEnd;

use super::agents::FILES;
use super::kit::{Exploring, Place, TreeModel, assert_whole, call, delegate, finish, note};

/// Delegates these targets in the first answer; returns the results.
async fn results_of(place: &Place, targets: &[&str]) -> Vec<(bool, String)> {
    let targets: Vec<String> = targets.iter().map(|target| (*target).to_owned()).collect();
    let model = TreeModel::new(move |ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call(targets.iter().map(|target| delegate(target))),
        (id, _) => call([finish(&format!("{id} is done"))]),
    });
    let explored = place.explore(&model).await;
    assert_whole(&explored.events);
    let results = model.ask("0", 2).results();
    results
        .iter()
        .map(|result| (result["success"] == true, result["content"].as_str().unwrap().to_owned()))
        .collect()
}

#[tokio::test]
async fn a_target_that_makes_no_sense_is_refused_with_the_reason() {
    // EXP-22
    let place = Place::new(&[FILES, &["docs/a.md"]].concat());
    let root = place.path().join("repo").canonicalize().unwrap();
    for (target, expected) in [
        ("", "is empty"),
        ("   ", "is empty"),
        (".", "own scope"),
        ("./", "own scope"),
        (root.to_str().unwrap(), "own scope"),
        ("..", "outside of the repository"),
        ("src/../../x", "outside of the repository"),
        ("/etc", "outside of the repository"),
        ("src", "all files of your own scope"),
        ("src/lib.rs", "is a file"),
        ("docs", "no source files"),
        ("missing", "no source files"),
    ] {
        let results = results_of(&place, &[target]).await;
        assert!(!results[0].0 && results[0].1.contains(expected), "{target}: {results:?}");
    }
}

#[tokio::test]
async fn the_same_target_again_is_told_who_has_it() {
    // EXP-22, EXP-67
    let place = Place::new(FILES);
    let results = results_of(&place, &["src/store", "src/store", "./src/store/", "src/web"]).await;
    assert!(results[0].0 && results[3].0, "{results:?}");
    for result in &results[1..3] {
        assert!(!result.0 && result.1.contains("agent 0.1 explores it"), "{results:?}");
    }
}

#[tokio::test]
async fn a_folder_whose_part_was_delegated_is_delegated_without_it() {
    // EXP-67
    let place = Place::new(&["a.rs", "src/lib.rs", "src/store/mod.rs", "src/store/disk/mod.rs"]);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store/disk"), delegate("src"), delegate("src/store")]),
        ("0.2", 1) => call([delegate("src/store/disk")]),
        (id, _) => call([finish(id)]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0.2").scope.files, ["src/lib.rs", "src/store/mod.rs"]);
    let results = model.ask("0", 2).results();
    assert!(results[2]["content"].as_str().unwrap().contains("agents 0.1, 0.2 explore them"), "{results:?}");
    let results = model.ask("0.2", 2).results();
    assert!(results[0]["content"].as_str().unwrap().contains("agent 0.1 explores it"), "{results:?}");
}

#[tokio::test]
async fn a_child_cannot_delegate_what_is_not_in_its_scope() {
    // EXP-22, EXP-23
    let place = Place::new(FILES);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/store")]),
        ("0.1", 1) => call([delegate("src"), delegate("."), delegate("src/web"), delegate("src/store")]),
        (id, _) => call([finish(id)]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.ids(), ["0", "0.1"]);
    let results = model.ask("0.1", 2).results();
    let said = |index: usize| results[index]["content"].as_str().unwrap();
    assert!(said(0).contains("an agent above you") && said(1).contains("an agent above you"), "{results:?}");
    assert!(said(2).contains("outside of your scope") && said(3).contains("your own scope"), "{results:?}");
}

#[tokio::test]
async fn a_module_is_a_file_and_the_folder_of_its_name() {
    // EXP-17
    let place = Place::new(&["src/lib.rs", "src/parser.rs", "src/parser/lexer.rs", "src/parser_old.rs"]);
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call([delegate("src/parser")]),
        (id, _) => call([finish(id)]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0.1").scope.files, ["src/parser.rs", "src/parser/lexer.rs"]);
}

#[tokio::test]
async fn nothing_is_delegated_at_the_deepest_level() {
    // EXP-21, EXP-62, EXP-27
    let place = Place::new(FILES);
    for depth in [0, 1] {
        let model = TreeModel::new(move |ask| match (ask.id.as_str(), ask.answer) {
            ("0", 1) => call([delegate("src/store")]),
            ("0.1", 1) => call([delegate("src/store/disk")]),
            (id, _) => call([finish(id)]),
        });
        let explored = Exploring::with(&model).set(|to| to.max_depth = depth).run(&place).await.unwrap();
        let deepest = if depth == 0 { "0" } else { "0.1" };
        assert_eq!(explored.ids().last().unwrap(), deepest);
        let results = model.ask(deepest, 2).results();
        assert!(results[0]["content"].as_str().unwrap().contains("deepest level"), "{results:?}");
        assert_eq!(explored.named("agent_spawned").len(), depth as usize + 1);
        let system = &model.ask(deepest, 1).request.messages[0].content;
        assert!(system.contains("You must not delegate"), "{system}");
    }
}

#[tokio::test]
async fn a_child_gets_a_bounded_scope_and_what_its_parent_knows() {
    // EXP-23, EXP-70
    let files: Vec<String> =
        (0..250).map(|n| format!("src/big/f{n:03}.rs")).chain(["main.rs".into()]).collect();
    let place = Place::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let model = TreeModel::new(|ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => {
            call([note("early", "The main file is short."), ("read_file", json!({ "path": "main.rs" }))])
        }
        ("0", 2) => {
            let words = "tell the child. ".repeat(500);
            call([
                note("late", "The rest is big."),
                ("delegate", json!({ "target": "src/big", "context": words })),
            ])
        }
        ("0", _) => call([finish("done")]),
        _ => call([finish(&"x".repeat(900))]),
    });
    let explored = place.explore(&model).await;
    assert_eq!(explored.agent("0.1").scope.files.len(), 200);
    assert!(explored.agent("0.1").purpose.contains("src/big"), "a purpose is made up");
    let system = &model.ask("0.1", 1).request.messages[0].content;
    let (_, packet) = system.split_once("<context>\n").unwrap();
    let (packet, _) = packet.split_once("\n</context>").unwrap();
    assert!(packet.chars().count() <= 2_000, "{}", packet.len());
    for part in ["tell the child.", "late: The rest is big.", "early: The main file is short.", "main.rs"] {
        assert!(packet.contains(part), "{part}: {packet}");
    }
    let told = model.ask("0", 3).results()[1]["content"].as_str().unwrap().to_owned();
    let summary = told.lines().nth(1).unwrap();
    assert_eq!(summary, "x".repeat(600), "{told}");
    assert!(told.contains("300 of 900"), "{told}");
    assert_eq!(explored.agent("0.1").summary.len(), 900, "the record has all of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delegations_of_one_answer_run_at_the_same_time_with_a_bound_and_answer_in_order() {
    // EXP-24
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let files: Vec<String> = (0..6).flat_map(|n| [format!("p{n}/a.rs"), format!("p{n}/b.rs")]).collect();
    let place = Place::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, highest) = (open.clone(), most.clone());
    let model = TreeModel::new(move |ask| match (ask.id.as_str(), ask.answer) {
        ("0", 1) => call(["p5", "p4", "p3", "p2", "p1", "p0"].map(delegate)),
        ("0", _) => call([finish("done")]),
        (_, 1) => {
            let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
            highest.fetch_max(now, Ordering::SeqCst);
            call([note("open", "begun")])
        }
        (id, _) => {
            counted.fetch_sub(1, Ordering::SeqCst);
            call([finish(&format!("end of {id}"))])
        }
    });
    let explored = Exploring::with(&model).set(|to| to.parallel = 3).run(&place).await.unwrap();
    let results = model.ask("0", 2).results();
    for (index, result) in results.iter().enumerate() {
        assert!(result["content"].as_str().unwrap().contains(&format!("end of 0.{}", index + 1)), "{result}");
    }
    assert!((2..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    assert_eq!(explored.agent("0.1").scope.path, "p5");
    assert_eq!(explored.agent("0").end, AgentEnd::Finished);
}

#[tokio::test]
async fn a_hundred_delegations_of_one_target_run_one_child() {
    // EXP-67
    let place = Place::new(FILES);
    let results = results_of(&place, &["src/store"; 100]).await;
    assert_eq!(results.iter().filter(|result| result.0).count(), 1);
}
