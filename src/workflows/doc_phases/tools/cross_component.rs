//! Limits memory queries across components in phase C (DOC-41, DOC-51): queries about a component that the current concern does not
//! name.

use std::collections::BTreeSet;

use futures_util::FutureExt;
use futures_util::future;
use serde_json::Value;

use crate::agent::around::Allowance;
use crate::agent::{Hook, Middleware, PlannedCall, Round, ToolOutput};
use crate::llm::ToolCall;
use crate::workflows::doc_phases::phase::{CallRecord, Operation};

/// Tool of the counted calls.
const TOOL: &str = "query_memory";

/// Type of the entries of concerns.
const CONCERN: &str = "cross_cutting";

/// Ids of the components of the current concern: the cross-cutting concern that the phase stored last. Empty
/// before the first one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CurrentConcern(BTreeSet<String>);

impl CurrentConcern {
    /// Returns the components of the concern in the last successful `store_discovery` call among `answered`.
    pub fn from_calls(answered: &[CallRecord]) -> Self {
        let named = answered.iter().rev().find_map(|call| {
            let is_store = call.success && call.tool == "store_discovery";
            if is_store { concern_in(&call.arguments) } else { None }
        });
        let named = named.unwrap_or_default();
        let ids = named["components_affected"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Self(ids.map(str::to_owned).collect())
    }

    /// Returns true if the call is a memory query outside the current concern: its filter names no component
    /// of the concern, or it has no such filter. Queries of the overview and of concerns are about no
    /// component and return false.
    pub fn is_crossed_by(&self, call: &ToolCall) -> bool {
        if call.name != TOOL {
            return false;
        }
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let filter = match &arguments["filter_by"] {
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            filter => filter.clone(),
        };
        if matches!(arguments["query_type"].as_str(), Some("architecture" | "cross_cutting")) {
            return false;
        }
        let named = ["component_id", "component", "used_by_components", "components_involved"];
        let named = named.iter().find_map(|field| filter[*field].as_str());
        !named.is_some_and(|component| self.0.contains(component))
    }
}

/// Returns the cross-cutting concern in the arguments of a `store_discovery` call, of several the last.
fn concern_in(arguments: &Value) -> Option<Value> {
    let parsed = |value: &Value| match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        value => value.clone(),
    };
    let entries = parsed(&arguments["entries"]);
    let last = entries.as_array().into_iter().flatten().rev().find(|entry| entry["type"] == CONCERN);
    let single = (arguments["type"] == CONCERN).then(|| parsed(&arguments["data"]));
    last.cloned().or(single)
}

/// Middleware that refuses memory queries outside the current concern beyond a limit, and warns before it.
pub struct CrossComponentLimit {
    /// Current concern.
    pub concern: CurrentConcern,
    /// Maximum of cross-component queries.
    pub limit: u32,
    /// Number of queries before this round.
    pub used: u32,
}

impl Middleware for CrossComponentLimit {
    fn before_calls<'a>(&'a self, _: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        let operation = Operation::CrossComponentQuery;
        let allowance = Allowance::new(operation.singular(), self.limit, [TOOL]).warn_at(operation.warn_at());
        let mut used = self.used;
        for call in calls.iter_mut().filter(|call| call.is_open() && self.concern.is_crossed_by(call.call()))
        {
            if used >= self.limit {
                call.refuse(ToolOutput::refused(allowance.refusal()));
                continue;
            }
            used += 1;
            if let Some(warning) = allowance.warning(self.limit - used) {
                call.warn(warning);
            }
        }
        future::ready(Ok(())).boxed()
    }
}
