//! A value with its span in the file. Its JSON Schema is that of the value.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::source::Span;

/// A value that was read from a file, with its byte range there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl<T: JsonSchema> JsonSchema for Located<T> {
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
