//! Makes the state that a driver has reached a checkpoint: notes what was written, hands the recorder a commit, waits for it. Folds
//! nothing, plans nothing; see `drive.rs`.

use serde_json::value::RawValue;

use super::checkpoint::{Rare, Remembered, Source};
use super::commit::{Commit, PlannedRef, WriteRef, encode_state};
use super::contract::Ack;
use super::drive::{Base, Driver, Saved};
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::id::CheckpointId;
use super::plan::{NodeIx, Planned};
use super::recorder::Follows;
use super::state::State;
use super::written::OneOrMany;

impl<S: State, D: Send + Sync + 'static> Driver<S, D> {
    /// Makes the state just folded the base of what runs next.
    pub(super) fn advance_base(&mut self) -> Result<Ack, RunError> {
        if !self.recorder.is_on() {
            return Ok(Ack::Done);
        }
        if !self.recorder.writes_steps() {
            self.shared.held.lock().expect("no holder panics").clear();
            if self.saved == Saved::Yes {
                self.base = Base { parent: Some(self.base.seq), seq: self.base.seq.next(), ..self.base };
            }
            self.saved = Saved::No;
            return Ok(Ack::Done);
        }
        self.base = Base { parent: Some(self.base.seq), seq: self.base.seq.next(), ..self.base };
        self.saved = Saved::No;
        self.write_base(None)
    }

    /// Writes the base as a checkpoint, and waits for it.
    pub(crate) async fn save(&mut self, writes: &[WriteRef<'_>]) -> Result<(), RunError> {
        let written = self.write_base(Some(writes))?;
        self.acknowledged(written).await
    }

    /// Waits for a checkpoint, if there is anything to wait for.
    pub(super) async fn acknowledged(&mut self, ack: Ack) -> Result<(), RunError> {
        let Ack::Pending(ack) = ack else { return Ok(()) };
        ack.await?;
        self.base_is_saved();
        Ok(())
    }

    /// Writes the base as a checkpoint, with writes from outside or those of the superstep. An [`Ack::Done`] says that it is saved.
    fn write_base(&mut self, outside: Option<&[WriteRef<'_>]>) -> Result<Ack, RunError> {
        let ack = self.commit_base(outside)?;
        if matches!(ack, Ack::Done) {
            self.base_is_saved();
        }
        Ok(ack)
    }

    fn commit_base(&mut self, outside: Option<&[WriteRef<'_>]>) -> Result<Ack, RunError> {
        let inner = &self.graph.inner;
        let noted = match outside {
            Some(_) => OneOrMany::Many(Vec::new()),
            None => self.written.refs(|node| &inner.node(node).name),
        };
        let writes = outside.unwrap_or(&noted);
        let written = writes.iter().map(|write| write.update.as_bytes().len()).sum();
        let follows = match self.base.source {
            Source::Loop => Follows::ByWrites,
            // A thread that goes on with an input: the input is all that is new.
            Source::Input if !writes.is_empty() => Follows::ByWrites,
            Source::Input | Source::Update | Source::Fork => Follows::Otherwise,
        };
        let whole = self.recorder.wants_snapshot(follows, written);
        let snapshot = if whole { Some(encode_state(self.state.as_ref())?) } else { None };
        let items = self.items()?;
        let mut items = items.iter();
        let planned = |task: &Planned| PlannedRef {
            node: &inner.node(task.node).name,
            item: task.item.as_ref().and_then(|_| items.next()).map(AsRef::as_ref),
        };
        let next = OneOrMany::of(&self.next, planned);
        let rare = self.rare(whole);
        let ack = self.recorder.commit(&Commit {
            seq: self.base.seq,
            parent: self.base.parent,
            step: self.base.step,
            source: self.base.source,
            at_ms: self.graph.clock.now_ms(),
            origin: &self.origin,
            writes,
            snapshot: snapshot.as_deref(),
            next: &next,
            joins: &inner.planner.progress(&self.arrivals),
            rare: rare.as_deref(),
        })?;
        Ok(ack)
    }

    fn rare(&self, whole: bool) -> Option<Box<Rare>> {
        // Records of tasks that an unsaved checkpoint plans are those that an update from outside carried over.
        let carries = self.saved == Saved::No && !self.records.is_empty();
        if self.remembered.is_empty() && self.leaves_to.is_empty() && !self.arrivals.holds_back() && !carries
        {
            return None;
        }
        let remembered = self.remembered.iter().filter(|(node, _)| whole || self.ended_inside.contains(node));
        let remembered = remembered.map(|(node, state)| {
            let node = self.graph.inner.node(*node).name.clone();
            Remembered { node, state: state.clone() }
        });
        let rare = Rare {
            deferred: self.graph.inner.planner.held_back(&self.arrivals),
            leaves_to: self.leaves_to.clone(),
            remembered: remembered.collect(),
            carried: if carries { self.records.clone() } else { Vec::new() },
            snapshot_schema: None,
        };
        rare.or_none()
    }

    /// The items of the planned tasks that have one, as JSON.
    fn items(&self) -> Result<Vec<Box<RawValue>>, RunError> {
        // What collects into a result costs even where there is nothing.
        if self.next.iter().all(|task| task.item.is_none()) {
            return Ok(Vec::new());
        }
        let dispatched = self.next.iter().filter_map(|task| Some((task.node, task.item.as_ref()?)));
        dispatched.map(|(node, item)| item.encoded(&self.graph.inner.node(node).name)).collect()
    }

    pub(super) fn base_is_saved(&mut self) {
        self.saved = Saved::Yes;
        if !self.ended_inside.is_empty() {
            self.ended_inside.clear();
        }
        if self.shared.events.is_some() {
            let thread = self.shared.thread.clone().expect("a run that is saved has a thread");
            let id = |seq| CheckpointId { thread: thread.clone(), seq };
            self.tell(EventKinds::CHECKPOINTS, || EventKind::Checkpoint {
                checkpoint: id(self.base.seq),
                parent: self.base.parent.map(id),
                source: self.base.source,
                next: self.names_of(&self.next),
            });
        }
    }

    /// Notes what goes into the checkpoint of this superstep.
    pub(super) fn note_writes<'a>(
        &mut self,
        updates: impl IntoIterator<Item = (NodeIx, Option<&'a S::Update>)>,
    ) -> Result<(), RunError> {
        if !self.recorder.writes_steps() {
            return Ok(());
        }
        self.written.clear();
        for (node, update) in updates {
            let Some(update) = update else { continue };
            self.written.push::<S>(node, update).map_err(|error| RunError::Encoding {
                what: format!("the update of `{}`", self.graph.inner.node(node).name),
                detail: error.to_string(),
            })?;
        }
        Ok(())
    }
}
