//! Debates that crash at each write to their thread and are resumed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use serde_json::json;
use stategraph::engine::{RunError, StoreError};
use stategraph::llm::{AnswerFuture, ChatAnswer, ChatModel, ChatRequest, ModelName, Scripted, TokenSink};
use stategraph::workflows::ard::input::settings::OnBadDraft;
use stategraph::workflows::ard::state::Debate;

use super::kit::{Kit, draft, script, thread, two_rounds};
use crate::stores::{Fault, Faulty};

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

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
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
async fn cut_off(fault: Fault) -> Option<(Debate, String, usize)> {
    let kit = kit();
    let model = Steady::new(script(answers()));
    let graph = kit.graph_of(model.clone(), model.clone());
    let store = Faulty::over(kit.store.clone(), fault).shared();
    let ended = graph.clone().with_store(store).run(kit.state()).thread(thread()).await;
    let Err(error) = ended else { return None };
    assert!(!matches!(error, RunError::StepLimit { .. }), "{error:?}");
    let resumed = match graph.resume(&thread()).await {
        Err(RunError::Store(StoreError::NoThread { .. } | StoreError::NoCheckpoint { .. })) => {
            assert_eq!(fault, Fault::From(0), "only the very first write can leave nothing");
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
    let calls = model.requests().len();
    assert_eq!(calls, answers().len());
    // An answer whose write is lost has not been kept; nothing else is asked for twice.
    for (cut, most) in [(Fault::Last as fn(u64) -> Fault, calls), (Fault::From, calls + 1)] {
        let mut write = 0;
        while let Some((debate, spec, made)) = cut_off(cut(write)).await {
            let at = cut(write);
            assert_eq!(serde_json::to_value(debate).expect("plain data"), expected, "{at:?}");
            assert_eq!(spec, undisturbed.spec(), "{at:?}");
            assert!((calls..=most).contains(&made), "{made} calls, {at:?}");
            write += 1;
        }
        assert!(write >= calls as u64, "every answer is a write: {write}");
    }
}
