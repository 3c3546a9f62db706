//! The schemas that are sent to models. They are stricter than those that validate answers: they contain most demands of
//! [`DesignDraft::check`] and [`Review::check`], so that a server that compiles them to a grammar keeps the model within them. Answers are
//! not validated against them: an answer that only a sent schema refuses is accepted (ARD-47).

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use super::{DesignDraft, Review};

/// Pattern of `PascalCase`: a capital letter, then letters and digits. It allows all characters beyond ASCII, because
/// grammars have no classes of letters; [`DesignDraft::check`] is exact.
const NAME: &str = "^[A-Z\u{c0}-\u{d7ff}][0-9A-Za-z\u{c0}-\u{d7ff}]{0,39}$";
/// Maximum characters of a purpose or a description, which is a sentence or two.
const SENTENCES: usize = 400;
/// Pattern of the answer to one challenge in a rationale: text without escapes.
const ANSWER: &str = r#"[^"\\\u0000-\u001f]{1,300}"#;
/// Maximum number of challenges with a pattern for their answers, because a longer pattern is too large for a
/// grammar.
const LISTED: usize = 12;

impl DesignDraft {
    /// Returns the schema that is sent for an answer to `latest`, the last review; `None` on the first pass.
    pub fn sent_schema(latest: Option<&Review>, max_components: Option<u32>) -> Schema {
        let mut schema = schema_for!(Self);
        let draft = schema.as_object_mut().expect("a struct has an object for a schema");
        let component = &mut draft["$defs"]["Component"]["properties"];
        component["name"]["pattern"] = NAME.into();
        limit_text(&mut component["purpose"]);
        let components = &mut draft["properties"]["components"];
        components["minItems"] = 1.into();
        limit_items(components, max_components);
        let rationale = &mut draft["properties"]["design_rationale"];
        match latest.map(|review| review.challenges.len()) {
            None => rationale["const"] = "".into(),
            Some(count @ 1..=LISTED) => rationale["pattern"] = rationale_pattern(count).into(),
            Some(_) => {}
        }
        schema
    }
}

/// Returns the pattern "Challenge 1: …; Challenge 2: …" (ARD-37).
fn rationale_pattern(count: usize) -> String {
    let answers: Vec<_> = (1..=count).map(|id| format!("Challenge {id}: {ANSWER}")).collect();
    format!("^{}$", answers.join("; "))
}

impl Review {
    /// Returns the schema that is sent for a review. It splits `judged`, the schema for validation, into two
    /// alternatives, so that `status` and `challenges` agree (ARD-46).
    pub fn sent_schema(judged: &Schema, max_challenges: Option<u32>) -> Schema {
        let mut sent = judged.clone();
        let review = sent.as_object_mut().expect("a struct has an object for a schema");
        limit_text(&mut review["$defs"]["Challenge"]["properties"]["description"]);
        let properties = review.remove("properties").expect("a review has fields");
        let alternative = |status: &str, bound: &str, count: u32| {
            let mut properties = properties.clone();
            properties["status"] = json!({ "type": "string", "const": status });
            properties["challenges"][bound] = count.into();
            json!({ "type": "object", "properties": properties, "required": ["status", "challenges"], "additionalProperties": false })
        };
        let verified = alternative("verified", "maxItems", 0);
        let mut revision = alternative("needs_revision", "minItems", 1);
        limit_items(&mut revision["properties"]["challenges"], max_challenges);
        review.retain(|keyword, _| !["type", "required", "additionalProperties"].contains(&keyword.as_str()));
        review.insert("oneOf".into(), json!([revision, verified]));
        sent
    }
}

fn limit_text(text: &mut Value) {
    text["minLength"] = 1.into();
    text["maxLength"] = SENTENCES.into();
}

fn limit_items(list: &mut Value, most: Option<u32>) {
    if let Some(most) = most {
        list["maxItems"] = most.into();
    }
}
