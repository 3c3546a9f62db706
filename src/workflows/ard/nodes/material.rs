//! Collects the material that only prompts show: numbered statements, minutes, changes, findings,
//! limits.

use crate::workflows::ard::analysis::IdeaAnalysis;
use crate::workflows::ard::diff::draft_changes;
use crate::workflows::ard::exchange::{
    DesignDraft, PromptHistory, PromptMaterial, PromptStatement, SchemaLimits, minutes,
};
use crate::workflows::ard::gates::GateFinding;
use crate::workflows::ard::state::Debate;

/// Returns the material for the prompt of a draft.
pub(super) fn draft_material(debate: &Debate, history: &PromptHistory) -> PromptMaterial {
    let analysis = IdeaAnalysis::of(debate.rough_idea.as_str());
    let draft = debate.current_draft.clone().map(DesignDraft::without_answers);
    PromptMaterial { draft, ..material(debate, history, &analysis) }
}

/// Returns the material for the prompt of a review: also the changes since the previous draft and the
/// findings of the gates.
pub(super) fn review_material(
    debate: &Debate,
    history: &PromptHistory,
    draft: &DesignDraft,
    analysis: &IdeaAnalysis,
    findings: &[GateFinding],
) -> PromptMaterial {
    PromptMaterial {
        draft: Some(draft.clone().without_answers()),
        changes: debate.drafts.last().map(|before| draft_changes(before, draft)).unwrap_or_default(),
        findings: findings.iter().map(|finding| finding.challenge().description).collect(),
        ..material(debate, history, analysis)
    }
}

/// Returns the common material: the statements, the minutes of the rounds in `history`, and the limits.
fn material(debate: &Debate, history: &PromptHistory, analysis: &IdeaAnalysis) -> PromptMaterial {
    let settings = &debate.settings;
    let limits = SchemaLimits::new(settings.max_components, settings.max_challenges);
    let is_excluded = |number: usize| analysis.exclusions.iter().any(|it| it.statement == number);
    let is_ruled = |number: usize| analysis.constraints.iter().any(|it| it.statement == number);
    let is_required = |number: usize| analysis.requirements.iter().any(|it| it.statement == number);
    let statements = analysis.statements.iter().map(|it| PromptStatement {
        number: it.number,
        text: if it.lead.is_empty() { it.text.clone() } else { format!("{} {}", it.lead, it.text) },
        is_excluded: it.is_excluded
            || (is_excluded(it.number) && !is_required(it.number) && !is_ruled(it.number)),
    });
    let first = debate.challenge_history.len() - history.rounds.len();
    PromptMaterial {
        minutes: minutes(&debate.challenge_history, &debate.rationales, first),
        ..PromptMaterial::new(statements.collect(), limits)
    }
}
