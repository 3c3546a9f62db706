//! The `tracing` layer that makes an OpenTelemetry span of each span. `tracing-opentelemetry` is not used,
//! because it sends `u64` as text, cannot accept content that no other subscriber may see, and gives no span
//! the session of its run.

use std::collections::BTreeSet;
use std::sync::Arc;

use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt as _, Tracer as _,
};
use opentelemetry::{Context as TraceContext, Key, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, Span as ExportedSpan};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, Registry};

use super::fields::{SpanFields, SpanOrigin};
use crate::content::SpanContent;
use crate::names;

/// A `tracing` layer that exports spans. Needs a [`Registry`] as the subscriber below it, and a
/// [`SpanFilter`](super::SpanFilter).
pub struct ExportLayer {
    tracer: SdkTracer,
    content: BTreeSet<SpanContent>,
    parent: Option<SpanContext>,
}

/// The exported counterpart of an open `tracing` span, stored in the span's extensions.
struct OpenSpan {
    exported: ExportedSpan,
    origin: SpanOrigin,
    session: Option<Arc<str>>,
    has_outcome: bool,
}

impl OpenSpan {
    /// Adds collected fields to the exported span.
    fn apply(&mut self, mut fields: SpanFields) {
        if let Some(status) = fields.status() {
            self.exported.set_status(status);
        }
        if let Some(session) = fields.session.take() {
            set_session(&mut self.exported, &session);
            self.session = Some(session);
        }
        if let Some(name) = fields.name {
            self.exported.update_name(name);
        }
        self.has_outcome |= fields.has_outcome;
        fields.attributes.into_iter().for_each(|attribute| self.exported.set_attribute(attribute));
    }

    /// Ends the exported span. A run or task without an outcome is marked as cancelled, because its work was
    /// dropped.
    fn end(mut self) {
        if self.origin != SpanOrigin::Other && !self.has_outcome {
            self.exported.set_attribute(KeyValue::new(names::OUTCOME, "cancelled"));
            self.exported.set_status(Status::error("the work was cancelled"));
        }
        self.exported.end();
    }
}

/// Sets the session attributes of a span, under both names.
fn set_session(span: &mut ExportedSpan, session: &Arc<str>) {
    span.set_attribute(KeyValue::new(names::SESSION, session.clone()));
    span.set_attribute(KeyValue::new(names::CONVERSATION, session.clone()));
}

impl ExportLayer {
    pub(super) fn new(
        tracer: SdkTracer,
        content: BTreeSet<SpanContent>,
        parent: Option<SpanContext>,
    ) -> Self {
        Self { tracer, content, parent }
    }

    /// Returns true if this kind of content is collected.
    pub(crate) fn captures(&self, content: SpanContent) -> bool {
        self.content.contains(&content)
    }

    /// Sets an attribute of an open span to a text. Does nothing if the span is not exported.
    #[allow(clippy::unused_self, reason = "the layer is the proof that the span is exported")]
    pub(crate) fn record_text(&self, dispatch: &Dispatch, id: &Id, name: &'static str, text: String) {
        let Some(span) = dispatch.downcast_ref::<Registry>().and_then(|registry| registry.span(id)) else {
            return;
        };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            open.exported.set_attribute(KeyValue::new(Key::from_static_str(name), text));
        }
    }

    /// Starts the exported span. `fallback` is its name if no field sets one. `parent` is the nearest
    /// exported span around it; without one, the span of the calling process is the parent, except for the
    /// task of a node.
    fn start(
        &self,
        origin: SpanOrigin,
        fields: &mut SpanFields,
        fallback: &'static str,
        parent: Option<SpanContext>,
    ) -> ExportedSpan {
        let name = fields.name.take().map_or(fallback.into(), Into::into);
        let builder = SpanBuilder::from_name::<std::borrow::Cow<'static, str>>(name)
            .with_kind(fields.kind.take().unwrap_or(SpanKind::Internal))
            .with_attributes(std::mem::take(&mut fields.attributes));
        let parent = parent.or_else(|| self.parent.clone().filter(|_| origin != SpanOrigin::Node));
        let around = match parent {
            Some(parent) => TraceContext::new().with_remote_span_context(parent),
            None => TraceContext::new(),
        };
        self.tracer.build_with_context(builder, &around)
    }
}

impl<S> Layer<S> for ExportLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let metadata = attributes.metadata();
        let origin = SpanOrigin::of(metadata);
        let mut fields = SpanFields::new(origin);
        attributes.record(&mut fields);
        let parent = span.scope().skip(1).find_map(|parent| {
            let extensions = parent.extensions();
            let open = extensions.get::<OpenSpan>()?;
            Some((open.exported.span_context().clone(), open.session.clone()))
        });
        let (around, session) = parent.map_or((None, None), |(around, session)| (Some(around), session));
        let mut exported = self.start(origin, &mut fields, metadata.name(), around);
        if let (Some(session), None) = (&session, &fields.session) {
            set_session(&mut exported, session);
        }
        let mut open = OpenSpan { exported, origin, session, has_outcome: false };
        open.apply(fields);
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        let Some(open) = extensions.get_mut::<OpenSpan>() else { return };
        let mut fields = SpanFields::later(open.origin);
        values.record(&mut fields);
        open.apply(fields);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let open = context.span(&id).and_then(|span| span.extensions_mut().remove::<OpenSpan>());
        if let Some(open) = open {
            open.end();
        }
    }
}
