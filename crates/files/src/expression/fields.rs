//! Checks the fields and constants of an expression against the schemas of the values that it reads. A schema that does
//! not tell is no objection.

use serde_json::Value as Json;

use super::analysis::Analysis;
use super::names::DeclaredNames;
use super::paths::{ConstantComparison, PathStep, ValuePath};
use crate::inline::{Lookup, allowed_values, element, field};
use crate::naming::{join_quoted, truncate_name};
use crate::read::Reader;
use crate::source::Span;
use stategraph_core::nearest;

impl Reader {
    /// Reports fields that a schema does not have, and comparisons with constants that a value never equals.
    /// Returns `None` if it reported anything. `text` is the expression, `span` its range in the file.
    pub(super) fn check_fields(
        &mut self,
        text: &str,
        span: &Span,
        analysis: &Analysis,
        names: &DeclaredNames<'_>,
    ) -> Option<()> {
        let before = self.diagnostics.len();
        for path in &analysis.paths {
            let Some((whole, PathStep::Field(name))) = parent_of(path, names) else { continue };
            if let Lookup::Missing(known) = field(whole, name) {
                let hint = match nearest(truncate_name(name), known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if known.is_empty() => "it has no fields".to_owned(),
                    None => format!("its fields are {}", join_quoted(&known)),
                };
                let of = format_path(&path.root, &path.steps[..path.steps.len() - 1]);
                let place = self.locate_part(span, text, &path.at);
                self.report(&place, format!("`{of}` has no field `{}`", truncate_name(name)), hint);
            }
        }
        for comparison in &analysis.comparisons {
            self.check_comparison(text, span, comparison, names);
        }
        (self.diagnostics.len() == before).then_some(())
    }

    fn check_comparison(
        &mut self,
        text: &str,
        span: &Span,
        it: &ConstantComparison,
        names: &DeclaredNames<'_>,
    ) {
        // A channel without a default is null until it is written.
        if it.constant.is_null() {
            return;
        }
        let Some(values) = schema_of(&it.path, names).and_then(allowed_values) else { return };
        if values.iter().any(|value| is_equal(value, &it.constant)) {
            return;
        }
        let known: Vec<String> = values
            .iter()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        let constant = it.constant.as_str().map_or_else(|| it.constant.to_string(), str::to_owned);
        let hint = match nearest(truncate_name(&constant), known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("it is one of {}", join_quoted(&known)),
        };
        let path = format_path(&it.path.root, &it.path.steps);
        let place = self.locate_part(span, text, &it.at);
        self.report(&place, format!("`{path}` is never `{}`", truncate_name(&constant)), hint);
    }
}

/// Returns the schema of the value before the last step of a path, with that step: for `state.person.age` the
/// schema of `state.person`, and `age`. `None` if the schema is not known.
fn parent_of<'n>(path: &'n ValuePath, names: &'n DeclaredNames<'_>) -> Option<(&'n Json, &'n PathStep)> {
    let (last, before) = path.steps.split_last()?;
    Some((follow(&path.root, before, names)?, last))
}

/// Returns the schema of the value at a path; `None` if it is not known.
fn schema_of<'n>(path: &ValuePath, names: &'n DeclaredNames<'_>) -> Option<&'n Json> {
    follow(&path.root, &path.steps, names)
}

/// Returns the schema of the value to which `steps` lead from the name `root`; `None` if it is not known.
fn follow<'n>(root: &str, steps: &[PathStep], names: &'n DeclaredNames<'_>) -> Option<&'n Json> {
    let (mut schema, steps) = match (root, steps) {
        ("state", [PathStep::Field(channel), rest @ ..]) => {
            (names.schema?.channel(channel)?.value_type.schema(), rest)
        }
        ("state", _) => return None,
        _ => (names.type_of(root)?, steps),
    };
    for step in steps {
        let found = match step {
            PathStep::Field(name) => field(schema, name),
            PathStep::Element => element(schema),
        };
        let Lookup::Found(part) = found else { return None };
        schema = part;
    }
    Some(schema)
}

/// Returns true if two JSON values are equal. Numbers are compared by value: `1` equals `1.0`.
fn is_equal(one: &Json, other: &Json) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
        _ => one == other,
    }
}

fn format_path(root: &str, steps: &[PathStep]) -> String {
    steps.iter().fold(root.to_owned(), |path, step| match step {
        PathStep::Field(name) => format!("{path}.{}", truncate_name(name)),
        PathStep::Element => format!("{path}[…]"),
    })
}
