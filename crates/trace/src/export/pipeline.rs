//! Puts the export together and ends it in bounded time.

use std::fmt;
use std::path::PathBuf;
use std::sync::{PoisonError, mpsc};
use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{
    Protocol, RetryPolicy, SpanExporter as OtlpExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfig, BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider, SpanExporter,
};

use super::client::{ClientMaker, CollectorClient, LastReason};
use super::destination::Destination;
use super::file::FileExporter;
use super::filter::{NodeSpans, SpanFilter};
use super::layer::ExportLayer;
use super::settings::{SettingsError, TraceSettings};
use crate::names;

/// Longest delay of the end of the program by a collector that hangs. With the rest of the end it stays below a second.
pub const EXIT_LIMIT: Duration = Duration::from_millis(800);

/// The reason of a loss at the end.
const LATE: &str = "it did not take the newest before the end of the program";

/// Most attributes of a span; more are dropped by the library without a word.
const ATTRIBUTES: u32 = 1024;

/// The running export. [`shutdown`](Self::shutdown) sends what waits; without it the newest spans are lost.
pub struct TracePipeline {
    provider: SdkTracerProvider,
    filter: SpanFilter,
    nodes: NodeSpans,
    sent: Option<(Destination, LastReason)>,
    written: Option<(PathBuf, LastReason)>,
}

/// A part of the spans that did not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportLoss {
    /// Address or file.
    pub place: String,
    /// The reason of the newest loss.
    pub reason: String,
}

impl fmt::Display for ExportLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "traces did not all arrive at {}: {}", self.place, self.reason)
    }
}

impl TracePipeline {
    /// Starts the export, and returns it with its layer. Opens no connection and no file: both happen with the first batch.
    pub fn start(settings: TraceSettings, make: ClientMaker) -> Result<(ExportLayer, Self), SettingsError> {
        let filter = SpanFilter::new();
        let mut provider = SdkTracerProvider::builder()
            .with_resource(build_resource(&settings))
            .with_max_attributes_per_span(ATTRIBUTES);
        let (mut sent, mut written) = (None, None);
        // The file first, because processors end in order and a collector may use up the time.
        if let Some(path) = settings.file.clone() {
            let reason = LastReason::default();
            let exporter = FileExporter::new(path.clone(), reason.clone());
            provider = provider.with_span_processor(build_processor(exporter, &settings));
            written = Some((path, reason));
        }
        if let Some(destination) = settings.destination.clone() {
            let reason = LastReason::default();
            let client = CollectorClient::new(destination.clone(), settings.timeout, make, reason.clone());
            provider = provider
                .with_span_processor(build_processor(build_exporter(client, &destination)?, &settings));
            sent = Some((destination, reason));
        }
        let provider = provider.build();
        let scope = InstrumentationScope::builder("stategraph")
            .with_version(env!("CARGO_PKG_VERSION"))
            .with_schema_url(names::SCHEMA_URL)
            .build();
        let tracer = provider.tracer_with_scope(scope);
        let layer = ExportLayer::new(tracer, settings.content, settings.parent);
        Ok((layer, Self { provider, filter, nodes: settings.nodes, sent, written }))
    }

    /// Returns the filter of the layer.
    pub fn filter(&self) -> SpanFilter {
        self.filter.clone()
    }

    /// Leaves out the spans of nodes, for a graph without models. Has no effect if the user asked for them.
    pub fn without_nodes(&self) {
        if self.nodes == NodeSpans::WithModels {
            self.filter.set_nodes(false);
        }
    }

    /// Ends the file and the collector. Returns true if both ended within the limit. A thread of its own waits, because the library gives the
    /// whole limit to each of them and then joins their threads without any.
    fn end_within(&self, limit: Duration) -> bool {
        let (told, ended) = mpsc::channel();
        let provider = self.provider.clone();
        let waiter = std::thread::Builder::new().name("traces-end".to_owned());
        match waiter.spawn(move || end_all(&provider, limit, &told)) {
            Ok(_) => ended.recv_timeout(limit).unwrap_or(false),
            // Without threads there was no export either.
            Err(_) => false,
        }
    }

    /// Sends and writes what waits, for at most `limit`, such as [`EXIT_LIMIT`]. Returns the losses of the whole run.
    pub fn shutdown(&self, limit: Duration) -> Vec<ExportLoss> {
        let is_whole = self.end_within(limit);
        let taken = |reason: &LastReason| reason.lock().unwrap_or_else(PoisonError::into_inner).take();
        let loss = |place: String, reason| ExportLoss { place, reason };
        let late = |is_late: bool| is_late.then(|| LATE.to_owned());
        // The file is closed first, so that a late end is that of the collector if there is one.
        let written = self.written.as_ref().and_then(|(path, reason)| {
            let reason = taken(reason).or_else(|| late(!is_whole && self.sent.is_none()))?;
            Some(loss(path.display().to_string(), reason))
        });
        let sent = self.sent.as_ref().and_then(|(destination, reason)| {
            let reason = taken(reason).or_else(|| late(!is_whole && written.is_none()))?;
            Some(loss(destination.to_string(), reason))
        });
        written.into_iter().chain(sent).collect()
    }
}

/// Sends `true` to the receiver after all processors have ended in time.
fn end_all(provider: &SdkTracerProvider, limit: Duration, told: &mpsc::Sender<bool>) {
    // An error means that the limit is over and that the receiver has gone.
    let _ = told.send(provider.shutdown_with_timeout(limit).is_ok());
}

fn build_resource(settings: &TraceSettings) -> Resource {
    let builder = Resource::builder().with_attribute(KeyValue::new(names::PROJECT, settings.project.clone()));
    match &settings.service {
        Some(service) => builder.with_service_name(service.clone()).build(),
        None => builder.build(),
    }
}

fn build_processor(exporter: impl SpanExporter + 'static, settings: &TraceSettings) -> BatchSpanProcessor {
    BatchSpanProcessor::builder(exporter).with_batch_config(configure_batches(settings)).build()
}

fn configure_batches(settings: &TraceSettings) -> BatchConfig {
    let config = BatchConfigBuilder::default();
    let config = match settings.delay {
        Some(delay) => config.with_scheduled_delay(delay),
        None => config,
    };
    match settings.queue {
        Some(queue) => config.with_max_queue_size(queue).with_max_export_batch_size(queue / 4).build(),
        None => config.build(),
    }
}

fn build_exporter(client: CollectorClient, destination: &Destination) -> Result<OtlpExporter, SettingsError> {
    OtlpExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(destination.url().as_str())
        // A retry delays the end of the program, and the next batch tries again anyway.
        .with_retry_policy(RetryPolicy::disabled())
        .build()
        .map_err(|error| SettingsError::Exporter { reason: error.to_string() })
}
