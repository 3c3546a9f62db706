//! The node kind `model`: one question to a model, re-asked until the answer fits the schema. Every answer is
//! journaled as it arrives.

use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::dispatcher::{AnswerConsumer, ToolDispatcher};
use super::history::{PromptParts, answer_json, message_json};
use super::node::expression_error;
use super::services::Services;
use super::work::WorkContext;
use stategraph_agent::around::Throttle;
use stategraph_agent::{StreamedAnswer, TypedQuestion, UsageEvent, no_answer};
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::expression::{EvalScope, Operand};
use stategraph_files::inline::ValueType;
use stategraph_files::kind::ModelKind;
use stategraph_llm::{
    AnswerSchema, AskPolicy, ChatAnswer, ChatModel as _, ChatRequest, Message, ModelError, Offline,
    RuleError, SharedModel, TypedRequest,
};

/// Name of the task that nodes of graph files send to the model `offline`.
pub const OFFLINE_RULE: &str = "graph.offline";

/// The input of the offline rule: the value of a node's key `offline`.
#[derive(Serialize, Deserialize)]
struct OfflineAnswer {
    answer: Value,
}

/// Returns the model `offline` for graph files: it answers each request with the value of the node's key
/// `offline`.
pub fn rules() -> Offline {
    Offline::builder().rule(OFFLINE_RULE, |said: OfflineAnswer| Ok::<Value, RuleError>(said.answer)).build()
}

/// Asks the model of a `model` node. Returns its text, a map of text and tool calls if the node names tools,
/// or the value that fits the schema if it has one.
pub(super) async fn run(
    kind: &ModelKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let model = find_model(kind.name.as_deref(), kind.api_key.as_deref(), work, cx)?;
    let ModelKind { system, prompt, history, .. } = kind;
    let prompt_parts =
        PromptParts { system: system.as_ref(), prompt: prompt.as_ref(), history: history.as_deref() };
    let mut request = prompt_parts.build_request(scope, work)?;
    request.temperature = kind.temperature;
    request.max_tokens = kind.max_tokens;
    request = with_offline(request, model, kind.offline.as_ref(), scope, work)?;
    if let Some(names) = &kind.tools {
        request.tools = ToolDispatcher::new(names, AnswerConsumer::Model, work, cx).await?.tool_specs();
    }
    if let Some(shape) = &kind.schema {
        return ask_until_valid(kind, shape, request, model, work, cx).await;
    }
    let answer = ask_once(&request, model, None, "answer", work, cx).await?;
    let calls = if kind.tools.is_some() { answer.tool_calls.clone() } else { Vec::new() };
    work.record_messages([answer_json(&Message::calling(&answer.text, calls), answer.usage)?]);
    Ok(match kind.tools {
        Some(_) => json!({ "text": answer.text, "calls": answer.tool_calls }),
        None => answer.text.into(),
    })
}

/// Returns the model for a node that names the model `name` and the secret `key`. Fails if the run was
/// started without it.
pub(super) fn find_model<'a>(
    name: Option<&str>,
    key: Option<&str>,
    work: &WorkContext<'_>,
    cx: &'a Cx<Services>,
) -> NodeResult<&'a SharedModel> {
    let key = key.and_then(|secret| work.file.secrets.get(secret));
    cx.services().models.find(name, key).ok_or_else(|| {
        let name = name.unwrap_or_default();
        NodeError::msg(format!("the run was made ready without the model `{name}`")).permanent()
    })
}

/// Adds the value of the node's key `offline` to the request, if `model` is an offline one; a language
/// model's request stays unchanged. Fails if the model is `offline` itself and the node has no such key.
pub(super) fn with_offline(
    request: ChatRequest,
    model: &SharedModel,
    offline: Option<&Operand>,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
) -> NodeResult<ChatRequest> {
    if model.name().provider() != rules().name().provider() {
        return Ok(request);
    }
    let Some(offline) = offline else {
        if model.name() != rules().name() {
            return Ok(request);
        }
        let error = NodeError::msg(format!("`{}` asks a model, and none is named", work.node)).permanent();
        return Err(error.with_hint(
            "give the run one: `gemini-2.5-flash`, or name it with `model:` in the file; or add a fixed answer with `offline:`",
        ));
    };
    let answer = offline.evaluate(scope).map_err(expression_error)?;
    Ok(request.task(OFFLINE_RULE, &OfflineAnswer { answer }))
}

/// Calls the model once, as soon as `throttle` allows it, streams the text to subscribers, journals the
/// answer and counts its cost.
pub(super) async fn ask_once(
    request: &ChatRequest,
    model: &SharedModel,
    throttle: Option<&Throttle>,
    name: &str,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<ChatAnswer> {
    let key = work.journal_key(name);
    let ask = async {
        let words = StreamedAnswer::new(cx, &key);
        let ask = async { model.chat(request, &words).await.map_err(request_error) };
        let answer = match throttle {
            Some(throttle) => throttle.pass(request, ask).await?,
            None => ask.await?,
        };
        UsageEvent::of(model.name(), &answer).tell(cx)?;
        Ok::<_, NodeError>(answer)
    };
    let answer = cx.once(&key, ask).await?;
    work.count_answer(model.name(), &answer);
    cx.tell_spent(work.spending());
    Ok(answer)
}

/// Converts the error of a request to an error of the node. Transient errors stay retryable, for a node with
/// a `retry` of its own, although the layers of the model have already retried.
fn request_error(error: ModelError) -> NodeError {
    if !error.is_transient() {
        return no_answer(error);
    }
    let hint = error.hint();
    let error = NodeError::from(error);
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// Asks the model, and again after an invalid answer, until an answer fits the type `shape`. Returns that
/// value.
async fn ask_until_valid(
    kind: &ModelKind,
    shape: &ValueType,
    mut request: ChatRequest,
    model: &SharedModel,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let schema =
        Schema::try_from(shape.schema().clone()).map_err(|error| NodeError::from(error).permanent())?;
    request.answer = Some(AnswerSchema::new(schema_name(work.node), schema));
    let asking: TypedRequest<Value> = TypedRequest::new(request, AskPolicy::reasks(kind.reasks()));
    let count_answer = |answer: &ChatAnswer| {
        work.count_answer(model.name(), answer);
        cx.tell_spent(work.spending());
    };
    let question = TypedQuestion::new(cx, model, work.journal_key("answer"), asking)
        .convert_error(request_error)
        .on_answer(&count_answer);
    let value = question.ask(|_| Ok(())).await?.value;
    work.record_messages([message_json(&Message::assistant(value.to_string()))?]);
    Ok(value)
}

/// Makes a schema name from the node's name, with the characters and the length that all endpoints accept.
fn schema_name(node: &str) -> String {
    const LONGEST: usize = 64;
    let portable = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    node.chars().map(portable).take(LONGEST).collect()
}
