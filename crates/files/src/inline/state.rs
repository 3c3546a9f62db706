//! The state of a graph without Rust: a value for each channel, with the schema that folds writes into values.
//! `schema.rs` holds the declarations.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::compose::{compose_writes, is_overwrite};
use super::limits::{Lease, LimitExceeded, ValueLimits, json_size};
use super::messages;
use super::origin::FileOrigin;
use super::reducer::Reducer;
use super::schema::StateSchema;
use super::spent::SPENT_KEY;
use super::update::JsonUpdate;
use stategraph_core::{
    Authoring, Channel, ChannelLifetime, ChannelSet, Digest, Presence, State, merge_spent,
};

/// Key of the [`FileOrigin`] in a checkpoint. No channel can have this name.
pub const ORIGIN_KEY: &str = "$graph";

/// Description of the content that the limit `checkpoint` bounds, for messages.
const CHECKPOINT_CONTENT: &str = "what the run holds for its next checkpoint";

/// The state of a graph whose channels its file declares: a JSON value for each channel, with the schema that
/// folds writes.
#[derive(Debug, Clone, Default)]
pub struct JsonState {
    schema: Arc<StateSchema>,
    /// Values in the order of the channels.
    values: Vec<Arc<Value>>,
    origin: Option<Arc<FileOrigin>>,
    /// Model costs of the run: maps of numbers, by model.
    spent: Map<String, Value>,
    /// Deserialised values that wait for a schema.
    undecoded: Map<String, Value>,
    /// The first write or expression of an edge that failed; it fails the superstep.
    first_error: OnceLock<String>,
    /// Estimated bytes of each value; an upper bound.
    sizes: Vec<usize>,
    /// Bounds that the user set.
    allowed: ValueLimits,
    lease: Lease,
    level: GraphLevel,
    /// Context of the run, which no checkpoint holds.
    context: Arc<Map<String, Value>>,
}

/// The position of a state's graph in its run. Only the top level resets the byte counts of a superstep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum GraphLevel {
    /// The graph that was started.
    #[default]
    Top,
    /// A sub-graph.
    Subgraph,
}

impl JsonState {
    /// Creates a state with the initial value in every channel.
    pub fn new(schema: Arc<StateSchema>) -> Self {
        let values: Vec<_> =
            schema.channels().iter().map(|channel| Arc::new(channel.initial_value())).collect();
        let sizes = values.iter().map(|value| json_size(value)).collect();
        Self { schema, values, sizes, ..Self::default() }
    }

    /// Sets the bounds of values that the user allows. The file may lower them.
    #[must_use]
    pub fn with_limits(mut self, allowed: ValueLimits) -> Self {
        self.allowed = allowed;
        self
    }

    /// Makes it the state of a sub-graph of `outer`: it takes the bounds and the context of `outer`, and its
    /// bytes are counted together with those of `outer`.
    #[must_use]
    pub fn nested_in(mut self, outer: &Self) -> Self {
        self.allowed = outer.allowed;
        self.lease = outer.lease.clone();
        self.context = outer.context.clone();
        self.level = GraphLevel::Subgraph;
        self.update_sizes();
        self
    }

    /// Sets the context of the run, which expressions read besides the channels.
    #[must_use]
    pub fn with_context(mut self, context: Arc<Map<String, Value>>) -> Self {
        self.context = context;
        self
    }

    /// Returns the context of the run: values by name that no checkpoint stores.
    pub fn context(&self) -> &Map<String, Value> {
        &self.context
    }

    /// Returns the effective bounds of its values: those of the user, lowered by the file.
    pub fn limits(&self) -> ValueLimits {
        self.schema.limits(self.allowed)
    }

    /// Reserves `bytes` of the run's limit `checkpoint`, until the returned lease is dropped. Fails if the
    /// run then holds too much.
    pub fn reserve(&self, bytes: usize) -> Result<Lease, LimitExceeded> {
        let mut lease = Lease::of(self.lease.ledger());
        let most = self.limits().checkpoint;
        match lease.hold(bytes, most) {
            Ok(()) => Ok(lease),
            Err(held) => Err(LimitExceeded::new(CHECKPOINT_CONTENT, held, most, "checkpoint")),
        }
    }

    /// Counts the bytes of items that a fan-out sends to tasks. They count until the superstep of the tasks
    /// is committed. Fails if the run then holds too much.
    pub(crate) fn count_sent(&self, bytes: usize) -> Result<(), LimitExceeded> {
        self.lease.ledger().log(bytes);
        // A reservation of nothing would not look at the sum.
        self.reserve(1).map(drop)
    }

    /// Checks the size of an update that a node returns, and reserves memory for it until it is folded. Fails
    /// if a value, the state or the run would exceed its bound.
    pub fn admit(&self, update: &mut JsonUpdate) -> Result<(), LimitExceeded> {
        let most = self.limits().value;
        let mut all = 0;
        for (name, value) in update.entries() {
            let bytes = json_size(value);
            if bytes > most {
                return Err(LimitExceeded::new(
                    format!("the value written to `{name}`"),
                    bytes,
                    most,
                    "value",
                ));
            }
            all += bytes;
        }
        self.check_projected_sizes(update)?;
        update.hold(self.reserve(all)?);
        Ok(())
    }

    /// Sets the record of the file that the graph is built from.
    #[must_use]
    pub fn with_origin(mut self, origin: FileOrigin) -> Self {
        self.origin = Some(Arc::new(origin));
        self
    }

    /// Returns the schema with the channels of this state.
    pub fn schema(&self) -> &Arc<StateSchema> {
        &self.schema
    }

    /// Returns the record of the file from which the graph of the thread was first built; `None` if none is
    /// set.
    pub fn origin(&self) -> Option<&FileOrigin> {
        self.origin.as_deref()
    }

    /// Returns the value of a channel; `None` if there is no such channel.
    pub fn get(&self, channel: &str) -> Option<&Value> {
        let at = self.schema.index_of(channel)?;
        self.values.get(at).map(AsRef::as_ref)
    }

    /// Returns the channels with their values, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let names = self.schema.channels().iter().map(|channel| channel.name.as_str());
        names.zip(self.values.iter().map(AsRef::as_ref))
    }

    /// Returns the model costs of the run so far: maps of numbers, by model.
    pub fn spent(&self) -> &Map<String, Value> {
        &self.spent
    }

    /// Adds the write of a node that read this state to `update`. Fails if the value does not fit the
    /// channel, or removes a message that is not in this state.
    pub fn write(&self, update: &mut JsonUpdate, channel: &str, value: Value) -> Result<(), String> {
        let is_conversation =
            self.schema.channel(channel).is_some_and(|channel| channel.reducer == Reducer::Messages);
        if let Some(conversation) = self.get(channel).filter(|_| is_conversation) {
            let checked = messages::parse_changes(value.clone())
                .and_then(|changes| messages::check_removals(conversation, &changes));
            checked.map_err(|reason| format!("the write to `{channel}` does not fit: {reason}"))?;
        }
        self.schema.add_write(update, channel, value)
    }

    /// Records an error, which fails the superstep. Only the first error is kept.
    pub fn record_error(&self, reason: String) {
        let _ = self.first_error.set(reason);
    }

    /// Estimates the sizes after folding `update` alone, and fails if a value or the state exceeds its bound.
    /// At this point the writing node is known. Several nodes of one superstep may still exceed a bound
    /// together; the fold checks that.
    fn check_projected_sizes(&self, update: &JsonUpdate) -> Result<(), LimitExceeded> {
        let limits = self.limits();
        let mut state: usize = self.sizes.iter().sum();
        for (name, value) in update.entries() {
            let Some(at) = self.schema.index_of(name) else { continue };
            let gathers = matches!(self.schema.channels()[at].reducer, Reducer::Append | Reducer::Extend);
            // The write may replace a part of a map or a conversation, so the sum would be too high for them.
            let before = if gathers && !is_overwrite(value) { self.sizes[at] } else { 0 };
            let bytes = before + json_size(value);
            if bytes > limits.value {
                return Err(LimitExceeded::new(
                    format!("the value of `{name}`"),
                    bytes,
                    limits.value,
                    "value",
                ));
            }
            state = (state + bytes).saturating_sub(self.sizes[at]);
        }
        if state > limits.state {
            return Err(LimitExceeded::new("the state", state, limits.state, "state"));
        }
        Ok(())
    }

    /// Folds one write of an update into its channel, or adds model costs to the sum. Failures are recorded
    /// in the state.
    fn apply_write(&mut self, name: &str, value: Value) {
        if let (SPENT_KEY, Value::Object(spent)) = (name, &value) {
            return merge_spent(&mut self.spent, spent.clone());
        }
        let Some(at) = self.schema.index_of(name) else {
            return self.record_error(self.schema.unknown_channel_message(name));
        };
        let channel = &self.schema.channels()[at];
        let written = json_size(&value);
        let replaces = channel.reducer == Reducer::Last || is_overwrite(&value);
        let limits = self.schema.limits(self.allowed);
        if let Err(reason) = channel.fold_write(Arc::make_mut(&mut self.values[at]), value, limits) {
            return self.record_error(format!("the write to `{name}` cannot be kept: {reason}"));
        }
        // The sum of the writes is an upper bound and known without measuring the value, so it is measured only if
        // the bound is exceeded.
        let most = if replaces { 0 } else { self.sizes[at] } + written;
        // An expression may give any value.
        let is_unknown = channel.reducer == Reducer::Custom;
        self.sizes[at] = if is_unknown || most > limits.value { json_size(&self.values[at]) } else { most };
        self.check_channel_size(at);
    }

    /// Records an error if the value of the channel at index `at` is larger than the limit `value`.
    fn check_channel_size(&self, at: usize) {
        let (bytes, most) = (self.sizes[at], self.limits().value);
        if bytes > most {
            let what = format!("the value of `{}`", self.channel_name(at));
            self.record_exceeded(&LimitExceeded::new(what, bytes, most, "value"));
        }
    }

    fn record_exceeded(&self, exceeded: &LimitExceeded) {
        let file = self.origin.as_ref().map_or("the graph", |origin| &origin.file);
        self.record_error(format!("in {file} {exceeded}; {}", exceeded.hint()));
    }

    /// Records an error if all values together exceed the limit `state`, or the run the limit `checkpoint`.
    /// Sets the state's reservation to the present size.
    fn update_sizes(&mut self) {
        let limits = self.limits();
        let mut bytes: usize = self.sizes.iter().sum();
        if bytes > limits.state {
            self.sizes = self.values.iter().map(|value| json_size(value)).collect();
            bytes = self.sizes.iter().sum();
        }
        if bytes > limits.state {
            self.record_exceeded(&LimitExceeded::new("the state", bytes, limits.state, "state"));
        }
        if let Err(held) = self.lease.hold(bytes, limits.checkpoint) {
            self.record_exceeded(&LimitExceeded::new(
                CHECKPOINT_CONTENT,
                held,
                limits.checkpoint,
                "checkpoint",
            ));
        }
    }

    /// Sets a channel to a whole value from a checkpoint or an input. Records an error if there is no such
    /// channel or the value does not fit.
    fn restore_channel(&mut self, name: &str, value: Value) {
        let Some(at) = self.schema.index_of(name) else {
            return self.record_error(self.schema.unknown_channel_message(name));
        };
        match self.schema.channels()[at].check_whole(value) {
            Ok(value) => {
                self.sizes[at] = json_size(&value);
                self.values[at] = Arc::new(value);
                self.check_channel_size(at);
            }
            Err(reason) => self.record_error(format!("the value of `{name}` cannot be taken: {reason}")),
        }
    }
}

impl State for JsonState {
    type Update = JsonUpdate;

    /// Empty, because the channels are in the [`StateSchema`], which differs from graph to graph.
    const CHANNELS: &'static [Channel] = &[];

    const AUTHORING: Authoring = Authoring::File;

    /// Empty, because the values are JSON already.
    const READ_BACK: ChannelSet = ChannelSet::EMPTY;

    fn fold(&mut self, update: JsonUpdate) {
        // Iterating releases the reservation of the update; from here on the state counts the values.
        let writes: Vec<_> = update.into_iter().collect();
        if self.level == GraphLevel::Subgraph {
            self.lease.ledger().log(writes.iter().map(|(_, value)| json_size(value)).sum());
        }
        writes.into_iter().for_each(|(name, value)| self.apply_write(&name, value));
        self.update_sizes();
    }

    fn begin_step(&mut self) {
        if self.level == GraphLevel::Top {
            self.lease.ledger().begin_step();
        }
        for (at, channel) in self.schema.channels().iter().enumerate() {
            if channel.kept == ChannelLifetime::OneStep {
                self.values[at] = Arc::new(channel.initial_value());
                self.sizes[at] = json_size(&self.values[at]);
            }
        }
    }

    fn compose(&self, earlier: &mut JsonUpdate, later: JsonUpdate) {
        for (name, write) in later {
            if name == SPENT_KEY {
                earlier.spend(write);
                continue;
            }
            // A channel that is not in the schema was refused by the fold.
            let Some(at) = self.schema.index_of(&name) else { continue };
            let channel = &self.schema.channels()[at];
            let sum = compose_writes(channel, earlier.take(&name), write, self.limits());
            match channel.kept {
                ChannelLifetime::InRun => earlier.write_untracked(&name, sum),
                ChannelLifetime::Always | ChannelLifetime::OneStep => earlier.write(&name, sum),
            }
        }
    }

    fn expire(&self, update: &mut JsonUpdate) {
        let lifetime = |name: &str| self.schema.index_of(name).map(|at| self.schema.channels()[at].kept);
        update.retain(|name| lifetime(name) != Some(ChannelLifetime::OneStep));
    }

    fn adopt(&mut self, prototype: &Self) {
        let undecoded = std::mem::take(&mut self.undecoded);
        let origin = self.origin.take().or_else(|| prototype.origin.clone());
        let spent = std::mem::take(&mut self.spent);
        *self = Self { origin, spent, ..prototype.clone() };
        undecoded.into_iter().for_each(|(name, value)| self.restore_channel(&name, value));
        // Each run has a ledger of its own.
        self.lease = Lease::default();
        self.update_sizes();
    }

    fn rule(prototype: Option<&Self>, key: &str) -> Option<&'static str> {
        if key == ORIGIN_KEY {
            return Some(Reducer::Last.name());
        }
        let schema = &prototype?.schema;
        schema.channel(key).map(|channel| channel.reducer.name())
    }

    fn is_record(key: &str) -> bool {
        matches!(key, ORIGIN_KEY | SPENT_KEY)
    }

    fn exclusive_channels(&self, update: &JsonUpdate) -> ChannelSet {
        let single = |name: &str, value: &Value| match self.schema.index_of(name) {
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
            let at = self.schema.index_of(name).and_then(|at| u32::try_from(at).ok());
            at.is_none_or(|at| !channels.contains(at))
        });
    }

    fn channel_name(&self, channel: usize) -> &str {
        &self.schema.channels()[channel].name
    }

    fn fault(&self) -> Option<String> {
        self.first_error.get().cloned()
    }

    fn own_fingerprint(&self) -> Digest {
        self.schema.digest()
    }

    fn spent(&self) -> Option<Value> {
        (!self.spent.is_empty()).then(|| Value::Object(self.spent.clone()))
    }

    fn spent_by(update: &JsonUpdate) -> Option<Value> {
        update.entries().find(|(name, _)| *name == SPENT_KEY).map(|(_, spent)| spent.clone())
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
        let kept = self.schema.channels().iter().map(|channel| channel.kept != ChannelLifetime::InRun);
        for ((name, value), _) in self.entries().zip(kept).filter(|(_, kept)| *kept) {
            map.serialize_entry(name, value)?;
        }
        // A state without a schema serialises the values that it was read from.
        self.undecoded.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for JsonState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut undecoded = Map::deserialize(deserializer)?;
        let origin = undecoded.remove(ORIGIN_KEY).map(serde_json::from_value).transpose();
        let origin = origin.map_err(serde::de::Error::custom)?.map(Arc::new);
        let spent = match undecoded.remove(SPENT_KEY) {
            Some(Value::Object(spent)) => spent,
            _ => Map::new(),
        };
        Ok(Self { origin, spent, undecoded, ..Self::default() })
    }
}

impl PartialEq for JsonState {
    fn eq(&self, other: &Self) -> bool {
        self.entries().collect::<BTreeMap<_, _>>() == other.entries().collect::<BTreeMap<_, _>>()
            && self.undecoded == other.undecoded
    }
}
