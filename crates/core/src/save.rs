//! Writes the state that a run has reached as a checkpoint: encodes updates, hands the log a commit, waits for it. Folds and plans
//! nothing; see `run_loop.rs`.

use serde_json::value::RawValue;

use super::attempt::TaskOutput;
use super::checkpoint::{RareParts, Source, SubgraphState, Write};
use super::commit::{Commit, PlannedRef, WriteRef, encode_state};
use super::contract::Ack;
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::id::CheckpointId;
use super::plan::ReadyTask;
use super::run_log::Derivation;
use super::run_loop::RunLoop;
use super::run_state::Base;
use super::state::State;
use super::update_buffer::OneOrMany;

impl<S: State, D: Send + Sync + 'static> RunLoop<S, D> {
    /// Moves the base to the next checkpoint after a fold, and writes that checkpoint, unless
    /// [`Durability::Exit`](super::task_log::Durability::Exit) leaves it to the end of the run. Returns the
    /// acknowledgement to wait for.
    pub(super) fn advance_base(&mut self) -> Result<Ack, RunError> {
        if !self.log.is_on() {
            return Ok(Ack::Done);
        }
        let writes_steps = self.log.writes_steps();
        // With `Durability::Exit` the steps that are not written share one sequence number: that of the checkpoint at the end.
        if writes_steps || self.state.base.is_saved {
            self.state.base = self.state.base.successor(self.state.base.source);
        }
        if !writes_steps {
            self.config.log.drop_held_back();
            return Ok(Ack::Done);
        }
        self.write_base(None)
    }

    /// Writes the base as a checkpoint and waits until it is durable. `writes` are its updates: those from
    /// outside, not those of a superstep.
    pub(crate) async fn save(&mut self, writes: &[Write]) -> Result<(), RunError> {
        let writes: Vec<WriteRef<'_>> = writes.iter().map(WriteRef::from).collect();
        if let Ack::Pending(ack) = self.write_base(Some(&writes))? {
            ack.await?;
            self.mark_saved();
        }
        Ok(())
    }

    /// Writes the base as a checkpoint. Its updates are `outside`, or those of the superstep when that is
    /// `None`. The base is marked as saved when the acknowledgement is [`Ack::Done`].
    fn write_base(&mut self, outside: Option<&[WriteRef<'_>]>) -> Result<Ack, RunError> {
        let ack = self.commit_base(outside)?;
        if matches!(ack, Ack::Done) {
            self.mark_saved();
        }
        Ok(ack)
    }

    fn commit_base(&mut self, outside: Option<&[WriteRef<'_>]>) -> Result<Ack, RunError> {
        let (graph, base) = (&self.graph.definition, &self.state.base);
        let updates = match outside {
            Some(_) => OneOrMany::Many(Vec::new()),
            None => self.updates.write_refs(|node| &graph.node(node).name),
        };
        let writes = outside.unwrap_or(&updates);
        let bytes = writes.iter().map(|write| write.update.as_bytes().len()).sum();
        let derivation = match base.source {
            Source::Loop => Derivation::ByWrites,
            // A thread that goes on with an input: the state differs by the input alone.
            Source::Input if !writes.is_empty() => Derivation::ByWrites,
            Source::Input | Source::Update | Source::Fork => Derivation::Otherwise,
        };
        let is_whole = self.log.wants_snapshot(derivation, bytes);
        let snapshot = if is_whole { Some(encode_state(&*self.state.values)?) } else { None };
        let items = self.encode_items()?;
        let mut items = items.iter();
        let planned = |task: &ReadyTask| PlannedRef {
            node: &graph.node(task.node).name,
            item: task.item.as_ref().and_then(|_| items.next()).map(AsRef::as_ref),
        };
        let next = OneOrMany::of(&self.state.next, planned);
        let rare = self.rare(is_whole);
        let ack = self.log.commit(&Commit {
            seq: base.seq,
            parent: base.parent,
            step: base.step,
            source: base.source,
            at_ms: self.graph.clock.now_ms(),
            origin: &self.config.origin,
            writes,
            snapshot: snapshot.as_deref(),
            next: &next,
            joins: &graph.planner.join_progress(&self.state.arrivals),
            rare: rare.as_deref(),
        })?;
        Ok(ack)
    }

    /// Returns the fields of the checkpoint that few checkpoints need; `None` when all are empty. With a
    /// snapshot all remembered states of sub-graphs are among them, because readers look no further back than
    /// the snapshot.
    fn rare(&self, is_whole: bool) -> Option<Box<RareParts>> {
        let (graph, state) = (&self.graph.definition, &self.state);
        // Only an update from outside leaves records of tasks that an unsaved checkpoint plans.
        let carries = !state.base.is_saved && !state.records.is_empty();
        let has_deferred = state.arrivals.has_deferred();
        if state.remembered.is_empty() && state.leaves_to.is_empty() && !has_deferred && !carries {
            return None;
        }
        let remembered = state.remembered.iter().filter(|(_, remembered)| is_whole || !remembered.is_saved);
        let remembered = remembered.map(|(node, remembered)| SubgraphState {
            node: graph.node(*node).name.clone(),
            state: remembered.state.clone(),
        });
        let rare = RareParts {
            deferred: graph.planner.deferred_names(&state.arrivals),
            leaves_to: state.leaves_to.clone(),
            remembered: remembered.collect(),
            carried: if carries { state.records.clone() } else { Vec::new() },
            snapshot_schema: None,
        };
        rare.or_none()
    }

    /// Returns the items of the planned tasks that have one, as JSON.
    fn encode_items(&self) -> Result<Vec<Box<RawValue>>, RunError> {
        // Without this line, collecting into a result costs time even without items.
        if self.state.next.iter().all(|task| task.item.is_none()) {
            return Ok(Vec::new());
        }
        let items = self.state.next.iter().filter_map(|task| Some((task.node, task.item.as_ref()?)));
        items.map(|(node, item)| item.encode(&self.graph.definition.node(node).name)).collect()
    }

    /// Marks the base and the remembered states as saved, and sends subscribers the event of the checkpoint.
    pub(super) fn mark_saved(&mut self) {
        self.state.base.is_saved = true;
        for remembered in self.state.remembered.values_mut() {
            remembered.is_saved = true;
        }
        if self.config.events.is_some() {
            let Base { seq, parent, source, .. } = self.state.base;
            let next = || self.names_of(&self.state.next);
            if !self.config.namespace().is_root() {
                // Not `thread@seq`: that would name another checkpoint, one of the outermost graph.
                self.tell(EventKinds::CHECKPOINTS, || EventKind::InnerCheckpoint {
                    checkpoint: seq,
                    parent,
                    source,
                    next: next(),
                });
                return;
            }
            let thread = self.config.thread().expect("a run that is saved has a thread");
            let id = |seq| CheckpointId { thread: thread.clone(), seq };
            self.tell(EventKinds::CHECKPOINTS, || EventKind::Checkpoint {
                checkpoint: id(seq),
                parent: parent.map(id),
                source,
                next: next(),
            });
        }
    }

    /// Encodes the updates of the tasks in `next` into the buffer from which their checkpoint is written.
    /// Does nothing where supersteps are not written.
    pub(super) fn encode_updates(&mut self, outputs: &[TaskOutput<S>]) -> Result<(), RunError> {
        if !self.log.writes_steps() {
            return Ok(());
        }
        self.updates.clear();
        for (task, output) in self.state.next.iter().zip(outputs) {
            let Some(update) = &output.update else { continue };
            self.updates.push::<S>(task.node, update).map_err(|error| RunError::Encoding {
                what: format!("the update of `{}`", self.graph.definition.node(task.node).name),
                detail: error.to_string(),
            })?;
        }
        Ok(())
    }
}
