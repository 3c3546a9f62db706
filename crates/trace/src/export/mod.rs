//! Sends finished spans to an OpenTelemetry collector and writes them to a file.
//!
//! `settings` reads the environment, `destination` checks the address and its headers; `pipeline` puts the parts together and ends them; `layer`
//! and `fields` turn `tracing` spans into exported ones, `filter` chooses them; `client` sends, `file` writes.

mod client;
mod destination;
mod fields;
mod file;
mod filter;
mod layer;
mod pipeline;
mod settings;
mod traceparent;

pub use client::ClientMaker;
pub use destination::Destination;
pub use filter::{NodeSpans, SpanFilter};
pub use layer::ExportLayer;
pub use pipeline::{EXIT_LIMIT, ExportLoss, TracePipeline};
pub use settings::{SettingsError, TraceSettings};
