//! The models of a test case. Each node gets the answers that the case lists for it, in order; a node that
//! the case does not name gets the value of its key `offline`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use futures_util::future::{self, BoxFuture, FutureExt};
use serde_json::Value;

use crate::rules;
use stategraph_llm::{
    ChatAnswer, ChatModel, ChatRequest, ModelError, ModelErrorKind, ModelName, Offline, Scripted,
    ScriptedAnswer, TokenSink, ToolCall,
};

/// The scripted answers of a test case, as one model for all nodes. It finds the node by the label of the
/// request.
pub(super) struct ScriptedModels {
    /// Answers by node.
    said: BTreeMap<String, Script>,
    rules: Offline,
    name: ModelName,
}

/// The scripted answers of one node.
struct Script {
    /// The answers that have not been used.
    left: Mutex<VecDeque<Value>>,
    /// Number of answers in the case.
    given: usize,
}

impl ScriptedModels {
    /// Makes the model from the answers of a case, by node.
    pub(super) fn new(models: &BTreeMap<String, Vec<Value>>) -> Self {
        let script = |said: &Vec<Value>| Script {
            left: Mutex::new(said.iter().cloned().collect()),
            given: said.len(),
        };
        let said = models.iter().map(|(node, said)| (node.clone(), script(said)));
        Self { said: said.collect(), rules: rules(), name: ModelName::new("offline", "case") }
    }

    /// Returns each node with unused answers, and their number.
    pub(super) fn unused_answers(&self) -> Vec<(String, usize)> {
        let left = self
            .said
            .iter()
            .map(|(node, said)| (node.clone(), said.left.lock().expect("nobody panics").len()));
        left.filter(|(_, left)| *left > 0).collect()
    }
}

impl ChatModel for ScriptedModels {
    /// Returns a name of the offline provider, so that nodes send the value of their key `offline` with the request.
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        sink: &'a dyn TokenSink,
    ) -> BoxFuture<'a, Result<ChatAnswer, ModelError>> {
        let Some(said) = self.said.get(&request.label) else { return self.rules.chat(request, sink) };
        let Some(value) = said.left.lock().expect("nobody panics").pop_front() else {
            let kind = ModelErrorKind::ScriptEnded { answers: said.given, question: said.given + 1 };
            let model = ModelName::new("test", request.label.as_str());
            return future::ready(Err(ModelError::new(&model, kind))).boxed();
        };
        let once = Scripted::new("test/case").reply(answer(&value));
        async move { once.chat(request, sink).await }.boxed()
    }
}

/// Converts a scripted value to an answer: a string is its text, a map with `calls` has tool calls, any other
/// value is sent as JSON text.
fn answer(value: &Value) -> ScriptedAnswer {
    let calls = value.get("calls").and_then(Value::as_array);
    let tool_calls: Vec<ToolCall> = calls
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(at, call)| ToolCall {
            id: format!("call_{}", at + 1),
            name: call["name"].as_str().unwrap_or_default().to_owned(),
            arguments: call.get("arguments").map_or_else(|| "{}".to_owned(), Value::to_string),
        })
        .collect();
    let text = match value {
        Value::String(text) => text.clone(),
        _ if calls.is_some() => value["text"].as_str().unwrap_or_default().to_owned(),
        value => value.to_string(),
    };
    ScriptedAnswer { text, tool_calls, ..ScriptedAnswer::default() }
}
