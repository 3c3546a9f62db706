//! The configuration file, of which there is one for all workflows: the file that the user names, else `config.yaml` in the working
//! folder. A file that is only found is used after its trust was checked; see `crate::trust`.

mod capabilities;
mod defect;
mod fields;
mod found;
mod landing;
mod provider;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::workflow::{Given, Setting, WorkflowError};
use crate::llm::ProviderConfig;
use crate::trust::{Capability, TrustRequest};
use capabilities::list_requested;

pub use defect::{ConfigDefect, ConfigError, Fault};
pub(super) use fields::{Fields, as_count, as_positive, as_text};
pub(super) use found::YAML_LIMITS;
pub(super) use landing::{inside, landing_outside};
pub(super) use provider::providers;
pub use text::{KEYS, MAX_CONFIG_BYTES};
pub(super) use text::{parsed, text_of};

/// The expected value of a key for a path.
pub(super) const A_PATH: &str = "a file path as text";

/// The file that is read when none is named.
const CONFIG_FILE: &str = "config.yaml";
/// A name that the file is often given by mistake.
const MISNAMED_FILE: &str = "config.yml";

/// A configuration file whose text was read once, so that the text that was checked is the text that is used.
pub(super) struct ConfigFile {
    path: PathBuf,
    text: String,
    chosen: Chosen,
}

/// The origin of the path of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chosen {
    /// By `--config`: the user trusts it.
    Named,
    /// It was in the working folder.
    Found,
}

impl ConfigFile {
    /// Reads the configuration file; `None` where there is none.
    pub(super) fn open(given: &Given, setting: &Setting) -> Result<Option<Self>, WorkflowError> {
        let (path, chosen) = match given.path("config") {
            Some(path) => (setting.folder.join(path), Chosen::Named),
            None => (setting.folder.join(CONFIG_FILE), Chosen::Found),
        };
        if chosen == Chosen::Found && !path.exists() {
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

    /// Returns what `read` makes of the text, if the user trusts the file with the capabilities that are used. The path is for messages.
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

    /// Returns true if the user lets the file say that something is written outside the folder, which `says_so` finds in its text.
    pub(super) fn allows_outside(
        &self,
        setting: &Setting,
        says_so: impl FnOnce(&str, &Path) -> bool,
    ) -> bool {
        says_so(&self.text, &self.path)
            && match self.chosen {
                Chosen::Named => true,
                // Without a word about the outside there is nothing that the user could have allowed.
                Chosen::Found => self.request().is_ok_and(|request| {
                    let is_asked = request.wants().iter().any(|want| !is_of_providers(&want.capability));
                    is_asked && setting.trust.check(&request).is_ok()
                }),
            }
    }

    fn check(&self, setting: &Setting, is_used: impl Fn(&Capability) -> bool) -> Result<(), WorkflowError> {
        match self.chosen {
            Chosen::Named => Ok(()),
            Chosen::Found => Ok(setting.trust.check_part(&self.request()?, is_used)?),
        }
    }

    fn request(&self) -> Result<TrustRequest, WorkflowError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        list_requested(&self.text, &self.path, folder).map_err(broken)
    }
}

/// Returns the capabilities that the configuration at `path` asks for where it is found rather than named.
pub(super) fn trust_request(path: &Path) -> Result<TrustRequest, WorkflowError> {
    let text = text_of(path).map_err(broken)?;
    ConfigFile { path: path.to_owned(), text, chosen: Chosen::Found }.request()
}

/// Reads the endpoints of the text of a configuration file; `path` is for the messages.
pub fn parse_providers(text: &str, path: &Path) -> Result<BTreeMap<String, ProviderConfig>, ConfigError> {
    parsed(text, path, |mut fields| Some(providers(&mut fields)))
}

/// Returns the endpoints of the configuration file, none where there is no file.
pub(super) fn endpoints(
    given: &Given,
    setting: &Setting,
) -> Result<BTreeMap<String, ProviderConfig>, WorkflowError> {
    match ConfigFile::open(given, setting)? {
        Some(file) => file.read(setting, is_of_providers, parse_providers),
        None => Ok(BTreeMap::new()),
    }
}

/// Returns true for a capability of the endpoints: all but writing outside. A configuration has no servers of tools.
pub(super) fn is_of_providers(capability: &Capability) -> bool {
    !matches!(capability, Capability::WriteOutside { .. })
}

fn broken(error: ConfigError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, Some(hint))
}
