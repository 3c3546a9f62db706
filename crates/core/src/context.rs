//! The context of a node: services, its place in the run, journaled calls, questions and events.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::checkpoint::TaskEntry;
use super::contract::Flush;
use super::dispatch::{DispatchItem, WrongItem};
use super::ended_inside::EndedGraphs;
use super::event::{EventKind, EventKinds};
use super::handler::FailedNode;
use super::id::{CheckpointId, Namespace, TaskId, ThreadId};
use super::journal::{AnswerMismatch, OwnQuestion, QuestionWithoutStore, TaskJournal};
use super::json_text::to_raw_value;
use super::long_term::LongTermStore;
use super::node_error::{NodeError, NodeResult};
use super::plan::NodeIx;
use super::pulse::{ActivityKind, ActivityTimer};
use super::read_back::to_checked;
use super::run_config::RunConfig;
use super::stop::StopWish;
use super::store_error::StoreError;

/// The context of one attempt of one task. Nodes take it as their second argument.
///
/// It gives a node the [`services`](Self::services) of the graph, the [`item`](Self::item) of a fan-out task and its place in the run, and
/// does what needs the run: [`once`](Self::once) makes a side effect survive retries and resumes, [`interrupt`](Self::interrupt) asks a
/// person a question, [`emit`](Self::emit) and [`message`](Self::message) send events to subscribers.
///
/// `D` is the type of the services.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// async fn once(_: &Count, cx: &Cx<u32>) -> NodeResult<CountUpdate> {
///     let paid = cx.once("pay", async { Ok::<_, NodeError>(*cx.services()) }).await?;
///     cx.emit("paid", &paid)?;
///     Ok(Count::update().n(paid))
/// }
/// let graph = StateGraph::new("once").node("once", once).sequence([START, "once", END]).compile_with(7)?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 7);
/// # Ok(()) }) }
/// ```
pub struct Cx<D = ()> {
    pub(crate) run: Arc<RunConfig>,
    pub(crate) services: Arc<D>,
    pub(crate) task: TaskPlace,
    /// Made at its first use, because most tasks journal nothing.
    pub(super) journal: OnceLock<Arc<Mutex<TaskJournal>>>,
    pub(crate) paused: AtomicBool,
    /// The item that the task was dispatched with.
    pub(crate) item: Option<DispatchItem>,
    /// The state at the end of the last call of the node's sub-graph.
    pub(crate) remembered: Option<Box<RawValue>>,
    /// The failure that an error handler handles; `None` in a node.
    pub(crate) failure: Option<FailedNode>,
    /// The activity timer of the attempt, if the node has an idle limit.
    pub(crate) activity: Option<Arc<ActivityTimer>>,
    /// True when the attempt has ended. Only a [`SharedCx`](super::SharedCx) outlives its attempt.
    pub(super) has_ended: AtomicBool,
}

/// The identity of one attempt of a task: the task id, the node, the superstep and the number of the attempt.
#[derive(Clone, Copy)]
pub(crate) struct TaskPlace {
    pub(crate) id: TaskId,
    pub(crate) node: NodeIx,
    pub(crate) step: u64,
    pub(crate) attempt: u32,
}

impl<D> Cx<D> {
    /// Makes the context of the first attempt of a task, with an empty journal and without item and failure.
    /// The caller sets those of a task that has them.
    pub(crate) fn new(run: Arc<RunConfig>, services: Arc<D>, task: TaskPlace) -> Self {
        Self {
            run,
            services,
            task,
            journal: OnceLock::new(),
            paused: AtomicBool::new(false),
            item: None,
            remembered: None,
            failure: None,
            activity: None,
            has_ended: AtomicBool::new(false),
        }
    }

    /// Returns the services that the graph was compiled with.
    pub fn services(&self) -> &D {
        &self.services
    }

    /// Returns the services as an `Arc`, for a graph that the node runs itself.
    pub fn shared_services(&self) -> Arc<D> {
        self.services.clone()
    }

    /// Returns the item that the task was dispatched with (F21).
    ///
    /// # Errors
    /// Returns a permanent [`WrongItem`](super::WrongItem) when the task has no item, or an item of another type.
    pub fn item<T: DeserializeOwned + Send + Sync + 'static>(&self) -> NodeResult<&T> {
        let item = self.item.as_ref().ok_or_else(WrongItem::missing::<T>).and_then(DispatchItem::get);
        item.map_err(|wrong| NodeError::from(wrong).permanent())
    }

    /// Returns the long-term store of the graph (LangGraph F71).
    ///
    /// # Errors
    /// Returns a permanent [`NoLongTermStore`] when the graph has none.
    pub fn store(&self) -> NodeResult<&dyn LongTermStore> {
        let store = self.run.long_term.as_deref();
        store.ok_or_else(|| NodeError::from(NoLongTermStore).permanent())
    }

    /// Returns the name of the node.
    pub fn node(&self) -> &str {
        &self.run.names[self.task.node.at()]
    }

    /// Returns the id of the task. Together with the [`thread`](Self::thread), the [`step`](Self::step) and a number of the node's own it
    /// makes an idempotency key for outside effects. The id alone is no such key, because all supersteps share one base checkpoint when no
    /// step is saved.
    pub fn task(&self) -> TaskId {
        self.task.id
    }

    /// Returns the number of the superstep, from 1.
    pub fn step(&self) -> u64 {
        self.task.step
    }

    /// Returns the number of the attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.task.attempt
    }

    /// Returns the number of supersteps that the run may still do after this one; 0 in the last (F26).
    pub fn remaining_steps(&self) -> u64 {
        self.run.last_step().saturating_sub(self.task.step)
    }

    /// Returns the failure that an error handler handles; `None` in a node (F33).
    pub fn failure(&self) -> Option<&FailedNode> {
        self.failure.as_ref()
    }

    /// Returns the name of the graph.
    pub fn graph(&self) -> &str {
        &self.run.origin.name
    }

    /// Returns the path of nested graphs down to this one; the root for the outermost graph.
    pub fn namespace(&self) -> &Namespace {
        self.run.namespace()
    }

    /// Returns the number of the run among those of its thread, from 1. Every run, resume, update and fork counts (F29).
    pub fn run(&self) -> u64 {
        self.run.origin.run
    }

    /// Returns the checkpoint that the task starts from; `None` when steps are not saved, and inside a sub-graph.
    pub fn checkpoint(&self) -> Option<CheckpointId> {
        let is_saved = self.run.log.writes_steps() && self.run.namespace().is_root();
        let thread = self.run.thread().filter(|_| is_saved)?;
        Some(CheckpointId { thread: thread.clone(), seq: self.task.id.base })
    }

    /// Resets the idle limit of the node: tells the engine that the node still makes progress (F35).
    pub fn heartbeat(&self) {
        self.note_activity(ActivityKind::Heartbeats);
    }

    pub(super) fn note_activity(&self, sign: ActivityKind) {
        self.activity.iter().chain(&self.run.activity).for_each(|activity| activity.note(sign));
    }

    /// Returns the thread; `None` when the run is not checkpointed.
    pub fn thread(&self) -> Option<&ThreadId> {
        self.run.thread()
    }

    /// Runs `work` once in the life of the task. The result is journaled before this method returns, and every retry and resume gets that
    /// result instead of running `work` again (parity D7, P3, P16). Errors are not journaled. The result stands for the graphs that ended inside
    /// the work too: their logs are not read again.
    ///
    /// Within a task each piece of work needs its own key. The key identifies the work across attempts, so it must not depend on chance or
    /// time.
    ///
    /// # Errors
    /// Returns the error of `work`; a permanent [`RepeatedKey`](super::RepeatedKey) when this attempt has used the key before and its work
    /// has a result or is in progress; an error when JSON would give back another value than the result; and the error of the store when
    /// the result cannot be journaled.
    pub async fn once<T, E>(
        &self,
        key: &str,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> NodeResult<T>
    where
        T: Serialize + DeserializeOwned,
        E: Into<NodeError>,
    {
        self.check_running()?;
        let key: Arc<str> = key.into();
        let known = self.journal().begin_once(&key).map_err(|repeated| {
            let hint = format!("give each piece of work a key of its own, such as `{key}.2`");
            NodeError::from(repeated).permanent().with_hint(hint)
        })?;
        if let Some(known) = known {
            return Ok(serde_json::from_str(known.get())?);
        }
        let guard = OnceGuard { cx: self, key: &key };
        let (value, inner) = EndedGraphs::watch(work).await;
        let value = value.map_err(Into::into)?;
        let inner = inner.of(&self.run, self.task.id);
        self.note_activity(ActivityKind::All);
        // Checked like an update, because the next attempt must get the same value.
        let raw = to_checked(&value).map_err(|error| {
            NodeError::msg(format!("the result of `{key}` cannot be journaled: {error}")).permanent()
        })?;
        let entry = TaskEntry::Once { key: key.clone(), value: raw.clone(), inner: inner.clone() };
        // Permanent, because a retry would repeat the side effect, which is worse than a failure.
        let ack = self.run.log.append(self.task.id, entry, Flush::Synced).map_err(permanent_error)?;
        // Stored before it is durable, because the attempt may time out during the wait and is then retried.
        self.journal().store_result(key.clone(), raw);
        if !inner.is_empty() {
            self.journal().inner_logs().remove(&inner);
        }
        drop(guard);
        ack.wait().await.map_err(permanent_error)?;
        Ok(value)
    }

    /// Asks a question and waits for the answer, which may come much later and in another process.
    ///
    /// The run stops with [`Status::Waiting`](super::Status::Waiting). After it is resumed with an answer, the node runs again from its
    /// start, and this call returns the answer. Put side effects before the question into [`once`](Self::once), because they would happen
    /// again.
    ///
    /// An answer belongs to its question. When the node asks another question in the same place, the new question is open and the old
    /// answer is dropped.
    ///
    /// # Errors
    /// Returns an [`AnswerMismatch`](super::AnswerMismatch) when the answer is not an `A`, and a
    /// [`QuestionWithoutStore`](super::QuestionWithoutStore) in a run without a checkpoint store. Both are permanent.
    pub async fn interrupt<A: DeserializeOwned>(
        &self,
        question: &(impl Serialize + Sync + ?Sized),
    ) -> NodeResult<A> {
        self.ask(OwnQuestion { payload: to_raw_value(question)?, schema: None }).await
    }

    /// Asks a question like [`interrupt`](Self::interrupt), with a JSON Schema for its answer. An answer that does not match is rejected
    /// when it is given, and the question stays open (D6).
    #[cfg(feature = "answers")]
    pub async fn interrupt_with<A: DeserializeOwned>(
        &self,
        question: &(impl Serialize + Sync + ?Sized),
        schema: &serde_json::Value,
    ) -> NodeResult<A> {
        super::answers::check_schema(schema).map_err(|error| NodeError::from(error).permanent())?;
        let schema = Some(to_raw_value(schema)?);
        self.ask(OwnQuestion { payload: to_raw_value(question)?, schema }).await
    }

    async fn ask<A: DeserializeOwned>(&self, question: OwnQuestion) -> NodeResult<A> {
        self.check_running()?;
        if !self.run.log.is_on() {
            return Err(NodeError::from(QuestionWithoutStore).permanent());
        }
        let (call, answer) = self.journal().next_question(&question);
        let Some(answer) = answer else { return self.pause().await };
        match serde_json::from_str(answer.get()) {
            Ok(answer) => Ok(answer),
            Err(reason) => {
                self.journal().reject(call, &question);
                self.run.log.record(self.task.id, TaskEntry::Rejected { call }, Flush::Synced).await?;
                Err(NodeError::from(AnswerMismatch { call, reason: reason.to_string() }).permanent())
            }
        }
    }

    /// Marks the attempt as paused and never returns: the engine sees the mark after the poll and drops the
    /// future of the node. The task runs again when the thread is resumed.
    pub(crate) async fn pause<T>(&self) -> NodeResult<T> {
        self.paused.store(true, Ordering::Release);
        std::future::pending().await
    }

    /// Sends subscribers an [`EventKind::Custom`](super::EventKind::Custom) with this name and data. Does nothing when there is no
    /// subscriber.
    pub fn emit(&self, name: &str, data: &(impl Serialize + ?Sized)) -> NodeResult<()> {
        self.note_activity(ActivityKind::All);
        let Some(events) = &self.run.events else { return Ok(()) };
        let data: Box<RawValue> = to_raw_value(data)?;
        events.send(EventKinds::CUSTOM, self.task.step, || EventKind::Custom {
            node: self.node().to_owned(),
            name: name.to_owned(),
            data,
        });
        Ok(())
    }

    /// Returns true when a subscriber takes [`EventKinds::MESSAGES`](super::EventKinds::MESSAGES). A node can stream a model's text only
    /// then.
    pub fn wants_messages(&self) -> bool {
        self.run.events.as_ref().is_some_and(|events| events.kinds.contains(EventKinds::MESSAGES))
    }

    /// Waits until the run is asked to stop. Never returns in a run without a [`Stop`](super::Stop).
    pub async fn cancelled(&self) {
        match &self.run.options.stop {
            Some(stop) => stop.wait_for(StopWish::Drain).await,
            None => std::future::pending().await,
        }
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, TaskJournal> {
        self.journal.get_or_init(Arc::default).lock().expect("no holder of the journal panics")
    }
}

/// The guard of a call of [`Cx::once`] in progress. Dropping it before a result is stored lets this attempt
/// use the key again.
struct OnceGuard<'a, D> {
    cx: &'a Cx<D>,
    key: &'a str,
}

impl<D> Drop for OnceGuard<'_, D> {
    fn drop(&mut self) {
        self.cx.journal().give_up_once(self.key);
    }
}

/// The error of a node that needs the long-term store in a graph that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the graph has no long-term store; give it one with `with_long_term`")]
pub struct NoLongTermStore;

fn permanent_error(error: StoreError) -> NodeError {
    let hint = error.hint();
    NodeError::from(error).permanent().with_hint(hint)
}
