//! A value and where it stood in the file. For the JSON Schema it is the value alone.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::source::Span;

/// A value and its place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Spot<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl<T: JsonSchema> JsonSchema for Spot<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
