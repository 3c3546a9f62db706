//! Graphs deep inside each other: forty levels run, wait, are stored and resumed; one more is refused. F59, F61.

use std::sync::{Arc, OnceLock};

use stategraph_core::{
    CompiledGraph, Cx, DefectKind, Durability, END, NESTING_MAX, NodeResult, Record, RunError, START, State,
    StateGraph, TaskEntry, TaskRecord,
};

use super::any_store::{asks_at_the_bottom, nested};
use super::kit::{Calls, Trail, TrailUpdate, empty, memory, thread};

#[tokio::test]
async fn forty_graphs_inside_each_other_wait_and_are_resumed_in_memory() {
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let store = memory();
        asks_at_the_bottom(durability, &|| store.clone()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_graphs_inside_each_other_run_on_a_worker_thread() {
    let calls = Calls::default();
    let graph = nested(NESTING_MAX, &calls).compile_with(calls.clone()).unwrap().with_store(memory());
    let run =
        tokio::spawn(async move { graph.run(empty()).thread(thread("t")).await.unwrap().status.label() });
    assert_eq!(run.await.unwrap(), "waiting");
}

#[test]
fn one_graph_more_is_a_defect() {
    let calls = Calls::default();
    let graph = nested(NESTING_MAX, &calls).compile_with(calls.clone()).unwrap();
    let outer = StateGraph::<Trail, Calls>::new("outer").node("in", graph).edge(START, "in").edge("in", END);
    let Err(defects) = outer.compile_with(calls) else { panic!("it compiles") };
    let deep = DefectKind::TooDeep { name: "in".into(), depth: NESTING_MAX + 1 };
    assert_eq!(defects.list.iter().map(|defect| &defect.kind).collect::<Vec<_>>(), [&deep]);
}

/// Calls the graph of the services inside itself until it is refused.
async fn recurses(trail: &Trail, cx: &Cx<Arc<Recursion>>) -> NodeResult<TrailUpdate> {
    let graph = cx.services().0.get().expect("it was set").clone();
    let deeper = Trail { turns: trail.turns + 1, ..Trail::default() };
    if deeper.turns > cx.services().1 {
        return Ok(Trail::update().turns(trail.turns));
    }
    let end = cx.subgraph("deeper", &graph, deeper).await?;
    Ok(Trail::update().turns(end.turns))
}

struct Recursion(OnceLock<CompiledGraph<Trail, Arc<Recursion>>>, u32);

fn recursive(levels: u32) -> CompiledGraph<Trail, Arc<Recursion>> {
    let graph = StateGraph::<Trail, Arc<Recursion>>::new("again").node("n", recurses);
    let recursion = Arc::new(Recursion(OnceLock::new(), levels));
    let graph = graph.edge(START, "n").edge("n", END).compile_with(recursion.clone()).unwrap();
    assert!(recursion.0.set(graph.clone()).is_ok());
    graph.with_store(memory())
}

#[tokio::test]
async fn a_graph_that_calls_itself_is_refused_where_it_would_be_too_deep() {
    let most = u32::try_from(NESTING_MAX).unwrap();
    let end = recursive(most).run(empty()).thread(thread("t")).await.unwrap();
    assert_eq!(end.state.turns, most);
    let graph = recursive(most + 1);
    let error = graph.run(empty()).thread(thread("t")).await.unwrap_err();
    let mut cause: &RunError = &error;
    let mut around = 0;
    while let RunError::Node { source, .. } = cause {
        cause = source.downcast_ref().unwrap();
        around += 1;
    }
    assert_eq!(around, NESTING_MAX + 1);
    assert_eq!(cause.to_string(), "the graph `again` would make 41 graphs inside each other, the most is 40");
    assert!(error.hint().unwrap().starts_with("end the recursion sooner"));
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().errors.len(), 1);
}

fn inner_of(record: &Record) -> Option<&Record> {
    match record {
        Record::Task(TaskRecord { entry: TaskEntry::Inner { record, .. }, .. }) => Some(record),
        _ => None,
    }
}

// Records of programs before this form: each level wrapped in the next
#[test]
fn records_that_wrap_each_level_in_the_next_are_still_read() {
    let wrapped = r#"{"task":{"task":"2.0","entry":{"inner":{"record":{"task":{"task":"1.3","entry":{"inner":{"key":"k",
        "record":{"task":{"task":"1.0","entry":{"once":{"key":"paid","value":1}}}}}}}}}}}}"#;
    let flat = r#"{"task":{"task":"2.0","entry":{"inner":{"path":[{"task":"1.3","key":"k"}],"record":{"task":{"task":"1.0","entry":{"once":{"key":"paid","value":1}}}}}}}}"#;
    for text in [wrapped, flat] {
        let record: Record = serde_json::from_str(text).unwrap();
        let innermost = inner_of(inner_of(&record).unwrap()).unwrap();
        assert!(matches!(innermost, Record::Task(TaskRecord { entry: TaskEntry::Once { .. }, .. })));
        assert_eq!(serde_json::to_string(&record).unwrap(), flat);
    }
}

#[test]
fn a_damaged_record_with_a_way_that_never_ends_is_an_error() {
    let steps = vec![r#"{"task":"1.0"}"#; 100_000].join(",");
    let text = format!(
        r#"{{"task":{{"task":"1.0","entry":{{"inner":{{"path":[{steps}],"record":{{"task":{{"task":"1.0","entry":"paused"}}}}}}}}}}}}"#
    );
    let error = serde_json::from_str::<Record>(&text).unwrap_err();
    assert!(error.to_string().contains("a record inside 100000 graphs; the most is 40"), "{error}");
}
