//! The node `decide`: keeps the version of an iteration, and decides if there is another one (SEC-63 to
//! 67).

use super::snapshot::keep_version;
use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::document::lost_preserve_blocks;
use crate::readme::validate::{Issue, IssueSeverity, IssueSource, ValidationStage, feedback_line};
use crate::workflows::sections::progress::SectionEvent;
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionRun, SectionRunUpdate, SectionVersion};

/// Adds the candidate to the versions, and makes feedback of its issues. The loop ends if the candidate is
/// approved, is the last one allowed or repeats an earlier text, if rules wrote it, or if there is no
/// candidate.
pub(in super::super) async fn decide(
    section: &SectionRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionRunUpdate> {
    let resources = cx.services().resources()?;
    let is_last = section.iteration >= section.max_iterations;
    let Some(text) = section.candidate.clone() else {
        // An endpoint that gave no answer after its own retries gives none now either.
        return Ok(SectionRun::update().is_over(true));
    };
    let mut issues = section.all_issues();
    issues.extend(lost_blocks(section, &text));
    let is_rejected = section.critic.as_ref().is_some_and(|verdict| !verdict.is_approved);
    let is_approved = !is_rejected && !issues.iter().any(Issue::is_blocking);
    let is_repeated = section.versions.iter().any(|version| version.text == text);
    // Rules write the same text again.
    let is_over = is_approved || is_last || is_repeated || resources.model.is_none();
    let critic = section.critic.iter().flat_map(|verdict| &verdict.feedback);
    let feedback: Vec<String> =
        critic.map(|fault| format!("critic: {fault}")).chain(issues.iter().map(feedback_line)).collect();
    let version = SectionVersion {
        number: section.iteration,
        text,
        is_approved,
        critic_score: section.critic.as_ref().map(|verdict| verdict.score),
        issues,
    };
    keep_version(section, &version, resources).await?;
    cx.emit(SectionEvent::NAME, &SectionEvent::decided(section, &version, is_over))?;
    Ok(SectionRun::update().versions(version).feedback(feedback).is_over(is_over))
}

/// Returns a critical issue for each block between PRESERVE comments in the section's earlier text that is
/// missing or changed in the new `text` (SEC-43, SEC-147).
fn lost_blocks(section: &SectionRun, text: &str) -> Vec<Issue> {
    let lost = lost_preserve_blocks(&section.task.existing, text);
    let issue = |block: crate::readme::document::PreserveBlock| Issue {
        rule: "generator/preserved-block-lost".to_owned(),
        markdownlint: None,
        severity: IssueSeverity::Critical,
        category: ValidationStage::Structure,
        section: section.task.title.clone(),
        line: 0,
        message: format!(
            "the preserved block of line {} of the earlier text is missing or changed",
            block.line
        ),
        suggestion: "copy the block with its comments, character by character".to_owned(),
        source: IssueSource::Static,
    };
    lost.into_iter().map(issue).collect()
}
