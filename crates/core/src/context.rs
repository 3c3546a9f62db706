//! What a node is given besides the state: services, its place in the run, journaled calls, questions, events.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::checkpoint::TaskEntry;
use super::contract::Flush;
use super::dispatch::{Item, WrongItem};
use super::event::{EventKind, EventKinds};
use super::handler::FailedNode;
use super::id::{CheckpointId, Namespace, TaskId, ThreadId};
use super::journal::{AnswerMismatch, OwnQuestion, QuestionWithoutStore, TaskJournal};
use super::json_text::to_raw_value;
use super::long_term::LongTermStore;
use super::node_error::{NodeError, NodeResult};
use super::plan::NodeIx;
use super::pulse::{ActivityTimer, Signs};
use super::read_back::to_checked;
use super::run_config::RunConfig;
use super::stop::StopWish;
use super::store_error::StoreError;

/// The context of one attempt of one task.
pub struct Cx<D = ()> {
    pub(crate) run: Arc<RunConfig>,
    pub(crate) services: Arc<D>,
    pub(crate) task: TaskPlace,
    pub(crate) journal: Mutex<TaskJournal>,
    pub(crate) paused: AtomicBool,
    /// What the task was dispatched with.
    pub(crate) item: Option<Item>,
    /// The state that the node's sub-graph ended with the last time.
    pub(crate) remembered: Option<Box<RawValue>>,
    /// What an error handler is called for.
    pub(crate) failure: Option<FailedNode>,
    /// The activity timer of the attempt, if the node has an idle limit.
    pub(crate) activity: Option<Arc<ActivityTimer>>,
}

/// Where in the run a task stands.
#[derive(Clone, Copy)]
pub(crate) struct TaskPlace {
    pub(crate) id: TaskId,
    pub(crate) node: NodeIx,
    pub(crate) step: u64,
    pub(crate) attempt: u32,
}

impl<D> Cx<D> {
    /// Makes the context of a task that starts anew.
    pub(crate) fn new(run: Arc<RunConfig>, services: Arc<D>, task: TaskPlace) -> Self {
        Self {
            run,
            services,
            task,
            journal: Mutex::default(),
            paused: AtomicBool::new(false),
            item: None,
            remembered: None,
            failure: None,
            activity: None,
        }
    }

    /// The services that the graph was compiled with.
    pub fn services(&self) -> &D {
        &self.services
    }

    /// The same, shared: for a graph that the node runs inside.
    pub fn shared_services(&self) -> Arc<D> {
        self.services.clone()
    }

    /// The item that the task was dispatched with (F21). Of a task that was not, or where the item is of another type, an error.
    pub fn item<T: DeserializeOwned + Send + Sync + 'static>(&self) -> NodeResult<&T> {
        let item = self.item.as_ref().ok_or_else(WrongItem::none::<T>).and_then(Item::get);
        item.map_err(|wrong| NodeError::from(wrong).permanent())
    }

    /// The long-term store that the graph was given (LangGraph F71).
    pub fn store(&self) -> NodeResult<&dyn LongTermStore> {
        let store = self.run.long_term.as_deref();
        store.ok_or_else(|| NodeError::from(NoLongTermStore).permanent())
    }

    /// The name of the node.
    pub fn node(&self) -> &str {
        &self.run.names[self.task.node.at()]
    }

    /// The task. Together with the [`thread`](Self::thread), the [`step`](Self::step) and a number of the node's own it makes an
    /// idempotency key for effects outside. Alone it does not: where no step is saved, all steps are tasks of one checkpoint.
    pub fn task(&self) -> TaskId {
        self.task.id
    }

    /// The superstep, from 1.
    pub fn step(&self) -> u64 {
        self.task.step
    }

    /// The attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.task.attempt
    }

    /// How many supersteps the run may do after this one (F26); 0 in the last.
    pub fn remaining_steps(&self) -> u64 {
        self.run.last_step().saturating_sub(self.task.step)
    }

    /// What an error handler is called for; none in a node that runs as itself (F33).
    pub fn failure(&self) -> Option<&FailedNode> {
        self.failure.as_ref()
    }

    /// The graph.
    pub fn graph(&self) -> &str {
        &self.run.origin.name
    }

    /// Where in the nesting of sub-graphs the graph is.
    pub fn namespace(&self) -> &Namespace {
        self.run.namespace()
    }

    /// Which run of the thread it is, from 1: every run, resume, update and fork counts (F29).
    pub fn run(&self) -> u64 {
        self.run.origin.run
    }

    /// The checkpoint that the task starts from; none where no step is saved, and inside a sub-graph.
    pub fn checkpoint(&self) -> Option<CheckpointId> {
        let is_saved = self.run.log.writes_steps() && self.run.namespace().is_root();
        let thread = self.run.thread().filter(|_| is_saved)?;
        Some(CheckpointId { thread: thread.clone(), seq: self.task.id.base })
    }

    /// Says that the node is alive, for its limit of idle time (F35).
    pub fn heartbeat(&self) {
        self.beat(Signs::Heartbeats);
    }

    pub(super) fn beat(&self, sign: Signs) {
        self.activity.iter().chain(&self.run.activity).for_each(|activity| activity.note(sign));
    }

    /// The thread, if the run is checkpointed.
    pub fn thread(&self) -> Option<&ThreadId> {
        self.run.thread()
    }

    /// Does a piece of work once in the life of the task: its result is journaled before this returns, and given again on
    /// every retry and resume (parity D7, P3, P16). Errors are not journaled. Within a task a key stands for one piece of work: a second
    /// call with the key of one that has a result, or is under way, is a [`RepeatedKey`](super::RepeatedKey).
    ///
    /// A result that JSON would give back as another value is an error.
    pub async fn once<T, E>(
        &self,
        key: &str,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> NodeResult<T>
    where
        T: Serialize + DeserializeOwned,
        E: Into<NodeError>,
    {
        let key: Arc<str> = key.into();
        let known = self.journal().begin_once(&key).map_err(|repeated| {
            let hint = format!("give each piece of work a key of its own, such as `{key}.2`");
            NodeError::from(repeated).permanent().with_hint(hint)
        })?;
        if let Some(known) = known {
            return Ok(serde_json::from_str(known.get())?);
        }
        let begun = Begun { cx: self, key: &key };
        let value = work.await.map_err(Into::into)?;
        self.beat(Signs::All);
        // As for an update: the next attempt must not see another value.
        let raw = to_checked(&value).map_err(|error| {
            NodeError::msg(format!("the result of `{key}` cannot be journaled: {error}")).permanent()
        })?;
        let entry = TaskEntry::Once { key: key.clone(), value: raw.clone() };
        // A retry would do the work again, which is worse than to fail.
        let ack = self.run.log.append(self.task.id, entry, Flush::Synced).map_err(permanent)?;
        // Kept before it is durable: the node may run out of time while it waits, and is then tried again.
        self.journal().store_result(key.clone(), raw);
        drop(begun);
        ack.wait().await.map_err(permanent)?;
        Ok(value)
    }

    /// Asks a question and waits for its answer, which may come much later, in another process.
    ///
    /// The run stops with [`Status::Waiting`](super::Status::Waiting); when it is resumed with an answer, the node runs again
    /// from its top and this call returns it. What must not happen twice belongs into [`once`](Self::once).
    ///
    /// An answer belongs to the question that was asked: when the node asks another one in its place, the question is asked anew, and the
    /// old answer is dropped.
    pub async fn interrupt<A: DeserializeOwned>(
        &self,
        question: &(impl Serialize + Sync + ?Sized),
    ) -> NodeResult<A> {
        self.ask(OwnQuestion { payload: to_raw_value(question)?, schema: None }).await
    }

    /// The same with a JSON Schema that an answer is held against before it is accepted: one that does not fit is refused where
    /// it is given, and the question stays open (D6).
    #[cfg(feature = "answers")]
    pub async fn interrupt_with<A: DeserializeOwned>(
        &self,
        question: &(impl Serialize + Sync + ?Sized),
        schema: &serde_json::Value,
    ) -> NodeResult<A> {
        super::answers::usable(schema).map_err(|error| NodeError::from(error).permanent())?;
        let schema = Some(to_raw_value(schema)?);
        self.ask(OwnQuestion { payload: to_raw_value(question)?, schema }).await
    }

    async fn ask<A: DeserializeOwned>(&self, question: OwnQuestion) -> NodeResult<A> {
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

    /// Ends the attempt: it goes on in another run.
    pub(crate) async fn pause<T>(&self) -> NodeResult<T> {
        self.paused.store(true, Ordering::Release);
        std::future::pending().await
    }

    /// Tells subscribers something, under a name of the node's choice.
    pub fn emit(&self, name: &str, data: &(impl Serialize + ?Sized)) -> NodeResult<()> {
        self.beat(Signs::All);
        let Some(events) = &self.run.events else { return Ok(()) };
        let data: Box<RawValue> = to_raw_value(data)?;
        events.send(EventKinds::CUSTOM, self.task.step, || EventKind::Custom {
            node: self.node().to_owned(),
            name: name.to_owned(),
            data,
        });
        Ok(())
    }

    /// Whether somebody wants messages as they come. A node may stream only then.
    pub fn wants_messages(&self) -> bool {
        self.run.events.as_ref().is_some_and(|events| events.kinds.contains(EventKinds::MESSAGES))
    }

    /// Returns when somebody has asked the run to stop; never, when nobody can.
    pub async fn cancelled(&self) {
        match &self.run.options.stop {
            Some(stop) => stop.wait_for(StopWish::Drain).await,
            None => std::future::pending().await,
        }
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, TaskJournal> {
        self.journal.lock().expect("no holder of the journal panics")
    }
}

/// A piece of work under way. When it ends without a result, or is dropped, its key may be used again.
struct Begun<'a, D> {
    cx: &'a Cx<D>,
    key: &'a str,
}

impl<D> Drop for Begun<'_, D> {
    fn drop(&mut self) {
        self.cx.journal().give_up_once(self.key);
    }
}

/// A node asked for the long-term store of a graph that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the graph has no long-term store; give it one with `with_long_term`")]
pub struct NoLongTermStore;

fn permanent(error: StoreError) -> NodeError {
    let hint = error.hint();
    NodeError::from(error).permanent().with_hint(hint)
}
