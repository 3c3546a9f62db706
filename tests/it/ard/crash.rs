//! Debates that are cut off at every write to their thread, and go on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use stategraph::engine::{
    Ack, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Record, Retention,
    RunError, Seq, StoreError, ThreadId, ThreadSummary, ThreadWriter,
};
use stategraph::llm::{ChatAnswer, ChatModel, ChatRequest, ModelError, ModelName, Scripted, TokenSink};
use stategraph::store::MemoryStore;
use stategraph::workflows::ard::input::settings::OnBadDraft;
use stategraph::workflows::ard::state::Debate;

use super::kit::{Kit, draft, script, thread, two_rounds};

/// Whether the write at which the process ends is still made.
#[derive(Clone, Copy, Debug)]
enum Last {
    Made,
    Lost,
}

/// A store of a process that ends at a write.
struct Ending {
    inner: MemoryStore,
    left: Arc<AtomicUsize>,
    last: Last,
}

struct EndingWriter {
    inner: Arc<dyn ThreadWriter>,
    left: Arc<AtomicUsize>,
    last: Last,
}

impl ThreadWriter for EndingWriter {
    fn head(&self) -> Option<Seq> {
        self.inner.head()
    }

    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError> {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
        }
        if left > 1 {
            return self.inner.append(record, flush);
        }
        if left == 1 && matches!(self.last, Last::Made) {
            self.inner.append(record, flush)?;
        }
        Err(StoreError::Conflict { thread: thread(), expected: "power".to_owned(), found: "none".to_owned() })
    }
}

impl CheckpointStore for Ending {
    fn place(&self) -> String {
        self.inner.place()
    }

    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>> {
        async move {
            let inner = self.inner.claim(thread).await?;
            Ok(Arc::new(EndingWriter { inner, left: self.left.clone(), last: self.last })
                as Arc<dyn ThreadWriter>)
        }
        .boxed()
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>> {
        self.inner.load(thread, seq)
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>> {
        self.inner.history(thread, query)
    }

    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>> {
        self.inner.threads()
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.delete(thread)
    }

    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.copy(from, to)
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        self.inner.prune(thread, keep, rebuild)
    }
}

/// Answers a request that it was asked before as it did then.
struct Steady {
    script: Arc<Scripted>,
    given: Mutex<Vec<(ChatRequest, ChatAnswer)>>,
    calls: AtomicUsize,
}

impl Steady {
    fn new(script: Arc<Scripted>) -> Arc<Self> {
        Arc::new(Self { script, given: Mutex::default(), calls: AtomicUsize::new(0) })
    }
}

impl ChatModel for Steady {
    fn name(&self) -> &ModelName {
        self.script.name()
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        sink: &'a dyn TokenSink,
    ) -> BoxFuture<'a, Result<ChatAnswer, ModelError>> {
        async move {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let known = |given: &[(ChatRequest, ChatAnswer)]| {
                given.iter().find(|(asked, _)| asked == request).map(|(_, answer)| answer.clone())
            };
            if let Some(answer) = known(&self.given.lock().expect("no holder panics")) {
                return Ok(answer);
            }
            let answer = self.script.chat(request, sink).await?;
            self.given.lock().expect("no holder panics").push((request.clone(), answer.clone()));
            Ok(answer)
        }
        .boxed()
    }
}

/// A debate with a refused draft, a revision that is refused twice, and a refused review.
fn answers() -> Vec<serde_json::Value> {
    let mut answers = two_rounds();
    answers.splice(2..3, [json!("no"), draft(&["Shop"], 1), json!({ "status": "needs_revision" })]);
    answers.insert(0, json!("hello"));
    answers
}

fn kit() -> Kit {
    Kit::new(10).set(|settings| settings.on_bad_draft = OnBadDraft::KeepPrevious)
}

/// Ends a debate at a write, lets it go on, and says what came of it and how many calls were made; `None` when there are
/// fewer writes.
async fn cut_off(writes: usize, last: Last) -> Option<(Debate, String, usize)> {
    let kit = kit();
    let model = Steady::new(script(answers()));
    let graph = kit.graph_of(model.clone(), model.clone());
    let store = Ending { inner: kit.store.clone(), left: Arc::new(AtomicUsize::new(writes)), last };
    let ended = graph.clone().with_store(Arc::new(store)).run(kit.state()).thread(thread()).await;
    let Err(error) = ended else { return None };
    assert!(!matches!(error, RunError::StepLimit { .. }), "{error:?}");
    let resumed = match graph.resume(&thread()).await {
        Err(RunError::Store(StoreError::NoThread { .. } | StoreError::NoCheckpoint { .. })) => {
            assert_eq!(writes, 1, "only the very first write can leave nothing");
            graph.run(kit.state()).thread(thread()).await
        }
        other => other,
    };
    let debate = resumed.expect("it goes on").state;
    Some((debate, kit.spec(), model.calls.load(Ordering::Relaxed)))
}

#[tokio::test]
async fn a_debate_that_is_cut_off_at_any_write_ends_the_same_and_repeats_no_kept_call() {
    // ARD-41, ARD-75, ENG-6
    let undisturbed = kit();
    let model = script(answers());
    let expected = serde_json::to_value(undisturbed.done(&model).await).expect("plain data");
    let calls = model.asked().len();
    assert_eq!(calls, answers().len());
    for last in [Last::Made, Last::Lost] {
        let mut writes = 1;
        while let Some((debate, spec, made)) = cut_off(writes, last).await {
            assert_eq!(serde_json::to_value(debate).expect("plain data"), expected, "{last:?} {writes}");
            assert_eq!(spec, undisturbed.spec(), "{last:?} {writes}");
            // An answer whose write is lost has not been kept; nothing else is asked for twice.
            let most = if matches!(last, Last::Lost) { calls + 1 } else { calls };
            assert!((calls..=most).contains(&made), "{made} calls, {last:?} {writes}");
            writes += 1;
        }
        assert!(writes > calls, "every answer is a write: {writes}");
    }
}
