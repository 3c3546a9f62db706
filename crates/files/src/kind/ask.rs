//! The kind `interrupt`: a question to the caller of the run.

use schemars::JsonSchema;

use super::super::expression::{Names, Template};
use super::super::inline::Shape;
use super::super::read::Reader;
use super::super::tree::{Tree, Value};

/// Waits for an answer from outside. The result is the answer.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Interrupt", deny_unknown_fields)]
pub struct AskKind {
    /// What is asked.
    pub question: Template,
    /// What is shown with it: the values of expressions.
    pub show: Option<super::Operand>,
    /// The JSON Schema of the answer; one that does not fit is refused, and the question stays open. Left out: anything.
    pub answer: Option<Shape>,
}

impl AskKind {
    pub(super) fn read(reader: &mut Reader, tree: Tree, names: &Names<'_>) -> Option<Self> {
        if matches!(tree.value, Value::Text(_)) {
            let question = reader.template("`interrupt`", tree, names)?;
            return Some(Self { question, show: None, answer: None });
        }
        let mut object = reader.object("`interrupt`", tree)?;
        let before = reader.found.len();
        let question = object.need("question").and_then(|tree| reader.template("`question`", tree, names));
        let show = object.take("show").and_then(|tree| reader.operand("`show`", tree, names));
        let answer = object.take("answer").and_then(|tree| reader.shape("`answer`", &tree));
        object.finish(reader);
        if reader.found.len() > before {
            return None;
        }
        Some(Self { question: question?, show, answer })
    }
}
