//! A length of time in a kind: the duration of a `sleep`, the lifetime of a stored value.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::super::wait::DurationText;

/// The duration of a `sleep`, or the lifetime of a stored value, written as `2s` in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseTime(pub Duration);

impl JsonSchema for PauseTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Pause".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DurationText::json_schema(generator)
    }
}
