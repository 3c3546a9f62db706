//! The configuration file, of which there is one for all workflows: the file that the user names, else `config.yaml` in the working
//! folder. A file that is only found is used after its trust was checked; see `crate::trust`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ard::input::capabilities::requested;
use super::ard::input::defect::ConfigError;
use super::ard::input::settings::{Corrections, Overrides, Settings, text_of};
use super::workflow::{Given, Setting, WorkflowError};
use crate::llm::ProviderConfig;
use crate::trust::{Capability, TrustRequest};

/// The file that is read when none is named.
const CONFIG_FILE: &str = "config.yaml";

/// A configuration file whose text was read once, so that the text that was checked is the text that is used.
pub(super) struct ConfigFile {
    path: PathBuf,
    text: String,
    chosen: Chosen,
}

/// How a configuration file came to be used.
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
            return Ok(None);
        }
        let text = text_of(&path).map_err(broken)?;
        Ok(Some(Self { path, text, chosen }))
    }

    /// Returns the endpoints, if the user trusts the file with them.
    pub(super) fn providers(
        &self,
        setting: &Setting,
    ) -> Result<BTreeMap<String, ProviderConfig>, WorkflowError> {
        let providers = Settings::parse_providers(&self.text, &self.path).map_err(broken)?;
        self.check(setting, is_of_providers)?;
        Ok(providers)
    }

    /// Returns the settings of a debate, if the user trusts the file with them; `overrides` win over the file.
    pub(super) fn settings(
        &self,
        setting: &Setting,
        overrides: Overrides,
    ) -> Result<Settings, WorkflowError> {
        let is_output_named = overrides.output_path.is_some();
        let settings = Settings::parse(&self.text, &self.path, overrides).map_err(broken)?;
        self.check(setting, |capability| is_of_providers(capability) || !is_output_named)?;
        Ok(settings)
    }

    /// Returns what a resumed debate takes from the file, if the user trusts it with the endpoints.
    pub(super) fn corrections(&self, setting: &Setting) -> Result<Corrections, WorkflowError> {
        let corrections = Settings::parse_corrections(&self.text, &self.path).map_err(broken)?;
        self.check(setting, is_of_providers)?;
        Ok(corrections)
    }

    /// Returns true if the user lets the file say that `output` is written, wherever that is.
    pub(super) fn allows_output(&self, setting: &Setting, output: &Path) -> bool {
        let settings = Settings::parse(&self.text, &self.path, Overrides::default());
        let says_so = settings.is_ok_and(|settings| settings.output_path == output);
        says_so
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
        requested(&self.text, &self.path, folder).map_err(broken)
    }
}

/// Returns the capabilities that the configuration at `path` asks for where it is found rather than named.
pub fn trust_request(path: &Path) -> Result<TrustRequest, WorkflowError> {
    let text = text_of(path).map_err(broken)?;
    ConfigFile { path: path.to_owned(), text, chosen: Chosen::Found }.request()
}

/// Returns the endpoints of the configuration file, none where there is no file.
pub(super) fn providers(
    given: &Given,
    setting: &Setting,
) -> Result<BTreeMap<String, ProviderConfig>, WorkflowError> {
    match ConfigFile::open(given, setting)? {
        Some(file) => file.providers(setting),
        None => Ok(BTreeMap::new()),
    }
}

fn is_of_providers(capability: &Capability) -> bool {
    !matches!(capability, Capability::WriteOutside { .. })
}

fn broken(error: ConfigError) -> WorkflowError {
    let hint = error.hint();
    WorkflowError::new(error, Some(hint))
}
