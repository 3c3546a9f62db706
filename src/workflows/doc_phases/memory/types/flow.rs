//! Flows at run time, step by step (DOC-95).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Entry, EntryType, MemoryEntry, Removals, sort_unique};

/// Description of a flow at run time: the steps of a request, or of a piece of data, through the components.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuntimeFlow {
    /// Id by which all other entries refer to it.
    #[schemars(length(min = 1, max = 200))]
    pub flow_id: String,
    /// Its name for people.
    #[schemars(length(min = 1, max = 200))]
    pub flow_name: String,
    /// Summary of the flow, in a sentence.
    #[schemars(length(min = 1))]
    pub description: String,
    /// Trigger of the flow.
    #[serde(default)]
    pub trigger: String,
    /// Its steps, in order.
    #[serde(default)]
    pub steps: Vec<RuntimeStep>,
    /// The ids of the components that take part.
    #[serde(default)]
    pub components_involved: Vec<String>,
    /// The ids of the data models that pass through it.
    #[serde(default)]
    pub data_models_used: Vec<String>,
    /// Confidence in this entry, from 0.0 to 1.0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
}

/// Step of a flow: one component acts and hands over to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuntimeStep {
    /// Id of the component that acts.
    #[schemars(length(min = 1))]
    pub component: String,
    /// Action of the component.
    #[schemars(length(min = 1))]
    pub action: String,
    /// Id of the component that acts next; empty at the end.
    #[serde(default)]
    pub next: String,
}

impl MemoryEntry for RuntimeFlow {
    const TYPE: EntryType = EntryType::Flow;

    fn id(&self) -> &str {
        &self.flow_id
    }

    fn confidence(&self) -> f64 {
        self.confidence
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::Flow(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        self.data_models_used.retain(|model| !gone.has_model(model));
        let is_gone = |step: &RuntimeStep| {
            gone.has_component(&step.component)
                || gone.has_component(&step.next)
                || gone.is_mentioned_in(&step.action)
        };
        !self.components_involved.iter().any(|id| gone.has_component(id))
            && !self.steps.iter().any(is_gone)
            && !gone.is_mentioned_in(&self.description)
    }

    fn normalize(&mut self) {
        sort_unique(&mut self.components_involved);
        sort_unique(&mut self.data_models_used);
    }
}
