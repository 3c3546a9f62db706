//! Prints all output of the programs; no other module prints. Data goes to standard output, everything else
//! to standard error. Text is coloured if the stream is a terminal and `NO_COLOR` is not set.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstyle::{AnsiColor, Style};

use super::failure::{Failure, FailureCause};
use super::live::LiveArea;
use super::option_hints::name_options;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const COMMAND: Style = Style::new().bold();

/// An output stream of a program. It accepts styled text and drops the styles that it cannot show.
pub type Sink = Box<dyn Write + Send>;

/// The amount of text on standard error, as `-q` and `-v` set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// Only errors, questions and the command that continues (`-q`).
    Quiet,
    /// Also progress.
    Normal,
    /// Also checkpoints and whole texts, by the number of `-v`: from 2 on the log as well, from `debug`,
    /// and from 3 on from `trace`.
    Verbose(u8),
}

/// The writer of standard output and standard error, which all parts of a command share.
pub(super) struct Printer {
    out: Mutex<StandardOutput>,
    err: Mutex<Sink>,
    verbosity: Verbosity,
    live: LiveArea,
    columns: Option<usize>,
}

/// Standard output, with the first error of writing to it.
struct StandardOutput {
    sink: Sink,
    state: StreamState,
}

/// The state of standard output: open, closed by its reader, or failed.
enum StreamState {
    Open,
    /// The reader has closed the pipe, as `head` does. Further data is dropped; this is not an error.
    Closed,
    /// A write failed; [`Printer::finish`] returns the error.
    Failed(io::Error),
}

impl Printer {
    /// Makes a printer for two streams. `columns` is the width for tables that the user has set; without it
    /// the width of the terminal is used, and a pipe has none.
    pub(super) fn new(out: Sink, err: Sink, verbosity: Verbosity, columns: Option<usize>) -> Self {
        Self {
            out: Mutex::new(StandardOutput { sink: out, state: StreamState::Open }),
            err: Mutex::new(err),
            verbosity,
            live: LiveArea::on_terminal(verbosity > Verbosity::Quiet),
            columns: columns.or_else(|| {
                let (_, columns) = console::Term::stdout().size_checked()?;
                Some(usize::from(columns))
            }),
        }
    }

    /// Returns the live view, the lines about the run that are drawn below the printed ones.
    pub(super) fn live(&self) -> &LiveArea {
        &self.live
    }

    /// Returns the width for tables, in characters; `None` for a pipe for which the user has set none.
    pub(super) fn columns(&self) -> Option<usize> {
        self.columns
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Returns true unless `-q` was passed.
    pub(super) fn shows_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet
    }

    /// Prints a line on standard output. An error is kept for [`finish`](Self::finish), so that a full disk
    /// behind a pipe does not end a run.
    pub(super) fn data(&self, line: impl Display) {
        self.raw(format!("{line}\n").as_bytes());
    }

    /// Prints bytes on standard output, without adding a line break. Errors are kept as in
    /// [`data`](Self::data).
    pub(super) fn raw(&self, bytes: &[u8]) {
        let mut out = lock(&self.out);
        if matches!(out.state, StreamState::Open) {
            let written = self.live.suspend(|| out.sink.write_all(bytes));
            out.note(written);
        }
    }

    /// Flushes standard output, and returns the first error of writing to it. A pipe that its reader closed
    /// is no error.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        let mut out = lock(&self.out);
        if matches!(out.state, StreamState::Open) {
            let flushed = out.sink.flush();
            out.note(flushed);
        }
        match std::mem::replace(&mut out.state, StreamState::Closed) {
            StreamState::Open | StreamState::Closed => Ok(()),
            StreamState::Failed(error) => Err(Failure::new(
                format!("cannot write to standard output: {error}"),
                "redirect it to a disk with free space",
            )),
        }
    }

    /// Prints a line of progress on standard error, unless `-q` was passed.
    pub(super) fn progress(&self, line: impl Display) {
        if self.shows_progress() {
            self.say(line);
        }
    }

    /// Prints a line that is shown only with `-v`.
    pub(super) fn detail(&self, line: impl Display) {
        if self.verbosity > Verbosity::Normal {
            self.say(line);
        }
    }

    /// Prints a text cut to the width of the terminal; nothing without a terminal. With `-v` it is printed
    /// whole everywhere.
    pub(super) fn excerpt(&self, text: &str) {
        match self.verbosity {
            Verbosity::Verbose(_) => self.say(text),
            Verbosity::Normal if self.live.is_visible() => self.say(LiveArea::cut(text)),
            Verbosity::Quiet | Verbosity::Normal => {}
        }
    }

    /// Prints a line on standard error at every verbosity.
    pub(super) fn say(&self, line: impl Display) {
        self.error_line(format_args!("{}", sanitize(&line.to_string())));
    }

    /// Prints a command that the user can type next, behind its purpose, such as `to continue`.
    pub(super) fn command(&self, purpose: &str, command: &str) {
        self.error_line(format_args!("{purpose}: {COMMAND}{}{COMMAND:#}", sanitize(command)));
    }

    /// Prints a failure on standard error: the error, its causes, its hint, and the command that continues.
    pub(super) fn failure(&self, failure: &Failure) {
        match &failure.cause {
            FailureCause::Defects(defects) => {
                self.error_line(format_args!("{}", name_options(&defects.styled().to_string())));
            }
            FailureCause::Error(error) => {
                let chain = Failure::chain(error.as_ref());
                self.error_line(format_args!("{ERROR}error:{ERROR:#} {}", indent(&name_options(&chain[0]))));
                for cause in &chain[1..] {
                    self.error_line(format_args!("  caused by: {}", indent(&name_options(cause))));
                }
            }
        }
        if let Some(hint) = &failure.hint {
            self.hint(hint);
        }
        if let Some(command) = &failure.resume {
            self.command("to continue", command);
        }
    }

    /// Prints a hint for the user on standard error.
    pub(super) fn hint(&self, hint: &str) {
        self.error_line(format_args!("{HINT}hint:{HINT:#} {}", indent(&name_options(hint))));
    }

    /// Prints text with terminal styles of its own, such as usage errors of clap, to standard error,
    /// without a line break.
    pub(super) fn print_styled(&self, text: &str) {
        // Ignored, because no stream is left to report an error of standard error.
        let _ = self.live.suspend(|| write!(lock(&self.err), "{text}"));
    }

    fn error_line(&self, line: std::fmt::Arguments<'_>) {
        self.print_styled(&format!("{line}\n"));
    }
}

impl StandardOutput {
    fn note(&mut self, result: io::Result<()>) {
        match result {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.state = StreamState::Closed,
            Err(error) => self.state = StreamState::Failed(error),
        }
    }
}

/// Replaces control characters, so that text from outside, such as the answer of a server, cannot control the terminal.
fn sanitize(text: &str) -> Cow<'_, str> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_control(c) { '\u{fffd}' } else { c }).collect())
}

/// Returns the text, made safe for a terminal, with its further lines aligned to the text behind `error: `.
fn indent(text: &str) -> String {
    sanitize(text).replace('\n', "\n       ")
}

/// Locks a stream. A poisoned lock is used as it is, because a panic elsewhere leaves the stream intact.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
