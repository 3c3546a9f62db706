//! The node `write_spec`: writes the specification (ARD-55 to ARD-60). Idempotent: a second write has the same bytes.

use std::path::Path;

use serde::Serialize;

use crate::engine::{Cx, NodeError, NodeResult, State as _, ThreadId};
use crate::workflows::ard::exchange::{Clarification, DesignDraft, Review};
use crate::workflows::ard::progress::WrittenEvent;
use crate::workflows::ard::services::{DebateAgent, DebateServices, ExistingFile, STDOUT};
use crate::workflows::ard::spec::{self, AnswerAuthor, DebateRound, SpecAgent, SpecInput};
use crate::workflows::ard::state::{
    AgentUsage, Debate, DebateRemark, DebateStatus, DebateUpdate, Ending, Fallback, FallbackSource,
};

/// Renders the specification and writes it to the output path or, for standard output, into the state.
/// A write error is permanent and keeps the debate, so that a resume only writes again.
pub(in super::super) async fn write_spec(
    debate: &Debate,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    let text = spec::render(&spec_input(debate, cx));
    // Without a draft no review has set the ending.
    let update = match debate.status {
        DebateStatus::InProgress => {
            Debate::update().status(DebateStatus::MaxIterationsReached).ending(Ending::NotJudged)
        }
        DebateStatus::Verified | DebateStatus::MaxIterationsReached => Debate::update(),
    };
    write_json(debate, cx).await?;
    let path = cx.services().output_path(&debate.settings);
    if path == Path::new(STDOUT) {
        return Ok(update.document(text));
    }
    let bytes = text.len();
    let existing = cx.services().existing();
    // On a blocking thread, because the write waits for the disk.
    let written = match cx.services().resolve_output(&path) {
        Ok(target) => tokio::task::spawn_blocking(move || spec::write(&target, &text, existing)).await?,
        Err(outside) => Err(outside),
    };
    let kept = written.map_err(write_error)?;
    cx.emit(WrittenEvent::NAME, &WrittenEvent { path: path.clone(), bytes, kept })?;
    Ok(update.written_to(path))
}

/// Writes the whole debate as JSON to the path of `--json-output`, if given. An existing file is
/// overwritten.
async fn write_json(debate: &Debate, cx: &Cx<DebateServices>) -> NodeResult<()> {
    let Some(path) = cx.services().json_output() else { return Ok(()) };
    let text = serde_json::to_string_pretty(&DebateRecord::new(debate, cx.thread()))?;
    let written = tokio::task::spawn_blocking(move || {
        spec::write(&path, &format!("{text}\n"), ExistingFile::Overwritten)
    });
    written.await?.map(drop).map_err(write_error)
}

fn write_error(error: spec::SpecWriteError) -> NodeError {
    let hint = format!("{}, then resume: the debate is kept, and no model is asked again", error.remedy());
    NodeError::from(error).with_hint(hint).permanent()
}

/// JSON document of a debate that `--json-output` writes.
#[derive(Serialize)]
struct DebateRecord<'a> {
    idea: &'a str,
    status: DebateStatus,
    ending: Ending,
    thread: Option<&'a ThreadId>,
    iterations: u32,
    draft: Option<&'a DesignDraft>,
    reviews: &'a [Review],
    rationales: &'a [Option<String>],
    clarifications: &'a [Clarification],
    remarks: &'a [DebateRemark],
    fallback: Option<&'a Fallback>,
    architect: AgentUsage,
    reviewer: AgentUsage,
}

impl<'a> DebateRecord<'a> {
    fn new(debate: &'a Debate, thread: Option<&'a ThreadId>) -> Self {
        let status = match debate.status {
            DebateStatus::InProgress => DebateStatus::MaxIterationsReached,
            ended => ended,
        };
        Self {
            idea: debate.rough_idea.as_str(),
            status,
            ending: debate.ending(),
            thread,
            iterations: debate.iteration,
            draft: debate.current_draft.as_ref(),
            reviews: &debate.challenge_history,
            rationales: &debate.rationales,
            clarifications: &debate.clarifications,
            remarks: &debate.remarks,
            fallback: debate.fallback.as_ref(),
            architect: debate.architect,
            reviewer: debate.reviewer,
        }
    }
}

/// Collects the content of the specification from the state.
fn spec_input(debate: &Debate, cx: &Cx<DebateServices>) -> SpecInput {
    let agent = |agent: DebateAgent| {
        let spent = debate.usage(agent);
        SpecAgent {
            model: debate.settings.model(agent).to_owned(),
            prompt_tokens: spent.prompt_tokens,
            completion_tokens: spent.completion_tokens,
            cost: spent.cost,
            is_replaced: debate
                .fallback
                .as_ref()
                .is_some_and(|it| it.agent == agent && it.source == FallbackSource::Rules),
            author: match cx.services().offline_coverage(agent, debate.rough_idea.as_str()) {
                Some(coverage) => AnswerAuthor::Rules(coverage),
                None => AnswerAuthor::Model,
            },
        }
    };
    SpecInput {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        draft: debate.current_draft.clone().unwrap_or_default(),
        rounds: debate_rounds(debate),
        decisions: debate.clarifications.iter().filter(|it| it.round == 0).cloned().collect(),
        remarks: debate.remarks.clone(),
        fallback: debate.fallback.clone(),
        ending: debate.ending(),
        thread: cx.thread().map_or_else(String::new, ToString::to_string),
        architect: agent(DebateAgent::Architect),
        reviewer: agent(DebateAgent::Reviewer),
    }
}

/// Combines each review with the user's decisions about it and the architect's answer to it.
fn debate_rounds(debate: &Debate) -> Vec<DebateRound> {
    let answers = debate.rationales.iter().cloned().chain(std::iter::repeat(None));
    let reviews = debate.challenge_history.iter().cloned().zip(answers);
    let decided = |round: u32| {
        let of_round = debate.clarifications.iter().filter(|decision| decision.round == round);
        of_round.cloned().collect()
    };
    (1..)
        .zip(reviews)
        .map(|(number, (review, answer))| DebateRound { review, decisions: decided(number), answer })
        .collect()
}
