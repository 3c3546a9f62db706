//! The node `write_spec`: writes the specification (ARD-55 to ARD-60). Idempotent: a second write has the same bytes.

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::ard::progress::WrittenEvent;
use crate::workflows::ard::services::{DebateAgent, DebateServices};
use crate::workflows::ard::spec::{self, AnswerAuthor, DebateRound, SpecAgent, SpecInput};
use crate::workflows::ard::state::{Debate, DebateStatus, DebateUpdate, Ending};

/// Renders the specification and writes it to the output path. A write error is permanent and keeps the debate, so
/// that a resume only writes again.
pub(in super::super) async fn write_spec(
    debate: &Debate,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    let text = spec::render(&spec_input(debate, cx));
    let path = cx.services().output_path(&debate.settings);
    let bytes = text.len();
    // On a blocking thread, because the write waits for the disk.
    let written = match cx.services().resolve_output(&path) {
        Ok(target) => tokio::task::spawn_blocking(move || spec::write(&target, &text)).await?,
        Err(outside) => Err(outside),
    };
    written.map_err(|error| {
        let hint =
            format!("{}, then resume: the debate is kept, and no model is asked again", error.remedy());
        NodeError::from(error).with_hint(hint).permanent()
    })?;
    cx.emit(WrittenEvent::NAME, &WrittenEvent { path: path.clone(), bytes })?;
    let update = Debate::update().written_to(path);
    // Without a draft no review has set the ending.
    Ok(match debate.status {
        DebateStatus::InProgress => {
            update.status(DebateStatus::MaxIterationsReached).ending(Ending::NotJudged)
        }
        DebateStatus::Verified | DebateStatus::MaxIterationsReached => update,
    })
}

fn spec_input(debate: &Debate, cx: &Cx<DebateServices>) -> SpecInput {
    let agent = |agent: DebateAgent| {
        let spent = debate.usage(agent);
        SpecAgent {
            model: debate.settings.model(agent).to_owned(),
            prompt_tokens: spent.prompt_tokens,
            completion_tokens: spent.completion_tokens,
            cost: spent.cost,
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

/// Combines each review with the user's decisions on it and the architect's answer.
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
