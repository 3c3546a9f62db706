//! Collects the notices of model requests for the live view.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::view::{LiveView, Request};

/// A tracing layer that passes the notices of model requests (asked, piece, ended, spent) to the live view.
pub(in crate::cli) struct RequestLayer(pub(in crate::cli) Arc<Mutex<Option<LiveView>>>);

impl<S: Subscriber> Layer<S> for RequestLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut view = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(view) = view.as_mut() else { return };
        let mut notice = Notice::default();
        event.record(&mut notice);
        let now = Instant::now();
        match notice.message.as_str() {
            "asked" => view.asked(
                notice.request,
                Request {
                    label: notice.label,
                    model: notice.model,
                    endpoint: notice.endpoint,
                    since: now,
                    heard: now,
                    pieces: 0,
                    first: Duration::from_millis(notice.first_ms),
                    idle: Duration::from_millis(notice.idle_ms),
                },
            ),
            "piece" => view.piece(notice.request, now),
            "ended" => view.ended(notice.request),
            "spent" => view.spent(notice.tokens, Some(notice.dollars).filter(|dollars| *dollars >= 0.0)),
            _ => {}
        }
    }
}

/// The fields of a tracing event about a model request, collected by the layer.
#[derive(Default)]
struct Notice {
    message: String,
    request: u64,
    label: String,
    model: String,
    endpoint: String,
    first_ms: u64,
    idle_ms: u64,
    tokens: u64,
    dollars: f64,
}

impl Visit for Notice {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "label" => value.clone_into(&mut self.label),
            "model" => value.clone_into(&mut self.model),
            "endpoint" => value.clone_into(&mut self.endpoint),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "request" => self.request = value,
            "first_ms" => self.first_ms = value,
            "idle_ms" => self.idle_ms = value,
            "tokens" => self.tokens = value,
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "dollars" {
            self.dollars = value;
        }
    }
}
