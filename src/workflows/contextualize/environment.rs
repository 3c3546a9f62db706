//! Settings of the environment, and of a file `.env` in the working folder (CTX-108 to CTX-111). A variable of the environment goes before
//! one of the file.
//!
//! The file is found, not named, so it may come from a stranger: it sets models, limits and folders inside the working folder. Keys in it
//! are used after `graph trust .env`, and addresses of models never: these belong into `config.yaml`. No variable of the process is set.

mod dot_env;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::input::{SettingsLayer, VARIABLES};
use crate::llm::{Env, Providers};
use crate::trust::{Capability, TrustRequest, TrustStore};
use crate::workflows::config::inside;
use crate::workflows::output::OutputScope;
use crate::workflows::workflow::WorkflowError;
use dot_env::{DotEnv, DotEnvEntry};
use stategraph_base::{cut, quote_for_shell};

/// Name of the file.
pub const DOT_ENV: &str = ".env";

/// Endings of variables by which other programs set addresses of models.
const ADDRESS_ENDINGS: [&str; 3] = ["_BASE_URL", "_API_BASE", "_API_URL"];

/// The settings that environment variables and the file `.env` state, and the variables in which keys are
/// looked up.
pub struct Environment {
    /// The settings.
    pub layer: SettingsLayer,
    /// Notes to the user.
    pub notes: Vec<String>,
    /// Notes to the user of a model: keys and addresses that are not used.
    pub model_notes: Vec<String>,
    /// The variables in which keys are looked for: those of the environment, and the keys of a trusted file.
    pub env: Arc<dyn Env>,
}

impl Environment {
    /// Reads the settings of `env` and of the file `.env` in `folder`. A file that cannot be read gives a note. All bad values are reported
    /// together (CTX-111).
    pub fn read(folder: &Path, env: Arc<dyn Env>, trust: &TrustStore) -> Result<Self, EnvironmentError> {
        let mut notes = Vec::new();
        let file = DotEnv::read(folder).unwrap_or_else(|reason| {
            notes.push(format!("{DOT_ENV} is not read: {reason}"));
            DotEnv::default()
        });
        if let Some(line) = file.skipped {
            notes.push(format!("{DOT_ENV}:{line} is left out: it is not NAME=VALUE"));
        }
        let mut defects = Vec::new();
        let mut of_env = read_layer(|name| Some((env.var(name)?, VariablePlace::Environment)), &mut defects);
        let of_file = read_layer(
            |name| {
                // What the environment overrides need not be right.
                let entry = file.entries.get(name).filter(|_| !is_set(env.as_ref(), name))?;
                Some((
                    entry.value.clone(),
                    VariablePlace::File { line: entry.line, is_template: entry.is_template },
                ))
            },
            &mut defects,
        );
        if !defects.is_empty() {
            return Err(EnvironmentError { defects });
        }
        // The user wrote the variable, so it may name any folder.
        if let Some((_, scope)) = &mut of_env.output_dir {
            *scope = OutputScope::Anywhere;
        }
        let mut model_notes = note_addresses(&file.entries);
        let keys = trusted_keys(folder, &file, env.as_ref(), trust, &mut model_notes);
        let env = if keys.is_empty() { env } else { Arc::new(WithKeys { env, keys }) };
        Ok(Self { layer: of_env.over(of_file), notes, model_notes, env })
    }
}

/// Returns the capabilities that the file `.env` at `path` needs: to send requests with each key in it.
pub fn dot_env_request(path: &Path) -> Result<TrustRequest, WorkflowError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = DotEnv::read(folder).map_err(|reason| {
        WorkflowError::msg(format!("cannot read {}: {reason}", path.display()))
            .with_hint("give the path of a readable file of variables")
    })?;
    Ok(request(path, &file))
}

fn request(path: &Path, file: &DotEnv) -> TrustRequest {
    let mut request = TrustRequest::of(path);
    for (variable, (provider, url)) in key_variables() {
        if let Some(entry) = file.entries.get(&variable) {
            request.want(entry.line as u64, 1, Capability::SendTo { provider, url, key: Some(variable) });
        }
    }
    request
}

/// Returns the variables for the keys of the built-in providers, each with the provider's name and address.
fn key_variables() -> BTreeMap<String, (String, String)> {
    let built_in = Providers::new(BTreeMap::new());
    let variable_of = |name: String| {
        let (url, variable) = built_in.address(&name)?;
        Some((variable?.to_owned(), (name.clone(), url.to_owned())))
    };
    built_in.names().into_iter().filter_map(variable_of).collect()
}

/// Returns the keys of providers in `.env` that the environment does not set. An untrusted file gives none,
/// and each of its keys adds a note to `notes`.
fn trusted_keys(
    folder: &Path,
    file: &DotEnv,
    env: &dyn Env,
    trust: &TrustStore,
    notes: &mut Vec<String>,
) -> BTreeMap<String, String> {
    let path = folder.join(DOT_ENV);
    let is_trusted = trust.check(&request(&path, file)).is_ok();
    let variables = key_variables();
    let keys = file.entries.iter().filter(|(name, entry)| {
        variables.contains_key(*name) && !is_set(env, name) && !entry.value.is_empty()
    });
    let mut trusted = BTreeMap::new();
    for (name, entry) in keys {
        if is_trusted {
            trusted.insert(name.clone(), entry.value.clone());
        } else {
            notes.push(format!(
                "{DOT_ENV}:{}: {name} is not used, because the file is not trusted; `graph trust {}` allows it",
                entry.line,
                quote_for_shell(path.as_os_str())
            ));
        }
    }
    trusted
}

fn note_addresses(entries: &BTreeMap<String, DotEnvEntry>) -> Vec<String> {
    let providers = Providers::new(BTreeMap::new()).names();
    let is_address = |name: &str| {
        ADDRESS_ENDINGS.iter().filter_map(|ending| name.strip_suffix(ending)).any(|start| {
            start == "LLM" || providers.iter().any(|provider| provider.eq_ignore_ascii_case(start))
        })
    };
    let named = entries.iter().filter(|(name, _)| is_address(name));
    named
        .map(|(name, entry)| {
            let line = entry.line;
            format!("{DOT_ENV}:{line}: {name} is not used: addresses of models are set in config.yaml")
        })
        .collect()
}

/// Returns true for a variable with a value; an empty one counts as not set.
fn is_set(env: &dyn Env, name: &str) -> bool {
    env.var(name).is_some_and(|value| !value.trim().is_empty())
}

fn read_layer(
    lookup: impl Fn(&str) -> Option<(String, VariablePlace)>,
    defects: &mut Vec<VariableDefect>,
) -> SettingsLayer {
    let mut layer = SettingsLayer::default();
    for variable in &VARIABLES {
        let Some((text, place)) = lookup(variable.name) else { continue };
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let is_template = matches!(place, VariablePlace::File { is_template: true, .. });
        if is_template || !(variable.set)(&mut layer, text) {
            let expected = if is_template {
                "a value without variables, which are not replaced"
            } else {
                variable.expected
            };
            defects.push(VariableDefect { name: variable.name, place, expected, found: text.to_owned() });
        }
    }
    layer
}

/// An environment that also has the keys of a trusted `.env`. Its own variables take precedence.
struct WithKeys {
    env: Arc<dyn Env>,
    keys: BTreeMap<String, String>,
}

impl Env for WithKeys {
    fn var(&self, name: &str) -> Option<String> {
        let set = self.env.var(name).filter(|value| !value.trim().is_empty());
        set.or_else(|| self.keys.get(name).cloned())
    }
}

/// The origin of a variable: the environment, or a line of `.env`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariablePlace {
    /// The environment of the process.
    Environment,
    /// The file `.env`.
    File {
        /// Line, from 1.
        line: usize,
        /// True for a value with `$NAME` in it, outside of single quotes.
        is_template: bool,
    },
}

/// A variable with a bad value (CTX-111).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableDefect {
    /// Name of the variable.
    pub name: &'static str,
    /// Its place.
    pub place: VariablePlace,
    /// The expected value.
    pub expected: &'static str,
    /// The value that it has.
    pub found: String,
}

impl fmt::Display for VariableDefect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        match self.place {
            VariablePlace::Environment => write!(out, "the environment variable ")?,
            VariablePlace::File { line, .. } => write!(out, "{DOT_ENV}:{line}: ")?,
        }
        let found = cut(&self.found, SHOWN).in_line();
        write!(out, "{}: expected {}, found `{}`", self.name, self.expected, found.escape_debug())
    }
}

/// The error of all variables with bad values in the environment and in `.env`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", defects.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct EnvironmentError {
    /// All of them: first those of the environment, then those of the file.
    pub defects: Vec<VariableDefect>,
}

impl EnvironmentError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> String {
        let is_of_env = |defect: &&VariableDefect| defect.place == VariablePlace::Environment;
        match self.defects.iter().find(is_of_env) {
            Some(defect) => format!("correct it, or remove it with `unset {}`", defect.name),
            None => {
                format!("correct the line, or remove it; a variable of the environment goes before {DOT_ENV}")
            }
        }
    }
}

/// Returns the path of `.env` in a folder, links resolved; `None` if there is none. The error is the reason
/// why it is not read: a link that leads outside.
fn locate(folder: &Path) -> Result<Option<PathBuf>, String> {
    if folder
        .join(DOT_ENV)
        .symlink_metadata()
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Ok(None);
    }
    let found = inside(folder, Path::new(DOT_ENV));
    found.map(Some).ok_or_else(|| "it is a link that leads out of the working folder, or nowhere".to_owned())
}
