//! The config file, of which there is one for all workflows: where models are.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::ard::input::settings::Settings;
use super::workflow::{Given, Setting, WorkflowError};
use crate::llm::ProviderConfig;

/// The file that is read when none is named.
const CONFIG_FILE: &str = "config.yaml";

/// The providers of the config file: the named one, else the one in the folder when there.
pub(super) fn providers(
    given: &Given,
    setting: &Setting,
) -> Result<BTreeMap<String, ProviderConfig>, WorkflowError> {
    let found = || Some(PathBuf::from(CONFIG_FILE)).filter(|file| setting.folder.join(file).exists());
    match given.path("config").or_else(found) {
        Some(path) => Settings::read_providers(&setting.folder.join(path)).map_err(|error| {
            let hint = error.hint();
            WorkflowError::new(error, Some(hint))
        }),
        None => Ok(BTreeMap::new()),
    }
}
