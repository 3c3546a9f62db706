//! Writes the specification (ARD-55 to ARD-60). Writing it again gives the same bytes.

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::ard::progress::Written;
use crate::workflows::ard::services::{Agent, Services};
use crate::workflows::ard::spec::{self, AgentUse, Author, Outcome, Round, SpecInput};
use crate::workflows::ard::state::{Debate, DebateStatus, DebateUpdate};

pub(in super::super) async fn write_spec(debate: &Debate, cx: &Cx<Services>) -> NodeResult<DebateUpdate> {
    let text = spec::render(&document(debate, cx));
    let path = cx.services().output(&debate.settings);
    let bytes = text.len();
    let written = match cx.services().place(&path) {
        Ok(target) => tokio::task::spawn_blocking(move || spec::write(&target, &text)).await?,
        Err(outside) => Err(outside),
    };
    written.map_err(|error| {
        let hint =
            format!("{}, then resume: the debate is kept, and no model is asked again", error.remedy());
        NodeError::from(error).with_hint(hint).permanent()
    })?;
    cx.emit(Written::NAME, &Written { path: path.clone(), bytes })?;
    Ok(Debate::update().written_to(path))
}

fn document(debate: &Debate, cx: &Cx<Services>) -> SpecInput {
    let agent = |agent: Agent| {
        let spent = debate.spent(agent);
        AgentUse {
            model: debate.settings.model(agent).to_owned(),
            prompt_tokens: spent.prompt_tokens,
            completion_tokens: spent.completion_tokens,
            cost: spent.cost,
            author: match cx.services().read_by_rules(agent, debate.rough_idea.as_str()) {
                Some(coverage) => Author::Rules(coverage),
                None => Author::Model,
            },
        }
    };
    SpecInput {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        draft: debate.current_draft.clone().unwrap_or_default(),
        rounds: rounds(debate),
        outcome: match debate.status {
            DebateStatus::Verified => Outcome::Verified,
            DebateStatus::InProgress | DebateStatus::MaxIterationsReached => Outcome::MaxIterationsReached,
        },
        thread: cx.thread().map_or_else(String::new, ToString::to_string),
        architect: agent(Agent::Architect),
        reviewer: agent(Agent::Reviewer),
    }
}

/// Each review with what the user decided and what the architect said to it.
fn rounds(debate: &Debate) -> Vec<Round> {
    let answers = debate.rationales.iter().cloned().chain(std::iter::repeat(None));
    let reviews = debate.challenge_history.iter().cloned().zip(answers);
    let decided = |round: u32| {
        let of_round = debate.clarifications.iter().filter(|decision| decision.round == round);
        of_round.cloned().collect()
    };
    (1..)
        .zip(reviews)
        .map(|(number, (review, answer))| Round { review, decisions: decided(number), answer })
        .collect()
}
