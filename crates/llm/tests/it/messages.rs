//! A conversation as a channel of a state, and what a message may hold (issue clause "messages"; LangGraph's `add_messages`).

use serde::{Deserialize, Serialize};
use serde_json::json;
use stategraph_core::{END, START, State, StateGraph};
use stategraph_llm::{
    ChatModel, ChatRequest, ContentBlock, Message, MessageChange, Messages, NoTokens, ToolCall, Usage,
    UsageSource,
};

use super::model_at;
use stategraph_testing::fake_server::{FakeServer, Play};

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Chat {
    #[state(reduce = Messages::change, delta = MessageChange)]
    messages: Messages,
}

fn check(changes: impl IntoIterator<Item = MessageChange>, expected: &[&str]) {
    let messages: Messages = changes.into_iter().collect();
    let found: Vec<String> =
        messages.iter().map(|kept| format!("{} {}", kept.id, kept.message.content)).collect();
    assert_eq!(found, expected);
}

fn user(text: &str) -> MessageChange {
    Message::user(text).into()
}

#[test]
fn messages_are_added_at_the_end_and_numbered() {
    check([user("a"), user("b")], &["m1 a", "m2 b"]);
}

#[test]
fn a_message_with_a_known_id_takes_the_place_of_the_old() {
    check([user("a"), user("b"), MessageChange::put("m1", Message::user("c"))], &["m1 c", "m2 b"]);
}

#[test]
fn an_id_of_ones_own_is_kept_and_never_given_out_again() {
    check(
        [MessageChange::put("m2", Message::user("mine")), user("a"), user("b")],
        &["m2 mine", "m3 a", "m4 b"],
    );
}

#[test]
fn removing_leaves_the_ids_of_the_others() {
    let changes =
        [user("a"), user("b"), MessageChange::remove("m1"), MessageChange::remove("nobody"), user("c")];
    check(changes, &["m2 b", "m3 c"]);
    check([user("a"), MessageChange::RemoveAll, user("b")], &["m2 b"]);
}

#[test]
fn what_is_written_comes_back_the_same() {
    let call = ToolCall { id: "c1".into(), name: "add".into(), arguments: "{}".into() };
    let usage = Usage { prompt_tokens: 3, completion_tokens: 4, source: UsageSource::Reported };
    let changes = [
        user("2 + 2?"),
        MessageChange::from(Message::calling("", vec![call])).cost(usage),
        Message::tool("c1", "4").into(),
        Message::user("and this?").block(ContentBlock::Image { url: "https://host/a.png".into() }).into(),
    ];
    let chat = Chat { messages: changes.clone().into_iter().collect() };
    let text = serde_json::to_string(&chat).unwrap();
    assert_eq!(serde_json::from_str::<Chat>(&text).unwrap(), chat);
    assert_eq!(chat.messages.usage().map(|usage| usage.total()), Some(7));
    let update = Chat::update().messages(changes[3].clone());
    let text = serde_json::to_string(&update).unwrap();
    let again: ChatUpdate = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), text);
}

#[tokio::test]
async fn a_graph_that_answers_its_own_question_keeps_both() {
    let graph = StateGraph::new("chat")
        .node("answer", async |chat: &Chat| {
            let asked = &chat.messages.last().expect("it was asked").message.content;
            Chat::update().messages(Message::assistant(format!("{asked} Yes.")))
        })
        .edge(START, "answer")
        .edge("answer", END)
        .compile()
        .unwrap();
    let input = Chat { messages: [user("Well?")].into_iter().collect() };
    let said = graph.run(input).await.unwrap().state.messages.to_request();
    assert_eq!(said, [Message::user("Well?"), Message::assistant("Well? Yes.")]);
}

#[tokio::test]
async fn pictures_and_recordings_go_to_the_endpoint_as_parts() {
    let server = FakeServer::playing(vec![Play::says("a cat")]).await;
    let message = Message::user("What is it?")
        .block(ContentBlock::Image { url: "data:image/png;base64,AA==".into() })
        .block(ContentBlock::Audio { data: "AA==".into(), format: "wav".into() });
    model_at(&server).chat(&ChatRequest::new("tester", vec![message]), &NoTokens).await.unwrap();
    assert_eq!(
        server.requests()[0].body["messages"][0]["content"],
        json!([
            { "type": "text", "text": "What is it?" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } },
            { "type": "input_audio", "input_audio": { "data": "AA==", "format": "wav" } },
        ])
    );
}
