//! Writes to threads from outside of runs: updates in the name of a node, supersteps by hand, forks, copies, commands. Runs no node.

use std::sync::Arc;

use super::checkpoint::{Source, TaskEntry, TaskRecord, Write};
use super::command::{Command, Route};
use super::commit::encode_update;
use super::contract::ThreadWriter;
use super::dispatch::Dispatch;
use super::draft::{END, START};
use super::error::RunError;
use super::fold::{FoldError, fold_step, fold_update, reject_fault};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Seq, TaskId, ThreadId};
use super::plan::{NodeIx, ReadyTask, ResolvedRoute};
use super::run_config::RunOptions;
use super::run_loop::RunLoop;
use super::run_state::{RememberedState, RunState};
use super::start::StartPoint;
use super::state::State;
use super::stored::FinishedTask;

/// The author of an update from outside (LangGraph F47).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// graph.run(Count::default()).thread(thread.clone()).await?;
/// graph.update(&thread, Count::update().n(1), WriteAs::LastWriter).await?;
/// assert_eq!(graph.resume(&thread).await?.state.n, 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteAs<'a> {
    /// No node: the planned tasks stay planned.
    Nobody,
    /// This node: its successors run next, besides the tasks that are planned already. As `START` the graph starts over, as `END`
    /// nothing is left to run.
    Node(&'a str),
    /// The node that wrote last; an error when several did.
    LastWriter,
}

impl<'a> From<Option<&'a str>> for WriteAs<'a> {
    fn from(node: Option<&'a str>) -> Self {
        node.map_or(Self::Nobody, Self::Node)
    }
}

/// One update of a superstep that is written from outside, with the node that counts as its author.
pub struct NodeUpdate<S: State> {
    /// The name of the node that counts as the author.
    pub node: String,
    /// The update of that node.
    pub update: S::Update,
}

impl<S: State> NodeUpdate<S> {
    /// Makes a write in the name of this node.
    pub fn new(node: impl Into<String>, update: S::Update) -> Self {
        Self { node: node.into(), update }
    }
}

/// The author of an update from outside, with its name resolved to node indexes.
enum UpdateAuthor {
    Nobody,
    Start,
    End,
    Nodes(Vec<NodeIx>),
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Writes to the state of a thread from outside (LangGraph F47), in the name of a node or of none.
    ///
    /// The updates of tasks that finished in the superstep under way are kept, and their successors planned. A task that stays planned keeps
    /// its records: its open questions (under new ids, as the task belongs to another checkpoint now), their answers, and the results of
    /// [`once`](super::Cx::once). A thread that stands at a breakpoint has passed it.
    pub async fn update<'a>(
        &self,
        thread: &ThreadId,
        update: S::Update,
        as_node: impl Into<WriteAs<'a>>,
    ) -> Result<CheckpointId, RunError> {
        let writer = self.store()?.claim(thread).await?;
        let start = self.start_from_thread(thread, None, writer.head()).await?;
        let last_writer;
        let name = match as_node.into() {
            WriteAs::Nobody => None,
            WriteAs::Node(name) => Some(name),
            WriteAs::LastWriter => {
                last_writer = self.find_last_writer(thread).await?;
                Some(last_writer.as_str())
            }
        };
        let author = name.map_or(Ok(UpdateAuthor::Nobody), |name| self.resolve_author(name))?;
        let updates = vec![(name.unwrap_or(START).to_owned(), update)];
        self.write(thread, writer, start, &author, updates).await
    }

    /// Writes several supersteps by hand (LangGraph F48): each a list of writes, folded as if their nodes had run in one superstep.
    /// Writes nothing when a name is unknown; ends at the first superstep whose writes conflict. Returns the last checkpoint.
    pub async fn bulk_update(
        &self,
        thread: &ThreadId,
        steps: Vec<Vec<NodeUpdate<S>>>,
    ) -> Result<CheckpointId, RunError> {
        let writer = self.store()?.claim(thread).await?;
        let mut authors = Vec::new();
        for step in &steps {
            let nodes = step.iter().map(|write| {
                let node = self.definition.planner.node(&write.node);
                node.ok_or_else(|| self.unknown_node(&write.node))
            });
            authors.push(UpdateAuthor::Nodes(nodes.collect::<Result<_, _>>()?));
        }
        let start = self.start_from_thread(thread, None, writer.head()).await?;
        let mut newest = CheckpointId { thread: thread.clone(), seq: start.state.base.seq };
        for (author, step) in authors.iter().zip(steps) {
            let mut start = self.start_from_thread(thread, None, writer.head()).await?;
            start.state.base.step += 1;
            let updates = step.into_iter().map(|write| (write.node, write.update)).collect();
            newest = self.write(thread, writer.clone(), start, author, updates).await?;
        }
        Ok(newest)
    }

    /// Writes a new checkpoint that continues this one and becomes the newest of its thread, and runs nothing (F49). The records of the
    /// tasks after it (answers, journaled calls, finished siblings) do not count for the fork: its questions are asked again. The old
    /// checkpoints stay in the history.
    pub async fn fork(&self, checkpoint: &CheckpointId) -> Result<CheckpointId, RunError> {
        self.fork_with(checkpoint, S::Update::default()).await
    }

    /// Forks a checkpoint like [`fork`](Self::fork), with an update of its state in the name of no node: the tasks that the checkpoint
    /// planned stay planned, and see the new state. Fork and update are one checkpoint.
    pub async fn fork_with(
        &self,
        checkpoint: &CheckpointId,
        update: S::Update,
    ) -> Result<CheckpointId, RunError> {
        let thread = &checkpoint.thread;
        let writer = self.store()?.claim(thread).await?;
        let mut start = self.start_from_thread(thread, Some(checkpoint.seq), writer.head()).await?;
        // An older checkpoint has been forked already.
        if start.state.base.is_saved {
            start = start.fork_after(checkpoint.seq);
        }
        fold_update(Arc::make_mut(&mut start.state.values), update, None)
            .map_err(|panic| panic.into_error(START))?;
        reject_fault(&*start.state.values).map_err(RunError::of_outside_write)?;
        // No writes are stored: a fork has a snapshot, which holds the update already.
        self.save_alone(thread, writer, start, Vec::new()).await
    }

    /// Copies a thread with its history under a new id, which must not exist.
    pub async fn copy(&self, from: &ThreadId, to: &ThreadId) -> Result<(), RunError> {
        self.load_lineage(from, None).await?;
        Ok(self.store()?.copy(from, to).await?)
    }

    /// Folds updates into the start state, plans the tasks that follow their author, and saves the result as
    /// the newest checkpoint. Each update has the name of its writer.
    async fn write(
        &self,
        thread: &ThreadId,
        writer: Arc<dyn ThreadWriter>,
        mut start: StartPoint<S>,
        author: &UpdateAuthor,
        updates: Vec<(String, S::Update)>,
    ) -> Result<CheckpointId, RunError> {
        let encoded = updates.iter().map(|(node, update)| {
            Ok(Write { node: node.as_str().into(), update: encode_update::<S>("the update", update)? })
        });
        let encoded = encoded.collect::<Result<Vec<Write>, RunError>>()?;
        let finished = self.fold_finished_tasks(&mut start.state, thread)?;
        // A fault that is there already is not one of the updates from outside.
        reject_fault(&*start.state.values)?;
        fold_updates(&mut start.state, author, updates)?;
        let kept = self.plan_after(&finished, author, &mut start.state)?;
        reject_fault(&*start.state.values).map_err(RunError::of_outside_write)?;
        self.save_alone(thread, writer, start.rebase(&kept), encoded).await
    }

    /// Folds the updates of tasks that finished in an unfinished superstep, and removes their records.
    /// Returns these tasks.
    fn fold_finished_tasks(
        &self,
        state: &mut RunState<S>,
        thread: &ThreadId,
    ) -> Result<Vec<FinishedTask>, RunError> {
        let RunState { values, records, base, next, remembered, .. } = state;
        let finished = self.fold_finished(Arc::make_mut(values), records, thread, base.schema)?;
        records.retain(|record| finished.iter().all(|task| task.index != record.task.index as usize));
        for task in &finished {
            if let Some(state) = task.route.as_ref().and_then(|route| route.remember.clone()) {
                remembered.insert(next[task.index].node, RememberedState { state, is_saved: false });
            }
        }
        Ok(finished)
    }

    /// Returns the name of the node that wrote the newest checkpoint, looking through forks. Fails when none
    /// or several did.
    async fn find_last_writer(&self, thread: &ThreadId) -> Result<String, RunError> {
        let mut at: Option<Seq> = None;
        let candidates = loop {
            let lineage = self.load_lineage(thread, at).await?;
            let tip = lineage.tip();
            let names = match (tip.source, tip.parent) {
                (Source::Update, _) => tip.writes.iter().map(|write| write.node.clone()).collect(),
                // A fork repeats its parent.
                (Source::Fork, Some(parent)) => {
                    at = Some(parent);
                    continue;
                }
                (Source::Loop, Some(parent)) => {
                    let before = self.load_lineage(thread, Some(parent)).await?;
                    before.tip().next.iter().map(|task| task.node.clone()).collect()
                }
                (Source::Input, _) => vec![START.into()],
                (_, None) => Vec::new(),
            };
            break names;
        };
        let mut names: Vec<String> = candidates.iter().map(|name| name.as_ref().to_owned()).collect();
        names.sort();
        names.dedup();
        match names.as_slice() {
            [one] => Ok(one.clone()),
            _ => Err(RunError::AmbiguousWriter { thread: thread.clone(), candidates: names }),
        }
    }

    fn resolve_author(&self, name: &str) -> Result<UpdateAuthor, RunError> {
        match name {
            START => Ok(UpdateAuthor::Start),
            END => Ok(UpdateAuthor::End),
            name => {
                let node = self.definition.planner.node(name).ok_or_else(|| self.unknown_node(name))?;
                Ok(UpdateAuthor::Nodes(vec![node]))
            }
        }
    }

    /// Sets `state.next` to the successors of the finished tasks and of the author of an update, and the
    /// planned tasks that have not finished. Returns, by old index, the tasks that stay planned; `None` for
    /// the others.
    fn plan_after(
        &self,
        finished: &[FinishedTask],
        author: &UpdateAuthor,
        state: &mut RunState<S>,
    ) -> Result<Vec<Option<ReadyTask>>, RunError> {
        let planner = &self.definition.planner;
        let RunState { values, next, arrivals, .. } = state;
        let decisions = self.definition.decisions_on(&**values);
        let authors: &[NodeIx] = match author {
            UpdateAuthor::End => {
                *arrivals = planner.no_arrivals();
                next.clear();
                return Ok(Vec::new());
            }
            UpdateAuthor::Start => {
                *next = planner.plan_start(&decisions, arrivals);
                decisions.into_result()?;
                return Ok(Vec::new());
            }
            UpdateAuthor::Nodes(nodes) => nodes,
            UpdateAuthor::Nobody => &[],
        };
        let is_written = |task: &ReadyTask| task.item.is_none() && authors.contains(&task.node);
        let mut ended: Vec<(NodeIx, Option<&ResolvedRoute>)> =
            finished.iter().map(|task| (next[task.index].node, task.route.as_deref())).collect();
        let by_hand = next.iter().filter(|task| is_written(task)).map(|task| task.node);
        let ran: Vec<NodeIx> = ended.iter().map(|(node, _)| *node).chain(by_hand).collect();
        planner.reset_joins(&ran.into_iter(), arrivals);
        ended.extend(authors.iter().map(|node| (*node, None)));
        let mut successors = planner.successors(ended, &decisions, arrivals);
        decisions.into_result()?;
        let is_done = |index: usize, task: &ReadyTask| {
            finished.iter().any(|task| task.index == index) || is_written(task)
        };
        let before = std::mem::take(next).into_iter().enumerate();
        let kept: Vec<_> = before.map(|(index, task)| (!is_done(index, &task)).then_some(task)).collect();
        successors.add(kept.iter().flatten().cloned());
        *next = planner.schedule(successors, arrivals);
        Ok(kept)
    }

    /// Applies a command from outside to a start point (LangGraph F24): folds its update in the name of no
    /// node. If it has a route, only the targets of the route run next.
    pub(crate) fn apply_command(
        &self,
        mut start: StartPoint<S>,
        command: Command<S>,
        thread: &ThreadId,
    ) -> Result<StartPoint<S>, RunError> {
        let state = &mut start.state;
        let finished = self.fold_finished_tasks(state, thread)?;
        reject_fault(&*state.values)?;
        fold_update(Arc::make_mut(&mut state.values), command.update.unwrap_or_default(), None)
            .map_err(|panic| panic.into_error(START))?;
        let kept = self.plan_after(&finished, &UpdateAuthor::Nobody, state)?;
        if let Some(route) = command.route {
            state.next = self.resolve_targets(*route)?;
            state.arrivals = self.definition.planner.no_arrivals();
        }
        Ok(start.rebase(&kept))
    }

    /// Returns the tasks for the targets of a command from outside, which need no declaration. Fails for an
    /// unknown node, and for a node that takes items but gets none of its type.
    fn resolve_targets(&self, route: Route) -> Result<Vec<ReadyTask>, RunError> {
        let planner = &self.definition.planner;
        let mut nodes = Vec::new();
        for name in route.goto.iter().filter(|name| *name != END) {
            let node = planner.node(name).ok_or_else(|| self.unknown_node(name))?;
            if self.definition.node(node).takes.is_some() {
                return Err(RunError::NeedsItem { node: name.clone() });
            }
            nodes.push(node);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let mut next: Vec<ReadyTask> = nodes.into_iter().map(ReadyTask::without_item).collect();
        for Dispatch { node: name, item } in route.dispatch {
            let node = planner.node(&name).ok_or_else(|| self.unknown_node(&name))?;
            let accepted = self.definition.node(node).takes;
            if accepted.is_none_or(|accepted| accepted.mismatch(&item).is_some()) {
                return Err(RunError::NeedsItem { node: name });
            }
            next.push(ReadyTask { node, item: Some(item) });
        }
        Ok(next)
    }

    /// Writes the start point as one checkpoint, with the updates `encoded`, and returns its id. Runs
    /// nothing.
    pub(crate) async fn save_alone(
        &self,
        thread: &ThreadId,
        writer: Arc<dyn ThreadWriter>,
        start: StartPoint<S>,
        encoded: Vec<Write>,
    ) -> Result<CheckpointId, RunError> {
        let options = RunOptions { thread: Some(thread.clone()), ..RunOptions::default() };
        let config = self.run_config(&start, options, Some(&writer), None);
        let mut run = RunLoop::new(self.clone(), config, start, Some(writer));
        run.save(&encoded).await?;
        Ok(run.checkpoint_id().expect("it was just written"))
    }
}

impl<S> StartPoint<S> {
    /// Turns the start into a checkpoint of its own, after the newest of the thread. Records of the tasks in
    /// `kept`, by their old index, that are still planned are carried over under their new index; other
    /// records are dropped.
    fn rebase(mut self, kept: &[Option<ReadyTask>]) -> Self {
        let RunState { base, records, next, .. } = &mut self.state;
        *base = base.successor(Source::Update);
        let new_index = |index: u32| {
            let task = kept.get(index as usize)?.as_ref()?;
            let now = next.iter().position(|planned| planned.is_same_task(task))?;
            u32::try_from(now).ok()
        };
        let carried = std::mem::take(records).into_iter().filter_map(|TaskRecord { task, entry }| {
            let index = match entry {
                // It concerns the checkpoint, not its first task.
                TaskEntry::Paused => 0,
                _ => new_index(task.index)?,
            };
            Some(TaskRecord { task: TaskId { base: base.seq, index }, entry })
        });
        *records = carried.collect();
        self
    }
}

/// Folds updates from outside into the state: as one superstep of their authors or, without an author, one by
/// one and without resetting ephemeral channels.
fn fold_updates<S: State>(
    state: &mut RunState<S>,
    author: &UpdateAuthor,
    updates: Vec<(String, S::Update)>,
) -> Result<(), RunError> {
    let values = Arc::make_mut(&mut state.values);
    if matches!(author, UpdateAuthor::Nobody) {
        // No superstep begins, because the planned tasks must still see the ephemeral values that they were planned with.
        for (name, update) in updates {
            fold_update(values, update, None).map_err(|panic| panic.into_error(&name))?;
        }
        return Ok(());
    }
    let (names, updates): (Vec<_>, Vec<_>) = updates.into_iter().unzip();
    fold_step(values, updates.into_iter().enumerate().collect(), None).map_err(|error| match error {
        FoldError::Conflict(conflict) => RunError::WriteConflict {
            channel: conflict.channel.clone(),
            first: names[conflict.first].clone(),
            second: names[conflict.second].clone(),
            step: state.base.step,
            authoring: S::AUTHORING,
        },
        FoldError::Panic { index, panic } => panic.into_error(&names[index]),
        FoldError::Decision(panic) => panic.into(),
    })
}
