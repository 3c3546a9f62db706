//! Findings of a conversation that ends without a text: the words of the model, and the files that it read. Pure.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::agent::{Conversation, Ended};
use crate::llm::{Message, Role};
use crate::repo::cut;
use crate::workflows::contextualize::state::CodeAnalysis;

/// Longest words of the model that are kept, in characters; the newest count most.
const WORDS: usize = 3_000;
/// Most files that are named.
const FILES: usize = 12;

/// Returns the words of the model since the last user message: its final text; if that is empty, the
/// `insights` arguments of its tool calls and its remarks. At most 3,000 characters; the oldest are dropped.
pub(super) fn insights(conversation: &Conversation, ended: &Ended) -> String {
    if let Ended::Answered(text) = ended
        && !text.trim().is_empty()
    {
        return cut(text.trim(), WORDS).kept.to_owned();
    }
    let mut kept: Vec<String> = Vec::new();
    let mut length = 0;
    for text in last_task(conversation).iter().rev().flat_map(said) {
        length += text.len();
        if length > WORDS {
            break;
        }
        kept.push(text);
    }
    kept.reverse();
    kept.join("\n\n")
}

/// Returns the texts of a message of the model: the `insights` arguments of its tool calls, then its content.
/// Empty for messages of others.
fn said(message: &Message) -> Vec<String> {
    if message.role != Role::Assistant {
        return Vec::new();
    }
    let insights = message.tool_calls.iter().filter_map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
        Some(arguments.get("insights")?.as_str()?.trim().to_owned())
    });
    insights.chain([message.content.trim().to_owned()]).filter(|text| !text.is_empty()).collect()
}

/// Returns the `path` arguments of the tool calls since the last user message, in order, each once, at most
/// 12.
pub(super) fn read_files(conversation: &Conversation) -> Vec<String> {
    let calls = last_task(conversation).iter().flat_map(|message| &message.tool_calls);
    let paths = calls.filter_map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
        Some(arguments.get("path")?.as_str()?.to_owned())
    });
    let mut seen = BTreeSet::new();
    paths.filter(|path| seen.insert(path.clone())).take(FILES).collect()
}

fn last_task(conversation: &Conversation) -> &[Message] {
    let messages = &conversation.messages;
    let start = messages.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
    &messages[start..]
}

/// Returns an analysis as Markdown: patterns and conventions as list items, then its insights.
pub(super) fn analysis_lines(analysis: &CodeAnalysis) -> String {
    let mut lines: Vec<String> =
        analysis.architecture_patterns.iter().map(|text| format!("- {text}")).collect();
    lines.extend(analysis.coding_conventions.iter().map(|(topic, text)| format!("- {topic}: {text}")));
    lines.extend(analysis.insights.iter().cloned());
    lines.join("\n")
}
