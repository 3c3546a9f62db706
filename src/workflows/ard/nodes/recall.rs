//! What the history is in a prompt, and the paragraph made for it when it has grown too long (ARD-52 to ARD-54).

use super::ask::{AfterRefusal, Asked, ask, prompt, protocol, refused};
use crate::engine::{Cx, NodeResult};
use crate::llm::{Asking, Reply};
use crate::workflows::ard::exchange::{Recall, Recalled, Summary, SummaryRequest, recall};
use crate::workflows::ard::services::{Agent, Errand, Services};
use crate::workflows::ard::state::{Debate, DebateUpdate, Spent};

/// The history for an agent's prompt, with an addition to `update` that keeps a paragraph if one had to be made: both agents use it, and no
/// round goes into a paragraph twice.
pub(super) async fn remembered(
    agent: Agent,
    debate: &Debate,
    update: DebateUpdate,
    cx: &Cx<Services>,
) -> NodeResult<(Recalled, DebateUpdate)> {
    let history = &debate.challenge_history;
    let limit = debate.settings.history.of(debate.settings.model(agent));
    let request = match recall(history, debate.condensed.as_ref(), limit) {
        Recall::Ready(recalled) => return Ok((recalled, update)),
        Recall::Summarise(request) => request,
    };
    let reply = summarise(agent, &request, cx).await?;
    let condensed = request.answered(&reply.value);
    let rounds = history[condensed.rounds_covered..].to_vec();
    let update = update.condensed(condensed.clone()).spend(agent, Spent::of(&reply));
    Ok((Recalled { earlier: Some(condensed), rounds }, update))
}

async fn summarise(agent: Agent, request: &SummaryRequest, cx: &Cx<Services>) -> NodeResult<Reply<Summary>> {
    let errand = Errand::Summarise(agent);
    let mut asking = Asking::new(prompt(errand, request, cx)?, protocol());
    let check = |summary: &Summary| match summary.paragraph.trim() {
        "" => Err("`paragraph` is blank".to_owned()),
        _ => Ok(()),
    };
    match ask(errand, &mut asking, AfterRefusal::AskAgain, check, cx).await? {
        Asked::Accepted(reply) => Ok(reply),
        Asked::Refused(bad) => Err(refused(bad, cx.services().model(agent))),
    }
}
