//! The contract between a typed state and the engine. Implemented by `#[derive(State)]`; the reducers are in `reduce.rs`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Authoring;
use super::id::Digest;

/// The most channels a state can have.
pub const CHANNELS_MAX: usize = 128;

/// The state of a graph: a struct whose fields are channels, each with a rule that says how writes become its value.
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
/// | attribute | a write is | the new value |
/// |---|---|---|
/// | none | a value | the written one; two writers in one superstep are an error |
/// | `any` | a value | the written one; of several writers in one superstep the last by name (LangGraph F16) |
/// | `append` | an element | the old elements, then the written ones |
/// | `add` | a number | the sum |
/// | `max`, `min` | a value | the larger, the smaller |
/// | `merge` | a map or set | the union; later keys win |
/// | `reduce = f` | `T`, or `D` with `delta = D` | what `f(&mut T, D)` makes of it |
/// | `untracked` | as above | as above, but never in a checkpoint; needs `#[serde(skip)]` |
/// | `ephemeral` | as above | seen by the next superstep only, then `Default` again |
///
/// A folded channel is replaced as a whole with `overwrite_<field>(value)`; other writes of that superstep to it are then ignored
/// (LangGraph F11).
///
/// The serde attributes of a field (`rename`, `alias`, `default`, `with` and its halves, `skip_serializing_if`) and `rename_all` of the
/// struct hold for the update as well; a delta of the channel's own type is written by `with` too, an element as its type says. What a
/// checkpoint could not hold (`flatten`, `skip` without `untracked`, names for one direction) is a compile error.
///
/// A value comes back from a checkpoint as it was, or the run fails before the commit and names the channel. Channels of types that are
/// not [`JsonSafe`](super::JsonSafe) are read back for that; what serde leaves out by the type's own wish (`skip`) is not missed.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a graph state", note = "add `#[derive(State)]`")]
pub trait State: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What a node returns to change the state: each field optional.
    type Update: Update;

    /// The channels, in the order of the fields.
    const CHANNELS: &'static [Channel];

    /// What the author of the state wrote it in, for hints.
    const AUTHORING: Authoring = Authoring::Rust;

    /// The version of the state, part of its [`fingerprint`](Self::fingerprint): `#[state(version = 2)]` on the struct. Raise it when
    /// the types *inside* channels change and the old ones have to be [migrated](super::StateGraph::migrate).
    const VERSION: u32 = 0;

    /// The channels that are read back before a commit, since JSON may give back another value than it was given: those of types that
    /// are not [`JsonSafe`](super::JsonSafe).
    const READ_BACK: ChannelSet = ChannelSet::ALL;

    /// Folds one update into the state.
    fn fold(&mut self, update: Self::Update);

    /// Returns what the run took so far, such as tokens, for the event of its end.
    fn spent(&self) -> Option<serde_json::Value> {
        None
    }

    /// Returns an update as it is kept for the next time its node has the same input: without what making it took.
    fn for_cache(update: Self::Update) -> Self::Update {
        update
    }

    /// Resets the ephemeral channels; called before the writes of a superstep are folded.
    fn begin_step(&mut self) {}

    /// Adds a later update to an earlier one, so that folding the sum is folding both in turn: how a sub-graph hands back what it
    /// changed (D4).
    fn compose(&self, earlier: &mut Self::Update, later: Self::Update);

    /// Drops from an update what it writes to ephemeral channels, as [`begin_step`](Self::begin_step) does from a state.
    fn expire(&self, _: &mut Self::Update) {}
    /// Takes over what JSON does not hold. Called on a state that was just read, with the [prototype](super::StateGraph::prototype) of its
    /// graph; for states whose channels are declared in data and not in a type.
    fn adopt(&mut self, _prototype: &Self) {}

    /// The rule of the channel that checkpoints hold under this key, as in the table above; none when the state has no such channel. For
    /// states whose channels are declared in data, `prototype` is that of the graph.
    fn rule(_prototype: Option<&Self>, key: &str) -> Option<&'static str> {
        let mut channels = Self::CHANNELS.iter();
        channels
            .find(|channel| channel.name == key || channel.also.contains(&key))
            .map(|channel| channel.rule)
    }

    /// The channels of which only one write of this update can count: see [`Update::exclusive`].
    fn exclusive(&self, update: &Self::Update) -> ChannelSet {
        update.exclusive()
    }

    /// Drops the folded writes of this update to these channels: see [`Update::forget`].
    fn forget(&self, update: &mut Self::Update, channels: ChannelSet) {
        update.forget(channels);
    }

    /// The name of a channel.
    fn channel_name(&self, channel: usize) -> &str {
        Self::CHANNELS[channel].name
    }

    /// Why the state cannot be what a checkpoint holds. Asked after every fold, and after the branches that look at the state; the
    /// superstep then fails and nothing of it is committed (parity D10). A state of a type has its type for that.
    fn fault(&self) -> Option<String> {
        None
    }

    /// The [`fingerprint`](Self::fingerprint) of this state: of its own channels where they are declared in data.
    fn shape(&self) -> Digest {
        Self::fingerprint()
    }

    /// An empty update, to be filled by its setters.
    fn update() -> Self::Update {
        Self::Update::default()
    }

    /// Equal for states with the same channels, types and rules.
    fn fingerprint() -> Digest {
        let lines = Self::CHANNELS.iter().map(|c| format!("{}: {} ({})", c.name, c.kind, c.rule));
        let version = (Self::VERSION > 0).then(|| format!("version {}", Self::VERSION));
        let lines: Vec<String> = lines.chain(version).collect();
        Digest::of(&lines.join("\n"))
    }
}

/// A change of a state.
pub trait Update: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The channels written.
    fn written(&self) -> ChannelSet;

    /// The channels of which only one write can count in a superstep: last values and overwrites.
    fn exclusive(&self) -> ChannelSet;

    /// Forgets the folded writes to these channels, since a sibling overwrites them.
    fn forget(&mut self, channels: ChannelSet);
}

/// A channel, as declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// The name in checkpoints: the field's, unless serde says another.
    pub name: &'static str,
    /// Other names that a checkpoint may have it under (`#[serde(alias)]`).
    pub also: &'static [&'static str],
    /// The field's type, as written.
    pub kind: &'static str,
    /// The rule, as in the table at [`State`].
    pub rule: &'static str,
    /// Whether it is in checkpoints.
    pub kept: Kept,
}

/// How long a channel's value lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// In every checkpoint.
    Always,
    /// For one superstep.
    OneStep,
    /// In the run, never in a checkpoint.
    InRun,
}

/// A set of channels of one state, by index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelSet(u128);

impl ChannelSet {
    /// No channel.
    pub const EMPTY: Self = Self(0);

    /// Every channel.
    pub const ALL: Self = Self(u128::MAX);

    /// Adds a channel if `present`; for the derive.
    #[must_use]
    pub const fn with(self, channel: u32, present: Presence) -> Self {
        match present {
            Presence::Written => Self(self.0 | 1 << channel),
            Presence::Absent => self,
        }
    }

    /// Whether the channel is in the set.
    pub fn contains(self, channel: u32) -> bool {
        self.0 & 1 << channel != 0
    }

    /// In both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// In either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// In this one only.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The indexes in the set, in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..CHANNELS_MAX).filter(move |channel| self.0 >> channel & 1 == 1)
    }

    /// The lowest index in the set.
    pub fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }
}

/// Whether an update writes a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It does.
    Written,
    /// It does not.
    Absent,
}

impl Presence {
    /// Of a fact; for the derive.
    pub const fn when(written: bool) -> Self {
        if written { Self::Written } else { Self::Absent }
    }

    /// Of an optional write.
    pub fn of<T>(write: &Option<T>) -> Self {
        if write.is_some() { Self::Written } else { Self::Absent }
    }
}
