//! The kind `interrupt`: one or more questions to the caller of the run.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::super::expression::{DeclaredNames, Operand, Template};
use super::super::format::Entries;
use super::super::inline::ValueType;
use super::super::read::Reader;
use stategraph_yaml::{YamlNode, YamlValue};

/// The kind `interrupt`: questions to the caller of the run. The node waits for the answers.
#[derive(Debug, Clone, PartialEq)]
pub enum InterruptKind {
    /// One question. The result is the answer.
    One(Box<InterruptQuestion>),
    /// Several questions, asked at once. The result is a map from their names to the answers.
    Several(Entries<InterruptQuestion>),
}

/// A question to the caller of the run.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Interrupt", deny_unknown_fields)]
pub struct InterruptQuestion {
    /// Question to the user.
    pub question: Template,
    /// Values shown with the question: expressions.
    pub show: Option<Operand>,
    /// JSON Schema of the answer. An answer that does not fit is refused, and the question stays open. Default: any answer.
    pub answer: Option<ValueType>,
}

/// Key of several questions.
const QUESTIONS: &str = "questions";

impl InterruptKind {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let YamlValue::Map(entries) = &tree.value else {
            return InterruptQuestion::read(reader, "`interrupt`", tree, names)
                .map(|question| Self::One(Box::new(question)));
        };
        if !entries.iter().any(|entry| entry.key == QUESTIONS) {
            return InterruptQuestion::read(reader, "`interrupt`", tree, names)
                .map(|question| Self::One(Box::new(question)));
        }
        let mut object = reader.read_object("`interrupt` with `questions`", tree)?;
        let before = reader.diagnostics.len();
        let key = object.key_span(QUESTIONS);
        let tree = object.require(QUESTIONS);
        object.finish(reader);
        let mut questions: Vec<(_, InterruptQuestion)> = Vec::new();
        for (name, tree) in reader.read_entries("`questions`", "question", tree?)? {
            if questions
                .iter()
                .any(|(known, _): &(super::super::located::Located<String>, _)| known.value == name.value)
            {
                let message = format!("the question `{}` is written twice", name.value);
                reader.report(&name.span, message, "remove one of them");
                continue;
            }
            let what = format!("the question `{}`", name.value);
            let question = InterruptQuestion::read(reader, &what, tree, names);
            questions.extend(question.map(|question| (name, question)));
        }
        if questions.is_empty() && reader.diagnostics.len() == before {
            reader.report(&key, "`questions` has no question".to_owned(), "such as { size: How large? }");
        }
        (reader.diagnostics.len() == before).then_some(Self::Several(Entries(questions)))
    }
}

impl InterruptQuestion {
    /// Reads a question: a text, or a map. Reports its defects and then returns `None`. `what` names it in
    /// messages.
    fn read(reader: &mut Reader, what: &str, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        if matches!(tree.value, YamlValue::Text(_)) {
            let question = reader.read_template(what, tree, names)?;
            return Some(Self { question, show: None, answer: None });
        }
        let mut object = reader.read_object(what, tree)?;
        let before = reader.diagnostics.len();
        let question =
            object.require("question").and_then(|tree| reader.read_template("`question`", tree, names));
        let show = object.take("show").and_then(|tree| reader.read_operand("`show`", tree, names));
        let answer = object.take("answer").and_then(|tree| reader.read_json_schema("`answer`", &tree));
        object.suggest(&[QUESTIONS]);
        object.finish(reader);
        if reader.diagnostics.len() > before {
            return None;
        }
        Some(Self { question: question?, show, answer })
    }
}

impl JsonSchema for InterruptKind {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "InterruptOrQuestions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = generator.subschema_for::<Template>();
        let question = generator.subschema_for::<InterruptQuestion>();
        json_schema!({ "anyOf": [text, question, {
            "type": "object", "required": [QUESTIONS], "additionalProperties": false,
            "properties": { QUESTIONS: {
                "type": "object", "minProperties": 1, "additionalProperties": { "anyOf": [text, question] },
                "description": "Several questions by name, asked at once. The result is a map from their names to the answers.",
            } },
        }] })
    }
}
