//! How a program ends, as a number for the shell. The numbers are part of the contract of `graph` and `ard`.

use std::process::ExitCode;

/// The exit codes.
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
    /// Stopped by a signal, to be continued: 130, as shells have it for Ctrl-C.
    Stopped = 130,
}

/// The codes as help shows them.
pub(super) const EXIT_CODES: &str = "Exit codes: 0 done, 1 finished with a result that is not accepted or not whole, \
    2 error, a wrong command line too, 3 waiting for an answer or at a breakpoint, 130 stopped";

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
