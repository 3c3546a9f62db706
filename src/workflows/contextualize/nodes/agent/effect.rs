//! The results of calls for the run: an analysis, a text, tokens. They travel as data of a tool's output, which is journaled, so that a
//! resumed run has them without running the tool again.

use futures_util::future::{self, BoxFuture, FutureExt};
use serde::{Deserialize, Serialize};

use super::context::AgentContext;
use crate::agent::{Hook, Middleware, Next, PlannedCall, Round, Spent, ToolOutput};
use crate::engine::NodeResult;
use crate::llm::ToolCall;
use crate::workflows::contextualize::nodes::passages::LineRange;
use crate::workflows::contextualize::state::{CodeAnalysis, ContextDraft};

/// The effect of one tool call on the run: tokens, a new analysis, a new text. It is stored in the data of
/// the tool's output.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CallEffect {
    /// Tokens and money of requests that the tool made.
    pub(super) spent: Spent,
    /// A new analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) analysis: Option<CodeAnalysis>,
    /// A new text; it replaces an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) draft: Option<ContextDraft>,
    /// Messages to the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
}

impl CallEffect {
    /// Reads the effect from the data of a tool's output; `None` if it has none.
    pub(super) fn of(output: &ToolOutput) -> Option<Self> {
        serde_json::from_value(output.data.clone()?).ok()
    }
}

/// The sum of the [`CallEffect`]s of a conversation so far, and the lines that the agent read.
/// [`Bookkeeping`] writes it; tools read it.
#[derive(Debug, Default)]
pub(super) struct ConversationLedger {
    /// Spent by the conversation before the calls of the round, with the answer that makes them.
    before: Spent,
    /// Spent by the calls of the round.
    calls: Spent,
    pub(super) analysis: Option<CodeAnalysis>,
    pub(super) draft: Option<ContextDraft>,
    pub(super) notes: Vec<String>,
    /// The lines that the agent read, by file, in the order of the first reading.
    read: Vec<(String, Vec<LineRange>)>,
}

/// Name of the tool that reads lines for a description.
const READING: &str = "read_file_snippet";
/// Most files whose lines are kept for the text.
const READ_FILES: usize = 12;
/// Most ranges of one file that are kept.
const READ_RANGES: usize = 20;

/// The arguments of a call of `read_file_snippet`, with its defaults.
#[derive(Deserialize)]
struct ReadArguments {
    path: String,
    #[serde(default)]
    start_line: usize,
    #[serde(default = "usual_lines")]
    num_lines: usize,
}

fn usual_lines() -> usize {
    50
}

impl ConversationLedger {
    /// Records the lines of a successful `read_file_snippet` by its JSON arguments. Keeps 12 files with 20
    /// ranges each; others are ignored.
    fn record_reading(&mut self, arguments: &str) {
        let Ok(ReadArguments { path, start_line, num_lines }) = serde_json::from_str(arguments) else {
            return;
        };
        let lines = start_line.saturating_add(1)..=start_line.saturating_add(num_lines);
        let is_full = self.read.len() >= READ_FILES;
        match self.read.iter_mut().find(|(known, _)| *known == path) {
            Some((_, ranges)) if ranges.len() < READ_RANGES && !ranges.contains(&lines) => ranges.push(lines),
            Some(_) => {}
            None if is_full => {}
            None => self.read.push((path, vec![lines])),
        }
    }

    /// Returns the recorded line ranges by file, in the order of the first reading.
    pub(super) fn read_lines(&self) -> Vec<(String, Vec<LineRange>)> {
        self.read.clone()
    }

    /// Returns what the conversation and its tool calls spent so far.
    pub(super) fn spent(&self) -> Spent {
        let mut spent = self.before.clone();
        spent += self.calls.clone();
        spent
    }

    /// Starts the calls of a round: `before` is the whole spending before them, and that of the calls is set
    /// to zero.
    pub(super) fn begin_calls(&mut self, before: &Spent) {
        self.before.clone_from(before);
        self.calls = Spent::default();
    }

    /// Returns what the tool calls of the round spent, and sets it to zero.
    pub(super) fn take_calls(&mut self) -> Spent {
        std::mem::take(&mut self.calls)
    }

    pub(super) fn apply(&mut self, effect: CallEffect) {
        let CallEffect { spent, analysis, draft, notes } = effect;
        self.calls += spent;
        self.analysis = analysis.or(self.analysis.take());
        self.draft = draft.or(self.draft.take());
        self.notes.extend(notes);
    }
}

/// Middleware that adds the effects of tool calls to the ledger. It stands outside the journal, so that a
/// resumed run repeats it.
pub(super) struct Bookkeeping<'a>(pub(super) &'a AgentContext);

impl Middleware for Bookkeeping<'_> {
    fn before_calls<'a>(&'a self, round: &'a Round, _: &'a mut [PlannedCall]) -> Hook<'a> {
        self.0.ledger().begin_calls(&round.spent);
        future::ready(Ok(())).boxed()
    }

    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let reading = (call.name == READING).then(|| call.arguments.clone());
            let output = next.run(call).await?;
            if let Some(arguments) = reading.filter(|_| output.is_success()) {
                self.0.ledger().record_reading(&arguments);
            }
            if let Some(effect) = CallEffect::of(&output) {
                self.0.ledger().apply(effect);
            }
            Ok(output)
        }
        .boxed()
    }
}
