//! The conversation of one phase: its messages, calls and results, and the next round (DOC-23 to DOC-31). A resumed node rebuilds
//! all of it from the journal.

use serde_json::Value;

use super::explore::Exploration;
use super::round::{ContextWindow, RoundContext};
use crate::agent::around::{Approval, CallsPerRound, Journal, Taped, ToolBudget};
use crate::agent::{
    Agent, CallPolicy, CallResult, Conversation, ForeignTool, Spent, Stack, Step, StreamedAnswer, ToolOutput,
};
use crate::engine::{NodeError, NodeResult};
use crate::llm::{Message, ToolCall};
use crate::workflows::doc_phases::phase::{
    BudgetUsage, CallRecord, Operation, ParsedCompletion, Phase, PhaseBudget, RoundQuestion, StoredEntry,
    ToolObservation, parse_completion,
};
use crate::workflows::doc_phases::services::storage_error;
use crate::workflows::doc_phases::tools::{
    ANSWER_CHARS, CrossComponentLimit, CurrentConcern, READING_TOOLS, build_toolbox, weak_purposes,
};
use crate::workflows::tool_servers::{ServerResults, add_foreign};

use super::round::{AnswerLimits, ProgressReporter};

/// Key of the conversation in the journal of its task.
const KEY: &str = "talk";

/// Conversation of one exploration with the model: the messages, and a record of each tool call. Grows by
/// [`Self::run_round`].
pub(super) struct PhaseConversation {
    conversation: Conversation,
    answered: Vec<CallRecord>,
    /// Number of cross-component queries so far.
    cross_component_queries: u32,
    /// True if a completion was sent back, which happens once.
    was_returned: bool,
}

/// End of a phase that the model declared: its completion, and a message for each weak purpose that is left
/// (a description too vague to be useful).
pub(super) struct PhaseEnd {
    pub(super) parsed: ParsedCompletion,
    pub(super) weak: Vec<String>,
}

impl PhaseConversation {
    /// Returns an empty conversation whose counts of calls start at `used`, the usage before a resume from
    /// the session file.
    pub(super) fn new(used: BudgetUsage) -> Self {
        let mut conversation = Conversation::default();
        for operation in [Operation::FileRead, Operation::Grep, Operation::SymbolCall, Operation::MemoryQuery]
        {
            if used.of(operation) > 0 {
                conversation.spent.tools.insert(operation.tool().to_owned(), used.of(operation));
            }
        }
        let cross_component_queries = used.cross_component_queries;
        Self { conversation, answered: Vec::new(), cross_component_queries, was_returned: false }
    }

    /// Returns the tokens, cost and calls so far.
    pub(super) fn spent(&self) -> &Spent {
        &self.conversation.spent
    }

    /// Returns the number of calls of each operation so far (DOC-53).
    pub(super) fn usage(&self) -> BudgetUsage {
        let calls = |operation: Operation| self.conversation.spent.calls(operation.tool());
        BudgetUsage {
            files_read: calls(Operation::FileRead),
            grep_calls: calls(Operation::Grep),
            symbols_calls: calls(Operation::SymbolCall),
            memory_queries: calls(Operation::MemoryQuery),
            cross_component_queries: self.cross_component_queries,
        }
    }

    /// Runs round `number`: asks the model once and runs the tool calls of its answer. Returns the end of the
    /// phase if the model declares it, in its text or in a call; else `None`. If an answer has tool calls, a
    /// completion in its text is ignored (DOC-30).
    pub(super) async fn run_round(
        &mut self,
        context: &RoundContext<'_>,
        number: u32,
    ) -> NodeResult<Option<PhaseEnd>> {
        let question = self.build_question(context, number);
        let key = format!("{} round {number}", context.name());
        let step = self.ask(context, &question, &key).await?;
        let entry = self.debug_entry();
        context.resources.session.append_debug(&key, &entry).map_err(storage_error)?;
        match step {
            Step::Called(results) => {
                self.record_results(context.exploration.phase, number, results);
                Ok(self.end_in_calls(number))
            }
            Step::Answered(text) => {
                if let Some(parsed) = parse_completion(context.exploration.phase, &text) {
                    return self.end_in_text(context, number, parsed).await;
                }
                let reminder = context.resources.render_prompt("continue.user.md", &question)?;
                self.conversation.messages.push(Message::user(reminder));
                Ok(None)
            }
            Step::Halted(halt) => Err(NodeError::from(halt).permanent()),
        }
    }

    /// Returns the end of the phase that a tool call of this round declared, of several the last; `None` if
    /// no call did. Remembers whether a call sent a completion back to the model.
    fn end_in_calls(&mut self, round: u32) -> Option<PhaseEnd> {
        let mut end = None;
        for call in self.answered.iter().rev().take_while(|call| call.round == round) {
            let ToolObservation::Findings { completion, weak, is_returned, .. } = &call.seen else {
                continue;
            };
            self.was_returned |= is_returned;
            if let (Some(completion), None) = (completion, &end) {
                let parsed = ParsedCompletion { completion: completion.clone(), problem: None };
                end = Some(PhaseEnd { parsed, weak: weak.clone() });
            }
        }
        end
    }

    /// Returns the end of the phase that the text of an answer declared. The first time that weak purposes
    /// (vague descriptions) are left, asks the model for better ones instead and returns `None`.
    async fn end_in_text(
        &mut self,
        context: &RoundContext<'_>,
        number: u32,
        parsed: ParsedCompletion,
    ) -> NodeResult<Option<PhaseEnd>> {
        let Exploration { phase, component, .. } = *context.exploration;
        if context.resources.is_rules() {
            return Ok(Some(PhaseEnd { parsed, weak: Vec::new() }));
        }
        let memory = &context.resources.memory;
        let id = component.map(|component| component.id.as_str());
        // Journaled, because memory goes on changing and a resumed run must decide as before.
        let looking = async { Ok::<_, NodeError>(weak_purposes(memory, phase, id)) };
        let weak = context.cx.once(&format!("weak {number}"), looking).await?;
        if weak.is_empty() || self.was_returned {
            return Ok(Some(PhaseEnd { parsed, weak }));
        }
        self.was_returned = true;
        let asked = format!(
            "The phase is not complete yet:\n{}\nStore it, then complete the phase again.",
            weak.join("\n")
        );
        self.conversation.messages.push(Message::user(asked));
        Ok(None)
    }

    /// Returns a line for each entry that the phase stored (``added file `a.rs` ``), in order, each once.
    pub(super) fn changes(&self) -> Vec<String> {
        let mut changes: Vec<String> = Vec::new();
        for call in &self.answered {
            let ToolObservation::Findings { stored, .. } = &call.seen else { continue };
            for StoredEntry { entry_type, id, is_new } in stored {
                let what = if *is_new { "added" } else { "corrected" };
                let change = format!("{what} {entry_type} `{id}`");
                if !changes.contains(&change) {
                    changes.push(change);
                }
            }
        }
        changes
    }

    fn build_question(&self, context: &RoundContext<'_>, number: u32) -> RoundQuestion {
        let settings = &context.run.settings;
        let name = context.run.repository.file_name().unwrap_or_default();
        RoundQuestion {
            phase: context.exploration.phase,
            repository: name.to_string_lossy().into_owned(),
            component: context.exploration.component.cloned(),
            number,
            limit: settings.max_rounds_per_phase,
            calls_per_round: settings.max_tool_calls_per_round,
            budget: settings.budgets.of(context.exploration.phase),
            used: self.usage(),
            answered: self.answered.clone(),
        }
    }

    async fn ask(
        &mut self,
        context: &RoundContext<'_>,
        question: &RoundQuestion,
        key: &str,
    ) -> NodeResult<Step> {
        let RoundContext { resources, cx, .. } = *context;
        let tools = context.tool_context(question, self.was_returned);
        let foreign = if question.phase.reads_code() { resources.foreign().await? } else { &[] };
        let own = build_toolbox(&tools).map_err(NodeError::from)?;
        let toolbox = add_foreign(own, resources.servers.as_ref(), foreign)?;
        let window = ContextWindow::new(context, question, &toolbox)?;
        let (reporter, stream) = (
            ProgressReporter::new(context, question, key),
            StreamedAnswer::new(cx, format!("{KEY}.{}", question.number)),
        );
        let mut stack = Stack::new()
            .with(window)
            .with(CallsPerRound(question.calls_per_round as usize))
            .with(AnswerLimits)
            .with(tool_budget(&question.budget));
        if let Some(limit) = question.budget.max_cross_component_queries {
            let concern = CurrentConcern::from_calls(&self.answered);
            stack = stack.with(CrossComponentLimit { concern, limit, used: self.cross_component_queries });
        }
        if !foreign.is_empty() {
            let approve = ForeignTool::approved_by_a_person(foreign);
            stack = stack.with(Approval::new(cx, approve).schemas(toolbox.specs()));
        }
        let stack = stack
            .with(Journal::new(cx, KEY))
            .with(reporter)
            .with(Taped::new(&resources.tape, READING_TOOLS))
            .with(ServerResults::new(foreign, &resources.tape));
        // Calls run sequentially because a call may query an entry that an earlier one stores.
        let timeout = CallPolicy::default().timeout.max(ForeignTool::longest_call(foreign));
        let policy = CallPolicy { at_once: 1, timeout, output_chars: ANSWER_CHARS };
        let agent =
            Agent::new(question.phase.as_str(), &*resources.model, &toolbox).stack(stack).calls(policy);
        agent.rounds(question.limit).sink(&stream).step(&mut self.conversation).await
    }

    /// Appends the calls of the latest answer and their results to the records, and counts the
    /// cross-component queries among them.
    fn record_results(&mut self, phase: Phase, round: u32, results: Vec<CallResult>) {
        let answer = &self.conversation.messages[self.conversation.messages.len() - results.len() - 1];
        let concern = CurrentConcern::from_calls(&self.answered);
        let calls: Vec<ToolCall> = answer.tool_calls.clone();
        for (call, result) in calls.into_iter().zip(results) {
            let crosses = phase == Phase::CrossCutting && concern.is_crossed_by(&call);
            self.cross_component_queries += u32::from(crosses && result.output.counts());
            self.answered.push(answered_call(round, call, result.output));
        }
    }

    /// Returns the latest answer of the model, its calls and all later messages as text for the debug log
    /// (DOC-27).
    fn debug_entry(&self) -> String {
        let messages = &self.conversation.messages;
        let from =
            messages.iter().rposition(|message| message.role == crate::llm::Role::Assistant).unwrap_or(0);
        let mut lines = Vec::new();
        for message in &messages[from..] {
            if !message.content.is_empty() {
                lines.push(message.content.clone());
            }
            lines.extend(
                message
                    .tool_calls
                    .iter()
                    .map(|call| format!("[calls {} with {}]", call.name, call.arguments)),
            );
        }
        lines.join("\n")
    }
}

pub(super) fn answered_call(round: u32, call: ToolCall, output: ToolOutput) -> CallRecord {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::String(call.arguments));
    let success = output.is_success();
    let seen =
        output.data.map(serde_json::from_value).and_then(Result::ok).unwrap_or(ToolObservation::Nothing);
    CallRecord { round, tool: call.name, arguments, success, content: output.content, seen }
}

/// Returns the middleware that refuses calls beyond the budget, by tool name. Cross-component queries have a
/// middleware of their own.
fn tool_budget(budget: &PhaseBudget) -> ToolBudget {
    let by_tool = Operation::ALL.into_iter().filter(|operation| *operation != Operation::CrossComponentQuery);
    by_tool.filter_map(|operation| budget.allowance(operation)).fold(ToolBudget::new(), ToolBudget::with)
}
