//! Bounds the work of a JSON Schema at one position of a value, before the schema is compiled. Checks no value.
//!
//! References let a short schema check the same position 2^30 times, or refer to itself without descending, which
//! never ends.

use std::collections::BTreeMap;

use serde_json::Value;

/// Maximum number of schemas that are checked at one position of a value.
const EFFORT_MAX: usize = 10_000;

/// Maximum nesting depth of schemas.
const DEPTH_MAX: usize = 64;

/// Keywords of JSON Schema whose sub-schemas check the same value as the schema itself, not a part of it.
const SAME_PLACE: [&str; 10] =
    ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/// Fails with the reason if checking one value against the schema can take too much work, or never ends.
pub(super) fn check_effort(schema: &Value) -> Result<(), String> {
    let mut estimator = EffortEstimator { whole: schema, known: BTreeMap::new() };
    estimator.check_all(schema, 0)
}

/// The computation of the effort of a schema, with the known efforts of its references.
struct EffortEstimator<'a> {
    whole: &'a Value,
    /// Effort of each reference; `None` while it is being computed.
    known: BTreeMap<String, Option<usize>>,
}

impl<'a> EffortEstimator<'a> {
    /// Computes the effort of this schema and of every value nested in it; fails with the first reason.
    fn check_all(&mut self, schema: &'a Value, depth: usize) -> Result<(), String> {
        if depth > DEPTH_MAX {
            return Err(format!("it is nested more than {DEPTH_MAX} deep"));
        }
        self.effort(schema, 0)?;
        match schema {
            Value::Object(map) => map.values().try_for_each(|part| self.check_all(part, depth + 1)),
            Value::Array(items) => items.iter().try_for_each(|part| self.check_all(part, depth + 1)),
            _ => Ok(()),
        }
    }

    /// Returns the number of schemas that check the same value as `schema`: itself, its alternatives and the
    /// schemas that it refers to. Fails above [`EFFORT_MAX`].
    fn effort(&mut self, schema: &'a Value, depth: usize) -> Result<usize, String> {
        let Value::Object(map) = schema else { return Ok(1) };
        if depth > DEPTH_MAX {
            return Err(format!("its parts refer to each other more than {DEPTH_MAX} deep"));
        }
        let mut effort = 1_usize;
        for (key, part) in map.iter().filter(|(key, _)| SAME_PLACE.contains(&key.as_str())) {
            let more = match (key.as_str(), part) {
                ("$ref" | "$dynamicRef", Value::String(name)) => self.reference_effort(name, depth)?,
                (_, Value::Array(parts)) => self.total_effort(parts.iter(), depth)?,
                ("dependentSchemas", Value::Object(parts)) => self.total_effort(parts.values(), depth)?,
                (_, part) => self.effort(part, depth + 1)?,
            };
            effort = effort.saturating_add(more);
        }
        if effort > EFFORT_MAX {
            return Err(format!("it asks more than {EFFORT_MAX} questions about one value"));
        }
        Ok(effort)
    }

    fn total_effort(
        &mut self,
        parts: impl Iterator<Item = &'a Value>,
        depth: usize,
    ) -> Result<usize, String> {
        parts
            .map(|part| self.effort(part, depth + 1))
            .try_fold(0_usize, |sum, more| Ok(sum.saturating_add(more?)))
    }

    /// Returns the effort of the schema that a reference such as `#/$defs/a` names. Fails if it refers to
    /// itself without descending into the value.
    fn reference_effort(&mut self, name: &str, depth: usize) -> Result<usize, String> {
        match self.known.get(name) {
            Some(Some(effort)) => return Ok(*effort),
            Some(None) => {
                return Err(format!("`{name}` refers to itself without going deeper into the value"));
            }
            None => {}
        }
        // A reference that is not found here, or leads to another document, is refused when the schema is compiled.
        let Some(target) = name.strip_prefix('#').and_then(|path| self.whole.pointer(path)) else {
            return Ok(1);
        };
        self.known.insert(name.to_owned(), None);
        let effort = self.effort(target, depth + 1)?;
        self.known.insert(name.to_owned(), Some(effort));
        Ok(effort)
    }
}
