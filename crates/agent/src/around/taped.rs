//! Takes the results of tools from the tape of a run, and puts them there: a replay reads no file and asks no server.

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;

use crate::{Middleware, Next, ToolOutput};
use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::{ModelErrorKind, Tape, ToolCall};

/// Middleware for tools that read from outside. Tools that change what the run keeps are left alone: a replay has to do that again.
/// Stands inside the journal, next to the tools.
pub struct Taped {
    tape: Tape,
    reading: Vec<String>,
}

impl Taped {
    /// Makes the middleware. `reading` has the names of the tools whose results go through `tape`.
    pub fn new<S: Into<String>>(tape: &Tape, reading: impl IntoIterator<Item = S>) -> Self {
        Self { tape: tape.clone(), reading: reading.into_iter().map(Into::into).collect() }
    }
}

impl Middleware for Taped {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        if !self.reading.contains(&call.name) {
            return next.run(call);
        }
        async move {
            let name = format!("tool {}", call.name);
            let input = json!({ "arguments": call.arguments });
            self.tape.effect(&name, input, off_the_tape, next.run(call)).await
        }
        .boxed()
    }
}

/// Returns the error of a node whose work is not on the tape, or cannot be put there.
pub fn off_the_tape(kind: ModelErrorKind) -> NodeError {
    NodeError::from(kind).permanent().with_hint("record again: input, files or the graph have changed since")
}
