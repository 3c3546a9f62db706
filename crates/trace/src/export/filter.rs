//! Chooses the spans that are exported: those of stategraph at INFO. It is a filter of the export layer alone, so that neither a log level switches
//! spans on nor an export the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata};
use tracing_subscriber::layer::{Context, Filter};

/// Module of the engine that opens the spans of nodes.
const NODES: &str = "stategraph_core::attempt";

/// The nodes that get spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeSpans {
    /// Those of graphs that may call models: in others a span costs more than a superstep.
    #[default]
    WithModels,
    /// All.
    Always,
}

/// A filter for spans of stategraph. Clones share the state.
#[derive(Clone, Debug)]
pub struct SpanFilter {
    nodes: Arc<AtomicBool>,
}

impl SpanFilter {
    pub(super) fn new() -> Self {
        Self { nodes: Arc::new(AtomicBool::new(true)) }
    }

    pub(super) fn set_nodes(&self, is_on: bool) {
        self.nodes.store(is_on, Ordering::Relaxed);
    }

    fn is_enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_ours(metadata) && (metadata.target() != NODES || self.nodes.load(Ordering::Relaxed))
    }
}

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
