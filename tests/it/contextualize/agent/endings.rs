//! Conversations that end without a text (CTX-141).

use serde_json::json;
use stategraph::workflows::Acceptance;
use stategraph::workflows::contextualize::{ContextualizeGenerate, ContextualizeScope};

use super::script::{
    Said, agent_requests, approved, as_agent, calls, shop, shop_costing, shop_with, tool_steps,
};
use crate::contextualize::runs::{Step, generate, message, scope};

const CONTEXT: &str = "contexts/repo/context.md";
const WORDS: &str =
    "Retries are decided in `with_retries` [src/retry.rs:7] and nowhere else [src/gone.rs:1].";

#[tokio::test]
async fn the_last_words_about_a_question_become_insights_of_one_more_request() {
    let script = vec![calls([("get_file_outline", json!({ "path": "src/retry.rs" }))]), Said::Text(WORDS)];
    let (shop, server) = shop(script).await;
    let ran = shop.run(&ContextualizeScope, &as_agent(scope())).await;
    assert_eq!(tool_steps(&server), [Step::Answer]);
    let shown = message(server.requests().last().unwrap(), 1);
    assert!(
        shown.contains("Retries are decided in `with_retries`")
            && shown.contains("<file path=\"src/retry.rs\">"),
        "{shown}"
    );
    assert!(!shown.contains("<file path=\"src/store.rs\">"), "the files that the agent read: {shown}");
    assert_eq!(ran.report.acceptance, Acceptance::Accepted);
    assert_eq!(ran.state["spent"]["operations"]["scope_generation"]["answers"], 1);
}

#[tokio::test]
async fn the_last_words_about_a_repository_become_insights_if_all_is_approved() {
    let (shop, server) = shop(vec![Said::Text(WORDS)]).await;
    let ran = shop.run(&ContextualizeGenerate, &approved(generate())).await;
    assert_eq!(tool_steps(&server), [Step::Text]);
    assert!(message(server.requests().last().unwrap(), 1).contains("Retries are decided in `with_retries`"));
    assert_eq!(ran.report.acceptance, Acceptance::Accepted);
}

#[tokio::test]
async fn without_approval_the_rules_write_and_keep_the_last_words() {
    // CTX-93: the expensive request is not made without the question; CTX-30: its places are checked
    let (shop, server) = shop(vec![Said::Text(WORDS)]).await;
    let ran = shop.run(&ContextualizeGenerate, &as_agent(generate())).await;
    assert!(tool_steps(&server).is_empty());
    let text = shop.read(CONTEXT);
    let (rules, found) = text.split_once("\n## Found by the agent\n").expect("a section with the words");
    assert!(
        rules.contains("Sells bread over the counter") && found.contains("`with_retries` [src/retry.rs:7]"),
        "{text}"
    );
    assert!(!found.contains("[src/gone.rs:1]"), "{found}");
    assert!(rules.contains("written_by: \"rules_and_model\""), "{rules}");
    assert_eq!(ran.report.acceptance, Acceptance::NotAccepted);
    assert!(
        ran.report
            .lines
            .iter()
            .any(|line| line
                .contains("partial: the text is that of the rules: the agent ended without a text")),
        "{:?}",
        ran.report.lines
    );
}

#[tokio::test]
async fn a_budget_stop_writes_what_is_known_and_marks_it() {
    // CTX-86, CTX-88, CTX-140, CTX-141
    let insights = "The loop in `with_retries` decides [src/retry.rs:7-9].";
    let script = vec![
        calls([("search_for_files", json!({ "keywords": ["retries"] }))]),
        calls([(
            "generate_scoped_context",
            json!({ "question": "?", "paths": ["src/gone.rs"], "insights": insights }),
        )]),
        calls([("search_for_files", json!({ "keywords": ["store"] }))]),
    ];
    // Two answers take 20,006 tokens, so that the estimate of the third request is too much.
    let (shop, server) = shop_costing(script, 10_000, "  budget_tokens: 20500\n").await;
    let ran = shop.run(&ContextualizeScope, &as_agent(scope())).await;
    assert_eq!(agent_requests(&server).len(), 2);
    assert!(tool_steps(&server).is_empty(), "no budget is left for the closing request");
    let lines = ran.report.lines.join("\n");
    assert!(
        lines.contains(
            "partial: the text is that of the rules: the conversation ended early: budget exceeded"
        ),
        "{lines}"
    );
    let files = shop.files("contexts/repo");
    let text = shop.read(files.iter().find(|file| file.contains("scope-")).unwrap());
    assert!(text.contains("## Found by the agent\n\nThe loop in `with_retries` decides"), "{text}");
    assert!(
        text.contains("\npartial: \"the text is that of the rules: the conversation ended early"),
        "{text}"
    );
    assert_eq!(ran.report.acceptance, Acceptance::NotAccepted);
}

#[tokio::test]
async fn the_end_of_the_rounds_writes_what_is_known_and_marks_it() {
    // CTX-141
    let script = vec![calls([("search_for_files", json!({ "keywords": ["retries"] }))]); 60];
    let (shop, server) = shop_with(script, "  budget_tokens: 9000000\n  max_tpm: 90000000\n").await;
    let ran = shop.run(&ContextualizeScope, &as_agent(scope())).await;
    assert_eq!(agent_requests(&server).len(), 50);
    assert_eq!(tool_steps(&server), [Step::Answer], "there is a budget for the closing request");
    let lines = ran.report.lines.join("\n");
    assert!(lines.contains("partial: the conversation ended after 50 rounds"), "{lines}");
}
