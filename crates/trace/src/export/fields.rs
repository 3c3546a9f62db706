//! Turns the fields of a `tracing` span into name, kind, status and attributes of an exported one. The engine's spans `run` and `node` have short
//! names of their own, which are translated here.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use opentelemetry::trace::{SpanKind, Status};
use opentelemetry::{Array, Key, KeyValue, StringValue, Value};
use tracing::Metadata;
use tracing::field::{Field, Visit};

use crate::content::clean_text;
use crate::names::{self, special};

/// The origin of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A run of the engine.
    Run,
    /// A task of the engine.
    Node,
    /// Another span; its fields are attributes.
    Other,
}

impl Origin {
    pub(super) fn of(metadata: &Metadata<'_>) -> Self {
        match (metadata.target().starts_with("stategraph_core"), metadata.name()) {
            (true, "run") => Self::Run,
            (true, "node") => Self::Node,
            _ => Self::Other,
        }
    }
}

/// The fields that one visit found.
pub(super) struct SpanFields {
    origin: Origin,
    pub(super) name: Option<String>,
    pub(super) kind: Option<SpanKind>,
    pub(super) attributes: Vec<KeyValue>,
    pub(super) session: Option<Arc<str>>,
    pub(super) has_outcome: bool,
    is_error: bool,
    message: Option<String>,
}

impl SpanFields {
    pub(super) fn new(origin: Origin) -> Self {
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
            Origin::Run => {
                fields.add(names::SPAN_KIND, "CHAIN".into());
                fields.add(names::OPERATION, "invoke_workflow".into());
            }
            Origin::Node => fields.add(names::SPAN_KIND, "CHAIN".into()),
            Origin::Other => {}
        }
        fields
    }

    /// Makes the collection of fields that are recorded later: those of the start are not added again.
    pub(super) fn later(origin: Origin) -> Self {
        Self { origin, ..Self::new(Origin::Other) }
    }

    /// Returns the status; `None` if no field says one.
    pub(super) fn status(&mut self) -> Option<Status> {
        let message = self.message.take();
        (self.is_error || message.is_some()).then(|| Status::error(message.unwrap_or_default()))
    }

    fn add(&mut self, name: &'static str, value: Value) {
        self.attributes.push(KeyValue::new(Key::from_static_str(name), value));
    }

    fn text(&mut self, field: &'static str, text: Cow<'_, str>) {
        match (self.origin, field) {
            (_, special::NAME) => self.name = Some(clean_text(&text)),
            (_, special::KIND) => self.kind = (text == "client").then_some(SpanKind::Client),
            (_, special::STATUS) => self.is_error = text.eq_ignore_ascii_case("error"),
            (_, special::STATUS_TEXT) => self.message = Some(clean_text(&text)),
            (Origin::Run, "graph") => {
                self.name = Some(format!("invoke_workflow {text}"));
                self.add(names::AGENT, owned(&text));
            }
            (Origin::Run, "thread") => {
                self.session = Some(text.as_ref().into());
                self.add(names::THREAD, owned(&text));
            }
            (Origin::Run, "checkpoint") => self.add(names::CHECKPOINT, owned(&text)),
            (Origin::Node, "name") => {
                self.name = Some(text.to_string());
                self.add(names::NODE, owned(&text));
            }
            (Origin::Node, "task") => self.add(names::TASK, owned(&text)),
            (Origin::Run | Origin::Node, "error") => {
                self.message = Some(clean_text(&text));
                self.add(names::ERROR_TYPE, "error".into());
            }
            (Origin::Run | Origin::Node, "outcome") | (_, names::OUTCOME) => {
                self.has_outcome = true;
                self.add(names::OUTCOME, owned(&text));
            }
            (_, names::FINISH_REASONS) => {
                let reasons = vec![StringValue::from(text.into_owned())];
                self.add(names::FINISH_REASONS, Value::Array(Array::String(reasons)));
            }
            // Names that a model wrote may be of any length and hold anything.
            _ => self.add(field, clean_text(&text).into()),
        }
    }

    fn number(&mut self, field: &'static str, number: i64) {
        let name = match (self.origin, field) {
            (Origin::Run, "steps") | (Origin::Node, "step") => names::STEP,
            (Origin::Node, "attempt") => names::ATTEMPT,
            _ => field,
        };
        self.add(name, number.into());
    }
}

fn owned(text: &str) -> Value {
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
