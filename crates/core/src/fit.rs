//! Compares a thread with a newer version of its graph before the thread is resumed. Reads the thread; writes and runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, TaskEntry, open_questions};
use super::contract::Lineage;
use super::draft::END;
use super::error::RunError;
use super::graph::CompiledGraph;
use super::id::{CheckpointId, ThreadId};
use super::migrate::is_replaced;
use super::state::State;

/// The result of comparing a graph with a thread before a resume. [`CompiledGraph::fit`] makes it.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let store = Arc::new(MemoryStore::new());
/// let (graph, thread) = (counter().compile()?.with_store(store.clone()), ThreadId::new("t")?);
/// graph.run(Count::default()).thread(thread.clone()).step_limit(1).await.err().ok_or("it stops in the middle")?;
/// assert!(graph.fit(&thread).await?.can_resume());
/// let renamed = StateGraph::<Count>::new("count").node("plus", async |_: &Count| {}).sequence([START, "plus", END]);
/// assert!(!renamed.compile()?.with_store(store).fit(&thread).await?.can_resume());
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ThreadFit {
    /// The newest checkpoint of the thread.
    pub checkpoint: CheckpointId,
    /// The nodes that would run next, by their names in the thread.
    pub next: Vec<String>,
    /// Number of open questions.
    pub questions: usize,
    /// The differences.
    pub findings: Vec<Misfit>,
}

/// A difference between a thread and the graph that is to continue it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "difference", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Misfit {
    /// The thread belongs to a graph with another name.
    OtherGraph {
        /// The name of that graph.
        found: String,
    },
    /// The graph has other nodes or edges than the version that wrote the newest checkpoint.
    OtherShape,
    /// A node that would run next, or that a finished task leads to, is not in the graph.
    MissingNode {
        /// The node.
        node: String,
    },
    /// A node has another name now.
    RenamedNode {
        /// The name in the thread.
        from: String,
        /// The name in the graph.
        to: String,
    },
    /// The state is migrated from one version to another.
    Migration {
        /// The type of the older version.
        from: String,
        /// The type of the newer version.
        to: String,
    },
    /// A channel of the thread is no longer in the state. Its value is left out.
    RemovedChannel {
        /// The channel.
        channel: String,
    },
    /// A channel of the state is not in the thread. It starts with its default.
    NewChannel {
        /// The channel.
        channel: String,
    },
    /// The value of a channel does not match its present type.
    ChangedChannel {
        /// The channel.
        channel: String,
        /// The mismatch.
        reason: String,
    },
    /// The stored state does not match the state's type, and no single channel is the reason.
    UnreadableState {
        /// The mismatch.
        reason: String,
    },
}

impl Misfit {
    /// Returns true when the graph refuses to continue the thread because of this difference.
    pub fn is_refused(&self) -> bool {
        match self {
            Self::OtherGraph { .. }
            | Self::MissingNode { .. }
            | Self::ChangedChannel { .. }
            | Self::UnreadableState { .. } => true,
            Self::OtherShape
            | Self::RenamedNode { .. }
            | Self::Migration { .. }
            | Self::RemovedChannel { .. }
            | Self::NewChannel { .. } => false,
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherGraph { found } => write!(f, "the thread belongs to the graph `{found}`"),
            Self::OtherShape => {
                f.write_str("the graph has other nodes or edges than when the thread stopped")
            }
            Self::MissingNode { node } => {
                write!(f, "`{node}` would run next, and the graph has no such node")
            }
            Self::RenamedNode { from, to } => write!(f, "`{from}` is called `{to}` now"),
            Self::Migration { from, to } => write!(f, "the state is migrated from `{from}` to `{to}`"),
            Self::RemovedChannel { channel } => {
                write!(f, "the channel `{channel}` is gone: its value is left out")
            }
            Self::NewChannel { channel } => {
                write!(f, "the channel `{channel}` is new: it begins with its default")
            }
            Self::ChangedChannel { channel, reason } => {
                write!(f, "the channel `{channel}` cannot be read: {reason}")
            }
            Self::UnreadableState { reason } => write!(f, "the state cannot be read: {reason}"),
        }
    }
}

impl ThreadFit {
    /// Returns true when a resume would continue the thread.
    pub fn can_resume(&self) -> bool {
        !self.findings.iter().any(Misfit::is_refused)
    }
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Compares the graph with a thread and lists everything that a resume would meet. Claims nothing, so the thread may be running.
    pub async fn fit(&self, thread: &ThreadId) -> Result<ThreadFit, RunError> {
        let (lineage, foreign) = match self.load_lineage(thread, None).await {
            Ok(lineage) => (lineage, None),
            Err(RunError::ForeignThread { found, .. }) => {
                let lineage = self.store()?.load(thread, None).await?;
                (lineage.expect("it was just loaded"), Some(Misfit::OtherGraph { found }))
            }
            Err(error) => return Err(error),
        };
        let tip = lineage.tip();
        let mut findings: Vec<Misfit> = foreign.into_iter().collect();
        if tip.graph != self.definition.digest {
            findings.push(Misfit::OtherShape);
        }
        findings.extend(self.find_node_differences(&lineage));
        findings.extend(self.find_channel_differences(&lineage, thread));
        Ok(ThreadFit {
            checkpoint: tip.id(thread),
            next: tip.next.iter().map(|task| task.node.as_ref().to_owned()).collect(),
            questions: open_questions(&lineage.tasks).len(),
            findings,
        })
    }

    /// Returns a finding for each node that the thread names and the graph has under another name or not at
    /// all.
    fn find_node_differences(&self, lineage: &Lineage) -> Vec<Misfit> {
        let tip = lineage.tip();
        let mut names: BTreeSet<&str> = tip.next.iter().map(|task| task.node.as_ref()).collect();
        names.extend(tip.rare.iter().flat_map(|rare| &rare.deferred).map(AsRef::as_ref));
        for record in &lineage.tasks {
            if let TaskEntry::Finished { goto, dispatch, .. } = &record.entry {
                names.extend(goto.iter().flatten().map(AsRef::as_ref).filter(|name| *name != END));
                names.extend(dispatch.iter().map(|task| task.node.as_ref()));
            }
        }
        let planner = &self.definition.planner;
        let unknown = names.into_iter().filter(|name| planner.node(name).is_none());
        let misfit = |from: &str| match self.definition.resolve_name(from) {
            Some(node) => Misfit::RenamedNode {
                from: from.to_owned(),
                to: self.definition.node(node).name.as_ref().to_owned(),
            },
            None => Misfit::MissingNode { node: from.to_owned() },
        };
        unknown.map(misfit).collect()
    }

    /// Returns a finding for each channel that was added, removed or changed, and for each migration step.
    fn find_channel_differences(&self, lineage: &Lineage, thread: &ThreadId) -> Vec<Misfit> {
        let reading = &self.definition.state_reader;
        let first = lineage.chain.first().map(AsRef::as_ref);
        let schema = first.map_or(self.definition.schema, Checkpoint::snapshot_schema);
        let mut found: Vec<Misfit> = Vec::new();
        for (from, to) in reading.steps_from(schema) {
            found.push(Misfit::Migration { from: from.to_owned(), to: to.to_owned() });
        }
        let snapshot = first.and_then(|first| first.snapshot.as_deref());
        let stored: BTreeMap<String, &RawValue> =
            snapshot.and_then(|text| serde_json::from_str(text.get()).ok()).unwrap_or_default();
        // Not with migrations, because the stored channels are then those of another type.
        if found.is_empty() {
            found.extend(self.find_added_and_removed(&stored));
        }
        let read = self.load_state(lineage, thread).and_then(|mut state| {
            self.fold_finished(&mut state, &lineage.tasks, thread, lineage.tip().schema).map(drop)
        });
        match read {
            Ok(()) | Err(RunError::MissingNode { .. }) => {}
            Err(error) => found.extend(self.find_changed(&stored, &error)),
        }
        found
    }

    /// Returns a finding for each channel that only the thread or only the state has. `stored` is the
    /// snapshot by channel.
    fn find_added_and_removed(&self, stored: &BTreeMap<String, &RawValue>) -> Vec<Misfit> {
        let prototype = self.definition.state_reader.prototype.as_ref();
        let gone = stored.keys().filter(|name| S::rule(prototype, name).is_none() && !S::is_record(name));
        let gone = gone.map(|channel| Misfit::RemovedChannel { channel: channel.clone() });
        let mut found: Vec<Misfit> = gone.collect();
        let declared: Vec<(String, Vec<&str>)> = if let Some(prototype) = prototype {
            let whole = serde_json::to_value(prototype).unwrap_or_default();
            let names = whole.as_object().into_iter().flat_map(|whole| whole.keys().cloned());
            names.filter(|name| !S::is_record(name)).map(|name| (name, Vec::new())).collect()
        } else {
            let kept =
                S::CHANNELS.iter().filter(|channel| channel.lifetime != super::state::ChannelLifetime::InRun);
            kept.map(|channel| (channel.name.to_owned(), channel.aliases.to_vec())).collect()
        };
        let is_stored = |name: &String, aliases: &[&str]| {
            stored.contains_key(name) || aliases.iter().any(|name| stored.contains_key(*name))
        };
        let new = declared.into_iter().filter(|(name, aliases)| !is_stored(name, aliases));
        found.extend(new.map(|(channel, _)| Misfit::NewChannel { channel }));
        found
    }

    /// Returns a finding for each channel whose stored value does not match its type. When no single channel
    /// is the reason, returns one finding with `error`, with which reading the state failed.
    fn find_changed(&self, stored: &BTreeMap<String, &RawValue>, error: &RunError) -> Vec<Misfit> {
        let prototype = self.definition.state_reader.prototype.as_ref();
        let mut found = Vec::new();
        for (channel, value) in stored {
            let Some(rule) = S::rule(prototype, channel) else { continue };
            let Ok(value) = serde_json::from_str::<Value>(value.get()) else { continue };
            // Written as an overwrite, because that reads the channel alone and without its reducer.
            let write = if is_replaced(rule) { value } else { serde_json::json!({ "=": value }) };
            let alone = Value::Object([(channel.clone(), write)].into_iter().collect());
            let reason = match serde_json::from_value::<S::Update>(alone) {
                Err(error) => Some(error.to_string()),
                Ok(update) => prototype.and_then(|state| {
                    let mut state = state.clone();
                    state.fold(update);
                    state.fault()
                }),
            };
            found.extend(reason.map(|reason| Misfit::ChangedChannel { channel: channel.clone(), reason }));
        }
        if found.is_empty() {
            let reason = match error {
                RunError::StateMismatch { detail, .. } => detail.clone(),
                error => error.to_string(),
            };
            found.push(Misfit::UnreadableState { reason });
        }
        found
    }
}
