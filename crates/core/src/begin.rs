//! Where a run starts: a fresh state, an update on an old one, or wherever a thread stands. Reads the store, starts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::value::RawValue;

use super::nearest;

use super::breakpoints::Breakpoints;
use super::checkpoint::{
    Checkpoint, PlannedTask, Remembered, Source, TaskEntry, TaskRecord, Write, open_questions,
};
use super::commit::{Origin, encode_update};
use super::contract::{CheckpointStore, Flush, Lineage, ThreadWriter};
use super::dispatch::Item;
use super::draft::{END, START};
use super::drive::{Base, Driver, FinishedBefore, Passing, Resumed, Saved};
use super::error::RunError;
use super::event::EventSink;
use super::fold::{fold_update, sound};
use super::graph::CompiledGraph;
use super::id::{CheckpointId, Digest, Namespace, QuestionId, Seq, TaskId, ThreadId};
use super::outcome::Question;
use super::plan::{Arrivals, NodeIx, Onward, Planned};
use super::rebuild::state_of;
use super::recorder::{Course, Limits, Recorder, RunShared};
use super::request::{Begin, RunOptions};
use super::state::State;
use super::store_error::StoreError;
use super::threads::questions_of;
use super::written::Written;

/// A place to start from.
pub(crate) struct Start<S> {
    pub(crate) state: S,
    pub(crate) next: Vec<Planned>,
    pub(crate) arrivals: Arrivals,
    pub(crate) records: Vec<TaskRecord>,
    pub(crate) base: Base,
    pub(crate) saved: Saved,
    pub(crate) lineage: Option<Lineage>,
    /// The update that makes this state of the one at the end of the lineage, where that is all there is between them.
    pub(crate) input: Option<Write>,
    /// The states that sub-graphs start with the next time.
    pub(crate) remembered: BTreeMap<NodeIx, Box<RawValue>>,
    /// Of a sub-graph that has ended: where it sends the graph around it.
    pub(crate) leaves_to: Vec<Arc<str>>,
    /// The questions of the thread that this start drops.
    pub(crate) dropped: Vec<Question>,
    /// Which run of the thread this will be.
    pub(crate) run: u64,
    pub(crate) resumed: Resumed,
    /// The schema of what was read.
    pub(crate) schema: Digest,
}

impl<S> Start<S> {
    /// The same as a continuation of the checkpoint, after the thread's newest.
    pub(crate) fn forked(mut self, head: Seq) -> Self {
        // Questions fire again and journaled work is done again: this is another future (F49).
        self.records.clear();
        self.base = Base { seq: head.next(), parent: Some(self.base.seq), source: Source::Fork, ..self.base };
        self.saved = Saved::No;
        self.lineage = None;
        self
    }
}

/// Makes a run ready to be driven.
pub(crate) async fn begin<S: State, D: Send + Sync + 'static>(
    graph: CompiledGraph<S, D>,
    from: Begin<S>,
    answers: Vec<(QuestionId, Box<RawValue>)>,
    options: &RunOptions,
    shared: Arc<RunShared>,
    writer: Option<Arc<dyn ThreadWriter>>,
) -> Result<Driver<S, D>, RunError> {
    let head = writer.as_ref().and_then(|writer| writer.head());
    let mut start = match (from, &shared.thread) {
        (Begin::State(state), Some(thread)) if head.is_some() => {
            // Also to see that the thread is of this graph.
            let lineage = graph.lineage(thread, None).await?;
            let run = lineage.tip().run + 1;
            let (remembered, dropped) = (graph.remembered(&lineage), open_in(&lineage));
            Start { remembered, dropped, run, ..graph.fresh(state, head)? }
        }
        (Begin::State(state), _) => graph.fresh(state, head)?,
        (Begin::Input { fresh, .. }, Some(_)) if head.is_none() => graph.fresh(*fresh, head)?,
        (Begin::Update(update) | Begin::Input { update, .. }, Some(thread)) => {
            graph.started_over(thread, update, head).await?
        }
        (Begin::Thread(seq), Some(thread)) => graph.continued_from(thread, seq, head).await?,
        (Begin::Command(command), Some(thread)) => {
            let continued = graph.continued_from(thread, None, head).await?;
            // Where it goes somewhere, nothing that was planned is asked again.
            let lineage = continued.lineage.as_ref().filter(|_| command.route.is_some());
            let dropped = lineage.map(open_in).unwrap_or_default();
            Start { dropped, ..graph.commanded(continued, command, thread)? }
        }
        (Begin::Update(_) | Begin::Input { .. } | Begin::Thread(_) | Begin::Command(_), None) => {
            return Err(RunError::NoStore { graph: graph.name().to_owned() });
        }
    };
    sound(&start.state)?;
    if let Some(name) = options.breakpoints.as_ref().and_then(|stops| graph.unknown_in(stops)) {
        return Err(graph.no_node(&name));
    }
    answer(&mut start, &shared, answers).await?;
    Ok(graph.driver(start, options, shared, writer))
}

/// Writes the answers down, so that they count whatever happens next.
pub(crate) async fn answer<S>(
    start: &mut Start<S>,
    shared: &RunShared,
    answers: Vec<(QuestionId, Box<RawValue>)>,
) -> Result<(), RunError> {
    let open = open_questions(&start.records);
    if let Some((question, _)) = answers.iter().find(|(question, _)| !open.contains(question)) {
        return Err(RunError::NotAsked { question: *question, open });
    }
    #[cfg(feature = "answers")]
    for (question, answer) in &answers {
        if let Some(reason) = misfit(&start.records, *question, answer) {
            return Err(RunError::AnswerRefused { question: *question, reason });
        }
    }
    for (QuestionId { task, call }, answer) in answers {
        let entry = TaskEntry::Answered { call, answer };
        shared.task(task, entry.clone(), Flush::Synced).await?;
        start.records.push(TaskRecord { task, entry });
    }
    Ok(())
}

/// Why an answer does not fit the schema of its question, if it has one.
#[cfg(feature = "answers")]
fn misfit(records: &[TaskRecord], question: QuestionId, answer: &RawValue) -> Option<String> {
    let asked = records.iter().rev().find_map(|record| match &record.entry {
        TaskEntry::Asked(asked) if (record.task, asked.call) == (question.task, question.call) => Some(asked),
        _ => None,
    });
    super::answers::misfit(asked?.schema.as_ref()?, answer)
}

/// The questions that wait for an answer at the end of a lineage.
fn open_in(lineage: &Lineage) -> Vec<Question> {
    questions_of(lineage.tip(), &lineage.tasks).into_iter().map(Question::from).collect()
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// At `START`, with the state of the thread and an update. What tasks of the superstep under way left is dropped (F44, F57).
    async fn started_over(
        &self,
        thread: &ThreadId,
        update: S::Update,
        head: Option<Seq>,
    ) -> Result<Start<S>, RunError> {
        let lineage = self.lineage(thread, None).await?;
        let mut state: S = self.state_at(&lineage, thread)?;
        let input = Write { node: START.into(), update: encode_update::<S>("the update", &update)? };
        state.begin_step();
        fold_update(&mut state, update, None).map_err(|panic| panic.by(START))?;
        // What another version wrote is left behind by a snapshot.
        let known = lineage.tip().schema == self.inner.schema;
        Ok(Start {
            remembered: self.remembered(&lineage),
            dropped: open_in(&lineage),
            run: lineage.tip().run + 1,
            input: known.then_some(input),
            lineage: known.then_some(lineage),
            ..self.fresh(state, head)?
        })
    }

    /// At `START`, with this state.
    pub(crate) fn fresh(&self, state: S, head: Option<Seq>) -> Result<Start<S>, RunError> {
        let (mut next, mut arrivals) = (Vec::new(), Arrivals::default());
        let decide = self.inner.on(&state);
        self.inner.planner.start(&decide, &mut arrivals, &mut next);
        decide.sound()?;
        let seq = head.map_or(Seq(1), Seq::next);
        Ok(Start {
            state,
            next,
            arrivals,
            records: Vec::new(),
            base: Base { seq, parent: head, step: 0, source: Source::Input },
            saved: Saved::No,
            lineage: None,
            input: None,
            remembered: BTreeMap::new(),
            leaves_to: Vec::new(),
            dropped: Vec::new(),
            run: 1,
            resumed: Resumed::No,
            schema: self.inner.schema,
        })
    }

    /// Where a thread stands, or stood at `seq`, given its newest checkpoint.
    pub(crate) async fn continued_from(
        &self,
        thread: &ThreadId,
        seq: Option<Seq>,
        head: Option<Seq>,
    ) -> Result<Start<S>, RunError> {
        let start = self.start_at(self.lineage(thread, seq).await?, thread)?;
        Ok(match head {
            Some(head) if head != start.base.seq => {
                let newest = self.lineage(thread, None).await?.tip().run;
                Start { run: newest + 1, ..start.forked(head) }
            }
            _ => start,
        })
    }

    /// Where a lineage ends.
    pub(crate) fn start_at(&self, lineage: Lineage, thread: &ThreadId) -> Result<Start<S>, RunError> {
        let tip = lineage.tip().clone();
        let mut next = self.planned(&tip.next, tip.seq, thread)?;
        let (joins, deferred) = (self.inner.joins_now(&tip.joins), self.held_back(&tip, thread)?);
        Ok(Start {
            state: self.state_at(&lineage, thread)?,
            arrivals: self.inner.planner.arrivals(&joins, deferred, &mut next),
            next,
            records: lineage.tasks.clone(),
            base: Base { seq: tip.seq, parent: tip.parent, step: tip.step, source: tip.source },
            saved: Saved::Yes,
            remembered: self.remembered(&lineage),
            leaves_to: tip.rare.as_ref().map(|rare| rare.leaves_to.clone()).unwrap_or_default(),
            dropped: Vec::new(),
            run: tip.run + 1,
            resumed: Resumed::Yes,
            schema: tip.schema,
            lineage: Some(lineage),
            input: None,
        })
    }

    /// The states that sub-graphs start with the next time.
    fn remembered(&self, lineage: &Lineage) -> BTreeMap<NodeIx, Box<RawValue>> {
        let rare = lineage.chain.iter().filter_map(|checkpoint| checkpoint.rare.as_ref());
        let remembered = rare.flat_map(|rare| &rare.remembered);
        remembered
            .filter_map(|Remembered { node, state }| Some((self.inner.renamed(node)?, state.clone())))
            .collect()
    }

    /// What drives a run from this start.
    pub(crate) fn driver(
        self,
        start: Start<S>,
        options: &RunOptions,
        shared: Arc<RunShared>,
        writer: Option<Arc<dyn ThreadWriter>>,
    ) -> Driver<S, D> {
        let last_step = start.base.step.saturating_add(options.step_limit);
        // Set once: a run has one start.
        let _ = shared.course.set(Course { run: start.run, last_step });
        let breakpoints = options.breakpoints.as_ref().unwrap_or(&self.inner.breakpoints);
        let paused = start.records.iter().any(|record| matches!(record.entry, TaskEntry::Paused));
        let origin = Origin {
            namespace: shared.namespace.clone(),
            run: start.run,
            name: self.inner.name.clone(),
            graph: self.inner.digest,
            schema: self.inner.schema,
        };
        Driver {
            origin: Arc::new(origin),
            recorder: Recorder::new(shared.clone(), writer, start.lineage.as_ref()),
            shared,
            state: Arc::new(start.state),
            base: start.base,
            next: start.next,
            arrivals: start.arrivals,
            records: start.records,
            steps: 0,
            limit: options.step_limit,
            max_concurrency: options.max_concurrency,
            saved: start.saved,
            input: start.input,
            written: Written::default(),
            total: None,
            remembered: start.remembered,
            ended_inside: BTreeSet::new(),
            leaves_to: start.leaves_to,
            stops: breakpoints.of(&self.inner.planner),
            ran: Vec::new(),
            passing: if paused { Passing::Yes } else { Passing::No },
            step_timeout: options.step_timeout,
            resumed: start.resumed,
            dropped: start.dropped,
            base_schema: start.schema,
            graph: self,
        }
    }

    /// What the tasks of a run share.
    pub(crate) fn shared(
        &self,
        options: &RunOptions,
        thread: Option<ThreadId>,
        writer: Option<&Arc<dyn ThreadWriter>>,
        events: Option<EventSink>,
    ) -> Arc<RunShared> {
        Arc::new(RunShared {
            names: self.inner.planner.names().clone(),
            durability: options.durability,
            stop: options.stop.clone(),
            long_term: self.long_term.clone(),
            cache: self.cache.clone(),
            held: Mutex::default(),
            events,
            thread,
            namespace: Namespace::ROOT,
            depth: 0,
            limits: Limits { steps: options.step_limit, concurrency: options.max_concurrency },
            graph: self.inner.name.clone(),
            course: OnceLock::new(),
            pulse: None,
            writer: writer.map(Arc::downgrade),
        })
    }

    fn unknown_in(&self, breakpoints: &Breakpoints) -> Option<String> {
        let known = |name: &str| self.inner.planner.node(name).is_some();
        breakpoints.unknown(&known).next().map(str::to_owned)
    }

    /// The error for a name that is no node's.
    pub(crate) fn no_node(&self, name: &str) -> RunError {
        let names = self.inner.planner.names().iter().map(AsRef::as_ref);
        RunError::UnknownNode {
            node: name.to_owned(),
            graph: self.name().to_owned(),
            nearest: nearest(name, names.chain([START, END])),
        }
    }

    pub(crate) fn store(&self) -> Result<&Arc<dyn CheckpointStore>, RunError> {
        self.store.as_ref().ok_or_else(|| RunError::NoStore { graph: self.name().to_owned() })
    }

    /// The lineage of a thread's newest checkpoint, or of this one, if it is of this graph.
    pub(crate) async fn lineage(&self, thread: &ThreadId, seq: Option<Seq>) -> Result<Lineage, RunError> {
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

    pub(crate) fn state_at(&self, lineage: &Lineage, thread: &ThreadId) -> Result<S, RunError> {
        state_of(lineage, &self.inner.reading).map_err(|error| RunError::StateMismatch {
            checkpoint: lineage.tip().id(thread),
            graph: self.name().to_owned(),
            detail: error.to_string(),
            authoring: S::AUTHORING,
        })
    }

    /// The tasks that a checkpoint speaks of, or the name of one that is no more (D9).
    fn planned(&self, tasks: &[PlannedTask], seq: Seq, thread: &ThreadId) -> Result<Vec<Planned>, RunError> {
        let planned = |task: &PlannedTask| {
            let node = self.node_of(&task.node, seq, thread)?;
            Ok(Planned { node, item: task.item.clone().map(Item::stored) })
        };
        tasks.iter().map(planned).collect()
    }

    /// The deferred nodes that wait at the checkpoint.
    fn held_back(&self, tip: &Checkpoint, thread: &ThreadId) -> Result<BTreeSet<NodeIx>, RunError> {
        let names = tip.rare.iter().flat_map(|rare| &rare.deferred);
        names.map(|name| self.node_of(name, tip.seq, thread)).collect()
    }

    /// The node that a checkpoint names.
    fn node_of(&self, name: &str, seq: Seq, thread: &ThreadId) -> Result<NodeIx, RunError> {
        let planner = &self.inner.planner;
        self.inner.renamed(name).ok_or_else(|| RunError::MissingNode {
            checkpoint: CheckpointId { thread: thread.clone(), seq },
            node: name.to_owned(),
            graph: self.name().to_owned(),
            nearest: nearest(name, planner.names().iter().map(AsRef::as_ref)),
        })
    }

    /// What a task of an earlier run wrote and where it went, if the log says that it finished.
    pub(crate) fn finished(
        &self,
        task: TaskId,
        entry: &TaskEntry,
        thread: &ThreadId,
        schema: Digest,
    ) -> Result<Option<FinishedBefore<S>>, RunError> {
        let TaskEntry::Finished { update, schema: own, goto, dispatch, edges, parent, remember } = entry
        else {
            return Ok(None);
        };
        let schema = own.unwrap_or(schema);
        let read = |raw: &RawValue| self.inner.reading.update(raw, schema);
        let update = update.as_deref().map(read).transpose();
        let update = update.map_err(|error| RunError::StateMismatch {
            checkpoint: CheckpointId { thread: thread.clone(), seq: task.base },
            graph: self.name().to_owned(),
            detail: format!("the update that task {task} left: {error}"),
            authoring: S::AUTHORING,
        })?;
        let target = |name: &Arc<str>| match name.as_ref() {
            END => Ok(None),
            name => self.node_of(name, task.base, thread).map(Some),
        };
        let onward = Onward {
            goto: goto.iter().flatten().map(target).collect::<Result<_, RunError>>()?,
            dispatch: self.planned(dispatch, task.base, thread)?,
            edges: *edges,
            parent: parent.clone(),
            remember: remember.clone(),
        };
        Ok(Some(FinishedBefore { update, onward: onward.or_none() }))
    }
}
