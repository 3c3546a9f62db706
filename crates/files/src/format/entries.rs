//! A map that keeps the order of the file.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::super::located::Located;

/// A map of a graph file in the order of the file, with the span of each key. Duplicate keys are kept, so
/// that they can be reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<T>(pub(crate) Vec<(Located<String>, T)>);

impl<T> Entries<T> {
    /// Returns the keys and values in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (key.value.as_str(), value))
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("MapOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
    }
}
