//! Texts as vectors: what an endpoint sends, in which order, and what is wrong with it.

use serde_json::{Value, json};
use stategraph_llm::{ModelError, ModelErrorKind, Providers};

use super::{KEY, config, providers};
use stategraph_testing::fake_server::{FakeServer, Play};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

async fn embedded(play: Play) -> (Result<Vec<Vec<f32>>, ModelError>, FakeServer) {
    let server = FakeServer::playing(vec![play]).await;
    let model = providers(config(&server)).embeddings("local/embedder").expect("the name is right");
    let answer = model.embed(&texts(&["one", "two"])).await;
    (answer, server)
}

fn vectors(data: &Value) -> Play {
    Play::json(200, &json!({ "object": "list", "data": data, "model": "embedder" }))
}

// DOC-99
#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts() {
    let data = json!([{ "index": 1, "embedding": [0.0, 2.0] }, { "index": 0, "embedding": [1.0, 0.5] }]);
    let (answer, server) = embedded(vectors(&data)).await;
    assert_eq!(answer.expect("two vectors"), [[1.0, 0.5], [0.0, 2.0]]);
    let asked = server.requests();
    assert!(
        asked[0].line.starts_with("POST /") && asked[0].line.contains("/embeddings"),
        "{}",
        asked[0].line
    );
    assert_eq!(
        asked[0].body,
        json!({ "model": "embedder", "input": ["one", "two"], "encoding_format": "float" })
    );
    assert_eq!(asked[0].headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn what_is_no_vector_for_each_text_is_an_error() {
    for data in [
        json!(null),
        json!([]),
        json!([{ "index": 0, "embedding": [1.0] }]),
        json!([{ "index": 0, "embedding": [1.0] }, { "index": 1, "embedding": [1.0, 2.0] }]),
        json!([{ "index": 0, "embedding": "AAAA" }, { "index": 1, "embedding": [1.0] }]),
        json!([{ "index": 0, "embedding": [1.0] }, { "index": 7, "embedding": [1.0] }]),
    ] {
        let error = embedded(vectors(&data)).await.0.expect_err("no vectors");
        assert!(error.to_string().contains("no embeddings: "), "{data}: {error}");
    }
}

#[tokio::test]
async fn a_refusal_keeps_its_status_and_shows_no_key() {
    let body = json!({ "error": { "message": format!("the key {KEY} is not good") } });
    let error = embedded(Play::json(401, &body)).await.0.expect_err("refused");
    assert!(matches!(&*error.kind, ModelErrorKind::Status { status: 401, .. }), "{error:?}");
    assert!(
        error.to_string().contains("[secret: api_key]") && !format!("{error:?}").contains(KEY),
        "{error}"
    );
    let error = embedded(Play::json(200, &body)).await.0.expect_err("it reports a failure");
    assert!(matches!(&*error.kind, ModelErrorKind::Failed { .. }), "{error:?}");
    let error = embedded(Play::default().silence()).await.0.expect_err("nothing came");
    assert!(matches!(&*error.kind, ModelErrorKind::Timeout { .. }), "{error:?}");
}

#[test]
fn rules_embed_nothing_and_an_unknown_provider_is_named() {
    let providers = Providers::new(std::collections::BTreeMap::<String, String>::new());
    let error = |name: &str| providers.embeddings(name).err().expect("no such model").to_string();
    assert!(error("offline").contains("no provider `offline`"), "{}", error("offline"));
    assert!(error("nobody/x").contains("nobody"), "{}", error("nobody/x"));
    assert!(error("openai/text-embedding-3-small").contains("OPENAI_API_KEY"));
}
