//! Runs a graph inside a task. Its log is part of the task's: each of its records is one of the thread, under the task and a key.
//! So one atomic log holds all levels, a crash at any append is like any other, and a fork or a prune takes the inside along.
//! What a sub-graph is as a node, `subgraph.rs` says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::value::RawValue;

use super::begin::{Start, answer};
use super::checkpoint::{Asked, InnerQuestion, Record, TaskEntry, TaskRecord, open_questions};
use super::context::Cx;
use super::contract::{Ack, Flush, Lineage, ThreadWriter};
use super::error::RunError;
use super::graph::CompiledGraph;
use super::id::{Namespace, QuestionId, Seq, TaskId, ThreadId};
use super::inner_log::{InnerLogs, delta_of};
use super::nesting::{NESTING_MAX, Roomy};
use super::node_error::{NodeError, NodeResult, Retryable};
use super::outcome::{Question, Status, Stopped};
use super::pulse::Pulse;
use super::recorder::{Durability, RunShared};
use super::request::RunOptions;
use super::state::State;
use super::store_error::StoreError;

/// Where the log of a sub-graph is, and how long it counts (LangGraph F60).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Persistence {
    /// Under the task that runs it: a resume goes on inside, another call starts anew.
    #[default]
    PerCall,
    /// The same, and another call on the thread starts with the state that the last one ended with.
    PerThread,
    /// Nowhere: a resume starts it anew, and it cannot ask questions.
    Off,
}

/// A graph to be run inside a task.
pub(crate) struct InnerCall<'a, C: State, E: Send + Sync + 'static> {
    /// Tells several of one task apart; empty for a node that is a sub-graph.
    pub(crate) key: &'a str,
    pub(crate) graph: CompiledGraph<C, E>,
    pub(crate) persistence: Persistence,
}

/// How a graph inside a task ended.
pub(crate) struct InnerEnd<C: State> {
    pub(crate) state: C,
    /// All that it wrote.
    pub(crate) delta: C::Update,
    /// Where it sends the graph around it.
    pub(crate) leaves_to: Vec<Arc<str>>,
}

impl<D: Send + Sync + 'static> Cx<D> {
    /// Runs another graph inside this task, on this state, and gives the state it ends with (LangGraph F59). What it did is in the
    /// log of the task: when the task runs again, the graph goes on where it stood, and one that has ended is not run again. Its
    /// questions become questions of the task. Within a task a key stands for one call.
    pub async fn subgraph<C: State, E: Send + Sync + 'static>(
        &self,
        key: &str,
        graph: &CompiledGraph<C, E>,
        state: C,
    ) -> NodeResult<C> {
        let call = InnerCall { key, graph: graph.clone(), persistence: Persistence::PerCall };
        let end = self.run_inner(call, || Ok(state)).await?;
        if end.leaves_to.is_empty() {
            return Ok(end.state);
        }
        let error = NodeError::msg("a graph that a node runs by itself cannot send the run elsewhere");
        Err(error.permanent().with_hint("add the graph as a node of its own"))
    }

    /// The same for any way of keeping its log.
    pub(crate) async fn run_inner<C: State, E: Send + Sync + 'static>(
        &self,
        call: InnerCall<'_, C, E>,
        enter: impl FnOnce() -> NodeResult<C> + Send,
    ) -> NodeResult<InnerEnd<C>> {
        let InnerCall { key, graph, persistence } = call;
        let depth = self.run.depth + 1 + graph.inner.depth;
        if depth > NESTING_MAX {
            return Err(inside(RunError::NestingLimit { graph: graph.name().to_owned(), depth }));
        }
        let thread = self.run.thread.clone().unwrap_or_else(|| ThreadId::derived(&["unsaved"]));
        let (log, answers) = self.journal().inner(key);
        let start = match Lineage::of_log(&log) {
            Some(lineage) => graph.start_at(lineage, &thread),
            None => graph.fresh(enter()?, None),
        };
        let start = start.map_err(inside)?;
        let delta =
            delta_of(&start.state, &log, &thread, graph.name(), &graph.inner.reading).map_err(inside)?;
        let answers = still_open(&start, answers);
        let writer = self.inner_writer(key, persistence, &log, &answers);
        let driving = Inside { graph, start, delta, answers, writer };
        match Roomy(Box::pin(self.drive_inner(key, driving))).await.map_err(inside) {
            Ok((Status::Done, end)) => Ok(end),
            Ok((Status::Waiting(questions), _)) => {
                self.note_questions(key, questions);
                self.pause().await
            }
            Ok((Status::Drained, _)) => self.stop(Stopped::Drained).await,
            Ok((Status::Paused(at), _)) => self.stop(Stopped::Paused(at.inside(self.node()))).await,
            Err(error) if matches!(error.downcast_ref(), Some(RunError::Cancelled { .. })) => {
                // Whoever runs this task is being cancelled as well.
                std::future::pending().await
            }
            Err(error) => Err(error),
        }
    }

    async fn drive_inner<C: State, E: Send + Sync + 'static>(
        &self,
        key: &str,
        inside: Inside<C, E>,
    ) -> Result<(Status, InnerEnd<C>), RunError> {
        let Inside { graph, mut start, delta, answers, writer } = inside;
        let writer = writer.map(|writer| -> Arc<dyn ThreadWriter> { writer });
        let namespace = self.run.namespace.inside(self.node(), self.task.id, key);
        let shared = graph.shared_inside(&self.run, namespace, writer.as_ref(), self.pulse.clone());
        let answers = answers.into_iter().map(|(id, _, answer)| (id, answer)).collect();
        answer(&mut start, &shared, answers).await?;
        let limits = self.run.limits;
        let options = RunOptions {
            step_limit: limits.steps,
            max_concurrency: limits.concurrency,
            ..RunOptions::default()
        };
        start.run = self.run.course().run;
        let mut driver = graph.driver(start, &options, shared, writer);
        driver.total = Some(delta);
        driver.start().await?;
        let status = driver.run().await?;
        let state = Arc::try_unwrap(driver.state).unwrap_or_else(|shared| (*shared).clone());
        let delta = driver.total.unwrap_or_default();
        Ok((status, InnerEnd { state, delta, leaves_to: driver.leaves_to }))
    }

    fn inner_writer(
        &self,
        key: &str,
        persistence: Persistence,
        log: &[Record],
        answers: &[(QuestionId, u32, Box<RawValue>)],
    ) -> Option<Arc<InnerWriter>> {
        if self.run.writer.is_none() || persistence == Persistence::Off {
            return None;
        }
        let head = log.iter().rev().find_map(|record| match record {
            Record::Checkpoint(checkpoint) => Some(checkpoint.seq),
            Record::Task(_) => None,
        });
        Some(Arc::new(InnerWriter {
            run: self.run.clone(),
            task: self.task.id,
            key: key.into(),
            logs: self.journal().inner_logs(),
            head: Mutex::new(head),
            answered: answers.iter().map(|(id, call, _)| (*id, *call)).collect(),
        }))
    }

    async fn stop<T>(&self, stopped: Stopped) -> NodeResult<T> {
        self.journal().stopped = Some(stopped);
        self.pause().await
    }

    /// Makes questions of the task out of those of a graph inside it.
    fn note_questions(&self, key: &str, questions: Vec<Question>) {
        let mut journal = self.journal();
        for question in questions {
            let call = journal.inner_call(key, question.id);
            journal.asked.push(Asked {
                call,
                question: question.payload,
                schema: question.schema,
                dropped_answer: None,
                inner: Some(InnerQuestion { key: key.into(), id: question.id }),
            });
        }
    }
}

/// A run that is ready to begin.
struct Inside<C: State, E: Send + Sync + 'static> {
    graph: CompiledGraph<C, E>,
    start: Start<C>,
    delta: C::Update,
    answers: Vec<(QuestionId, u32, Box<RawValue>)>,
    writer: Option<Arc<InnerWriter>>,
}

impl<C: State, E: Send + Sync + 'static> CompiledGraph<C, E> {
    /// What the tasks of a run inside a task share.
    fn shared_inside(
        &self,
        outer: &RunShared,
        namespace: Namespace,
        writer: Option<&Arc<dyn ThreadWriter>>,
        pulse: Option<Arc<Pulse>>,
    ) -> Arc<RunShared> {
        Arc::new(RunShared {
            names: self.inner.planner.names().clone(),
            thread: outer.thread.clone(),
            writer: writer.map(Arc::downgrade),
            durability: match outer.durability {
                // What is held back is held back by the run around it.
                Durability::Exit => Durability::ASYNC,
                durability => durability,
            },
            events: outer.events.as_ref().map(|events| events.inside(namespace.clone())),
            namespace,
            depth: outer.depth + 1,
            stop: outer.stop.clone(),
            long_term: outer.long_term.clone(),
            cache: outer.cache.clone(),
            held: Mutex::default(),
            limits: outer.limits,
            graph: self.inner.name.clone(),
            course: OnceLock::new(),
            pulse: pulse.or_else(|| outer.pulse.clone()),
        })
    }
}

/// The answers that the graph inside still waits for; others reached it before.
fn still_open<C>(
    start: &Start<C>,
    answers: Vec<(QuestionId, u32, Box<RawValue>)>,
) -> Vec<(QuestionId, u32, Box<RawValue>)> {
    let open = open_questions(&start.records);
    answers.into_iter().filter(|(id, _, _)| open.contains(id)).collect()
}

/// The error of a graph inside a task, as the task's.
fn inside(error: RunError) -> NodeError {
    let hint = error.hint();
    let permanent = match &error {
        RunError::Node { source, .. } => source.retryable() == Retryable::Never,
        _ => true,
    };
    let error = NodeError::from(error);
    let error = if permanent { error.permanent() } else { error };
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// The claim of a run inside a task: what it appends becomes a record of the task.
struct InnerWriter {
    run: Arc<RunShared>,
    task: TaskId,
    key: Arc<str>,
    /// For another attempt of the task.
    logs: InnerLogs,
    head: Mutex<Option<Seq>>,
    /// The questions that were answered for this run, with those of the task that stand for them.
    answered: BTreeMap<QuestionId, u32>,
}

impl InnerWriter {
    /// The task's question whose answer the graph inside rejected.
    fn rejected(&self, record: &Record) -> Option<u32> {
        match record {
            Record::Task(TaskRecord { task, entry: TaskEntry::Rejected { call } }) => {
                self.answered.get(&QuestionId { task: *task, call: *call }).copied()
            }
            _ => None,
        }
    }
}

impl ThreadWriter for InnerWriter {
    fn head(&self) -> Option<Seq> {
        *self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError> {
        if let Record::Checkpoint(checkpoint) = &record {
            *self.head.lock().unwrap_or_else(PoisonError::into_inner) = Some(checkpoint.seq);
        }
        let rejected = self.rejected(&record);
        self.logs.push(&self.key, record.clone());
        let entry = TaskEntry::Inner { key: self.key.clone(), record: Box::new(record) };
        let ack = self.run.append(self.task, entry, flush)?;
        match rejected {
            // Later in the log, so that waiting for it is waiting for both.
            Some(call) => self.run.append(self.task, TaskEntry::Rejected { call }, flush),
            None => Ok(ack),
        }
    }
}
