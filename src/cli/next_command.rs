//! The command that the user types next, exactly as a shell takes it.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::Program;
use super::options::RunArgs;
use crate::workflows::Given;
use stategraph_base::quoted;

/// How to continue a thread: the program, and what has to be said again because no checkpoint holds it.
#[derive(Debug, Clone)]
pub(super) struct Continuation {
    program: Program,
    checkpoints: Option<PathBuf>,
    overrides: Option<PathBuf>,
    config: Option<PathBuf>,
    output: Option<PathBuf>,
    trusts: bool,
    said: Vec<(String, OsString)>,
}

impl Continuation {
    pub(super) fn new(program: Program, run: &RunArgs, config: Option<&Path>) -> Self {
        Self {
            program,
            checkpoints: run.store.checkpoints.clone(),
            overrides: run.overrides.clone(),
            config: config.map(Path::to_owned),
            output: None,
            trusts: run.trust,
            said: Vec::new(),
        }
    }

    /// The same, writing to another place than the thread began with.
    pub(super) fn writing_to(self, output: Option<&Path>) -> Self {
        Self { output: output.map(Path::to_owned), ..self }
    }

    /// The same, with what was said by options that a checkpoint does not hold.
    pub(super) fn saying(mut self, given: &Given, names: &[&str]) -> Self {
        let said = names.iter().filter_map(|name| Some(((*name).to_owned(), given.raw(name)?.to_owned())));
        self.said = said.collect();
        self
    }

    /// `ard resume ID`, with what else must be said.
    pub(super) fn resume(&self, id: impl fmt::Display) -> String {
        let mut words = vec![format!("{} resume {id}", self.program.name())];
        let mut say =
            |option: &str, path: &Path| words.push(format!("{option} {}", quoted(path.as_os_str())));
        if let Some(folder) = &self.checkpoints {
            say("--checkpoints", folder);
        }
        if let Some(folder) = &self.overrides {
            say("--overrides", folder);
        }
        if let Some(file) = &self.config {
            say("--config", file);
        }
        if let Some(file) = &self.output {
            say("--output", file);
        }
        words.extend(self.trusts.then(|| "--trust".to_owned()));
        words.extend(self.said.iter().map(|(name, value)| format!("--{name} {}", quoted(value))));
        words.join(" ")
    }
}
