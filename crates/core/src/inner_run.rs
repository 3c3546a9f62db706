//! Runs a graph inside a task. Each record of its log is a record of the task, under a key. So one atomic log holds all levels: a crash at
//! any append is like any other, and a fork or a prune includes the inner graphs. `subgraph.rs` makes a graph a node.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answering::accept_answers;
use super::checkpoint::{AskedQuestion, InnerQuestion, Record, TaskEntry, TaskRecord, open_questions};
use super::commit::encode_state;
use super::context::Cx;
use super::contract::{Ack, Flush, Lineage, ThreadWriter};
use super::ended_inside::EndedGraphs;
use super::error::RunError;
use super::graph::CompiledGraph;
use super::id::{QuestionId, Seq, TaskId, ThreadId};
use super::inner_graph::Persistence;
use super::inner_log::{InnerLogs, delta_of};
use super::journal::InnerAnswer;
use super::json_text::to_raw_value;
use super::nesting::{DeepFuture, NESTING_MAX};
use super::node_error::{NodeError, NodeResult, Retryable};
use super::outcome::{Question, Status, Stopped};
use super::run_config::{RunConfig, RunOptions};
use super::run_loop::RunLoop;
use super::spending::sum_spent;
use super::start::StartPoint;
use super::state::State;
use super::store_error::StoreError;
use super::task_log::{Durability, TaskLog};

/// A call of a graph inside a task: the argument of [`Cx::run_inner`].
pub struct InnerCall<'a, C: State, E: Send + Sync + 'static> {
    /// Distinguishes several graphs inside one task; empty for a node that is a sub-graph.
    pub key: &'a str,
    /// The graph.
    pub graph: CompiledGraph<C, E>,
    /// The lifetime of its log.
    pub persistence: Persistence,
}

/// The result of a graph that has ended inside a task.
pub struct InnerEnd<C: State> {
    /// The final state.
    pub state: C,
    /// All updates that the graph wrote, merged into one.
    pub delta: C::Update,
    /// The nodes of the outer graph that run next; empty unless a node of the graph returned a
    /// [`goto_parent`](super::Command::goto_parent).
    pub leaves_to: Vec<Arc<str>>,
}

impl<D: Send + Sync + 'static> Cx<D> {
    /// Runs another graph inside this task, on this state, and returns its final state (LangGraph F59). Its checkpoints and records are in
    /// the log of the task: when the task runs again, the graph continues where it stood, and a graph that has ended is not run again. Its
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
        Err(cannot_leave())
    }

    /// Runs another graph inside this task as [`subgraph`](Self::subgraph) does, with a log of this lifetime (LangGraph F60). `enter` makes
    /// the state that the graph begins with. With [`Persistence::PerThread`] it gets the state that the last call under this key ended with
    /// in this node, on the same thread; `None` for the first call and for the other lifetimes.
    ///
    /// The remembered state is a part of the checkpoint after the node, so that a fork has the state of then. When several tasks of one
    /// superstep run the same node, the states of the last of them in task order count.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use serde::{Deserialize, Serialize};
    /// use stategraph_core::store::MemoryStore;
    /// use stategraph_core::{CompiledGraph, Cx, END, NodeResult, Persistence, START, State, StateGraph, ThreadId};
    ///
    /// #[derive(State, Clone, Default, Serialize, Deserialize)]
    /// struct Count {
    ///     n: u32,
    /// }
    ///
    /// async fn counts(_: &Count, cx: &Cx<CompiledGraph<Count>>) -> NodeResult<CountUpdate> {
    ///     let enter = |last: Option<Count>| last.unwrap_or_default();
    ///     let end = cx.subgraph_with("visits", cx.services(), Persistence::PerThread, enter).await?;
    ///     Ok(Count::update().n(end.n))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let visits = StateGraph::<Count>::new("visits")
    ///     .node("add", async |count: &Count| Count::update().n(count.n + 1))
    ///     .sequence([START, "add", END])
    ///     .compile()?;
    /// let graph = StateGraph::new("outer").node("counts", counts).sequence([START, "counts", END]).compile_with(visits)?;
    /// let graph = graph.with_store(Arc::new(MemoryStore::new()));
    /// let thread = ThreadId::new("visitor")?;
    /// graph.run(Count::default()).thread(thread.clone()).await?;
    /// assert_eq!(graph.run(Count::default()).thread(thread).await?.state.n, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn subgraph_with<C: State, E: Send + Sync + 'static>(
        &self,
        key: &str,
        graph: &CompiledGraph<C, E>,
        persistence: Persistence,
        enter: impl FnOnce(Option<C>) -> C + Send,
    ) -> NodeResult<C> {
        let remembered = match persistence {
            Persistence::PerThread => self.remembered_call(key)?,
            Persistence::PerCall | Persistence::Off => None,
        };
        let call = InnerCall { key, graph: graph.clone(), persistence };
        let end = self.run_inner(call, || Ok(enter(remembered))).await?;
        if !end.leaves_to.is_empty() {
            return Err(cannot_leave());
        }
        if persistence == Persistence::PerThread {
            let state = encode_state(&end.state).map_err(|error| NodeError::from(error).permanent())?;
            self.journal().remembered_calls.insert(key.into(), state);
        }
        Ok(end.state)
    }

    /// Returns the state that the last call under this key ended with, with ephemeral channels reset; `None`
    /// when there was none.
    fn remembered_call<C: State>(&self, key: &str) -> NodeResult<Option<C>> {
        let Some(state) = RememberedCalls::of(self.remembered.as_deref()).calls.remove(key) else {
            return Ok(None);
        };
        let mut state: C = serde_json::from_str(state.get())?;
        state.begin_step();
        Ok(Some(state))
    }

    /// Returns true when this attempt has called a graph that is kept per thread.
    pub(crate) fn has_remembered_calls(&self) -> bool {
        self.journal
            .get()
            .is_some_and(|journal| journal.lock().is_ok_and(|journal| !journal.remembered_calls.is_empty()))
    }

    /// Takes the states that calls in this attempt ended with, and returns them as JSON together with those
    /// of earlier calls under other keys. Returns `None` when this attempt called no graph that is kept per
    /// thread.
    pub(crate) fn take_remembered_calls(&self) -> Option<Box<RawValue>> {
        // Most tasks have no journal, and none is made for this.
        let made = std::mem::take(&mut self.journal.get()?.lock().ok()?.remembered_calls);
        if made.is_empty() {
            return None;
        }
        let mut all = RememberedCalls::of(self.remembered.as_deref());
        all.calls.extend(made);
        Some(to_raw_value(&all).expect("texts of JSON under texts are JSON"))
    }

    /// Returns the state, as JSON, that the last call of the node's sub-graph ended with; `None` at the first call, and unless the node
    /// keeps it with [`Command::after_graph`](super::Command::after_graph) and [`Persistence::PerThread`].
    pub fn remembered(&self) -> Option<&RawValue> {
        self.remembered.as_deref()
    }

    /// Runs a graph inside this task like [`subgraph`](Self::subgraph), for a node whose work is that graph.
    /// Returns the final state, the merged updates, and the nodes of the outer graph to run next; the node
    /// passes these on with [`Command::after_graph`](super::Command::after_graph). `enter` makes the state of
    /// a graph that has not begun yet.
    pub async fn run_inner<C: State, E: Send + Sync + 'static>(
        &self,
        call: InnerCall<'_, C, E>,
        enter: impl FnOnce() -> NodeResult<C> + Send,
    ) -> NodeResult<InnerEnd<C>> {
        self.check_running()?;
        let InnerCall { key, graph, persistence } = call;
        let depth = self.run.depth + 1 + graph.definition.depth;
        if depth > NESTING_MAX {
            return Err(inner_error(RunError::NestingLimit { graph: graph.name().to_owned(), depth }));
        }
        let thread = self.run.thread().cloned().unwrap_or_else(|| ThreadId::from_parts(&["unsaved"]));
        let (log, mut answers) = self.journal().inner_log_and_answers(key);
        let start = match Lineage::of_log(&log) {
            Some(lineage) => graph.start_at(lineage, &thread),
            None => graph.start_fresh(enter()?, None),
        };
        let start = start.map_err(inner_error)?;
        let reading = &graph.definition.state_reader;
        let delta =
            delta_of(&*start.state.values, &log, &thread, graph.name(), reading).map_err(inner_error)?;
        // Other answers reached the graph in an earlier run.
        let open = open_questions(&start.state.records);
        answers.retain(|(id, _, _)| open.contains(id));
        let writer = self.inner_writer(key, persistence, &log, &answers);
        let run = InnerRun { graph, start, delta, answers, writer };
        match DeepFuture(Box::pin(self.drive_inner(key, run))).await.map_err(inner_error) {
            Ok((Status::Done, end)) => {
                EndedGraphs::note_end(&self.run, self.task.id, key);
                Ok(end)
            }
            Ok((Status::Waiting(questions), _)) => {
                self.ask_for_inner(key, questions);
                self.pause().await
            }
            Ok((Status::Drained, _)) => self.stop(Stopped::Drained).await,
            Ok((Status::Paused(at), _)) => self.stop(Stopped::Paused(at.inside(self.node()))).await,
            Err(error) if matches!(error.downcast_ref(), Some(RunError::Cancelled { .. })) => {
                // The run of this task is being cancelled too, and reports it.
                std::future::pending().await
            }
            Err(error) => Err(error),
        }
    }

    async fn drive_inner<C: State, E: Send + Sync + 'static>(
        &self,
        key: &str,
        inner: InnerRun<C, E>,
    ) -> Result<(Status, InnerEnd<C>), RunError> {
        let InnerRun { graph, mut start, delta, answers, writer } = inner;
        let writer = writer.map(|writer| -> Arc<dyn ThreadWriter> { writer });
        let config = self.inner_config(key, &graph, &start, writer.as_ref());
        let answers = answers.into_iter().map(|(id, _, answer)| (id, answer)).collect();
        accept_answers(&mut start.state.records, &config.log, answers).await?;
        let mut run = RunLoop::new(graph, config, start, writer);
        run.delta = Some(delta);
        run.begin().await?;
        let ended = run.run().await;
        let state = Arc::unwrap_or_clone(run.state.values);
        let unfolded = run.config.unfolded();
        let delta = run.delta.unwrap_or_default();
        // The node counts a graph that is done.
        let spent = match ended {
            Ok(Status::Done) => None,
            _ => sum_spent(C::spent_by(&delta).into_iter().chain(unfolded)),
        };
        let mut journal = self.journal();
        match spent {
            Some(spent) => drop(journal.spent_inside.insert(key.into(), spent)),
            None => drop(journal.spent_inside.remove(key)),
        }
        drop(journal);
        Ok((ended?, InnerEnd { state, delta, leaves_to: run.state.leaves_to }))
    }

    /// Returns the settings of a run of `graph` inside this task: the thread, limits and stores of the run
    /// around it, further limited by the bounds of `graph` (F62).
    fn inner_config<C: State, E: Send + Sync + 'static>(
        &self,
        key: &str,
        graph: &CompiledGraph<C, E>,
        start: &StartPoint<C>,
        writer: Option<&Arc<dyn ThreadWriter>>,
    ) -> Arc<RunConfig> {
        let outer = &self.run;
        let namespace = outer.namespace().child(self.node(), self.task.id, key);
        let options = RunOptions {
            durability: match outer.options.durability {
                // The run around it holds the records back already.
                Durability::Exit => Durability::ASYNC,
                durability => durability,
            },
            // The timeout of the superstep around it covers the whole inner run.
            step_timeout: None,
            breakpoints: outer.options.breakpoints.as_ref().and_then(|stops| stops.within(self.node())),
            ..outer.options.clone()
        };
        let options = graph.definition.step_bounds.restrict(options);
        Arc::new(RunConfig {
            log: TaskLog::new(writer, options.durability),
            unfolded: Mutex::default(),
            names: graph.definition.planner.names().clone(),
            first_step: start.state.base.step,
            depth: outer.depth + 1,
            events: outer.events.as_ref().map(|events| events.inside(namespace.clone())),
            long_term: outer.long_term.clone(),
            cache: outer.cache.clone(),
            activity: self.activity.clone().or_else(|| outer.activity.clone()),
            origin: graph.origin(namespace, outer.origin.run),
            options,
        })
    }

    fn inner_writer(
        &self,
        key: &str,
        persistence: Persistence,
        log: &[Record],
        answers: &[InnerAnswer],
    ) -> Option<Arc<InnerWriter>> {
        if !self.run.log.is_on() || persistence == Persistence::Off {
            return None;
        }
        let head = log.iter().rev().find_map(|record| match record {
            Record::Checkpoint(checkpoint) => Some(checkpoint.seq),
            Record::Task(_) => None,
        });
        Some(Arc::new(InnerWriter {
            outer: self.run.clone(),
            task: self.task.id,
            key: key.into(),
            logs: self.journal().inner_logs(),
            head: Mutex::new(head),
            answered: answers.iter().map(|(id, call, _)| (*id, *call)).collect(),
        }))
    }

    /// Pauses the attempt because a graph inside the task stopped, and stores the reason in the journal.
    async fn stop<T>(&self, stopped: Stopped) -> NodeResult<T> {
        self.journal().stopped = Some(stopped);
        self.pause().await
    }

    /// Adds the questions of a graph inside the task to those of the task, under numbers of the task.
    fn ask_for_inner(&self, key: &str, questions: Vec<Question>) {
        let mut journal = self.journal();
        let logs = journal.inner_logs();
        for question in questions {
            let call = journal.inner_call(key, question.id);
            let dropped_answer = logs.dropped_answer(key, question.id);
            journal.asked.push(AskedQuestion {
                call,
                question: question.payload,
                schema: question.schema,
                dropped_answer,
                inner: Some(InnerQuestion { key: key.into(), id: question.id }),
            });
        }
    }
}

fn cannot_leave() -> NodeError {
    let error = NodeError::msg("a graph that a node runs by itself cannot send the run elsewhere");
    error.permanent().with_hint("add the graph as a node of its own")
}

/// The remembered states of a node whose code calls graphs, by key of the call. It is stored in the
/// checkpoint in the same field as the state of a node that is itself a sub-graph.
#[derive(Default, Serialize, Deserialize)]
struct RememberedCalls {
    #[serde(rename = "calls by key")]
    calls: BTreeMap<Arc<str>, Box<RawValue>>,
}

impl RememberedCalls {
    /// Reads the remembered states of a node. Empty when there are none, and when the node was a sub-graph in
    /// an older version, whose remembered state has another form.
    fn of(remembered: Option<&RawValue>) -> Self {
        remembered.and_then(|remembered| serde_json::from_str(remembered.get()).ok()).unwrap_or_default()
    }
}

/// A run inside a task that is ready to begin.
struct InnerRun<C: State, E: Send + Sync + 'static> {
    graph: CompiledGraph<C, E>,
    start: StartPoint<C>,
    /// The sum of the updates that the graph wrote in earlier runs.
    delta: C::Update,
    answers: Vec<InnerAnswer>,
    writer: Option<Arc<InnerWriter>>,
}

/// Returns the error of a graph inside a task as an error of the task. It is permanent unless a node failed with a temporary error.
fn inner_error(error: RunError) -> NodeError {
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

/// The writer of a run inside a task: appends each record as a record of the task.
struct InnerWriter {
    /// The run of the task.
    outer: Arc<RunConfig>,
    task: TaskId,
    key: Arc<str>,
    /// The task's own copy of the logs, which its next attempt reads.
    logs: InnerLogs,
    head: Mutex<Option<Seq>>,
    /// The questions that were answered for this run, with the calls of the task's questions that stand for them.
    answered: BTreeMap<QuestionId, u32>,
}

impl InnerWriter {
    /// Returns the number of the task's question whose answer the inner graph rejects with this record;
    /// `None` for other records.
    fn rejected_call(&self, record: &Record) -> Option<u32> {
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
        let rejected = self.rejected_call(&record);
        self.logs.push(&self.key, record.clone());
        let entry = TaskEntry::Inner { key: self.key.clone(), record: Box::new(record) };
        let ack = self.outer.log.append(self.task, entry, flush)?;
        match rejected {
            // Later in the log, so that its acknowledgement covers both records.
            Some(call) => self.outer.log.append(self.task, TaskEntry::Rejected { call }, flush),
            None => Ok(ack),
        }
    }
}
