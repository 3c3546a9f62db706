//! The loop: rounds, limits, failures, abandoned rounds.

use std::sync::Arc;

use futures_util::FutureExt;
use stategraph_agent::{Agent, Conversation, Ended, Stack, Step, Toolbox};
use stategraph_llm::Role::{Assistant, System, Tool, User};
use stategraph_llm::{Message, ModelError, ModelErrorKind, Scripted, ScriptedAnswer};
use tokio::sync::Notify;

use super::{Endless, agent, assert_whole, call, calling, echo, toolbox};

fn two_rounds() -> Scripted {
    let first = calling(vec![echo("1", "one"), call("2", "nothing", "{}")]);
    Scripted::new("test").reply(first).reply(calling(vec![echo("3", "two")])).answer("done")
}

#[tokio::test]
async fn the_model_sees_its_results_and_is_asked_until_it_calls_nothing() {
    // ENG-10, EXP-3
    let (model, toolbox) = (two_rounds(), toolbox());
    let mut conversation = Conversation::new("instructions", "task");
    let ended = agent(&model, &toolbox, Stack::new()).converse(&mut conversation).await.unwrap();
    assert_eq!(ended, Ended::Answered("done".into()));
    assert_whole(&conversation);
    let roles: Vec<_> = conversation.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [System, User, Assistant, Tool, Tool, Assistant, Tool, Assistant]);
    assert_eq!(conversation.rounds, 3);
    assert!(conversation.spent.total().usage.total() > 0);

    let asked = model.requests();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[2].messages, conversation.messages[..7]);
    assert_eq!(asked[0].tools, toolbox.specs());
    assert_eq!(asked[0].label, "tester");
}

#[tokio::test]
async fn the_limit_of_rounds_holds_one_below_at_and_above() {
    // ENG-4, ENG-20, EXP-9
    for (limit, asked, ended) in [
        (0, 0, Ended::RoundsUsedUp { limit: 0 }),
        (2, 2, Ended::RoundsUsedUp { limit: 2 }),
        (3, 3, Ended::Answered("done".into())),
        (4, 3, Ended::Answered("done".into())),
    ] {
        let (model, toolbox) = (two_rounds(), toolbox());
        let mut conversation = Conversation::new("s", "t");
        let agent = agent(&model, &toolbox, Stack::new()).rounds(limit);
        assert_eq!(agent.converse(&mut conversation).await.unwrap(), ended);
        assert_eq!(model.requests().len(), asked);
        assert_whole(&conversation);
    }
}

#[tokio::test]
async fn a_used_up_conversation_goes_on_with_the_next_task() {
    // ENG-20, CTX-96
    let (model, toolbox) = (two_rounds(), toolbox());
    let mut conversation = Conversation::new("s", "t");
    let agent = agent(&model, &toolbox, Stack::new()).rounds(2);
    let used_up = Ended::RoundsUsedUp { limit: 2 };
    assert_eq!(agent.converse(&mut conversation).await.unwrap(), used_up);
    assert_eq!(agent.converse(&mut conversation).await.unwrap(), used_up);
    assert_eq!(model.requests().len(), 2);
    conversation.say("go on");
    assert_eq!(agent.converse(&mut conversation).await.unwrap(), Ended::Answered("done".into()));
}

#[tokio::test]
async fn a_failed_model_leaves_the_conversation_as_it_was() {
    // EXP-25
    let model = Scripted::new("test").reply(calling(vec![echo("1", "x")])).fail(ModelErrorKind::EmptyChoices);
    let toolbox = toolbox();
    let mut conversation = Conversation::new("s", "t");
    let agent = agent(&model, &toolbox, Stack::new());
    assert!(matches!(agent.step(&mut conversation).await, Ok(Step::Called(results)) if results.len() == 1));
    let before = conversation.clone();
    let error = agent.step(&mut conversation).await.expect_err("it fails");
    let error: &ModelError = error.downcast_ref().expect("the model failed");
    assert_eq!(*error.kind, ModelErrorKind::EmptyChoices);
    assert_eq!(conversation, before);
}

#[tokio::test]
async fn an_abandoned_round_leaves_no_call_without_a_result() {
    // ENG-10, ENG-16
    let begun = Arc::new(Notify::new());
    let toolbox = Toolbox::new().with(Endless(Arc::clone(&begun))).expect("one");
    let model = Scripted::new("test").reply(calling(vec![call("1", "endless", "{}")]));
    let mut conversation = Conversation::new("s", "t");
    let agent = Agent::new("tester", &model, &toolbox);
    tokio::select! {
        _ = agent.step(&mut conversation) => unreachable!("the tool never answers"),
        () = begun.notified() => {}
    }
    assert_eq!(conversation, Conversation::new("s", "t"));
}

#[tokio::test]
async fn calls_without_ids_of_their_own_are_run_and_paired() {
    // ENG-10
    let answer = calling(vec![echo("", "a"), echo("", "b"), echo("x", "c"), echo("x", "d")]);
    let (model, toolbox) = (Scripted::new("test").reply(answer).answer("done"), toolbox());
    let mut conversation = Conversation::new("s", "t");
    agent(&model, &toolbox, Stack::new()).converse(&mut conversation).await.expect("a script does not fail");
    assert_whole(&conversation);
    let said: Vec<_> = conversation.messages.iter().map(|message| message.content.as_str()).collect();
    let result = |text| format!("{{\"success\":true,\"content\":\"{text}\"}}");
    assert_eq!(said[3..7], [result("a"), result("b"), result("c"), result("d")]);
}

#[tokio::test]
async fn text_beside_calls_is_remembered_and_reads_back() {
    let answer = ScriptedAnswer { text: "Let me look.".into(), ..calling(vec![echo("1", "x")]) };
    let (model, toolbox) = (Scripted::new("test").reply(answer).answer("done"), toolbox());
    let mut conversation = Conversation::new("s", "t");
    agent(&model, &toolbox, Stack::new()).converse(&mut conversation).await.expect("a script does not fail");
    assert_eq!(conversation.messages[2], Message::calling("Let me look.", vec![echo("1", "x")]));
    let json = serde_json::to_string(&conversation).expect("it serialises");
    assert_eq!(serde_json::from_str::<Conversation>(&json).expect("it reads back"), conversation);
}

#[test]
fn a_run_can_be_moved_to_another_thread() {
    let (model, toolbox) = (two_rounds(), toolbox());
    let (agent, mut conversation) = (agent(&model, &toolbox, Stack::new()), Conversation::default());
    let run = agent.converse(&mut conversation).boxed();
    std::thread::scope(|scope| scope.spawn(move || drop(run)).join().expect("it is only dropped"));
}
