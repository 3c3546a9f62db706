//! `store_discovery` (DOC-61, DOC-72): stores a finding in memory. Free.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use super::{ToolContext, failed_output};
use crate::agent::{Tool, ToolOutput, blocking};
use crate::workflows::doc_phases::memory::{EntryType, MemoryError, StoreOutcome};
use crate::workflows::doc_phases::phase::{Phase, ToolObservation};

pub(super) struct StoreDiscovery(pub(super) Arc<ToolContext>);

/// Arguments of `store_discovery`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreDiscoveryArguments {
    /// The type of the entry: architecture, component, file, `data_model`, flow or `cross_cutting`.
    #[serde(rename = "type", alias = "entry_type", alias = "discovery_type")]
    kind: String,
    /// The entry: an object with the fields of its type.
    data: EntryArgument,
}

/// An object, or its JSON as text.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct EntryArgument(Value);

impl JsonSchema for EntryArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Entry".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

impl Tool for StoreDiscovery {
    type Arguments = StoreDiscoveryArguments;

    fn name(&self) -> &'static str {
        "store_discovery"
    }

    fn description(&self) -> &'static str {
        "Keeps a finding in memory; an entry of the same id is replaced. Every file that it names must exist. Free."
    }

    async fn run(&self, arguments: StoreDiscoveryArguments) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || store_entry(&context, arguments)).await
    }
}

fn store_entry(
    context: &ToolContext,
    StoreDiscoveryArguments { kind, data: EntryArgument(data) }: StoreDiscoveryArguments,
) -> ToolOutput {
    if context.phase == Phase::DocumentationGeneration {
        return ToolOutput::refused(
            "this phase only reads memory; write the documentation from what is there",
        );
    }
    let Some(kind) = EntryType::from_name(&kind) else {
        let (kind, known) = (crate::repo::cut(&kind, 100), EntryType::names());
        return ToolOutput::failed(format!("unknown entry type `{kind}`; hint: known are {known}"));
    };
    let data = match data {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(data) => data,
            Err(error) => {
                return ToolOutput::failed(format!(
                    "the {kind} was not stored: its data is no JSON: {error}"
                ));
            }
        },
        data => data,
    };
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

fn outcome_text(kind: EntryType, id: &str, outcome: StoreOutcome) -> String {
    match outcome {
        StoreOutcome::New => format!("Stored {kind} `{id}`."),
        StoreOutcome::Replaced => format!("Stored {kind} `{id}` in the place of what was there."),
        StoreOutcome::Unchanged => format!("The {kind} `{id}` is stored already, in the same words."),
        StoreOutcome::Overruled => {
            format!("The {kind} `{id}` stays as the exploration of its own component has stored it.")
        }
    }
}

/// Returns the id of the stored entry. A path may be stored in a normalised form, so both forms are tried.
fn stored_id(context: &ToolContext, kind: EntryType, data: &Value) -> String {
    let fields = ["component_id", "file_path", "model_id", "flow_id", "concern_id"];
    let named = fields.iter().find_map(|field| data.get(field)?.as_str());
    let written = named.unwrap_or(crate::workflows::doc_phases::memory::OVERVIEW);
    let tidy = written.trim_start_matches("./");
    [written, tidy]
        .into_iter()
        .find(|id| context.memory.get(kind, id).is_some())
        .unwrap_or(written)
        .to_owned()
}
