//! Lists the tools of a server page by page, under limits of our own, because `rmcp` follows pages without
//! end. Each description is cleaned for a model, and gets a digest of everything that the server said about
//! the tool.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, Extensions, ListToolsRequest, ListToolsRequestMethod, PaginatedRequestParams,
    ServerResult, Tool,
};
use serde_json::{Value, json};

use crate::clean::{clean_line, clean_up_to, clean_value};
use crate::connection::Connection;
use crate::error::McpError;
use crate::limit::{DESCRIPTION_BYTES, LIST_BYTES, PAGES, SCHEMA_BYTES, TOOLS};
use stategraph_repo::ContentHash;

/// A tool as its MCP server describes it, cleaned for a model. Its name is the key in [`ToolList`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListedTool {
    /// Description for a model, with the server's name before it.
    pub(crate) description: String,
    /// JSON Schema of the arguments, an object.
    pub(crate) parameters: Value,
    /// Hash over everything that the server said about the tool, before cleaning; compared with the pinned
    /// one.
    pub(crate) digest: String,
}

/// The tools of an MCP server by the server's own names. A tool that cannot be offered has the reason
/// instead.
pub(crate) type ToolList = BTreeMap<String, Result<ListedTool, String>>;

/// Requests the list of an MCP server's tools, all pages. Fails if the list breaks a limit or has a cycle
/// of pages. `limit` bounds each request.
pub(crate) async fn list_tools(
    connection: &Connection,
    server: &str,
    limit: Duration,
) -> Result<ToolList, Box<McpError>> {
    let bad = |reason: String| Box::new(McpError::BadList { server: server.to_owned(), reason });
    let mut tools = ToolList::new();
    let (mut cursor, mut seen, mut bytes) = (None, BTreeSet::new(), 0);
    for _ in 0..PAGES {
        let request = ClientRequest::ListToolsRequest(ListToolsRequest {
            method: ListToolsRequestMethod,
            params: Some(PaginatedRequestParams::default().with_cursor(cursor.clone())),
            extensions: Extensions::default(),
        });
        let result = connection.request(request, limit, limit).await;
        let answer = result.map_err(|error| bad(clean_line(&error.to_string(), 200)))?;
        let ServerResult::ListToolsResult(page) = answer else {
            return Err(bad("its answer is no list of tools".to_owned()));
        };
        for tool in page.tools {
            bytes += size(&tool);
            if bytes > LIST_BYTES {
                return Err(bad(format!("its descriptions have more than {LIST_BYTES} bytes")));
            }
            tools.insert(tool.name.to_string(), clean_tool(server, &tool));
            if tools.len() > TOOLS {
                return Err(bad(format!("it has more than {TOOLS} tools")));
            }
        }
        let Some(next) = page.next_cursor.filter(|next| !next.is_empty()) else { return Ok(tools) };
        bytes += next.len();
        if !seen.insert(next.clone()) {
            return Err(bad("its pages go in a circle".to_owned()));
        }
        cursor = Some(next);
    }
    Err(bad(format!("its list has more than {PAGES} pages")))
}

/// Returns the number of bytes of a tool's JSON, which count towards [`LIST_BYTES`].
fn size(tool: &Tool) -> usize {
    serde_json::to_vec(tool).map_or(usize::MAX / 2, |bytes| bytes.len())
}

/// Cleans the description and schema of a tool and computes its digest. The error is the reason why the
/// tool cannot be offered.
fn clean_tool(server: &str, tool: &Tool) -> Result<ListedTool, String> {
    let object = |schema: &Arc<serde_json::Map<String, Value>>| Value::Object((**schema).clone());
    let mut parameters = object(&tool.input_schema);
    let description = tool.description.as_deref().unwrap_or_default();
    // Sorted, because another order of keys is no other meaning.
    let mut said = json!({
        "name": tool.name,
        "title": tool.title,
        "description": description,
        "input": parameters,
        "output": tool.output_schema.as_ref().map(object),
        "annotations": tool.annotations,
    });
    said.sort_all_objects();
    let digest = ContentHash::of(said.to_string().as_bytes()).to_string();
    if parameters.to_string().len() > SCHEMA_BYTES {
        return Err(format!("the schema of its arguments has more than {SCHEMA_BYTES} bytes"));
    }
    match &parameters["type"] {
        Value::Null => parameters["type"] = "object".into(),
        Value::String(kind) if kind == "object" => {}
        _ => return Err("the schema of its arguments is not that of an object".to_owned()),
    }
    clean_value(&mut parameters, DESCRIPTION_BYTES);
    let description = clean_up_to(description.trim(), DESCRIPTION_BYTES);
    let server = clean_line(server, 60);
    // The model is told whose words these are.
    let description = match description.as_str() {
        "" => format!(
            "A tool of the server `{server}`, which describes it by its name only: {}",
            clean_line(&tool.name, 100)
        ),
        said => format!("A tool of the server `{server}`, in its words: {said}"),
    };
    Ok(ListedTool { description, parameters, digest })
}
