//! What is sent: the form of structured answers, the strict schema, tools, limits; and the fall back to
//! weaker forms.

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};
use stategraph_llm::openai::{LimitField, Structured};
use stategraph_llm::{
    AnswerSchema, ChatModel, ChatRequest, Message, NoTokens, OptionalFields, ToolCall, ToolSpec,
};

use super::{config, model_at, providers, question};
use stategraph_testing::fake_server::{FakeServer, Play};

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only its schema is used")]
struct Plan {
    /// What it is called.
    title: String,
    #[serde(default)]
    steps: Vec<Step>,
    note: Option<String>,
    size: u8,
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum Step {
    Read { path: String },
    Think,
}

fn typed_question() -> ChatRequest {
    let answer = AnswerSchema::new("Plan<of days>", schema_for!(Plan));
    ChatRequest { answer: Some(answer), ..question() }
}

async fn body_for(request: &ChatRequest, change: impl FnOnce(&mut stategraph_llm::ProviderConfig)) -> Value {
    let server = FakeServer::playing(vec![Play::says("{}")]).await;
    let mut config = config(&server);
    change(&mut config);
    providers(config).model("local/any").unwrap().chat(request, &NoTokens).await.unwrap();
    server.requests()[0].body.clone()
}

#[tokio::test]
async fn a_schema_is_sent_in_the_form_of_strict_mode() {
    let body = body_for(&typed_question(), |config| config.structured = Some(Structured::JsonSchema)).await;
    let format = &body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));
    assert_eq!(format["json_schema"]["name"], "Plan_of_days_");
    let schema = &format["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["title", "steps", "note", "size"]));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["title"]["description"], "What it is called.");
    let text = schema.to_string();
    for refused in ["default\":", "format\":", "oneOf", "$schema"] {
        assert!(!text.contains(refused), "{refused} in {text}");
    }
    let read = &schema["$defs"]["Step"]["anyOf"][0];
    assert_eq!((&read["required"], &read["additionalProperties"]), (&json!(["kind", "path"]), &json!(false)));
}

/// A schema that says more than types: what is sent of it in a form.
async fn sent_as(schema: Value, form: Structured) -> Value {
    let schema = schemars::Schema::try_from(schema).unwrap();
    let answer = AnswerSchema::new("Verdict", schema);
    let request = ChatRequest { answer: Some(answer), ..question() };
    let body = body_for(&request, |config| config.structured = Some(form)).await;
    body["response_format"]["json_schema"].clone()
}

fn verdict() -> Value {
    let named = |verdict: &str, bound: &str| {
        json!({
            "type": "object",
            "properties": {
                "verdict": { "const": verdict },
                "notes": { "type": "array", bound: 1, "items": { "type": "string", "minLength": 1, "pattern": "^[A-Z]" } },
            },
        })
    };
    json!({ "oneOf": [named("no", "minItems"), named("yes", "maxItems")] })
}

// ENG-14: what a server that makes a grammar of a schema is told, the model cannot break.
#[tokio::test]
async fn a_server_that_makes_a_grammar_gets_bounds_patterns_and_alternatives() {
    let sent = sent_as(verdict(), Structured::Grammar).await;
    assert_eq!(sent["strict"], true);
    let branches = &sent["schema"]["anyOf"];
    assert_eq!(branches[0]["properties"]["notes"]["minItems"], 1);
    assert_eq!(branches[1]["properties"]["notes"]["maxItems"], 1);
    assert_eq!(
        branches[1]["properties"]["notes"]["items"],
        json!({ "type": "string", "minLength": 1, "pattern": "^[A-Z]" })
    );
    assert_eq!(branches[1]["required"], json!(["verdict", "notes"]));
}

#[tokio::test]
async fn strict_mode_gets_an_object_at_the_root_and_no_form_of_texts() {
    let sent = sent_as(verdict(), Structured::JsonSchema).await;
    assert_eq!(sent["strict"], true);
    assert_eq!(
        sent["schema"],
        json!({
            "type": "object",
            "properties": {
                "verdict": { "anyOf": [{ "const": "no" }, { "const": "yes" }] },
                "notes": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["verdict", "notes"],
            "additionalProperties": false,
        })
    );
    let mut different = verdict();
    different["oneOf"][0]["properties"]["more"] = json!({ "type": "string" });
    let sent = sent_as(different.clone(), Structured::JsonSchema).await;
    assert_eq!(
        sent,
        json!({ "name": "Verdict", "strict": false, "schema": different }),
        "it cannot be one object"
    );
}

#[tokio::test]
async fn the_limit_of_a_provider_counts_where_the_request_names_none() {
    let limit =
        |config: &mut stategraph_llm::ProviderConfig| config.max_tokens = std::num::NonZeroU32::new(70);
    assert_eq!(body_for(&question(), limit).await["max_tokens"], 70);
    assert_eq!(body_for(&question().max_tokens(9), limit).await["max_tokens"], 9);
}

#[tokio::test]
async fn a_schema_with_free_names_is_sent_unchanged_as_advice() {
    let schema = schema_for!(std::collections::BTreeMap<String, u32>);
    let request = ChatRequest { answer: Some(AnswerSchema::new("Map", schema.clone())), ..question() };
    let body = body_for(&request, |_| {}).await;
    assert_eq!(body["response_format"]["json_schema"]["strict"], false);
    assert_eq!(schema, body["response_format"]["json_schema"]["schema"]);
}

#[tokio::test]
async fn weaker_forms_put_the_schema_into_the_system_message() {
    let body = body_for(&typed_question(), |config| config.structured = Some(Structured::JsonObject)).await;
    assert_eq!(body["response_format"], json!({ "type": "json_object" }));
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.starts_with("Be brief.\n\nAnswer with one JSON value") && system.contains("\"title\""),
        "{system}"
    );

    let without_system = ChatRequest { messages: vec![Message::user("hi")], ..typed_question() };
    let body = body_for(&without_system, |config| config.structured = Some(Structured::Prompt)).await;
    assert_eq!((&body["response_format"], &body["messages"][0]["role"]), (&Value::Null, &json!("system")));
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_endpoint_that_refuses_a_form_is_asked_in_the_next_and_remembered() {
    let server = FakeServer::answering(|_, asked| match asked.body["response_format"]["type"].as_str() {
        Some(form) => Play::body(400, "text/plain", &format!("unsupported response_format {form}")),
        None => Play::says("{}"),
    })
    .await;
    let model = model_at(&server);
    model.chat(&typed_question(), &NoTokens).await.unwrap();
    model.chat(&typed_question(), &NoTokens).await.unwrap();
    let forms: Vec<Value> =
        server.requests().iter().map(|asked| asked.body["response_format"]["type"].clone()).collect();
    let schema = json!("json_schema");
    assert_eq!(forms, [schema.clone(), schema, json!("json_object"), Value::Null, Value::Null]);
}

#[tokio::test]
async fn a_refusal_for_another_reason_is_no_reason_to_fall_back() {
    let server = FakeServer::playing(vec![Play::body(400, "text/plain", "context too long")]).await;
    assert!(model_at(&server).chat(&typed_question(), &NoTokens).await.is_err());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn tools_their_calls_and_their_results_are_sent_in_the_common_form() {
    let call = ToolCall { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
    let messages = vec![Message::user("go"), Message::calling("", vec![call]), Message::tool("c1", "text")];
    let tool = ToolSpec {
        name: "read".into(),
        description: "Reads.".into(),
        parameters: json!({ "type": "object" }).into(),
    };
    let request = ChatRequest::new("t", messages).tools(vec![tool]).temperature(0.5).max_tokens(9);
    let body = body_for(&request, |_| {}).await;
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": "go" },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "read", "arguments": "{}" } } ] },
            { "role": "tool", "content": "text", "tool_call_id": "c1" },
        ])
    );
    assert_eq!(body["tools"][0]["function"]["parameters"], json!({ "type": "object" }));
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.5), &json!(9)));

    let body = body_for(&request, |config| config.limit_field = Some(LimitField::MaxCompletionTokens)).await;
    assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(9), &Value::Null));
}

#[tokio::test]
async fn optional_fields_are_demanded_unless_the_asker_frees_them() {
    let schema: schemars::Schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "note": { "type": "string" } },
        "required": ["name"],
    })
    .try_into()
    .unwrap();
    for (form, optional, required) in [
        (Structured::Grammar, OptionalFields::Demanded, json!(["name", "note"])),
        (Structured::Grammar, OptionalFields::Free, json!(["name"])),
        (Structured::JsonSchema, OptionalFields::Free, json!(["name", "note"])),
    ] {
        let answer = AnswerSchema { optional, ..AnswerSchema::new("Thing", schema.clone()) };
        let request = ChatRequest { answer: Some(answer), ..question() };
        let body = body_for(&request, |config| config.structured = Some(form)).await;
        let sent = &body["response_format"]["json_schema"]["schema"];
        let closed = (&sent["required"], &sent["additionalProperties"]);
        assert_eq!(closed, (&required, &json!(false)), "{form:?} {optional:?}");
    }
}
