//! Stores the findings of a model: several entries and the end of a phase in one call. Rules have filled the facts; the model adds the
//! meaning. Everything that it names is looked up first.
//!
//! Reading order: this file (a call from its entries to its answer), `known` (lookups), `check` (the names in an entry), `merge`
//! (facts and meaning together), `weak` (purposes that say nothing).

mod check;
mod known;
mod merge;
mod weak;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::known::{LookupRequest, LookupResult, RepositoryNames};
use super::ToolContext;
use super::store_discovery::outcome_text;
use crate::agent::ToolOutput;
use crate::llm::ModelError;
use crate::workflows::doc_phases::memory::{
    EntryRecord, EntryType, MemoryError, Rejection, StoreOutcome, strip_invalid,
};
use crate::workflows::doc_phases::phase::{Completion, StoredEntry, ToolObservation};

pub(super) use merge::merge_words;
pub(super) use weak::weak_purposes;

/// Maximum number of problems that an answer tells.
const TOLD: usize = 30;

/// An entry as a model writes it in a `store_discovery` call, not yet checked: its type and its fields.
pub(super) struct Finding {
    pub(super) kind: EntryType,
    pub(super) fields: Map<String, Value>,
}

/// Content of a `store_discovery` call: entries, or the defect of each that cannot be read, and the
/// completion of the phase if the call has one.
pub(super) struct Findings {
    pub(super) entries: Vec<Result<Finding, String>>,
    pub(super) completion: Option<Completion>,
}

/// Result of a `store_discovery` call while it is collected: answer lines, stored entries, unknown names, and
/// the number of entries that failed.
#[derive(Default)]
struct StoreReport {
    lines: Vec<String>,
    stored: Vec<StoredEntry>,
    unknown: BTreeSet<String>,
    failed: usize,
}

/// Stores the findings of a model in the agent's memory. The output lists the stored entries, the unknown
/// names that were dropped and, for a completion, whether it is accepted.
pub(super) async fn store(context: &ToolContext, findings: Findings) -> ToolOutput {
    let mut wanted = LookupRequest::default();
    let known = RepositoryNames::new(&context.memory, named_components(context, &findings));
    for finding in findings.entries.iter().flatten() {
        check::collect(&finding.fields, &known, &mut wanted);
    }
    match look(context, wanted).await {
        Ok(seen) => store_all(context, findings, &known.with_seen(seen)),
        Err(error) => ToolOutput::failed(error.to_string()),
    }
}

/// Returns the ids of components that need not be in the agent's memory yet: those in the findings and the
/// one under exploration.
fn named_components(context: &ToolContext, findings: &Findings) -> Vec<String> {
    let entries = || findings.entries.iter().flatten();
    let bounds = entries().filter_map(|finding| finding.fields.get("component_boundaries")?.as_object());
    let ids = entries().filter_map(|finding| finding.fields.get("component_id")?.as_str());
    let own = context.author.component.iter().cloned();
    bounds.flat_map(|bounds| bounds.keys().cloned()).chain(ids.map(str::to_owned)).chain(own).collect()
}

/// Looks names and paths up in the files of the repository. The result is recorded on the tape, for a replay.
async fn look(context: &ToolContext, wanted: LookupRequest) -> Result<LookupResult, ModelError> {
    if wanted == LookupRequest::default() {
        return Ok(LookupResult::default());
    }
    let code = context.code.clone();
    let input = serde_json::to_value(&wanted).expect("names are JSON");
    let looking =
        async move { Ok(tokio::task::spawn_blocking(move || wanted.look(&code)).await.unwrap_or_default()) };
    let failed = |error| ModelError::new(&context.model, error);
    context.tape.effect("names", input, failed, looking).await
}

fn store_all(context: &ToolContext, findings: Findings, known: &RepositoryNames<'_>) -> ToolOutput {
    let Findings { entries, completion } = findings;
    let mut report = StoreReport::default();
    for entry in entries {
        let stored = entry.and_then(|finding| store_one(context, finding, known, &mut report));
        if let Err(problem) = stored {
            report.failed += 1;
            report.lines.push(problem);
        }
    }
    finish(context, report, completion)
}

/// Stores an entry of the model, or removes it if it has `"remove": true`. Drops invalid fields and unknown
/// names, merges the rest into the stored entry with the same id, and adds the result to `report`. The error
/// is a line for the model.
fn store_one(
    context: &ToolContext,
    finding: Finding,
    known: &RepositoryNames<'_>,
    report: &mut StoreReport,
) -> Result<(), String> {
    let Finding { kind, mut fields } = finding;
    if fields.shift_remove("remove") == Some(Value::Bool(true)) {
        return remove(context, kind, &fields, report);
    }
    add_defaults(context, kind, &mut fields, known);
    let mut value = Value::Object(fields);
    let problems = strip_invalid(kind, &mut value);
    report.unknown.extend(problems.iter().map(ToString::to_string));
    let Value::Object(mut fields) = value else { return Err(format!("the {kind} is no object")) };
    report.unknown.extend(check::strip_unknown(kind, &mut fields, known));
    let before = kind.stated_id(&fields).and_then(|id| current(context, kind, id));
    let merged = match &before {
        Some(before) => merge::merge(before.fields(), fields),
        None => fields,
    };
    let merged = Value::Object(with_needed(kind, merged));
    match context.memory.store_json_as(&context.author, kind, &merged) {
        Ok(outcome) => {
            let id = stored_id(context, kind, &merged);
            report.lines.push(outcome_text(kind, &id, outcome));
            let is_new = outcome == StoreOutcome::New;
            if matches!(outcome, StoreOutcome::New | StoreOutcome::Replaced) {
                report.stored.push(StoredEntry { entry_type: kind.name().to_owned(), id, is_new });
            }
            Ok(())
        }
        Err(MemoryError::Rejected(rejection)) => Err(refusal(kind, &rejection)),
        Err(error) => Err(format!("the {kind} could not be stored: {error}; hint: {}", error.hint())),
    }
}

fn refusal(kind: EntryType, rejection: &Rejection) -> String {
    format!("the {kind} was not stored: {rejection}; hint: store it again with what is wrong put right")
}

/// Removes a flow, a concern or a note, which turned out to be wrong. Fails for other types, because their
/// entries are facts of the code.
fn remove(
    context: &ToolContext,
    kind: EntryType,
    fields: &Map<String, Value>,
    report: &mut StoreReport,
) -> Result<(), String> {
    if !matches!(kind, EntryType::Flow | EntryType::CrossCutting | EntryType::Note) {
        return Err(format!("a {kind} cannot be removed; correct its fields"));
    }
    let id = kind.stated_id(fields).unwrap_or_default();
    match context.memory.forget(kind, id) {
        Ok(true) => {
            report.lines.push(format!("Removed {kind} `{id}`."));
            let entry_type = kind.name().to_owned();
            report.stored.push(StoredEntry { entry_type, id: id.to_owned(), is_new: false });
            Ok(())
        }
        Ok(false) => Err(format!("there is no {kind} `{id}` to remove")),
        Err(error) => Err(format!("the {kind} could not be removed: {error}; hint: {}", error.hint())),
    }
}

/// Adds the component that a model need not write: in a component or file the one under exploration, in a
/// note the one that contains its file.
fn add_defaults(
    context: &ToolContext,
    kind: EntryType,
    fields: &mut Map<String, Value>,
    known: &RepositoryNames<'_>,
) {
    let own = context.author.component.clone();
    let field = match kind {
        EntryType::Component => "component_id",
        EntryType::File | EntryType::Note => "component",
        _ => return,
    };
    if fields.get(field).and_then(Value::as_str).is_some_and(|id| !id.is_empty()) {
        return;
    }
    let of_place = || {
        let place = fields.get("place").and_then(Value::as_str)?;
        known.component_of(&crate::workflows::doc_phases::memory::parse_place(place)?.path)
    };
    if let Some(id) = if kind == EntryType::Note { of_place().or(own) } else { own } {
        fields.insert(field.to_owned(), id.into());
    }
}

/// Adds the required fields that a model may leave out: names (from the ids), the confidence, and the list of
/// components (from the boundaries).
fn with_needed(kind: EntryType, mut fields: Map<String, Value>) -> Map<String, Value> {
    let mut copy = |from: &str, to: &str| {
        if let Some(value) = fields.get(from).filter(|_| !fields.contains_key(to)).cloned() {
            fields.insert(to.to_owned(), value);
        }
    };
    copy("component_id", "component_name");
    copy("flow_id", "flow_name");
    copy("concern_id", "concern_name");
    copy("model_id", "model_name");
    if kind != EntryType::Note && !fields.contains_key("confidence") {
        fields.insert("confidence".to_owned(), DEFAULT_CONFIDENCE.into());
    }
    let bounds = fields.get("component_boundaries").and_then(Value::as_object);
    if let Some(ids) = bounds.map(|bounds| bounds.keys().cloned().map(Value::String).collect::<Vec<_>>()) {
        // The components are those with boundaries, of any author.
        fields.insert("major_components".to_owned(), Value::Array(ids));
    }
    fields
}

/// Confidence of an entry whose author states none.
const DEFAULT_CONFIDENCE: f64 = 0.7;

/// Returns the stored entry that a new one with this id is merged into: one of this run or, in an update, of
/// any run. `None` means that the new one replaces it.
fn current(context: &ToolContext, kind: EntryType, id: &str) -> Option<EntryRecord> {
    let record = context.memory.get(kind, id.trim_start_matches("./"))?;
    (context.is_update || record.stored_at() == context.memory.now()).then_some(record)
}

/// Returns the id under which the entry was stored. For a note without an id, searches the agent's memory for
/// its text.
fn stored_id(context: &ToolContext, kind: EntryType, merged: &Value) -> String {
    let stated = merged.as_object().and_then(|fields| kind.stated_id(fields)).unwrap_or_default();
    if kind != EntryType::Note || !stated.is_empty() {
        return stated.trim_start_matches("./").to_owned();
    }
    let text = &merged["text"];
    let notes = context.memory.entries::<crate::workflows::doc_phases::memory::Note>();
    let found = notes.into_iter().find(|note| *text == note.text.as_str());
    found.map(|note| note.note_id).unwrap_or_default()
}

/// Builds the output of the call: its lines, the unknown names and, for a completion, the weak purposes. A
/// completion with a defect is sent back once in a phase; after that it is accepted.
fn finish(context: &ToolContext, report: StoreReport, completion: Option<Completion>) -> ToolOutput {
    let StoreReport { mut lines, stored, unknown, failed } = report;
    lines.extend(unknown.iter().take(TOLD).map(|what| format!("unknown: {what}")));
    if unknown.len() > TOLD {
        lines.push(format!("and {} more unknown", unknown.len() - TOLD));
    }
    let weak = match completion {
        Some(_) => weak_purposes(&context.memory, context.phase, context.author.component.as_deref()),
        None => Vec::new(),
    };
    let is_flawed = failed > 0 || !unknown.is_empty() || !weak.is_empty();
    let is_returned = completion.is_some() && is_flawed && !context.was_returned;
    if is_returned {
        lines.extend(weak.iter().cloned());
        lines.push(
            "The phase is not complete yet: mend what you can in one call, and complete it again.".into(),
        );
    } else if completion.is_some() {
        lines.push("The phase is complete.".into());
    }
    let is_whole = failed == 0 || !stored.is_empty() || (completion.is_some() && !is_returned);
    let said = lines.join("\n");
    let output = if is_whole { ToolOutput::ok(said) } else { ToolOutput::failed(said) };
    output.data(&ToolObservation::Findings {
        stored,
        completion: completion.filter(|_| !is_returned),
        weak: if is_returned { Vec::new() } else { weak },
        is_returned,
    })
}
