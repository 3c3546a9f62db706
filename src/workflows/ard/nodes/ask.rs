//! Asks an agent's model for a typed answer and journals every answer, also a refused one. After a crash no answer is
//! requested twice (ARD-75).

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::Words;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::llm::{AskPolicy, Asking, ChatAnswer, ChatRequest, ModelError, RefusedAnswer, Reply, SharedModel};
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{Debate, DebateUpdate};

/// Number of re-asks after an invalid answer (ARD-35, ARD-49).
const REASKS: u32 = 1;

/// Characters of a refused answer that an error shows.
const SHOWN: usize = 300;

/// The result of asking.
pub(super) enum AskOutcome<T> {
    /// A valid answer.
    Accepted(Reply<T>),
    /// The last of several invalid answers.
    Refused(RefusedAnswer),
}

/// The rule for a resumed run that finds only refused answers in its journal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterRefusal {
    /// Ask once more, because the refusal was an error: without a new answer, each resume would fail the same way.
    AskAgain,
    /// Do not ask again, because the node continues after a refusal.
    Settle,
}

/// Asks until an answer is valid or the re-asks are used up. Fails if the model gives no answer at all.
pub(super) async fn ask<T: DeserializeOwned + JsonSchema>(
    task: DebateTask,
    asking: &mut Asking<T>,
    after_refusal: AfterRefusal,
    check: impl Fn(&T) -> Result<(), String> + Send + Sync,
    cx: &Cx<DebateServices>,
) -> NodeResult<AskOutcome<T>> {
    let model = cx.services().model(task.agent());
    let mut number = 0_u32;
    loop {
        number += 1;
        let is_new = AtomicBool::new(false);
        let key = format!("{}.{number}", task.name());
        let call = async {
            is_new.store(true, Ordering::Relaxed);
            model.chat(asking.request(), &Words::new(cx, &key)).await.map_err(no_answer)
        };
        let answer: ChatAnswer = cx.once(&key, call).await?;
        let refused = match asking.judge(answer, &check) {
            Ok(reply) => return Ok(AskOutcome::Accepted(reply)),
            Err(refused) => refused,
        };
        let may_end = after_refusal == AfterRefusal::Settle || is_new.load(Ordering::Relaxed);
        if refused.attempts > REASKS && may_end {
            return Ok(AskOutcome::Refused(refused));
        }
    }
}

/// Returns the debate with the model that the agent has now, and the update that records it. The two differ if the
/// user corrected the model on a resume.
pub(super) fn with_current_model<'a>(
    agent: DebateAgent,
    debate: &'a Debate,
    cx: &Cx<DebateServices>,
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

/// Returns the policy for re-asks.
pub(super) fn ask_policy() -> AskPolicy {
    AskPolicy::reasks(REASKS)
}

/// Renders the prompts of a task. An error is permanent, because a retry renders the same prompt.
pub(super) fn build_request(
    task: DebateTask,
    request: &impl Serialize,
    cx: &Cx<DebateServices>,
) -> NodeResult<ChatRequest> {
    cx.services().build_request(task, request).map_err(|error| {
        let hint = error.hint();
        hinted(NodeError::from(error), hint)
    })
}

/// Converts an error of the model layer into a permanent one, because that layer already made all useful retries
/// (ENG-15).
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

/// Makes the error for giving up. It holds the raw answer, and its hint shows the beginning of it (ENG-14).
pub(super) fn refusal_error(refused: RefusedAnswer, model: &SharedModel) -> NodeError {
    let said = excerpt(&refused.raw);
    let error = refused.by(model);
    let advice = error.hint().unwrap_or_default();
    NodeError::from(error)
        .permanent()
        .with_hint(format!("{advice}; resume to ask it once more. What it said: {said}"))
}

fn excerpt(raw: &str) -> String {
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

/// Joins the objections to an answer into one text.
pub(super) fn join_problems<P: std::fmt::Display>(problems: &[P]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
