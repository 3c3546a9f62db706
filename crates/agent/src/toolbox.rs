//! A set of tools: their descriptions for a model, and the dispatch of calls. Any call that a model sends gets a result, never a crash
//! (ENG-30). No time limits and no middleware; see `call`.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::coerce::coerce;
use super::limit::{ARGUMENT_BYTES, QUOTED_CHARS, TOOL_NAME_BYTES};
use super::priority::{Priority, ToolCost};
use super::tool::{Tool, ToolFailure, ToolOutput, panicked_output};
use super::unwind::caught;
use stategraph_base::cut;
use stategraph_core::nearest;
use stategraph_llm::{ToolCall, ToolSpec};

/// A set of tools by name. Cheap to clone. An agent offers every tool of its set to the model (EXP-20).
///
/// ```
/// use stategraph_agent::{Toolbox, function_tool};
/// use stategraph_llm::ToolCall;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Text { text: String }
///
/// let length = async |Text { text }: Text| text.len().to_string();
/// let toolbox = Toolbox::new().with(function_tool("length", "Counts bytes.", length))?;
/// let call = |name: &str| ToolCall { id: "1".into(), name: name.into(), arguments: r#"{"text": "abc"}"#.into() };
/// assert_eq!(toolbox.call(&call("length")).await.content, "3");
/// assert_eq!(toolbox.call(&call("lenght")).await.content, "no tool `lenght`; did you mean `length`? (tools: length)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<dyn ErasedTool>>,
    specs: Vec<ToolSpec>,
}

impl Toolbox {
    /// Makes an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. Fails if its name is invalid or taken, or if the schema of its arguments is not an
    /// object.
    pub fn with(mut self, tool: impl Tool) -> Result<Self, ToolboxError> {
        let name = tool.name().to_owned();
        let portable = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if !(1..=TOOL_NAME_BYTES).contains(&name.len()) || !name.bytes().all(portable) {
            return Err(ToolboxError::BadName { name });
        }
        let parameters = tool.parameters().to_value();
        if parameters["type"] != "object" {
            return Err(ToolboxError::NotAnObject { name });
        }
        let spec = ToolSpec {
            name: name.clone(),
            description: tool.description().to_owned(),
            parameters: parameters.into(),
        };
        if self.tools.insert(name.clone(), Arc::new(tool)).is_some() {
            return Err(ToolboxError::DuplicateName { name });
        }
        self.specs.push(spec);
        Ok(self)
    }

    /// Returns a set of those tools that `names` lists. Unknown names are ignored.
    pub fn only(&self, names: &[String]) -> Self {
        let tools = self.tools.iter().filter(|(name, _)| names.contains(name));
        let specs = self.specs.iter().filter(|spec| names.contains(&spec.name));
        Self {
            tools: tools.map(|(name, tool)| (name.clone(), tool.clone())).collect(),
            specs: specs.cloned().collect(),
        }
    }

    /// Returns the descriptions of the tools for a model, in the order of adding.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Returns the priority of the results of the tool `name`; the default for an unknown tool.
    pub fn priority(&self, name: &str) -> Priority {
        self.tools.get(name).map(|tool| tool.priority()).unwrap_or_default()
    }

    /// Returns the priorities of all tools, for [`Trimming`](super::around::Trimming).
    pub fn priorities(&self) -> BTreeMap<String, Priority> {
        self.tools.iter().map(|(name, tool)| (name.clone(), tool.priority())).collect()
    }

    /// Returns the names of the tools with exactly this cost, for [`Approval`](super::around::Approval).
    pub fn costing(&self, cost: ToolCost) -> Vec<String> {
        let tools = self.tools.iter().filter(|(_, tool)| tool.cost() == cost);
        tools.map(|(name, _)| name.clone()).collect()
    }

    /// Runs `call` and returns its output. An unknown tool, arguments that do not fit and a panic give a
    /// failed output, which names the problem for the model.
    pub async fn call(&self, call: &ToolCall) -> ToolOutput {
        let Some(tool) = self.tools.get(&call.name) else {
            return self.unknown(&call.name);
        };
        if call.arguments.len() > ARGUMENT_BYTES {
            let problem = format!("they have {} bytes, more than {ARGUMENT_BYTES}", call.arguments.len());
            return bad_arguments(call, &problem);
        }
        let spec = self.specs.iter().find(|spec| spec.name == call.name).expect("every tool has its spec");
        caught(|| tool.call(call, &spec.parameters)).await.unwrap_or_else(|message| panicked_output(&message))
    }

    /// Returns the arguments of a call, parsed and converted as [`call`](Self::call) does, for middleware
    /// that decides on calls. Returns `None` for an unknown tool and for arguments that do not fit.
    pub fn arguments<A: DeserializeOwned>(&self, call: &ToolCall) -> Option<A> {
        let spec = self.specs.iter().find(|spec| spec.name == call.name)?;
        (call.arguments.len() <= ARGUMENT_BYTES).then(|| parse(&call.arguments, &spec.parameters).ok())?
    }

    /// Makes the output for a call of an unknown tool: with the nearest known name, if any, and a list of all
    /// tools.
    fn unknown(&self, name: &str) -> ToolOutput {
        let names: Vec<&str> = self.tools.keys().map(String::as_str).collect();
        let meant = (name.len() <= TOOL_NAME_BYTES)
            .then(|| nearest(name, names.iter().copied()))
            .flatten()
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        let there = match names.as_slice() {
            [] => "there are no tools".to_owned(),
            names => format!("tools: {}", names.join(", ")),
        };
        let reason = format!("no tool `{}`{meant} ({there})", shorten(name));
        ToolOutput::failure(ToolFailure::UnknownTool, reason)
    }
}

/// A tool without its argument type: it parses the JSON text itself.
trait ErasedTool: Send + Sync {
    fn priority(&self) -> Priority;
    fn cost(&self) -> ToolCost;
    fn call<'a>(&'a self, call: &'a ToolCall, schema: &'a Value) -> BoxFuture<'a, ToolOutput>;
}

impl<T: Tool> ErasedTool for T {
    fn priority(&self) -> Priority {
        Tool::priority(self)
    }

    fn cost(&self) -> ToolCost {
        Tool::cost(self)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, schema: &'a Value) -> BoxFuture<'a, ToolOutput> {
        async move {
            match parse(&call.arguments, schema) {
                Ok(arguments) => self.run(arguments).await,
                Err(error) => bad_arguments(call, &error.to_string()),
            }
        }
        .boxed()
    }
}

/// Parses the arguments of a call. Empty text and `null` count as `{}`, because models send them to tools
/// without arguments. Arguments that do not fit are converted by the schema (`"3"` → `3`, DOC-36) and parsed
/// again; if that fails too, the first error is returned.
fn parse<A: DeserializeOwned>(arguments: &str, schema: &Value) -> Result<A, serde_json::Error> {
    let given = match arguments.trim() {
        "" | "null" => "{}",
        given => given,
    };
    serde_json::from_str(given).or_else(|error| {
        let as_told = serde_json::from_str(given).map(|value| coerce(value, schema));
        as_told.and_then(serde_json::from_value).map_err(|_: serde_json::Error| error)
    })
}

/// Makes the failed output for arguments that do not fit. It quotes the problem and the arguments, both
/// shortened.
fn bad_arguments(call: &ToolCall, problem: &str) -> ToolOutput {
    let reason = format!(
        "the arguments of `{}` do not fit: {}; they were: {}",
        call.name,
        shorten(problem),
        shorten(&call.arguments)
    );
    ToolOutput::failure(ToolFailure::BadArguments, reason)
}

/// Cuts a text that is quoted in an error message.
fn shorten(written: &str) -> String {
    cut(written, QUOTED_CHARS).to_string()
}

/// The reason why a tool cannot be added to a toolbox: a bug in the code that adds it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToolboxError {
    /// The name is empty, too long, or has characters that endpoints refuse.
    #[error("`{name}` cannot be a tool's name")]
    BadName {
        /// The name.
        name: String,
    },
    /// The toolbox has a tool of this name already.
    #[error("two tools are named `{name}`")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// The schema of the arguments is not that of an object, as calls require.
    #[error("the arguments of the tool `{name}` are no object")]
    NotAnObject {
        /// The tool.
        name: String,
    },
}

impl ToolboxError {
    /// Returns the hint: the next step for the developer.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::BadName { .. } => "use 1 to 64 letters, digits, `_` and `-`",
            Self::DuplicateName { .. } => "rename one of them",
            Self::NotAnObject { .. } => "make `Arguments` a struct with named fields",
        }
    }
}
