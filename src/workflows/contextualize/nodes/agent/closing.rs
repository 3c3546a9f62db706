//! The text of a conversation that ended without one (CTX-141).
//!
//! A model that ended by itself, or at a limit, has its words used as insights of one more request that writes the text, if the budget has
//! room for it. An expensive request that a person would have to approve is not made behind their back: there, and without a budget, the
//! rules write the text, and the words of the model become a section of it. A text that was cut short is marked as partial.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::context::{AgentContext, AgentTask};
use super::effect::CallEffect;
use super::findings::{analysis_lines, insights, read_files};
use super::tools::{
    GenerateContext, GenerateContextArguments, GenerateScopedContext, GenerateScopedContextArguments,
};
use crate::agent::{Conversation, Ended, Tool as _, ToolOutput};
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::ChatModel as _;
use crate::workflows::contextualize::content::{ContextLayout, count_tokens};
use crate::workflows::contextualize::input::{ApprovalMode, ContextFormat};
use crate::workflows::contextualize::nodes::claims::check_text;
use crate::workflows::contextualize::nodes::refine::keep_text;
use crate::workflows::contextualize::nodes::synthesise::answer_tokens;
use crate::workflows::contextualize::nodes::write::{rules_draft, text_tokens};
use crate::workflows::contextualize::search::{Discovery, TokenLimit, answer_by_rules};
use crate::workflows::contextualize::services::{ContextServices, OpenRepository};
use crate::workflows::contextualize::state::{ContextDraft, DraftAuthor, DraftStatus};

/// Key of the closing request in the journal.
const KEY: &str = "closing";
/// Fewest remaining tokens with which a closing request is worth its price.
const LEAST: u64 = 4_000;

/// The text with which a conversation ends, and remarks about it for the user.
pub(super) struct FinalText {
    pub(super) draft: ContextDraft,
    pub(super) notes: Vec<String>,
}

/// Returns the text that the agent wrote. Without one: for a change the file as it was; for a description the
/// text of one more request, if budget and approval allow it, or a text by rules.
pub(super) async fn close_description(
    context: &Arc<AgentContext>,
    conversation: &mut Conversation,
    ended: &Ended,
    cx: &Cx<ContextServices>,
) -> NodeResult<FinalText> {
    if let Some(closed) = written(context) {
        return Ok(closed);
    }
    let found = insights(conversation, ended);
    if let AgentTask::Describe { refined: Some(refined), .. } = &context.task {
        let reason =
            format!("the file was not changed: {}", reason(ended, "the agent ended without a change"));
        let mut notes = std::mem::take(&mut context.ledger().notes);
        notes.extend(
            Some(found).filter(|found| !found.is_empty()).map(|found| format!("the agent said: {found}")),
        );
        return Ok(FinalText { draft: keep_text(refined.original.body.trim(), reason), notes });
    }
    if context.run.settings.approval == ApprovalMode::All && may_ask(context, conversation) {
        let arguments = GenerateContextArguments { insights: Some(found.clone()) };
        let tool = GenerateContext(context.clone());
        let call = async { Ok::<_, NodeError>(tool.run(arguments).await) };
        if let Some(closed) = closing_call(context, conversation, ended, &cx.once(KEY, call).await?) {
            return Ok(closed);
        }
    }
    let analysed = context.ledger().analysis.as_ref().map(analysis_lines).unwrap_or_default();
    let found =
        [found, analysed].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let settings = &context.run.settings;
    let max = text_tokens(settings, context.summary());
    let summary = context.summary().map(str::to_owned);
    let layout = match settings.format {
        ContextFormat::Context => ContextLayout::Context,
        ContextFormat::AgentsMd => ContextLayout::AgentsMd,
    };
    let write = move |repository: &OpenRepository, max: usize| {
        rules_draft(repository, summary.as_deref(), layout, max)
    };
    by_rules(context, ended, found, max, write).await
}

/// Returns the answer that the agent wrote. Without one, that of one more request, if the budget allows it
/// and files are known; otherwise an answer by rules.
pub(super) async fn close_answer(
    context: &Arc<AgentContext>,
    discovery: &Discovery,
    conversation: &mut Conversation,
    ended: &Ended,
    cx: &Cx<ContextServices>,
) -> NodeResult<FinalText> {
    if let Some(closed) = written(context) {
        return Ok(closed);
    }
    let AgentTask::Answer { question } = &context.task else {
        return Err(NodeError::msg("the conversation is not about a question").permanent());
    };
    let found = insights(conversation, ended);
    let paths = known_files(context, discovery, read_files(conversation)).await?;
    if !paths.is_empty() && may_ask(context, conversation) {
        let arguments = GenerateScopedContextArguments {
            question: question.clone(),
            paths,
            insights: found.clone(),
            references: Vec::new(),
        };
        let tool = GenerateScopedContext(context.clone());
        let call = async { Ok::<_, NodeError>(tool.run(arguments).await) };
        if let Some(closed) = closing_call(context, conversation, ended, &cx.once(KEY, call).await?) {
            return Ok(closed);
        }
    }
    let (question, discovery, max) =
        (question.clone(), discovery.clone(), answer_tokens(&context.run.settings, question));
    let write = move |repository: &OpenRepository, max: usize| {
        let limit = TokenLimit { max, count: &count_tokens };
        let text = answer_by_rules(&question, &discovery, &repository.code, repository.facts(), &limit);
        ContextDraft {
            markdown: text.markdown,
            author: DraftAuthor::Rules,
            left_out: Vec::new(),
            references: text.references,
            files_analyzed: text.files_analyzed,
            withheld: Vec::new(),
            status: DraftStatus::Complete,
        }
    };
    by_rules(context, ended, found, max, write).await
}

/// Takes the draft and the notes out of the ledger; `None` if no tool wrote a text.
fn written(context: &AgentContext) -> Option<FinalText> {
    let mut ledger = context.ledger();
    let draft = ledger.draft.take()?;
    Some(FinalText { draft, notes: std::mem::take(&mut ledger.notes) })
}

/// Returns true if at least 4,000 tokens of the budget are left. Also sets the ledger to what the
/// conversation spent.
fn may_ask(context: &AgentContext, conversation: &Conversation) -> bool {
    context.ledger().begin_calls(&conversation.spent);
    let used = conversation.spent.total().usage.total();
    context.run.settings.budget.tokens.is_none_or(|limit| limit.saturating_sub(used) >= LEAST)
}

/// Adds the result of the closing request to the conversation and the ledger, and returns its text; `None` if
/// it wrote none. The text is partial unless the agent ended by itself.
fn closing_call(
    context: &AgentContext,
    conversation: &mut Conversation,
    ended: &Ended,
    output: &ToolOutput,
) -> Option<FinalText> {
    let effect = CallEffect::of(output)?;
    conversation.spent += effect.spent.clone();
    context.ledger().apply(effect);
    let mut closed = written(context)?;
    if !matches!(ended, Ended::Answered(_)) && closed.draft.status == DraftStatus::Complete {
        closed.draft.status = DraftStatus::Partial(reason(ended, ""));
    }
    Some(closed)
}

fn reason(ended: &Ended, answered: &str) -> String {
    match ended {
        Ended::Answered(_) => answered.to_owned(),
        Ended::RoundsUsedUp { limit } => format!("the conversation ended after {limit} rounds"),
        Ended::Halted(halt) => format!("the conversation ended early: {}", halt.reason),
    }
}

/// Returns those of the files in `read` that exist; if there are none, the best candidates of the discovery.
/// At most `files_per_prompt`.
async fn known_files(
    context: &AgentContext,
    discovery: &Discovery,
    read: Vec<String>,
) -> NodeResult<Vec<String>> {
    let best = discovery.candidates.iter().filter(|_| !discovery.fallback).map(|found| found.path.clone());
    let (best, limit) =
        (best.collect::<Vec<_>>(), context.run.settings.exploration.files_per_prompt as usize);
    let input = json!({ "read": read, "best": best });
    let check = move |repository: &OpenRepository| {
        let exists = |path: &String| repository.code.text(path).ok().map(|(place, _)| place.to_string());
        let mut known: Vec<String> = read.iter().filter_map(exists).collect();
        if known.is_empty() {
            known = best.iter().filter_map(exists).collect();
        }
        known.truncate(limit);
        known
    };
    context.read("files that were read", input, check).await
}

/// A text by rules, perhaps with a section of the model's words, as the tape stores it.
#[derive(Serialize, Deserialize)]
struct RulesText {
    draft: ContextDraft,
    notes: Vec<String>,
    /// True if the text has words of the model.
    has_words: bool,
}

/// Writes a text by rules with `write`, in at most `max` tokens, and adds `found`, the model's words, as a
/// checked section. The text is marked as partial, with the reason why the agent wrote none.
async fn by_rules(
    context: &AgentContext,
    ended: &Ended,
    found: String,
    max: usize,
    write: impl FnOnce(&OpenRepository, usize) -> ContextDraft + Send + 'static,
) -> NodeResult<FinalText> {
    let input = json!({ "found": found, "max": max });
    let writing = context.read("text by rules", input, move |repository| {
        let (section, notes, withheld) = section(&found, repository);
        let mut draft = write(repository, max.saturating_sub(count_tokens(&section)));
        draft.withheld = withheld;
        let has_words = !section.is_empty();
        if has_words {
            draft.markdown = format!("{}\n\n{section}", draft.markdown.trim_end());
        }
        RulesText { draft, notes, has_words }
    });
    let RulesText { mut draft, notes, has_words } = writing.await?;
    if has_words {
        draft.author = DraftAuthor::RulesAndModel(context.resources.model.name().to_string());
    }
    let why = reason(ended, "the agent ended without a text");
    draft.status = DraftStatus::Partial(format!("the text is that of the rules: {why}"));
    let mut all = std::mem::take(&mut context.ledger().notes);
    all.extend(notes);
    Ok(FinalText { draft, notes: all })
}

/// Returns the model's words as a section of Markdown after the usual checks, the remarks of the checks, and
/// the parts that they removed. The section is empty if no words are left.
fn section(found: &str, repository: &OpenRepository) -> (String, Vec<String>, Vec<String>) {
    let checked = check_text(found, None, Some(repository), "");
    let lines = checked.markdown.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) => format!("### {}", rest.trim_start_matches('#').trim()),
        None => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        return (String::new(), checked.notes, checked.withheld);
    }
    (format!("## Found by the agent\n\n{}\n", text.trim()), checked.notes, checked.withheld)
}
