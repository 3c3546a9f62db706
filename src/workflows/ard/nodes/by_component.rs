//! Drafts with one request per component, for models that cannot write a whole draft: the rules set
//! names, types and traces, and the model writes the purposes. If a purpose is refused, that of the
//! rules stays.

use super::ask::{ask_policy, build_request, typed_question};
use crate::engine::{Cx, NodeResult};
use crate::llm::{RefusedAnswer, Reply, TypedRequest, Usage};
use crate::workflows::ard::analysis::IdeaAnalysis;
use crate::workflows::ard::exchange::{
    Challenge, Component, ComponentRequest, DesignDraft, DraftRequest, PromptMaterial, PurposeAnswer,
    mentions,
};
use crate::workflows::ard::gates::{self, GateInput};
use crate::workflows::ard::offline;
use crate::workflows::ard::services::{DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateRemark};

/// Writes or revises a draft by one request for each component that is new or challenged. Also returns
/// a remark that names the components whose purposes are by rules. The inner `Err` is a first draft for
/// which no purpose was accepted.
pub(super) async fn draft(
    debate: &Debate,
    request: &DraftRequest,
    cx: &Cx<DebateServices>,
) -> NodeResult<Result<(Reply<DesignDraft>, Vec<DebateRemark>), RefusedAnswer>> {
    let analysis = IdeaAnalysis::of(&request.rough_idea);
    let mut draft = offline::draft(request);
    let challenges = request.history.latest().map(|review| review.challenges.as_slice()).unwrap_or_default();
    let mut total = DraftUsage::default();
    let mut kept = Vec::new();
    let mut accepted = 0_u32;
    let mut rewritten = Vec::new();
    for index in 0..draft.components.len() {
        let component = draft.components[index].clone();
        let about: Vec<&Challenge> = challenges.iter().filter(|it| is_about(it, &component.name)).collect();
        let is_new = request
            .previous
            .as_ref()
            .is_none_or(|before| !before.components.iter().any(|it| it.name == component.name));
        if !is_new && about.is_empty() {
            continue;
        }
        match purpose(&component, &about, &draft, &request.material, index, cx).await? {
            Ok(reply) => {
                total.add(AgentUsage::from_reply(&reply), &reply.model);
                let changed = Component { purpose: reply.value.purpose.trim().to_owned(), ..component };
                if is_accepted(&changed, &analysis) {
                    accepted += 1;
                    rewritten.extend(about.iter().map(|challenge| (challenge.id, changed.name.clone())));
                    draft.components[index] = changed;
                } else {
                    kept.push(changed.name);
                }
            }
            Err(spent) => {
                total.add(spent, "");
                kept.push(component.name);
            }
        }
    }
    if accepted == 0 && !kept.is_empty() && request.previous.is_none() {
        return Ok(Err(total.refused(&kept)));
    }
    draft.design_rationale = rationale(&draft.design_rationale, &rewritten);
    let remarks = (!kept.is_empty()).then(|| DebateRemark {
        round: debate.round(),
        text: format!(
            "The purposes of these components were written by rules, because the model's were refused: {}.",
            kept.join(", ")
        ),
    });
    Ok(Ok((total.reply(draft), remarks.into_iter().collect())))
}

/// Returns true if a challenge lists the component or mentions it in its description.
fn is_about(challenge: &Challenge, name: &str) -> bool {
    challenge.components.iter().any(|other| other == name) || mentions(&challenge.description, name)
}

/// Asks for the purpose of one component. `index` is its position in the draft and numbers the
/// journaled answer. The inner `Err` has the usage if every answer was refused.
async fn purpose(
    component: &Component,
    challenges: &[&Challenge],
    draft: &DesignDraft,
    material: &PromptMaterial,
    index: usize,
    cx: &Cx<DebateServices>,
) -> NodeResult<Result<Reply<PurposeAnswer>, AgentUsage>> {
    let is_covered =
        |number: usize| u32::try_from(number).is_ok_and(|number| component.covers.contains(&number));
    let request = ComponentRequest {
        name: component.name.clone(),
        kind: component.kind,
        statements: material.statements.iter().filter(|it| is_covered(it.number)).cloned().collect(),
        others: draft
            .components
            .iter()
            .map(|it| it.name.clone())
            .filter(|name| *name != component.name)
            .collect(),
        challenges: challenges.iter().map(|it| it.description.clone()).collect(),
    };
    let asking = TypedRequest::new(build_request(DebateTask::Purpose, &request, cx)?, ask_policy());
    let question = typed_question(DebateTask::Purpose, asking.sending(PurposeAnswer::sent_schema()), cx)
        .numbered(index + 1);
    let check = |answer: &PurposeAnswer| match answer.purpose.trim() {
        "" => Err("`purpose` is blank".to_owned()),
        _ => Ok(()),
    };
    Ok(question.try_ask(check).await?.map_err(|refused| AgentUsage::from_refused(&refused)))
}

/// Returns true if the gates find no fault in the component alone.
fn is_accepted(component: &Component, analysis: &IdeaAnalysis) -> bool {
    let draft = DesignDraft::new(vec![Component { covers: Vec::new(), ..component.clone() }], "");
    let input = GateInput {
        draft: &draft,
        earlier: &[],
        latest: None,
        clarifications: &[],
        analysis,
        prompts: DebateServices::architect_prompts(),
    };
    gates::check_components(&input).is_empty()
}

/// Replaces, in the rationale by rules, the answers to challenges whose component the model has
/// rewritten. `rewritten` has ids of challenges with names of components.
fn rationale(by_rules: &str, rewritten: &[(u32, String)]) -> String {
    let line = |line: &str| {
        let of = rewritten.iter().find(|(id, _)| line.starts_with(&format!("Challenge {id}:")));
        of.map_or_else(
            || line.to_owned(),
            |(id, name)| format!("Challenge {id}: the purpose of {name} was written anew."),
        )
    };
    by_rules.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Sum of the usage of all requests of a draft, with the model's name.
#[derive(Default)]
struct DraftUsage {
    spent: AgentUsage,
    model: String,
}

impl DraftUsage {
    fn add(&mut self, spent: AgentUsage, model: &str) {
        self.spent.add(spent);
        if self.model.is_empty() {
            model.clone_into(&mut self.model);
        }
    }

    /// Makes the refusal of the whole draft; `names` are the components without an accepted purpose.
    fn refused(self, names: &[String]) -> RefusedAnswer {
        let AgentUsage { prompt_tokens, completion_tokens, source, calls, cost } = self.spent;
        let usage = Usage { prompt_tokens, completion_tokens, source };
        let problems = vec![format!("no purpose was accepted, for none of {}", names.join(", "))];
        RefusedAnswer { attempts: calls, problems, raw: String::new(), usage, cost }
    }

    /// Makes the reply with the draft and the usage of all requests.
    fn reply(self, value: DesignDraft) -> Reply<DesignDraft> {
        let AgentUsage { prompt_tokens, completion_tokens, source, calls, cost } = self.spent;
        let usage = Usage { prompt_tokens, completion_tokens, source };
        Reply { value, usage, cost, model: self.model, attempts: calls }
    }
}
