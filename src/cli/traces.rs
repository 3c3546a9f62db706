//! Switches the export of traces on if the environment asks for it, and ends it with the command. No trace ever changes a result: what goes wrong
//! with an export is a line at the end.

use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::Layer;

use super::failure::Failure;
use super::logging::Export;
use super::session::Session;
use crate::llm::openai::client;
use crate::trace::export::{TracePipeline, TraceSettings};
use crate::workflows::Workflow;

/// The commands that run nodes.
const TRACED: [&str; 3] = ["run", "review", "resume"];

/// Time for a connection to a collector.
const CONNECT: Duration = Duration::from_secs(2);

/// The traces of a command; empty if they are off.
#[derive(Default)]
pub(super) struct Traces(OnceLock<TracePipeline>);

impl Traces {
    /// Starts the export for the command of this name, and returns its layer; `None` if traces are off.
    pub(super) fn start(&self, command: &str, session: &Session) -> Result<Option<Export>, Failure> {
        if !TRACED.contains(&command) {
            return Ok(None);
        }
        let read = TraceSettings::from_env(&|name| session.env.var(name), &session.folder);
        let refused = |error: crate::trace::export::SettingsError| {
            let hint = error.hint();
            Failure::new(error, hint)
        };
        let Some(settings) = read.map_err(refused)? else { return Ok(None) };
        session.printer.detail(format_args!("traces go to {settings}"));
        let (layer, pipeline) =
            TracePipeline::start(settings, |url| client(url, CONNECT, None)).map_err(refused)?;
        let filter = pipeline.filter();
        // A session runs one command, so nothing was set before.
        let _ = self.0.set(pipeline);
        Ok(Some(layer.with_filter(filter)))
    }

    /// Leaves out the spans of nodes if the workflow calls no model: there they cost more than the work.
    pub(super) fn fit(&self, workflow: &dyn Workflow) {
        if let Some(pipeline) = self.0.get().filter(|_| !workflow.calls_models()) {
            pipeline.without_nodes();
        }
    }

    /// Sends the rest, in bounded time, and prints what did not arrive.
    pub(super) fn finish(&self, session: &Session) {
        let Some(pipeline) = self.0.get() else { return };
        for loss in pipeline.shutdown() {
            session.printer.progress(format_args!("{loss}"));
        }
    }
}
