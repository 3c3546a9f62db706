//! Asking a person before a tool is run: CTX-93 to 96, 143.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stategraph_agent::around::{Approval, ApprovalAnswer, Journal};
use stategraph_agent::{
    Agent, AgentParts, AgentState, Conversation, Ended, Stack, Tool, ToolCost, ToolOutput, Toolbox,
    agent_graph,
};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    CompiledGraph, Cx, END, NodeResult, Outcome, RunError, START, State, StateGraph, Status, ThreadId,
};
use stategraph_llm::{Message, Scripted, SharedModel};

use super::{Echo, Said, call, calling, echo};

/// Cannot be taken back.
struct Publish;

impl Tool for Publish {
    type Arguments = Said;

    fn name(&self) -> &'static str {
        "publish"
    }

    fn description(&self) -> &'static str {
        "Publishes it."
    }

    fn cost(&self) -> ToolCost {
        ToolCost::High
    }

    async fn run(&self, said: Said) -> ToolOutput {
        ToolOutput::ok(format!("published {}", said.text))
    }
}

fn publish(id: &str, text: &str) -> stategraph_llm::ToolCall {
    call(id, "publish", &json!({ "text": text }).to_string())
}

fn toolbox() -> Toolbox {
    Toolbox::new().with(Echo).and_then(|tools| tools.with(Publish)).unwrap()
}

fn model() -> SharedModel {
    let calls = vec![publish("1", "a"), echo("2", "free"), publish("3", "b"), publish("4", "c")];
    Arc::new(Scripted::new("test").reply(calling(calls)).answer("done"))
}

fn thread() -> ThreadId {
    ThreadId::new("t").unwrap()
}

/// Approves the first, edits the second, rejects the third.
async fn answered<S: State, E: Send + Sync + 'static>(graph: &CompiledGraph<S, E>, start: S) -> Outcome<S> {
    let waiting = graph.run(start).thread(thread()).await.unwrap();
    let Status::Waiting(questions) = waiting.status else { panic!("it asks") };
    let asked: Vec<Value> = questions
        .iter()
        .map(|question| serde_json::from_str(&question.payload.to_string()).unwrap())
        .collect();
    let question = |text: &str| {
        let message = "The agent wants to call `publish`. Approve, edit or reject?";
        json!({ "action": "approve_tool_call", "tool": "publish", "message": message, "args": { "text": text }, "answers": ApprovalAnswer::FORMS })
    };
    assert_eq!(asked, [question("a"), question("b"), question("c")]);
    let resume = || graph.resume(&thread());
    // CTX-143: what does not fit is refused where it is given, and the question stays open.
    for wrong in [
        json!("maybe"),
        json!({ "decision": "edit" }),
        json!({ "decision": "edit", "args": 1 }),
        json!({ "decision": "edit", "args": { "text": ["a"] } }),
    ] {
        let refused = resume().answer(questions[0].id, &wrong).await;
        assert!(matches!(refused, Err(RunError::AnswerRefused { .. })), "{wrong}");
    }
    let args = json!({ "text": "better" }).as_object().unwrap().clone();
    let reason = Some("too early".to_owned());
    resume()
        .answer(questions[0].id, &"approve")
        .answer(questions[1].id, &ApprovalAnswer::Edit { args })
        .answer(questions[2].id, &ApprovalAnswer::Reject { reason })
        .await
        .unwrap()
}

fn check(messages: &[Message]) {
    assert_eq!(messages[2].tool_calls[2], publish("3", "better"));
    let said: Vec<&str> = messages[3..7].iter().map(|message| &*message.content).collect();
    assert_eq!(
        said,
        [
            r#"{"success":true,"content":"published a"}"#,
            r#"{"success":true,"content":"free"}"#,
            r#"{"success":true,"content":"published better"}"#,
            r#"{"success":false,"content":"a person rejected the call: too early","error":"refused"}"#,
        ]
    );
    assert_eq!(messages[7], Message::assistant("done"));
    assert_eq!(messages.len(), 8);
}

#[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
struct Work {
    talk: Conversation,
}

async fn works(_: &Work, cx: &Cx<SharedModel>) -> NodeResult<WorkUpdate> {
    let toolbox = toolbox();
    let gate = Approval::new(cx, toolbox.costing(ToolCost::High)).schemas(toolbox.specs());
    let stack = Stack::new().with(gate).with(Journal::new(cx, "work"));
    let mut talk = Conversation::new("s", "t");
    Agent::new("worker", cx.services(), &toolbox).stack(stack).converse(&mut talk).await?;
    Ok(Work::update().talk(talk))
}

#[tokio::test]
async fn a_node_waits_for_all_answers_before_any_of_the_calls_is_run() {
    // CTX-93, CTX-95, CTX-96
    let graph = StateGraph::new("work").node("work", works).edge(START, "work").edge("work", END);
    let graph = graph.compile_with(model()).unwrap().with_store(Arc::new(MemoryStore::new()));
    check(&answered(&graph, Work::default()).await.state.talk.messages);
}

#[tokio::test]
async fn so_does_a_loop_of_nodes_and_it_remembers_the_edited_call() {
    // CTX-93, CTX-95, CTX-96
    let parts = AgentParts::new("worker", model(), toolbox()).stack(|cx| {
        let toolbox = cx.services().toolbox();
        Stack::new().with(Approval::new(cx, toolbox.costing(ToolCost::High)).schemas(toolbox.specs()))
    });
    let graph = agent_graph("loop").compile_with(parts).unwrap().with_store(Arc::new(MemoryStore::new()));
    let ended = answered(&graph, AgentState::new("s", "t")).await.state;
    check(&ended.messages.to_request());
    assert_eq!(ended.ended, Some(Ended::Answered("done".into())));
}

#[tokio::test]
async fn without_a_store_the_run_says_what_is_missing() {
    // CTX-94
    let graph = StateGraph::new("work").node("work", works).edge(START, "work").edge("work", END);
    let error = graph.compile_with(model()).unwrap().run(Work::default()).await.unwrap_err();
    assert!(format!("{error:?}").contains("QuestionWithoutStore"), "{error:?}");
}
