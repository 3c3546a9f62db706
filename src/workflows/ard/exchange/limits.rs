//! Maximum lengths of texts and lists in the schemas that are sent to models. The prompts state the
//! same numbers. Longer answers are accepted (ARD-47), because not every endpoint enforces a schema.

use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum characters of a text that `TEXTS` does not name.
const TEXT: u32 = 400;
/// Maximum entries of a list that `LISTS` does not name.
const ENTRIES: u32 = 12;
/// Maximum characters of texts, by the name of their field.
const TEXTS: &[(&str, u32)] =
    &[("overview", 800), ("purpose", 600), ("name", 60), ("label", 60), ("title", 80)];
/// Maximum entries of lists, by the name of their field.
const LISTS: &[(&str, u32)] = &[
    ("components", 40),
    ("requirements", 60),
    ("relations", 60),
    ("interfaces", 16),
    ("decisions", 16),
    ("covers", 40),
    ("challenges", 24),
    ("fields", 24),
    ("steps", 16),
    ("transitions", 16),
    ("flows", 3),
    ("states", 3),
    ("alternatives", 4),
    ("options", 4),
];

/// Limits as the prompts state them; the templates of the prompts read these fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaLimits {
    /// Characters of a purpose.
    pub purpose: u32,
    /// Characters of other texts.
    pub text: u32,
    /// Components of a draft.
    pub components: u32,
    /// Requirements of a draft.
    pub requirements: u32,
    /// Interfaces of a component.
    pub interfaces: u32,
    /// Relations of a draft.
    pub relations: u32,
    /// Decisions of a draft.
    pub decisions: u32,
    /// Steps of a flow, and transitions of a thing with states.
    pub steps: u32,
    /// Entries of other lists.
    pub entries: u32,
    /// Challenges of a review.
    pub challenges: u32,
}

impl SchemaLimits {
    /// Returns the limits of the schemas. A given limit for components or challenges replaces that of
    /// the schema.
    pub fn new(components: Option<u32>, challenges: Option<u32>) -> Self {
        Self {
            purpose: of(TEXTS, "purpose", TEXT),
            text: TEXT,
            components: components.unwrap_or_else(|| of(LISTS, "components", ENTRIES)),
            requirements: of(LISTS, "requirements", ENTRIES),
            interfaces: of(LISTS, "interfaces", ENTRIES),
            relations: of(LISTS, "relations", ENTRIES),
            decisions: of(LISTS, "decisions", ENTRIES),
            steps: of(LISTS, "steps", ENTRIES),
            entries: ENTRIES,
            challenges: challenges.unwrap_or_else(|| of(LISTS, "challenges", ENTRIES)),
        }
    }
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self::new(None, None)
    }
}

/// Returns the limit of a field in a table; `otherwise` if the table does not name it.
fn of(table: &[(&str, u32)], field: &str, otherwise: u32) -> u32 {
    table.iter().find(|(name, _)| *name == field).map_or(otherwise, |(_, limit)| *limit)
}

/// Adds the limits to a schema and its definitions. Removes all descriptions, because small models
/// repeat them as values.
pub(super) fn limited(schema: Schema) -> Schema {
    let mut value = schema.to_value();
    limit(&mut value);
    Schema::try_from(value).expect("an object stays an object")
}

/// Adds the limits to a part of a schema, recursively, and removes its description.
fn limit(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    object.shift_remove("description");
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        for (field, property) in properties {
            match property["type"].as_str() {
                Some("string") => {
                    property["minLength"] = 1.into();
                    property["maxLength"] = of(TEXTS, field, TEXT).into();
                }
                Some("array") => {
                    property["maxItems"] = of(LISTS, field, ENTRIES).into();
                    if property["items"]["type"] == "string" {
                        property["items"]["maxLength"] = TEXT.into();
                    }
                }
                _ => {}
            }
        }
    }
    for (keyword, inner) in object.iter_mut() {
        match (keyword.as_str(), inner) {
            ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(limit),
            ("oneOf" | "anyOf" | "prefixItems", Value::Array(list)) => list.iter_mut().for_each(limit),
            ("items", item) => limit(item),
            _ => {}
        }
    }
}
