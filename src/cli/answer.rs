//! Forms of the answers to a question: options, texts, JSON. Turns a typed line into a JSON value; reads and prints nothing, see
//! `converse.rs`.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::definition::example_of;
use crate::engine::Question;

/// Fields of an option that may hold its text.
const LABELS: [&str; 4] = ["text", "label", "title", "name"];

/// The form of the answer to a question.
#[derive(Debug, PartialEq)]
pub(super) struct AnswerForm {
    /// The options in the order of the question; empty if it has none.
    pub(super) options: Vec<AnswerOption>,
    /// Position of the recommended option.
    pub(super) recommended: Option<usize>,
    /// The type that the schema of the answer names; `None` without a schema or for several types.
    kind: Option<String>,
    /// True if an answer may also be an object, besides the options.
    may_be_object: bool,
    /// The schema of the answer; null without one.
    schema: Value,
}

/// An option of a question.
#[derive(Debug, PartialEq)]
pub(super) struct AnswerOption {
    pub(super) label: String,
    value: Value,
}

impl AnswerForm {
    /// Reads the form from the payload and the schema of a question: a list `options` of the payload, else an `enum` of the schema, or of
    /// its `else` where an answer may be an object too.
    pub(super) fn of(question: &Question) -> Self {
        Self::parse(&question.payload, question.schema.as_deref())
    }

    /// Returns the option that a word without quotes names, for an answer on the command line.
    pub(super) fn option_named(payload: &RawValue, schema: Option<&RawValue>, word: &str) -> Option<Value> {
        let mut options = Self::parse(payload, schema).options.into_iter();
        options.find(|option| option.value.as_str() == Some(word)).map(|option| option.value)
    }

    fn parse(payload: &RawValue, schema: Option<&RawValue>) -> Self {
        let payload: Value = parse(payload);
        let schema: Value = schema.map(parse).unwrap_or_default();
        let kind = schema["type"].as_str().map(str::to_owned);
        let listed = payload["options"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(options) = listed_options(listed) {
            let recommended = listed.iter().position(|option| option["recommended"] == true);
            return Self { options, recommended, kind, may_be_object: false, schema };
        }
        let values = match (&schema["enum"], &schema["else"]["enum"], kind.as_deref()) {
            (Value::Array(values), ..) | (_, Value::Array(values), _) => values.clone(),
            (.., Some("boolean")) => vec![true.into(), false.into()],
            _ => Vec::new(),
        };
        let recommended = values.iter().position(|value| schema.get("default") == Some(value));
        let options = values.into_iter().map(|value| AnswerOption { label: label_of(&value), value });
        let may_be_object = schema["if"]["type"] == "object";
        Self { options: options.collect(), recommended, kind, may_be_object, schema }
    }

    /// Returns the answer that a typed line gives: the recommended option for an empty line, an option for its number or its text,
    /// else the line as JSON or as text, as the schema wants it. `None` for an empty line without a recommendation.
    pub(super) fn read(&self, line: &str) -> Option<Value> {
        let line = line.trim();
        if line.is_empty() {
            return Some(self.options.get(self.recommended?)?.value.clone());
        }
        let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let is_meant = |option: &&AnswerOption| option.label.eq_ignore_ascii_case(line);
        if let Some(option) =
            number.and_then(|at| self.options.get(at)).or_else(|| self.options.iter().find(is_meant))
        {
            return Some(option.value.clone());
        }
        let is_object = self.may_be_object && line.starts_with('{');
        let is_text = self.kind.as_deref() == Some("string") || !self.options.is_empty() && !is_object;
        let json = if is_text { None } else { serde_json::from_str(line).ok() };
        Some(json.unwrap_or_else(|| line.into()))
    }

    /// Returns an answer that fits, for the command that a user copies: the recommended option, else the first one, else the shape that the
    /// schema asks for. `None` if the question does not tell one.
    pub(super) fn example(&self) -> Option<Value> {
        let option = self.recommended.and_then(|at| self.options.get(at)).or(self.options.first());
        match option {
            Some(option) => Some(option.value.clone()),
            None => example_of(&self.schema),
        }
    }
}

/// Returns the options of a payload; `None` if there are none, or one is neither a text nor an object with a text. An object is
/// answered by its number, from 1, a text by itself.
fn listed_options(listed: &[Value]) -> Option<Vec<AnswerOption>> {
    let option = |(number, option): (u64, &Value)| match option {
        Value::String(text) => Some(AnswerOption { label: text.clone(), value: option.clone() }),
        Value::Object(fields) => {
            let label = LABELS.iter().find_map(|name| fields.get(*name)?.as_str())?.to_owned();
            Some(AnswerOption { label, value: number.into() })
        }
        _ => None,
    };
    if listed.is_empty() { None } else { (1..).zip(listed).map(option).collect() }
}

fn label_of(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn parse(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).expect("a payload and a schema are JSON")
}
