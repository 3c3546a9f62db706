//! The traits between a typed state and the engine. `#[derive(State)]` implements them; the reducers are in `reduce.rs`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Authoring;
use super::id::Digest;

/// Maximum number of channels in a state.
pub const CHANNELS_MAX: usize = 128;

/// The state of a graph: a struct whose fields are channels. Each channel has a rule that folds the writes of nodes into its value.
///
/// `#[derive(State)]` implements it and defines the update type, `TalkUpdate` for a state `Talk`, with a setter for each channel. A node
/// returns an update and never changes the state itself, so concurrent nodes cannot overwrite each other's work unnoticed.
///
/// # Examples
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::State;
///
/// #[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
/// struct Talk {
///     topic: String,          // the last value; two writers in one superstep are an error
///     #[state(append)]
///     lines: Vec<String>,     // each write adds an element
///     #[state(add)]
///     tokens: u64,            // each write is added
/// }
///
/// let mut talk = Talk::default();
/// talk.fold(Talk::update().topic("rust").lines("hello").lines("world").tokens(7));
/// assert_eq!(talk.lines, ["hello", "world"]);
/// ```
///
/// # Attributes of channels
///
/// | `#[state(…)]` | a write is | the new value |
/// |---|---|---|
/// | none | a value | the written one; two writers in one superstep are an error |
/// | `any` | a value | the written one; of several writers in one superstep the last by name (LangGraph F16) |
/// | `append` | an element | the old elements, then the written ones |
/// | `add` | a number | the sum |
/// | `max`, `min` | a value | the larger, the smaller |
/// | `merge` | a map or set | the union; later keys win |
/// | `reduce = f` | `T`, or `D` with `delta = D` | the first argument after `f(&mut T, D)` |
/// | `untracked` | as above | as above, but never in a checkpoint; needs `#[serde(skip)]` |
/// | `ephemeral` | as above | as above, for the next superstep only; then `Default` again |
///
/// `overwrite_<field>(value)` replaces the whole value of a channel with a reducer. Other writes of that superstep to the channel are then
/// ignored (LangGraph F11).
///
/// # Serde attributes
///
/// `rename`, `alias`, `default`, `with`, `serialize_with`, `deserialize_with` and `skip_serializing_if` on fields, and `rename_all` on the
/// struct, apply to the update as well. `with` also writes deltas of the channel's own type; elements of other types are written as those
/// types say. Attributes that a checkpoint could not represent are compile errors: `flatten`, `skip` without `untracked`, and names for one
/// direction only.
///
/// # Values in checkpoints
///
/// A checkpoint returns every value unchanged. Otherwise the run fails before the commit, and the error names the channel. To ensure that,
/// the engine reads back channels whose types are not [`JsonSafe`](super::JsonSafe). A field that a type of its own marks with serde's
/// `skip` is not compared.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a graph state", note = "add `#[derive(State)]`")]
pub trait State: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The update type: one optional write per channel.
    type Update: Update;

    /// The channels, in the order of the fields.
    const CHANNELS: &'static [Channel];

    /// The notation in which the author declared the state: a Rust struct or a graph file. Hints in errors
    /// name what can be changed there. `Rust` by default.
    const AUTHORING: Authoring = Authoring::Rust;

    /// Version of the state, a part of its [`fingerprint`](Self::fingerprint). Set it with `#[state(version = 2)]` on the struct; `0` by
    /// default. Raise it when types *inside* channels change and older states have to be [migrated](super::StateGraph::migrate).
    const VERSION: u32 = 0;

    /// The channels whose written values are read back from their JSON and compared before each commit,
    /// because JSON may return another value: those of types that are not [`JsonSafe`](super::JsonSafe). All
    /// channels by default.
    const READ_BACK: ChannelSet = ChannelSet::ALL;

    /// Folds an update into the state: each write by the rule of its channel.
    fn fold(&mut self, update: Self::Update);

    /// Returns the resources that the run has spent according to this state, such as tokens: a JSON map of
    /// numbers, or of such maps. The event at the end of a run contains it. `None` by default.
    fn spent(&self) -> Option<serde_json::Value> {
        None
    }

    /// Returns the resources that folding this update would add to those of the state, in the form of
    /// [`spent`](Self::spent). `None` by default.
    fn spent_by(_update: &Self::Update) -> Option<serde_json::Value> {
        None
    }

    /// Returns the update in the form in which the cache of node results stores it: without the resources
    /// that its computation spent. Unchanged by default.
    fn for_cache(update: Self::Update) -> Self::Update {
        update
    }

    /// Resets the ephemeral channels. The engine calls this before it folds the writes of a superstep.
    fn begin_step(&mut self) {}

    /// Merges `later` into `earlier`. Folding the merged update gives the same state as folding both in turn.
    /// The updates of a sub-graph reach the outer graph merged in this way (D4).
    fn compose(&self, earlier: &mut Self::Update, later: Self::Update);

    /// Removes the writes to ephemeral channels from a merged update when the next superstep begins, as
    /// [`begin_step`](Self::begin_step) resets those channels in a state.
    fn expire(&self, _: &mut Self::Update) {}

    /// Copies the parts of a state that JSON does not hold from `prototype`, that of the graph
    /// ([`StateGraph::prototype`](super::StateGraph::prototype)). The engine calls this on every state that
    /// it reads. For states whose channels are declared in data, such as a graph file; does nothing by
    /// default.
    fn adopt(&mut self, _prototype: &Self) {}

    /// Returns the rule that folds writes into a channel, by the name in the table above, such as `append`;
    /// `last` for a channel without an attribute. `key` is the name or an alias of the channel in
    /// checkpoints; `None` when no channel has it. States whose channels are declared in data look it up in
    /// `prototype`, that of the graph.
    fn rule(_prototype: Option<&Self>, key: &str) -> Option<&'static str> {
        let mut channels = Self::CHANNELS.iter();
        channels
            .find(|channel| channel.name == key || channel.aliases.contains(&key))
            .map(|channel| channel.rule)
    }

    /// Returns true for a key in the JSON of a state that is no channel but data of the state about itself,
    /// such as `$graph`, the origin of its graph file. A [comparison](super::CompiledGraph::fit) with a
    /// thread leaves it out. False by default.
    fn is_record(_key: &str) -> bool {
        false
    }

    /// Returns the channels of which a superstep accepts only one write; see [`Update::exclusive_channels`].
    fn exclusive_channels(&self, update: &Self::Update) -> ChannelSet {
        update.exclusive_channels()
    }

    /// Removes the deltas for these channels from `update`; see [`Update::forget`].
    fn forget(&self, update: &mut Self::Update, channels: ChannelSet) {
        update.forget(channels);
    }

    /// Returns the name of a channel.
    fn channel_name(&self, channel: usize) -> &str {
        Self::CHANNELS[channel].name
    }

    /// Returns the reason why the state cannot be stored in a checkpoint; `None` when it can. The engine asks after every fold and after
    /// the branches that read the state. A fault fails the superstep, and nothing of it is committed (parity D10). A typed state never has
    /// one.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Returns the [`fingerprint`](Self::fingerprint) of the channels of this value. It is that of the type,
    /// except for states whose channels are declared in data: there it depends on the declared channels.
    fn own_fingerprint(&self) -> Digest {
        Self::fingerprint()
    }

    /// Makes an empty update, to be filled with its setters.
    fn update() -> Self::Update {
        Self::Update::default()
    }

    /// Returns the fingerprint of the type: equal for states with the same channels, types, rules and version.
    fn fingerprint() -> Digest {
        let lines = Self::CHANNELS.iter().map(|c| format!("{}: {} ({})", c.name, c.kind, c.rule));
        let version = (Self::VERSION > 0).then(|| format!("version {}", Self::VERSION));
        let lines: Vec<String> = lines.chain(version).collect();
        Digest::of(&lines.join("\n"))
    }
}

/// The update of a state. `#[derive(State)]` makes one for each state.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let update = Count::update().n(7);
/// assert_eq!(serde_json::to_string(&update)?, r#"{"n":7}"#);
/// let mut count = Count::default();
/// count.fold(update);
/// assert_eq!(count.n, 7);
/// # Ok(()) }) }
/// ```
pub trait Update: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Returns the channels that the update writes.
    fn written_channels(&self) -> ChannelSet;

    /// Returns the channels of which a superstep accepts only one write: values without a reducer, and overwrites.
    fn exclusive_channels(&self) -> ChannelSet;

    /// Removes the writes to these channels from the update, because another task of the superstep overwrites
    /// them.
    fn forget(&mut self, channels: ChannelSet);
}

/// The declaration of one channel of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// The name in checkpoints: that of the field, or the one that serde's `rename` gives.
    pub name: &'static str,
    /// Other names in older checkpoints (`#[serde(alias)]`).
    pub aliases: &'static [&'static str],
    /// The type of the field, as written in the source.
    pub kind: &'static str,
    /// The rule, as in the table at [`State`].
    pub rule: &'static str,
    /// The lifetime of its value.
    pub lifetime: ChannelLifetime,
}

/// The lifetime of a channel's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelLifetime {
    /// The whole thread: the value is in every checkpoint.
    Always,
    /// One superstep: the value is in checkpoints, and reset before the next fold.
    OneStep,
    /// The run: the value is in no checkpoint.
    InRun,
}

/// A set of channels of one state. A channel is identified by its position in [`State::CHANNELS`], from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelSet(u128);

impl ChannelSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The set of all channels.
    pub const ALL: Self = Self(u128::MAX);

    /// Returns the set with this channel added if `present` is [`Presence::Written`], else the set unchanged.
    /// For the derive.
    #[must_use]
    pub const fn with(self, channel: u32, present: Presence) -> Self {
        match present {
            Presence::Written => Self(self.0 | 1 << channel),
            Presence::Absent => self,
        }
    }

    /// Returns true when the channel is in the set.
    pub fn contains(self, channel: u32) -> bool {
        self.0 & 1 << channel != 0
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the union.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the channels that are in this set and not in `other`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns true for the empty set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the positions of the channels in the set, in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..CHANNELS_MAX).filter(move |channel| self.0 >> channel & 1 == 1)
    }

    /// Returns the lowest index in the set; `None` for the empty set.
    pub fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }
}

/// The presence of a write to one channel in an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The update writes the channel.
    Written,
    /// The update does not write the channel.
    Absent,
}

impl Presence {
    /// Returns `Written` for true, `Absent` for false. For the derive.
    pub const fn when(written: bool) -> Self {
        if written { Self::Written } else { Self::Absent }
    }

    /// Returns `Written` for `Some`, `Absent` for `None`.
    pub fn of<T>(write: &Option<T>) -> Self {
        if write.is_some() { Self::Written } else { Self::Absent }
    }
}
