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

/// An entry that the rules made, not yet in the agent's memory: its type and its fields.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FactEntry {
    kind: EntryType,
    data: Value,
}

/// Lets the rules explore the subject and stores their entries in the agent's memory, before the model is
/// asked. Does nothing in phase D or if the rules are the model. Journaled, so it runs once: a resumed node
/// must not overwrite additions of the model with facts.
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

/// Returns true if the entry belongs to the explored component: it names no file, or no other component has a
/// path that is longer than those of this component and contains the file. Always true in other phases.
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

/// Runs the rules on the subject of the exploration with their own budget, and returns the entries that they
/// would store. Reading tools are called; the agent's memory is not changed.
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

/// Returns the entry in the arguments of a storing call; `None` if its type is unknown or it has no data.
fn entry_of(call: &ToolRequest) -> Option<FactEntry> {
    let kind = call.arguments["type"].as_str().and_then(EntryType::from_name)?;
    let data = call.arguments.get("data")?.clone();
    Some(FactEntry { kind, data })
}

/// Returns a record of a call as if it had succeeded without a result, for storing calls that are not run.
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

/// Stores an entry of the rules. Keeps the descriptions that a model wrote for the same entry in this run or,
/// in an update, in an earlier run. Ignores an entry that violates its schema.
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
