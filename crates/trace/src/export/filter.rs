//! Chooses the spans that are exported: those of stategraph at INFO. The filter applies to the export layer
//! alone, so the log level does not switch spans on, and the export does not change the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata};
use tracing_subscriber::layer::{Context, Filter};

/// Module of the engine that opens the spans of tasks.
const NODES: &str = "stategraph_core::attempt";

/// The graphs whose nodes get spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeSpans {
    /// Only graphs that may call models: in others a span costs more than a superstep.
    #[default]
    WithModels,
    /// All graphs.
    Always,
}

/// The filter of the export layer. Its clones share the switch for the spans of nodes.
#[derive(Clone, Debug)]
pub struct SpanFilter {
    nodes: Arc<AtomicBool>,
}

impl SpanFilter {
    pub(super) fn new() -> Self {
        Self { nodes: Arc::new(AtomicBool::new(true)) }
    }

    /// Switches the spans of nodes on or off.
    pub(super) fn set_nodes(&self, is_on: bool) {
        self.nodes.store(is_on, Ordering::Relaxed);
    }

    /// Returns true if the span is exported.
    fn is_enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_ours(metadata) && (metadata.target() != NODES || self.nodes.load(Ordering::Relaxed))
    }
}

/// Returns true for a span of stategraph at INFO or above.
fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && *metadata.level() <= Level::INFO && metadata.target().starts_with("stategraph")
}

impl<S> Filter<S> for SpanFilter {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        self.is_enabled(metadata)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        match (is_ours(metadata), metadata.target() == NODES) {
            (false, _) => Interest::never(),
            (true, false) => Interest::always(),
            // A run may switch them off later.
            (true, true) => Interest::sometimes(),
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }
}
