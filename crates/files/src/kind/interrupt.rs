//! The kind `interrupt`: a question to the caller of the run.

use schemars::JsonSchema;
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::expression::{DeclaredNames, Operand, Template};
use super::super::inline::ValueType;
use super::super::read::Reader;

/// Waits for an answer from outside. The result is the answer.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Interrupt", deny_unknown_fields)]
pub struct InterruptKind {
    /// Question to the user.
    pub question: Template,
    /// Values shown with the question: expressions.
    pub show: Option<Operand>,
    /// JSON Schema of the answer. An answer that does not fit is refused, and the question stays open. Default: any answer.
    pub answer: Option<ValueType>,
}

impl InterruptKind {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        if matches!(tree.value, YamlValue::Text(_)) {
            let question = reader.read_template("`interrupt`", tree, names)?;
            return Some(Self { question, show: None, answer: None });
        }
        let mut object = reader.read_object("`interrupt`", tree)?;
        let before = reader.diagnostics.len();
        let question =
            object.require("question").and_then(|tree| reader.read_template("`question`", tree, names));
        let show = object.take("show").and_then(|tree| reader.read_operand("`show`", tree, names));
        let answer = object.take("answer").and_then(|tree| reader.read_json_schema("`answer`", &tree));
        object.finish(reader);
        if reader.diagnostics.len() > before {
            return None;
        }
        Some(Self { question: question?, show, answer })
    }
}
