//! Converts the fields of a `tracing` span to name, kind, status and attributes of an exported span. The
//! engine's spans `run` and `node` have short field names of their own, which are translated here.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use opentelemetry::trace::{SpanKind, Status};
use opentelemetry::{Array, Key, KeyValue, StringValue, Value};
use tracing::Metadata;
use tracing::field::{Field, Visit};

use crate::content::clean_text;
use crate::names::{self, special};

/// The code that opened a span, which decides how its fields are translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanOrigin {
    /// The engine, for a run.
    Run,
    /// The engine, for a task.
    Node,
    /// Other code; its fields become attributes under their own names.
    Other,
}

impl SpanOrigin {
    /// Determines the origin from the module and the name of the span.
    pub(super) fn of(metadata: &Metadata<'_>) -> Self {
        match (metadata.target().starts_with("stategraph_core"), metadata.name()) {
            (true, "run") => Self::Run,
            (true, "node") => Self::Node,
            _ => Self::Other,
        }
    }
}

/// The translated fields of a span, collected in one visit: when it opens, or when it records more.
pub(super) struct SpanFields {
    origin: SpanOrigin,
    /// New name of the exported span, if a field sets one.
    pub(super) name: Option<String>,
    pub(super) kind: Option<SpanKind>,
    pub(super) attributes: Vec<KeyValue>,
    /// The thread of a run.
    pub(super) session: Option<Arc<str>>,
    /// True if a field says how the work ended.
    pub(super) has_outcome: bool,
    is_error: bool,
    message: Option<String>,
}

impl SpanFields {
    /// Makes an empty collection for a span that opens, with the attributes that every span of this origin
    /// has.
    pub(super) fn new(origin: SpanOrigin) -> Self {
        let mut fields = Self {
            origin,
            name: None,
            kind: None,
            attributes: Vec::new(),
            session: None,
            has_outcome: false,
            is_error: false,
            message: None,
        };
        match origin {
            SpanOrigin::Run => {
                fields.add(names::SPAN_KIND, "CHAIN".into());
                fields.add(names::OPERATION, "invoke_workflow".into());
            }
            SpanOrigin::Node => fields.add(names::SPAN_KIND, "CHAIN".into()),
            SpanOrigin::Other => {}
        }
        fields
    }

    /// Makes an empty collection for fields that an open span records later.
    pub(super) fn later(origin: SpanOrigin) -> Self {
        Self { origin, ..Self::new(SpanOrigin::Other) }
    }

    /// Returns the error status that the fields set; `None` if they report no error.
    pub(super) fn status(&mut self) -> Option<Status> {
        let message = self.message.take();
        (self.is_error || message.is_some()).then(|| Status::error(message.unwrap_or_default()))
    }

    fn add(&mut self, name: &'static str, value: Value) {
        self.attributes.push(KeyValue::new(Key::from_static_str(name), value));
    }

    /// Translates a field with text: to the name, kind or status, or to an attribute.
    fn text(&mut self, field: &'static str, text: Cow<'_, str>) {
        match (self.origin, field) {
            (_, special::NAME) => self.name = Some(clean_text(&text)),
            (_, special::KIND) => self.kind = (text == "client").then_some(SpanKind::Client),
            (_, special::STATUS) => self.is_error = text.eq_ignore_ascii_case("error"),
            (_, special::STATUS_TEXT) => self.message = Some(clean_text(&text)),
            (SpanOrigin::Run, "graph") => {
                self.name = Some(format!("invoke_workflow {text}"));
                self.add(names::AGENT, to_value(&text));
            }
            (SpanOrigin::Run, "thread") => {
                self.session = Some(text.as_ref().into());
                self.add(names::THREAD, to_value(&text));
            }
            (SpanOrigin::Run, "checkpoint") => self.add(names::CHECKPOINT, to_value(&text)),
            (SpanOrigin::Node, "name") => {
                self.name = Some(text.to_string());
                self.add(names::NODE, to_value(&text));
            }
            (SpanOrigin::Node, "task") => self.add(names::TASK, to_value(&text)),
            (SpanOrigin::Run | SpanOrigin::Node, "error") => {
                self.message = Some(clean_text(&text));
                self.add(names::ERROR_TYPE, "error".into());
            }
            (SpanOrigin::Run | SpanOrigin::Node, "outcome") | (_, names::OUTCOME) => {
                self.has_outcome = true;
                self.add(names::OUTCOME, to_value(&text));
            }
            (_, names::FINISH_REASONS) => {
                let reasons = vec![StringValue::from(text.into_owned())];
                self.add(names::FINISH_REASONS, Value::Array(Array::String(reasons)));
            }
            // Names that a model wrote may be of any length and hold anything.
            _ => self.add(field, clean_text(&text).into()),
        }
    }

    /// Translates a field with a whole number to an attribute.
    fn number(&mut self, field: &'static str, number: i64) {
        let name = match (self.origin, field) {
            (SpanOrigin::Run, "steps") | (SpanOrigin::Node, "step") => names::STEP,
            (SpanOrigin::Node, "attempt") => names::ATTEMPT,
            _ => field,
        };
        self.add(name, number.into());
    }
}

fn to_value(text: &str) -> Value {
    Value::from(text.to_owned())
}

impl Visit for SpanFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.number(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.number(field.name(), i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field.name(), format!("{value:?}").into());
    }
}
