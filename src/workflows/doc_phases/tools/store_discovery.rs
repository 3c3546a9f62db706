//! `store_discovery` (DOC-61, DOC-72): stores findings in memory, one or several in a call, and ends the phase if told so. Free.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use super::findings::{self, Finding, Findings};
use super::{ToolAnswerForm, ToolContext, failed_output};
use crate::agent::{Tool, ToolOutput, blocking};
use crate::workflows::doc_phases::memory::{EntryType, MemoryError, StoreOutcome};
use crate::workflows::doc_phases::phase::{Completion, ToolObservation, completion_from_value};

pub(super) struct StoreDiscovery(pub(super) Arc<ToolContext>);

/// Arguments of `store_discovery`: entries, the end of the phase, or both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreDiscoveryArguments {
    /// The type of a single entry.
    #[serde(rename = "type", alias = "entry_type", alias = "discovery_type", default)]
    kind: Option<String>,
    /// A single entry, or its JSON as text.
    #[serde(default)]
    data: Option<Value>,
    /// Several entries, each with its `type`.
    #[serde(default)]
    entries: Value,
    /// The end of the phase.
    #[serde(default)]
    complete: Value,
}

impl JsonSchema for StoreDiscoveryArguments {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "StoreDiscoveryArguments".into()
    }

    // Short, because it is part of every request; the prompt of the phase names the fields of its entries.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "entries": { "type": "array", "items": { "type": "object" }, "description": "Each with `type` and its fields" },
                "type": { "type": "string", "description": "Of a single entry in `data`" },
                "data": { "type": "object" },
                "complete": {
                    "type": "object",
                    "description": "Ends the phase",
                    "properties": {
                        "findings_summary": { "type": "string" },
                        "confidence": { "type": "number" },
                    },
                },
            },
        })
    }
}

impl Tool for StoreDiscovery {
    type Arguments = StoreDiscoveryArguments;

    fn name(&self) -> &'static str {
        "store_discovery"
    }

    fn description(&self) -> &'static str {
        "Stores findings: fields are added to what is stored under the same id. Free."
    }

    async fn run(&self, arguments: StoreDiscoveryArguments) -> ToolOutput {
        let context = self.0.clone();
        let findings = match read_findings(arguments) {
            Ok(findings) => findings,
            Err(problem) => return ToolOutput::failed(problem),
        };
        match context.answers {
            ToolAnswerForm::Text => findings::store(&context, findings).await,
            ToolAnswerForm::Data => blocking(move || store_of_rules(&context, findings)).await,
        }
    }
}

/// Parses the arguments of a call: a single entry, a list of entries, or their JSON as text, and the
/// completion. The error says that nothing was stored, and why.
fn read_findings(arguments: StoreDiscoveryArguments) -> Result<Findings, String> {
    let StoreDiscoveryArguments { kind, data, entries, complete } = arguments;
    let mut all = Vec::new();
    match (kind, data) {
        (Some(kind), Some(data)) => all.push(read_finding(&kind, data)),
        (None, None) => {}
        (Some(_), None) => return Err("nothing was stored: `data` is missing".into()),
        (None, Some(_)) => return Err("nothing was stored: `type` is missing".into()),
    }
    match parse_answer(entries)
        .map_err(|error| format!("nothing was stored: `entries` is no JSON: {error}"))?
    {
        Value::Null => {}
        Value::Array(items) => all.extend(items.into_iter().map(read_item)),
        item @ Value::Object(_) => all.push(read_item(item)),
        _ => return Err("nothing was stored: `entries` is no list".into()),
    }
    let completion: Option<Completion> = match parse_answer(complete) {
        Ok(Value::Null | Value::Bool(false)) => None,
        Ok(said) => Some(completion_from_value(&said)),
        Err(error) => return Err(format!("nothing was stored: `complete` is no JSON: {error}")),
    };
    if all.is_empty() && completion.is_none() {
        return Err("nothing was stored: give `entries`, or `type` and `data`, or `complete`".into());
    }
    Ok(Findings { entries: all, completion })
}

/// Parses the JSON in a string; a blank string is `null`, any other value is returned unchanged. Models write
/// objects as strings.
fn parse_answer(value: Value) -> Result<Value, serde_json::Error> {
    match value {
        Value::String(text) if text.trim().is_empty() => Ok(Value::Null),
        Value::String(text) => serde_json::from_str(&text),
        value => Ok(value),
    }
}

/// Parses an item of `entries`: its `type`, and its fields beside it or in `data`.
fn read_item(item: Value) -> Result<Finding, String> {
    let Value::Object(mut fields) = item else { return Err("an entry is no object".into()) };
    let named = ["type", "entry_type"].iter().find_map(|field| fields.shift_remove(*field));
    let Some(Value::String(kind)) = named else { return Err("an entry has no `type`".into()) };
    let data = match fields.shift_remove("data") {
        Some(data) if fields.is_empty() => data,
        Some(data) => {
            fields.insert("data".into(), data);
            Value::Object(fields)
        }
        None => Value::Object(fields),
    };
    read_finding(&kind, data)
}

fn read_finding(kind: &str, data: Value) -> Result<Finding, String> {
    let Some(kind) = EntryType::from_name(kind) else {
        let (kind, known) = (crate::repo::cut(kind, 100), EntryType::names());
        return Err(format!("unknown entry type `{kind}`; hint: known are {known}"));
    };
    let data = parse_answer(data)
        .map_err(|error| format!("the {kind} was not stored: its data is no JSON: {error}"))?;
    let Value::Object(fields) = data else {
        return Err(format!("the {kind} was not stored: its data is no object"));
    };
    Ok(Finding { kind, fields })
}

/// Stores an entry of the rules unchanged, in place of an earlier one with its id. Only the first entry of a
/// call is stored.
fn store_of_rules(context: &ToolContext, findings: Findings) -> ToolOutput {
    let Some(finding) = findings.entries.into_iter().next() else {
        return ToolOutput::failed("rules store one entry a call");
    };
    let Finding { kind, fields } = match finding {
        Ok(finding) => finding,
        Err(problem) => return ToolOutput::failed(problem),
    };
    let data = Value::Object(fields);
    match context.memory.store_json_as(&context.author, kind, &data) {
        Ok(outcome) => {
            let id = stored_id(context, kind, &data);
            context.output(outcome_text(kind, &id, outcome), || ToolObservation::Stored {
                entry_type: kind.name().to_owned(),
                id: id.clone(),
            })
        }
        Err(error @ MemoryError::Rejected(_)) => {
            failed_output(&format!("the {kind} was not stored: {error}"), Some(&error.hint()))
        }
        Err(error) => failed_output(&format!("the {kind} could not be stored: {error}"), Some(&error.hint())),
    }
}

pub(super) fn outcome_text(kind: EntryType, id: &str, outcome: StoreOutcome) -> String {
    match outcome {
        StoreOutcome::New => format!("Stored {kind} `{id}`."),
        StoreOutcome::Replaced => format!("Added to {kind} `{id}`."),
        StoreOutcome::Unchanged => format!("The {kind} `{id}` is stored already, in the same words."),
        StoreOutcome::Overruled => {
            format!("The {kind} `{id}` stays as the exploration of its own component has stored it.")
        }
    }
}

/// Returns the id under which the entry is in the agent's memory: as written, or without a leading `./`.
fn stored_id(context: &ToolContext, kind: EntryType, data: &Value) -> String {
    let written = data.as_object().and_then(|fields| kind.stated_id(fields)).unwrap_or_default();
    let tidy = written.trim_start_matches("./");
    [written, tidy]
        .into_iter()
        .find(|id| context.memory.get(kind, id).is_some())
        .unwrap_or(written)
        .to_owned()
}
