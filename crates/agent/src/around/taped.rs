//! Records the results of tools on the tape of a run and takes them from it in a replay: a replay reads no
//! file and asks no server.

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;

use crate::{Middleware, Next, ToolOutput};
use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::{ModelErrorKind, Tape, ToolCall};

/// Middleware that records and replays the results of tools that only read. Tools that change data of the run
/// are not taped, because a replay has to run them again. Place it inside the journal, as the innermost
/// layer.
pub struct Taped {
    tape: Tape,
    reading: Vec<String>,
}

impl Taped {
    /// Makes the middleware. `reading` lists the tools whose results go through `tape`.
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

/// Converts an error of the tape to a permanent error of a node, with the hint to record again. It occurs
/// when a replay finds no record for its input, or a record cannot be written.
pub fn off_the_tape(kind: ModelErrorKind) -> NodeError {
    NodeError::from(kind).permanent().with_hint("record again: input, files or the graph have changed since")
}
