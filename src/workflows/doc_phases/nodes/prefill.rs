//! Fills an exploration with facts before a model is asked: rules explore the same subject, and their entries are stored. So a model
//! spends its answers on meaning alone.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::conversation::answered_call;
use super::round::RoundContext;
use crate::engine::{NodeError, NodeResult};
use crate::llm::{ModelError, ToolCall};
use crate::workflows::doc_phases::memory::{ArchitectureOverview, EntryType, Memory, MemoryError, WrittenBy};
use crate::workflows::doc_phases::phase::{
    BudgetUsage, CallRecord, Phase, PhaseBudget, RoundDecision, RoundQuestion, ToolObservation, ToolRequest,
};
use crate::workflows::doc_phases::rules;
use crate::workflows::doc_phases::services::storage_error;
use crate::workflows::doc_phases::tools::{ToolAnswerForm, ToolContext, build_toolbox, merge_earlier_words};

/// Maximum number of rounds of rules; they end long before.
const ROUNDS: u32 = 300;

/// Number of calls of rules in a round.
const CALLS: u32 = 40;

/// Limits of rules that prepare a phase: they cost no tokens, so these bound time only.
const BUDGET: PhaseBudget = PhaseBudget {
    max_files_read: 100,
    max_grep_calls: 60,
    max_symbols_calls: 200,
    max_memory_queries: None,
    max_cross_component_queries: None,
};

/// Tools of rules that change memory.
const STORES: [&str; 2] = ["store_discovery", "mark_explored"];

/// An entry of rules, on its way into memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FactEntry {
    kind: EntryType,
    data: Value,
}

/// Stores the entries of rules for the subject of the exploration; does nothing if rules explore themselves. Runs once: a resumed node
/// must not put facts over what a model has added since.
pub(super) async fn prefill(context: &RoundContext<'_>) -> NodeResult<()> {
    let resources = context.resources;
    if resources.is_rules() || context.exploration.phase == Phase::DocumentationGeneration {
        return Ok(());
    }
    let filling = async {
        let input = Value::String(context.name());
        let failed = |error| NodeError::from(ModelError::new(resources.model.name(), error));
        let exploring = async { Ok(explore_by_rules(context).await) };
        let entries: Vec<FactEntry> = resources.tape.effect("prefill", input, failed, exploring).await?;
        let bounds = resources.memory.entries::<ArchitectureOverview>().pop().unwrap_or_default();
        for entry in entries.into_iter().filter(|entry| is_own(context, &bounds, entry)) {
            store_entry(context, entry).map_err(storage_error)?;
        }
        Ok::<_, NodeError>(())
    };
    context.cx.once("prefilled", filling).await
}

/// Returns false for an entry about a file of a component that lies inside the explored one and has an exploration of its own.
fn is_own(context: &RoundContext<'_>, overview: &ArchitectureOverview, entry: &FactEntry) -> bool {
    let (Some(component), Some(path)) = (context.exploration.component, entry.data["file_path"].as_str())
    else {
        return true;
    };
    let depth = |place: &String| match place.as_str() {
        "." => Some(0),
        place => Path::new(path).starts_with(place).then(|| Path::new(place).components().count()),
    };
    let own = component.paths.iter().filter_map(depth).max();
    let others = overview.component_boundaries.iter().filter(|(id, _)| **id != component.id);
    others.flat_map(|(_, paths)| paths).filter_map(depth).max() <= own
}

/// Explores by rules. Changes nothing: the entries are collected.
async fn explore_by_rules(context: &RoundContext<'_>) -> Vec<FactEntry> {
    let mut question = first_question(context);
    let tools = ToolContext { answers: ToolAnswerForm::Data, ..context.tool_context(&question, false) };
    let Ok(toolbox) = build_toolbox(&tools) else { return Vec::new() };
    let mut entries = Vec::new();
    while question.number <= ROUNDS {
        let RoundDecision::Call(calls) = rules::next(&question) else { break };
        for call in calls {
            let record = if STORES.contains(&call.tool) {
                entries.extend(entry_of(&call));
                stored_record(question.number, call)
            } else {
                let arguments = call.arguments.to_string();
                let wire = ToolCall { id: "rules".into(), name: call.tool.into(), arguments };
                let output = toolbox.call(&wire).await;
                answered_call(question.number, wire, output)
            };
            question.answered.push(record);
        }
        question.number += 1;
    }
    entries
}

fn first_question(context: &RoundContext<'_>) -> RoundQuestion {
    let name = context.run.repository.file_name().unwrap_or_default();
    RoundQuestion {
        phase: context.exploration.phase,
        repository: name.to_string_lossy().into_owned(),
        component: context.exploration.component.cloned(),
        number: 1,
        limit: ROUNDS,
        calls_per_round: CALLS,
        budget: BUDGET,
        used: BudgetUsage::default(),
        answered: Vec::new(),
    }
}

/// Returns the entry that a call stores, if any.
fn entry_of(call: &ToolRequest) -> Option<FactEntry> {
    let kind = call.arguments["type"].as_str().and_then(EntryType::from_name)?;
    let data = call.arguments.get("data")?.clone();
    Some(FactEntry { kind, data })
}

/// Returns the record of a call that is taken as done.
fn stored_record(round: u32, call: ToolRequest) -> CallRecord {
    CallRecord {
        round,
        tool: call.tool.to_owned(),
        arguments: call.arguments,
        success: true,
        content: String::new(),
        seen: ToolObservation::Nothing,
    }
}

/// Stores an entry of rules. An update keeps the words that a model wrote about things that are still there.
fn store_entry(context: &RoundContext<'_>, entry: FactEntry) -> Result<(), MemoryError> {
    let memory: &Memory = &context.resources.memory;
    let FactEntry { kind, mut data } = entry;
    let author = context.entry_author();
    let before = data.as_object().and_then(|fields| memory.get(kind, kind.stated_id(fields)?));
    let words = before.filter(|record| matches!(record.written_by(), Some(WrittenBy::Model(_))));
    let is_of_this_run = words.as_ref().is_some_and(|record| record.stored_at() == memory.now());
    let is_kept = is_of_this_run || (words.is_some() && context.run.changed.is_some());
    let stored = match words.filter(|_| is_kept) {
        Some(words) => {
            merge_earlier_words(&mut data, &words.fields());
            memory.store_json_as(&author, kind, &data)
        }
        None => memory.store_by_rules(&author, kind, &data),
    };
    match stored {
        // An entry that is too long for its schema is no reason to end the run: the model stores one of its own.
        Ok(_) | Err(MemoryError::Rejected(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
