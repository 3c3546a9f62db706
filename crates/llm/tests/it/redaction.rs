//! Secrets are found in every form that an endpoint may echo them in, also when a text comes in pieces.

use proptest::prelude::*;
use serde_json::json;
use stategraph_llm::{ChatModel, NoTokens, Redactor, SECRET_MIN};

use super::{KEY, Pieces, config, providers, question};
use stategraph_testing::cases;
use stategraph_testing::fake_server::{FakeServer, Play};

const SECRET: &str = "s3cr/et+k\"y&\\é 9";

fn redactor() -> Redactor {
    Redactor::new().with("token", SECRET).with("other", "0123456789abcdef")
}

/// Base64, written out here so that the test does not use the code that it tests.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encoded = bytes.chunks(3).flat_map(|group| {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        (0..4).map(move |at| (at <= group.len()).then(|| LETTERS[(bits >> (18 - 6 * at)) as usize & 63]))
    });
    encoded.map(|letter| char::from(letter.unwrap_or(b'='))).collect()
}

/// All ways in which a secret is written.
fn forms() -> Vec<String> {
    let percent = |lower: bool| -> String {
        SECRET
            .bytes()
            .map(|byte| if lower { format!("%{byte:02x}") } else { format!("%{byte:02X}") })
            .collect()
    };
    let mixed = SECRET.replace('/', "%2f").replace(' ', "+").replace('"', "\\\"").replace('&', "&amp;");
    let json = json!(SECRET).to_string();
    let json_in_json = json!(json).to_string();
    let escapes = SECRET.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat();
    let mut forms = vec![SECRET.to_owned(), percent(true), percent(false), mixed, escapes];
    forms.extend([json[1..json.len() - 1].to_owned(), json_in_json[3..json_in_json.len() - 3].to_owned()]);
    for user in ["", "u", "us", "user:"] {
        let basic = base64(format!("{user}{SECRET}:x").as_bytes());
        forms.extend([basic.replace('+', "-").replace('/', "_"), basic.replace('/', "\\/"), basic]);
    }
    forms
}

#[test]
fn a_secret_is_found_in_every_form() {
    for form in forms() {
        let text = format!("before {form} after");
        let clean = redactor().text(&text).into_owned();
        assert!(clean.contains("[secret: token]") && clean.starts_with("before "), "{form}: {clean}");
        assert!(clean.ends_with(" after"), "{form}: {clean}");
    }
    let twice = format!("{SECRET}{SECRET}0123456789abcdef");
    assert_eq!(redactor().text(&twice), "[secret: token][secret: token][secret: other]");
}

#[test]
fn what_is_no_secret_stays() {
    for text in
        ["", "s3cr/et", "0123456789abcde", "%2f%", "\\", "&amp;", "été 0123456789ABCDEF", "[secret: token]"]
    {
        assert_eq!(redactor().text(text), text);
    }
    assert_eq!(Redactor::new().text(SECRET), SECRET);
    // One that is too short could not be told from other text.
    assert_eq!(SECRET_MIN, 8);
    assert_eq!(Redactor::new().with("t", "1234567").text("1234567"), "1234567");
}

#[test]
fn a_value_loses_secrets_in_texts_keys_and_numbers() {
    let mut value = json!({ "a": [SECRET, { SECRET: 1 }], "n": 123_456_789_012_u64, "b": true, "c": null });
    Redactor::new().with("token", SECRET).with("pin", "123456789012").value(&mut value);
    let expected = json!({ "a": ["[secret: token]", { "[secret: token]": 1 }], "n": "[secret: pin]", "b": true, "c": null });
    assert_eq!(value, expected);
}

#[test]
fn a_redactor_does_not_print_its_secrets() {
    let said = format!("{:?}", redactor());
    assert!(said.contains("token") && !said.contains("s3cr"), "{said}");
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn no_text_of_any_kind_breaks_it(text in ".*", part in 0_usize..20) {
        let cut: String = SECRET.chars().take(part).collect();
        let clean = redactor().text(&format!("{cut}{text}{SECRET}")).into_owned();
        prop_assert!(clean.ends_with("[secret: token]"));
    }
}

/// An endpoint that says `pieces` as a stream, and what was heard of it.
async fn heard(pieces: &[&str]) -> (String, String) {
    let server = FakeServer::playing(vec![Play::streams(pieces)]).await;
    let model = providers(config(&server)).model("local/any").unwrap();
    let sink = Pieces::default();
    let answer = model.chat(&question(), &sink).await.unwrap();
    (sink.taken().concat(), answer.text)
}

#[tokio::test]
async fn a_key_that_is_cut_into_pieces_reaches_no_subscriber() {
    let text = format!("The key is {KEY}, and that is {} all.", &KEY[..5]);
    let expected = text.replace(KEY, "[secret: api_key]");
    for at in 0..text.len() {
        let (first, second) = text.split_at(at);
        assert_eq!(heard(&[first, second]).await, (expected.clone(), expected.clone()), "cut at {at}");
    }
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(heard(&letters).await, (expected.clone(), expected));
    // What only begins like a key is told in the end.
    let begun = format!("It begins with {}", &KEY[..7]);
    assert_eq!(heard(&[&begun]).await, (begun.clone(), begun));
}

#[tokio::test]
async fn a_key_that_an_endpoint_echoes_is_in_no_part_of_its_answer() {
    let basic = base64(format!("user:{KEY}").as_bytes());
    let call = json!({ "id": KEY, "type": "function", "function": { "name": "f", "arguments": format!("{{\"a\":\"{KEY}\"}}") } });
    let body = json!({
        "model": format!("m-{KEY}"),
        "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": { "content": format!("{KEY} {basic}"), "tool_calls": [call] } }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3 },
    });
    let server = FakeServer::playing(vec![Play::json(200, &body)]).await;
    let model = providers(config(&server)).model("local/any").unwrap();
    let answer = model.chat(&question(), &NoTokens).await.unwrap();
    let said = serde_json::to_string(&answer).unwrap();
    assert!(!said.contains(KEY) && !said.contains(&basic[8..]), "{said}");
    assert_eq!(answer.tool_calls[0].arguments, "{\"a\":\"[secret: api_key]\"}");
}
