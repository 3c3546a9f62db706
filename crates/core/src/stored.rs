//! Reads checkpoints and task records of a thread into the types of a graph: states, planned tasks, task results. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::attempt::TaskOutput;
use super::checkpoint::{
    Checkpoint, PlannedTask, SubgraphState, TaskEntry, TaskRecord, last_end_records, open_question_records,
};
use super::contract::{CheckpointStore, Lineage};
use super::dispatch::DispatchItem;
use super::draft::{END, START};
use super::error::RunError;
use super::fold::{StepUpdates, fold_some};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Digest, Seq, TaskId, ThreadId};
use super::nearest;
use super::outcome::OpenQuestion;
use super::plan::{NodeIx, ReadyTask, ResolvedRoute};
use super::rebuild::state_of;
use super::run_state::RememberedState;
use super::state::State;
use super::store_error::StoreError;

/// A task of an unfinished superstep that has finished itself. Its update is folded already; its route is
/// still to be followed.
pub(crate) struct FinishedTask {
    /// Its index among the planned tasks.
    pub(crate) index: usize,
    pub(crate) route: Option<Box<ResolvedRoute>>,
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    pub(crate) fn store(&self) -> Result<&Arc<dyn CheckpointStore>, RunError> {
        self.store.as_ref().ok_or_else(|| RunError::NoStore { graph: self.name().to_owned() })
    }

    /// Loads the lineage of a thread's newest checkpoint, or of `seq`. Fails when there is none, and when the
    /// thread belongs to another graph.
    pub(crate) async fn load_lineage(
        &self,
        thread: &ThreadId,
        seq: Option<Seq>,
    ) -> Result<Lineage, RunError> {
        let store = self.store()?;
        let Some(lineage) = store.load(thread, seq).await? else {
            let exists = seq.is_some() && store.load(thread, None).await?.is_some();
            return Err(RunError::Store(match seq.filter(|_| exists) {
                Some(seq) => StoreError::NoCheckpoint { thread: thread.clone(), seq },
                None => StoreError::NoThread {
                    thread: thread.to_string(),
                    place: store.place(),
                    nearest: Vec::new(),
                },
            }));
        };
        let found = &lineage.tip().name;
        if **found != *self.name() {
            return Err(RunError::ForeignThread {
                thread: thread.clone(),
                found: found.as_ref().to_owned(),
                expected: self.name().to_owned(),
            });
        }
        Ok(lineage)
    }

    /// Returns the state at the last checkpoint of a lineage, in the present version of the state. `thread`
    /// is for errors.
    pub(crate) fn load_state(&self, lineage: &Lineage, thread: &ThreadId) -> Result<S, RunError> {
        state_of(lineage, &self.definition.state_reader).map_err(|error| RunError::StateMismatch {
            checkpoint: lineage.tip().id(thread),
            graph: self.name().to_owned(),
            detail: error.to_string(),
            authoring: S::AUTHORING,
        })
    }

    /// Converts the planned tasks of the checkpoint `seq` to tasks of this graph. Fails when the graph no
    /// longer has one of the nodes (D9).
    pub(crate) fn load_tasks(
        &self,
        tasks: &[PlannedTask],
        seq: Seq,
        thread: &ThreadId,
    ) -> Result<Vec<ReadyTask>, RunError> {
        let load = |task: &PlannedTask| {
            let node = self.node_named(&task.node, seq, thread)?;
            Ok(ReadyTask { node, item: task.item.clone().map(DispatchItem::from_json) })
        };
        tasks.iter().map(load).collect()
    }

    /// Returns the deferred nodes that wait at the checkpoint `tip`. Fails when the graph no longer has one
    /// of them.
    pub(crate) fn load_deferred(
        &self,
        tip: &Checkpoint,
        thread: &ThreadId,
    ) -> Result<BTreeSet<NodeIx>, RunError> {
        let names = tip.rare.iter().flat_map(|rare| &rare.deferred);
        names.map(|name| self.node_named(name, tip.seq, thread)).collect()
    }

    /// Returns the states with which sub-graphs that are kept per thread start their next call, by node.
    /// Nodes that the graph no longer has are left out.
    pub(crate) fn remembered_states(&self, lineage: &Lineage) -> BTreeMap<NodeIx, RememberedState> {
        let rare = lineage.chain.iter().filter_map(|checkpoint| checkpoint.rare.as_ref());
        let remembered = rare.flat_map(|rare| &rare.remembered);
        remembered
            .filter_map(|SubgraphState { node, state }| {
                let remembered = RememberedState { state: state.clone(), is_saved: true };
                Some((self.definition.resolve_name(node)?, remembered))
            })
            .collect()
    }

    /// Returns the node with the name, or earlier name, that the checkpoint `seq` has. Fails when the graph
    /// has none.
    fn node_named(&self, name: &str, seq: Seq, thread: &ThreadId) -> Result<NodeIx, RunError> {
        self.definition.resolve_name(name).ok_or_else(|| RunError::MissingNode {
            checkpoint: CheckpointId { thread: thread.clone(), seq },
            node: name.to_owned(),
            graph: self.name().to_owned(),
            nearest: nearest(name, self.definition.planner.names().iter().map(AsRef::as_ref)),
        })
    }

    /// Returns the error for a name that no node has, with the most similar name as a suggestion.
    pub(crate) fn unknown_node(&self, name: &str) -> RunError {
        let names = self.definition.planner.names().iter().map(AsRef::as_ref);
        RunError::UnknownNode {
            node: name.to_owned(),
            graph: self.name().to_owned(),
            nearest: nearest(name, names.chain([START, END])),
        }
    }

    /// Returns the result that a task left in an earlier run; `None` when its record is no [`TaskEntry::Finished`]. `schema` is that of the
    /// checkpoint that planned the task.
    pub(crate) fn stored_output(
        &self,
        task: TaskId,
        entry: &TaskEntry,
        thread: &ThreadId,
        schema: Digest,
    ) -> Result<Option<TaskOutput<S>>, RunError> {
        let TaskEntry::Finished { update, schema: own, goto, dispatch, edges, parent, remember } = entry
        else {
            return Ok(None);
        };
        let schema = own.unwrap_or(schema);
        let read = |raw: &RawValue| self.definition.state_reader.read_update(raw, schema);
        let update = update.as_deref().map(read).transpose();
        let update = update.map_err(|error| RunError::StateMismatch {
            checkpoint: CheckpointId { thread: thread.clone(), seq: task.base },
            graph: self.name().to_owned(),
            detail: format!("the update that task {task} left: {error}"),
            authoring: S::AUTHORING,
        })?;
        let target = |name: &Arc<str>| match name.as_ref() {
            END => Ok(None),
            name => self.node_named(name, task.base, thread).map(Some),
        };
        let route = ResolvedRoute {
            goto: goto.iter().flatten().map(target).collect::<Result<_, RunError>>()?,
            dispatch: self.load_tasks(dispatch, task.base, thread)?,
            edges: *edges,
            parent: parent.clone(),
            remember: remember.clone(),
        };
        Ok(Some(TaskOutput { update, route: route.or_none() }))
    }

    /// Folds the updates that finished tasks of an unfinished superstep left in `records` into the state, in
    /// task order. Returns these tasks. Returns none, and leaves the state unchanged, when the updates
    /// conflict or a reducer panics. `schema` is that of the checkpoint that planned the tasks.
    pub(crate) fn fold_finished(
        &self,
        state: &mut S,
        records: &[TaskRecord],
        thread: &ThreadId,
        schema: Digest,
    ) -> Result<Vec<FinishedTask>, RunError> {
        let (mut finished, mut updates) = (Vec::new(), StepUpdates::<S>::new());
        for (task, entry) in last_end_records(records) {
            let Some(TaskOutput { update, route }) = self.stored_output(task, entry, thread, schema)? else {
                continue;
            };
            let index = task.index as usize;
            updates.extend(update.map(|update| (index, update)));
            finished.push(FinishedTask { index, route });
        }
        if updates.is_empty() {
            return Ok(finished);
        }
        let mut folded = state.clone();
        // Updates that conflict, or make a reducer panic, count as not written: a resume reports the error and runs the tasks again.
        Ok(fold_some(&mut folded, updates).map_or_else(
            |_| Vec::new(),
            |()| {
                *state = folded;
                finished
            },
        ))
    }
}

/// Returns the name of a planned task's node; empty when the checkpoint plans no task with this index.
pub(crate) fn planned_node(tip: &Checkpoint, index: u32) -> String {
    tip.next.get(index as usize).map_or_else(String::new, |task| task.node.as_ref().to_owned())
}

/// Returns the open questions among the records of the tasks that the checkpoint `tip` plans.
pub(crate) fn open_questions_of(tip: &Checkpoint, records: &[TaskRecord]) -> Vec<OpenQuestion> {
    open_question_records(records)
        .into_iter()
        .map(|(id, asked)| OpenQuestion {
            id,
            node: planned_node(tip, id.task.index),
            payload: asked.question.clone(),
            schema: asked.schema.clone(),
        })
        .collect()
}
