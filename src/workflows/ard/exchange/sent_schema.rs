//! Schemas that are sent to models. They are stricter than those that validate answers: they contain
//! most demands of [`DesignDraft::check`] and [`Review::check`], so that a server that compiles them to
//! a grammar keeps the model within them. An answer that violates only a sent schema is accepted
//! (ARD-47).

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use super::limits::limited;
use super::{DesignDraft, PurposeAnswer, Review};

/// Pattern of `PascalCase`: a capital letter, then letters and digits. It allows all characters beyond ASCII, because
/// grammars have no classes of letters; [`DesignDraft::check`] is exact.
const NAME: &str = "^[A-Z\u{c0}-\u{d7ff}][0-9A-Za-z\u{c0}-\u{d7ff}]{0,39}$";
/// Pattern of the answer to one challenge in a rationale: text without escapes.
const ANSWER: &str = r#"[^"\\\u0000-\u001f]{1,300}"#;
/// Maximum number of challenges with a pattern for their answers, because a longer pattern is too large for a
/// grammar.
const LISTED: usize = 12;
/// Maximum number of components in the schema of the small form, unless the settings set one.
const FEW_COMPONENTS: u32 = 12;

impl DesignDraft {
    /// Returns the schema that is sent for an answer to `latest`, the last review; `None` on the first pass.
    pub fn sent_schema(latest: Option<&Review>, max_components: Option<u32>) -> Schema {
        let mut schema = limited(schema_for!(Self));
        let draft = schema.as_object_mut().expect("a struct has an object for a schema");
        bound_components(draft, max_components);
        let properties = draft["properties"].as_object_mut().expect("a struct has properties");
        match latest.map(|review| review.challenges.len()) {
            // The first pass has no review to answer.
            None | Some(0) => drop(properties.shift_remove("answers")),
            Some(count) => {
                properties["answers"]["minItems"] = count.into();
                properties["answers"]["maxItems"] = count.into();
            }
        }
        // The rationale is made from the answers.
        properties["design_rationale"] = json!({ "type": "string", "const": "" });
        if latest.is_some_and(|review| !review.challenges.is_empty()) {
            draft["required"].as_array_mut().expect("a list of names").push("answers".into());
        }
        schema
    }

    /// Returns the schema of components and rationale alone, for the re-ask of a model whose answer in
    /// the full form was refused.
    pub fn small_schema(latest: Option<&Review>, max_components: Option<u32>) -> Schema {
        let mut schema = Self::sent_schema(latest, Some(max_components.unwrap_or(FEW_COMPONENTS)));
        let draft = schema.as_object_mut().expect("a struct has an object for a schema");
        let keep = |fields: &mut Value, kept: &[&str]| {
            fields.as_object_mut().expect("fields").retain(|field, _| kept.contains(&field.as_str()));
        };
        keep(&mut draft["properties"], &["components", "design_rationale"]);
        keep(&mut draft["$defs"], &["Component", "ComponentKind"]);
        keep(&mut draft["$defs"]["Component"]["properties"], &["name", "type", "purpose"]);
        draft["required"] = json!(["components", "design_rationale"]);
        draft["properties"]["design_rationale"] = match latest.map_or(0, |review| review.challenges.len()) {
            0 => json!({ "type": "string", "const": "" }),
            count @ 1..=LISTED => json!({ "type": "string", "pattern": rationale_pattern(count) }),
            _ => json!({ "type": "string" }),
        };
        schema
    }
}

impl PurposeAnswer {
    /// Returns the schema that is sent for a purpose: one sentence, neither empty nor endless.
    pub fn sent_schema() -> Schema {
        let mut schema = limited(schema_for!(Self));
        let purpose = &mut schema.ensure_object()["properties"]["purpose"];
        purpose["minLength"] = 20.into();
        purpose["maxLength"] = 160.into();
        schema
    }
}

/// Sets the pattern of component names and the bounds of their number.
fn bound_components(draft: &mut serde_json::Map<String, Value>, max_components: Option<u32>) {
    draft["$defs"]["Component"]["properties"]["name"] = json!({ "type": "string", "pattern": NAME });
    let components = &mut draft["properties"]["components"];
    components["minItems"] = 1.into();
    if let Some(most) = max_components {
        components["maxItems"] = most.into();
    }
}

/// Returns the regular expression of a rationale with `count` answers: "Challenge 1: …; Challenge 2: …"
/// (ARD-37).
fn rationale_pattern(count: usize) -> String {
    let answers: Vec<_> = (1..=count).map(|id| format!("Challenge {id}: {ANSWER}")).collect();
    format!("^{}$", answers.join("; "))
}

impl Review {
    /// Returns the schema that is sent for a review. It splits `judged`, the schema for validation, into two
    /// alternatives, so that `status` and `challenges` agree (ARD-46).
    pub fn sent_schema(judged: &Schema, max_challenges: Option<u32>) -> Schema {
        let mut sent = limited(judged.clone());
        let review = sent.as_object_mut().expect("a struct has an object for a schema");
        let properties = review.remove("properties").expect("a review has fields");
        let alternative = |status: &str, bound: &str, count: u32| {
            let mut properties = properties.clone();
            properties["status"] = json!({ "type": "string", "const": status });
            properties["challenges"][bound] = count.into();
            json!({ "type": "object", "properties": properties, "required": ["status", "challenges"], "additionalProperties": false })
        };
        let verified = alternative("verified", "maxItems", 0);
        let mut revision = alternative("needs_revision", "minItems", 1);
        if let Some(most) = max_challenges {
            revision["properties"]["challenges"]["maxItems"] = most.into();
        }
        review.retain(|keyword, _| !["type", "required", "additionalProperties"].contains(&keyword.as_str()));
        review.insert("oneOf".into(), json!([revision, verified]));
        sent
    }
}
