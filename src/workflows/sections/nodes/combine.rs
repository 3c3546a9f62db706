//! The node `combine`: makes one document of all sections (SEC-39, SEC-56). Sections that were not written
//! again stay byte for byte as they were (SEC-146).

use std::collections::BTreeMap;

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::document::{NOT_POPULATED, combine as combine_sections, parse};
use crate::readme::evaluate::modify::{KeptSection, replace_sections};
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::offline;
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{
    SectionOutcome, SectionResult, SectionTask, SectionsRun, SectionsRunUpdate,
};

/// Makes the document of the written sections: a new one, or for a change the existing one with these
/// sections replaced. Fails if every section failed, because the document would say nothing.
pub(in super::super) async fn combine(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let written: Vec<_> = run.current_sections().collect();
    let failed = |result: &SectionResult| match &result.outcome {
        SectionOutcome::Failed(reason) => Some(reason.clone()),
        SectionOutcome::Approved | SectionOutcome::Best => None,
    };
    let failures: Vec<_> =
        written.iter().filter_map(|(task, result)| Some((task, failed(result)?))).collect();
    if !failures.is_empty() && failures.len() == written.len() {
        let reason = format!("no section was written: {}", failures[0].1);
        let error = NodeError::msg(reason).permanent();
        return Err(
            error.with_hint("nothing was changed; resume when the model answers, or run without `--model`")
        );
    }
    let mut notes: Vec<String> = failures.iter().map(|(task, reason)| kept_note(task, reason)).collect();
    let is_change = run.request.is_some() || run.settings.profile == SectionsProfile::Readme;
    let document = if let (Some(document), true) = (&run.document, is_change) {
        let texts: BTreeMap<usize, String> =
            written.iter().map(|(task, result)| (task.index, result.text.clone())).collect();
        let replaced = replace_sections(&parse(document), &texts);
        let kept = |kept: &KeptSection| format!("`{}` keeps its text: {}", kept.title, kept.reason);
        notes.extend(replaced.kept.iter().map(kept));
        replaced.text
    } else {
        let package = resources.package().await?;
        let texts: Vec<String> = written.iter().map(|(task, result)| text_or_marker(task, result)).collect();
        let document = combine_sections(package.title(), &texts);
        if resources.model.is_none() { offline::disclose(&document) } else { document }
    };
    Ok(SectionsRun::update().document(Some(document)).extend_notes(notes))
}

fn kept_note(task: &SectionTask, reason: &str) -> String {
    let kept = if task.existing.is_empty() {
        "has the marker of a section without text"
    } else {
        "keeps its earlier text"
    };
    format!("`{}` was not written and {kept}: {reason}", task.title)
}

/// Returns the text of a section; without one its heading and the note that it is not populated (SEC-50).
fn text_or_marker(task: &SectionTask, result: &SectionResult) -> String {
    if result.text.trim().is_empty() {
        format!("{} {}\n\n{NOT_POPULATED}\n", "#".repeat(usize::from(task.level.max(1))), task.title)
    } else {
        result.text.clone()
    }
}
