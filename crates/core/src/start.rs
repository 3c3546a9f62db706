//! Determines the state that a run starts from: a new state, an update of a thread's state, or a checkpoint of a thread. Reads the store,
//! runs nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::breakpoints::Breakpoints;
use super::checkpoint::{Source, Write};
use super::command::Command;
use super::commit::{Origin, encode_update};
use super::contract::{Lineage, ThreadWriter};
use super::draft::START;
use super::error::RunError;
use super::event_queue::EventSink;
use super::fold::{fold_update, reject_fault};
use super::graph::CompiledGraph;
use super::id::{Namespace, Seq, ThreadId};
use super::nearest::nearest;
use super::outcome::Question;
use super::plan::Arrivals;
use super::run_config::{RunConfig, RunOptions};
use super::run_state::{Base, RunState};
use super::state::State;
use super::stored::open_questions_of;
use super::task_log::TaskLog;

/// The start that the caller of a run chose. `start_point` makes a [`StartPoint`] of it.
pub(crate) enum StartFrom<S: State> {
    /// This state, at `START`.
    State(S),
    /// The thread's state with this update, at `START`.
    Update(S::Update),
    /// Like `Update` where the thread exists; else the state `fresh`, into which the update is folded
    /// already.
    Input { update: S::Update, fresh: Box<S> },
    /// The newest checkpoint of the thread, or this one.
    Thread(Option<Seq>),
    /// The newest checkpoint of the thread, with this command.
    Command(Command<S>),
}

/// The start of a run: the state, the planned tasks, and facts about the thread. The loop of the run takes it
/// over.
pub(crate) struct StartPoint<S> {
    pub(crate) state: RunState<S>,
    /// The number of this run among those of its thread, from 1.
    pub(crate) run: u64,
    /// The checkpoints that the state was read from; `None` where the next checkpoint cannot build on them.
    pub(crate) lineage: Option<Lineage>,
    pub(crate) opening: RunOpening,
}

/// The facts about the start of a run that its first event, hook or checkpoint needs.
#[derive(Default)]
pub(crate) struct RunOpening {
    /// True when the run continues a thread.
    pub(crate) is_resumed: bool,
    /// The caller's update, when the start state is the state of the lineage with only that update folded in;
    /// `None` otherwise. The first checkpoint stores it and then needs no snapshot.
    pub(crate) input: Option<Write>,
    /// The open questions of the thread that this run drops.
    pub(crate) dropped: Vec<Question>,
}

impl<S> StartPoint<S> {
    /// Turns the start into a fork: a new checkpoint with the same state and plan, at the position after
    /// `head`, the newest of the thread. Task records are dropped.
    pub(crate) fn fork_after(mut self, head: Seq) -> Self {
        let RunState { base, records, .. } = &mut self.state;
        // A fork is another future: it asks questions again and repeats journaled work (F49).
        records.clear();
        *base = Base { seq: head.next(), ..base.successor(Source::Fork) };
        self.lineage = None;
        self
    }
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Returns the start point of a run of the outermost graph, as the caller chose it with `from`. `head` is
    /// the newest checkpoint of the thread; `None` for a new thread.
    pub(crate) async fn start_point(
        &self,
        from: StartFrom<S>,
        options: &RunOptions,
        head: Option<Seq>,
    ) -> Result<StartPoint<S>, RunError> {
        let is_stored = matches!(from, StartFrom::Thread(_));
        let start = match (from, &options.thread) {
            (StartFrom::State(state), Some(thread)) if head.is_some() => {
                // Loading the thread also verifies that it belongs to this graph.
                let lineage = self.load_lineage(thread, None).await?;
                let mut start = self.start_fresh(state, head)?;
                start.state.remembered = self.remembered_states(&lineage);
                start.opening.dropped = open_questions_in(&lineage);
                StartPoint { run: lineage.tip().run + 1, ..start }
            }
            (StartFrom::State(state), _) => self.start_fresh(state, head)?,
            (StartFrom::Input { fresh, .. }, Some(_)) if head.is_none() => self.start_fresh(*fresh, head)?,
            (StartFrom::Update(update) | StartFrom::Input { update, .. }, Some(thread)) => {
                self.start_over(thread, update, head).await?
            }
            (StartFrom::Thread(seq), Some(thread)) => self.start_from_thread(thread, seq, head).await?,
            (StartFrom::Command(command), Some(thread)) => {
                let start = self.start_from_thread(thread, None, head).await?;
                // A command that goes somewhere replaces the plan, so the open questions of planned tasks are dropped.
                let lineage = start.lineage.as_ref().filter(|_| command.route.is_some());
                let dropped = lineage.map(open_questions_in).unwrap_or_default();
                let mut start = self.apply_command(start, command, thread)?;
                start.opening.dropped = dropped;
                start
            }
            (_, None) => return Err(RunError::NoStore { graph: self.name().to_owned() }),
        };
        let checked = reject_fault(&*start.state.values);
        checked.map_err(|error| if is_stored { error } else { error.of_outside_write() })?;
        if let Some(breakpoints) = &options.breakpoints {
            self.check_breakpoints(breakpoints)?;
        }
        Ok(start)
    }

    /// Makes the start point at `START` with the state of the thread and an update folded in. The records of
    /// unfinished tasks are dropped (F44, F57).
    async fn start_over(
        &self,
        thread: &ThreadId,
        update: S::Update,
        head: Option<Seq>,
    ) -> Result<StartPoint<S>, RunError> {
        let lineage = self.load_lineage(thread, None).await?;
        let mut state: S = self.load_state(&lineage, thread)?;
        let input = Write { node: START.into(), update: encode_update::<S>("the update", &update)? };
        state.begin_step();
        fold_update(&mut state, update, None).map_err(|panic| panic.into_error(START))?;
        let mut start = self.start_fresh(state, head)?;
        start.run = lineage.tip().run + 1;
        start.state.remembered = self.remembered_states(&lineage);
        start.opening.dropped = open_questions_in(&lineage);
        // Only checkpoints of this version can be continued by writes; others are left behind by a snapshot.
        if lineage.tip().schema == self.definition.schema {
            start.opening.input = Some(input);
            start.lineage = Some(lineage);
        }
        Ok(start)
    }

    /// Makes the start point at `START` with this state, and plans the first tasks. `head` is the newest
    /// checkpoint of the thread, which the new one follows; `None` for a new thread.
    pub(crate) fn start_fresh(&self, state: S, head: Option<Seq>) -> Result<StartPoint<S>, RunError> {
        let mut arrivals = Arrivals::default();
        let decisions = self.definition.decisions_on(&state);
        let next = self.definition.planner.plan_start(&decisions, &mut arrivals);
        decisions.into_result()?;
        let base = Base {
            seq: head.map_or(Seq(1), Seq::next),
            parent: head,
            step: 0,
            source: Source::Input,
            schema: self.definition.schema,
            is_saved: false,
        };
        let state = RunState {
            values: Arc::new(state),
            base,
            next,
            arrivals,
            records: Vec::new(),
            remembered: BTreeMap::new(),
            leaves_to: Vec::new(),
        };
        Ok(StartPoint { state, run: 1, lineage: None, opening: RunOpening::default() })
    }

    /// Makes the start point at the newest checkpoint of a thread, or at `seq`. A checkpoint that is not
    /// `head`, the newest, is forked.
    pub(crate) async fn start_from_thread(
        &self,
        thread: &ThreadId,
        seq: Option<Seq>,
        head: Option<Seq>,
    ) -> Result<StartPoint<S>, RunError> {
        let start = self.start_at(self.load_lineage(thread, seq).await?, thread)?;
        Ok(match head {
            Some(head) if head != start.state.base.seq => {
                let newest = self.load_lineage(thread, None).await?.tip().run;
                StartPoint { run: newest + 1, ..start.fork_after(head) }
            }
            _ => start,
        })
    }

    /// Makes the start point at the last checkpoint of a lineage: its state, planned tasks, joins and task
    /// records.
    pub(crate) fn start_at(&self, lineage: Lineage, thread: &ThreadId) -> Result<StartPoint<S>, RunError> {
        let tip = lineage.tip();
        let mut next = self.load_tasks(&tip.next, tip.seq, thread)?;
        let joins = self.definition.rename_joins(&tip.joins);
        let deferred = self.load_deferred(tip, thread)?;
        let state = RunState {
            values: Arc::new(self.load_state(&lineage, thread)?),
            base: Base {
                seq: tip.seq,
                parent: tip.parent,
                step: tip.step,
                source: tip.source,
                schema: tip.schema,
                is_saved: true,
            },
            arrivals: self.definition.planner.restore_arrivals(&joins, deferred, &mut next),
            next,
            records: lineage.tasks.clone(),
            remembered: self.remembered_states(&lineage),
            leaves_to: tip.rare.as_ref().map(|rare| rare.leaves_to.clone()).unwrap_or_default(),
        };
        let opening = RunOpening { is_resumed: true, ..RunOpening::default() };
        Ok(StartPoint { state, run: tip.run + 1, lineage: Some(lineage), opening })
    }

    /// Returns the settings of a run of the outermost graph. Options are limited by the bounds of the graph.
    pub(crate) fn run_config(
        &self,
        start: &StartPoint<S>,
        options: RunOptions,
        writer: Option<&Arc<dyn ThreadWriter>>,
        events: Option<EventSink>,
    ) -> Arc<RunConfig> {
        Arc::new(RunConfig {
            log: TaskLog::new(writer, options.durability),
            unfolded: Mutex::default(),
            origin: self.origin(Namespace::ROOT, start.run),
            names: self.definition.planner.names().clone(),
            first_step: start.state.base.step,
            depth: 0,
            events,
            long_term: self.long_term.clone(),
            cache: self.cache.clone(),
            activity: None,
            options: self.definition.step_bounds.restrict(options),
        })
    }

    /// Returns the facts that all checkpoints of a run share: `namespace`, the number `run`, and the graph.
    pub(crate) fn origin(&self, namespace: Namespace, run: u64) -> Arc<Origin> {
        Arc::new(Origin {
            namespace,
            run,
            name: self.definition.name.clone(),
            graph: self.definition.digest,
            schema: self.definition.schema,
        })
    }

    /// Fails for a breakpoint at a node that neither the graph nor one of its sub-graphs has.
    fn check_breakpoints(&self, breakpoints: &Breakpoints) -> Result<(), RunError> {
        let is_in_graph = |name: &str| self.definition.planner.node(name).is_some();
        if breakpoints.unknown(&is_in_graph).next().is_none() {
            return Ok(());
        }
        let paths = self.definition.topology.paths();
        let is_known = |name: &str| paths.iter().any(|path| path == name);
        let Some(name) = breakpoints.unknown(&is_known).next() else { return Ok(()) };
        // The name of an inner node alone is the likely mistake.
        let inner = paths.iter().find(|path| path.rsplit('/').next() == Some(name)).cloned();
        Err(RunError::UnknownBreakpoint {
            node: name.to_owned(),
            graph: self.name().to_owned(),
            nearest: inner.or_else(|| nearest(name, paths.iter().map(String::as_str))),
        })
    }
}

/// Returns the open questions at the end of a lineage.
fn open_questions_in(lineage: &Lineage) -> Vec<Question> {
    open_questions_of(lineage.tip(), &lineage.tasks).into_iter().map(Question::from).collect()
}
