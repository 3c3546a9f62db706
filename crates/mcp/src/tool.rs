//! Adapter that makes a tool of a server usable by agents. It is built from the recorded description alone,
//! so a resumed run starts the server only when it calls the tool.

use schemars::Schema;
use serde_json::{Map, Value};

use crate::servers::McpServers;
use stategraph_agent::{ForeignTool, Priority, Tool, ToolCost, ToolOutput};

/// A tool of an MCP server, in the form that agents call.
pub(crate) struct McpTool {
    tool: ForeignTool,
    servers: McpServers,
}

impl McpTool {
    pub(crate) fn new(tool: ForeignTool, servers: McpServers) -> Self {
        Self { tool, servers }
    }
}

impl Tool for McpTool {
    type Arguments = Map<String, Value>;

    fn name(&self) -> &str {
        &self.tool.spec.name
    }

    fn description(&self) -> &str {
        &self.tool.spec.description
    }

    fn parameters(&self) -> Schema {
        Schema::try_from(Value::clone(&self.tool.spec.parameters))
            .expect("a listed tool has an object as its schema")
    }

    fn priority(&self) -> Priority {
        Priority::default()
    }

    fn cost(&self) -> ToolCost {
        ToolCost::default()
    }

    async fn run(&self, arguments: Map<String, Value>) -> ToolOutput {
        self.servers.call(&self.tool.spec.name, &self.tool.digest, arguments).await
    }
}
