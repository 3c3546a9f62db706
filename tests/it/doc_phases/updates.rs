//! Updates: changes are detected, only these are explored again, and all other documents stay unchanged.

use serde_json::json;
use stategraph::workflows::doc_phases::input::Mode;
use stategraph::workflows::doc_phases::phase::Phase;

use super::kit::{Kit, Player, Said, calls, summary};

/// Returns a model that stores another description of a component.
fn changed() -> std::sync::Arc<Player> {
    Player::but(|at| {
        let mut entry = summary(&at.component);
        entry["responsibility"] = json!("Does it otherwise.");
        let store = ("store_discovery", json!({ "type": "component", "data": entry }));
        (at.phase == "component_deep_dive" && at.round == 2).then(|| calls([store]))
    })
}

#[tokio::test]
async fn an_update_explores_the_component_that_changed_and_changes_its_page_alone() {
    // DOC-3, DOC-17, DOC-90, DOC-91, DOC-127
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    let before = kit.tree(".agentic/documentation");
    assert!(before.keys().any(|name| name.contains("auth")), "{:?}", before.keys());
    kit.write(
        "src/auth/token.rs",
        "//! Tokens, longer ones.\n\n/// A token.\npub struct Token(pub Vec<u8>);\n",
    );
    let kit = kit.next(Mode::Update);
    let player = changed();
    let run = kit.done(&player).await;
    assert!(player.requests().iter().all(|at| at.component == "auth"), "{:?}", player.requests());
    let changed = run.changed.as_ref().unwrap();
    assert_eq!(
        (changed.files.as_slice(), changed.without_component.len()),
        (["src/auth/token.rs".to_owned()].as_slice(), 0)
    );
    assert_eq!(run.phases.keys().copied().collect::<Vec<_>>(), [Phase::ComponentDeepDive]);
    let context = &player.request("component_deep_dive", 1).messages[1].content;
    assert!(
        context.contains("Files of it that changed since it was explored: [\"src/auth/token.rs\"]"),
        "{context}"
    );
    let after = kit.tree(".agentic/documentation");
    let differing: Vec<&String> =
        after.iter().filter(|(name, text)| before.get(*name) != Some(*text)).map(|(name, _)| name).collect();
    // The page, the index, and the ledger of the documents.
    assert_eq!(differing, [".documents.json", "README.md", "components/auth.md"]);
}

#[tokio::test]
async fn an_update_without_changes_explores_nothing_and_changes_nothing() {
    // DOC-17, DOC-91
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    let before = kit.tree(".agentic/documentation");
    let kit = kit.next(Mode::Update);
    let player = Player::usual();
    let run = kit.done(&player).await;
    assert_eq!(player.requests(), []);
    assert_eq!((run.errors.len(), run.phases.len()), (0, 0));
    assert_eq!(kit.tree(".agentic/documentation"), before);
}

#[tokio::test]
async fn new_deleted_and_foreign_files_are_found() {
    // DOC-90, DOC-127
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    std::fs::remove_file(kit.folder.path().join("src/auth/token.rs")).unwrap();
    kit.write("src/store/more.rs", "pub fn more() {}\n");
    kit.write("tools/x.txt", "no source\n");
    let kit = kit.next(Mode::Update);
    let player = Player::usual();
    let run = kit.done(&player).await;
    let mut components: Vec<String> = player.requests().into_iter().map(|at| at.component).collect();
    components.dedup();
    assert_eq!(components, ["auth", "store"]);
    let changed = run.changed.unwrap();
    assert_eq!(changed.files, ["src/auth/token.rs", "src/store/more.rs", "tools/x.txt"]);
    assert_eq!(changed.without_component, ["tools/x.txt"]);
    assert_eq!(changed.of_architecture, None, "a model is not asked about the whole for it");
}

/// The usual run; its architecture phase finds a component `pay`.
fn finding_pay() -> std::sync::Arc<Player> {
    Player::but(|at| {
        let mut overview = super::kit::overview();
        overview["component_boundaries"]["pay"] = json!(["src/pay"]);
        overview["major_components"] = json!(["auth", "pay", "store"]);
        let store = ("store_discovery", json!({ "type": "architecture", "data": overview }));
        (at.phase == "architecture_discovery" && at.round == 2).then(|| calls([store]))
    })
}

#[tokio::test]
async fn a_new_folder_is_a_component_after_an_update_and_other_pages_stay_as_they_are() {
    // DOC-90, DOC-91, DOC-107
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    let before = kit.tree(".agentic/documentation");
    kit.write("src/pay/mod.rs", "//! Takes money.\n\npub fn pay() {}\n");
    let kit = kit.next(Mode::Update);
    let player = finding_pay();
    let run = kit.done(&player).await;
    let context = &player.request("architecture_discovery", 1).messages[1].content;
    assert!(
        context.contains("Since then these files came, changed or went: [\"src/pay/mod.rs\"]"),
        "{context}"
    );
    let mut explored: Vec<String> = player.requests().into_iter().map(|at| at.component).collect();
    explored.dedup();
    assert_eq!(explored, ["", "pay"], "the whole, and what is new in it");
    let changed = run.changed.as_ref().unwrap();
    assert_eq!(changed.of_architecture.as_deref(), Some(["src/pay/mod.rs".to_owned()].as_slice()));
    assert_eq!((changed.without_component.len(), run.errors.len()), (0, 0));
    assert_eq!(run.planned.as_ref().unwrap()[0].changed, ["src/pay/mod.rs"]);
    let after = kit.tree(".agentic/documentation");
    let differing: Vec<&String> =
        after.iter().filter(|(name, text)| before.get(*name) != Some(*text)).map(|(name, _)| name).collect();
    let expected =
        [".documents.json", "ARCHITECTURE.md", "README.md", "components/pay.md", "diagrams/architecture.mmd"];
    assert_eq!(differing, expected);
    assert!(["ARCHITECTURE.md", "README.md"].iter().all(|name| after[*name].contains("components/pay.md")));
}

#[tokio::test]
async fn a_component_whose_place_another_takes_is_gone() {
    // DOC-88, DOC-91: what was one component is cut in two
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    kit.write("src/store/shelf/mod.rs", "pub struct Shelf;\n");
    kit.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.2.0\"\n");
    let kit = kit.next(Mode::Update);
    let player = Player::but(|at| {
        let mut overview = super::kit::overview();
        overview["component_boundaries"] =
            json!({ "auth": ["src/auth"], "shelf": ["src/store/shelf"], "desk": ["src/store/mod.rs"] });
        overview["major_components"] = json!(["auth", "desk", "shelf"]);
        let entry = json!({
            "component_id": at.component, "component_name": at.component, "responsibility": "A part.", "confidence": 0.8,
        });
        match (at.phase.as_str(), at.round) {
            ("architecture_discovery", 2) => {
                Some(calls([("store_discovery", json!({ "type": "architecture", "data": overview }))]))
            }
            ("component_deep_dive", 1) => {
                Some(calls([("store_discovery", json!({ "type": "component", "data": entry }))]))
            }
            ("component_deep_dive", _) => Some(super::kit::complete("Done.")),
            _ => None,
        }
    });
    kit.done(&player).await;
    let pages = kit.tree(".agentic/documentation/components");
    assert_eq!(pages.keys().collect::<Vec<_>>(), ["auth.md", "desk.md", "shelf.md"]);
    assert!(player.requests().iter().all(|at| at.component != "auth"), "{:?}", player.requests());
}

#[tokio::test]
async fn an_update_that_stopped_while_it_looked_at_the_whole_goes_on_there() {
    // DOC-16, DOC-53, DOC-90: from its thread, and from its file where that is gone
    for from_file in [false, true] {
        let kit = Kit::new();
        kit.done(&Player::usual()).await;
        kit.write("src/pay/mod.rs", "pub fn pay() {}\n");
        let kit = kit.next(Mode::Update);
        let fails = Player::but(|at| (at.round == 2).then(|| Said { fails: true, ..Said::default() }));
        kit.run(&fails).await.expect_err("the model fails");
        let player = finding_pay();
        let run = if from_file {
            let text = kit.read(&format!(".agentic/doc_sessions/{}.json", kit.state().session_id));
            let session: stategraph::workflows::doc_phases::session::SessionState =
                serde_json::from_str(&text).unwrap();
            let thread = stategraph::engine::ThreadId::new("another").unwrap();
            kit.graph(player.clone()).run(session.run).thread(thread).await.expect("it goes on").state
        } else {
            kit.graph(player.clone()).resume(&kit.thread()).await.expect("it goes on").state
        };
        let first = player.requests()[0].clone();
        assert_eq!((first.phase.as_str(), first.round), ("architecture_discovery", 2), "{from_file}");
        let explored = player.requests().into_iter().filter(|at| !at.component.is_empty());
        assert!(explored.clone().all(|at| at.component == "pay") && explored.count() == 3, "{from_file}");
        assert_eq!((run.errors.len(), run.planned.unwrap().len()), (0, 1), "{from_file}");
        assert!(kit.tree(".agentic/documentation").contains_key("components/pay.md"), "{from_file}");
    }
}

#[tokio::test]
async fn an_update_that_did_not_come_to_the_whole_is_made_up_for_by_the_next() {
    // DOC-16, DOC-90
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    kit.write("src/pay/mod.rs", "pub fn pay() {}\n");
    let kit = kit.next(Mode::Update);
    let fails = Player::but(|_| Some(Said { fails: true, ..Said::default() }));
    kit.run(&fails).await.expect_err("the model fails");
    let kit = kit.next(Mode::Update);
    let player = finding_pay();
    let run = kit.done(&player).await;
    assert!(kit.tree(".agentic/documentation").contains_key("components/pay.md"), "{run:?}");
    let kit = kit.next(Mode::Update);
    let player = Player::usual();
    kit.done(&player).await;
    assert_eq!(player.requests(), [], "and then it is known");
}

#[tokio::test]
async fn an_update_leaves_nothing_that_names_what_is_gone() {
    // DOC-88, DOC-90, DOC-91
    let kit = Kit::new();
    let data = |kind: &str, data| ("store_discovery", json!({ "type": kind, "data": data }));
    let player = Player::but(move |at| {
        let shelf = json!({ "model_id": "shelf", "model_name": "Shelf", "file_path": "src/store/mod.rs", "confidence": 0.8 });
        let token = json!({
            "model_id": "token", "model_name": "Token", "file_path": "src/auth/mod.rs", "confidence": 0.8,
            "relationships": [{ "target_model": "Shelf" }], "used_by_components": ["auth", "store"],
        });
        let flow = json!({
            "flow_id": "buy", "flow_name": "Buying", "description": "Bread is bought.", "confidence": 0.8,
            "steps": [{ "component": "auth", "action": "asks", "next": "store" }],
        });
        let both = json!({
            "concern_id": "logging", "concern_name": "Logging", "confidence": 0.6,
            "description": "Said aloud. Most of it in src/store/mod.rs (7) and src/auth/mod.rs (1).",
            "files_involved": ["src/auth/mod.rs", "src/store/mod.rs"], "components_affected": ["auth", "store"],
        });
        let own = json!({
            "concern_id": "bread", "concern_name": "Bread", "description": "Baked.", "confidence": 0.6,
            "files_involved": ["src/store/mod.rs"], "components_affected": ["store"],
        });
        let start = json!({
            "flow_id": "start", "flow_name": "Start", "description": "What is called.", "confidence": 0.8,
            "steps": [{ "component": "auth", "action": "main (src/auth/mod.rs) calls open (src/store/mod.rs)" }],
        });
        let entries = [
            data("flow", start),
            data("data_model", shelf),
            data("data_model", token),
            data("flow", flow),
            data("cross_cutting", both),
            data("cross_cutting", own),
        ];
        let mut uses = summary(&at.component);
        uses["dependencies"] = json!(["store"]);
        match (at.phase.as_str(), at.component.as_str(), at.round) {
            ("cross_cutting", _, 2) => Some(calls(entries)),
            ("component_deep_dive", "auth", 2) => Some(calls([data("component", uses)])),
            _ => None,
        }
    });
    kit.done(&player).await;
    std::fs::remove_dir_all(kit.folder.path().join("src/store")).unwrap();
    let kit = kit.next(Mode::Update);
    let player = Player::usual();
    let run = kit.done(&player).await;
    assert_eq!((player.requests(), run.errors), (Vec::new(), Vec::new()), "what is left did not change");
    let memory = kit.tree(".agentic/memory");
    let mentions = |texts: std::collections::BTreeMap<String, String>| -> Vec<String> {
        texts
            .into_iter()
            .filter(|(_, text)| {
                text.contains("store\"") || text.contains("Shelf") || text.contains("src/store")
            })
            .map(|(name, _)| name)
            .collect()
    };
    assert!(
        memory.contains_key("data_models/token.json") && memory.contains_key("cross_cutting/logging.json")
    );
    assert!(memory["cross_cutting/logging.json"].contains("\"Said aloud.\""));
    assert!(!memory.contains_key("flows/buy.json") && !memory.contains_key("flows/start.json"));
    assert!(!memory.contains_key("cross_cutting/bread.json"));
    assert_eq!(mentions(memory), [""; 0]);
    assert_eq!(mentions(kit.tree(".agentic/documentation")), [""; 0]);
}

#[tokio::test]
async fn an_update_that_was_cut_off_loses_no_change() {
    // DOC-16, DOC-17: the next update explores what this one did not come to
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    kit.write("src/auth/token.rs", "pub struct Other;\n");
    let kit = kit.next(Mode::Update);
    let player = Player::but(|_| Some(Said { fails: true, ..Said::default() }));
    kit.done(&player).await;
    let kit = kit.next(Mode::Update);
    let player = Player::usual();
    kit.done(&player).await;
    assert!(
        !player.requests().is_empty() && player.requests().iter().all(|at| at.component == "auth"),
        "{:?}",
        player.requests()
    );
}

#[tokio::test]
async fn a_whole_run_forgets_what_is_no_more() {
    // DOC-15, DOC-88: memory says what the code base is, not what it was
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    std::fs::remove_dir_all(kit.folder.path().join("src/store")).unwrap();
    let kit = kit.next(Mode::Full);
    let player = Player::but(|at| {
        let mut overview = super::kit::overview();
        overview["component_boundaries"] = json!({ "auth": ["src/auth"] });
        overview["major_components"] = json!(["auth"]);
        let store = ("store_discovery", json!({ "type": "architecture", "data": overview }));
        (at.phase == "architecture_discovery" && at.round == 2).then(|| calls([store]))
    });
    kit.done(&player).await;
    let memory = kit.tree(".agentic/memory");
    assert!(
        memory.contains_key("components/auth.json") && !memory.contains_key("components/store.json"),
        "{:?}",
        memory.keys()
    );
    assert!(kit.tree(".agentic/documentation").keys().all(|name| !name.contains("store")));
}
