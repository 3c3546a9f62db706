//! The node `fix`: repairs of the document that need no author (SEC-27, SEC-124 to 126).

use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::fix::fix_document;
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};

/// Repairs the document of a package by its facts, and records the changes. Leaves the README of a project
/// alone.
pub(in super::super) async fn fix(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?;
    let (Some(document), SectionsProfile::Package) = (&run.document, run.settings.profile) else {
        return Ok(SectionsRun::update());
    };
    let fixed = fix_document(document, &*resources.package().await?);
    Ok(SectionsRun::update().document(Some(fixed.text)).extend_repairs(fixed.changes))
}
