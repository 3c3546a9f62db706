//! Whole runs: the four phases in order, their results and progress lines.

use stategraph::workflows::doc_phases::phase::{BudgetUsage, Phase};
use stategraph::workflows::doc_phases::state::PhaseStatus;

use super::kit::{Kit, Player};

#[tokio::test]
async fn a_run_goes_through_four_phases_and_writes_the_documents() {
    // DOC-10, DOC-15, DOC-18, DOC-32, DOC-37, DOC-38, DOC-49, DOC-53, DOC-54, DOC-129
    let (kit, player) = (Kit::new(), Player::usual());
    let run = kit.done(&player).await;
    assert_eq!(run.errors, [""; 0]);
    let asked: Vec<String> =
        player.requests().iter().map(|at| format!("{} {} {}", at.phase, at.component, at.round)).collect();
    let expected = [
        "architecture_discovery  1",
        "architecture_discovery  2",
        "architecture_discovery  3",
        "component_deep_dive auth 1",
        "component_deep_dive auth 2",
        "component_deep_dive auth 3",
        "component_deep_dive store 1",
        "component_deep_dive store 2",
        "component_deep_dive store 3",
        "cross_cutting  1",
        "cross_cutting  2",
        "cross_cutting  3",
        "documentation_generation  1",
        "documentation_generation  2",
    ];
    assert_eq!(asked, expected);
    assert!(
        Phase::ALL.iter().all(|phase| run.phase(*phase).status == PhaseStatus::Completed),
        "{:?}",
        run.phases
    );
    let a = run.phase(Phase::ArchitectureDiscovery).usage;
    assert_eq!(a, BudgetUsage { files_read: 1, grep_calls: 1, symbols_calls: 1, ..BudgetUsage::default() });
    for id in ["auth", "store"] {
        assert_eq!(
            run.component(id).usage,
            BudgetUsage { files_read: 1, symbols_calls: 1, ..BudgetUsage::default() }
        );
    }
    assert_eq!(
        run.phase(Phase::ComponentDeepDive).usage,
        BudgetUsage { files_read: 2, symbols_calls: 2, ..BudgetUsage::default() }
    );
    assert_eq!(
        run.phase(Phase::DocumentationGeneration).usage,
        BudgetUsage { memory_queries: 1, ..BudgetUsage::default() }
    );
    assert_eq!(run.phase(Phase::CrossCutting).findings_summary.as_deref(), Some("cross_cutting is done."));
    assert_eq!(run.spent.total().answers, 14);
    let memory = kit.tree(".agentic/memory");
    for name in [
        "architecture/overview.json",
        "components/auth.json",
        "components/store.json",
        "cross_cutting/errors.json",
        "index.json",
    ] {
        assert!(memory.contains_key(name), "{name} in {:?}", memory.keys());
    }
    let index: serde_json::Value = serde_json::from_str(&memory["index.json"]).unwrap();
    assert_eq!(index["components_explored"], serde_json::json!(["auth", "store"]));
    assert_eq!(index["current_phase"], "documentation_generation");
}

#[tokio::test]
async fn progress_is_told_in_lines() {
    // DOC-4, DOC-5, DOC-6, DOC-7, DOC-8, DOC-9, DOC-22
    let (lines, _) = Kit::new().lines(&Player::usual()).await;
    let told: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.contains("Used:")).collect();
    let expected = [
        "[Phase: architecture_discovery] Starting...",
        "[Phase: architecture_discovery] Round 1/30 - Calling LLM...",
        "[Phase: architecture_discovery] Executing tools: list_files, read_file, grep, get_symbols",
        "[Phase: architecture_discovery] Round 2/30 - Calling LLM...",
        "[Phase: architecture_discovery] Executing tools: store_discovery",
        "[Phase: architecture_discovery] Round 3/30 - Calling LLM...",
        "[Phase: architecture_discovery] Complete!",
        "[Phase: component_deep_dive] Starting...",
        "[Component 1/2] Exploring: auth",
        "[Phase: component_deep_dive] Round 1/30 - Calling LLM...",
    ];
    assert_eq!(told[..10], expected, "{lines:#?}");
    assert!(told.contains(&"[Component 2/2] Exploring: store"));
    assert!(told.contains(&"[Phase: component_deep_dive] Complete!"));
    let used = "[Phase: architecture_discovery] Used: 1 of 10 file reads, 1 of 15 grep calls, 1 of 5 symbol calls; 330 tokens";
    assert!(lines.iter().any(|line| line == used), "{lines:#?}");
}

#[tokio::test]
async fn that_many_files_are_looked_at_is_told() {
    // DOC-9, ENG-20: from 5,000 files on
    let mut kit = Kit::empty();
    for number in 0..4_999 {
        kit.write(&format!("{}/{number}.txt", number % 50), "x");
    }
    let player = Player::new(|_| super::kit::complete("Nothing."));
    for (files, told) in [
        (4_999, None),
        (5_000, Some("[Files] Looking at 5000 files...")),
        (5_001, Some("[Files] Looking at 5001 files...")),
    ] {
        let (lines, _) = kit.lines(&player).await;
        let line = lines.iter().find(|line| line.starts_with("[Files]"));
        assert_eq!(line.map(String::as_str), told, "{files}");
        kit.write(&format!("more/{files}.txt"), "x");
        kit = kit.next(stategraph::workflows::doc_phases::input::Mode::Full);
    }
}
