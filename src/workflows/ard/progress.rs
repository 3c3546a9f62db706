//! What the nodes tell whoever watches a debate, and how it reads: a line per draft and review, and what came out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::exchange::{Draft, Review, ReviewStatus};
use super::services::Agent;
use super::state::{Debate, DebateStatus, Spent};
use crate::engine::{Event, EventKind};
use crate::llm::{Usage, UsageSource};

/// The architect has drafted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Drafted {
    round: u32,
    model: String,
    usage: Usage,
    components: usize,
}

impl Drafted {
    pub(super) const NAME: &str = "drafted";

    pub(super) fn of(debate: &Debate, draft: &Draft, usage: Usage) -> Self {
        let model = debate.settings.architect_model.clone();
        Self { round: debate.round(), model, usage, components: draft.components.len() }
    }
}

/// The architect's revision was refused twice, and the earlier draft stays (ARD-41).
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptPrevious {
    pub(super) round: u32,
    pub(super) model: String,
    pub(super) usage: Usage,
    pub(super) problems: Vec<String>,
}

impl KeptPrevious {
    pub(super) const NAME: &str = "kept_previous_draft";
}

/// The reviewer has reviewed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reviewed {
    round: u32,
    model: String,
    usage: Usage,
    review: Review,
}

impl Reviewed {
    pub(super) const NAME: &str = "reviewed";

    pub(super) fn of(debate: &Debate, review: &Review, usage: Usage) -> Self {
        let model = debate.settings.reviewer_model.clone();
        Self { round: debate.round(), model, usage, review: review.clone() }
    }
}

/// The specification is in its place.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Written {
    /// As the user named it.
    pub(super) path: PathBuf,
    pub(super) bytes: usize,
}

impl Written {
    pub(super) const NAME: &str = "written";
}

/// An event of a debate in a line.
pub(super) fn line(event: &Event) -> Option<String> {
    let EventKind::Custom { name, data, .. } = &event.kind else { return None };
    let data = data.get();
    match name.as_str() {
        Drafted::NAME => {
            let Drafted { round, model, usage, components } = serde_json::from_str(data).ok()?;
            Some(said(round, "architect", &model, &counted(components, "component"), usage))
        }
        KeptPrevious::NAME => {
            let KeptPrevious { round, model, usage, .. } = serde_json::from_str(data).ok()?;
            let what = "two answers that break the rules: the earlier draft stays";
            Some(said(round, "architect", &model, what, usage))
        }
        Reviewed::NAME => {
            let Reviewed { round, model, usage, review } = serde_json::from_str(data).ok()?;
            let found = match review.status {
                ReviewStatus::Verified => "verified".to_owned(),
                ReviewStatus::NeedsRevision => counted(review.challenges.len(), "challenge"),
            };
            Some(said(round, "reviewer", &model, &found, usage))
        }
        _ => None,
    }
}

fn said(round: u32, who: &str, model: &str, what: &str, usage: Usage) -> String {
    let about = about(usage.source);
    format!("round {round}  {who:<9}  {model}  {what}  {about}{} tokens", usage.total())
}

/// What came out of a debate (ARD-28, ARD-73).
pub(super) fn report(debate: &Debate) -> Vec<String> {
    let rounds = counted(debate.challenge_history.len(), "round");
    let open = debate.challenge_history.last().map_or(0, |review| review.challenges.len());
    let left = counted(open, "challenge");
    let status = match debate.status {
        DebateStatus::Verified if open > 0 => format!("verified after {rounds}, with {left} noted as minor"),
        DebateStatus::Verified => format!("verified after {rounds}"),
        DebateStatus::InProgress => format!("not finished: {rounds} so far"),
        DebateStatus::MaxIterationsReached => format!(
            "not verified: the limit of {} is reached, {left} left open after {rounds}",
            counted(debate.settings.max_iterations as usize, "iteration")
        ),
    };
    let agents = [Agent::Architect, Agent::Reviewer].map(|agent| used(debate, agent));
    let written = debate.written_to.iter().map(|path| format!("specification: {}", path.display()));
    std::iter::once(status).chain(agents).chain(written).collect()
}

fn used(debate: &Debate, agent: Agent) -> String {
    let Spent { calls, prompt_tokens, completion_tokens, source, cost } = debate.spent(agent);
    let cost = cost.map(|cost| format!(", {cost}")).unwrap_or_default();
    let (who, model, about) = (agent.label(), debate.settings.model(agent), about(source));
    let calls = counted(calls as usize, "call");
    format!(
        "{who} ({model}): {calls}, {about}{prompt_tokens} tokens read, {about}{completion_tokens} written{cost}"
    )
}

/// Estimates are marked.
fn about(source: UsageSource) -> &'static str {
    match source {
        UsageSource::Reported => "",
        UsageSource::Estimated => "~",
    }
}

fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
