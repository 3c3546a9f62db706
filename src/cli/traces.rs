//! Starts the export of traces if the environment asks for it, and ends it with the command. A trace never
//! changes a result: a failed export is reported in a line at the end.

use std::sync::OnceLock;
use std::time::Duration;

use clap::ArgMatches;
use tracing_subscriber::Layer;

use super::failure::Failure;
use super::logging::Export;
use super::session::Session;
use crate::llm::openai::client;
use crate::trace::export::{TracePipeline, TraceSettings};
use crate::workflows::Workflow;

/// Environment variable that switches traces on; the option `--enable-tracing` counts like it.
const ENABLED: &str = "LLM_TRACING_ENABLED";

/// Commands that run nodes, and so can be traced.
const TRACED: [&str; 4] = ["run", "review", "resume", "continue"];

/// Time limit for connecting to a collector.
const CONNECT: Duration = Duration::from_secs(2);

/// The trace export of a command; empty if traces are off.
#[derive(Default)]
pub(super) struct Traces(OnceLock<TracePipeline>);

impl Traces {
    /// Starts the export if the command runs nodes and traces are on, and returns its layer for the
    /// subscriber; else `None`.
    pub(super) fn start(
        &self,
        command: &str,
        matches: &ArgMatches,
        session: &Session,
    ) -> Result<Option<Export>, Failure> {
        if !TRACED.contains(&command) {
            return Ok(None);
        }
        let is_asked = is_asked(matches);
        let variable = |name: &str| match name {
            ENABLED if is_asked => Some("true".to_owned()),
            name => session.env.var(name),
        };
        let read = TraceSettings::from_env(&variable, &session.folder);
        let refused = |error: crate::trace::export::SettingsError| {
            let hint = error.hint();
            Failure::new(error, hint)
        };
        let Some(settings) = read.map_err(refused)? else { return Ok(None) };
        session.printer.detail(format_args!("traces go to {settings}"));
        for warning in &settings.warnings {
            session.printer.progress(warning);
        }
        let (layer, pipeline) =
            TracePipeline::start(settings, |url| client(url, CONNECT, None)).map_err(refused)?;
        let filter = pipeline.filter();
        // A session runs one command, so nothing was set before.
        let _ = self.0.set(pipeline);
        Ok(Some(layer.with_filter(filter)))
    }

    /// Switches the spans of nodes off for a workflow that calls no model, because they would cost more
    /// than the work.
    pub(super) fn fit(&self, workflow: &dyn Workflow) {
        if let Some(pipeline) = self.0.get().filter(|_| !workflow.calls_models()) {
            pipeline.without_nodes();
        }
    }

    /// Returns true if the command exports traces.
    pub(super) fn are_on(&self) -> bool {
        self.0.get().is_some()
    }

    /// Sends the remaining spans until the session's deadline, and prints what could not be sent.
    pub(super) fn finish(&self, session: &Session) {
        let Some(pipeline) = self.0.get() else { return };
        for loss in pipeline.shutdown(session.deadline.left_for_traces()) {
            session.printer.progress(format_args!("{loss}"));
        }
    }
}

/// Returns true if the user gave the command, or the workflow below it, the option `--enable-tracing`.
fn is_asked(matches: &ArgMatches) -> bool {
    let is_given = matches.try_get_one("enable_tracing").ok().flatten().copied().unwrap_or(false);
    is_given || matches.subcommand().is_some_and(|(_, inner)| is_asked(inner))
}
