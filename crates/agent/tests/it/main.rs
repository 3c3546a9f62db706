//! The layer `agent`: whatever a model calls ends as exactly one result, and the loop ends.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod approval;
mod budget;
mod call;
mod coerce;
mod kill;
mod middleware;
mod rate;
mod tool;
mod trim;
mod turn;
mod typed_question;
mod words;
mod xml;

use std::sync::Arc;

use serde::Deserialize;
use stategraph_agent::{Agent, CallPolicy, Conversation, NoArguments, Stack, Tool, ToolOutput, Toolbox};
use stategraph_llm::{ScriptedAnswer, ToolCall};
use tokio::sync::Notify;

/// Says what it is told.
pub(crate) struct Echo;

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    text: String,
}

impl Tool for Echo {
    type Arguments = Said;

    fn name(&self) -> &'static str {
        "echo"
    }

    fn description(&self) -> &'static str {
        "Says it again."
    }

    async fn run(&self, said: Said) -> ToolOutput {
        ToolOutput::ok(said.text)
    }
}

/// Panics.
pub(crate) struct Broken;

impl Tool for Broken {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "broken"
    }

    fn description(&self) -> &'static str {
        "Has a bug."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        panic!("index {} out of bounds", 7)
    }
}

/// Never answers; says when it has begun.
pub(crate) struct Endless(pub(crate) Arc<Notify>);

impl Tool for Endless {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "endless"
    }

    fn description(&self) -> &'static str {
        "Never answers."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        self.0.notify_one();
        std::future::pending().await
    }
}

pub(crate) fn toolbox() -> Toolbox {
    let tools = Toolbox::new().with(Echo).and_then(|tools| tools.with(Broken));
    tools.and_then(|tools| tools.with(Endless(Arc::default()))).expect("three names")
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

pub(crate) fn echo(id: &str, text: &str) -> ToolCall {
    call(id, "echo", &serde_json::json!({ "text": text }).to_string())
}

pub(crate) fn calling(tool_calls: Vec<ToolCall>) -> ScriptedAnswer {
    ScriptedAnswer { tool_calls, ..ScriptedAnswer::default() }
}

/// Every call of a conversation is followed by exactly one result, in order (ENG-10).
pub(crate) fn assert_whole(conversation: &Conversation) {
    let mut messages = conversation.messages.iter();
    while let Some(message) = messages.next() {
        assert_eq!(message.tool_call_id, None, "a result without a call");
        for call in &message.tool_calls {
            let result = messages.next().expect("a result per call");
            assert_eq!(result.tool_call_id.as_ref(), Some(&call.id));
        }
    }
}

/// What the agent was asked to do, in one place.
pub(crate) fn agent<'a>(
    model: &'a stategraph_llm::Scripted,
    toolbox: &'a Toolbox,
    stack: Stack<'a>,
) -> Agent<'a> {
    Agent::new("tester", model, toolbox).stack(stack).calls(CallPolicy::default())
}
