//! The forms of answers to a question: options, text, JSON. Converts a typed line to a JSON value; reads
//! and prints nothing, see `converse.rs`.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::definition::example_of;
use crate::engine::Question;

/// Fields of an option object that may hold the text to show; the first one present is used.
const LABELS: [&str; 4] = ["text", "label", "title", "name"];

/// The form of the answer that a question expects: options to choose from, or the type of a free answer.
#[derive(Debug, PartialEq)]
pub(super) struct AnswerForm {
    /// The options in the order of the question; empty if it has none.
    pub(super) options: Vec<AnswerOption>,
    /// Index in `options` of the recommended option; `None` without a recommendation.
    pub(super) recommended: Option<usize>,
    /// Type in the schema of the answer, such as `string`; `None` without a schema or for several types.
    kind: Option<String>,
    /// True if an answer may also be an object, besides the options.
    may_be_object: bool,
    /// JSON Schema of the answer; null without one.
    schema: Value,
}

/// An option of a question: the label to show, and the value that is the answer.
#[derive(Debug, PartialEq)]
pub(super) struct AnswerOption {
    pub(super) label: String,
    value: Value,
}

impl AnswerForm {
    /// Reads the form from the payload and the schema of a question. The options are the payload's list
    /// `options`, else the `enum` of the schema, or of its `else` if an answer may be an object too.
    pub(super) fn of(question: &Question) -> Self {
        Self::parse(&question.payload, question.schema.as_deref())
    }

    /// Returns the value of the option that equals `word`, for an answer that is typed without quotes;
    /// `None` if there is none.
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

    /// Converts a typed line to an answer: an empty line to the recommended option, the number or label of
    /// an option to its value, any other line to JSON or text as the schema wants it. `None` for an empty
    /// line without a recommendation.
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

    /// Returns an answer that fits, for the command that a user copies: the recommended option, else the
    /// first one, else an example for the schema. `None` if the question tells neither.
    pub(super) fn example(&self) -> Option<Value> {
        let option = self.recommended.and_then(|at| self.options.get(at)).or(self.options.first());
        match option {
            Some(option) => Some(option.value.clone()),
            None => example_of(&self.schema),
        }
    }
}

/// Returns the options in the list `options` of a payload; `None` if it is empty, or if one is neither a
/// text nor an object with a label. The value of a text is the text, that of an object is its number, from
/// 1.
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
