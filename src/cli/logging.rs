//! The log: notices apart, off unless asked for by `-v` or `STATEGRAPH_LOG`, on standard error. Whatever is asked for, the libraries that would
//! log prompts and keys stay silent (ENG-27).

use std::io::IsTerminal;
use std::sync::Arc;

use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::failure::Failure;
use super::notices::{Notices, SOURCE};
use super::printer::{Printer, Verbosity};
use crate::llm::{Env, LOG_FILTER};

/// The variable with directives such as `info` or `stategraph_core=debug`.
pub(super) const LOG_VARIABLE: &str = "STATEGRAPH_LOG";

/// Starts the log, if one is wanted.
pub(super) fn start(printer: &Arc<Printer>, env: &dyn Env) -> Result<(), Failure> {
    let wanted = env.var(LOG_VARIABLE).filter(|directives| !directives.trim().is_empty());
    let directives = match (wanted, printer.verbosity()) {
        (Some(directives), _) => directives,
        (None, Verbosity::Verbose(1)) => "stategraph=info".to_owned(),
        (None, Verbosity::Verbose(2)) => "stategraph=debug".to_owned(),
        (None, Verbosity::Verbose(_)) => "stategraph=trace".to_owned(),
        (None, Verbosity::Quiet) => return Ok(()),
        (None, Verbosity::Normal) => {
            let source: Targets = SOURCE.parse().expect("the constant is a target");
            install(Notices(printer.clone()).with_filter(source));
            return Ok(());
        }
    };
    let wanted = EnvFilter::try_new(of_crates(&directives)).map_err(|error| {
        Failure::new(
            format!("`{LOG_VARIABLE}={directives}` is no log filter: {error}"),
            "such as `info`, or `stategraph_core=debug,stategraph_llm=info`",
        )
    })?;
    // A filter of its own, for a more precise directive of the user's would win inside one filter.
    let silent: Targets = format!("trace,{LOG_FILTER}").parse().expect("the constant is a list of targets");
    let colours = std::io::stderr().is_terminal() && env.var("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(colours)
        .with_span_events(FmtSpan::CLOSE)
        .log_internal_errors(false)
        .with_filter(wanted.and(silent));
    install(lines);
    Ok(())
}

/// The modules of the facade that are crates, as directives named them when they were modules, and still may.
const CRATES: [(&str, &str); 7] = [
    ("stategraph::engine", "stategraph_core"),
    ("stategraph::store", "stategraph_sled"),
    ("stategraph::definition", "stategraph_files"),
    ("stategraph::llm", "stategraph_llm"),
    ("stategraph::repo", "stategraph_repo"),
    ("stategraph::agent", "stategraph_agent"),
    ("stategraph::kinds", "stategraph_kinds"),
];

/// Returns directives in which the modules of the facade are named by their crates.
fn of_crates(directives: &str) -> String {
    CRATES.iter().fold(directives.to_owned(), |text, (module, name)| text.replace(module, name))
}

/// A second program in this process keeps the log of the first.
fn install(layer: impl Layer<Registry> + Send + Sync) {
    let _ = tracing::subscriber::set_global_default(Registry::default().with(layer));
}
