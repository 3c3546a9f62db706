//! Middleware: hooks in order, refusals, halts, panics.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use stategraph_agent::{
    CallPolicy, CallResult, Conversation, Ended, Halt, Hook, Middleware, Next, NextModel, PlannedCall, Round,
    Stack, ToolFailure, ToolOutput, run_calls,
};
use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::{ChatAnswer, ChatRequest, Message, Scripted, ToolCall};

use super::{agent, assert_whole, call, calling, echo, toolbox};

async fn run(calls: &[ToolCall], stack: Stack<'_>) -> Vec<CallResult> {
    run_calls(&toolbox(), calls, &stack, &CallPolicy::default()).await.expect("nothing around them fails")
}

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down what it sees.
struct Observer(&'static str, Log);

impl Observer {
    fn note(&self, what: &str) {
        self.1.lock().expect("no panics here").push(format!("{} {what}", self.0));
    }
}

impl Middleware for Observer {
    fn before_model<'a>(&'a self, round: &'a Round, _: &'a mut ChatRequest) -> Hook<'a> {
        self.note(&format!("before {}", round.number));
        std::future::ready(Ok(())).boxed()
    }

    fn after_model<'a>(&'a self, round: &'a Round, _: &'a mut ChatAnswer) -> Hook<'a> {
        self.note(&format!("after {}", round.number));
        std::future::ready(Ok(())).boxed()
    }

    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        async move {
            self.note(&format!("asks after {}", next.round().at));
            next.ask(request).await
        }
        .boxed()
    }

    fn before_calls<'a>(&'a self, _: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        self.note(&format!("plans {}", calls.len()));
        std::future::ready(Ok(())).boxed()
    }

    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            self.note(&format!("into {}", call.name));
            let output = next.run(call).await;
            self.note("out");
            output
        }
        .boxed()
    }
}

/// Refuses one tool, edits the calls of another, and does not let the model see more than two messages.
struct Gate;

impl Middleware for Gate {
    fn before_model<'a>(&'a self, _: &'a Round, request: &'a mut ChatRequest) -> Hook<'a> {
        request.messages.truncate(2);
        std::future::ready(Ok(())).boxed()
    }

    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        match call.name.as_str() {
            "broken" => std::future::ready(Ok(ToolOutput::refused("a person said no"))).boxed(),
            _ => next.run(ToolCall { arguments: r#"{"text":"edited"}"#.into(), ..call }),
        }
    }
}

#[tokio::test]
async fn the_first_is_the_outermost_around_model_and_calls() {
    // ENG-11
    let log = Log::default();
    let stack = Stack::new().with(Observer("A", log.clone())).with(Observer("B", log.clone()));
    let (model, toolbox) =
        (Scripted::new("test").reply(calling(vec![echo("1", "x")])).answer("done"), toolbox());
    let mut conversation = Conversation::new("s", "t");
    agent(&model, &toolbox, stack).converse(&mut conversation).await.expect("a script does not fail");
    let log = log.lock().expect("no panics here");
    let first = [
        "A before 1",
        "B before 1",
        "A asks after 2",
        "B asks after 2",
        "B after 1",
        "A after 1",
        "A plans 1",
        "B plans 1",
        "A into echo",
        "B into echo",
        "B out",
        "A out",
    ];
    let second = ["A before 2", "B before 2", "A asks after 4", "B asks after 4", "B after 2", "A after 2"];
    assert_eq!(*log, [first.as_slice(), &second].concat());
}

#[tokio::test]
async fn a_refusal_is_the_calls_result_and_the_tool_is_not_run() {
    // ENG-10, ENG-11, CTX-95
    let calls = [call("1", "broken", "{}"), echo("2", "given")];
    let results = run(&calls, Stack::new().with(Gate)).await;
    assert_eq!(results[0].output, ToolOutput::refused("a person said no"));
    assert_eq!(results[1].output, ToolOutput::ok("edited"));
}

#[tokio::test]
async fn what_is_sent_may_be_trimmed_and_what_is_remembered_stays() {
    // ENG-11
    let (model, toolbox) =
        (Scripted::new("test").reply(calling(vec![echo("1", "x")])).answer("done"), toolbox());
    let mut conversation = Conversation::new("s", "t");
    let stack = Stack::new().with(Gate);
    agent(&model, &toolbox, stack).converse(&mut conversation).await.expect("a script does not fail");
    assert_eq!(model.requests()[1].messages, [Message::system("s"), Message::user("t")]);
    assert_eq!(conversation.messages.len(), 5);
}

/// Ends the run at a moment.
enum Stopper {
    BeforeModel,
    AfterModel,
}

impl Middleware for Stopper {
    fn before_model<'a>(&'a self, _: &'a Round, _: &'a mut ChatRequest) -> Hook<'a> {
        let halts = matches!(self, Self::BeforeModel);
        std::future::ready(if halts { Err(Halt::new("over budget").into()) } else { Ok(()) }).boxed()
    }

    fn after_model<'a>(&'a self, round: &'a Round, _: &'a mut ChatAnswer) -> Hook<'a> {
        assert!(round.spent.total().usage.total() > 0, "this round counts");
        std::future::ready(Err(Halt::new("over budget").into())).boxed()
    }
}

#[tokio::test]
async fn a_halt_ends_the_run_and_leaves_a_whole_conversation() {
    // ENG-10, ENG-11
    for (stopper, asked, messages) in [(Stopper::BeforeModel, 0, 2), (Stopper::AfterModel, 1, 5)] {
        let calls = calling(vec![echo("1", "x"), call("2", "broken", "{}")]);
        let (model, toolbox) = (Scripted::new("test").reply(calls), toolbox());
        let mut conversation = Conversation::new("s", "t");
        let agent = agent(&model, &toolbox, Stack::new().with(stopper));
        let ended = agent.converse(&mut conversation).await.expect("a script does not fail");
        assert_eq!(ended, Ended::Halted(Halt::new("over budget")));
        assert_eq!((model.requests().len(), conversation.messages.len()), (asked, messages));
        assert_whole(&conversation);
        let refused = r#"{"success":false,"content":"stopped: over budget","error":"refused"}"#;
        assert!(conversation.messages.iter().skip(3).all(|message| message.content == refused));
    }
}

/// Breaks around a call.
struct Faulty;

impl Middleware for Faulty {
    fn around_call<'a>(&'a self, call: ToolCall, _: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        match call.id.as_str() {
            "soon" => panic!("before the future"),
            _ => async { panic!("in the future") }.boxed(),
        }
    }
}

#[tokio::test]
async fn a_panic_of_middleware_is_the_calls_result() {
    // ENG-10
    let calls = [echo("soon", "x"), echo("later", "x")];
    let results = run(&calls, Stack::new().with(Faulty)).await;
    assert!(results.iter().all(|result| result.output.failure == Some(ToolFailure::Panicked)));
    assert!(results[0].output.content.ends_with("before the future"));
    assert!(results[1].output.content.ends_with("in the future"));
}

/// Waits for a person.
struct Approval;

impl Middleware for Approval {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            tokio::time::sleep(Duration::from_hours(1)).await;
            next.run(call).await
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_persons_time_is_not_the_tools() {
    // CTX-93
    let results = run(&[echo("1", "x")], Stack::new().with(Approval)).await;
    assert_eq!(results[0].output, ToolOutput::ok("x"));
}

/// Cannot be reached.
struct Unreachable;

impl Middleware for Unreachable {
    fn around_call<'a>(&'a self, _: ToolCall, _: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        std::future::ready(Err(NodeError::msg("the disk is full"))).boxed()
    }
}

#[tokio::test]
async fn an_error_of_middleware_fails_the_round_and_is_not_told_to_the_model() {
    // ENG-11
    let (model, toolbox) = (Scripted::new("test").reply(calling(vec![echo("1", "x")])), toolbox());
    let mut conversation = Conversation::new("s", "t");
    let agent = agent(&model, &toolbox, Stack::new().with(Unreachable));
    let error = agent.converse(&mut conversation).await.expect_err("it fails");
    assert_eq!(error.to_string(), "the disk is full");
    assert_eq!(conversation, Conversation::new("s", "t"));
}

/// Refuses the second call, edits the first.
struct Planner;

impl Middleware for Planner {
    fn before_calls<'a>(&'a self, _: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        calls[0].edit(r#"{"text":"edited"}"#);
        calls[0].warn("Careful.");
        calls[1].refuse(ToolOutput::refused("no"));
        calls[1].refuse(ToolOutput::refused("too late"));
        assert!(calls[0].is_open() && !calls[1].is_open());
        std::future::ready(Ok(())).boxed()
    }
}

#[tokio::test]
async fn what_is_decided_before_the_calls_is_what_the_conversation_remembers() {
    // ENG-10, ENG-11, CTX-95
    let answer = calling(vec![echo("1", "given"), call("2", "broken", "{}")]);
    let (model, toolbox) = (Scripted::new("test").reply(answer).answer("done"), toolbox());
    let mut conversation = Conversation::new("s", "t");
    agent(&model, &toolbox, Stack::new().with(Planner)).converse(&mut conversation).await.unwrap();
    assert_whole(&conversation);
    assert_eq!(conversation.messages[2].tool_calls[0], echo("1", "edited"));
    let results: Vec<_> = conversation.messages[3..5].iter().map(|message| &*message.content).collect();
    assert_eq!(
        results,
        [
            r#"{"success":true,"content":"edited","budget_warning":"Careful."}"#,
            r#"{"success":false,"content":"no","error":"refused"}"#
        ]
    );
    // DOC-45: the refused one is not counted.
    assert_eq!((conversation.spent.calls("echo"), conversation.spent.calls("broken")), (1, 0));
}
