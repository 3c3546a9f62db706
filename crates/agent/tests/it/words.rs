//! A model's words in a graph: pieces with the id that the whole message has in the state. Parity F68, F69; issue 3 "Build" 2.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use stategraph_agent::{Agent, Conversation, StreamedAnswer, Toolbox};
use stategraph_core::store::MemoryStore;
use stategraph_core::{
    CompiledGraph, Cx, END, Event, EventKind, EventKinds, NodeError, NodePolicy, NodeResult, RetryPolicy,
    RunStream, START, State, StateGraph, Status, ThreadId,
};
use stategraph_llm::{
    ChatAnswer, ChatModel, ChatRequest, Message, MessageChange, Messages, Providers, Scripted,
    ScriptedAnswer, SharedModel,
};

use super::{Echo, calling, echo};
use stategraph_testing::fake_server::{FakeServer, Play};

#[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
struct Chat {
    #[state(reduce = Messages::change, delta = MessageChange)]
    messages: Messages,
}

fn model_at(server: &FakeServer) -> SharedModel {
    let config =
        serde_json::json!({ "base_url": server.base_url(), "retry": { "attempts": 3, "base_s": 0.001 } });
    let config = serde_json::from_value(config).expect("the settings are right");
    let providers =
        Providers::new(BTreeMap::new()).configured(BTreeMap::from([("local".to_owned(), config)]));
    providers.expect("the provider is right").model("local/any").expect("the name is right")
}

async fn talks(chat: &Chat, cx: &Cx<SharedModel>) -> NodeResult<ChatUpdate> {
    let request = ChatRequest::new("talks", chat.messages.to_request());
    let words = StreamedAnswer::new(cx, "answer");
    let answer: ChatAnswer = cx
        .once("answer", async { cx.services().chat(&request, &words).await.map_err(NodeError::from) })
        .await?;
    Ok(Chat::update().messages(words.whole(&answer)))
}

async fn asks_then_talks(chat: &Chat, cx: &Cx<SharedModel>) -> NodeResult<ChatUpdate> {
    let update = talks(chat, cx).await?;
    let _: bool = cx.interrupt(&"keep it?").await?;
    Ok(update)
}

fn graph<M>(
    model: SharedModel,
    policy: NodePolicy,
    node: impl stategraph_core::IntoNode<Chat, SharedModel, M>,
) -> CompiledGraph<Chat, SharedModel> {
    let graph = StateGraph::new("chat").node_with("talk", policy, node).edge(START, "talk").edge("talk", END);
    graph.compile_with(model).unwrap().with_store(Arc::new(MemoryStore::new()))
}

fn said(text: &str) -> Chat {
    Chat { messages: [Message::user(text)].into_iter().collect() }
}

fn thread() -> ThreadId {
    ThreadId::new("t").unwrap()
}

/// The messages of a run as a user interface has them that knows only the events: put together from their pieces.
async fn assembled<S>(run: &mut RunStream<S>) -> (BTreeMap<String, String>, Vec<Event>) {
    let (mut messages, mut events) = (BTreeMap::<String, String>::new(), Vec::new());
    while let Some(event) = run.next().await {
        if let EventKind::Message { message, at, text, .. } = &event.kind {
            let known = messages.entry(message.clone()).or_default();
            if *at == 0 {
                known.clear();
            }
            assert_eq!(known.chars().count() as u64, *at, "pieces come in order");
            known.push_str(text);
        }
        events.push(event);
    }
    (messages, events)
}

/// Id and text of the newest message of a state.
fn newest(chat: &Chat) -> BTreeMap<String, String> {
    let kept = chat.messages.last().unwrap();
    BTreeMap::from([(kept.id.clone(), kept.message.content.clone())])
}

// F68, F69: the chunks of LangGraph have the id of the final message
#[tokio::test]
async fn the_pieces_of_a_message_have_the_id_that_it_has_when_it_is_whole() {
    let server =
        FakeServer::playing(vec![Play::streams(&["hé", "llo ", "you"]), Play::streams(&["bye"])]).await;
    let graph = graph(model_at(&server), NodePolicy::new(), talks);
    let mut run = graph
        .run(said("hi"))
        .thread(thread())
        .stream(EventKinds::MESSAGES | EventKinds::UPDATES)
        .await
        .unwrap();
    let (messages, events) = assembled(&mut run).await;
    let state = run.outcome().unwrap().unwrap().state;
    assert_eq!(messages, BTreeMap::from([("1.0/1/answer".to_owned(), "héllo you".to_owned())]));
    assert_eq!(newest(&state), messages);
    assert_eq!(state.messages.last().unwrap().usage.unwrap().total(), 10);
    // What is written says it too, so that an interface can put the whole in the place of the pieces.
    let update = events.iter().find_map(|event| match &event.kind {
        EventKind::Updates { update, .. } => update.as_ref(),
        _ => None,
    });
    assert!(update.unwrap().get().contains("1.0/1/answer"), "{update:?}");
    // A later message of the thread is another one, and no id is given twice.
    let next = Chat::update().messages(Message::user("and?"));
    let mut run = graph.continue_with(&thread(), next).stream(EventKinds::MESSAGES).await.unwrap();
    let messages = assembled(&mut run).await.0;
    assert_eq!(messages, BTreeMap::from([("3.0/1/answer".to_owned(), "bye".to_owned())]));
    let state = run.outcome().unwrap().unwrap().state;
    assert_eq!((newest(&state), state.messages.len()), (messages, 4));
}

// F68: a stream that breaks off is asked for again, and so is one of a node that is tried again
#[tokio::test]
async fn a_message_that_breaks_off_begins_anew_under_its_id() {
    let broken = || Play::stream().piece("hel").pause(Duration::from_millis(20)).reset();
    let patient = NodePolicy::new().retry(RetryPolicy::attempts(2).first_wait(Duration::from_millis(1)));
    for (plays, policy) in [
        (vec![broken(), Play::streams(&["hello", "!"])], NodePolicy::new()),
        // The model layer tries three times, then the node once more.
        (vec![broken(), broken(), broken(), Play::streams(&["hello", "!"])], patient),
    ] {
        let requests = plays.len();
        let server = FakeServer::playing(plays).await;
        let graph = graph(model_at(&server), policy, talks);
        let mut run = graph.run(said("hi")).thread(thread()).stream(EventKinds::MESSAGES).await.unwrap();
        let (messages, _) = assembled(&mut run).await;
        assert_eq!(messages, BTreeMap::from([("1.0/1/answer".to_owned(), "hello!".to_owned())]));
        assert_eq!(newest(&run.outcome().unwrap().unwrap().state), messages);
        assert_eq!(server.requests().len(), requests);
    }
}

// F68, D7: the answer comes from the journal, and with the id that was streamed
#[tokio::test]
async fn a_resumed_message_keeps_its_id_and_is_not_said_again() {
    let server = FakeServer::playing(vec![Play::streams(&["hel", "lo"])]).await;
    let graph = graph(model_at(&server), NodePolicy::new(), asks_then_talks);
    let mut run = graph.run(said("hi")).thread(thread()).stream(EventKinds::MESSAGES).await.unwrap();
    let (messages, _) = assembled(&mut run).await;
    let Status::Waiting(questions) = run.outcome().unwrap().unwrap().status else { panic!("it waits") };
    let mut resumed =
        graph.resume(&thread()).answer(questions[0].id, &true).stream(EventKinds::MESSAGES).await.unwrap();
    assert_eq!(assembled(&mut resumed).await.0, BTreeMap::new());
    assert_eq!(newest(&resumed.outcome().unwrap().unwrap().state), messages);
    assert_eq!(server.requests().len(), 1);
}

#[derive(State, Clone, Default, Debug, Serialize, Deserialize)]
struct Work {
    talk: Conversation,
}

async fn works(_: &Work, cx: &Cx<SharedModel>) -> NodeResult<WorkUpdate> {
    let toolbox = Toolbox::new().with(Echo)?;
    let words = StreamedAnswer::new(cx, "round");
    let mut talk = Conversation::new("You work.", "Say hi.");
    Agent::new("worker", cx.services(), &toolbox).sink(&words).converse(&mut talk).await?;
    Ok(Work::update().talk(talk))
}

// F68: of an agent that asks its model several times, each round is a message, also inside a sub-graph
#[tokio::test]
async fn every_round_of_an_agent_is_a_message_of_its_own() {
    let model = || -> SharedModel {
        let first = ScriptedAnswer { text: "I call.".into(), ..calling(vec![echo("c", "hi")]) };
        Arc::new(Scripted::new("test/model").reply(first).answer("It said hi."))
    };
    let inner = StateGraph::<Work, SharedModel>::new("inner").node("work", works);
    let inner = inner.edge(START, "work").edge("work", END).compile_with(model()).unwrap();
    let outer = StateGraph::<Work, SharedModel>::new("outer").node("inside", inner);
    let outer = outer.edge(START, "inside").edge("inside", END).compile_with(model()).unwrap();
    let mut run = outer.run(Work::default()).stream(EventKinds::MESSAGES).await.unwrap();
    let (messages, _) = assembled(&mut run).await;
    let expected = [("inside:1.0|1.0/1/round", "I call."), ("inside:1.0|1.0/1/round.2", "It said hi.")];
    assert_eq!(messages, expected.map(|(id, text)| (id.to_owned(), text.to_owned())).into());
}
