//! The step limit and the bound on tasks at once, each at limit-1, limit, limit+1. ENG-4, ENG-8, ENG-20, parity D3, F25, F27.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use stategraph_core::{Cx, Durability, END, MAX_CONCURRENCY, RunError, START, STEP_LIMIT, State};

use super::kit::{Builder, Graph, Trail, TrailUpdate, empty, memory, saying, thread, wired};

/// A loop that ends after `turns` supersteps.
fn loop_of(turns: u32) -> Graph {
    let graph = Builder::new("loop").node("a", async |t: &Trail| Trail::update().turns(t.turns + 1));
    let again = move |t: &Trail| t.turns < turns;
    graph.edge(START, "a").branch("a", again, [(true, "a"), (false, END)]).compile().unwrap()
}

// D3, clause 16
#[tokio::test]
async fn a_run_of_n_steps_passes_with_a_limit_of_n() {
    for n in 1..6 {
        let graph = loop_of(n);
        assert!(graph.run(empty()).step_limit(u64::from(n) + 1).await.is_ok());
        assert_eq!(graph.run(empty()).step_limit(u64::from(n)).await.unwrap().steps, u64::from(n));
        let error = graph.run(empty()).step_limit(u64::from(n) - 1).await.unwrap_err();
        assert!(matches!(error, RunError::StepLimit { limit, .. } if limit == u64::from(n) - 1), "{error}");
    }
}

#[tokio::test]
async fn the_default_limit_is_exact_and_its_error_says_where_the_run_stands() {
    let steps = u32::try_from(STEP_LIMIT).unwrap();
    assert!(loop_of(steps).run(empty()).await.is_ok());
    let error = loop_of(steps + 1).run(empty()).await.unwrap_err();
    assert_eq!(error.to_string(), "the run reached its limit of 10000 steps; `a` would run next");
}

// D3, clause 16, F25: LangGraph gives a continued thread two steps more
#[tokio::test]
async fn the_state_at_the_limit_is_saved_and_goes_on_with_a_budget_of_its_own() {
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let graph = loop_of(7).with_store(memory());
        let id = thread("t");
        let error =
            graph.run(empty()).thread(id.clone()).durability(durability).step_limit(3).await.unwrap_err();
        let RunError::StepLimit { checkpoint: Some(checkpoint), next, .. } = error else { panic!("{error}") };
        assert_eq!(next, ["a"]);
        let saved = graph.state(&id, Some(checkpoint.seq)).await.unwrap();
        assert_eq!((saved.state.turns, saved.next), (3, vec!["a".to_owned()]), "{durability:?}");
        assert!(graph.resume(&id).durability(durability).step_limit(3).await.is_err());
        let end = graph.resume(&id).durability(durability).step_limit(1).await.unwrap();
        assert_eq!((end.state.turns, end.steps), (7, 7));
    }
}

struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
}

async fn busy(_: &Trail, cx: &Cx<Arc<Gauge>>) -> TrailUpdate {
    let gauge = cx.services();
    let now = gauge.now.fetch_add(1, Ordering::SeqCst) + 1;
    gauge.most.fetch_max(now, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(5)).await;
    gauge.now.fetch_sub(1, Ordering::SeqCst);
    Trail::update().sum(1)
}

async fn most_at_once(tasks: usize, bound: Option<usize>) -> usize {
    let gauge = Arc::new(Gauge { now: 0.into(), most: 0.into() });
    let graph = (0..tasks).fold(Builder::<Arc<Gauge>>::new("wide"), |graph, at| {
        let name = format!("n{at}");
        graph.node(&name, busy).edge(START, &name).edge(&name, END)
    });
    let run = graph.compile_with(gauge.clone()).unwrap().run(empty());
    let run = if let Some(bound) = bound { run.max_concurrency(bound) } else { run };
    assert_eq!(run.await.unwrap().state.sum, i64::try_from(tasks).unwrap());
    gauge.most.load(Ordering::SeqCst)
}

// ENG-8, F27; what ports get wrong: "parallel edges run one after the other"
#[tokio::test(start_paused = true)]
async fn never_more_tasks_are_under_way_than_allowed_and_never_fewer_than_there_are() {
    for bound in [1, 2, 3] {
        assert_eq!(most_at_once(3, Some(bound)).await, bound);
    }
    assert_eq!(most_at_once(3, Some(4)).await, 3);
    assert_eq!(most_at_once(3, Some(0)).await, 1);
    for tasks in [MAX_CONCURRENCY - 1, MAX_CONCURRENCY, MAX_CONCURRENCY + 1] {
        assert_eq!(most_at_once(tasks, None).await, tasks.min(MAX_CONCURRENCY));
    }
}

// F27, F62
#[tokio::test(start_paused = true)]
async fn the_bound_on_tasks_at_once_holds_inside_a_sub_graph() {
    for bound in [1, 2, 5] {
        let gauge = Arc::new(Gauge { now: 0.into(), most: 0.into() });
        let inner = (0..5).fold(Builder::<Arc<Gauge>>::new("inner"), |graph, at| {
            let name = format!("n{at}");
            graph.node(&name, busy).edge(START, &name).edge(&name, END)
        });
        let inner = inner.compile_with(gauge.clone()).unwrap();
        let graph = Builder::<Arc<Gauge>>::new("outer").node("inner", inner);
        let graph = graph.edge(START, "inner").edge("inner", END).compile_with(gauge.clone()).unwrap();
        graph.run(empty()).max_concurrency(bound).await.unwrap();
        assert_eq!(gauge.most.load(Ordering::SeqCst), bound);
    }
}

// F27
#[tokio::test(start_paused = true)]
async fn the_lower_of_the_bounds_of_the_graph_and_of_the_run_holds() {
    for (of_the_graph, of_the_run, most) in [(2, 5, 2), (5, 2, 2), (0, 5, 1)] {
        let gauge = Arc::new(Gauge { now: 0.into(), most: 0.into() });
        let graph = (0..5).fold(Builder::<Arc<Gauge>>::new("wide"), |graph, at| {
            let name = format!("n{at}");
            graph.node(&name, busy).edge(START, &name).edge(&name, END)
        });
        let graph = graph.compile_with(gauge.clone()).unwrap().with_max_concurrency(of_the_graph);
        graph.run(empty()).max_concurrency(of_the_run).await.unwrap();
        assert_eq!(gauge.most.load(Ordering::SeqCst), most);
    }
}

// F19
#[tokio::test(start_paused = true)]
async fn tasks_of_a_superstep_take_as_long_as_the_slowest() {
    let start = tokio::time::Instant::now();
    most_at_once(8, None).await;
    assert_eq!(start.elapsed(), Duration::from_millis(5));
}

#[tokio::test]
async fn a_graph_may_end_before_its_first_step() {
    let graph = saying(&["a"], &["a END"]).branch(START, |_: &Trail| false, [(true, "a"), (false, END)]);
    assert_eq!(graph.compile().unwrap().run(empty()).step_limit(0).await.unwrap().steps, 0);
}

// P10: supersteps wait for their slowest task; a region that must not wait for another is a sub-graph, and has its own
#[tokio::test(start_paused = true)]
async fn regions_that_are_sub_graphs_do_not_wait_for_each_other() {
    let region = |name: &str, seconds: [u64; 3]| {
        let graph = (0..3).fold(Builder::<()>::new(name), |graph, at| {
            let wait = Duration::from_secs(seconds[at]);
            graph.node(format!("n{at}"), move |_: &Trail| async move { tokio::time::sleep(wait).await })
        });
        wired(graph, &["START n0", "n0 n1", "n1 n2", "n2 END"])
    };
    let (slow_first, slow_last) = ([9, 1, 1], [1, 1, 9]);
    let regions = Builder::<()>::new("regions")
        .node("x", region("x", slow_first).compile().unwrap())
        .node("y", region("y", slow_last).compile().unwrap());
    let regions = wired(regions, &["START x", "START y", "x END", "y END"]).compile().unwrap();
    let start = tokio::time::Instant::now();
    regions.run(empty()).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 11, "in one graph it would be 9 + 1 + 9");
}
