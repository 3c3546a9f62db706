//! Builds the export of traces from its settings, and ends it in bounded time.

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

/// Maximum time by which a collector that hangs may delay the end of the program. It keeps the whole end
/// below a second.
pub const EXIT_LIMIT: Duration = Duration::from_millis(800);

/// The reason of a loss if the collector or file did not take all spans before the end.
const LATE: &str = "it did not take the newest before the end of the program";

/// Maximum number of attributes of a span; the library drops more silently.
const ATTRIBUTES: u32 = 1024;

/// The running export of traces. [`shutdown`](Self::shutdown) sends the waiting spans; without it the newest
/// ones are lost.
pub struct TracePipeline {
    provider: SdkTracerProvider,
    filter: SpanFilter,
    nodes: NodeSpans,
    sent: Option<(Destination, LastReason)>,
    written: Option<(PathBuf, LastReason)>,
}

/// A report that some spans did not arrive at the collector or in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportLoss {
    /// Address of the collector, or path of the file.
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
    /// Starts the export. Returns the layer to install in the subscriber, and the pipeline to end it. Opens
    /// no connection and no file before the first batch.
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

    /// Returns the filter to install with the layer.
    pub fn filter(&self) -> SpanFilter {
        self.filter.clone()
    }

    /// Stops exporting the spans of nodes, for a graph without models. Has no effect if the user asked for
    /// them.
    pub fn without_nodes(&self) {
        if self.nodes == NodeSpans::WithModels {
            self.filter.set_nodes(false);
        }
    }

    /// Ends the file and the collector. Returns true if both ended within the limit. A separate thread waits
    /// for them, because the library gives the whole limit to each and then joins their threads without a
    /// limit.
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

    /// Sends and writes the waiting spans, for at most `limit`, such as [`EXIT_LIMIT`]. Returns the losses of
    /// the whole run; empty if all spans arrived.
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

/// Ends all processors and sends true to `told` if they ended within the limit.
fn end_all(provider: &SdkTracerProvider, limit: Duration, told: &mpsc::Sender<bool>) {
    // An error means that the limit is over and that the receiver has gone.
    let _ = told.send(provider.shutdown_with_timeout(limit).is_ok());
}

/// Builds the resource that all spans carry: project and service.
fn build_resource(settings: &TraceSettings) -> Resource {
    let builder = Resource::builder().with_attribute(KeyValue::new(names::PROJECT, settings.project.clone()));
    match &settings.service {
        Some(service) => builder.with_service_name(service.clone()).build(),
        None => builder.build(),
    }
}

/// Builds the processor that collects spans and passes batches to the exporter.
fn build_processor(exporter: impl SpanExporter + 'static, settings: &TraceSettings) -> BatchSpanProcessor {
    BatchSpanProcessor::builder(exporter).with_batch_config(configure_batches(settings)).build()
}

/// Returns the delay of batches and the length of the queue; what the settings leave open, the library reads
/// from `OTEL_BSP_*`.
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

/// Builds the OTLP exporter that sends with this client.
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
