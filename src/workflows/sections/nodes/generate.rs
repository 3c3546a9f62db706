//! The node `generate`: writes the next version of a section, by the generator or by rules (SEC-62,
//! SEC-180).

use super::generator::generate_by_model;
use crate::engine::{Cx, NodeResult, State as _, with_causes};
use crate::readme::document::extract_markdown;
use crate::workflows::node_errors::ends_the_run;
use crate::workflows::sections::offline;
use crate::workflows::sections::progress::SectionEvent;
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionRun, SectionRunUpdate};

/// Begins an iteration, and makes its version the candidate. A generator without an answer is a failure of
/// this section only (SEC-59), unless the error would also end the run or the budget is spent.
pub(in super::super) async fn generate(
    section: &SectionRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionRunUpdate> {
    let resources = cx.services().resources()?;
    let package = resources.package().await?;
    let iteration = section.iteration + 1;
    let task = &section.task;
    cx.emit(SectionEvent::NAME, &SectionEvent::Writing { title: task.title.clone(), iteration })?;
    let update = SectionRun::update()
        .iteration(iteration)
        .critic(None)
        .validations(Vec::new())
        .issues(Vec::new())
        .failure(None);
    let Some(model) = &resources.model else {
        return Ok(update.candidate(Some(offline::write_section(task, &package))));
    };
    match generate_by_model(section, model, resources, &package, cx).await {
        Ok(written) => {
            let text = extract_markdown(&written.answer, &task.title, task.level);
            let is_empty = super::generator::is_heading_only(&text);
            let update = update.issues(written.issues).spent(written.spent);
            let update = if written.files.is_empty() { update } else { update.extra_files(written.files) };
            Ok(if is_empty {
                update.candidate(None).failure(Some("the generator's answer has no text".to_owned()))
            } else {
                update.candidate(Some(text))
            })
        }
        Err(error) if ends_the_run(&error) || super::generator::is_over_budget(&error) => Err(error),
        Err(error) => Ok(update.candidate(None).failure(Some(with_causes(error.source())))),
    }
}
