//! Ways to run a random graph to its end: durability, concurrency, order of completion, answers, and where the process dies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use stategraph_core::{
    CheckpointStore, Durability, Event, EventKind, EventKinds, Outcome, Question, RunError, RunRequest,
    Status, StoreError, ThreadId,
};

use super::super::kit::{Calls, played, replayed, thread};
use super::super::stores::{Fault, Faulty};
use super::shape::Shape;
use super::world::{Walk, World};

#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) durability: Durability,
    at_once: usize,
    pub(super) fault: Fault,
    pub(super) seed: u64,
}

/// The way that nothing disturbs.
pub(super) const STRAIGHT: Way =
    Way { durability: Durability::Sync, at_once: 64, fault: Fault::None, seed: 0 };

impl Way {
    fn of(&self, request: RunRequest<Walk, World>) -> RunRequest<Walk, World> {
        request.durability(self.durability).max_concurrency(self.at_once)
    }

    /// Whether the process dies, or may.
    pub(super) fn dies(&self) -> bool {
        !matches!(self.fault, Fault::None | Fault::Slow(_))
    }
}

pub(super) fn way() -> impl Strategy<Value = Way> {
    let durability = prop_oneof![
        2 => Just(Durability::Sync),
        1 => (0..5_usize).prop_map(|max_lag| Durability::Async { max_lag }),
        1 => Just(Durability::Exit),
    ];
    let fault = prop_oneof![
        1 => Just(Fault::None),
        1 => Just(Fault::Slow(Duration::from_millis(7))),
        3 => (0..80_u64).prop_map(Fault::From),
        1 => (0..80_u64).prop_map(Fault::Only),
        1 => (0..80_u64).prop_map(Fault::Unacknowledged),
    ];
    (durability, 1..=8_usize, fault, any::<u64>()).prop_map(|(durability, at_once, fault, seed)| Way {
        durability,
        at_once,
        fault,
        seed,
    })
}

/// How a graph was run: the last state, all saved ones, and how often journaled work was done again.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) end: Walk,
    pub(super) saved: Vec<Walk>,
    pub(super) repeated: u32,
}

/// The states that were live when a checkpoint was committed, by its position.
#[derive(Default)]
struct Live(BTreeMap<u64, Walk>);

impl Live {
    fn take(&mut self, events: &[Event]) {
        let mut newest = None;
        for event in events.iter().filter(|event| event.namespace.is_root()) {
            match &event.kind {
                EventKind::Values { state, .. } => newest = Some(serde_json::from_str(state.get()).unwrap()),
                EventKind::Checkpoint { checkpoint, .. } => {
                    self.0.insert(checkpoint.seq.0, Option::clone(&newest).expect("values come first"));
                }
                _ => {}
            }
        }
    }
}

/// Runs to the end, through questions, failures and the death of the store; from a graph made anew after that.
pub(super) async fn ran<S: CheckpointStore + Clone>(
    shape: &Shape,
    way: &Way,
    seed: Option<u64>,
    inner: S,
) -> Ran {
    let (t, calls, mut live) = (thread("t"), Calls::default(), Live::default());
    let mut graph =
        shape.built(seed, calls.clone()).with_store(Faulty::over(inner.clone(), way.fault).shared());
    let mut request = graph.run(Walk::default()).thread(t.clone());
    for _ in 0..1_000 {
        let (events, ended) = match way.of(request).stream(EventKinds::VALUES | EventKinds::CHECKPOINTS).await
        {
            Ok(stream) => played(stream).await,
            Err(error) => (Vec::new(), Err(error)),
        };
        live.take(&events);
        request = match ended {
            Ok(Outcome { status: Status::Done, state, .. }) => {
                assert_eq!(graph.state(&t, None).await.unwrap().state, state);
                let repeated = calls.of("work done twice");
                return Ran { end: state, saved: saved(shape, inner, &t, &live).await, repeated };
            }
            Ok(Outcome { status, .. }) => answered(graph.resume(&t), status.questions(), &calls, way.seed),
            Err(RunError::Node { .. }) => graph.resume(&t),
            Err(RunError::Store(StoreError::Closed(_))) => {
                graph = shape.built(seed, calls.clone()).with_store(Arc::new(inner.clone()));
                graph.resume(&t)
            }
            Err(RunError::Store(StoreError::NoThread { .. })) => graph.run(Walk::default()).thread(t.clone()),
            Err(error) => panic!("{error}"),
        };
    }
    panic!("it does not end");
}

/// The saved states, each read by itself, which must be what they were when they were live.
async fn saved<S: CheckpointStore>(shape: &Shape, store: S, thread: &ThreadId, live: &Live) -> Vec<Walk> {
    let reader = shape.built(None, Calls::default()).with_store(Arc::new(store));
    let saved = replayed(&reader, thread).await;
    for (seq, state) in &saved {
        assert!(live.0.get(seq).is_none_or(|live| live == state), "{:?} became {state:?}", live.0.get(seq));
    }
    saved.into_iter().map(|(_, state)| state).collect()
}

/// Answers one of the questions at least.
fn answered(
    request: RunRequest<Walk, World>,
    questions: &[Question],
    calls: &Calls,
    seed: u64,
) -> RunRequest<Walk, World> {
    let chosen = usize::try_from((seed ^ u64::from(calls.count("answers"))) & 0xFFFF).unwrap();
    let asked = questions
        .iter()
        .enumerate()
        .filter(|(at, _)| *at == chosen % questions.len() || (chosen >> (at % 16)) & 1 == 1);
    asked.fold(request, |request, (_, question)| {
        let payload: String = serde_json::from_str(question.payload.get()).unwrap();
        request.answer(question.id, &format!(" answered {payload}"))
    })
}
