//! A change of a [`JsonState`](super::JsonState): channel names with what is written to them. Knows no schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::limits::Lease;
use super::state::{SPENT_KEY, add_spent};
use stategraph_core::{ChannelSet, Fold, Update};

/// What a node writes. To a last-value channel a value; to a folded one, as in every checkpoint, `{"+": d}` for one delta, `{"++": [d, …]}`
/// for several, `{"=": value}` for the whole.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "BTreeMap<String, Value>")]
pub struct JsonUpdate {
    stored: BTreeMap<String, Value>,
    /// Writes to channels that are never stored.
    passing: BTreeMap<String, Value>,
    held: Held,
}

/// What the update takes of its run until it is folded.
#[derive(Debug, Clone, Default)]
struct Held {
    #[expect(dead_code, reason = "it is held")]
    lease: Option<Arc<Lease>>,
}

/// Updates are equal that write the same.
impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The key of the writes that are never stored, in JSON that goes to a graph and not to a store; no channel can bear it.
const PASSING_KEY: &str = "$passing";

impl Serialize for JsonUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl From<BTreeMap<String, Value>> for JsonUpdate {
    fn from(mut stored: BTreeMap<String, Value>) -> Self {
        let passing = match stored.remove(PASSING_KEY) {
            Some(Value::Object(passing)) => passing.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        Self { stored, passing, held: Held::default() }
    }
}

/// The writes to a folded channel.
pub(super) type Writes = Fold<Value, Value>;

impl JsonUpdate {
    /// Adds a write in the form of a checkpoint.
    pub(super) fn write(&mut self, name: &str, value: Value) {
        self.stored.insert(name.to_owned(), value);
    }

    /// Adds what making the update took, by model.
    pub fn spend(&mut self, spent: Value) {
        match (self.stored.get_mut(SPENT_KEY), spent) {
            (Some(Value::Object(sum)), Value::Object(more)) => add_spent(sum, more),
            (_, spent) => drop(self.stored.insert(SPENT_KEY.to_owned(), spent)),
        }
    }

    /// Adds a write that no checkpoint holds.
    pub(super) fn write_passing(&mut self, name: &str, value: Value) {
        self.passing.insert(name.to_owned(), value);
    }

    /// Keeps what it takes of its run until it is folded or dropped.
    pub(super) fn hold(&mut self, lease: Lease) {
        self.held = Held { lease: Some(Arc::new(lease)) };
    }

    /// Returns the update as JSON with the writes that no checkpoint holds, which serialising leaves out: for a run that starts with it.
    pub fn with_passing(self) -> Value {
        let Self { stored, passing, .. } = self;
        let passing = (!passing.is_empty()).then(|| (PASSING_KEY.to_owned(), passing.into_iter().collect()));
        stored.into_iter().chain(passing).collect()
    }

    /// The writes by channel.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.stored.iter().chain(&self.passing).map(|(name, value)| (name.as_str(), value))
    }

    /// Takes away what is written to a channel.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.stored.remove(name).or_else(|| self.passing.remove(name))
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.stored.retain(|name, _| keep(name));
        self.passing.retain(|name, _| keep(name));
    }
}

impl IntoIterator for JsonUpdate {
    type Item = (String, Value);
    type IntoIter = std::iter::Chain<
        std::collections::btree_map::IntoIter<String, Value>,
        std::collections::btree_map::IntoIter<String, Value>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.stored.into_iter().chain(self.passing)
    }
}

/// The engine asks the state instead, which has the schema.
impl Update for JsonUpdate {
    fn written(&self) -> ChannelSet {
        ChannelSet::EMPTY
    }

    fn exclusive(&self) -> ChannelSet {
        ChannelSet::EMPTY
    }

    fn forget(&mut self, _: ChannelSet) {}
}

/// Whether the writes to a folded channel replace the whole.
pub(super) fn is_overwrite(writes: &Value) -> bool {
    writes.as_object().is_some_and(|map| map.len() == 1 && map.contains_key("="))
}
