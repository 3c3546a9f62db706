//! Builds the messages of a model request (DOC-23): system prompt, context with a summary of earlier calls, and the last three
//! exchanges. Rules get the typed question besides.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future;
use serde::Serialize;
use serde_json::Value;

use super::{RoundContext, digest, review};
use crate::agent::{Hook, Middleware, Round as AgentRound, Toolbox, is_foreign};
use crate::engine::NodeResult;
use crate::llm::{ChatRequest, Message, Role, Task, ToolSpec};
use crate::repo::cut;
use crate::workflows::doc_phases::offline::TASK;
use crate::workflows::doc_phases::phase::{CallRecord, Operation, Phase, RoundQuestion};

/// Number of latest exchanges that a request contains.
const SENT_EXCHANGES: usize = 3;

/// Maximum length of an earlier call's arguments or error in the context, in characters.
const CALL_CHARS: usize = 200;

/// Middleware that replaces the messages of a model request: system prompt, context, the latest exchanges and
/// the text of the round. The texts that change most come last, so that endpoints can reuse the beginning of
/// an earlier request.
pub(in super::super) struct ContextWindow {
    system: String,
    context: String,
    round: String,
    offered: Option<&'static [&'static str]>,
    task: Option<Task>,
}

/// Variables of the system prompts. They are equal in all rounds of a phase.
#[derive(Serialize)]
struct SystemVariables<'a> {
    phase: Phase,
    calls_per_round: u32,
    /// Specifications of the offered tools, generated from the tools (DOC-106).
    tools: Vec<&'a ToolSpec>,
}

/// Variables of the prompts `context.user.md` and `round.user.md`, which follow the system prompt.
#[derive(Serialize)]
struct Variables<'a> {
    #[serde(flatten)]
    question: &'a RoundQuestion,
    /// Used budget, one line for each limited operation.
    budget_lines: Vec<String>,
    /// Facts of the repository or of the component.
    facts: Option<String>,
    /// Overview of the architecture, if memory has one.
    overview: Option<String>,
    /// Summary of phase A, in phase B.
    summary: Option<String>,
    /// Findings of the review by rules, in phase D.
    review: Option<String>,
    /// Ids of the concerns that rules found, in phase C.
    concerns: Vec<String>,
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
        let resources = context.resources;
        let phase = question.phase;
        let offered = (!resources.is_rules()).then(|| phase.offered_tools());
        let tools = toolbox.specs().iter().filter(|spec| is_offered(offered, spec)).collect();
        let system = SystemVariables { phase, calls_per_round: question.calls_per_round, tools };
        let prompts = ["base.system.md".to_owned(), format!("{phase}.system.md")];
        let [base, of_phase] = prompts.map(|name| resources.render_prompt(&name, &system));
        let system = format!("{}\n\n{}", base?.trim_end(), of_phase?.trim_end());
        let variables = prompt_variables(context, question);
        let sent_context = resources.render_prompt("context.user.md", &variables)?;
        let round = resources.render_prompt("round.user.md", &variables)?;
        let task = resources.is_rules().then(|| Task {
            name: TASK.to_owned(),
            input: serde_json::to_value(question).expect("a round is plain data"),
        });
        Ok(Self { system, context: sent_context, round, offered, task })
    }
}

/// Returns true if the model is told of the tool: it is in `offered`, or a tool of an MCP server. `None`
/// offers every tool.
fn is_offered(offered: Option<&[&str]>, spec: &ToolSpec) -> bool {
    offered.is_none_or(|offered| offered.contains(&spec.name.as_str()) || is_foreign(&spec.name))
}

fn prompt_variables<'a>(context: &RoundContext<'a>, question: &'a RoundQuestion) -> Variables<'a> {
    let memory = &context.resources.memory;
    // Rules read their typed question.
    let asked = (!context.resources.is_rules()).then_some(question.phase);
    let before = || context.run.phase(Phase::ArchitectureDiscovery).findings_summary;
    Variables {
        question,
        budget_lines: budget_lines(question),
        facts: match (asked, &question.component) {
            (Some(Phase::ArchitectureDiscovery), _) => Some(digest::repository(memory)),
            (Some(_), Some(component)) => Some(digest::component(memory, component)),
            _ => None,
        },
        overview: asked.and_then(|_| digest::architecture(memory)),
        summary: asked.filter(|phase| *phase == Phase::ComponentDeepDive).and_then(|_| before()),
        review: (asked == Some(Phase::DocumentationGeneration)).then(|| review::review(memory)),
        concerns: match asked {
            Some(Phase::CrossCutting) => digest::concerns(memory),
            _ => Vec::new(),
        },
        new_files: new_files(context, question.phase),
        earlier: earlier_calls(question),
    }
}

/// Returns the changed files that concern the architecture, in phase A of an update; else none.
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
        (limit > 0)
            .then(|| format!("{}: {} of {limit} used", operation.plural(), question.used.of(operation)))
    };
    Operation::ALL.into_iter().filter_map(line).collect()
}

/// Returns one line for each call of the rounds whose messages are no longer sent: tool, shortened arguments,
/// and the size of the result or the error.
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

/// Removes keywords of a JSON schema that help a model little, at all levels: formats, defaults, minimums,
/// maximums and boolean `additionalProperties`. The tool still checks its arguments by the whole schema.
fn slim_schema(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| match name.as_str() {
                "format" | "default" => value.is_object(),
                "minimum" | "maximum" => false,
                "additionalProperties" => !value.is_boolean(),
                _ => true,
            });
            fields.values_mut().for_each(slim_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(slim_schema),
        _ => {}
    }
}

impl Middleware for ContextWindow {
    fn before_model<'a>(&'a self, _: &'a AgentRound, request: &'a mut ChatRequest) -> Hook<'a> {
        let messages = std::mem::take(&mut request.messages);
        let starts = messages.iter().enumerate().filter(|(_, message)| message.role == Role::Assistant);
        let from = starts.map(|(at, _)| at).rev().take(SENT_EXCHANGES).last().unwrap_or(0);
        request.messages = vec![Message::system(&self.system), Message::user(&self.context)];
        request.messages.extend_from_slice(&messages[from..]);
        request.messages.push(Message::user(&self.round));
        if let Some(offered) = self.offered {
            request.tools.retain(|spec| is_offered(Some(offered), spec));
            request.tools.iter_mut().for_each(|spec| slim_schema(Arc::make_mut(&mut spec.parameters)));
        }
        request.task.clone_from(&self.task);
        future::ready(Ok(())).boxed()
    }
}
