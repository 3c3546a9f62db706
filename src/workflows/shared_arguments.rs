//! Arguments that several workflows share.

use std::path::Path;

use super::workflow::{ArgValues, Argument, ArgumentKind, Setting, WorkflowError};
use crate::repo::Root;

/// Argument for the key of the model's provider.
pub(crate) const API_KEY: Argument<'static> = Argument {
    name: "api-key",
    kind: ArgumentKind::Lettered('k', "KEY"),
    about: "The key of the model's provider [default: its environment variable, which other users cannot see]",
};

/// Argument for the form in which tools are offered to the model.
pub(crate) const TOOLS: Argument<'static> = Argument {
    name: "tools",
    kind: ArgumentKind::Option("native|xml"),
    about: "How tools are offered to the model; xml for models without [default: native]",
};

/// Returns the API key from the command line, if any (DOC-11). It is passed to the provider and nowhere else (ENG-27).
pub fn api_key(given: &ArgValues) -> Result<Option<&str>, WorkflowError> {
    given.text(API_KEY.name)
}

/// Opens the repository that the argument `repo` names; the working folder unless given (DOC-11).
pub(crate) fn open_repository(given: &ArgValues, setting: &Setting) -> Result<Root, WorkflowError> {
    let typed = given.path("repo").unwrap_or_else(|| Path::new(".").to_owned());
    open_root(&setting.folder.join(typed))
}

/// Opens a repository by its path. The error makes the program exit with code 2, because code 1 means
/// that a run left something open.
pub(crate) fn open_root(path: &Path) -> Result<Root, WorkflowError> {
    Root::open(path).map_err(|error| {
        let hint = error.hint();
        WorkflowError::new(error, Some(hint.to_owned()))
    })
}
