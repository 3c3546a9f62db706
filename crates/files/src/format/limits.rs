//! The key `limits`: bounds for the values of a graph that are lower than those of the user.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::inline::ValueLimits;
use super::super::read::Reader;

/// The most that values may take, such as `64KiB` or `1MiB`. A bound above that of the user, `--limits`, has no effect.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Limits", deny_unknown_fields)]
struct LimitsFile {
    /// The text that a template makes. Default: 4 MiB.
    template: Option<Size>,
    /// The value of a channel, and what a node writes to it. Default: 8 MiB.
    value: Option<Size>,
    /// All channels together. Default: 32 MiB.
    state: Option<Size>,
    /// Size of all values that the run holds for its next checkpoint; default: 64 MiB.
    checkpoint: Option<Size>,
}

/// A number of bytes.
#[derive(Debug, Clone, PartialEq)]
struct Size;

impl JsonSchema for Size {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "pattern": "^[0-9]+ *(B|KiB|MiB|GiB)?$", "examples": ["64KiB", "1MiB"] },
            { "type": "integer", "minimum": 1 },
        ] })
    }
}

/// The key `limits` of a graph file: bounds of values, in bytes; `usize::MAX` for a bound that the file does
/// not set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FileLimits(pub(crate) ValueLimits);

impl JsonSchema for FileLimits {
    fn schema_name() -> Cow<'static, str> {
        LimitsFile::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        LimitsFile::json_schema(generator)
    }
}

impl FileLimits {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        const HINT: &str = "write a size, such as 64KiB or 1MiB";
        let mut object = reader.read_object("`limits`", tree)?;
        // A bound that the file does not set stays that of the user.
        let mut limits = ValueLimits {
            template: usize::MAX,
            value: usize::MAX,
            state: usize::MAX,
            checkpoint: usize::MAX,
        };
        for name in ValueLimits::NAMES {
            let Some(tree) = object.take(name) else { continue };
            let text = match &tree.value {
                YamlValue::Text(text) => text.clone(),
                YamlValue::Number(_) => reader.source.slice(&tree.span).trim().to_owned(),
                _ => {
                    reader.report_mismatch(&format!("`{name}`"), "a size", &tree, HINT);
                    continue;
                }
            };
            match ValueLimits::parse(&text) {
                Ok(bytes) => *limits.get_mut(name).expect("it is one of the names") = bytes,
                Err(reason) => reader.report(&tree.span, format!("`{name}`: {reason}"), HINT),
            }
        }
        object.finish(reader);
        Some(Self(limits))
    }
}
