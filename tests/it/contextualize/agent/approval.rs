//! Questions to a person before expensive tools (CTX-93 to CTX-95, CTX-143).

use serde_json::json;
use stategraph::engine::Status;
use stategraph::workflows::contextualize::ContextualizeGenerate;

use super::script::{
    Said, agent_requests, answer, approved, as_agent, calls, failure, report, results, shop, start,
    tool_steps,
};
use crate::contextualize::runs::{Shop, Step, generate, message};

const CONTEXT: &str = "contexts/repo/context.md";

fn script() -> Vec<Said> {
    vec![
        calls([("scan_structure", json!({})), ("analyze_code", json!({ "paths": ["src/main.rs"] }))]),
        calls([("generate_context", json!({ "insights": "One." }))]),
    ]
}

#[tokio::test]
async fn an_expensive_call_waits_for_a_person() {
    // CTX-35, CTX-36, CTX-93, CTX-95, CTX-143
    let (shop, server) = shop(script()).await;
    let (given, setting) = (as_agent(generate()), shop.setting());
    let first = start(&given, &setting).await;
    let asked = first.questions();
    assert_eq!(asked.len(), 1, "the cheap call is not asked about");
    assert_eq!(asked[0].1["tool"], "analyze_code");
    assert_eq!(asked[0].1["args"], json!({ "paths": ["src/main.rs"] }));
    assert_eq!(asked[0].1["action"], "approve_tool_call");
    assert!(asked[0].1["message"].as_str().unwrap().contains("`analyze_code`"));
    assert!(tool_steps(&server).is_empty(), "nothing is paid for before the answer");
    let second = answer(&given, &setting, vec![(asked[0].0, json!("approve"))]).await;
    assert_eq!(tool_steps(&server), [Step::Analysis]);
    let asked = second.questions();
    assert_eq!(asked[0].1["tool"], "generate_context");
    let edit = json!({ "decision": "edit", "args": { "insights": "Two." } });
    let third = answer(&given, &setting, vec![(asked[0].0, edit)]).await;
    assert!(matches!(third.status, Status::Done), "{third:?}");
    let shown = message(
        &server
            .requests()
            .iter()
            .find(|it| message(it, 0).starts_with("You write a context file"))
            .unwrap()
            .clone(),
        1,
    );
    assert!(shown.contains("Two.") && !shown.contains("One."), "{shown}");
    assert!(shop.read(CONTEXT).contains("# shop"));
    // Each answer of the agent was paid once, although the node ran three times.
    assert_eq!(agent_requests(&server).len(), 3);
}

#[tokio::test]
async fn a_rejected_call_is_an_error_for_the_agent() {
    // CTX-95
    let (shop, server) = shop(script()).await;
    let (given, setting) = (as_agent(generate()), shop.setting());
    let mut stopped = start(&given, &setting).await;
    while let [(question, _), ..] = stopped.questions()[..] {
        let reject = json!({ "decision": "reject", "reason": "too dear" });
        stopped = answer(&given, &setting, vec![(question, reject)]).await;
    }
    assert!(tool_steps(&server).is_empty(), "a rejected step is not made behind the person's back");
    let rejected = results(&server, 0);
    let (kind, reason) = failure(&rejected[1]);
    assert!(kind == "refused" && reason.contains("a person rejected the call: too dear"), "{reason}");
    let lines = report(&ContextualizeGenerate, &stopped.state).lines.join("\n");
    assert!(lines.contains("partial: the text is that of the rules"), "{lines}");
    assert!(shop.read(CONTEXT).contains("Sells bread over the counter"));
}

#[tokio::test]
async fn a_resumed_run_writes_to_the_file_that_it_is_told() {
    // CTX-8
    let (shop, _server) = shop(script()).await;
    let (given, setting) = (as_agent(generate()), shop.setting());
    let mut stopped = start(&given, &setting).await;
    let elsewhere = given.with("output", "elsewhere.md");
    while let [(question, _), ..] = stopped.questions()[..] {
        stopped = answer(&elsewhere, &setting, vec![(question, json!("approve"))]).await;
    }
    assert!(shop.read("elsewhere.md").contains("# shop"));
    assert!(!shop.path().join(CONTEXT).exists(), "the run's own file is not written");
}

#[tokio::test]
async fn the_question_shows_the_forms_of_an_answer() {
    // CTX-95
    let (shop, _server) = shop(script()).await;
    let first = start(&as_agent(generate()), &shop.setting()).await;
    let forms = &first.questions()[0].1["answers"];
    assert_eq!((&forms[0], &forms[1]), (&json!("approve"), &json!("reject")));
    assert!(forms[3].as_str().unwrap().contains("\"args\""), "{forms}");
}

#[tokio::test]
async fn approval_of_all_asks_nothing() {
    // CTX-93
    let (shop, server) = shop(script()).await;
    let ended = start(&approved(generate()), &shop.setting()).await;
    assert!(matches!(ended.status, Status::Done), "{ended:?}");
    assert_eq!(tool_steps(&server), [Step::Analysis, Step::Text]);
}

#[tokio::test]
async fn approval_needs_a_store() {
    // CTX-94: the graph without a store fails at the question
    use stategraph::definition::Definition;
    use stategraph::llm::{Prompts, Scripted, ScriptedAnswer, ToolCall};
    use stategraph::workflows::contextualize::input::{ContextCommand, ContextSettings, RunMode};
    use stategraph::workflows::contextualize::services::{ContextResources, ContextServices, PROMPTS};
    use stategraph::workflows::contextualize::source::RepositorySource;
    use stategraph::workflows::contextualize::state::{ContextGeneration, ContextRun};
    use stategraph::workflows::contextualize::{GENERATE_GRAPH, generation_registry};

    let shop = Shop::new();
    let call = ToolCall { id: "c1".into(), name: "analyze_code".into(), arguments: "{}".into() };
    let model = Scripted::new("test/model")
        .reply(ScriptedAnswer { tool_calls: vec![call], ..ScriptedAnswer::default() });
    let mut resources = ContextResources::new(std::sync::Arc::new(model), Prompts::new(PROMPTS).unwrap());
    resources.folder = shop.path().to_owned();
    let graph = Definition::parse(GENERATE_GRAPH.text, GENERATE_GRAPH.file)
        .unwrap()
        .build(&generation_registry())
        .unwrap();
    let graph = graph.compile_with(ContextServices::new(resources)).unwrap();
    let settings = ContextSettings {
        mode: RunMode::Agent,
        model: "test/model".into(),
        ..ContextSettings::of(ContextCommand::Generate)
    };
    let source = RepositorySource::parse("repo".as_ref(), shop.path()).unwrap();
    let run = ContextRun { settings, source, started: stategraph::workflows::Timestamp::from_ms(0) };
    let error = graph.run(ContextGeneration::new(run, None)).await.expect_err("there is no store");
    let cause = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    let told: Vec<String> = cause.map(ToString::to_string).collect();
    assert!(told.iter().any(|text| text.contains("has no checkpoint store to wait in")), "{told:?}");
}
