//! The budget of a description: the part for the text, and the lines and files that reach the requests of tools.

use serde_json::{Value, json};
use stategraph::workflows::contextualize::ContextualizeGenerate;

use super::script::{
    agent_requests, approved, calls, content, failure, prompt_of, results, shop, shop_costing, tool_steps,
};
use crate::contextualize::runs::{Step, generate};

#[tokio::test]
async fn a_part_of_the_budget_is_kept_for_the_text() {
    // CTX-86, CTX-92, CTX-140
    let read = |path: &str| calls([("read_file_snippet", json!({ "path": path }))]);
    let script = vec![
        read("src/main.rs"),
        read("src/retry.rs"),
        read("src/store.rs"),
        calls([("generate_context", json!({ "insights": "One." }))]),
    ];
    // Three answers take 27,609 of 40,000 tokens; 12,000 are for the text.
    let (shop, server) = shop_costing(script, 9_200, "  budget_tokens: 40000\n").await;
    shop.run(&ContextualizeGenerate, &approved(generate())).await;
    assert!(results(&server, 0)[0]["budget_warning"].is_null(), "{:?}", results(&server, 0));
    let (kind, reason) = ("refused", "call `generate_context` now");
    let refused = results(&server, 2);
    let found = failure(&refused[0]);
    assert!(found.0 == kind && found.1.contains(reason), "{refused:?}");
    assert_eq!(tool_steps(&server), [Step::Text]);
    assert_eq!(agent_requests(&server).len(), 5, "the last one ends the conversation");
}

#[tokio::test]
async fn the_lines_that_an_agent_read_reach_the_request_for_the_text() {
    let script = vec![
        calls([("read_file_snippet", json!({ "path": "src/store.rs", "start_line": 2, "num_lines": 2 }))]),
        calls([("generate_context", json!({}))]),
    ];
    let (shop, server) = shop(script).await;
    shop.run(&ContextualizeGenerate, &approved(generate())).await;
    let read = results(&server, 0)[0].clone();
    assert!(content(&read).contains("3| /// Opens the store.\n4| pub fn open() -> bool {"), "{read}");
    let shown = prompt_of(&server, Step::Text);
    assert!(
        shown.contains("<file path=\"src/store.rs\">\n") && shown.contains("4| pub fn open() -> bool {"),
        "{shown}"
    );
}

#[tokio::test]
async fn an_analysis_names_the_files_that_the_model_read_and_those_that_it_did_not() {
    // CTX-12
    let paths = json!({ "paths": ["src/retry.rs", "src/gone.rs", "src/store.rs"] });
    let (shop, server) = shop(vec![calls([("analyze_code", paths)])]).await;
    shop.run(&ContextualizeGenerate, &approved(generate())).await;
    let said: Value = serde_json::from_str(content(&results(&server, 0)[0])).unwrap();
    assert_eq!(said["files_not_read"], json!(["src/gone.rs"]));
    let read = said["files_read"].as_array().unwrap();
    assert!(read.contains(&json!("src/retry.rs")) && read.contains(&json!("src/store.rs")), "{said}");
    assert!(prompt_of(&server, Step::Analysis).contains("4| pub const ATTEMPTS: u32 = 3;"));
}
