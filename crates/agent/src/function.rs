//! A function as a tool, for tools without configuration of their own. Runs nothing; see `toolbox`.

use std::fmt::Display;
use std::future::Future;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::tool::{Tool, ToolOutput};

/// A tool that is a function of its arguments. [`function_tool`] makes it.
pub struct FunctionTool<A, F> {
    name: String,
    description: String,
    run: F,
    arguments: PhantomData<fn(A)>,
}

/// Makes a tool of an async function or closure. `description` tells the model when and how to use it. If the
/// function returns an error, the call gets a failed [`ToolOutput`] with the text of the error.
///
/// ```
/// use stategraph_agent::{Toolbox, function_tool};
/// use stategraph_llm::ToolCall;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Pair { a: i64, b: i64 }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let divide = async |Pair { a, b }: Pair| a.checked_div(b).ok_or("the divisor is 0").map(|quotient| quotient.to_string());
/// let tools = Toolbox::new().with(function_tool("divide", "Divides a by b.", divide))?;
/// let call = |arguments: &str| ToolCall { id: "1".into(), name: "divide".into(), arguments: arguments.into() };
/// assert_eq!(tools.call(&call(r#"{"a": 8, "b": 2}"#)).await.content, "4");
/// assert!(!tools.call(&call(r#"{"a": 8, "b": 0}"#)).await.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub fn function_tool<A, F, Fut>(
    name: impl Into<String>,
    description: impl Into<String>,
    run: F,
) -> FunctionTool<A, F>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoToolOutput> + Send,
{
    FunctionTool { name: name.into(), description: description.into(), run, arguments: PhantomData }
}

impl<A, F, Fut> Tool for FunctionTool<A, F>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoToolOutput> + Send,
{
    type Arguments = A;

    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    async fn run(&self, arguments: A) -> ToolOutput {
        (self.run)(arguments).await.into_tool_output()
    }
}

/// A type that the function of a [`FunctionTool`] may return: a text, a [`ToolOutput`], or a `Result` of one
/// of these with a displayable error.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    note = "a tool returns a text, a `ToolOutput`, or a `Result` of one of these"
)]
pub trait IntoToolOutput {
    /// Converts the value to the output of a tool.
    fn into_tool_output(self) -> ToolOutput;
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolOutput {
        self
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::ok(self)
    }
}

impl IntoToolOutput for &str {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::ok(self)
    }
}

impl<T: IntoToolOutput, E: Display> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> ToolOutput {
        match self {
            Ok(value) => value.into_tool_output(),
            Err(error) => ToolOutput::failed(error.to_string()),
        }
    }
}
