//! The tools of a question (CTX-37).

use serde_json::{Value, json};
use stategraph::workflows::Acceptance;
use stategraph::workflows::contextualize::ContextualizeScope;

use super::script::{
    Said, agent_requests, as_agent, calls, content, failure, results, shop, stored_results, tool_steps,
};
use crate::contextualize::runs::{QUESTION, Shop, Step, message, scope};

/// The answer that a run wrote.
fn answer(shop: &Shop) -> String {
    let files = shop.files("contexts/repo");
    let file = files.iter().find(|file| file.contains("scope-")).expect("an answer");
    shop.read(file)
}

fn generate(paths: &Value, references: &Value) -> (&'static str, Value) {
    let insights = "Retries are decided in `with_retries`.";
    (
        "generate_scoped_context",
        json!({ "question": QUESTION, "paths": paths, "insights": insights, "references": references }),
    )
}

#[tokio::test]
async fn an_agent_answers_a_question_with_its_tools() {
    // CTX-37, CTX-43, CTX-30, CTX-39, CTX-45
    let script = vec![
        calls([
            ("search_for_files", json!({ "keywords": ["retries"] })),
            ("grep_in_files", json!({ "pattern": "ATTEMPTS" })),
            ("grep_in_files", json!({ "pattern": "(" })),
        ]),
        calls([("get_file_outline", json!({ "path": "src/retry.rs" }))]),
        calls([
            ("read_symbol", json!({ "path": "src/retry.rs", "name": "with_retries" })),
            ("read_lines", json!({ "path": "src/retry.rs", "first": 4, "last": 4 })),
            ("find_references", json!({ "symbol": "with_retries" })),
            ("read_file", json!({ "path": "src/store.rs" })),
            ("read_file", json!({ "path": "/etc/passwd" })),
            ("facts", json!({ "kind": "purpose" })),
        ]),
        calls([generate(
            &json!(["src/retry.rs", "./src/main.rs"]),
            &json!([
                { "path": "src/retry.rs", "line_start": 7, "line_end": 9, "description": "The loop." },
                { "path": "src/retry.rs", "line_start": 7, "line_end": 90 },
            ]),
        )]),
    ];
    let (shop, server) = shop(script).await;
    let ran = shop.run(&ContextualizeScope, &as_agent(scope())).await;
    let first = results(&server, 0);
    assert!(content(&first[0]).contains("src/retry.rs  (text: retries)"), "{}", first[0]);
    assert!(content(&first[1]).contains("src/retry.rs"), "{}", first[1]);
    assert_eq!(failure(&first[2]).0, "failed");
    assert!(content(&results(&server, 1)[0]).contains("with_retries"));
    let third = results(&server, 2);
    assert!(
        content(&third[0]).starts_with("src/retry.rs:6-9")
            || content(&third[0]).starts_with("src/retry.rs:7-9"),
        "{}",
        third[0]
    );
    assert!(content(&third[1]).contains("lines 4 to 4 of 9"), "{}", third[1]);
    assert!(content(&third[2]).contains("src/main.rs"), "{}", third[2]);
    assert!(content(&third[3]).contains("pub fn open"), "{}", third[3]);
    assert_eq!(failure(&third[4]).0, "refused");
    assert!(content(&third[5]).contains("Decides when a failed call is made again"), "{}", third[5]);
    // The text ends the work: the agent is not asked again.
    assert_eq!((agent_requests(&server).len(), tool_steps(&server)), (4, vec![Step::Answer]));
    let request = server.requests().last().unwrap().clone();
    let shown = message(&request, 1);
    assert!(
        shown.contains("7| pub fn with_retries") && shown.contains("<file path=\"src/main.rs\">"),
        "{shown}"
    );
    assert!(shown.contains("Retries are decided in `with_retries`."), "{shown}");
    let text = answer(&shop);
    assert!(
        text.contains("files_analyzed: 2")
            && text.contains("## Code references\n\n- `src/retry.rs:7-9`: The loop."),
        "{text}"
    );
    assert!(!text.contains("7-90"), "{text}");
    assert!(
        ran.report
            .lines
            .iter()
            .any(|line| line.ends_with("places that the model named and that do not exist, dropped: 1")),
        "{:?}",
        ran.report.lines
    );
    assert_eq!(ran.report.acceptance, Acceptance::Accepted);
}

#[tokio::test]
async fn a_text_of_no_files_or_of_unreadable_files_is_refused() {
    // CTX-43, CTX-45
    let script = vec![
        calls([generate(&json!([]), &json!([]))]),
        calls([generate(&json!(["src/retry.rs", "src/gone.rs"]), &json!([]))]),
        calls([generate(&json!(["../config.yaml"]), &json!([]))]),
        calls([generate(&json!(["src/retry.rs"]), &json!([]))]),
    ];
    let (shop, server) = shop(script).await;
    let ran = shop.run(&ContextualizeScope, &as_agent(scope())).await;
    let all = stored_results(&ran.state);
    assert!(failure(&all[0]).1.contains("no path was given"), "{}", all[0]);
    assert!(failure(&all[1]).1.contains("src/gone.rs"), "{}", all[1]);
    assert!(failure(&all[2]).1.contains("leads out of the repository"), "{}", all[2]);
    assert!(content(&all[3]).contains("preview:\n# Retries"), "{}", all[3]);
    assert_eq!(tool_steps(&server), [Step::Answer], "a refused call asks no model");
}

#[tokio::test]
async fn the_prompt_tells_the_steps_and_the_cheapest_tool() {
    // CTX-38, CTX-39
    let (shop, server) = shop(vec![calls([generate(&json!(["src/retry.rs"]), &json!([]))])]).await;
    shop.run(&ContextualizeScope, &as_agent(scope())).await;
    let first = &agent_requests(&server)[0];
    let system = message(first, 0);
    let places: Vec<usize> = ["SEARCH", "OUTLINE", "DRILL", "CONNECT", "GENERATE"]
        .iter()
        .map(|step| system.find(step).expect("it is named"))
        .collect();
    assert!(places.is_sorted(), "{system}");
    assert!(system.contains("Never read a code file before you have outlined it."), "{system}");
    assert!(system.contains("Use the cheapest tool that will do"), "{system}");
    let task = message(first, 1);
    assert!(
        task.contains(QUESTION) && task.contains("- src/retry.rs: with_retries"),
        "the rules' findings are told: {task}"
    );
    let tools: Vec<&str> = first.body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    let expected = [
        "facts",
        "search_for_files",
        "grep_in_files",
        "get_file_outline",
        "read_symbol",
        "read_lines",
        "find_references",
        "read_file",
        "generate_scoped_context",
    ];
    assert_eq!(tools, expected);
}

#[tokio::test]
async fn a_model_without_native_calls_writes_them_as_xml() {
    let call = "<function_calls><invoke name=\"generate_scoped_context\"><parameter name=\"question\">Where?</parameter><parameter name=\"paths\">[\"src/retry.rs\"]</parameter><parameter name=\"insights\">There.</parameter></invoke></function_calls>";
    for form in ["native", "xml"] {
        let (shop, server) = shop(vec![Said::Text(call)]).await;
        shop.run(&ContextualizeScope, &as_agent(scope()).with("tools", form)).await;
        let offered = &agent_requests(&server)[0].body["tools"];
        assert_eq!(offered.is_null(), form == "xml", "{offered}");
        assert!(answer(&shop).contains("# Retries"), "{form}");
    }
}

#[test]
fn an_agent_needs_a_model() {
    // CTX-7
    let shop = Shop::new();
    let error =
        stategraph::workflows::Workflow::prepare(&ContextualizeScope, &as_agent(scope()), &shop.setting());
    let error = error.err().expect("rules select no tools");
    assert!(error.to_string().contains("agent mode needs a model"), "{error}");
    assert!(error.hint().unwrap().contains("--model"));
}
