//! Spans of models, tools and steps, and their export as OpenTelemetry traces. Knows no workflow, no graph and no model client.
//!
//! `names` has the attributes of the conventions, `spans` opens spans, `step` ends them, `content` decides which texts may enter them. With the
//! feature `export`, the module `export` has the `tracing` layer and its pipeline. The engine does not use this crate: it opens plain spans
//! `run` and `node`, and the layer translates their fields.

mod content;
#[cfg(feature = "export")]
pub mod export;
pub mod names;
mod spans;
mod step;

pub use content::{SpanContent, TEXT_BYTES, clean_text, is_captured, record_content};
pub use spans::{
    EvaluationStep, EvaluationVerdict, ModelCall, ToolSpan, agent, chain, evaluation, model_call, run_agent,
    tool_call,
};
pub use step::TracedStep;
