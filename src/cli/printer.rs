//! The only place that prints. Decided once: data goes to standard output, everything else to standard error; colours are there
//! when the stream behind is a terminal and `NO_COLOR` is not set.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstyle::{AnsiColor, Style};

use super::failure::{Failure, What};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const COMMAND: Style = Style::new().bold();

/// Where a program prints to: a stream that takes styled text and drops the styles it cannot show.
pub type Sink = Box<dyn Write + Send>;

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// Errors, questions and how to continue.
    Quiet,
    /// Progress too.
    Normal,
    /// Checkpoints too, and so much of the log.
    Verbose(u8),
}

/// Prints.
pub(super) struct Printer {
    out: Mutex<Out>,
    err: Mutex<Sink>,
    verbosity: Verbosity,
}

struct Out {
    sink: Sink,
    state: OutState,
}

enum OutState {
    Open,
    /// The reader has gone, as `head` does: nobody wants more, and that is no error.
    Gone,
    /// It failed; told at the end.
    Failed(io::Error),
}

impl Printer {
    pub(super) fn new(out: Sink, err: Sink, verbosity: Verbosity) -> Self {
        Self { out: Mutex::new(Out { sink: out, state: OutState::Open }), err: Mutex::new(err), verbosity }
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Whether progress is shown.
    pub(super) fn says_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet
    }

    /// A line of data. What goes wrong is told by [`finish`](Self::finish), so that a run is not lost to a full disk behind a pipe.
    pub(super) fn data(&self, line: impl Display) {
        self.raw(format!("{line}\n").as_bytes());
    }

    /// Data with its own line breaks.
    pub(super) fn raw(&self, bytes: &[u8]) {
        let mut out = lock(&self.out);
        if matches!(out.state, OutState::Open) {
            let written = out.sink.write_all(bytes);
            out.note(written);
        }
    }

    /// Waits until all data is out.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        let mut out = lock(&self.out);
        if matches!(out.state, OutState::Open) {
            let flushed = out.sink.flush();
            out.note(flushed);
        }
        match std::mem::replace(&mut out.state, OutState::Gone) {
            OutState::Open | OutState::Gone => Ok(()),
            OutState::Failed(error) => Err(Failure::new(
                format!("cannot write to standard output: {error}"),
                "send it to a place with room, such as a file on another disk",
            )),
        }
    }

    /// Progress: a line that `-q` silences.
    pub(super) fn progress(&self, line: impl Display) {
        if self.says_progress() {
            self.say(line);
        }
    }

    /// A line for those who want to know more.
    pub(super) fn detail(&self, line: impl Display) {
        if self.verbosity > Verbosity::Normal {
            self.say(line);
        }
    }

    /// A line that everybody must see.
    pub(super) fn say(&self, line: impl Display) {
        self.error_line(format_args!("{}", harmless(&line.to_string())));
    }

    /// A command that the user can type next.
    pub(super) fn command(&self, what_for: &str, command: &str) {
        self.error_line(format_args!("{what_for}: {COMMAND}{}{COMMAND:#}", harmless(command)));
    }

    /// An error, its causes, what to do.
    pub(super) fn failure(&self, failure: &Failure) {
        match &failure.what {
            What::Defects(defects) => self.error_line(format_args!("{}", defects.styled())),
            What::Error(error) => {
                let chain = Failure::chain(error.as_ref());
                self.error_line(format_args!("{ERROR}error:{ERROR:#} {}", indented(&chain[0])));
                for cause in &chain[1..] {
                    self.error_line(format_args!("  caused by: {}", indented(cause)));
                }
            }
        }
        if let Some(hint) = &failure.hint {
            self.error_line(format_args!("{HINT}hint:{HINT:#} {}", indented(hint)));
        }
        if let Some(command) = &failure.resume {
            self.command("to continue", command);
        }
    }

    /// Styled text of another maker's, such as help.
    pub(super) fn styled(&self, text: &str) {
        // Nothing can be said about a standard error that takes no text.
        let _ = write!(lock(&self.err), "{text}");
    }

    fn error_line(&self, line: std::fmt::Arguments<'_>) {
        self.styled(&format!("{line}\n"));
    }
}

impl Out {
    fn note(&mut self, done: io::Result<()>) {
        match done {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.state = OutState::Gone,
            Err(error) => self.state = OutState::Failed(error),
        }
    }
}

/// Text of others, such as a server's answer, cannot steer the terminal.
fn harmless(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect())
}

/// Further lines stand under the first.
fn indented(text: &str) -> String {
    harmless(text).replace('\n', "\n       ")
}

/// A panic elsewhere leaves a stream as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
