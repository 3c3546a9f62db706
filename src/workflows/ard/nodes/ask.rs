//! Asks an agent's model for a typed answer and journals every answer as it comes: after a kill or a failure none of them is
//! asked for again (ARD-75), not even those that were refused.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::Words;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::llm::{AskPolicy, Asking, ChatAnswer, ChatRequest, ModelError, RefusedAnswer, Reply, SharedModel};
use crate::workflows::ard::services::{Agent, Errand, Services};
use crate::workflows::ard::state::{Debate, DebateUpdate};

/// An answer that breaks the protocol is asked for once more (ARD-35, ARD-49).
const REASKS: u32 = 1;

/// Characters of a refused answer that an error shows.
const SHOWN: usize = 300;

/// What asking came to.
pub(super) enum Asked<T> {
    /// An answer that keeps the protocol.
    Accepted(Reply<T>),
    /// Answers, but none that does.
    Refused(RefusedAnswer),
}

/// Whether a resumed run may ask again after answers that were all refused. If it may not, the run would be stuck.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterRefusal {
    /// It may, once: the refusal was an error, and the user wants to go on.
    AskAgain,
    /// It need not: the refusal leads on.
    Settle,
}

/// Asks until an answer is accepted, or once more than [`REASKS`] says; without any answer the node fails.
pub(super) async fn ask<T: DeserializeOwned + JsonSchema>(
    errand: Errand,
    asking: &mut Asking<T>,
    after_refusal: AfterRefusal,
    check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    cx: &Cx<Services>,
) -> NodeResult<Asked<T>> {
    let model = cx.services().model(errand.agent());
    let mut number = 0_u32;
    loop {
        number += 1;
        let is_new = AtomicBool::new(false);
        let key = format!("{}.{number}", errand.task());
        let call = async {
            is_new.store(true, Ordering::Relaxed);
            model.chat(asking.request(), &Words::new(cx, &key)).await.map_err(no_answer)
        };
        let answer: ChatAnswer = cx.once(&key, call).await?;
        let refused = match asking.judge(answer, &check) {
            Ok(reply) => return Ok(Asked::Accepted(reply)),
            Err(refused) => refused,
        };
        let may_end = after_refusal == AfterRefusal::Settle || is_new.load(Ordering::Relaxed);
        if refused.attempts > REASKS && may_end {
            return Ok(Asked::Refused(refused));
        }
    }
}

/// The debate with the model that the agent has now, and an update that says so: the user may have corrected it since the debate
/// began.
pub(super) fn as_resumed<'a>(
    agent: Agent,
    debate: &'a Debate,
    cx: &Cx<Services>,
) -> (Cow<'a, Debate>, DebateUpdate) {
    let settings = &debate.settings;
    match cx.services().settings().filter(|now| now.model(agent) != settings.model(agent)) {
        None => (Cow::Borrowed(debate), Debate::update()),
        Some(now) => {
            let settings = settings.clone().with_model_of(agent, now);
            let update = Debate::update().settings(settings.clone());
            (Cow::Owned(Debate { settings, ..debate.clone() }), update)
        }
    }
}

/// How often the protocol lets an agent try.
pub(super) fn protocol() -> AskPolicy {
    AskPolicy::reasks(REASKS)
}

/// The request with its prompts; what a prompt lacks does not come by trying again.
pub(super) fn prompt(errand: Errand, request: &impl Serialize, cx: &Cx<Services>) -> NodeResult<ChatRequest> {
    cx.services().request(errand, request).map_err(|error| {
        let hint = error.hint();
        hinted(NodeError::from(error), hint)
    })
}

/// What the model layer could not do is not tried again by the engine: the layer has retried what can be retried (ENG-15).
fn no_answer(error: ModelError) -> NodeError {
    let hint = error.hint();
    hinted(NodeError::from(error), hint)
}

fn hinted(error: NodeError, hint: Option<String>) -> NodeError {
    let error = error.permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// The error of giving up. It holds the raw answer, and the hint shows its beginning (ENG-14).
pub(super) fn refused(refused: RefusedAnswer, model: &SharedModel) -> NodeError {
    let said = shown(&refused.raw);
    let error = refused.by(model);
    let advice = error.hint().unwrap_or_default();
    NodeError::from(error)
        .permanent()
        .with_hint(format!("{advice}; resume to ask it once more. Its answer: {said}"))
}

fn shown(raw: &str) -> String {
    let line = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => {
            let left = line[end..].chars().count();
            format!("{}… ({left} more characters)", &line[..end])
        }
        None if line.is_empty() => "nothing".to_owned(),
        None => line,
    }
}

/// Objections to an answer as one text.
pub(super) fn listed<P: std::fmt::Display>(problems: &[P]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
