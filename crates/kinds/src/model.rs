//! The kind `model`: one question to a model, re-asked until the answer fits the schema. Every answer is journaled at
//! once.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::desk::{Desk, Reader};
use super::history::{Spoken, answered, kept};
use super::node::permanent;
use super::services::Services;
use super::work::Place;
use stategraph_agent::around::Throttle;
use stategraph_agent::{Words, no_answer};
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::expression::{Operand, Scope};
use stategraph_files::inline::Shape;
use stategraph_files::kind::ModelKind;
use stategraph_llm::{
    AnswerSchema, AskPolicy, Asking, ChatAnswer, ChatModel as _, ChatRequest, Message, ModelError, Offline,
    RefusedAnswer, RuleError, SharedModel,
};

/// Name of the task under which the offline model is called.
pub const OFFLINE_RULE: &str = "graph.offline";

/// Characters of an invalid answer that an error shows.
const SHOWN: usize = 300;

/// The value of the key `offline` of a node.
#[derive(Serialize, Deserialize)]
struct Said {
    answer: Value,
}

/// Returns the offline model that answers the nodes of graph files.
pub fn rules() -> Offline {
    Offline::builder().rule(OFFLINE_RULE, |said: Said| Ok::<Value, RuleError>(said.answer)).build()
}

pub(super) async fn result(
    kind: &ModelKind,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let model = found(kind.name.as_deref(), kind.api_key.as_deref(), place, cx)?;
    let ModelKind { system, prompt, history, .. } = kind;
    let spoken = Spoken { system: system.as_ref(), prompt: prompt.as_ref(), history: history.as_deref() };
    let mut request = spoken.request(scope, place)?;
    request.temperature = kind.temperature;
    request.max_tokens = kind.max_tokens;
    request = with_offline(request, model, kind.offline.as_ref(), scope, place)?;
    if let Some(names) = &kind.tools {
        request.tools = Desk::open(names, Reader::Model, place, cx)?.offered();
    }
    if let Some(shape) = &kind.schema {
        return fitting(kind, shape, request, model, place, cx).await;
    }
    let answer = answer(&request, model, None, "answer", place, cx).await?;
    let calls = if kind.tools.is_some() { answer.tool_calls.clone() } else { Vec::new() };
    place.say([answered(&Message::calling(&answer.text, calls), answer.usage)?]);
    Ok(match kind.tools {
        Some(_) => json!({ "text": answer.text, "calls": answer.tool_calls }),
        None => answer.text.into(),
    })
}

/// Returns the model of a node.
pub(super) fn found<'a>(
    name: Option<&str>,
    key: Option<&str>,
    place: &Place<'_>,
    cx: &'a Cx<Services>,
) -> NodeResult<&'a SharedModel> {
    let key = key.and_then(|secret| place.parts.secrets.get(secret));
    cx.services().models.find(name, key).ok_or_else(|| {
        let name = name.unwrap_or_default();
        NodeError::msg(format!("the run was made ready without the model `{name}`")).permanent()
    })
}

/// Adds the answer of the key `offline` to the request, if the model is an offline one. Fails if the node has no such
/// key.
pub(super) fn with_offline(
    request: ChatRequest,
    model: &SharedModel,
    offline: Option<&Operand>,
    scope: &Scope<'_>,
    place: &Place<'_>,
) -> NodeResult<ChatRequest> {
    if model.name().provider() != rules().name().provider() {
        return Ok(request);
    }
    let Some(offline) = offline else {
        if model.name() != rules().name() {
            return Ok(request);
        }
        let error = NodeError::msg(format!("`{}` asks a model, and none is named", place.node)).permanent();
        return Err(error.with_hint(
            "name one: `--model gemini-2.5-flash`, or `model:` in the file; or say what is answered without: `offline:`",
        ));
    };
    let answer = offline.evaluate(scope).map_err(permanent)?;
    Ok(request.task(OFFLINE_RULE, &Said { answer }))
}

/// Calls the model once, as soon as `throttle` allows it, and journals the answer.
pub(super) async fn answer(
    request: &ChatRequest,
    model: &SharedModel,
    throttle: Option<&Throttle>,
    name: &str,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<ChatAnswer> {
    let key = place.key(name);
    let ask = async {
        let words = Words::new(cx, &key);
        let ask = async { model.chat(request, &words).await.map_err(unanswered) };
        match throttle {
            Some(throttle) => throttle.pass(request, ask).await,
            None => ask.await,
        }
    };
    let answer = cx.once(&key, ask).await?;
    place.count(model.name(), &answer);
    Ok(answer)
}

/// Converts the error of a request. The model layer already retried transient errors; they stay retryable for a node
/// with a `retry` of its
/// own.
fn unanswered(error: ModelError) -> NodeError {
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

/// Asks until an answer fits the schema.
async fn fitting(
    kind: &ModelKind,
    shape: &Shape,
    mut request: ChatRequest,
    model: &SharedModel,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let schema =
        Schema::try_from(shape.schema().clone()).map_err(|error| NodeError::from(error).permanent())?;
    request.answer = Some(AnswerSchema { name: schema_name(place.node), schema });
    let mut asking: Asking<Value> = Asking::new(request, AskPolicy::reasks(kind.reasks()));
    let mut number = 0_u32;
    loop {
        number += 1;
        let is_new = AtomicBool::new(false);
        let key = place.key(&format!("answer.{number}"));
        let ask = async {
            is_new.store(true, Ordering::Relaxed);
            model.chat(asking.request(), &Words::new(cx, &key)).await.map_err(unanswered)
        };
        let answer: ChatAnswer = cx.once(&key, ask).await?;
        place.count(model.name(), &answer);
        match asking.judge(answer, &|_| Ok(())) {
            Ok(reply) => {
                place.say([kept(&Message::assistant(reply.value.to_string()))?]);
                return Ok(reply.value);
            }
            // A resumed run may ask once more. Otherwise it would be stuck with the journaled invalid answers.
            Err(refused) if refused.attempts > kind.reasks() && is_new.load(Ordering::Relaxed) => {
                return Err(given_up(refused, model));
            }
            Err(_) => {}
        }
    }
}

/// Returns a name of the schema that all model endpoints accept.
fn schema_name(node: &str) -> String {
    const LONGEST: usize = 64;
    let portable = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    node.chars().map(portable).take(LONGEST).collect()
}

fn given_up(refused: RefusedAnswer, model: &SharedModel) -> NodeError {
    let raw = refused.raw.split_whitespace().collect::<Vec<_>>().join(" ");
    let said: String = raw.chars().take(SHOWN).collect();
    let error = refused.by(model);
    let advice = error.hint().unwrap_or_default();
    let hint = format!("{advice}; resume to ask it once more. What it said: {said}");
    NodeError::from(error).permanent().with_hint(hint)
}
