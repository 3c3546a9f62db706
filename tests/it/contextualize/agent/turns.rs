//! A change by an agent continues the thread of the description (CTX-33, CTX-96, CTX-97).

use std::process::Stdio;

use serde_json::json;
use stategraph::engine::{HostRequest, HostStart};
use stategraph::workflows::contextualize::{ContextualizeGenerate, ContextualizeRefine};
use stategraph::workflows::{Acceptance, RunStart, Workflow};
use stategraph_testing::fake_server::FakeServer;

use super::script::{Said, agent_requests, approved, calls, finish, messages, report, serve, shop, start};
use crate::contextualize::runs::{Shop, generate, refine};

const CONTEXT: &str = "contexts/repo/context.md";

/// A description, and then a change.
fn script() -> Vec<Said> {
    vec![
        calls([("generate_context", json!({}))]),
        Said::Text("Described."),
        calls([("refine_context", json!({ "request": "a section about releases: not known" }))]),
        Said::Text("Changed."),
    ]
}

#[tokio::test]
async fn a_change_continues_the_conversation_of_the_description() {
    // CTX-32, CTX-33, CTX-96, CTX-97
    let (shop, server) = shop(script()).await;
    let setting = shop.setting();
    let described =
        ContextualizeGenerate.prepare(&approved(generate()).with("summary", "A bakery"), &setting).unwrap();
    let thread = described.thread.clone();
    start(&approved(generate()).with("summary", "A bakery"), &setting).await;
    let kept = shop.read(CONTEXT).replacen("---\n", "---\nowner: \"Ada\"\n", 1);
    shop.write(CONTEXT, &kept);
    let given = approved(refine("tell how releases are made"));
    let prepared = ContextualizeRefine.prepare(&given, &setting).unwrap();
    assert_eq!((&prepared.thread, prepared.begin), (&thread, RunStart::WithContinuation));
    let continued =
        ContextualizeRefine.prepare_continuation(&given, &setting).unwrap().expect("an agent goes on");
    let request = HostRequest::new(HostStart::Continue { thread, update: continued.update });
    let ended = finish(&*continued.host, request).await;
    let last = messages(agent_requests(&server).last().unwrap());
    let words: Vec<&str> = last.iter().filter_map(|message| message["content"].as_str()).collect();
    assert!(words.contains(&"Described."), "the earlier conversation is there");
    assert!(
        words.iter().any(|text| text.contains("tell how releases are made") && text.contains("<document>")),
        "{words:?}"
    );
    let text = shop.read(CONTEXT);
    assert!(
        text.contains("## Releases")
            && text.contains("owner: \"Ada\"")
            && text.contains("user_summary: \"A bakery\""),
        "{text}"
    );
    let told = report(&ContextualizeRefine, &ended.state);
    assert_eq!(told.acceptance, Acceptance::Accepted);
    let lines = told.lines.join("\n");
    assert!(lines.contains("agent: 2 answers"), "the budget is that of the change: {lines}");
}

#[tokio::test]
async fn a_change_without_a_description_begins_a_conversation_with_the_file() {
    // CTX-33
    let (shop, server) =
        shop(vec![calls([("refine_context", json!({ "request": "releases: not known" }))])]).await;
    crate::contextualize::runs::run(
        &ContextualizeGenerate,
        &generate().with("model", "offline"),
        &shop.setting(),
    )
    .await
    .unwrap();
    let setting = shop.setting();
    let ended = crate::contextualize::runs::run(
        &ContextualizeRefine,
        &approved(refine("tell how releases are made")),
        &setting,
    )
    .await
    .unwrap();
    let first = messages(&agent_requests(&server)[0]);
    assert_eq!(first.len(), 2);
    assert!(first[1]["content"].as_str().unwrap().contains("<document>\n# "), "{}", first[1]);
    assert!(shop.read(CONTEXT).contains("## Releases"));
    assert_eq!(ended.report.acceptance, Acceptance::Accepted);
}

#[tokio::test]
async fn an_agent_that_changes_nothing_leaves_the_text_and_says_so() {
    let (shop, _server) = shop(vec![Said::Text("It is all there already.")]).await;
    crate::contextualize::runs::run(
        &ContextualizeGenerate,
        &generate().with("model", "offline"),
        &shop.setting(),
    )
    .await
    .unwrap();
    let before = shop.read(CONTEXT);
    let ended = shop.run(&ContextualizeRefine, &approved(refine("tell how releases are made"))).await;
    assert_eq!(shop.read(CONTEXT), before, "its origin stays too");
    let lines = ended.report.lines.join("\n");
    assert!(lines.contains("tokens, not changed"), "{lines}");
    assert!(lines.contains("the file was not changed: the agent ended without a change"), "{lines}");
    assert!(lines.contains("the agent said: It is all there already."), "{lines}");
}

/// Runs the program in the folder of a shop: exit code, and both outputs.
async fn program(shop: &Shop, arguments: &[&str]) -> (i32, String) {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_graph"));
    command.args(arguments).current_dir(shop.path()).env_clear().stdin(Stdio::null());
    let output = command.output().await.unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap(), text)
}

async fn configured(script: Vec<Said>) -> (Shop, FakeServer) {
    let (shop, server) = (Shop::new(), serve(script).await);
    shop.configure(&server, "");
    (shop, server)
}

#[tokio::test]
async fn the_program_continues_a_thread_and_does_not_drop_its_question() {
    // CTX-33, CTX-93, CTX-143
    let (shop, server) = configured(script()).await;
    let agent = ["-m", "agent", "--config", "config.yaml"];
    let describe = [&["run", "contextualize", "generate", "repo"], &agent[..]].concat();
    let (code, text) = program(&shop, &describe).await;
    assert!(code == 3 && text.contains("generate_context"), "{code}: {text}");
    shop.write(
        CONTEXT,
        &format!("---\nsource_repo: \"{}\"\n---\n# shop\n\nBread.\n", shop.path().join("repo").display()),
    );
    let change =
        [&["run", "contextualize", "refine", CONTEXT, "-r", "tell how releases are made"], &agent[..]]
            .concat();
    let (code, text) = program(&shop, &change).await;
    assert!(
        code == 3 && text.contains("nothing was run: that would drop a question of thread"),
        "{code}: {text}"
    );
    assert_eq!(agent_requests(&server).len(), 1);
    let (code, text) = program(&shop, &["resume", "--config", "config.yaml", "--answer", "approve"]).await;
    assert_eq!(code, 0, "{text}");
    let approved = [&change[..], &["--approve", "all"]].concat();
    let (code, text) = program(&shop, &approved).await;
    assert_eq!(code, 0, "{text}");
    let last = messages(agent_requests(&server).last().unwrap());
    assert!(last.iter().any(|message| message["content"] == "Described."), "{last:?}");
    assert!(shop.read(CONTEXT).contains("## Releases"));
}
