//! Prompts, answers and results of tools, shown with `--debug`. It stands inside the journal, so that nothing is
//! shown twice.

use futures_util::future::{BoxFuture, FutureExt};

use crate::agent::{Middleware, Next, NextModel, ToolOutput};
use crate::engine::{Cx, NodeResult};
use crate::llm::{ChatAnswer, ChatRequest, Role, ToolCall};
use crate::workflows::contextualize::nodes::ask::show_text;
use crate::workflows::contextualize::services::ContextServices;

/// Middleware that shows the prompts, answers and tool results of the agent to a user with `--debug`.
pub(super) struct DebugOutput<'a>(pub(super) &'a Cx<ContextServices>);

impl Middleware for DebugOutput<'_> {
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        async move {
            let number = next.round().number;
            // The messages of a first round; results of tools are shown when they come.
            let is_new = |role: Role| matches!(role, Role::System | Role::User);
            for message in request.messages.iter().filter(|message| number == 1 && is_new(message.role)) {
                let title = format!("{:?} prompt of the agent", message.role).to_lowercase();
                show_text(&title, &message.content, self.0)?;
            }
            let answer = next.ask(request).await?;
            show_text(&format!("answer of the agent in round {number}"), &answer.text, self.0)?;
            Ok(answer)
        }
        .boxed()
    }

    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let output = next.run(call.clone()).await?;
            show_text(&format!("result of {} {}", call.name, call.arguments), &output.content, self.0)?;
            Ok(output)
        }
        .boxed()
    }
}
