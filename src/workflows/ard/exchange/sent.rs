//! The schemas that agents are sent: those that answers are held against, and beyond them whatever [`Draft::check`] and
//! [`Review::check`] demand, so that a server which makes a grammar of a schema keeps the model to it. They let nothing through
//! that is refused later, and judge nothing themselves: an answer that only they would refuse is taken (ARD-47).

use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use super::{Draft, Review};

/// `PascalCase`: a capital first, then letters and digits. Of scripts beyond ASCII all characters, since grammars know no
/// classes of letters; the check knows them.
const NAME: &str = "^[A-Z\u{c0}-\u{d7ff}][0-9A-Za-z\u{c0}-\u{d7ff}]{0,39}$";
/// Characters of a purpose or a description, which is a sentence or two.
const SENTENCES: usize = 400;
/// What is said to one challenge in a rationale: text that needs no escapes.
const ANSWER: &str = r#"[^"\\\u0000-\u001f]{1,300}"#;
/// Challenges whose answers a pattern lists one by one; above that it would be too large for a grammar.
const LISTED: usize = 12;

impl Draft {
    /// The schema of an answer to `latest`, the last review (none on the first pass).
    pub fn sent_schema(latest: Option<&Review>, max_components: Option<u32>) -> Schema {
        let mut schema = schema_for!(Self);
        let draft = schema.as_object_mut().expect("a struct has an object for a schema");
        let component = &mut draft["$defs"]["Component"]["properties"];
        component["name"]["pattern"] = NAME.into();
        hold_to_sentences(&mut component["purpose"]);
        let components = &mut draft["properties"]["components"];
        components["minItems"] = 1.into();
        hold_to_count(components, max_components);
        let rationale = &mut draft["properties"]["design_rationale"];
        match latest.map(|review| review.challenges.len()) {
            None => rationale["const"] = "".into(),
            Some(count @ 1..=LISTED) => rationale["pattern"] = answers(count).into(),
            Some(_) => {}
        }
        schema
    }
}

/// "Challenge 1: …", one after the other (ARD-37).
fn answers(count: usize) -> String {
    let answers: Vec<_> = (1..=count).map(|id| format!("Challenge {id}: {ANSWER}")).collect();
    format!("^{}$", answers.join("; "))
}

impl Review {
    /// The schema of a review in which `status` and `challenges` agree (ARD-46): `judged` as two alternatives.
    pub fn sent_schema(judged: &Schema, max_challenges: Option<u32>) -> Schema {
        let mut sent = judged.clone();
        let review = sent.as_object_mut().expect("a struct has an object for a schema");
        hold_to_sentences(&mut review["$defs"]["Challenge"]["properties"]["description"]);
        let properties = review.remove("properties").expect("a review has fields");
        let alternative = |status: &str, bound: &str, count: u32| {
            let mut properties = properties.clone();
            properties["status"] = json!({ "type": "string", "const": status });
            properties["challenges"][bound] = count.into();
            json!({ "type": "object", "properties": properties, "required": ["status", "challenges"], "additionalProperties": false })
        };
        let verified = alternative("verified", "maxItems", 0);
        let mut revision = alternative("needs_revision", "minItems", 1);
        hold_to_count(&mut revision["properties"]["challenges"], max_challenges);
        review.retain(|keyword, _| !["type", "required", "additionalProperties"].contains(&keyword.as_str()));
        review.insert("oneOf".into(), json!([revision, verified]));
        sent
    }
}

fn hold_to_sentences(text: &mut Value) {
    text["minLength"] = 1.into();
    text["maxLength"] = SENTENCES.into();
}

fn hold_to_count(list: &mut Value, most: Option<u32>) {
    if let Some(most) = most {
        list["maxItems"] = most.into();
    }
}
