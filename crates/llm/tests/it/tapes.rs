//! Recordings: a whole run is written down and played back byte for byte (ENG-24).

use std::path::Path;

use stategraph_llm::layer::{Recorder, Replay, ReplayOrder};
use stategraph_llm::{
    ChatModel, ChatRequest, Message, ModelError, ModelErrorKind, NoTokens, Providers, Scripted, SystemEnv,
    Tape,
};

use super::{Pieces, question};

fn other() -> ChatRequest {
    ChatRequest::new("tester", vec![Message::user("Say good-bye, and say it slowly.")])
}

/// Asks twice plainly and once streaming; the last fails.
async fn conversation(model: &dyn ChatModel) -> (Vec<Result<String, ModelError>>, Vec<String>) {
    let sink = Pieces::default();
    let first = model.chat(&question(), &NoTokens).await;
    let second = model.chat(&other(), &sink).await;
    let third = model.chat(&question(), &NoTokens).await;
    let texts = [first, second, third].into_iter().map(|answer| answer.map(|answer| answer.text)).collect();
    (texts, sink.taken())
}

async fn record(path: &Path) -> (Vec<Result<String, ModelError>>, Vec<String>) {
    let refused = ModelErrorKind::Failed { code: Some("502".into()), message: "upstream".into() };
    let script = Scripted::new("t/m").answer("hello").answer("good bye").fail(refused);
    conversation(&Recorder::append(path).unwrap().model(script)).await
}

fn replay(path: &Path, order: ReplayOrder) -> Replay {
    Replay::open(path, order).unwrap()
}

#[tokio::test]
async fn what_is_recorded_is_replayed_and_recorded_again_byte_for_byte() {
    // ENG-24
    let folder = tempfile::tempdir().unwrap();
    let (tape, copy) = (folder.path().join("tape.jsonl"), folder.path().join("copy.jsonl"));
    let recorded = record(&tape).await;
    let replayed =
        Recorder::append(&copy).unwrap().model(replay(&tape, ReplayOrder::Recorded).model("t/m".into()));
    assert_eq!(conversation(&replayed).await, recorded);
    assert_eq!(recorded.1, ["good ", "bye"]);
    let text = std::fs::read_to_string(&tape).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), text);
}

#[tokio::test]
async fn a_request_that_was_not_recorded_shows_the_first_difference() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    record(&tape).await;
    let model = replay(&tape, ReplayOrder::Recorded).model("t/m".into());
    let mut changed = question();
    changed.messages[1].content = "Say help.".into();
    let error = model.chat(&changed, &NoTokens).await.unwrap_err();
    let expected = "model `t/m`: the recording does not match: call 1 differs at request.messages[1].content: \
                    recorded \"Say hello.\", asked \"Say help.\"";
    assert_eq!(error.to_string(), expected);
    // A mismatch uses nothing up.
    assert_eq!(model.chat(&question(), &NoTokens).await.unwrap().text, "hello");
    let error = model.chat(&question(), &NoTokens).await.unwrap_err();
    assert!(error.to_string().contains("call 2 differs at request.messages[0].role"), "{error}");
}

#[tokio::test]
async fn another_model_and_one_call_too_many_are_differences() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    record(&tape).await;
    let replay = replay(&tape, ReplayOrder::Any);
    let error = replay.model("t/other".into()).chat(&question(), &NoTokens).await.unwrap_err();
    assert!(error.to_string().contains("the model: recorded `t/m`, asked `t/other`"), "{error}");
    let model = replay.model("t/m".into());
    conversation(&model).await;
    let error = model.chat(&question(), &NoTokens).await.unwrap_err();
    assert!(error.to_string().contains("all 3 recorded calls are used"), "{error}");
}

#[tokio::test]
async fn in_any_order_equal_requests_are_found_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    record(&tape).await;
    let model = replay(&tape, ReplayOrder::Any).model("t/m".into());
    assert_eq!(model.chat(&other(), &NoTokens).await.unwrap().text, "good bye");
    assert_eq!(model.chat(&question(), &NoTokens).await.unwrap().text, "hello");
    assert!(model.chat(&question(), &NoTokens).await.is_err());
    assert!(model.chat(&other(), &NoTokens).await.is_err());
}

#[tokio::test]
async fn a_resumed_run_continues_its_recording() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    for answer in ["one", "two"] {
        let model = Recorder::append(&tape).unwrap().model(Scripted::new("t/m").answer(answer));
        model.chat(&question(), &NoTokens).await.unwrap();
    }
    let model = replay(&tape, ReplayOrder::Recorded).model("t/m".into());
    let texts = (
        model.chat(&question(), &NoTokens).await.unwrap().text,
        model.chat(&question(), &NoTokens).await.unwrap().text,
    );
    assert_eq!(texts, ("one".to_owned(), "two".to_owned()));
}

#[tokio::test]
async fn a_missing_or_broken_recording_says_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let reason = |kind: ModelErrorKind| kind.to_string();
    let missing = Replay::open(&path, ReplayOrder::Any).map(drop).map_err(reason).unwrap_err();
    assert!(missing.contains("tape.jsonl") && missing.contains("No such file"), "{missing}");
    record(&path).await;
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{{\"model\":")).unwrap();
    let broken = Replay::open(&path, ReplayOrder::Any).map(drop).map_err(reason).unwrap_err();
    assert!(broken.contains("line 4"), "{broken}");
    assert!(Recorder::append(folder.path()).is_err());
}

#[tokio::test]
async fn providers_replay_without_a_key_or_an_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    let script = Scripted::new("gemini/gemini-pro").answer("hello");
    Recorder::append(&tape).unwrap().model(script).chat(&question(), &NoTokens).await.unwrap();
    let no_env = std::collections::BTreeMap::new();
    let providers = Providers::new(no_env).tape(Tape::Replay(replay(&tape, ReplayOrder::Recorded)));
    let answer = providers.model("gemini-pro").unwrap().chat(&question(), &NoTokens).await.unwrap();
    assert_eq!(answer.text, "hello");
    assert_eq!(providers.meter().total().calls, 1);
    assert!(
        Providers::new(SystemEnv)
            .tape(Tape::Replay(replay(&tape, ReplayOrder::Any)))
            .model("nobody/x")
            .is_err()
    );
}
