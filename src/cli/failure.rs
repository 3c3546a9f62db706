//! The error type of commands: a cause, a hint, and the command that continues the run. It is printed by
//! `printer.rs`.

use std::error::Error;

use super::exit::Exit;
use crate::definition::Diagnostics;
use crate::engine::{RunError, StoreError};
use crate::repo::WriteError;
use crate::trust::TrustError;
use crate::workflows::WorkflowError;

/// The error of a failed command, as it is shown to the user. Commands return it; the program prints it and
/// exits with its code.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) cause: FailureCause,
    /// Advice to the user, printed after `hint:`.
    pub(super) hint: Option<String>,
    /// Command line that continues the interrupted run.
    pub(super) resume: Option<String>,
    pub(super) exit: Exit,
}

/// The cause of a [`Failure`]: an error, or the defects of a file.
#[derive(Debug)]
pub(super) enum FailureCause {
    /// An error, with its sources.
    Error(Box<dyn Error + Send + Sync>),
    /// Defects of a file, which have a layout of their own.
    Defects(Diagnostics),
}

impl Failure {
    /// Makes a failure with the exit code for errors from any error or message, and a hint for the user.
    pub(super) fn new(error: impl Into<Box<dyn Error + Send + Sync>>, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::from(FailureCause::Error(error.into())) }
    }

    /// Returns the message of the cause alone, without sources, hint and resume command.
    pub(super) fn text(&self) -> String {
        match &self.cause {
            FailureCause::Error(error) => error.to_string(),
            FailureCause::Defects(defects) => defects.to_string(),
        }
    }

    /// Returns true if the cause, or an error behind it, is that a thread's journal in the store is
    /// damaged.
    pub(super) fn is_damage(&self) -> bool {
        let FailureCause::Error(error) = &self.cause else { return false };
        // Search the sources too, because the error of a run wraps that of the store.
        let mut error: Option<&(dyn Error + 'static)> = Some(error.as_ref());
        while let Some(at) = error {
            if matches!(at.downcast_ref(), Some(StoreError::Corrupt { .. })) {
                return true;
            }
            error = at.source();
        }
        false
    }

    /// Returns the failure with a command line that continues the interrupted run, to be printed below it.
    pub(super) fn with_resume(self, command: Option<String>) -> Self {
        Self { resume: command, ..self }
    }

    /// Returns the messages of an error and its sources, outermost first. A message that only repeats the end of the one above is
    /// left out.
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

impl From<FailureCause> for Failure {
    fn from(cause: FailureCause) -> Self {
        Self { cause, hint: None, resume: None, exit: Exit::Error }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self { hint: error.hint(), ..Self::from(FailureCause::Error(error.into())) }
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
        FailureCause::Defects(defects).into()
    }
}

impl From<WorkflowError> for Failure {
    fn from(error: WorkflowError) -> Self {
        if let Some(defects) = error.downcast_ref::<Diagnostics>() {
            return defects.clone().into();
        }
        let hint = error.hint().map(str::to_owned);
        Self { hint, ..Self::from(FailureCause::Error(error.into())) }
    }
}
