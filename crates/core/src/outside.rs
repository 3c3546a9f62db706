//! Writing to threads from outside: updates as somebody, several supersteps by hand, forks, copies, commands as input. Runs no node.

use std::sync::Arc;

use super::begin::Start;
use super::checkpoint::{Source, TaskEntry, TaskRecord, Write};
use super::command::{Command, Route};
use super::commit::{WriteRef, encode_update};
use super::contract::ThreadWriter;
use super::dispatch::Dispatch;
use super::draft::{END, START};
use super::drive::{Base, Saved};
use super::error::RunError;
use super::fold::{FoldError, fold_step, fold_update, sound};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Seq, TaskId, ThreadId};
use super::plan::{NodeIx, Onward, Planned};
use super::request::RunOptions;
use super::state::State;
use super::threads::Ended;

/// As whom an update from outside is written (LangGraph F47).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteAs<'a> {
    /// As nobody: what was planned stays planned.
    Nobody,
    /// As this node: what follows it runs next, besides what was planned already. As `START` the graph starts over, as `END`
    /// nothing is left to run.
    Node(&'a str),
    /// As the node that wrote last; an error when that is not one node.
    LastWriter,
}

impl<'a> From<Option<&'a str>> for WriteAs<'a> {
    fn from(node: Option<&'a str>) -> Self {
        node.map_or(Self::Nobody, Self::Node)
    }
}

/// One write of a superstep by hand.
pub struct NodeUpdate<S: State> {
    /// The node that it counts for.
    pub node: String,
    /// What it writes.
    pub update: S::Update,
}

impl<S: State> NodeUpdate<S> {
    /// A write as this node.
    pub fn new(node: impl Into<String>, update: S::Update) -> Self {
        Self { node: node.into(), update }
    }
}

/// As whom an update is written, by index.
enum Author {
    Nobody,
    Start,
    End,
    Nodes(Vec<NodeIx>),
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Writes to the state of a thread from outside (LangGraph F47), as somebody or nobody.
    ///
    /// What tasks of the superstep under way finished is kept and followed. A task that stays planned keeps what it left: its open questions
    /// (under new ids, as the task belongs to another checkpoint now), their answers, and the results of [`once`](super::Cx::once). A
    /// thread that stands at a breakpoint has passed it.
    pub async fn update<'a>(
        &self,
        thread: &ThreadId,
        update: S::Update,
        as_node: impl Into<WriteAs<'a>>,
    ) -> Result<CheckpointId, RunError> {
        let writer = self.store()?.claim(thread).await?;
        let start = self.continued_from(thread, None, writer.head()).await?;
        let inferred;
        let name = match as_node.into() {
            WriteAs::Nobody => None,
            WriteAs::Node(name) => Some(name),
            WriteAs::LastWriter => {
                inferred = self.last_writer(thread).await?;
                Some(inferred.as_str())
            }
        };
        let author = name.map_or(Ok(Author::Nobody), |name| self.author(name))?;
        let written = vec![(name.unwrap_or(START).to_owned(), update)];
        self.write(thread, writer, start, &author, written).await
    }

    /// Writes several supersteps by hand (LangGraph F48): each a list of writes as nodes, folded as if those nodes had run at once.
    /// Nothing is written when a name is unknown; what contradicts itself ends the list there. Gives the last checkpoint.
    pub async fn bulk_update(
        &self,
        thread: &ThreadId,
        steps: Vec<Vec<NodeUpdate<S>>>,
    ) -> Result<CheckpointId, RunError> {
        let writer = self.store()?.claim(thread).await?;
        let mut authors = Vec::new();
        for step in &steps {
            let nodes = step.iter().map(|write| {
                let node = self.inner.planner.node(&write.node);
                node.ok_or_else(|| self.no_node(&write.node))
            });
            authors.push(Author::Nodes(nodes.collect::<Result<_, _>>()?));
        }
        let start = self.continued_from(thread, None, writer.head()).await?;
        let mut newest = CheckpointId { thread: thread.clone(), seq: start.base.seq };
        for (author, step) in authors.iter().zip(steps) {
            let mut start = self.continued_from(thread, None, writer.head()).await?;
            start.base.step += 1;
            let written = step.into_iter().map(|write| (write.node, write.update)).collect();
            newest = self.write(thread, writer.clone(), start, author, written).await?;
        }
        Ok(newest)
    }

    /// Writes a new checkpoint that continues this one, the newest of its thread as well, and runs nothing (F49). What the tasks after
    /// it left (answers, journaled calls, finished siblings) does not count for the fork: its questions are asked again. What was there
    /// stays in the history.
    pub async fn fork(&self, checkpoint: &CheckpointId) -> Result<CheckpointId, RunError> {
        let thread = &checkpoint.thread;
        let writer = self.store()?.claim(thread).await?;
        let start = self.continued_from(thread, Some(checkpoint.seq), writer.head()).await?;
        let start = match start.saved {
            Saved::Yes => start.forked(checkpoint.seq),
            // An older checkpoint is continued by a fork anyway.
            Saved::No => start,
        };
        self.save_alone(thread, writer, start, Vec::new()).await
    }

    /// Copies a thread with its history under a new id, which must not exist.
    pub async fn copy(&self, from: &ThreadId, to: &ThreadId) -> Result<(), RunError> {
        self.lineage(from, None).await?;
        Ok(self.store()?.copy(from, to).await?)
    }

    /// Folds writes into the state of a thread, plans what follows, saves.
    async fn write(
        &self,
        thread: &ThreadId,
        writer: Arc<dyn ThreadWriter>,
        mut start: Start<S>,
        author: &Author,
        written: Vec<(String, S::Update)>,
    ) -> Result<CheckpointId, RunError> {
        let stored = written.iter().map(|(node, update)| {
            Ok(Write { node: node.as_str().into(), update: encode_update::<S>("the update", update)? })
        });
        let stored = stored.collect::<Result<Vec<Write>, RunError>>()?;
        let ended = self.fold_ended(&mut start, thread)?;
        fold_written(&mut start, author, written)?;
        let before = self.plan_after(&ended, author, &mut start)?;
        sound(&start.state)?;
        self.save_alone(thread, writer, start.written_outside(&before), stored).await
    }

    /// Folds what finished tasks of the superstep under way wrote, and forgets their records.
    fn fold_ended(&self, start: &mut Start<S>, thread: &ThreadId) -> Result<Vec<Ended>, RunError> {
        let ended = self.fold_finished(&mut start.state, &start.records, thread, start.schema)?;
        start.records.retain(|record| ended.iter().all(|task| task.index != record.task.index as usize));
        for task in &ended {
            let remember = task.onward.as_ref().and_then(|onward| onward.remember.clone());
            start.remembered.extend(remember.map(|state| (start.next[task.index].node, state)));
        }
        Ok(ended)
    }

    /// The one node that wrote last.
    async fn last_writer(&self, thread: &ThreadId) -> Result<String, RunError> {
        let mut at: Option<Seq> = None;
        let candidates = loop {
            let lineage = self.lineage(thread, at).await?;
            let tip = lineage.tip();
            let names = match (tip.source, tip.parent) {
                (Source::Update, _) => tip.writes.iter().map(|write| write.node.clone()).collect(),
                // A fork is its parent again.
                (Source::Fork, Some(parent)) => {
                    at = Some(parent);
                    continue;
                }
                (Source::Loop, Some(parent)) => {
                    let before = self.lineage(thread, Some(parent)).await?;
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

    fn author(&self, name: &str) -> Result<Author, RunError> {
        match name {
            START => Ok(Author::Start),
            END => Ok(Author::End),
            name => {
                let node = self.inner.planner.node(name).ok_or_else(|| self.no_node(name))?;
                Ok(Author::Nodes(vec![node]))
            }
        }
    }

    /// Plans what follows the tasks that have ended and the author of an update, besides what is planned and has not ended. Gives the tasks
    /// that were planned and may stay so: none at the indexes of the others.
    fn plan_after(
        &self,
        ended: &[Ended],
        author: &Author,
        start: &mut Start<S>,
    ) -> Result<Vec<Option<Planned>>, RunError> {
        let planner = &self.inner.planner;
        let decide = self.inner.on(&start.state);
        let mut followed: Vec<(NodeIx, Option<&Onward>)> =
            ended.iter().map(|task| (start.next[task.index].node, task.onward.as_deref())).collect();
        let written_as: &[NodeIx] = match author {
            Author::End => {
                start.arrivals = planner.no_arrivals();
                start.next.clear();
                return Ok(Vec::new());
            }
            Author::Start => {
                planner.start(&decide, &mut start.arrivals, &mut start.next);
                return decide.sound().map(|()| Vec::new());
            }
            Author::Nodes(nodes) => nodes,
            Author::Nobody => &[],
        };
        let by_hand = start.next.iter().filter(|task| task.item.is_none() && written_as.contains(&task.node));
        let ran: Vec<NodeIx> =
            followed.iter().map(|(node, _)| *node).chain(by_hand.map(|task| task.node)).collect();
        planner.reset_joins(&ran.into_iter(), &mut start.arrivals);
        followed.extend(written_as.iter().map(|node| (*node, None)));
        let mut led = planner.lead(followed, &decide, &mut start.arrivals);
        decide.sound()?;
        let done = |index: usize, task: &Planned| {
            ended.iter().any(|task| task.index == index)
                || (task.item.is_none() && written_as.contains(&task.node))
        };
        let before = std::mem::take(&mut start.next).into_iter().enumerate();
        let before: Vec<_> = before.map(|(index, task)| (!done(index, &task)).then_some(task)).collect();
        led.add(before.iter().flatten().cloned());
        planner.plan(led, &mut start.arrivals, &mut start.next);
        Ok(before)
    }

    /// A thread with a command from outside (LangGraph F24): its update is written as nobody's; where it goes somewhere, that runs
    /// next and nothing else.
    pub(crate) fn commanded(
        &self,
        mut start: Start<S>,
        command: Command<S>,
        thread: &ThreadId,
    ) -> Result<Start<S>, RunError> {
        let ended = self.fold_ended(&mut start, thread)?;
        fold_update(&mut start.state, command.update.unwrap_or_default(), None)
            .map_err(|panic| panic.by(START))?;
        let before = self.plan_after(&ended, &Author::Nobody, &mut start)?;
        if let Some(route) = command.route {
            start.next = self.targets_outside(*route)?;
            start.arrivals = self.inner.planner.no_arrivals();
        }
        Ok(start.written_outside(&before))
    }

    fn targets_outside(&self, route: Route) -> Result<Vec<Planned>, RunError> {
        let planner = &self.inner.planner;
        let mut nodes = Vec::new();
        for name in route.goto.iter().filter(|name| *name != END) {
            let node = planner.node(name).ok_or_else(|| self.no_node(name))?;
            if self.inner.node(node).takes.is_some() {
                return Err(RunError::NeedsItem { node: name.clone() });
            }
            nodes.push(node);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let mut next: Vec<Planned> = nodes.into_iter().map(Planned::pulled).collect();
        for Dispatch { node: name, item } in route.dispatch {
            let node = planner.node(&name).ok_or_else(|| self.no_node(&name))?;
            let taken = self.inner.node(node).takes;
            if taken.is_none_or(|taken| taken.refuses(&item).is_some()) {
                return Err(RunError::NeedsItem { node: name });
            }
            next.push(Planned { node, item: Some(item) });
        }
        Ok(next)
    }

    /// Writes one checkpoint, runs nothing.
    pub(crate) async fn save_alone(
        &self,
        thread: &ThreadId,
        writer: Arc<dyn ThreadWriter>,
        start: Start<S>,
        written: Vec<Write>,
    ) -> Result<CheckpointId, RunError> {
        let options = RunOptions::default();
        let shared = self.shared(&options, Some(thread.clone()), Some(&writer), None);
        let mut driver = self.clone().driver(start, &options, shared, Some(writer));
        let borrowed: Vec<WriteRef<'_>> = written.iter().map(WriteRef::from).collect();
        driver.save(&borrowed).await?;
        Ok(driver.checkpoint_id().expect("it was just written"))
    }
}

impl<S> Start<S> {
    /// The same as a checkpoint of its own, after the thread's newest. Of the tasks that were planned `before`, those that still are keep what
    /// they left.
    fn written_outside(mut self, before: &[Option<Planned>]) -> Self {
        let Base { seq, step, .. } = self.base;
        let stays = |index: u32| {
            let task = before.get(index as usize)?.as_ref()?;
            let now = self.next.iter().position(|planned| planned.is_same_task(task))?;
            u32::try_from(now).ok()
        };
        let carried =
            std::mem::take(&mut self.records).into_iter().filter_map(|TaskRecord { task, entry }| {
                let index = match entry {
                    // A note about the checkpoint, not about its first task.
                    TaskEntry::Paused => 0,
                    _ => stays(task.index)?,
                };
                Some(TaskRecord { task: TaskId { base: seq.next(), index }, entry })
            });
        self.records = carried.collect();
        self.base = Base { seq: seq.next(), parent: Some(seq), step, source: Source::Update };
        self.saved = Saved::No;
        self
    }
}

/// Folds what is written as somebody, or as nobody.
fn fold_written<S: State>(
    start: &mut Start<S>,
    author: &Author,
    written: Vec<(String, S::Update)>,
) -> Result<(), RunError> {
    if matches!(author, Author::Nobody) {
        // What was planned still sees the ephemeral values that it was planned with.
        for (name, update) in written {
            fold_update(&mut start.state, update, None).map_err(|panic| panic.by(&name))?;
        }
        return Ok(());
    }
    let (names, updates): (Vec<_>, Vec<_>) = written.into_iter().unzip();
    fold_step(&mut start.state, updates.into_iter().enumerate().collect(), None).map_err(
        |error| match error {
            FoldError::Conflict(conflict) => RunError::WriteConflict {
                channel: conflict.channel.clone(),
                first: names[conflict.first].clone(),
                second: names[conflict.second].clone(),
                step: start.base.step,
                authoring: S::AUTHORING,
            },
            FoldError::Panic { index, panic } => panic.by(&names[index]),
        },
    )
}
