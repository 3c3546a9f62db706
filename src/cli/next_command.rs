//! Builds the command line that continues a thread, quoted for a shell.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::Program;
use super::options::CommonRunArgs;
use crate::workflows::ArgValues;
use stategraph_base::quote_for_shell;

/// The command line with which the user continues a thread: the program, and the options that must be
/// repeated because no checkpoint holds them.
#[derive(Debug, Clone)]
pub(super) struct ResumeCommand {
    program: Program,
    checkpoints: Option<PathBuf>,
    overrides: Option<PathBuf>,
    config: Option<PathBuf>,
    output: Option<PathBuf>,
    /// True if `--trust` is repeated.
    trust: bool,
    /// Further options by name, without the leading dashes.
    options: Vec<(String, OsString)>,
}

impl ResumeCommand {
    pub(super) fn new(program: Program, run: &CommonRunArgs, config: Option<&Path>) -> Self {
        Self {
            program,
            checkpoints: run.store.checkpoints.clone(),
            overrides: run.overrides.clone(),
            config: config.map(Path::to_owned),
            output: None,
            trust: run.trust,
            options: Vec::new(),
        }
    }

    /// Adds `--output` with this path to the command line, if there is one.
    pub(super) fn with_output(self, output: Option<&Path>) -> Self {
        Self { output: output.map(Path::to_owned), ..self }
    }

    /// Adds those of the options `names` that the user passed, with their values.
    pub(super) fn with_options(mut self, given: &ArgValues, names: &[&str]) -> Self {
        let options = names.iter().filter_map(|name| Some(((*name).to_owned(), given.raw(name)?.to_owned())));
        self.options = options.collect();
        self
    }

    /// Returns the command line, quoted for a shell, for a thread or a checkpoint: `ard resume ID --output
    /// FILE`.
    pub(super) fn for_id(&self, id: impl fmt::Display) -> String {
        let mut words = vec![format!("{} resume {id}", self.program.name())];
        let mut add =
            |option: &str, path: &Path| words.push(format!("{option} {}", quote_for_shell(path.as_os_str())));
        if let Some(folder) = &self.checkpoints {
            add("--checkpoints", folder);
        }
        if let Some(folder) = &self.overrides {
            add("--overrides", folder);
        }
        if let Some(file) = &self.config {
            add("--config", file);
        }
        if let Some(file) = &self.output {
            add("--output", file);
        }
        words.extend(self.trust.then(|| "--trust".to_owned()));
        words.extend(self.options.iter().map(|(name, value)| format!("--{name} {}", quote_for_shell(value))));
        words.join(" ")
    }
}
