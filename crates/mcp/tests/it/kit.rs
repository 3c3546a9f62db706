//! Scripted servers and configurations of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use stategraph_agent::{ToolOutput, ToolSource as _, Toolbox};
use stategraph_core::NodeError;
use stategraph_llm::ToolCall;
use stategraph_mcp::{McpConfig, McpServers};

/// Returns the path of the scripted server.
fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripted_server.py")
}

/// Returns false, with a message, if there is no Python; with `CI` set, its absence is a failure.
pub(super) fn has_python() -> bool {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "python3 is missing");
    found
}

/// Returns the variables of this process that a server needs, and these.
pub(super) fn env(more: &[(&str, &str)]) -> Arc<BTreeMap<String, String>> {
    let own =
        ["PATH", "HOME"].into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Arc::new(own.chain(more).collect())
}

/// Returns the entry of a scripted server of this manner, with more keys.
pub(super) fn entry(arguments: &[&str], more: Value) -> Value {
    let script = script().display().to_string();
    let args: Vec<&str> = std::iter::once(script.as_str()).chain(arguments.iter().copied()).collect();
    let mut entry = json!({ "command": "python3", "args": args });
    if let (Value::Object(entry), Value::Object(more)) = (&mut entry, more) {
        entry.extend(more);
    }
    entry
}

/// Returns the servers of one entry named `x`.
pub(super) fn servers(entry: Value, variables: &[(&str, &str)]) -> McpServers {
    let text = json!({ "mcpServers": { "x": entry } }).to_string();
    let config = McpConfig::parse(&text, Path::new("mcp.json")).unwrap();
    assert!(config.warnings().is_empty(), "{:?}", config.warnings());
    McpServers::new(config, env(variables), std::env::temp_dir())
}

/// Returns all tools of a scripted server of this manner.
pub(super) async fn toolbox(manner: &str, more: Value) -> Result<Toolbox, NodeError> {
    let servers = servers(entry(&[manner], more), &[]);
    servers.toolbox(&["mcp__x__*".to_owned()]).await
}

/// Returns the error of the first list of a scripted server of this manner, with its hint.
pub(super) async fn refusal(manner: &str, more: Value) -> String {
    let error = servers(entry(&[manner], more), &[]).list(&["mcp__x__*".to_owned()]).await.unwrap_err();
    format!("{error}; hint: {}", error.hint().unwrap_or_default())
}

/// Calls a tool of the server.
pub(super) async fn call(toolbox: &Toolbox, tool: &str, arguments: Value) -> ToolOutput {
    let call = ToolCall { id: "1".into(), name: format!("mcp__x__{tool}"), arguments: arguments.to_string() };
    toolbox.call(&call).await
}

/// Returns true if a process exists and is no zombie.
pub(super) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, fields)| !fields.trim_start().starts_with('Z'))
}
