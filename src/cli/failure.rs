//! Why a command failed, ready to be shown: the error, what to do about it, and the command that goes on. Prints nothing; see
//! `printer.rs`.

use std::error::Error;

use super::exit::Exit;
use crate::definition::Diagnostics;
use crate::engine::{RunError, StoreError};
use crate::repo::WriteError;
use crate::trust::TrustError;
use crate::workflows::WorkflowError;

/// Why a command failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) what: What,
    pub(super) hint: Option<String>,
    /// The command that continues what was begun.
    pub(super) resume: Option<String>,
    pub(super) exit: Exit,
}

/// The error itself.
#[derive(Debug)]
pub(super) enum What {
    /// With its causes.
    Error(Box<dyn Error + Send + Sync>),
    /// Defects of a file, which bring their own layout.
    Defects(Diagnostics),
}

impl Failure {
    /// An error of another layer with what to do about it.
    pub(super) fn new(error: impl Into<Box<dyn Error + Send + Sync>>, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::from(What::Error(error.into())) }
    }

    /// The error alone, in a line.
    pub(super) fn text(&self) -> String {
        match &self.what {
            What::Error(error) => error.to_string(),
            What::Defects(defects) => defects.to_string(),
        }
    }

    /// Whether a file is damaged.
    pub(super) fn is_damage(&self) -> bool {
        let What::Error(error) = &self.what else { return false };
        // An error of a run has the store's inside.
        let mut error: Option<&(dyn Error + 'static)> = Some(error.as_ref());
        while let Some(at) = error {
            if matches!(at.downcast_ref(), Some(StoreError::Corrupt { .. })) {
                return true;
            }
            error = at.source();
        }
        false
    }

    /// Says which command continues what was begun.
    pub(super) fn resumed_by(self, command: Option<String>) -> Self {
        Self { resume: command, ..self }
    }

    /// The error and its causes, outermost first, without what only repeats the end of the one above.
    pub(super) fn chain(error: &(dyn Error + 'static)) -> Vec<String> {
        let mut chain = vec![error.to_string()];
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if chain.last().is_none_or(|above| !above.ends_with(&text)) {
                chain.push(text);
            }
            cause = error.source();
        }
        chain
    }
}

impl From<What> for Failure {
    fn from(what: What) -> Self {
        Self { what, hint: None, resume: None, exit: Exit::Error }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self { hint: error.hint(), ..Self::from(What::Error(error.into())) }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let hint = error.hint();
        Self::new(error, hint)
    }
}

impl From<TrustError> for Failure {
    fn from(error: TrustError) -> Self {
        let hint = error.hint();
        Self::new(error, hint)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let hint = error.hint();
        Self::new(error, hint)
    }
}

impl From<Diagnostics> for Failure {
    fn from(defects: Diagnostics) -> Self {
        What::Defects(defects).into()
    }
}

impl From<WorkflowError> for Failure {
    fn from(error: WorkflowError) -> Self {
        if let Some(defects) = error.downcast_ref::<Diagnostics>() {
            return defects.clone().into();
        }
        let hint = error.hint().map(str::to_owned);
        Self { hint, ..Self::from(What::Error(error.into())) }
    }
}
