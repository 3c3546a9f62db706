//! Random graphs, run in every way: whatever the order of completion, the concurrency, the durability, the failures and the
//! append at which the process dies, there is one final state and one history, and what was live can be read again.
//! ENG-2, ENG-6, ENG-8, parity D6, D7, D16, P2, P7, clause 61.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use stategraph::engine::{
    CompiledGraph, Cx, Durability, END, NodeError, NodeResult, Outcome, Question, RunError, RunRequest,
    START, State, StateGraph, Status, StoreError,
};
use stategraph::store::MemoryStore;

use super::kit::{Calls, replayed, thread};
use super::stores::{Fault, Faulty};

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Walk {
    #[state(append)]
    log: Vec<String>,
    #[state(add)]
    visits: u64,
    /// Depends on the order of its writes.
    #[state(reduce = mix)]
    hash: u64,
    #[state(append, ephemeral)]
    seen: Vec<String>,
}

fn mix(hash: &mut u64, delta: u64) {
    *hash = hash.wrapping_mul(0x0100_0000_01B3) ^ delta;
}

/// What a node does, and where it leads. Targets are counted from the node after it; too large is `END`.
#[derive(Debug, Clone)]
struct Plan {
    fails: u32,
    asks: bool,
    journals: bool,
    overwrites: bool,
    to: Vec<usize>,
    branch: Option<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct Shape {
    plans: Vec<Plan>,
    joins: Vec<(BTreeSet<usize>, usize)>,
    /// The last node leads back to the first while there are fewer visits.
    visits: u64,
}

/// How a shape is run.
#[derive(Debug, Clone)]
struct Way {
    durability: Durability,
    at_once: usize,
    fault: Fault,
    seed: u64,
}

/// The services of a random graph.
struct World {
    shape: Shape,
    calls: Calls,
    seed: Option<u64>,
}

impl World {
    /// A number below `below`, another one at every call; 0 where everything goes the straight way.
    fn chance(&self, what: &str, below: u64) -> u64 {
        let Some(seed) = self.seed else { return 0 };
        let mut hash = seed ^ u64::from(self.calls.count(&format!("chance {what}")));
        what.bytes().for_each(|byte| mix(&mut hash, u64::from(byte)));
        (hash >> 17) % below
    }
}

async fn act(walk: &Walk, cx: &Cx<World>) -> NodeResult<WalkUpdate> {
    let (world, node) = (cx.services(), cx.node());
    let plan = &world.shape.plans[node[1..].parse::<usize>().unwrap()];
    let visit = format!("{node} at {}", walk.visits);
    tokio::time::sleep(Duration::from_millis(world.chance(node, 50))).await;
    let mut said = format!("{visit} after {}", walk.seen.join("+"));
    if plan.journals {
        let work = async { Ok::<_, NodeError>(world.calls.count(&format!("work of {visit}"))) };
        cx.once("work", work).await?;
        said.push_str(" worked");
    }
    if plan.asks {
        let answer: String = cx.interrupt(&visit).await?;
        said.push_str(&answer);
    }
    if world.seed.is_some() && world.calls.count(&format!("try of {visit}")) < plan.fails {
        return Err(NodeError::msg("not yet"));
    }
    let update = Walk::update().visits(1).hash(said.len() as u64 + walk.hash).seen(node);
    // One node at most, so that no two overwrite at once.
    Ok(if plan.overwrites && node == "n1" { update.overwrite_log([said]) } else { update.log(said) })
}

fn name(at: usize) -> String {
    format!("n{at}")
}

/// The target `offset` places after the node `at` of `count`.
fn after(at: usize, offset: usize, count: usize) -> String {
    let to = at + 1 + offset;
    if to < count { name(to) } else { END.to_owned() }
}

fn built(shape: &Shape, seed: Option<u64>, calls: Calls) -> CompiledGraph<Walk, World> {
    let count = shape.plans.len();
    let mut graph = (0..count).fold(StateGraph::<Walk, World>::new("random"), |g, at| g.node(name(at), act));
    let mut reached = BTreeSet::from([name(0)]);
    for (at, plan) in shape.plans.iter().enumerate() {
        let targets: BTreeSet<String> = plan.to.iter().map(|offset| after(at, *offset, count)).collect();
        for target in targets {
            reached.insert(target.clone());
            graph = graph.edge(name(at), target);
        }
        if let Some((yes, no)) = plan.branch {
            let (yes, no) = (after(at, yes, count), after(at, no, count));
            reached.extend([yes.clone(), no.clone()]);
            let odd = move |walk: &Walk| (walk.hash ^ walk.visits) % 2 == 1;
            graph = graph.branch(name(at), odd, [(true, yes), (false, no)]);
        }
        if plan.to.is_empty() && plan.branch.is_none() && at + 1 < count {
            graph = graph.edge(name(at), END);
        }
    }
    let mut known = BTreeSet::new();
    for (sources, offset) in &shape.joins {
        let sources: BTreeSet<usize> = sources.iter().map(|at| at % count).collect();
        let last = sources.last().copied().unwrap_or(0);
        let target = after(last, *offset, count);
        if sources.len() > 1 && known.insert((sources.clone(), target.clone())) {
            reached.insert(target.clone());
            graph = graph.join(sources.into_iter().map(name), target);
        }
    }
    let visits = shape.visits;
    graph = graph.branch(
        name(count - 1),
        move |w: &Walk| w.visits < visits,
        [(true, name(0)), (false, END.into())],
    );
    graph = graph.edge(START, name(0));
    for at in (1..count).filter(|at| !reached.contains(&name(*at))) {
        graph = graph.edge(START, name(at));
    }
    let world = World { shape: shape.clone(), calls, seed };
    graph.compile_with(world).expect("the shape has no defects")
}

impl Way {
    fn of(&self, request: RunRequest<Walk, World>) -> RunRequest<Walk, World> {
        request.durability(self.durability).max_concurrency(self.at_once)
    }
}

/// How a graph was run: the last state, all saved ones, and how often each journaled work was done at most.
#[derive(Debug)]
struct Ran {
    end: Walk,
    saved: Vec<Walk>,
    most_work: u32,
}

/// Runs to the end, through questions, failures and the death of the store.
async fn ran(shape: &Shape, way: &Way, seed: Option<u64>) -> Ran {
    let (t, inner, calls) = (thread("t"), MemoryStore::new(), Calls::default());
    let graph = built(shape, seed, calls.clone());
    let sound = graph.clone().with_store(Arc::new(inner.clone()));
    let mut graph = graph.with_store(Faulty::over(inner, way.fault).shared());
    let mut ended = way.of(graph.run(Walk::default()).thread(t.clone())).await;
    for _ in 0..1_000 {
        let request = match ended {
            Ok(Outcome { status: Status::Done, state, .. }) => {
                assert_eq!(graph.state(&t, None).await.unwrap().state, state);
                let saved = replayed(&graph, &t).await.into_iter().map(|(_, state)| state).collect();
                return Ran { end: state, saved, most_work: calls.most("work of ") };
            }
            Ok(Outcome { status, .. }) => answered(graph.resume(&t), status.questions(), &calls, way.seed),
            Err(RunError::Node { .. }) => graph.resume(&t),
            Err(RunError::Store(StoreError::Closed(_))) => {
                graph = sound.clone();
                graph.resume(&t)
            }
            Err(RunError::Store(StoreError::NoThread { .. })) => graph.run(Walk::default()).thread(t.clone()),
            Err(error) => panic!("{error}"),
        };
        ended = way.of(request).await;
    }
    panic!("it does not end");
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
        .filter(|(at, _)| *at == chosen % questions.len() || (chosen >> at) & 1 == 1);
    asked.fold(request, |request, (_, question)| {
        let payload: String = serde_json::from_str(question.payload.get()).unwrap();
        request.answer(question.id, &format!(" answered {payload}"))
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let offset = || 0..4_usize;
    (
        prop_oneof![3 => Just(0), 1 => 1..3_u32],
        prop::bool::weighted(0.25),
        prop::bool::weighted(0.25),
        prop::bool::weighted(0.2),
        prop::collection::vec(offset(), 0..3),
        prop::option::weighted(0.3, (offset(), offset())),
    )
        .prop_map(|(fails, asks, journals, overwrites, to, branch)| Plan {
            fails,
            asks,
            journals,
            overwrites,
            to,
            branch,
        })
}

fn shape() -> impl Strategy<Value = Shape> {
    let sources = prop::collection::btree_set(0..8_usize, 2..4);
    let joins = prop::collection::vec((sources, 0..3_usize), 0..3);
    (prop::collection::vec(plan(), 2..8), joins, 0..25_u64).prop_map(|(plans, joins, visits)| Shape {
        plans,
        joins,
        visits,
    })
}

fn way() -> impl Strategy<Value = Way> {
    let durability = prop_oneof![
        2 => Just(Durability::Sync),
        1 => Just(Durability::Async { max_lag: 3 }),
        1 => Just(Durability::Exit),
    ];
    let fault = prop_oneof![
        1 => Just(Fault::None),
        1 => Just(Fault::Slow(Duration::from_millis(7))),
        3 => (0..60_u64).prop_map(Fault::From),
        1 => (0..60_u64).prop_map(Fault::Only),
        1 => (0..60_u64).prop_map(Fault::Unacknowledged),
    ];
    (durability, 1..5_usize, fault, any::<u64>()).prop_map(|(durability, at_once, fault, seed)| Way {
        durability,
        at_once,
        fault,
        seed,
    })
}

const STRAIGHT: Way = Way { durability: Durability::Sync, at_once: 64, fault: Fault::None, seed: 0 };

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_way_of_running_a_graph_leads_to_one_state_by_one_history(shape in shape(), way in way()) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let straight = ran(&shape, &STRAIGHT, None).await;
            let other = ran(&shape, &way, Some(way.seed)).await;
            assert_eq!(other.end, straight.end);
            if way.durability == Durability::Exit {
                let mut all = straight.saved.iter();
                assert!(other.saved.iter().all(|saved| all.any(|state| state == saved)), "{:?}", other.saved);
            } else {
                assert_eq!(other.saved, straight.saved);
            }
            // Work whose result was not acknowledged when the process died has to be done again: once.
            let died = !matches!(way.fault, Fault::None | Fault::Slow(_));
            let allowed = if died && way.durability == Durability::Exit { u32::MAX } else { 1 + u32::from(died) };
            assert!(other.most_work <= allowed, "{} times", other.most_work);
        });
    }
}
