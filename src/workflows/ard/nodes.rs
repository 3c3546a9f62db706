//! The nodes of a debate, in the order of the graph. Each asks its model inside `cx.once`, so that a call that was answered
//! is never made again, whatever happens to the process. What they decide is in `choices.rs`.

use serde::{Deserialize, Serialize};

use super::choices::{Verdict, counted, judge};
use super::exchange::{Condensed, Draft, Recall, Recalled, Review, Summary, SummaryRequest, recall};
use super::input::settings::{OnBadDraft, SeverityRule};
use super::offline::{DraftRequest, ReviewRequest, coverage};
use super::services::{Agent, Services};
use super::spec::{self, AgentUse, Author, Outcome, Round, SpecInput};
use super::state::{Debate, DebateStatus, DebateUpdate, Spent};
use crate::engine::{Cx, NodeError, NodeResult, State};
use crate::llm::{AskError, AskPolicy, Reply, Usage};

/// An answer that breaks the protocol is asked for once more (ARD-35, ARD-49).
const REASKS: u32 = 1;

/// Drafts, or revises the draft after a review (ARD-29 to ARD-41).
pub(super) async fn architect(debate: &Debate, cx: &Cx<Services>) -> NodeResult<DebateUpdate> {
    let mut update = Debate::update();
    let (history, condensed) = remembered(debate, cx).await?;
    if let Some((condensed, spent)) = condensed {
        update = update.condensed(condensed).architect(spent);
    }
    let request = DraftRequest {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        history,
        previous: debate.current_draft.clone(),
    };
    let drafted = cx.once("draft", draft(debate, &request, cx)).await?;
    let said =
        Said { round: debate.round(), model: &debate.settings.architect_model, usage: drafted.usage() };
    let (draft, spent) = match drafted {
        Drafted::Accepted(reply) => (reply.value, Spent::of(reply.attempts, reply.usage)),
        Drafted::KeptPrevious { usage, problems } => {
            cx.emit("kept_previous_draft", &problems)?;
            let kept = debate.current_draft.clone().unwrap_or_default();
            (kept, Spent::of(REASKS + 1, usage))
        }
    };
    cx.emit("drafted", &Told { said, components: Some(draft.components.len()), review: None })?;
    if !debate.challenge_history.is_empty() {
        update = update.rationales(draft.design_rationale.clone());
    }
    Ok(update.current_draft(Some(draft)).architect(spent))
}

/// Reviews the draft and says whether the debate goes on (ARD-42 to ARD-51, ARD-9 to ARD-12).
pub(super) async fn reviewer(debate: &Debate, cx: &Cx<Services>) -> NodeResult<DebateUpdate> {
    let request = ReviewRequest {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        draft: debate
            .current_draft
            .clone()
            .ok_or_else(|| NodeError::msg("there is no draft to review").permanent())?,
        round: debate.round(),
    };
    let reply: Reply<Review> = cx.once("review", review(debate, &request, cx)).await?;
    let said = Said { round: request.round, model: &debate.settings.reviewer_model, usage: reply.usage };
    let spent = Spent::of(reply.attempts, reply.usage);
    let review = counted(reply.value, debate);
    cx.emit("reviewed", &Told { said, components: None, review: Some(&review) })?;
    let update = match judge(&review, debate.iteration, request.round, &debate.settings) {
        Verdict::Verified => Debate::update().status(DebateStatus::Verified),
        Verdict::Exhausted => Debate::update().status(DebateStatus::MaxIterationsReached),
        Verdict::Revise => Debate::update().iteration(debate.iteration + 1),
    };
    Ok(update.challenge_history(review).reviewer(spent))
}

/// Writes the specification (ARD-55 to ARD-60). Writing it again gives the same bytes.
pub(super) async fn write_spec(debate: &Debate, cx: &Cx<Services>) -> NodeResult<()> {
    let text = spec::render(&document(debate, cx));
    let path = debate.settings.output_path.clone();
    let bytes = text.len();
    let written = tokio::task::spawn_blocking(move || spec::write(&path, &text)).await?;
    written.map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).with_hint(hint).permanent()
    })?;
    cx.emit("written", &Written { path: debate.settings.output_path.display().to_string(), bytes })
}

/// What the history is in the architect's prompt, and the paragraph made for it, if one had to be made (ARD-52 to ARD-54).
async fn remembered(
    debate: &Debate,
    cx: &Cx<Services>,
) -> NodeResult<(Recalled, Option<(Condensed, Spent)>)> {
    let limit = debate.settings.history.of(&debate.settings.architect_model);
    let history = &debate.challenge_history;
    let request = match recall(history, debate.condensed.as_ref(), limit) {
        Recall::Ready(recalled) => return Ok((recalled, None)),
        Recall::Summarise(request) => request,
    };
    let reply: Reply<Summary> = cx.once("summarise", summarise(&request, cx)).await?;
    let condensed = request.answered(&reply.value);
    let rounds = history[condensed.rounds_covered.min(history.len())..].to_vec();
    let spent = Spent::of(reply.attempts, reply.usage);
    Ok((Recalled { earlier: Some(condensed.clone()), rounds }, Some((condensed, spent))))
}

/// The architect's answer as the journal keeps it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Drafted {
    Accepted(Reply<Draft>),
    /// Both answers were bad, and the settings say that the earlier draft will do (ARD-41).
    KeptPrevious {
        problems: Vec<String>,
        usage: Usage,
    },
}

impl Drafted {
    fn usage(&self) -> Usage {
        match self {
            Self::Accepted(reply) => reply.usage,
            Self::KeptPrevious { usage, .. } => *usage,
        }
    }
}

async fn draft(debate: &Debate, request: &DraftRequest, cx: &Cx<Services>) -> NodeResult<Drafted> {
    let latest = request.history.latest().map_or(&[][..], |review| &review.challenges);
    let services = cx.services();
    let prompt = services.request(Agent::Architect, "ard.draft", "architect", request)?;
    let policy = AskPolicy::reasks(REASKS).mend(Draft::normalise);
    let check = |draft: &Draft| draft.check(latest).map_err(listed);
    let asked = services.ask(Agent::Architect, prompt, policy, check, cx).await;
    match (asked, debate.settings.on_bad_draft) {
        (Ok(reply), _) => Ok(Drafted::Accepted(reply)),
        (Err(AskError::Malformed { problems, usage, .. }), OnBadDraft::KeepPrevious)
            if request.previous.is_some() =>
        {
            Ok(Drafted::KeptPrevious { problems, usage })
        }
        (Err(error), _) => Err(refused(error)),
    }
}

async fn review(debate: &Debate, request: &ReviewRequest, cx: &Cx<Services>) -> NodeResult<Reply<Review>> {
    #[derive(Serialize)]
    struct Asked<'a> {
        #[serde(flatten)]
        request: &'a ReviewRequest,
        severity: bool,
    }
    let asked = Asked { request, severity: debate.settings.severity == SeverityRule::CriticalOnly };
    let prompt = cx.services().request(Agent::Reviewer, "ard.review", "reviewer", &asked)?;
    let check = |review: &Review| review.check().map_err(listed);
    let reply = cx.services().ask(Agent::Reviewer, prompt, AskPolicy::reasks(REASKS), check, cx).await;
    reply.map_err(refused)
}

async fn summarise(request: &SummaryRequest, cx: &Cx<Services>) -> NodeResult<Reply<Summary>> {
    let prompt = cx.services().request(Agent::Architect, "ard.summarise", "summarise", request)?;
    let check = |summary: &Summary| match summary.paragraph.trim() {
        "" => Err("`paragraph` is blank".to_owned()),
        _ => Ok(()),
    };
    let reply = cx.services().ask(Agent::Architect, prompt, AskPolicy::reasks(REASKS), check, cx).await;
    reply.map_err(refused)
}

/// What the model layer could not do is not tried again by the engine: the layer has retried what can be retried (ENG-15).
fn refused(error: AskError) -> NodeError {
    let hint = error.hint();
    let raw = match &error {
        AskError::Malformed { raw, .. } => Some(raw.clone()),
        AskError::Model(_) => None,
    };
    if let Some(raw) = raw {
        tracing::error!(answer = raw, "the answer that was not accepted");
    }
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

fn listed<P: std::fmt::Display>(problems: Vec<P>) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn document(debate: &Debate, cx: &Cx<Services>) -> SpecInput {
    let answers = debate.rationales.iter().cloned().map(Some).chain(std::iter::repeat(None));
    let rounds = debate.challenge_history.iter().cloned().zip(answers);
    let settings = &debate.settings;
    let agent = |agent: Agent, model: &str, spent: Spent| AgentUse {
        model: model.to_owned(),
        prompt_tokens: spent.prompt_tokens,
        completion_tokens: spent.completion_tokens,
        author: match cx.services().is_rules(agent) {
            true => Author::Rules(coverage(debate.rough_idea.as_str())),
            false => Author::Model,
        },
    };
    SpecInput {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        draft: debate.current_draft.clone().unwrap_or_default(),
        rounds: rounds.map(|(review, answer)| Round { review, answer }).collect(),
        outcome: match debate.status {
            DebateStatus::Verified => Outcome::Verified,
            DebateStatus::InProgress | DebateStatus::MaxIterationsReached => Outcome::MaxIterationsReached,
        },
        thread: cx.thread().map_or_else(String::new, ToString::to_string),
        architect: agent(Agent::Architect, &settings.architect_model, debate.architect),
        reviewer: agent(Agent::Reviewer, &settings.reviewer_model, debate.reviewer),
    }
}

/// Who said something, for progress lines.
#[derive(Serialize)]
struct Said<'a> {
    round: u32,
    model: &'a str,
    usage: Usage,
}

/// What was said, for progress lines.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    said: Said<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<usize>,
    #[serde(flatten)]
    review: Option<&'a Review>,
}

#[derive(Serialize)]
struct Written {
    path: String,
    bytes: usize,
}
