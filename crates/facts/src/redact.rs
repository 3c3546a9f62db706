//! Removes secrets from the texts of facts. Every fact passes through here, so the rules for kinds of files
//! need not care.

use std::borrow::Cow;

use stategraph_base::redact_secrets;

use crate::fact::{Fact, FactValue};

/// Replaces keys, tokens and passwords in the texts of a fact by `[secret]`. A changed fact gets a new id.
pub(crate) fn redact(mut fact: Fact) -> Fact {
    let mut is_changed = false;
    for text in texts(&mut fact.value) {
        if let Cow::Owned(redacted) = redact_secrets(text) {
            *text = redacted;
            is_changed = true;
        }
    }
    // The id is a hash of the value.
    if is_changed { fact.with_new_id() } else { fact }
}

/// Returns the texts of a value that may hold secrets. Paths and names of definitions are not among them,
/// because they must stay findable.
fn texts(value: &mut FactValue) -> Vec<&mut String> {
    match value {
        FactValue::Project { name, version, .. } => name.iter_mut().chain(version).collect(),
        FactValue::Target { name, .. } | FactValue::Tool { name, .. } => vec![name],
        FactValue::Dependency { name, requirement, .. } => [name].into_iter().chain(requirement).collect(),
        FactValue::Command { command, runs, .. } => [command].into_iter().chain(runs).collect(),
        FactValue::Setting { name, default, text, .. } => {
            [name].into_iter().chain(default).chain(text).collect()
        }
        FactValue::Route { path, handler, .. } => [path].into_iter().chain(handler).collect(),
        FactValue::Subcommand { name, text } => [name].into_iter().chain(text).collect(),
        FactValue::Concern { construct: text, .. }
        | FactValue::Purpose { text }
        | FactValue::Rule { text }
        | FactValue::Limit { text } => vec![text],
        FactValue::Recipe { title, steps } => [title].into_iter().chain(steps).collect(),
        FactValue::Topic { title, text, example, .. } => {
            [title].into_iter().chain(text).chain(example).collect()
        }
        FactValue::Relation { .. }
        | FactValue::Trace { .. }
        | FactValue::Calls { .. }
        | FactValue::Edge { .. } => Vec::new(),
    }
}
