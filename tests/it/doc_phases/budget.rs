//! Budgets: limits of a phase, refusals and warnings.

use serde_json::{Value, json};
use stategraph::llm::Money;
use stategraph::workflows::doc_phases::input::{BudgetsFile, Debugging, DocSettings};
use stategraph::workflows::doc_phases::phase::{
    BudgetCheck, BudgetScale, BudgetUsage, Budgets, Operation, Phase, PhaseBudget,
};
use stategraph::workflows::doc_phases::state::PhaseStatus;

use super::kit::{Kit, Player, calls, complete};

fn limits(phase: Phase) -> [Option<u32>; 5] {
    let budget = PhaseBudget::of(phase);
    Operation::ALL.map(|operation| budget.limit(operation))
}

#[test]
fn each_phase_has_the_limits_of_the_seed() {
    // DOC-39, DOC-40, DOC-41, DOC-42, DOC-50
    assert_eq!(limits(Phase::ArchitectureDiscovery), [Some(10), Some(15), Some(5), None, None]);
    assert_eq!(limits(Phase::ComponentDeepDive), [Some(20), Some(10), Some(10), None, None]);
    assert_eq!(limits(Phase::CrossCutting), [Some(15), Some(10), Some(0), None, Some(5)]);
    assert_eq!(limits(Phase::DocumentationGeneration), [Some(0), Some(0), Some(0), Some(20), None]);
}

#[test]
fn the_check_allows_or_refuses_with_a_text() {
    // DOC-43, DOC-44, DOC-52, DOC-130, DOC-132
    let budget = PhaseBudget::of(Phase::ArchitectureDiscovery);
    let used = |files_read| BudgetUsage { files_read, ..BudgetUsage::default() };
    assert_eq!(budget.check(Operation::FileRead, &used(9)).text(), "OK");
    let refusal = "BUDGET_EXHAUSTED: File read limit (10) reached. Summarize findings and store to memory.";
    for count in [10, 11] {
        assert_eq!(budget.check(Operation::FileRead, &used(count)), BudgetCheck::Refused(refusal.to_owned()));
    }
    let all = BudgetUsage { grep_calls: 15, symbols_calls: 5, memory_queries: 500, ..BudgetUsage::default() };
    assert!(
        budget
            .check(Operation::Grep, &all)
            .text()
            .starts_with("BUDGET_EXHAUSTED: Grep call limit (15) reached.")
    );
    assert!(budget.check(Operation::SymbolCall, &all).text().contains("Symbol call limit (5)"));
    assert_eq!(budget.check(Operation::MemoryQuery, &all), BudgetCheck::Allowed);
    let late = PhaseBudget::of(Phase::DocumentationGeneration);
    let all = BudgetUsage { memory_queries: 20, ..BudgetUsage::default() };
    assert!(late.check(Operation::MemoryQuery, &all).text().contains("Memory query limit (20)"));
}

#[tokio::test]
async fn reads_beyond_the_limit_are_refused_and_not_counted() {
    // DOC-43, DOC-44, DOC-45, DOC-46, DOC-73, DOC-132, DOC-65
    let read = |path: &str| ("read_file", json!({ "path": path }));
    let player = Player::but(move |at| match (at.phase.as_str(), at.round) {
        ("architecture_discovery", 1) => {
            Some(calls([read("nowhere.rs"), read("Cargo.toml"), read("README.md"), read("notes.txt")]))
        }
        ("architecture_discovery", 2) => Some(calls([read("src/main.rs"), read("src/main.rs")])),
        ("architecture_discovery", 3) => Some(complete("enough")),
        _ => None,
    });
    let kit = Kit::new().set(|settings| {
        settings.budgets.phases.get_mut(&Phase::ArchitectureDiscovery).unwrap().max_files_read = 2;
    });
    let run = kit.done(&player).await;
    let first = player.results("architecture_discovery", 1);
    assert_eq!(first[0]["success"], false);
    assert!(first[0]["content"].as_str().unwrap().contains("`nowhere.rs` does not exist"), "{first:?}");
    assert_eq!(first[1]["success"], true);
    // The first calls of an answer are allowed as if all of them succeeded; the missing file returns its share.
    assert_eq!(first[1]["budget_warning"], "WARNING: Only 0 file reads remaining. Consider summarizing.");
    let refusal = "BUDGET_EXHAUSTED: File read limit (2) reached. Summarize findings and store to memory.";
    assert_eq!((&first[2]["content"], &first[2]["success"]), (&json!(refusal), &json!(false)));
    let second = player.results("architecture_discovery", 2);
    assert_eq!(second[0]["success"], true, "{second:?}");
    assert_eq!(second[1]["content"], refusal);
    assert_eq!(run.phase(Phase::ArchitectureDiscovery).usage.files_read, 2);
}

#[tokio::test]
async fn phase_d_reads_memory_alone_and_corrects_it() {
    // DOC-42, DOC-50, DOC-129
    let player = Player::but(|at| match (at.phase.as_str(), at.round) {
        ("documentation_generation", 1) => Some(calls([
            ("read_file", json!({ "path": "src/main.rs" })),
            ("grep", json!({ "pattern": "x" })),
            ("get_symbols", json!({ "path": "src/main.rs" })),
            (
                "store_discovery",
                json!({ "entries": [
                { "type": "component", "component_id": "auth", "responsibility": "Lets known customers in." },
            ] }),
            ),
            ("query_memory", json!({ "query_type": "component", "max_entries": 5 })),
        ])),
        _ => None,
    });
    let kit = Kit::new();
    let run = kit.done(&player).await;
    let results = player.results("documentation_generation", 1);
    let texts: Vec<&str> = results.iter().map(|result| result["content"].as_str().unwrap()).collect();
    assert!(texts[0].starts_with("BUDGET_EXHAUSTED: File read limit (0)"), "{texts:?}");
    assert!(texts[1].starts_with("BUDGET_EXHAUSTED: Grep call limit (0)"));
    assert!(texts[2].starts_with("BUDGET_EXHAUSTED: Symbol call limit (0)"));
    assert_eq!(texts[3], "Added to component `auth`.");
    assert!(kit.read(".agentic/documentation/components/auth.md").contains("Lets known customers in."));
    assert_eq!(results[4]["success"], true);
    let usage = run.phase(Phase::DocumentationGeneration).usage;
    assert_eq!(usage, BudgetUsage { memory_queries: 1, ..BudgetUsage::default() });
}

#[tokio::test]
async fn queries_about_other_components_than_the_concern_names_are_few() {
    // DOC-41, DOC-51
    let query = |id: &str| {
        (
            "query_memory",
            json!({ "query_type": "component", "max_entries": 1, "filter_by": { "component_id": id } }),
        )
    };
    let player = Player::but(move |at| match (at.phase.as_str(), at.round) {
        ("cross_cutting", 1) => {
            Some(calls([query("auth"), query("store"), query("auth"), query("auth"), query("auth")]))
        }
        ("cross_cutting", 3) => Some(calls([
            query("auth"),
            query("store"),
            ("query_memory", json!({ "query_type": "architecture", "max_entries": 1 })),
        ])),
        _ => None,
    });
    let run = Kit::new().done(&player).await;
    let first = player.results("cross_cutting", 1);
    assert!(first.iter().all(|result| result["success"] == true), "{first:?}");
    assert_eq!(
        first[4]["budget_warning"],
        "WARNING: Only 0 cross-component queries remaining. Consider summarizing."
    );
    // At this point a concern is stored that affects `auth`.
    let third = player.results("cross_cutting", 3);
    assert_eq!(third[0]["success"], true);
    let refusal =
        "BUDGET_EXHAUSTED: Cross-component query limit (5) reached. Summarize findings and store to memory.";
    assert_eq!(third[1]["content"], refusal);
    assert_eq!(third[2]["success"], true);
    let usage = run.phase(Phase::CrossCutting).usage;
    assert_eq!((usage.cross_component_queries, usage.memory_queries), (5, 7));
}

#[test]
fn a_budgets_file_changes_what_it_names() {
    // DOC-19, DOC-20, DOC-21, DOC-47
    let text = "max_rounds_per_phase: 12\nmax_tool_calls_per_round: 3\ndebug_logging: false\nscale: adaptive\nphases:\n  cross_cutting: { max_symbols_calls: 4, max_memory_queries: 9 }\n";
    let settings = BudgetsFile::parse(text).unwrap().apply_to(DocSettings::default());
    assert_eq!((settings.max_rounds_per_phase, settings.max_tool_calls_per_round), (12, 3));
    assert_eq!(settings.debug, Debugging::Off);
    let changed = settings.budgets.of(Phase::CrossCutting);
    assert_eq!(
        changed,
        PhaseBudget {
            max_symbols_calls: 4,
            max_memory_queries: Some(9),
            ..PhaseBudget::of(Phase::CrossCutting)
        }
    );
    assert_eq!(
        settings.budgets.of(Phase::ArchitectureDiscovery),
        PhaseBudget::of(Phase::ArchitectureDiscovery)
    );
    let plain = DocSettings::default();
    assert_eq!(
        (plain.max_rounds_per_phase, plain.max_tool_calls_per_round, plain.debug),
        (30, 5, Debugging::Files)
    );
    assert_eq!(BudgetsFile::parse("").unwrap().apply_to(DocSettings::default()), DocSettings::default());
}

#[test]
fn a_budgets_file_that_makes_no_sense_is_refused() {
    // DOC-47
    for (text, part) in [
        ("phases: { a: {} }", "a"),
        ("max_rounds_per_phase: 0", "it may be 1 to 1000"),
        ("phases:\n  cross_cutting: { max_file_reads: 1 }", "max_file_reads"),
        ("- 1", "budgets file is wrong"),
        ("max_rounds_per_phase: many", "budgets file is wrong"),
    ] {
        let error = BudgetsFile::parse(text).unwrap_err();
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn adaptive_budgets_grow_with_the_code_base() {
    // DOC-48, DOC-133
    let budgets = Budgets { scale: BudgetScale::Adaptive, ..Budgets::default() };
    let reads = |files| budgets.clone().for_files(files).of(Phase::ArchitectureDiscovery).max_files_read;
    assert_eq!([0, 999, 1_000, 10_000, 100_000, 10_000_000].map(reads), [10, 10, 20, 40, 80, 80]);
    assert_eq!(Budgets::default().for_files(100_000), Budgets::default());
    let late = budgets.for_files(1_000).of(Phase::DocumentationGeneration);
    assert_eq!(late, PhaseBudget::of(Phase::DocumentationGeneration));
}

#[tokio::test]
async fn the_context_says_what_is_left() {
    // DOC-62
    let player = Player::but(|at| match (at.phase.as_str(), at.round) {
        ("architecture_discovery", 2) => Some(calls([("get_phase_context", Value::String(String::new()))])),
        ("architecture_discovery", 3) => Some(calls([(
            "store_discovery",
            json!({ "type": "architecture", "data": super::kit::overview() }),
        )])),
        _ => None,
    });
    Kit::new().done(&player).await;
    let result = &player.results("architecture_discovery", 2)[0];
    let context: Value = serde_json::from_str(result["content"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&context["phase"], &context["round"], &context["rounds"]),
        (&json!("architecture_discovery"), &json!(2), &json!(30))
    );
    assert_eq!(context["budget"][0], json!({ "operation": "file reads", "used": 1, "limit": 10, "left": 9 }));
}

#[tokio::test]
async fn a_run_that_has_used_its_tokens_asks_no_more_and_documents_what_is_known() {
    // DOC-47, DOC-29
    let kit = Kit::new().set(|settings| settings.caps.tokens = Some(440));
    let player = Player::usual();
    let run = kit.done(&player).await;
    // Each answer takes 110 tokens: three in phase A, one of `auth`; then the limit is reached exactly.
    assert_eq!(player.requests().len(), 4, "{:?}", player.requests());
    assert_eq!(run.spent.total().usage.total(), 440);
    let auth = run.component("auth");
    assert_eq!((auth.status, auth.spent.usage.total()), (PhaseStatus::BudgetExhausted, 110));
    let error = auth.error.unwrap();
    assert!(error.starts_with("budget exceeded: 441 tokens of 440 allowed"), "{error}");
    assert!(error.contains("raise `max_tokens` or `max_cost`") && error.contains("--update"), "{error}");
    assert_eq!(run.phase(Phase::CrossCutting).status, PhaseStatus::BudgetExhausted);
    let page = kit.read(".agentic/documentation/components/store.md");
    assert!(page.contains("Keeps customers.") && page.contains("`knows`"), "by rules: {page}");
    let index: Value = serde_json::from_str(&kit.read(".agentic/memory/index.json")).unwrap();
    assert_eq!(index["components_explored"], json!([]), "an update explores them");
}

#[tokio::test]
async fn money_has_a_limit_too() {
    let kit = Kit::new().set(|settings| settings.caps.money = Some(Money::dollars(0.02)));
    let player = Player::usual().costing(0.01);
    let run = kit.done(&player).await;
    assert_eq!(player.requests().len(), 3, "the third answer passes the limit: {:?}", player.requests());
    let error = run.component("auth").error.unwrap();
    assert!(error.starts_with("budget exceeded: $0.0300 of $0.0200 allowed"), "{error}");
}

#[test]
fn tokens_and_money_are_limited_in_the_budgets_file() {
    // DOC-47
    let read = |text: &str| BudgetsFile::parse(text).map(|file| file.apply_to(DocSettings::default()).caps);
    let caps = read("max_tokens: 200000\nmax_cost: 1.5\n").unwrap();
    assert_eq!((caps.tokens, caps.money), (Some(200_000), Some(Money::dollars(1.5))));
    assert_eq!(read("").unwrap(), DocSettings::default().caps);
    for text in ["max_tokens: 0", "max_cost: 0", "max_cost: -1", "max_cost: .nan", "max_cost: .inf"] {
        let error = read(text).unwrap_err();
        assert!(error.to_string().contains("it must be above 0"), "{text}: {error}");
    }
}
