//! The exit codes of `graph` and `ard`. Scripts rely on the numbers, so they must not change.

use std::process::ExitCode;

/// The exit code of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Done: 0.
    Done = 0,
    /// Finished, and the result is not accepted, such as a specification that the reviewer did not verify: 1.
    NotAccepted = 1,
    /// Failed: 2.
    Error = 2,
    /// Waiting for an answer, or at a breakpoint: 3.
    Waiting = 3,
    /// Stopped by a signal; the run can be resumed: 130, the code that shells report after Ctrl-C.
    Stopped = 130,
}

/// Explanation of the exit codes, which help texts show.
pub(super) const EXIT_CODES: &str = "Exit codes: 0 done, 1 finished with a result that is not accepted or incomplete, \
    2 error, including a wrong command line, 3 waiting for an answer or at a breakpoint, 130 stopped by a signal";

impl Exit {
    /// Returns the number of the exit code.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
