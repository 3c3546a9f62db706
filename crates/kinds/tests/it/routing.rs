//! The way of a run through a graph file: items, rules of `goto`, shared sub-graphs, questions at once, limits, defaults,
//! and reducers that are expressions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use stategraph_agent::{NoArguments, Retryability, Tool, ToolOutput, Toolbox};
use stategraph_core::store::{MemoryItems, MemoryStore};
use stategraph_core::{CompiledGraph, Host, HostRequest, HostStart, NodeTimeout, RunError, Status, ThreadId};
use stategraph_files::Definition;
use stategraph_files::inline::{JsonState, JsonUpdate, ValueLimits};
use stategraph_kinds::{Services, graph, run_context};

use super::kinds::{compiled, offline, one, start, value};

/// A graph whose node `a` sends the items of `list` to `b`.
fn sending(list: &str, b: &str) -> String {
    format!(
        "name: t\nstate:\n  list: {{ type: any, default: {list} }}\n  out: {{ items: any, reducer: append }}\nnodes:\n  a: {{ set: {{}} }}\n  b: {b}\n  \
         none: {{ set: {{ out: \"'none'\" }} }}\nedges:\n  - {{ from: START, to: a }}\n  - {{ from: a, each: state.list, to: b, empty: none }}\n  \
         - {{ from: b, to: END }}\n  - {{ from: none, to: END }}\n"
    )
}

// F21: one task for each item, folded in the order of the items.
#[tokio::test]
async fn an_edge_sends_each_item_to_a_task_of_its_own() {
    let text = sending("[3, 1, 2]", "{ set: { out: item * 10 } }");
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!([30, 10, 20]));
    let text = sending("[]", "{ set: { out: item } }");
    assert_eq!(value(&text, offline(), "out").await.unwrap(), json!(["none"]));
}

// D1: what is no list fails the superstep, with the expression and its place.
#[tokio::test]
async fn items_come_from_a_list_within_the_limits() {
    let error = value(&sending("'no'", "{ set: { out: item } }"), offline(), "out").await.unwrap_err();
    let told = stategraph_core::with_causes(&error);
    assert!(told.contains("`each`: `state.list` gives text, and items come from a list"), "{told}");
    // Each of the items is a copy of the list: together more than the limit.
    let text = sending("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "{ set: { out: 1 } }");
    let text = text.replace("each: state.list", "each: \"[state.list, state.list, state.list, state.list]\"");
    let definition = Definition::parse(&text, "t.yaml").unwrap();
    let limits = ValueLimits { checkpoint: 6_000, ..ValueLimits::DEFAULT };
    let graph = graph(&definition.with_limits(limits)).unwrap().compile_with(offline()).unwrap();
    let error = graph.run(start(&text).with_limits(limits)).await.unwrap_err();
    let told = stategraph_core::with_causes(&error);
    assert!(told.contains("the limit `checkpoint` is 6000"), "{told}");
}

// F21, F54: a task keeps its item while it waits for an answer, in the store too.
#[tokio::test]
async fn a_task_that_asks_has_its_item_after_a_resume() {
    let text = sending("[tea, cake]", "{ interrupt: \"{{ item }}?\", to: { out: \"[item, result]\" } }");
    let graph = compiled(&text, offline());
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let Status::Waiting(questions) = &end.status else { panic!("{:?}", end.status) };
    let asked: Vec<&str> = questions.iter().map(|question| question.payload.get()).collect();
    assert_eq!(asked, ["\"tea?\"", "\"cake?\""]);
    // The second is answered first.
    let end = graph.resume(&thread).answer(questions[1].id, "no").await.unwrap();
    let Status::Waiting(_) = end.status else { panic!("{:?}", end.status) };
    let end = graph.resume(&thread).answer(questions[0].id, "yes").await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!([["tea", "yes"], ["cake", "no"]])));
}

// F22: a rule sees the result and the state before the writes; the first that holds counts.
#[tokio::test]
async fn the_first_rule_that_holds_chooses_the_next_nodes() {
    let text = |rules: &str| {
        format!(
            "name: t\nstate:\n  n: {{ type: integer, reducer: add }}\n  out: {{ items: any, reducer: append }}\nnodes:\n  \
             a: {{ template: \"7\", to: {{ n: result | int }}, goto: {rules} }}\n  b: {{ set: {{ out: \"'b'\" }} }}\n  c: {{ set: {{ out: \"'c'\" }} }}\n  \
             d: {{ set: {{ out: item }} }}\nedges:\n  - {{ from: START, to: a }}\n  - {{ from: START, each: '[]', to: d }}\n  \
             - {{ from: START, to: b }}\n  - {{ from: START, to: c }}\n  - {{ from: b, to: END }}\n  - {{ from: c, to: END }}\n  - {{ from: d, to: END }}\n"
        )
    };
    let out = async |rules: &str| {
        let out = value(&text(rules), offline(), "out").await.unwrap();
        // Both also run at the start.
        out.as_array().unwrap()[2..].to_vec()
    };
    assert_eq!(out("[{ when: result == '7', to: [b, c] }, { else: b }]").await, ["b", "c"]);
    assert_eq!(
        out("[{ when: state.n > 0, to: b }, { when: result == '8', to: b }, { else: c }]").await,
        ["c"]
    );
    assert_eq!(out("{ to: END }").await, [""; 0]);
    assert_eq!(out("{ each: '[result, 1]', to: d }").await, [json!("7"), json!(1)]);
    assert_eq!(out("{ each: '[]', to: d, empty: b }").await, ["b"]);
}

/// A graph file with a sub-graph beside it.
fn with_child(folder: &Path, text: &str, child: &str) -> CompiledGraph<JsonState, Services> {
    std::fs::write(folder.join("child.yaml"), child).unwrap();
    let definition = Definition::parse(text, folder.join("t.yaml").display().to_string()).unwrap();
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}"));
    graph.compile_with(offline()).unwrap().with_store(Arc::new(MemoryStore::new()))
}

const COUNTER: &str = "name: child\nstate:\n  calls: { type: integer, reducer: add }\n  log: { items: any, reducer: append }\noutputs: [calls]\n\
                       nodes:\n  count: { set: { calls: 1, log: state.log | length } }\nedges:\n  - { from: START, to: count }\n  - { from: count, to: END }\n";

// F60: a sub-graph counts per call or per thread. D4: what it shares is written once.
#[tokio::test]
async fn a_sub_graph_keeps_its_state_per_thread_and_shares_channels() {
    let seen = async |keys: &str| {
        let node = format!("{{ subgraph: {{ file: child.yaml, {keys} }}, to: {{ calls: result.calls }} }}");
        let text = one("{ calls: integer, log: { items: any, reducer: append, default: [start] } }", &node);
        let folder = tempfile::tempdir().unwrap();
        let graph = with_child(folder.path(), &text, COUNTER);
        let thread = ThreadId::new("t").unwrap();
        let mut calls = Vec::new();
        let mut log = Value::Null;
        for again in [false, true, true] {
            let run = if again {
                graph.continue_with(&thread, JsonUpdate::default())
            } else {
                graph.run(start(&text)).thread(thread.clone())
            };
            let end = run.await.unwrap();
            calls.push(end.state.get("calls").cloned().unwrap());
            log = end.state.get("log").cloned().unwrap();
        }
        (calls, log)
    };
    let start = json!(["start"]);
    assert_eq!(seen("keep: call").await, (vec![json!(1), json!(1), json!(1)], start.clone()));
    assert_eq!(seen("keep: nothing").await, (vec![json!(1), json!(1), json!(1)], start.clone()));
    assert_eq!(seen("keep: thread").await, (vec![json!(1), json!(2), json!(3)], start));
    let shared = json!(["start", 1, 2, 3]);
    assert_eq!(seen("share: [log]").await, (vec![json!(1), json!(1), json!(1)], shared.clone()));
    assert_eq!(seen("share: [log], keep: thread").await, (vec![json!(1), json!(2), json!(3)], shared));
}

// The input of a sub-graph is no option of a command.
#[tokio::test]
async fn a_misfit_input_of_a_sub_graph_hints_at_the_node_that_gives_it() {
    let child = "name: child\ninputs: { size: integer }\nstate: { out: integer }\noutputs: [out]\n\
                 nodes:\n  a: { set: { out: state.size } }\nedges:\n  - { from: START, to: a }\n  - { from: a, to: END }\n";
    let node = "{ subgraph: { file: child.yaml, with: { size: state.given } }, to: { out: result.out } }";
    let text = one("{ given: { type: any, default: big }, out: any }", node);
    let folder = tempfile::tempdir().unwrap();
    let error = with_child(folder.path(), &text, child).run(start(&text)).await.unwrap_err();
    assert!(stategraph_core::with_causes(&error).contains("the input `size` does not fit"), "{error:?}");
    assert_eq!(error.hint().as_deref(), Some("the node gives it by `with: { size: EXPRESSION }`"));
}

// F60: without a log there is nothing to wait in.
#[tokio::test]
async fn a_sub_graph_that_keeps_nothing_cannot_ask() {
    let child = COUNTER.replace("set: { calls: 1, log: state.log | length }", "interrupt: \"Go on?\"");
    let folder = tempfile::tempdir().unwrap();
    let text = one("{ n: integer }", "{ subgraph: { file: child.yaml, keep: nothing } }");
    let graph = with_child(folder.path(), &text, &child);
    let error = graph.run(start(&text)).thread(ThreadId::new("t").unwrap()).await.unwrap_err();
    let told = stategraph_core::with_causes(&error);
    assert!(told.contains("no checkpoint store to wait in"), "{told}");
}

// F54, P3: several questions of one node, answered in any order, one after the other or together.
#[tokio::test]
async fn a_node_asks_several_questions_at_once() {
    let text = one(
        "{ out: object }",
        "{ interrupt: { questions: { size: { question: How large?, answer: { type: integer } }, name: Who? } }, to: out }",
    );
    let expected = json!({ "size": 3, "name": "Ada" });
    for together in [true, false] {
        let graph = compiled(&text, offline());
        let thread = ThreadId::new("t").unwrap();
        let end = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
        let Status::Waiting(questions) = &end.status else { panic!("{:?}", end.status) };
        let [size, name] = questions.as_slice() else { panic!("{questions:?}") };
        let refused = graph.resume(&thread).answer(size.id, "large").await.unwrap_err();
        assert!(matches!(refused, RunError::AnswerRefused { .. }), "{refused:?}");
        let end = if together {
            graph.resume(&thread).answer(name.id, "Ada").answer(size.id, &3).await.unwrap()
        } else {
            let end = graph.resume(&thread).answer(name.id, "Ada").await.unwrap();
            let Status::Waiting(left) = &end.status else { panic!("{:?}", end.status) };
            assert_eq!(left.iter().map(|left| left.id).collect::<Vec<_>>(), [size.id]);
            graph.resume(&thread).answer(size.id, &3).await.unwrap()
        };
        assert_eq!(end.state.get("out"), Some(&expected));
    }
}

// F25, F26, D3: the limit of the file is exact, the user can lower it and not raise it.
#[tokio::test]
async fn a_file_limits_the_steps_of_a_run() {
    let text = |limit: u32| {
        format!(
            "name: t\nstep_limit: {limit}\nstate:\n  left: {{ items: integer, reducer: append }}\nnodes:\n  a: {{ set: {{ left: remaining_steps }} }}\n\
             edges:\n  - {{ from: START, to: a }}\n  - {{ from: a, when: state.left | length < 4, to: a }}\n  - {{ from: a, else: END }}\n"
        )
    };
    assert_eq!(value(&text(4), offline(), "left").await.unwrap(), json!([3, 2, 1, 0]));
    let error = value(&text(3), offline(), "left").await.unwrap_err();
    assert!(matches!(error, RunError::StepLimit { limit: 3, .. }), "{error:?}");
    let run = async |limit: u64| compiled(&text(4), offline()).run(start(&text(4))).step_limit(limit).await;
    assert!(run(100).await.is_ok());
    assert!(matches!(run(2).await.unwrap_err(), RunError::StepLimit { limit: 2, .. }));
}

/// A tool that hangs or fails a number of times before it answers with the number of its call.
struct Flaky {
    calls: Arc<AtomicU32>,
    /// Number of calls that do not answer.
    silent: u32,
    /// Number of calls after these that fail and may succeed later.
    busy: u32,
}

impl Tool for Flaky {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "read_file"
    }

    fn description(&self) -> &'static str {
        "Fails first."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if call <= self.silent {
            std::future::pending::<()>().await;
        }
        if call <= self.silent + self.busy {
            return ToolOutput::failed("busy").again(Retryability::Later { after_ms: None });
        }
        ToolOutput::ok(call.to_string())
    }
}

// F7, F32, F35: classes of failures, several policies, limits of silence, and defaults that a node overrides.
#[tokio::test(start_paused = true)]
async fn failures_are_tried_again_by_their_class() {
    let run = async |file: &str, node: &str, silent: u32, busy: u32| {
        let calls = Arc::new(AtomicU32::new(0));
        let tool = Flaky { calls: calls.clone(), silent, busy };
        let node = format!("{{ tool: {{ name: read_file, arguments: {{ path: 1 }} }}, to: out, {node} }}");
        let text = one("{ out: string }", &node).replace("nodes:", &format!("{file}\nnodes:"));
        let end = value(&text, offline().tools(Toolbox::new().with(tool).unwrap()), "out").await;
        (end.is_ok(), calls.load(Ordering::SeqCst))
    };
    let temporary = "retry: { attempts: 3, retry_on: [temporary] }, timeout: 10s";
    assert_eq!(run("", temporary, 0, 2).await, (true, 3));
    assert_eq!(run("", temporary, 1, 0).await, (false, 1));
    let timeout = "retry: { attempts: 3, retry_on: [timeout] }, idle_timeout: 10s";
    assert_eq!(run("", timeout, 2, 0).await, (true, 3));
    assert_eq!(run("", timeout, 0, 1).await, (false, 1));
    let both = "retry: [{ attempts: 2, retry_on: [timeout] }, { attempts: 4 }], timeout: 10s";
    assert_eq!(run("", both, 1, 2).await, (true, 4));
    assert_eq!(run("", both, 2, 0).await, (false, 2));
    let defaults = "defaults: { retry: { attempts: 2 }, timeout: 5s }";
    assert_eq!(run(defaults, "about: x", 1, 0).await, (true, 2));
    assert_eq!(run(defaults, "retry: { attempts: 3 }", 2, 0).await, (true, 3));
    assert_eq!(run(defaults, "about: x", 2, 0).await, (false, 2));
}

// F35: the error tells which limit ended the attempt.
#[tokio::test(start_paused = true)]
async fn a_silent_attempt_ends_with_its_own_error() {
    let tool = Flaky { calls: Arc::default(), silent: 9, busy: 0 };
    let text = one(
        "{ out: string }",
        "{ tool: { name: read_file, arguments: { path: 1 } }, to: out, idle_timeout: 7s }",
    );
    let services = offline().tools(Toolbox::new().with(tool).unwrap());
    let RunError::Node { source, .. } = value(&text, services, "out").await.unwrap_err() else {
        panic!("a node")
    };
    assert!(matches!(source.downcast_ref(), Some(NodeTimeout::Idle { limit }) if limit.as_secs() == 7));
}

// F7: the handler of the defaults replaces nodes without one.
#[tokio::test]
async fn the_defaults_handle_errors_of_nodes_without_a_handler() {
    let text = |own: &str| {
        format!(
            "name: t\ndefaults: {{ error_handler: {{ set: {{ out: \"'default ' ~ failure.error\" }} }} }}\nstate: {{ out: string }}\n\
             nodes:\n  n: {{ fail: no luck{own} }}\nedges:\n  - {{ from: START, to: n }}\n  - {{ from: n, to: END }}\n"
        )
    };
    assert_eq!(value(&text(""), offline(), "out").await.unwrap(), json!("default no luck"));
    let own = ", error_handler: { set: { out: \"'own'\" } }";
    assert_eq!(value(&text(own), offline(), "out").await.unwrap(), json!("own"));
}

// F10, F11: a reducer that is an expression folds in task order, and what it gives must fit.
#[tokio::test]
async fn a_reducer_can_be_an_expression() {
    let text = |fold: &str| {
        format!(
            "name: t\nstate:\n  n: {{ type: integer, default: 1, reducer: {{ fold: \"{fold}\" }} }}\nnodes:\n  a: {{ set: {{ n: 2 }} }}\n  b: {{ set: {{ n: 3 }} }}\n\
             edges:\n  - {{ from: START, to: a }}\n  - {{ from: START, to: b }}\n  - {{ from: [a, b], to: END }}\n"
        )
    };
    assert_eq!(value(&text("value * 10 + write"), offline(), "n").await.unwrap(), json!(123));
    assert_eq!(value(&text("[value, write] | max"), offline(), "n").await.unwrap(), json!(3));
    let replaced = text("value * 10 + write").replace("b: { set:", "b: { overwrite:");
    assert_eq!(value(&replaced, offline(), "n").await.unwrap(), json!(3));
    let error = value(&text("'x' ~ write"), offline(), "n").await.unwrap_err();
    let told = stategraph_core::with_causes(&error);
    assert!(told.contains("the write to `n` cannot be kept: \"x2\" is not of type \"integer\""), "{told}");
    let error = value(&text("value / 0"), offline(), "n").await.unwrap_err();
    assert!(stategraph_core::with_causes(&error).contains("the write to `n` cannot be kept"));
}

// Keys that are no texts would become texts in JSON, where `1` and `"1"` are one key of which one value is lost.
#[tokio::test]
async fn a_fold_with_numbers_as_keys_is_refused_and_says_what_to_write() {
    let text = |key: &str| {
        format!(
            "name: t\nstate:\n  n: {{ type: object, default: {{}}, reducer: {{ fold: \"dict(value, **{{{key}: write}})\" }} }}\n\
             nodes:\n  a: {{ set: {{ n: \"{{'id': 1, 'at': ['x']}}\" }} }}\nedges:\n  - {{ from: START, to: a }}\n  - {{ from: a, to: END }}\n"
        )
    };
    let kept = value(&text("write.id | string"), offline(), "n").await.unwrap();
    assert_eq!(kept, json!({ "1": { "id": 1, "at": ["x"] } }));
    let error = value(&text("write.id"), offline(), "n").await.unwrap_err();
    let told = stategraph_core::with_causes(&error);
    assert!(
        told.contains("a key of a map must be a text, and 1 is none: write it as `… | string`"),
        "{told}"
    );
}

// D14: what the fold gave is what a reload gives.
#[tokio::test]
async fn a_fold_gives_the_same_after_a_reload() {
    let text = "name: t\nstate:\n  log: { type: list, default: [], reducer: { fold: \"(value + [write])[-3:]\" } }\nnodes:\n  a: { set: { log: state.log | length } }\n  \
                ask: { interrupt: \"Go on?\" }\nedges:\n  - { from: START, to: a }\n  - { from: a, when: state.log | length < 3, to: a }\n  - { from: a, else: ask }\n  - { from: ask, to: END }\n";
    let graph = compiled(text, offline());
    let thread = ThreadId::new("t").unwrap();
    let end = graph.run(start(text)).thread(thread.clone()).await.unwrap();
    assert_eq!(end.state.get("log"), Some(&json!([0, 1, 2])));
    let read: JsonState = graph.state(&thread, None).await.unwrap().state;
    assert_eq!(read.get("log"), end.state.get("log"));
}

// F29, F60: nodes, edges, tools and sub-graphs read the context of the run, no checkpoint holds it, and a resume has it again.
#[tokio::test]
async fn a_run_has_a_context_that_is_not_stored() {
    let child = "name: child\ncontext: { user: string }\nstate: { said: string }\nnodes:\n  ask: { interrupt: \"Go on, {{ context.user }}?\" }\n  \
                 say: { template: \"{{ context.user }}\", to: said }\nedges:\n  - { from: START, to: ask }\n  - { from: ask, to: say }\n  - { from: say, to: END }\n";
    let text = "name: t\ncontext: { user: string, loud: { type: boolean, default: true } }\nstate: { out: string }\nnodes:\n  \
                a: { subgraph: { file: child.yaml }, to: { out: result.said } }\n  b: { set: { out: \"state.out ~ '!' ~ context.user\" } }\n\
                edges:\n  - { from: START, to: a }\n  - { from: a, when: context.loud, to: b }\n  - { from: a, else: END }\n  - { from: b, to: END }\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let definition = Definition::parse(text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let store = MemoryStore::new();
    let compile = |user: &str| {
        let given = json!({ "user": user }).as_object().cloned().unwrap();
        let definition = definition.clone().with_context(run_context(&definition, &given).unwrap());
        let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}"));
        graph.compile_with(offline()).unwrap().with_store(Arc::new(store.clone()))
    };
    let thread = ThreadId::new("t").unwrap();
    let request = HostRequest::new(HostStart::Input { state: json!({}), thread: Some(thread.clone()) });
    let mut stream = (&compile("ada") as &dyn Host).stream(request).await.unwrap();
    while futures_util::StreamExt::next(&mut stream).await.is_some() {}
    let end = stream.outcome().unwrap().unwrap();
    let Status::Waiting(questions) = &end.status else { panic!("{:?}", end.status) };
    assert_eq!(questions[0].payload.get(), "\"Go on, ada?\"");
    assert!(!end.state.get().contains("ada"), "{}", end.state);
    // The question has changed with the user, so it is asked again.
    let graph = compile("bob");
    let end = graph.resume(&thread).answer(questions[0].id, "yes").await.unwrap();
    let Status::Waiting(questions) = &end.status else { panic!("{:?}", end.status) };
    let end = graph.resume(&thread).answer(questions[0].id, "yes").await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!("bob!bob")));
}

#[test]
fn a_context_is_checked_against_its_declaration() {
    let text = one("{ n: integer }", "{ set: { n: 1 } }")
        .replace("state:", "context: { user: { about: Who asks }, age: integer? }\nstate:");
    let definition = Definition::parse(&text, "t.yaml").unwrap();
    let told = |given: Value| {
        let error = run_context(&definition, given.as_object().unwrap()).unwrap_err();
        format!("{error} ({})", error.hint())
    };
    assert_eq!(
        told(json!({})),
        "`user` of the context is missing: Who asks (give it with the context, such as {\"user\": …})"
    );
    assert_eq!(told(json!({ "usr": 1 })), "the context of the graph has no `usr` (did you mean `user`?)");
    assert!(told(json!({ "user": 1 })).starts_with("`user` of the context does not fit: 1 is not of type"));
    let context = run_context(&definition, json!({ "user": "ada" }).as_object().unwrap()).unwrap();
    assert_eq!(Value::Object(context), json!({ "user": "ada", "age": null }));
}

// F71: values outlive the thread, belong to the graph's name, expire, and are bounded.
#[tokio::test]
async fn values_in_the_store_outlive_the_thread() {
    let items = MemoryItems::new();
    let run = async |name: &str, node: &str| {
        let state = format!("{{ out: any, pad: {{ type: string, default: {} }} }}", "x".repeat(1_000));
        let text = one(&state, node).replace("name: t", &format!("name: {name}"));
        let graph = compiled(&text, offline()).with_long_term(Arc::new(items.clone()));
        graph.run(start(&text)).await.map(|end| end.state.get("out").cloned().unwrap())
    };
    let get = "{ store: { get: { path: users.ada, key: likes } }, to: out }";
    let put =
        |value: &str| format!("{{ store: {{ put: {{ path: users.ada, key: likes, value: {value} }} }} }}");
    run("one.graph", &put("{ drink: \"'tea'\" }")).await.unwrap();
    assert_eq!(run("one.graph", get).await.unwrap(), json!({ "drink": "tea" }));
    assert_eq!(run("another", get).await.unwrap(), Value::Null);
    let search = "{ store: { search: { path: users, text: some tea } }, to: out }";
    let found = json!([{ "path": "users.ada", "key": "likes", "value": { "drink": "tea" } }]);
    assert_eq!(run("one.graph", search).await.unwrap(), found);
    run("one.graph", "{ store: { delete: { path: users.ada, key: likes } } }").await.unwrap();
    assert_eq!(run("one.graph", get).await.unwrap(), Value::Null);
    // 64 MiB for all values of a graph, whatever they replace.
    let large =
        |key: &str| format!("{{ store: {{ put: {{ path: p, key: {key}, value: state.pad * 7000 }} }} }}");
    for key in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "i"] {
        run("large", &large(key)).await.unwrap();
    }
    let told = stategraph_core::with_causes(&run("large", &large("j")).await.unwrap_err());
    assert!(told.contains("the store would hold 10 values"), "{told}");
    run("large", "{ store: { delete: { path: p, key: a } } }").await.unwrap();
    run("large", &large("j")).await.unwrap();
    let told = stategraph_core::with_causes(
        &run("t", "{ store: { get: { path: a..b, key: c } }, to: out }").await.unwrap_err(),
    );
    assert!(told.contains("the path `t.a..b` has an empty label"), "{told}");
}
