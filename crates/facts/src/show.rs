//! Describes facts in words for a reader.

use serde::Serialize;

use crate::fact::{Fact, FactSubject, FactValue};

impl Fact {
    /// Returns the fact as two texts for a table row: a word for its kind, and its value on one line:
    /// `run`, `cargo run`.
    pub fn cells(&self) -> (String, String) {
        let joined = |parts: [Option<&str>; 3]| parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        match &self.value {
            FactValue::Project { ecosystem, name, version, .. } => {
                (word(ecosystem), joined([name.as_deref(), version.as_deref(), None]))
            }
            FactValue::Target { target, name, entry } => {
                (word(target), joined([Some(name), Some(entry), None]))
            }
            FactValue::Dependency { name, requirement, scope } => {
                (word(scope), joined([Some(name), requirement.as_deref(), None]))
            }
            FactValue::Command { purpose, command, folder, .. } => {
                let place = if folder.is_empty() { String::new() } else { format!("  (in {folder})") };
                (word(purpose), format!("{command}{place}"))
            }
            FactValue::Purpose { text } => (subject_kind(&self.subject).into(), text.clone()),
            FactValue::Tool { purpose, name } => (word(purpose), name.clone()),
            FactValue::Setting { form, name, default, text } => {
                let default = default.as_deref().map(|value| format!("= {value}"));
                (word(form), joined([Some(name), default.as_deref(), text.as_deref()]))
            }
            FactValue::Route { method, path, handler } => {
                (method.clone().unwrap_or_default(), joined([Some(path), handler.as_deref(), None]))
            }
            FactValue::Subcommand { name, text } => {
                ("subcommand".into(), joined([Some(name), text.as_deref(), None]))
            }
            FactValue::Relation { relation, to, name, field } => {
                (word(relation), joined([field.as_deref(), Some(name), Some(to)]))
            }
            FactValue::Trace { steps } => {
                let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
                ("trace".into(), names.join(" → "))
            }
            FactValue::Concern { concern, construct } => (word(concern), construct.clone()),
            FactValue::Rule { text } | FactValue::Limit { text } => {
                (self.value.kind().name().into(), text.clone())
            }
            FactValue::Recipe { title, steps } => ("recipe".into(), format!("{title}: {}", steps.join("; "))),
            FactValue::Topic { title, text, .. } => ("topic".into(), format!("{title}: {}", text.join(" "))),
            FactValue::Calls { calls } => {
                let names: Vec<&str> = calls.iter().map(|step| step.name.as_str()).collect();
                ("calls".into(), names.join(", "))
            }
            FactValue::Edge { to, class, name } => (word(class), format!("{to}  {name}")),
        }
    }
}

/// Returns the name of an enum variant, as in JSON.
fn word(value: &impl Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}

/// Returns a word for what a fact is about (`repository`, `folder`, `file`, …); every definition is a
/// `type`.
fn subject_kind(subject: &FactSubject) -> &'static str {
    match subject {
        FactSubject::Repository => "repository",
        FactSubject::Project(_) => "project",
        FactSubject::Folder(_) => "folder",
        FactSubject::File(_) => "file",
        FactSubject::Symbol { .. } => "type",
    }
}
