//! Configuration file, which all workflows share: the file that `--config` names, else `config.yaml` in
//! the working folder. A file that the user did not name is used only after its trust was checked; see
//! `crate::trust`.

mod capabilities;
mod defect;
mod fields;
mod found;
mod landing;
mod provider;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::workflow::{ArgValues, Setting, WorkflowError};
use crate::llm::ProviderConfig;
use crate::trust::{Capability, TrustRequest};
use capabilities::list_requested;

pub use defect::{ConfigDefect, ConfigDefectKind, ConfigError};
pub(super) use fields::{Fields, as_count, as_positive, as_text};
pub(super) use found::YAML_LIMITS;
pub(super) use landing::{inside, landing_outside};
pub(super) use provider::providers;
pub use text::{KEYS, MAX_CONFIG_BYTES};
pub(super) use text::{parsed, text_of};

/// Description of valid values for a path, in messages.
pub(super) const A_PATH: &str = "a file path as text";

/// Name of the file that is read if the user names none.
const CONFIG_FILE: &str = "config.yaml";
/// Wrong name of the file that users often give it; reported as an error.
const MISNAMED_FILE: &str = "config.yml";

/// Configuration file with its text. The text is read once, so that the text whose trust was checked is
/// the text that is used.
pub(super) struct ConfigFile {
    path: PathBuf,
    text: String,
    chosen: ConfigOrigin,
}

/// Origin of the path of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfigOrigin {
    /// The user named it with `--config` and so trusts it.
    Named,
    /// It was found in the working folder, so its trust is checked.
    Found,
}

impl ConfigFile {
    /// Reads the configuration file of a run; `None` if there is none. A file with the wrong name
    /// `config.yml` is an error.
    pub(super) fn open(given: &ArgValues, setting: &Setting) -> Result<Option<Self>, WorkflowError> {
        let (path, chosen) = match given.path("config") {
            Some(path) => (setting.folder.join(path), ConfigOrigin::Named),
            None => (setting.folder.join(CONFIG_FILE), ConfigOrigin::Found),
        };
        if chosen == ConfigOrigin::Found && !path.exists() {
            if setting.folder.join(MISNAMED_FILE).exists() {
                let message =
                    format!("{MISNAMED_FILE} is not read: the configuration file is called {CONFIG_FILE}");
                let hint = format!("rename it, or name it: `--config {MISNAMED_FILE}`");
                return Err(WorkflowError::msg(message).with_hint(hint));
            }
            return Ok(None);
        }
        let text = text_of(&path).map_err(broken)?;
        Ok(Some(Self { path, text, chosen }))
    }

    /// Parses the text with `read`, and checks that the user trusts the file with those requested
    /// capabilities for which `is_used` returns true. Fails without that trust. `read` gets the path
    /// for messages.
    pub(super) fn read<T>(
        &self,
        setting: &Setting,
        is_used: impl Fn(&Capability) -> bool,
        read: impl FnOnce(&str, &Path) -> Result<T, ConfigError>,
    ) -> Result<T, WorkflowError> {
        let made = read(&self.text, &self.path).map_err(broken)?;
        self.check(setting, is_used)?;
        Ok(made)
    }

    /// Returns true if the file names an output outside its folder (`says_so` finds it in the text) and
    /// the user named the file or has approved its requests.
    pub(super) fn allows_outside(
        &self,
        setting: &Setting,
        says_so: impl FnOnce(&str, &Path) -> bool,
    ) -> bool {
        says_so(&self.text, &self.path)
            && match self.chosen {
                ConfigOrigin::Named => true,
                // Without a word about the outside there is nothing that the user could have allowed.
                ConfigOrigin::Found => self.request().is_ok_and(|request| {
                    let is_asked = request.wants().iter().any(|want| !is_of_providers(&want.capability));
                    is_asked && setting.trust.check(&request).is_ok()
                }),
            }
    }

    /// Fails if the file was found and the user has not approved the capabilities for which `is_used`
    /// returns true.
    fn check(&self, setting: &Setting, is_used: impl Fn(&Capability) -> bool) -> Result<(), WorkflowError> {
        match self.chosen {
            ConfigOrigin::Named => Ok(()),
            ConfigOrigin::Found => Ok(setting.trust.check_part(&self.request()?, is_used)?),
        }
    }

    /// Returns the capabilities that the file requests.
    fn request(&self) -> Result<TrustRequest, WorkflowError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        list_requested(&self.text, &self.path, folder).map_err(broken)
    }
}

/// Returns the capabilities that the configuration at `path` requests when it is found and not named.
pub(super) fn trust_request(path: &Path) -> Result<TrustRequest, WorkflowError> {
    let text = text_of(path).map_err(broken)?;
    ConfigFile { path: path.to_owned(), text, chosen: ConfigOrigin::Found }.request()
}

/// Reads the providers of models (addresses, key variables, limits, prices) from the text of a
/// configuration file, by name. `path` is used in messages only.
pub fn parse_providers(text: &str, path: &Path) -> Result<BTreeMap<String, ProviderConfig>, ConfigError> {
    parsed(text, path, |mut fields| Some(providers(&mut fields)))
}

/// Returns the providers of models in the configuration file of a run; empty without a file.
pub(super) fn endpoints(
    given: &ArgValues,
    setting: &Setting,
) -> Result<BTreeMap<String, ProviderConfig>, WorkflowError> {
    match ConfigFile::open(given, setting)? {
        Some(file) => file.read(setting, is_of_providers, parse_providers),
        None => Ok(BTreeMap::new()),
    }
}

/// Returns true for a capability that providers of models need: all but writing outside of the folder.
pub(super) fn is_of_providers(capability: &Capability) -> bool {
    !matches!(capability, Capability::WriteOutside { .. })
}

/// Converts the error of a configuration with its hint.
fn broken(error: ConfigError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, Some(hint))
}
