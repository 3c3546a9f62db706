//! Running an answer's calls: one result each, in order, bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use serde::Deserialize;
use stategraph_agent::{
    CallPolicy, CallResult, Stack, Tool, ToolFailure, ToolOutput, Toolbox, run_calls, with_distinct_ids,
};
use stategraph_llm::{Role, ToolCall};

use super::{call, echo, toolbox};

async fn run(calls: &[ToolCall]) -> Vec<CallResult> {
    run_calls(&toolbox(), calls, &Stack::new(), &CallPolicy::default())
        .await
        .expect("nothing around them fails")
}

#[tokio::test(start_paused = true)]
async fn every_call_gets_one_result_with_its_id_in_order_whatever_happens() {
    // ENG-10, ENG-30
    let calls = [
        echo("a", "hello"),
        call("b", "no_such_tool", "{}"),
        call("c", "echo", "not json"),
        call("d", "broken", "{}"),
        call("e", "endless", "{}"),
        echo("a", "again"),
        echo("f", "last"),
    ];
    let results = run(&calls).await;
    let messages: Vec<_> = results.iter().map(CallResult::message).collect();
    let ids: Vec<_> =
        messages.iter().map(|message| message.tool_call_id.as_deref().expect("paired")).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e", "a", "f"]);
    assert!(messages.iter().all(|message| message.role == Role::Tool));
    let failures: Vec<_> = results.iter().map(|result| result.output.failure).collect();
    assert_eq!(
        failures,
        [
            None,
            Some(ToolFailure::UnknownTool),
            Some(ToolFailure::BadArguments),
            Some(ToolFailure::Panicked),
            Some(ToolFailure::TimedOut),
            Some(ToolFailure::RepeatedId),
            None,
        ]
    );
    assert_eq!(messages[0].content, r#"{"success":true,"content":"hello"}"#);
    assert_eq!(results[4].output.content, "`endless` did not answer within 120s");
}

#[tokio::test]
async fn no_calls_give_no_results() {
    assert_eq!(run(&[]).await, []);
}

#[tokio::test]
async fn too_much_output_is_cut_and_says_how_much() {
    // ENG-20, ENG-21
    let policy = CallPolicy { output_chars: 3, ..CallPolicy::default() };
    let calls = [echo("1", "äö"), echo("2", "äöü"), echo("3", "äöüx")];
    let results = run_calls(&toolbox(), &calls, &Stack::new(), &policy).await.unwrap();
    let contents: Vec<_> = results.iter().map(|result| result.output.content.as_str()).collect();
    assert_eq!(contents, ["äö", "äöü", "äöü\n[cut: 1 of 4 characters left out]"]);
}

/// Waits as long as it is told and counts how many wait at the same time.
#[derive(Default)]
struct Waiter {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Wait {
    seconds: u64,
}

impl Tool for Waiter {
    type Arguments = Wait;

    fn name(&self) -> &'static str {
        "wait"
    }

    fn description(&self) -> &'static str {
        "Waits."
    }

    async fn run(&self, wait: Wait) -> ToolOutput {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(wait.seconds)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        ToolOutput::ok(wait.seconds.to_string())
    }
}

#[tokio::test(start_paused = true)]
async fn calls_run_at_the_same_time_up_to_the_bound_and_results_keep_their_order() {
    // ENG-8, ENG-10, ENG-20, EXP-24
    let calls: Vec<_> =
        (0..6).map(|n| call(&n.to_string(), "wait", &format!("{{\"seconds\":{}}}", 10 - n))).collect();
    for (at_once, most) in [(0, 1), (1, 1), (2, 2), (5, 5), (6, 6), (7, 6)] {
        let waiter = Waiter::default();
        let seen = Arc::clone(&waiter.most);
        let toolbox = Toolbox::new().with(waiter).expect("one");
        let policy = CallPolicy { at_once, ..CallPolicy::default() };
        let results = run_calls(&toolbox, &calls, &Stack::new(), &policy).await.unwrap();
        let order: Vec<_> = results.iter().map(|result| result.output.content.as_str()).collect();
        assert_eq!(order, ["10", "9", "8", "7", "6", "5"]);
        assert_eq!(seen.load(Ordering::SeqCst), most, "at once: {at_once}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_take_as_long_as_the_limit_and_no_longer() {
    // ENG-20
    let toolbox = Toolbox::new().with(Waiter::default()).expect("one");
    let policy = CallPolicy { timeout: Duration::from_millis(5_500), ..CallPolicy::default() };
    let calls = [call("1", "wait", r#"{"seconds":5}"#), call("2", "wait", r#"{"seconds":6}"#)];
    let results = run_calls(&toolbox, &calls, &Stack::new(), &policy).await.unwrap();
    assert!(results[0].output.is_success());
    assert_eq!(results[1].output.failure, Some(ToolFailure::TimedOut));
}

#[test]
fn repeated_and_missing_ids_become_distinct_and_the_others_stay() {
    // ENG-10
    let ids = |given: &[&str]| -> Vec<String> {
        let calls = given.iter().map(|id| echo(id, "x")).collect();
        with_distinct_ids(calls).into_iter().map(|call| call.id).collect()
    };
    assert_eq!(ids(&["a", "b"]), ["a", "b"]);
    assert_eq!(ids(&["a", "a", "a_2", "a"]), ["a", "a_3", "a_2", "a_4"]);
    assert_eq!(ids(&["", "", "call_1"]), ["call_2", "call_3", "call_1"]);
}

proptest! {
    #[test]
    fn whatever_is_called_every_call_has_its_result(
        calls in prop::collection::vec(("[ab]?|.*", "echo|broken|.*", r#"\{"text":"[a-z]*"\}|.*"#), 0..8)
    ) {
        // ENG-10, ENG-30
        let calls: Vec<_> = calls.iter().map(|(id, name, arguments)| call(id, name, arguments)).collect();
        let calls = with_distinct_ids(calls);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let results = runtime.expect("a runtime").block_on(run(&calls));
        let answered: Vec<_> = results.iter().map(|result| &result.id).collect();
        prop_assert_eq!(answered, calls.iter().map(|call| &call.id).collect::<Vec<_>>());
        prop_assert!(results.iter().all(|result| result.output.failure != Some(ToolFailure::RepeatedId)));
    }
}
