//! The nodes `criticise` of both graphs: the critic judges style, voice and quality (SEC-83, SEC-181). An
//! answer that cannot be read is asked for again once, and then counts as no approval (SEC-71).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::ask::{ask_typed, typed_spent};
use super::style::StyleRules;
use crate::agent::Spent;
use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::document::preserve_blocks;
use crate::readme::package::IntegrationPackage;
use crate::trace::{EvaluationVerdict, evaluation};
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::offline;
use crate::workflows::sections::progress::SectionEvent;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{
    APPROVAL_SCORE, CriticVerdict, SectionRun, SectionRunUpdate, SectionsRun, SectionsRunUpdate,
};

/// Label of the request in usage meters, and key of its answers in the journal.
const LABEL: &str = "critic";
/// Number of further requests after an answer that cannot be read (SEC-71).
const REASKS: u32 = 1;
/// Maximum number of faults of an answer that are kept.
const FAULTS: usize = 12;

/// The answer of the critic.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct CriticAnswer {
    /// 1 to 10: how fit the text is for publication.
    #[schemars(range(min = 1, max = 10))]
    score: u8,
    /// Faults, each with the place and a suggestion; empty for a text without faults.
    #[serde(default)]
    feedback: Vec<String>,
}

/// The variables with which the prompts of the critic are rendered.
#[derive(Serialize)]
struct CriticVariables<'a> {
    is_package: bool,
    package: &'a str,
    title: &'a str,
    text: &'a str,
    rules: StyleRules,
    approval: u8,
}

/// Lets the critic judge the candidate of a section, and reports the verdict as an event.
pub(in super::super) async fn criticise_section(
    section: &SectionRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let text = section.candidate.as_deref().unwrap_or_default();
    let (verdict, spent) = judge(text, Some(&section.task.title), resources, &package, cx).await?;
    let event = SectionEvent::Judged {
        title: section.task.title.clone(),
        score: verdict.score,
        is_approved: verdict.is_approved,
        feedback: verdict.feedback.clone(),
    };
    cx.emit(SectionEvent::NAME, &event)?;
    Ok(SectionRun::update().critic(Some(verdict)).spent(spent))
}

/// Lets the critic judge the whole document (SEC-12).
pub(in super::super) async fn criticise_document(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let text = run.document.as_deref().unwrap_or_default();
    let (verdict, spent) = judge(text, None, resources, &package, cx).await?;
    Ok(SectionsRun::update().critic(Some(verdict)).spent(spent))
}

async fn judge(
    text: &str,
    title: Option<&str>,
    resources: &SectionsResources,
    package: &IntegrationPackage,
    cx: &Cx<SectionsServices>,
) -> NodeResult<(CriticVerdict, Spent)> {
    let Some(model) = &resources.model else {
        return Ok((offline::criticise(text, title, resources.settings.profile, package), Spent::default()));
    };
    let _slot = resources.slots.acquire().await?;
    let text = &without_preserved(text);
    let variables = CriticVariables {
        is_package: resources.settings.profile == SectionsProfile::Package,
        package: &package.manifest.title,
        title: title.unwrap_or("the whole document"),
        text,
        rules: StyleRules::load(resources)?,
        approval: APPROVAL_SCORE,
    };
    let chat = resources.request(LABEL, &variables)?;
    let step = evaluation(LABEL);
    let asking = ask_typed::<CriticAnswer>(model, LABEL, chat, REASKS, cx);
    let (answer, answers) = asking.instrument(step.span().clone()).await?;
    let spent = typed_spent(LABEL, &answers, resources);
    let Some(mut answer) = answer else {
        step.fail("unreadable", "the answer of the critic could not be read");
        return Ok((CriticVerdict { score: 0, is_approved: false, feedback: Vec::new() }, spent));
    };
    answer.feedback.retain(|fault| !fault.trim().is_empty());
    answer.feedback.truncate(FAULTS);
    let is_approved = answer.score >= APPROVAL_SCORE;
    step.score(f64::from(answer.score) * 10.0);
    step.explanation(|| answer.feedback.join("\n"));
    step.decide(if is_approved { EvaluationVerdict::Approved } else { EvaluationVerdict::Rejected });
    let verdict = CriticVerdict { score: answer.score, is_approved, feedback: answer.feedback };
    Ok((verdict, spent))
}

/// Returns a text without its blocks between PRESERVE comments, because the generator did not write them
/// and could not change them.
fn without_preserved(text: &str) -> String {
    preserve_blocks(text).into_iter().fold(text.to_owned(), |text, block| text.replacen(&block.text, "", 1))
}
