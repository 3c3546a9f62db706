//! The tools of the generator (SEC-127): they read the package, its knowledge base and the shipped examples. Its files are kept until
//! the document is accepted.

mod examples;
mod service_info;
mod template;
mod visible;
mod write_file;

use std::sync::Arc;

use crate::agent::{Toolbox, ToolboxError};
use crate::engine::{NodeError, NodeResult};
use crate::readme::package::IntegrationPackage;
use crate::repo::Root;
use crate::workflows::sections::input::SectionsProfile;
use crate::workflows::sections::services::SectionsResources;

pub(super) use service_info::GET_SERVICE_INFO;
pub(super) use write_file::{WRITABLE, WRITE_FILE, written_file};

use examples::{GetExample, ListExamples};
use service_info::GetServiceInfo;
use template::GetReadmeTemplate;
use visible::{ListVisible, ReadVisible};
use write_file::WriteFile;

/// Names of the tools that read files. Their results are recorded on the tape, from which a replay takes
/// them.
pub(super) const READING: &[&str] = &["list_directory", "read_file"];

/// Makes the generator's own tools for a package, or the smaller set for the folder around the README of a
/// project.
pub(super) fn build_toolbox(
    resources: &SectionsResources,
    package: &Arc<IntegrationPackage>,
) -> NodeResult<Toolbox> {
    let path = match resources.settings.profile {
        SectionsProfile::Package => resources.package_path.as_path(),
        SectionsProfile::Readme => resources.package_path.parent().unwrap_or(&resources.package_path),
    };
    let root = Root::open(path).map_err(|error| {
        let hint = error.hint();
        NodeError::from(error).permanent().with_hint(hint)
    })?;
    let all = || -> Result<Toolbox, ToolboxError> {
        let reading = Toolbox::new()
            .with(ListVisible::new(root.clone()))?
            .with(ReadVisible::new(root, package))?
            .with(ListExamples)?
            .with(GetExample)?;
        match resources.settings.profile {
            SectionsProfile::Readme => Ok(reading),
            SectionsProfile::Package => reading
                .with(GetReadmeTemplate(package.clone()))?
                .with(GetServiceInfo::new(package))?
                .with(WriteFile { doc_file: resources.settings.doc_file.clone() }),
        }
    };
    all().map_err(|error| NodeError::from(error).permanent())
}
