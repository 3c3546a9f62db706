//! No key is printed: not by `Debug`, not in errors, logs, traces or recordings (ENG-27); spans say what they
//! should (ENG-28).

use std::collections::BTreeMap;

use stategraph_llm::layer::Recorder;
use stategraph_llm::openai::ApiKey;
use stategraph_llm::{ChatModel, NoTokens, Providers, Tape};

use super::{KEY, config, providers, question};
use stategraph_testing::fake_server::{FakeServer, Play};

const OTHER: &str = "header-secret-0123";

#[test]
fn debug_does_not_show_keys_or_headers() {
    // ENG-27
    let config = serde_json::json!({ "base_url": "http://h/v1", "headers": { "x-api-key": OTHER } });
    let config: stategraph_llm::ProviderConfig = serde_json::from_value(config).unwrap();
    let key = ApiKey::parse("V", KEY).unwrap();
    let said = format!("{config:?} {key:?}");
    assert!(!said.contains(OTHER) && !said.contains(KEY), "{said}");
}

#[tokio::test]
async fn an_endpoint_that_repeats_the_key_does_not_get_it_into_an_error_or_a_recording() {
    // ENG-27
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    // The second key lies where the excerpt is cut: it must be gone before that.
    let filler = "x".repeat(240);
    let echo = |status, content_type: &'static str| {
        Play::body(status, content_type, &format!("bad keys: {KEY} and {OTHER}. {filler} {KEY}"))
    };
    let object = serde_json::json!({ "error": { "message": format!("bad key {KEY}") } });
    let broken_stream = Play::stream().event(&format!("{{ {KEY}"));
    let error_stream = Play::stream().event(&object.to_string());
    let plays = [
        (echo(401, "text/html"), false),
        (echo(200, "text/html"), false),
        (Play::json(401, &object), false),
        (Play::json(200, &object), false),
        (broken_stream, true),
        (error_stream, true),
    ];
    for (play, streaming) in plays {
        let server = FakeServer::playing(vec![play]).await;
        let mut config = config(&server);
        config.headers.insert("x-api-key".into(), OTHER.to_owned().into());
        let providers = providers(config).tape(Tape::Record(Recorder::append(&tape).unwrap()));
        let model = providers.model("local/any").unwrap();
        let sink = super::Pieces::default();
        let error = if streaming {
            model.chat(&question(), &sink).await.unwrap_err()
        } else {
            model.chat(&question(), &NoTokens).await.unwrap_err()
        };
        let said = format!("{error} {error:?} {:?}", error.hint());
        assert!(!said.contains(&KEY[..12]) && !said.contains(OTHER), "{said}");
    }
    let recorded = std::fs::read_to_string(&tape).unwrap();
    assert_eq!(recorded.lines().count(), 6);
    assert!(!recorded.contains(&KEY[..12]) && !recorded.contains(OTHER), "{recorded}");
}

#[tokio::test]
async fn the_environment_of_another_vendor_is_not_sent() {
    // ENG-27: async-openai itself would send OPENAI_API_KEY to anybody.
    let server = FakeServer::playing(vec![Play::says("hello")]).await;
    let env = BTreeMap::from([("OPENAI_API_KEY".to_owned(), KEY.to_owned())]);
    let mut config = config(&server);
    config.api_key_env = None;
    let providers = Providers::new(env).configured(BTreeMap::from([("local".to_owned(), config)])).unwrap();
    providers.model("local/any").unwrap().chat(&question(), &NoTokens).await.unwrap();
    let headers = &server.requests()[0].headers;
    assert!(!format!("{headers:?}").contains(KEY), "{headers:?}");
    assert!(!headers.contains_key("openai-organization") && !headers.contains_key("openai-project"));
}

mod logs {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use stategraph_llm::{ChatModel, ChatRequest, LOG_FILTER, Message, NoTokens};
    use tracing_subscriber::EnvFilter;
    use tracing_subscriber::fmt::format::FmtSpan;

    use super::super::{KEY, Pieces, model_at};
    use stategraph_testing::fake_server::{FakeServer, Play};
    use stategraph_testing::install_collector;

    const PROMPT: &str = "the-words-of-the-prompt";

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no holder panics").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn the_loudest_log_has_spans_with_tokens_but_no_key_no_prompt_and_no_answer() {
        // ENG-27, ENG-28
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(format!("trace,{LOG_FILTER}")))
            .with_span_events(FmtSpan::CLOSE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        let guard = install_collector(subscriber);
        let request = ChatRequest::new("tester", vec![Message::user(PROMPT)]);
        let echo = format!("{{ {KEY}");
        let server = FakeServer::playing(vec![
            Play::says("the-answer"),
            Play::body(500, "text/plain", "trouble"),
            Play::body(400, "application/json", &echo),
            Play::stream().event(&echo),
        ])
        .await;
        let model = model_at(&server);
        assert!(model.chat(&request, &NoTokens).await.is_ok());
        assert!(model.chat(&request, &NoTokens).await.is_err());
        assert!(model.chat(&request, &Pieces::default()).await.is_err());
        drop(guard);
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        for expected in [
            "model_call",
            "otel.name=chat any",
            "tester",
            "input_tokens=7",
            "output_tokens=3",
            "asking again",
        ] {
            assert!(text.contains(expected), "{expected} is not in {text}");
        }
        for secret in [KEY, PROMPT, "the-answer"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}
