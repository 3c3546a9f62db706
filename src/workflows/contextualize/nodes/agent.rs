//! The nodes of agent mode (CTX-2): a model selects tools until the text is written. One node holds the whole conversation; every answer
//! and every result is journaled, so that a resumed run pays for nothing twice.
//!
//! Reading order: `context` (what the tools share), `effect` (the results of calls for the run), `tools`, `reading` (the tools of the code
//! catalogue), `hints` (words about the budget), `conversation` (the loop), `findings` and `closing` (a conversation that ends without a
//! text).

mod closing;
mod context;
mod conversation;
mod debug_output;
mod effect;
mod findings;
mod hints;
mod reading;
mod tools;

use serde::Serialize;

use super::material::as_data;
use super::write::text_tokens;
use crate::agent::{Conversation, Spent};
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::trace::run_agent;
use crate::workflows::contextualize::input::ContextFormat;
use crate::workflows::contextualize::search::Discovery;
use crate::workflows::contextualize::services::{ContextResources, ContextServices};
use crate::workflows::contextualize::state::{
    ContextGeneration, ContextGenerationUpdate, ContextScope, ContextScopeUpdate,
};
use context::{AgentContext, AgentTask};
use conversation::converse;

/// Most files that the first message of a conversation about a question names.
const CANDIDATES: usize = 8;
/// Most definitions of a file that it names.
const DEFINITIONS: usize = 3;

/// Runs the conversation in which a model describes a repository or changes its context file, and returns the
/// draft.
pub(in super::super) async fn describe_as_agent(
    run: &ContextGeneration,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextGenerationUpdate> {
    let resources = language_model(cx)?;
    let repository = run.repository.clone().expect("the graph opens the repository first");
    let task = AgentTask::Describe { summary: run.summary.clone(), refined: run.refinement.clone() };
    let context = AgentContext::new(resources.clone(), resources.redirect(&run.input), repository, task);
    context.ledger().analysis.clone_from(&run.analysis);
    let mut conversation = if run.conversation.messages.is_empty() {
        let system = resources.render_prompt("agent-generate.system.md", &())?;
        Conversation::new(system, first_task(run, resources)?)
    } else {
        next_task(run, resources)?
    };
    let ended = run_agent(cx.node(), converse(&context, &mut conversation, cx)).await?;
    let closed = Box::pin(closing::close_description(&context, &mut conversation, &ended, cx)).await?;
    let analysis = context.ledger().analysis.clone();
    let update =
        ContextGeneration::update().analysis(analysis).draft(Some(closed.draft)).extend_notes(closed.notes);
    Ok(update.spent(conversation.spent.clone()).conversation(conversation))
}

/// Runs the conversation in which a model answers a question about a repository, and returns the draft.
pub(in super::super) async fn answer_as_agent(
    run: &ContextScope,
    cx: &Cx<ContextServices>,
) -> NodeResult<ContextScopeUpdate> {
    let resources = language_model(cx)?;
    let repository = run.repository.clone().expect("the graph opens the repository first");
    let task = AgentTask::Answer { question: run.question.clone() };
    let context = AgentContext::new(resources.clone(), resources.redirect(&run.input), repository, task);
    let discovery = run.discovery.as_ref().expect("the graph discovers first");
    let variables = QuestionVariables {
        question: &run.question,
        candidates: if discovery.fallback { Vec::new() } else { candidates(discovery) },
        budget: run.input.settings.budget.tokens,
    };
    let mut conversation = Conversation::new(
        resources.render_prompt("agent-scope.system.md", &())?,
        resources.render_prompt("agent-scope.user.md", &variables)?,
    );
    let ended = run_agent(cx.node(), converse(&context, &mut conversation, cx)).await?;
    let closed = Box::pin(closing::close_answer(&context, discovery, &mut conversation, &ended, cx)).await?;
    let update = ContextScope::update().draft(Some(closed.draft)).extend_notes(closed.notes);
    Ok(update.spent(conversation.spent.clone()).conversation(conversation))
}

/// Template variables of the first message about a question.
#[derive(Serialize)]
struct QuestionVariables<'a> {
    question: &'a str,
    candidates: Vec<String>,
    budget: Option<u64>,
}

/// Template variables of the message that asks for a description or a change.
#[derive(Serialize)]
struct TaskVariables<'a> {
    repository: &'a str,
    summary: Option<&'a str>,
    is_agents_md: bool,
    max_tokens: usize,
    budget: Option<u64>,
    request: &'a str,
    document: String,
}

/// Renders the user message with the task: to describe the repository or, after a refinement request, to
/// change its file.
fn first_task(run: &ContextGeneration, resources: &ContextResources) -> NodeResult<String> {
    let settings = &run.input.settings;
    let refined = run.refinement.as_ref();
    let variables = TaskVariables {
        repository: run.repository.as_ref().map_or("", |repository| &repository.name),
        summary: run.summary.as_deref(),
        is_agents_md: settings.format == ContextFormat::AgentsMd,
        max_tokens: text_tokens(settings, run.summary.as_deref()),
        budget: settings.budget.tokens,
        request: refined.map_or("", |refined| &refined.request),
        document: refined.map(|refined| as_data(refined.original.body.trim())).unwrap_or_default(),
    };
    let name = if refined.is_some() { "agent-refine.user.md" } else { "agent-generate.user.md" };
    resources.render_prompt(name, &variables)
}

/// Returns the conversation of the thread with the message of the next task added (CTX-33). Its spent tokens
/// start at zero, because the limits are those of a run.
fn next_task(run: &ContextGeneration, resources: &ContextResources) -> NodeResult<Conversation> {
    let mut conversation = run.conversation.clone();
    conversation.spent = Spent::default();
    conversation.say(first_task(run, resources)?);
    Ok(conversation)
}

/// Returns one line for each of the 8 best files, with up to 3 of its definitions and their lines, safe to
/// quote in a prompt.
fn candidates(discovery: &Discovery) -> Vec<String> {
    let line = |path: &String| {
        let definitions =
            discovery.definitions.iter().filter(|found| found.path == *path && !found.name.is_empty());
        let named: Vec<String> = definitions
            .take(DEFINITIONS)
            .map(|found| format!("{} (lines {}-{})", found.name, found.start, found.end))
            .collect();
        if named.is_empty() { path.clone() } else { format!("{path}: {}", named.join(", ")) }
    };
    let lines = discovery.candidates.iter().take(CANDIDATES).map(|found| line(&found.path));
    lines.map(|line| as_data(&line).trim_end().to_owned()).collect()
}

/// Returns the resources of the run; an error if its model is `rules`, because agent mode needs a language
/// model.
fn language_model(cx: &Cx<ContextServices>) -> NodeResult<&std::sync::Arc<ContextResources>> {
    let resources = cx.services().resources()?;
    if resources.is_rules() {
        let error = NodeError::msg("agent mode needs a model that selects the tools").permanent();
        return Err(error.with_hint("name one: `--model PROVIDER/MODEL`"));
    }
    Ok(resources)
}
