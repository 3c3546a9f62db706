//! The published JSON Schemas of expressions and templates.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::evaluate::{Expression, TEXT_MAX, Template};
use super::operand::Operand;

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": TEXT_MAX, "examples": ["state.score >= 7", "state.topic | upper"],
            "description": "An expression (Jinja's). Channels are `state.name`; a text has quotes of its own: \"'done'\"."
        })
    }
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": TEXT_MAX, "examples": ["Write about {{ state.topic }}."],
            "description": "A text with holes (Jinja's): `{{ state.name }}`."
        })
    }
}

impl JsonSchema for Operand {
    fn schema_name() -> Cow<'static, str> {
        "Operand".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A value in which every text is an expression." })
    }
}
