//! Builds the messages of a model request (DOC-23): system prompt, context with a summary of earlier calls, and the last three
//! exchanges. Rules get the typed question besides.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future;
use serde::Serialize;
use serde_json::Value;

use super::RoundContext;
use crate::agent::{Hook, Middleware, Round as AgentRound, Toolbox};
use crate::engine::NodeResult;
use crate::llm::{ChatRequest, Message, Role, Task, ToolSpec};
use crate::repo::cut;
use crate::workflows::doc_phases::memory::{EntryType, OVERVIEW};
use crate::workflows::doc_phases::offline::TASK;
use crate::workflows::doc_phases::phase::{CallRecord, Operation, Phase, RoundQuestion};

/// Number of latest exchanges that a request contains.
const SENT_EXCHANGES: usize = 3;

/// Maximum length of an earlier call's arguments or error in the context, in characters.
const CALL_CHARS: usize = 200;

/// Middleware that replaces the messages of a request with prompts, context and the latest exchanges.
pub(in super::super) struct ContextWindow {
    system: String,
    context: String,
    task: Option<Task>,
}

/// Variables of the prompts.
#[derive(Serialize)]
struct Variables<'a> {
    #[serde(flatten)]
    question: &'a RoundQuestion,
    /// Tool specifications, generated from the tools (DOC-106).
    tools: &'a [ToolSpec],
    /// Entry types of memory with their JSON Schemas.
    entry_types: BTreeMap<&'static str, Value>,
    /// Used budget, one line for each limited operation.
    budget_lines: Vec<String>,
    /// Overview of the architecture, if memory has one.
    overview: Option<Value>,
    /// Memory entry of the component under exploration.
    known: Option<Value>,
    /// Ids of the known components, in phases C and D.
    components: Vec<String>,
    /// In phase A of an update: changed files that concern the architecture.
    new_files: &'a [String],
    /// Summaries of the calls outside the sent exchanges, one line each.
    earlier: Vec<String>,
}

impl ContextWindow {
    pub(in super::super) fn new(
        context: &RoundContext<'_>,
        question: &RoundQuestion,
        toolbox: &Toolbox,
    ) -> NodeResult<Self> {
        let variables = prompt_variables(context, question, toolbox);
        let prompts = ["base.system.md".to_owned(), format!("{}.system.md", question.phase)];
        let [base, phase] = prompts.map(|name| context.resources.render_prompt(&name, &variables));
        let system = format!("{}\n\n{}", base?.trim_end(), phase?.trim_end());
        let sent_context = context.resources.render_prompt("context.user.md", &variables)?;
        let task = context.resources.is_rules().then(|| Task {
            name: TASK.to_owned(),
            input: serde_json::to_value(question).expect("a round is plain data"),
        });
        Ok(Self { system, context: sent_context, task })
    }
}

fn prompt_variables<'a>(
    context: &RoundContext<'a>,
    question: &'a RoundQuestion,
    toolbox: &'a Toolbox,
) -> Variables<'a> {
    let memory = &context.resources.memory;
    let is_late = matches!(question.phase, Phase::CrossCutting | Phase::DocumentationGeneration);
    let known =
        question.component.as_ref().and_then(|component| memory.get(EntryType::Component, &component.id));
    let stores = question.phase != Phase::DocumentationGeneration;
    let types = EntryType::ALL.iter().filter(|_| stores);
    Variables {
        question,
        tools: toolbox.specs(),
        entry_types: types.map(|kind| (kind.name(), kind.schema().to_value())).collect(),
        budget_lines: budget_lines(question),
        overview: memory.get(EntryType::Architecture, OVERVIEW).map(|record| record.to_value()),
        known: known.map(|record| record.to_value()),
        components: if is_late {
            memory.index().components_discovered.into_iter().collect()
        } else {
            Vec::new()
        },
        new_files: new_files(context, question.phase),
        earlier: earlier_calls(question),
    }
}

/// Returns the changed files that an update has to assign to components.
fn new_files<'a>(context: &RoundContext<'a>, phase: Phase) -> &'a [String] {
    match &context.run.changed {
        Some(changed) if phase == Phase::ArchitectureDiscovery => {
            changed.of_architecture.as_deref().unwrap_or_default()
        }
        _ => &[],
    }
}

fn budget_lines(question: &RoundQuestion) -> Vec<String> {
    let line = |operation: Operation| {
        let limit = question.budget.limit(operation)?;
        Some(format!("{}: {} of {limit} used", operation.plural(), question.used.of(operation)))
    };
    Operation::ALL.into_iter().filter_map(line).collect()
}

/// Summarises the calls of rounds that are not sent completely any more.
fn earlier_calls(question: &RoundQuestion) -> Vec<String> {
    let first_sent = question.number.saturating_sub(u32::try_from(SENT_EXCHANGES).expect("it is 3"));
    let unsent = question.answered.iter().filter(|call| call.round < first_sent);
    unsent
        .map(|CallRecord { round, tool, arguments, success, content, .. }| {
            let arguments = cut(&arguments.to_string(), CALL_CHARS).kept.to_owned();
            let result = match success {
                true => format!("{} characters", content.chars().count()),
                false => cut(content, CALL_CHARS).kept.replace('\n', " "),
            };
            format!("round {round}: {tool} {arguments}: {result}")
        })
        .collect()
}

impl Middleware for ContextWindow {
    fn before_model<'a>(&'a self, _: &'a AgentRound, request: &'a mut ChatRequest) -> Hook<'a> {
        let messages = std::mem::take(&mut request.messages);
        let starts = messages.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant);
        let from = starts.map(|(at, _)| at).rev().take(SENT_EXCHANGES).last().unwrap_or(0);
        request.messages = vec![Message::system(&self.system), Message::user(&self.context)];
        request.messages.extend_from_slice(&messages[from..]);
        request.task.clone_from(&self.task);
        future::ready(Ok(())).boxed()
    }
}
