//! The node `plan`: selects the sections to write in the next round. For a change these are the ones that
//! the request is about (SEC-145, SEC-146).

use std::collections::BTreeMap;

use serde::Serialize;

use super::ask::{ask_typed, typed_spent};
use crate::agent::Spent;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::document::{DocumentSection, ReadmeDocument, parse, preserve_blocks};
use crate::readme::evaluate::modify::{
    ModificationAnalysis, ModificationAnswer, ModificationScope, analyze_request, sections_to_regenerate,
};
use crate::readme::package::{IntegrationPackage, SectionTopic, template_sections};
use crate::readme::validate::{Validation, feedback_line};
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::nodes::check::validate_text;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{ReviewDecision, SectionTask, SectionsRun, SectionsRunUpdate};

/// Label of the request in usage meters, and key of its answer in the journal.
const LABEL: &str = "modification_analysis";

/// Begins a round and selects its sections: those that a request is about, the faulty ones of a README, or
/// all sections of the template.
pub(in super::super) async fn plan(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let round = run.round + 1;
    let request = match &run.decision {
        Some(ReviewDecision::Change(request)) => Some(request.clone()),
        Some(ReviewDecision::Retry) => None,
        _ => run.request.clone(),
    };
    let update = SectionsRun::update().round(round).decision(None);
    let Some(request) = request else {
        let planned = match run.settings.profile {
            SectionsProfile::Package => all_sections(run, &package, round),
            SectionsProfile::Readme => faulty_sections(run, resources, &package, round),
        };
        return Ok(update.request(None).planned(planned));
    };
    let document = run.document.clone().or_else(|| run.original.clone()).unwrap_or_default();
    let parsed = parse(&document);
    if parsed.sections.is_empty() {
        let error = NodeError::msg("the document has no sections to change").permanent();
        return Err(error.with_hint("write it first: `graph run sections PACKAGE`"));
    }
    let (analysis, spent) = analyse(&request, &parsed, resources, cx).await?;
    let scope = analysis.effective_scope();
    let touched = sections_to_regenerate(&parsed, &scope);
    let planned: Vec<SectionTask> = touched
        .iter()
        .map(|index| SectionTask {
            request: request.clone(),
            ..existing_task(&parsed.sections[*index], *index, &package, round)
        })
        .collect();
    let note = describe(&scope, &analysis, &planned);
    Ok(update.request(Some(request)).document(Some(document)).planned(planned).spent(spent).notes(note))
}

/// Returns a task for each section of the template, with the section's text in the earlier document
/// (SEC-52).
fn all_sections(run: &SectionsRun, package: &IntegrationPackage, round: u32) -> Vec<SectionTask> {
    let earlier = run.original.as_deref().map(parse).unwrap_or_default();
    let template = template_sections(package);
    let task = |(index, section): (usize, &crate::readme::package::TemplateSection)| SectionTask {
        round,
        index,
        title: section.title.clone(),
        level: section.level,
        parts: section.parts.clone(),
        instruction: section.instruction.clone(),
        existing: earlier.find(&section.title).map(DocumentSection::text).unwrap_or_default(),
        ..SectionTask::default()
    };
    let mut tasks: Vec<SectionTask> = template.iter().enumerate().map(task).collect();
    if let Some(original) = &run.original {
        adopt_preserved(original, &earlier, &mut tasks);
    }
    tasks
}

/// Makes sure that no block between PRESERVE comments of the earlier document is lost (SEC-147): a block
/// that is in none of the tasks' texts is appended to the earlier text of the task about the same subject,
/// else to that of the last task.
fn adopt_preserved(original: &str, earlier: &ReadmeDocument, tasks: &mut [SectionTask]) {
    for block in preserve_blocks(original) {
        if tasks.iter().any(|task| task.existing.contains(&block.text)) {
            continue;
        }
        let owner = earlier.sections.iter().rfind(|section| section.line <= block.line);
        let topic = owner.and_then(|section| SectionTopic::of(&section.title));
        let fits = |task: &SectionTask| topic.is_some() && SectionTopic::of(&task.title) == topic;
        let at = tasks.iter().position(fits).unwrap_or(tasks.len().saturating_sub(1));
        let Some(task) = tasks.get_mut(at) else { return };
        task.existing = format!("{}\n\n{}\n", task.existing.trim_end(), block.text.trim_end());
    }
}

/// Returns a task for each section of a README that has issues, with the issues as feedback.
fn faulty_sections(
    run: &SectionsRun,
    resources: &SectionsResources,
    package: &IntegrationPackage,
    round: u32,
) -> Vec<SectionTask> {
    let text = run.original.as_deref().unwrap_or_default();
    let parsed = parse(text);
    let mut faults: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let found = validate_text(text, None, resources, package);
    for issue in found.iter().flat_map(|validation: &Validation| &validation.issues) {
        let owner = parsed.sections.iter().rposition(|section| section.line <= issue.line.max(1));
        if let Some(index) = owner {
            faults.entry(index).or_default().push(feedback_line(issue));
        }
    }
    let task = |(index, faults): (usize, Vec<String>)| SectionTask {
        faults,
        ..existing_task(&parsed.sections[index], index, package, round)
    };
    faults.into_iter().map(task).collect()
}

fn existing_task(
    section: &DocumentSection,
    index: usize,
    package: &IntegrationPackage,
    round: u32,
) -> SectionTask {
    let template = template_sections(package);
    let known = template.iter().find(|known| known.title.eq_ignore_ascii_case(&section.title));
    SectionTask {
        round,
        index,
        title: section.title.clone(),
        level: section.level,
        parts: known.map(|known| known.parts.clone()).unwrap_or_default(),
        instruction: known.map(|known| known.instruction.clone()).unwrap_or_default(),
        existing: section.text(),
        ..SectionTask::default()
    }
}

/// The variables with which the prompts about a request's scope are rendered.
#[derive(Serialize)]
struct ModificationVariables<'a> {
    request: &'a str,
    titles: Vec<&'a str>,
}

/// Returns the note for the user that says which sections a request is taken to be about, and why.
fn describe(scope: &ModificationScope, analysis: &ModificationAnalysis, planned: &[SectionTask]) -> String {
    let titles: Vec<_> = planned.iter().map(|task| format!("`{}`", task.title)).collect();
    let reason = analysis.reasons.first().map(|reason| format!(" ({reason})")).unwrap_or_default();
    match scope {
        ModificationScope::Specific(_) => format!("the request is about {}{reason}", titles.join(", ")),
        ModificationScope::Global | ModificationScope::Ambiguous => {
            format!("the request is taken to be about all sections{reason}")
        }
    }
}

/// Finds the scope of a request, by a model or by rules, and returns it with the costs. An unreadable
/// answer means the whole document (SEC-145).
async fn analyse(
    request: &str,
    document: &ReadmeDocument,
    resources: &SectionsResources,
    cx: &Cx<SectionsServices>,
) -> NodeResult<(ModificationAnalysis, Spent)> {
    let Some(model) = &resources.model else {
        return Ok((analyze_request(request, document), Spent::default()));
    };
    let titles = document.flatten().into_iter().map(|section| section.title.as_str()).collect();
    let chat = resources.request(LABEL, &ModificationVariables { request, titles })?;
    let (answer, answers) = ask_typed::<ModificationAnswer>(model, LABEL, chat, 0, cx).await?;
    let analysis = match answer {
        Some(answer) => ModificationAnalysis::of_answer(answer, document),
        None => ModificationAnalysis::unreadable("the answer of the model could not be read"),
    };
    Ok((analysis, typed_spent(LABEL, &answers, resources)))
}
