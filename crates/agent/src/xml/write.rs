//! Writes tool definitions, calls and results as text, for models without native tool calls (DOC-106). Reads
//! nothing; see `parse`.

use std::fmt::Write as _;

use serde_json::Value;

use stategraph_llm::{Message, ToolCall, ToolSpec};

/// Returns the instructions for the model: the form of calls, and each tool with its description and schema.
pub(super) fn offers(tools: &[ToolSpec]) -> String {
    let mut text = String::from(
        "You can call tools. To call some, end your answer with one block of this form, a value per parameter, lists and objects as JSON:\n\n\
         <function_calls>\n<invoke name=\"tool\">\n<parameter name=\"parameter\">value</parameter>\n</invoke>\n</function_calls>\n\n\
         Then wait: the results come in a `function_results` block. The tools, each with the JSON Schema of its parameters:\n",
    );
    for ToolSpec { name, description, parameters } in tools {
        write!(text, "\n- {name}: {description}\n  {parameters}").expect("a string takes all");
    }
    text
}

/// Returns the text of an assistant message: its text, then its calls as a `function_calls` block.
pub(super) fn calling(text: &str, calls: &[ToolCall]) -> String {
    let mut written = String::new();
    if !text.is_empty() {
        written = format!("{text}\n\n");
    }
    written.push_str("<function_calls>\n");
    calls.iter().for_each(|call| written.push_str(&invoke(call)));
    written.push_str("</function_calls>");
    written
}

/// Returns a call as an `invoke` element. Arguments that are not a JSON object are left out.
fn invoke(call: &ToolCall) -> String {
    let mut written = format!("<invoke name=\"{}\">\n", call.name);
    if let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) {
        for (name, value) in &arguments {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            writeln!(written, "<parameter name=\"{name}\">{value}</parameter>").expect("a string takes all");
        }
    }
    written.push_str("</invoke>\n");
    written
}

/// Returns successive tool results as one `function_results` block. `named` returns the name of a result's
/// tool.
pub(super) fn results(results: &[Message], named: impl Fn(&Message) -> String) -> String {
    let mut written = String::from("<function_results>\n");
    for result in results {
        let (name, content) = (named(result), &result.content);
        writeln!(written, "<result name=\"{name}\">\n{content}\n</result>").expect("a string takes all");
    }
    written.push_str("</function_results>");
    written
}
