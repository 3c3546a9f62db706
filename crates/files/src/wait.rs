//! A duration as graph files write it: a number and a unit.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use stategraph_yaml::{YamlNode, YamlValue};

use super::located::Located;
use super::naming::truncate_name;
use super::read::Reader;

/// Maximum duration that a file can name: 30 days.
pub const WAIT_MAX: Duration = Duration::from_hours(30 * 24);

const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// A duration as a graph file writes it: `500ms`, `2s`, `1m` or `1h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationText(pub(crate) Duration);

impl DurationText {
    /// Parses a whole number with a unit, such as `2s`. The error completes a sentence that begins with the
    /// text: "is not a length of time".
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
        let (Some(factor), 1..) = (factor, digits) else { return Err("is not a length of time".to_owned()) };
        let millis = number.parse::<u64>().ok().and_then(|n| n.checked_mul(factor));
        match millis.map(Duration::from_millis) {
            Some(wait) if wait <= WAIT_MAX => Ok(Self(wait)),
            _ => Err(format!("is longer than {} hours", WAIT_MAX.as_secs() / 3600)),
        }
    }
}

impl JsonSchema for DurationText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Wait".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h)$", "examples": ["500ms", "2s", "1m"] })
    }
}

/// Reads a duration such as `2s`. Reports other values and returns `None`. `what` names the key in messages.
pub(crate) fn read_wait(reader: &mut Reader, what: &str, tree: YamlNode) -> Option<Located<DurationText>> {
    const HINT: &str = "write a whole number with a unit: 500ms, 2s, 1m, 1h";
    match &tree.value {
        YamlValue::Text(text) => match DurationText::parse(text) {
            Ok(value) => return Some(Located { value, span: tree.span }),
            Err(reason) => {
                reader.report(&tree.span, format!("{what} `{}` {reason}", truncate_name(text)), HINT);
            }
        },
        _ => reader.report_mismatch(what, "a length of time", &tree, HINT),
    }
    None
}
