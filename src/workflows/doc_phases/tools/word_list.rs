//! A list of words as models write it: a JSON list, or text separated by commas or spaces.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// List of words as a tool argument. Models write it as a JSON list, as text with commas or spaces, or as
/// `null` for an empty list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WordList(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for WordList {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum WordsInput {
            Nothing(()),
            List(Vec<String>),
            Text(String),
        }
        let words = match WordsInput::deserialize(input)? {
            WordsInput::Nothing(()) => Vec::new(),
            WordsInput::List(words) => words,
            WordsInput::Text(text) => text.split([',', ' ']).map(str::to_owned).collect(),
        };
        let words = words.into_iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
        Ok(Self(words.collect()))
    }
}

impl JsonSchema for WordList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Words".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" } })
    }
}
