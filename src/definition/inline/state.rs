//! The state of a graph without Rust: values by channel, with the schema that says how writes become values. See `schema.rs` for
//! what is declared.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::compose::composed;
use super::messages;
use super::origin::Origin;
use super::reducer::Reducer;
use super::schema::Schema;
use super::update::{JsonUpdate, is_overwrite};
use crate::engine::{Authoring, Channel, ChannelSet, Digest, Kept, Presence, State};

/// The key of the [`Origin`] in a checkpoint; no channel can bear it.
pub const ORIGIN_KEY: &str = "$graph";

/// The key of what the models of a run took; no channel can bear it.
pub const SPENT_KEY: &str = "$spent";

/// The state of a graph whose channels are declared in its file.
#[derive(Debug, Clone, Default)]
pub struct JsonState {
    schema: Arc<Schema>,
    /// By channel.
    values: Vec<Arc<Value>>,
    origin: Option<Arc<Origin>>,
    /// What the models of the run took, by model: maps of numbers.
    spent: Map<String, Value>,
    /// What was read back and waits for a schema.
    unread: Map<String, Value>,
    /// The first write, or branch, that could not be.
    fault: OnceLock<String>,
}

impl JsonState {
    /// Every channel at its default.
    pub fn new(schema: Arc<Schema>) -> Self {
        let values = schema.channels().iter().map(|channel| Arc::new(channel.initial())).collect();
        Self { schema, values, ..Self::default() }
    }

    /// Remembers what file the graph comes from.
    #[must_use]
    pub fn made_from(mut self, origin: Origin) -> Self {
        self.origin = Some(Arc::new(origin));
        self
    }

    /// The channels.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The file that the graph came from when the thread began.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_deref()
    }

    /// The value of a channel.
    pub fn get(&self, channel: &str) -> Option<&Value> {
        let at = self.schema.find(channel)?;
        self.values.get(at).map(AsRef::as_ref)
    }

    /// The channels with their values, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let names = self.schema.channels().iter().map(|channel| channel.name.as_str());
        names.zip(self.values.iter().map(AsRef::as_ref))
    }

    /// What the models of the run took so far, by model.
    pub fn spent(&self) -> &Map<String, Value> {
        &self.spent
    }

    /// Adds a write of a node that read this state. Messages that it removes must be in the state.
    pub fn write(&self, update: &mut JsonUpdate, channel: &str, value: Value) -> Result<(), String> {
        let is_conversation =
            self.schema.channel(channel).is_some_and(|channel| channel.reducer == Reducer::Messages);
        if let Some(conversation) = self.get(channel).filter(|_| is_conversation) {
            let checked = messages::changes(value.clone())
                .and_then(|changes| messages::check_removals(conversation, &changes));
            checked.map_err(|reason| format!("the write to `{channel}` does not fit: {reason}"))?;
        }
        self.schema.write(update, channel, value)
    }

    /// Notes that something about the state went wrong: the superstep fails. The first counts.
    pub fn refuse(&self, reason: String) {
        let _ = self.fault.set(reason);
    }

    fn apply(&mut self, name: &str, value: Value) {
        if let (SPENT_KEY, Value::Object(spent)) = (name, &value) {
            return add_spent(&mut self.spent, spent.clone());
        }
        let Some(at) = self.schema.find(name) else { return self.refuse(self.schema.unknown(name)) };
        let channel = &self.schema.channels()[at];
        if let Err(reason) = channel.fold(Arc::make_mut(&mut self.values[at]), value) {
            self.refuse(format!("the write to `{name}` cannot be kept: {reason}"));
        }
    }

    /// Takes a stored or given value as it is.
    fn put(&mut self, name: &str, value: Value) {
        let Some(at) = self.schema.find(name) else { return self.refuse(self.schema.unknown(name)) };
        match self.schema.channels()[at].whole(value) {
            Ok(value) => self.values[at] = Arc::new(value),
            Err(reason) => self.refuse(format!("the value of `{name}` cannot be taken: {reason}")),
        }
    }
}

impl State for JsonState {
    type Update = JsonUpdate;

    /// They are in the [`Schema`], which differs from graph to graph.
    const CHANNELS: &'static [Channel] = &[];

    const AUTHORING: Authoring = Authoring::File;

    /// Its values are JSON.
    const READ_BACK: ChannelSet = ChannelSet::EMPTY;

    fn fold(&mut self, update: JsonUpdate) {
        update.into_iter().for_each(|(name, value)| self.apply(&name, value));
    }

    fn begin_step(&mut self) {
        for (channel, value) in self.schema.channels().iter().zip(&mut self.values) {
            if channel.kept == Kept::OneStep {
                *value = Arc::new(channel.initial());
            }
        }
    }

    fn compose(&self, earlier: &mut JsonUpdate, later: JsonUpdate) {
        for (name, write) in later {
            if name == SPENT_KEY {
                earlier.spend(write);
                continue;
            }
            // What is not in the schema was refused when it was folded.
            let Some(at) = self.schema.find(&name) else { continue };
            let channel = &self.schema.channels()[at];
            let sum = composed(channel.reducer, earlier.take(&name), write);
            match channel.kept {
                Kept::InRun => earlier.write_passing(&name, sum),
                Kept::Always | Kept::OneStep => earlier.write(&name, sum),
            }
        }
    }

    fn expire(&self, update: &mut JsonUpdate) {
        let passing = |name: &str| self.schema.find(name).map(|at| self.schema.channels()[at].kept);
        update.retain(|name| passing(name) != Some(Kept::OneStep));
    }

    fn adopt(&mut self, prototype: &Self) {
        let unread = std::mem::take(&mut self.unread);
        let origin = self.origin.take().or_else(|| prototype.origin.clone());
        let spent = std::mem::take(&mut self.spent);
        *self = Self { origin, spent, ..prototype.clone() };
        unread.into_iter().for_each(|(name, value)| self.put(&name, value));
    }

    fn rule(prototype: Option<&Self>, key: &str) -> Option<&'static str> {
        if key == ORIGIN_KEY {
            return Some(Reducer::Last.name());
        }
        let schema = &prototype?.schema;
        schema.channel(key).map(|channel| channel.reducer.name())
    }

    fn exclusive(&self, update: &JsonUpdate) -> ChannelSet {
        let single = |name: &str, value: &Value| match self.schema.find(name) {
            Some(at) if self.schema.channels()[at].reducer == Reducer::Last => Some(at),
            Some(at) if is_overwrite(value) => Some(at),
            _ => None,
        };
        let channels = update.entries().filter_map(|(name, value)| single(name, value));
        channels.fold(ChannelSet::EMPTY, |set, at| {
            set.with(u32::try_from(at).expect("a schema has few channels"), Presence::Written)
        })
    }

    fn forget(&self, update: &mut JsonUpdate, channels: ChannelSet) {
        update.retain(|name| {
            let at = self.schema.find(name).and_then(|at| u32::try_from(at).ok());
            at.is_none_or(|at| !channels.contains(at))
        });
    }

    fn channel_name(&self, channel: usize) -> &str {
        &self.schema.channels()[channel].name
    }

    fn fault(&self) -> Option<String> {
        self.fault.get().cloned()
    }

    fn shape(&self) -> Digest {
        self.schema.digest()
    }

    fn spent(&self) -> Option<Value> {
        (!self.spent.is_empty()).then(|| Value::Object(self.spent.clone()))
    }

    fn for_cache(mut update: JsonUpdate) -> JsonUpdate {
        update.retain(|name| name != SPENT_KEY);
        update
    }
}

impl Serialize for JsonState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(origin) = &self.origin {
            map.serialize_entry(ORIGIN_KEY, origin.as_ref())?;
        }
        if !self.spent.is_empty() {
            map.serialize_entry(SPENT_KEY, &self.spent)?;
        }
        let kept = self.schema.channels().iter().map(|channel| channel.kept != Kept::InRun);
        for ((name, value), _) in self.entries().zip(kept).filter(|(_, kept)| *kept) {
            map.serialize_entry(name, value)?;
        }
        // A state that has met no schema is what was read.
        self.unread.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for JsonState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut unread = Map::deserialize(deserializer)?;
        let origin = unread.remove(ORIGIN_KEY).map(serde_json::from_value).transpose();
        let origin = origin.map_err(serde::de::Error::custom)?.map(Arc::new);
        let spent = match unread.remove(SPENT_KEY) {
            Some(Value::Object(spent)) => spent,
            _ => Map::new(),
        };
        Ok(Self { origin, spent, unread, ..Self::default() })
    }
}

/// Adds what was taken to what was taken before: numbers are added, maps entry by entry.
pub(crate) fn add_spent(sum: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, more) in more {
        match (sum.get_mut(&name), more) {
            (Some(Value::Object(sum)), Value::Object(more)) => add_spent(sum, more),
            (Some(sum), more) if sum.is_u64() && more.is_u64() => {
                let total =
                    sum.as_u64().unwrap_or_default().saturating_add(more.as_u64().unwrap_or_default());
                *sum = total.into();
            }
            (_, more) => drop(sum.insert(name, more)),
        }
    }
}

impl PartialEq for JsonState {
    fn eq(&self, other: &Self) -> bool {
        self.entries().collect::<BTreeMap<_, _>>() == other.entries().collect::<BTreeMap<_, _>>()
            && self.unread == other.unread
    }
}
