//! Servers that behave: names, rules, environment, results, progress, approvals between runs.

use std::path::Path;

use serde_json::{Value, json};
use stategraph_agent::{ForeignTool, ToolFailure, ToolSource as _, Toolbox};
use stategraph_mcp::{McpConfig, McpServers, PinStore};

use super::kit::{call, entry, env, has_python, servers, toolbox};

fn names(toolbox: &Toolbox) -> Vec<&str> {
    toolbox.specs().iter().map(|spec| spec.name.as_str()).collect()
}

// SEC-131, SEC-194: servers of a JSON file, those with a command too.
#[tokio::test]
async fn the_tools_of_a_server_are_tools_of_agents() {
    if !has_python() {
        return;
    }
    let toolbox = toolbox("pages", json!({})).await.unwrap();
    assert_eq!(toolbox.specs().len(), 13);
    let echo = toolbox.specs().iter().find(|spec| spec.name == "mcp__x__echo").unwrap();
    assert_eq!(echo.description, "A tool of the server `x`, in its words: Echoes.");
    assert_eq!(echo.parameters["properties"]["text"]["type"], "string");
    assert_eq!(call(&toolbox, "echo", json!({ "text": "hello" })).await.content, "hello");
    let failed = call(&toolbox, "fail", json!({})).await;
    assert_eq!((failed.failure, failed.content.as_str()), (Some(ToolFailure::Failed), "no such thing"));
    let data = call(&toolbox, "data", json!({})).await;
    assert_eq!(data.data.unwrap()["finished"]["summary"], "forged");
    assert_eq!(
        call(&toolbox, "picture", json!({})).await.content,
        "[a picture, image/png, 3 bytes, is not shown]"
    );
}

#[tokio::test]
async fn only_allowed_tools_are_offered_and_denied_ones_never() {
    if !has_python() {
        return;
    }
    let rules = json!({ "tools": { "allow": ["e*", "fail"], "deny": ["environment"], "approve": ["fail"] } });
    let servers = servers(entry(&["good"], rules), &[]);
    let tools = servers.list(&["mcp__x__*".to_owned()]).await.unwrap();
    assert_eq!(
        tools.iter().map(|tool| tool.spec.name.as_str()).collect::<Vec<_>>(),
        ["mcp__x__echo", "mcp__x__fail"]
    );
    assert_eq!(ForeignTool::approved_by_a_person(&tools), ["mcp__x__fail"]);
    let refused = servers.list(&["mcp__x__mark".to_owned()]).await.unwrap_err();
    assert_eq!(refused.to_string(), "the server `x` offers no tool `mark`");
    assert_eq!(refused.hint(), Some("the file of servers does not allow it"));
    let unknown = servers.list(&["mcp__y__mark".to_owned()]).await.unwrap_err();
    assert_eq!(unknown.hint(), Some("did you mean `mcp__x__mark`?"));
    // A forged description cannot call a tool that the user's rules leave out.
    let forged = ForeignTool { spec: tools[0].spec.clone(), ..tools[0].clone() };
    let forged = ForeignTool {
        spec: stategraph_llm::ToolSpec { name: "mcp__x__mark".into(), ..forged.spec },
        ..forged
    };
    let toolbox = servers.add_to(Toolbox::new(), &[forged]).unwrap();
    assert!(!call(&toolbox, "mark", json!({ "path": "/dev/null" })).await.is_success());
}

#[tokio::test]
async fn a_server_gets_the_variables_of_its_entry_and_no_others() {
    if !has_python() {
        return;
    }
    let more = json!({ "env": { "SERVICE_TOKEN": "${TEAM_TOKEN}", "PLAIN": "${UNSET:-x}" } });
    let variables = [("TEAM_TOKEN", "team-token-value"), ("OPENAI_API_KEY", "key-of-a-model")];
    let servers = servers(entry(&["good"], more), &variables);
    let toolbox = servers.toolbox(&["mcp__x__environment".to_owned()]).await.unwrap();
    let output = call(&toolbox, "environment", json!({})).await;
    let seen: Value = serde_json::from_str(&output.content).unwrap();
    let mut seen: Vec<&str> = seen.as_object().unwrap().keys().map(String::as_str).collect();
    // Python sets the first one itself, and the shell script that `python3` may be sets the others.
    let is_of_python =
        |name: &str| ["LC_CTYPE", "PWD", "SHLVL", "_"].contains(&name) || name.contains("PYENV");
    seen.retain(|name| !is_of_python(name));
    seen.sort_unstable();
    assert_eq!(seen, ["HOME", "PATH", "PLAIN", "SERVICE_TOKEN"]);
    // A server that repeats its key does not bring it to a model.
    assert!(!output.content.contains("team-token-value"), "{}", output.content);
    assert!(output.content.contains("[secret: TEAM_TOKEN]"));
}

#[tokio::test]
async fn progress_keeps_a_long_call_alive() {
    if !has_python() {
        return;
    }
    let toolbox = toolbox("good", json!({ "limit": 1 })).await.unwrap();
    // Two and a half limits long; without progress it would end after one.
    let output = call(&toolbox, "slow", json!({ "steps": 5, "pause": 0.5 })).await;
    assert_eq!((output.content.as_str(), output.is_success()), ("done", true));
}

#[tokio::test]
async fn a_resumed_run_calls_a_listed_tool_without_a_new_list() {
    if !has_python() {
        return;
    }
    let stored = {
        let tools =
            servers(entry(&["good"], json!({})), &[]).list(&["mcp__x__echo".to_owned()]).await.unwrap();
        serde_json::to_string(&tools).unwrap()
    };
    let tools: Vec<ForeignTool> = serde_json::from_str(&stored).unwrap();
    let toolbox = servers(entry(&["good"], json!({})), &[]).add_to(Toolbox::new(), &tools).unwrap();
    assert_eq!(names(&toolbox), ["mcp__x__echo"]);
    assert_eq!(call(&toolbox, "echo", json!({ "text": "again" })).await.content, "again");
}

#[tokio::test]
async fn a_tool_that_changed_since_its_first_use_is_off_until_the_user_accepts_it() {
    if !has_python() {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let home = state.path().display().to_string();
    let pins = PinStore::of_user(|name| (name == "XDG_STATE_HOME").then(|| home.clone()));
    let file = state.path().join("mcp.json");
    let open = |manner: &str| {
        let text = json!({ "mcpServers": { "x": entry(&[manner], json!({})) } }).to_string();
        McpServers::new(McpConfig::parse(&text, &file).unwrap(), env(&[]), state.path()).pins(pins.clone())
    };
    let list = async |manner: &str, tool: &str| open(manner).list(&[format!("mcp__x__{tool}")]).await;
    assert!(list("good", "echo").await.is_ok());
    let changed = list("poison", "echo").await.unwrap_err();
    assert!(
        changed.hint().unwrap().contains("in another way than when it was first used; `graph trust"),
        "{changed}"
    );
    assert!(list("more", "new").await.is_err(), "a new tool is not added by itself");
    assert!(list("more", "echo").await.is_ok(), "the others stay");
    assert_eq!(pins.forget(Path::new(&file)), 1);
    assert!(list("poison", "echo").await.is_ok());
}
