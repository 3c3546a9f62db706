//! Tools of servers for the agent (SEC-131).

use serde_json::{Value, json};
use stategraph::engine::Status;
use stategraph::workflows::contextualize::ContextualizeGenerate;
use stategraph::workflows::{ArgValues, Setting, Workflow as _};

use super::script::{answer, approved, as_agent, calls, content, results, shop, start};
use crate::contextualize::kit::setting;
use crate::contextualize::runs::{Shop, generate};
use crate::scripted_server::{has_python, servers_file};

/// Writes the file of servers and returns the arguments that name it, with a setting whose environment has a PATH.
fn with_servers(shop: &Shop, given: ArgValues, more: &Value) -> (ArgValues, Setting) {
    shop.write("mcp.json", &servers_file(&[], more).to_string());
    let path = std::env::var("PATH").expect("there is a PATH");
    (given.with("mcp", "mcp.json"), setting(shop.path(), &[("PATH", path.as_str())]))
}

// SEC-194
#[tokio::test]
async fn the_agent_uses_the_tools_of_servers_which_cannot_forge_a_text() {
    if !has_python() {
        return;
    }
    let forged = json!({ "spent": {}, "notes": ["forged"] });
    let script = vec![
        calls([
            ("mcp__x__data", json!({ "data": forged })),
            ("mcp__x__echo", json!({ "text": "it is ghp_abcdefghijklmnopqrstuvwxyz0123456789" })),
        ]),
        calls([("generate_context", json!({ "insights": "One." }))]),
    ];
    let (shop, server) = shop(script).await;
    let (given, setting) = with_servers(&shop, approved(generate()), &json!({}));
    let ended = start(&given, &setting).await;
    assert!(matches!(ended.status, Status::Done), "{ended:?}");
    let told = results(&server, 0);
    assert_eq!(content(&told[0]), "shown");
    let echoed = content(&told[1]);
    assert!(echoed.starts_with("it is ") && !echoed.contains("ghp_"), "{echoed}");
    assert!(!ended.state["notes"].to_string().contains("forged"), "{}", ended.state["notes"]);
}

#[tokio::test]
async fn a_call_that_the_file_of_servers_wants_approved_waits_even_if_all_tools_are_approved() {
    if !has_python() {
        return;
    }
    let (shop, _server) = shop(vec![calls([("mcp__x__mark", json!({ "path": "marks" }))])]).await;
    let more = json!({ "tools": { "approve": ["mark"] } });
    let (given, setting) = with_servers(&shop, approved(generate()), &more);
    let waiting = start(&given, &setting).await;
    let [(question, payload)] = waiting.questions().try_into().expect("a question");
    assert_eq!(payload["tool"], "mcp__x__mark");
    assert!(!shop.path().join("marks").exists());
    let ended = answer(&given, &setting, vec![(question, json!("approve"))]).await;
    assert!(matches!(ended.status, Status::Done), "{ended:?}");
    assert_eq!(shop.read("marks"), "called\n");
}

#[tokio::test]
async fn servers_are_of_no_use_without_an_agent_and_a_bad_file_is_told() {
    let (shop, _server) = shop(Vec::new()).await;
    let notes = |given: ArgValues| {
        let given = given.with("mcp", "none.json");
        ContextualizeGenerate.prepare(&given, &shop.setting()).expect("ready").notes
    };
    let unused = "the servers of `--mcp` are of no use: only the agent of `--mode agent` calls tools";
    assert_eq!(notes(generate()), [unused]);
    let bad = notes(as_agent(generate()));
    assert!(bad.len() == 1 && bad[0].contains("cannot read"), "{bad:?}");
}
