//! An update of a [`JsonState`](super::JsonState): channel names with writes. Knows no schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::limits::Lease;
use super::spent::SPENT_KEY;
use stategraph_core::{ChannelSet, Update, merge_spent};

/// The update that a node returns for a [`JsonState`](super::JsonState): its writes by channel. A write to a
/// last-value channel is the value. A write to a channel with another reducer has the form that checkpoints
/// store: `{"+": d}` for one delta, `{"++": [d, …]}` for several, `{"=": value}` for the whole value.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "BTreeMap<String, Value>")]
pub struct JsonUpdate {
    stored: BTreeMap<String, Value>,
    /// Writes to untracked channels, which no checkpoint stores.
    untracked: BTreeMap<String, Value>,
    lease: UpdateLease,
}

/// The memory reservation of an update, until the update is folded or dropped.
#[derive(Debug, Clone, Default)]
struct UpdateLease {
    #[expect(dead_code, reason = "it is held")]
    lease: Option<Arc<Lease>>,
}

/// Always equal, so that updates with equal writes are equal.
impl PartialEq for UpdateLease {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Key of the untracked writes, in JSON that is given to a graph and never stored. No channel can have this name.
const UNTRACKED_KEY: &str = "$passing";

impl Serialize for JsonUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl From<BTreeMap<String, Value>> for JsonUpdate {
    fn from(mut stored: BTreeMap<String, Value>) -> Self {
        let untracked = match stored.remove(UNTRACKED_KEY) {
            Some(Value::Object(untracked)) => untracked.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        Self { stored, untracked, lease: UpdateLease::default() }
    }
}

impl JsonUpdate {
    /// Adds a write to the channel `name`, in the form that checkpoints store. Replaces an earlier write to
    /// it.
    pub(super) fn write(&mut self, name: &str, value: Value) {
        self.stored.insert(name.to_owned(), value);
    }

    /// Adds model costs, a map by model, to those of the update.
    pub fn spend(&mut self, spent: Value) {
        match (self.stored.get_mut(SPENT_KEY), spent) {
            (Some(Value::Object(sum)), Value::Object(more)) => merge_spent(sum, more),
            (_, spent) => drop(self.stored.insert(SPENT_KEY.to_owned(), spent)),
        }
    }

    /// Adds a write to the channel `name`, which no checkpoint stores.
    pub(super) fn write_untracked(&mut self, name: &str, value: Value) {
        self.untracked.insert(name.to_owned(), value);
    }

    /// Attaches a memory reservation to the update, until the update is folded or dropped.
    pub(super) fn hold(&mut self, lease: Lease) {
        self.lease = UpdateLease { lease: Some(Arc::new(lease)) };
    }

    /// Returns the update as JSON, including its untracked writes, which `Serialize` leaves out. For a run
    /// that starts with the update as its input.
    pub fn into_json_with_untracked(self) -> Value {
        let Self { stored, untracked, .. } = self;
        let untracked =
            (!untracked.is_empty()).then(|| (UNTRACKED_KEY.to_owned(), untracked.into_iter().collect()));
        stored.into_iter().chain(untracked).collect()
    }

    /// Returns the writes in stored form with their channel names, untracked ones last; also the model costs,
    /// as `$spent`.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.stored.iter().chain(&self.untracked).map(|(name, value)| (name.as_str(), value))
    }

    /// Moves the writes to the channels `names` from another update, such as that of a sub-graph, into this
    /// one. The channels must have the same rules in both states.
    pub fn add_shared(&mut self, mut from: Self, names: &[String]) {
        for name in names {
            self.stored.extend(from.stored.remove_entry(name));
            self.untracked.extend(from.untracked.remove_entry(name));
        }
    }

    /// Removes the write to a channel and returns it; `None` if there is none.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.stored.remove(name).or_else(|| self.untracked.remove(name))
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.stored.retain(|name, _| keep(name));
        self.untracked.retain(|name, _| keep(name));
    }
}

impl IntoIterator for JsonUpdate {
    type Item = (String, Value);
    type IntoIter = std::iter::Chain<
        std::collections::btree_map::IntoIter<String, Value>,
        std::collections::btree_map::IntoIter<String, Value>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.stored.into_iter().chain(self.untracked)
    }
}

/// The sets are empty, because the engine asks the state, which has the schema.
impl Update for JsonUpdate {
    fn written_channels(&self) -> ChannelSet {
        ChannelSet::EMPTY
    }

    fn exclusive_channels(&self) -> ChannelSet {
        ChannelSet::EMPTY
    }

    fn forget(&mut self, _: ChannelSet) {}
}
