//! The node `save`: writes the document and the files of the generator (SEC-57, SEC-170). Nothing is written before, so a cancelled or
//! killed run leaves every file as it was (SEC-147).

use std::path::PathBuf;

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::readme::document::lost_preserve_blocks;
use crate::workflows::output::{DocumentName, ExistingFile, OutputError, OutputScope};
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::services::{SectionsResources, SectionsServices};
use crate::workflows::sections::state::{SectionsRun, SectionsRunUpdate};
use crate::workflows::sections::tools::WRITABLE;

/// Name and example of the document for messages about its path.
const DOCUMENT: DocumentName = DocumentName { noun: "the document", example: "README.md" };

/// Writes the document and the generator's files to the disk. Fails, before anything is written, if a block
/// between PRESERVE comments of the earlier document is missing or changed.
pub(in super::super) async fn save(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let resources = cx.services().resources()?.clone();
    let document = run.document.clone().unwrap_or_default();
    let lost = lost_preserve_blocks(run.original.as_deref().unwrap_or_default(), &document);
    if let Some(block) = lost.first() {
        let message = format!(
            "a preserved block of the earlier document (line {}) is missing in the new one",
            block.line
        );
        let error = NodeError::msg(message).permanent();
        return Err(error.with_hint(
            "nothing was written; put the block into a section that the template has, or remove its comments",
        ));
    }
    let (profile, extra) = (run.settings.profile, run.extra_files.clone());
    let writing = tokio::task::spawn_blocking(move || -> Result<(Vec<PathBuf>, Vec<String>), OutputError> {
        let mut notes = Vec::new();
        let mut written = Vec::new();
        let files = extra.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        for (path, text) in files {
            let target = DOCUMENT.resolve(&resources.package_path, path.as_ref(), OutputScope::Folder)?;
            notes.extend(write(&target, text)?);
            written.push(target);
        }
        let target = target(&resources, profile)?;
        notes.extend(write(&target, &document)?);
        written.push(target);
        Ok((written, notes))
    });
    let (written, notes) = writing.await?.map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).permanent().with_hint(hint)
    })?;
    Ok(SectionsRun::update().written(written).extend_notes(notes))
}

/// Returns the path at which the document is saved: the README itself, or the file in the package's
/// `_dev/build/docs`.
fn target(resources: &SectionsResources, profile: SectionsProfile) -> Result<PathBuf, OutputError> {
    let settings = &resources.settings;
    match profile {
        SectionsProfile::Readme => Ok(resources.package_path.clone()),
        SectionsProfile::Package => {
            let path = PathBuf::from(WRITABLE).join(&settings.doc_file);
            DOCUMENT.resolve(&resources.package_path, &path, OutputScope::Folder)
        }
    }
}

/// Writes a file. An earlier file with another text is kept as a copy; the returned note names it.
fn write(path: &std::path::Path, text: &str) -> Result<Option<String>, OutputError> {
    let copy = DOCUMENT.write(path, text, ExistingFile::Kept, |_| false)?;
    Ok(copy.map(|copy| format!("the earlier text is kept in {}", copy.display())))
}
