//! Asks the questions of a run in the terminal, and continues it with the answers. Ctrl-D and Ctrl-C leave a question waiting.

use std::io::{BufRead as _, BufReader, IsTerminal as _, Read};
use std::sync::Arc;
use std::sync::mpsc;

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::answer::AnswerForm;
use super::exit::Exit;
use super::failure::Failure;
use super::follow::{FinishedRun, RunFollower};
use super::options::{CommonRunArgs, OutputMode};
use super::question::format_payload;
use super::session::Session;
use crate::engine::{Host, HostStart, Question, QuestionId, RunError, StopWish};

/// The presence of a person who can answer questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interaction {
    /// Standard input and standard error are terminals: questions are asked there.
    Terminal,
    /// Questions are not asked; the commands that answer them are printed.
    None,
}

impl Interaction {
    /// Returns the interaction of this process: a terminal if both standard input and standard error are
    /// one.
    pub fn of_process() -> Self {
        if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
            Self::Terminal
        } else {
            Self::None
        }
    }
}

/// A reader of the lines that a person types. A thread of its own reads standard input, because such a read
/// cannot be cancelled.
pub(super) struct TypedLines {
    /// Channel that asks the thread for another line.
    wanted: mpsc::Sender<()>,
    /// Channel with the lines; `None` stands for the end of the input.
    lines: UnboundedReceiver<Option<String>>,
}

/// The user's decision about an earlier, unfinished run of the same input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EarlierRun {
    /// The earlier run is continued.
    Continued,
    /// The input is run again from the start.
    Replaced,
    /// Nothing is run, and the earlier run stays as it is.
    Left,
}

impl TypedLines {
    fn new(session: &Session) -> Self {
        let (wanted, requests) = mpsc::channel();
        let (send, lines) = unbounded_channel();
        let open: Arc<dyn Fn() -> Box<dyn Read> + Send + Sync> = session.stdin.clone();
        std::thread::spawn(move || {
            let mut input = BufReader::new(open());
            while requests.recv().is_ok() {
                let mut line = String::new();
                let read = input.read_line(&mut line).ok().filter(|bytes| *bytes > 0);
                if send.send(read.map(|_| line)).is_err() {
                    return;
                }
            }
        });
        Self { wanted, lines }
    }
}

impl RunFollower<'_> {
    /// Prints `prompt` and waits for a typed line. Returns `None` at the end of the input (Ctrl-D) and
    /// after Ctrl-C.
    async fn ask(&self, prompt: &str) -> Option<String> {
        let mut typed = self.typed.lock().await;
        // One reader for all questions, because it may have read more than a line.
        let typed = typed.get_or_insert_with(|| TypedLines::new(self.session));
        self.session.printer.print_styled(prompt);
        typed.wanted.send(()).ok()?;
        let line = tokio::select! {
            line = typed.lines.recv() => line.flatten(),
            () = self.stop.wait_for(StopWish::Drain) => None,
        };
        if line.is_none() {
            self.session.printer.say("");
        }
        line
    }

    /// Asks the user if an earlier, unfinished run of the same input is continued. `name` is shown in the
    /// question.
    pub(super) async fn ask_about_earlier(&self, name: &str) -> EarlierRun {
        let question = format!("an earlier run of the same input was not finished ({name})");
        self.session.printer.say(question);
        loop {
            match self.ask("continue it? [Y/n] ").await.as_deref().map(str::trim) {
                None => return EarlierRun::Left,
                Some("" | "y" | "Y" | "yes") => return EarlierRun::Continued,
                Some("n" | "N" | "no") => return EarlierRun::Replaced,
                Some(_) => self.session.printer.say("y continues it, n starts over, Ctrl-D does neither"),
            }
        }
    }

    /// Asks the questions of a waiting run and resumes it with the answers, until no question is open or
    /// the user leaves one; then prints the end of the run. Asks nothing without a terminal or with
    /// `--json`.
    pub(super) async fn finish_asking(
        &self,
        host: &dyn Host,
        args: &CommonRunArgs,
        mut finished: FinishedRun,
    ) -> Result<Exit, Failure> {
        if self.session.interaction == Interaction::None || self.output == OutputMode::Events {
            return self.finish(finished);
        }
        while let Some((saved, questions)) = finished.open_questions() {
            let answers = self.ask_all(questions).await;
            let is_left = answers.len() < questions.len();
            if answers.is_empty() {
                break;
            }
            let mut request = args.request(HostStart::Resume { thread: saved.thread.clone(), at: None });
            request.answers = answers;
            let saved = saved.clone();
            let next = self.run(host, request, Some(saved)).await?;
            if let Some(error @ RunError::AnswerRefused { .. }) = next.error() {
                self.session.printer.say(error);
                continue;
            }
            finished = next;
            if is_left {
                break;
            }
        }
        self.finish(finished)
    }

    /// Asks the questions in their order. Returns the answers up to the first question that the user
    /// leaves.
    async fn ask_all(&self, questions: &[Question]) -> Vec<(QuestionId, Value)> {
        let mut answers = Vec::new();
        for question in questions {
            match self.ask_one(question).await {
                Some(answer) => answers.push((question.id, answer)),
                None => break,
            }
        }
        answers
    }

    async fn ask_one(&self, question: &Question) -> Option<Value> {
        let form = AnswerForm::of(question);
        print_question(self.session, question, &form);
        let prompt = match (form.options.is_empty(), form.recommended) {
            (true, _) => "answer (Ctrl-D answers later): ".to_owned(),
            (false, None) => "number or text (Ctrl-D answers later): ".to_owned(),
            (false, Some(at)) => {
                format!("number or text (Enter takes {}, Ctrl-D answers later): ", at + 1)
            }
        };
        loop {
            let line = self.ask(&prompt).await?;
            match form.read(&line) {
                Some(answer) => return Some(answer),
                None => self.session.printer.say("an answer is needed"),
            }
        }
    }
}

/// Prints a question with its numbered options; a payload without a text is printed as an outline.
fn print_question(session: &Session, question: &Question, form: &AnswerForm) {
    let printer = &session.printer;
    let payload: Value = serde_json::from_str(question.payload.get()).expect("a payload is JSON");
    let text = payload.as_str().or_else(|| payload["question"].as_str());
    if let Some(text) = text {
        printer.say(format_args!("question of `{}`: {text}", question.node));
    } else {
        let lines = format_payload(&question.payload).join("\n");
        printer.say(format_args!("question of `{}`:\n{lines}", question.node));
    }
    if let Some(shown) = payload.get("show") {
        let shown = serde_json::value::to_raw_value(shown).expect("a value is JSON");
        printer.say(format_payload(&shown).join("\n"));
    }
    for (at, option) in form.options.iter().enumerate() {
        let mark = if form.recommended == Some(at) { " (recommended)" } else { "" };
        printer.say(format_args!("  {}. {}{mark}", at + 1, option.label));
    }
}
