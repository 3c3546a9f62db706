//! The scripted server of tools of `crates/mcp`, as the servers of a workflow.

use serde_json::{Value, json};
use stategraph::mcp::McpConfig;

use crate::tidy::root;

/// Returns true if the server can run. CI must have Python.
pub(crate) fn has_python() -> bool {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "python3 is missing");
    found
}

/// Returns a file of servers with the server `x`. `more` are arguments of its program behind its manner, and further keys of its entry.
pub(crate) fn servers_file(arguments: &[&str], more: &Value) -> Value {
    let script = root().join("crates/mcp/tests/scripted_server.py");
    let arguments =
        [script.to_str().expect("a path of text"), "good"].into_iter().chain(arguments.iter().copied());
    let mut entry = json!({ "command": "python3", "args": arguments.collect::<Vec<_>>() });
    entry.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    json!({ "mcpServers": { "x": entry } })
}

/// Returns the same as a configuration.
pub(crate) fn servers_config(more: &Value) -> McpConfig {
    McpConfig::parse(&servers_file(&[], more).to_string(), "mcp.json".as_ref()).expect("a file of servers")
}
