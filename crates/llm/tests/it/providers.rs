//! From a name to a model, and everything that a name or a setting can get wrong, before any call (ARD-24,
//! ARD-25).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stategraph_llm::{ChatModel, ModelError, ModelErrorKind, NoTokens, ProviderConfig, Providers};

use super::{KEY, question};
use stategraph_testing::fake_server::{FakeServer, Play};

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn configured(entries: Value) -> Result<Providers, ModelError> {
    let configs: BTreeMap<String, ProviderConfig> =
        serde_json::from_value(entries).expect("the settings are right");
    let keys = ["OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"]
        .map(|name| (name, KEY));
    Providers::new(env(&keys)).configured(configs)
}

fn error_for(name: &str) -> ModelError {
    configured(json!({})).unwrap().model(name).map(drop).unwrap_err()
}

#[test]
fn names_and_prefixes_lead_to_their_providers() {
    // ARD-20, ARD-25, CTX-68
    let providers = configured(json!({})).unwrap();
    let rows = [
        ("gpt-5-mini", "openai/gpt-5-mini"),
        ("o3-mini", "openai/o3-mini"),
        ("gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("claude-sonnet-4-6", "anthropic/claude-sonnet-4-6"),
        ("openrouter/meta/llama-3:free", "openrouter/meta/llama-3:free"),
        ("ollama/qwen3:4b", "ollama/qwen3:4b"),
        ("vllm/any", "vllm/any"),
        ("llamacpp/any", "llamacpp/any"),
        (" offline ", "offline"),
    ];
    for (name, expected) in rows {
        assert_eq!(providers.model(name).unwrap().name().to_string(), expected);
    }
}

#[test]
fn an_unknown_provider_names_the_nearest_and_the_known() {
    let error = error_for("opnai/gpt");
    assert_eq!(error.hint().unwrap(), "did you mean `openai`?");
    assert_eq!(error.to_string(), "model `opnai/gpt`: no provider `opnai`");
    let error = error_for("somewhere/else");
    assert!(
        error
            .hint()
            .unwrap()
            .contains("anthropic, gemini, llamacpp, offline, ollama, openai, openrouter, vllm")
    );
}

#[test]
fn an_unknown_prefix_and_a_missing_model_say_how_to_write_it() {
    let error = error_for("llama3");
    assert!(matches!(*error.kind, ModelErrorKind::UnknownPrefix { .. }));
    assert!(error.hint().unwrap().contains("gemini-") && error.hint().unwrap().contains("ollama"));
    for name in ["openai", "openai/"] {
        assert_eq!(error_for(name).hint().unwrap(), "write openai/<model>");
    }
    for name in ["", "/", " /x"] {
        assert!(error_for(name).hint().is_some(), "{name:?}");
    }
}

#[test]
fn a_key_travels_over_https_or_to_this_machine_unless_the_provider_says_otherwise() {
    let model = |provider: &str, settings: Value| {
        let providers = configured(json!({ provider: settings })).unwrap();
        providers
            .model(&format!("{provider}/m"))
            .map(drop)
            .and(providers.embeddings(&format!("{provider}/m")).map(drop))
    };
    let remote = "http://models.example/v1";
    let with_key = json!({ "base_url": remote, "api_key_env": "OPENAI_API_KEY" });
    let with_header = json!({ "base_url": remote, "headers": { "X-ApiKey": "sesame" } });
    for (provider, settings) in
        [("l", with_key.clone()), ("l", with_header), ("openai", json!({ "base_url": remote }))]
    {
        let error = model(provider, settings).unwrap_err();
        let said = format!("provider `{provider}`: its key and headers would travel unencrypted to {remote}");
        assert!(error.to_string().ends_with(&said), "{error}");
        assert!(error.hint().unwrap().contains("`insecure_http: true`"), "{:?}", error.hint());
        assert!(!error.to_string().contains(KEY));
    }
    let mut allowed = with_key;
    allowed["insecure_http"] = json!(true);
    model("l", allowed).unwrap();
    for url in
        ["https://models.example/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1", "http://localhost/v1"]
    {
        model("l", json!({ "base_url": url, "api_key_env": "OPENAI_API_KEY" })).unwrap();
    }
    // Without key and header there is nothing to protect.
    model("l", json!({ "base_url": remote })).unwrap();
    for url in ["http://localhost.example/v1", "http://127.0.0.1.example/v1", "http://0.0.0.0/v1"] {
        model("l", json!({ "base_url": url, "api_key_env": "OPENAI_API_KEY" })).unwrap_err();
    }
}

#[test]
fn a_typed_key_is_protected_like_that_of_a_variable() {
    let providers = configured(json!({ "l": { "base_url": "http://models.example/v1" } })).unwrap();
    let providers = providers.key_of("l/m", "sk-typed").unwrap();
    let error = providers.model("l/m").map(drop).unwrap_err();
    assert!(matches!(*error.kind, ModelErrorKind::Unencrypted { .. }), "{error}");
}

#[test]
fn a_missing_key_is_said_before_any_call_and_names_the_variable() {
    // ARD-24
    let providers = Providers::new(env(&[]));
    for (name, variable) in [
        ("gemini-pro", "GEMINI_API_KEY"),
        ("claude-x", "ANTHROPIC_API_KEY"),
        ("gpt-x", "OPENAI_API_KEY"),
        ("openrouter/x", "OPENROUTER_API_KEY"),
    ] {
        let error = providers.model(name).map(drop).unwrap_err();
        assert!(error.to_string().contains(variable), "{error}");
        assert!(error.hint().unwrap().contains("offline"), "{:?}", error.hint());
    }
    assert!(providers.model("ollama/x").is_ok());
    assert!(providers.model("offline").is_ok());
}

#[test]
fn a_key_that_cannot_be_one_is_refused_without_being_shown() {
    for (key, reason) in [("", "empty"), (" \n", "empty"), ("sk-secret two", "space"), ("sk-sécret", "ASCII")]
    {
        let error = Providers::new(env(&[("OPENAI_API_KEY", key)])).model("gpt-x").map(drop).unwrap_err();
        let said = format!("{error} {error:?} {:?}", error.hint());
        assert!(said.contains(reason) && !said.contains("cret"), "{said}");
    }
}

#[tokio::test]
async fn a_server_on_this_machine_works_without_its_key_and_gets_no_authorization() {
    let server = FakeServer::playing(vec![Play::says("hello")]).await;
    let providers =
        configured(json!({ "local": { "base_url": server.base_url() + "/", "api_key_env": "LOCAL_KEY" } }))
            .unwrap();
    providers.model("local/x").unwrap().chat(&question(), &NoTokens).await.unwrap();
    let asked = &server.requests()[0];
    assert_eq!(
        (asked.line.as_str(), asked.headers.get("authorization")),
        ("POST /v1/chat/completions", None)
    );
}

#[test]
fn a_server_elsewhere_needs_the_key_it_is_said_to_need() {
    let providers =
        configured(json!({ "far": { "base_url": "https://llm.example.org/v1", "api_key_env": "FAR_KEY" } }))
            .unwrap();
    let error = providers.model("far/x").map(drop).unwrap_err();
    assert!(matches!(*error.kind, ModelErrorKind::MissingKey { .. }), "{error}");
}

#[tokio::test]
async fn a_built_in_provider_can_be_changed_in_part() {
    let server = FakeServer::playing(vec![Play::says("hello")]).await;
    let providers = configured(json!({ "openai": { "base_url": server.base_url() } })).unwrap();
    providers.model("gpt-x").unwrap().chat(&question().max_tokens(5), &NoTokens).await.unwrap();
    let asked = &server.requests()[0];
    assert_eq!(asked.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(asked.body["max_completion_tokens"], 5);
}

#[tokio::test]
async fn prices_rates_and_meters_follow_the_settings() {
    // ARD-73
    let server = FakeServer::playing(vec![Play::says("hello")]).await;
    let entry = json!({
        "base_url": server.base_url(), "requests_per_minute": 600, "burst": 1, "tokens_per_minute": 60_000,
        "prices": { "*": { "input": 1.0, "output": 2.0 }, "dear": { "input": 1_000_000.0, "output": 0.0 } },
    });
    let providers = configured(json!({ "local": entry })).unwrap();
    for model in ["local/dear", "local/cheap"] {
        providers.model(model).unwrap().chat(&question(), &NoTokens).await.unwrap();
    }
    let costs: Vec<String> =
        providers.meter().snapshot().values().map(|tally| tally.cost.to_string()).collect();
    assert_eq!(costs, ["$0.0000", "$7.0000"]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let bad = |entries: Value| {
        let providers = configured(entries)?;
        providers.model("x/y").map(drop)
    };
    let rows = [
        (json!({ "x": {} }), "`base_url` is missing"),
        (json!({ "x": { "base_url": "localhost:8080" } }), "`base_url` should begin with http"),
        (json!({ "x": { "base_url": "ftp://h/v1" } }), "`base_url` should begin with http"),
        (json!({ "x": { "base_url": "http://me:pw@h/v1" } }), "`base_url` holds a password"),
        (json!({ "x": { "base_url": "http://h/v1?key=pw" } }), "`base_url` holds a password or a query"),
        (json!({ "x": { "base_url": "http://h/v1", "headers": { "a b": "c" } } }), "header `a b`"),
        (json!({ "offline": { "base_url": "http://h/v1" } }), "should be a word"),
        (json!({ "a/b": { "base_url": "http://h/v1" } }), "should be a word"),
    ];
    for (entries, words) in rows {
        let error = bad(entries).unwrap_err();
        assert!(error.to_string().contains(words) && !error.to_string().contains("pw"), "{error}");
    }
}

#[test]
fn settings_of_the_wrong_type_or_name_are_refused_by_their_reader() {
    for (entry, words) in [
        (json!({ "base_urls": "x" }), "unknown field `base_urls`"),
        (json!({ "timeout_s": 0 }), "positive number of seconds"),
        (json!({ "timeout_s": -1.5 }), "positive number of seconds"),
        (json!({ "structured": "yaml" }), "unknown variant `yaml`"),
        (json!({ "retry": { "tries": 3 } }), "unknown field `tries`"),
        (json!({ "requests_per_minute": -1 }), "invalid value"),
        (json!({ "requests_per_minute": 0 }), "nonzero"),
    ] {
        let error = serde_json::from_value::<ProviderConfig>(entry).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn list_prices_hold_at_the_providers_own_address_and_those_of_the_user_go_before_them() {
    let input = |providers: &Providers, name: &str| {
        let model = providers.model(name).unwrap();
        providers.prices(model.name()).map(|prices| prices.input)
    };
    let plain = configured(json!({})).unwrap();
    assert_eq!(input(&plain, "gpt-4.1-mini"), Some(0.4));
    assert_eq!(input(&plain, "openai/gpt-unknown"), None);
    assert_eq!(input(&plain, "ollama/gpt-4.1-mini"), None);
    let own = json!({ "openai": { "prices": { "gpt-4.1-mini": { "input": 7.0, "output": 8.0 } } } });
    assert_eq!(input(&configured(own).unwrap(), "gpt-4.1-mini"), Some(7.0));
    let elsewhere = json!({ "openai": { "base_url": "http://127.0.0.1:9/v1" } });
    assert_eq!(input(&configured(elsewhere).unwrap(), "gpt-4.1-mini"), None);
}
