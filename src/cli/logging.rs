//! Installs the log on standard error: off unless `-v` or `STATEGRAPH_LOG` enables it, except for retry notices. Libraries that would
//! log prompts and keys stay silent at every level (ENG-27).

use std::io::{self, IsTerminal};
use std::sync::Arc;

use tracing_subscriber::filter::{FilterExt, Filtered, LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::{Layered, SubscriberExt};
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::failure::Failure;
use super::live::RequestLayer;
use super::notices::{RETRY_TARGET, RetryNotices};
use super::printer::{Printer, Verbosity};
use crate::llm::{Env, LOG_FILTER, REQUEST_TARGET};
use crate::trace::export::{ExportLayer, SpanFilter};

/// Environment variable with filter directives such as `info` or `stategraph_core=debug`.
pub(super) const LOG_VARIABLE: &str = "STATEGRAPH_LOG";

/// A layer that exports spans, with its own filter: no log level switches spans on, and no export switches the log on.
pub(super) type Export = Filtered<ExportLayer, SpanFilter, Registry>;

/// Installs the log for this process, at the level of the environment variable or else of the verbosity,
/// and the export of spans if there is one. At normal verbosity only retry notices are shown, with `-q`
/// nothing.
pub(super) fn start(printer: &Arc<Printer>, env: &dyn Env, export: Option<Export>) -> Result<(), Failure> {
    let from_env = env.var(LOG_VARIABLE).filter(|directives| !directives.trim().is_empty());
    let directives = match (from_env, printer.verbosity()) {
        (Some(directives), _) => directives,
        (None, Verbosity::Normal | Verbosity::Verbose(1)) => {
            let target: Targets = RETRY_TARGET.parse().expect("the constant is a target");
            install(printer, export, Some(RetryNotices(printer.clone()).with_filter(target)));
            return Ok(());
        }
        (None, Verbosity::Verbose(2)) => "stategraph=debug".to_owned(),
        (None, Verbosity::Verbose(_)) => "stategraph=trace".to_owned(),
        (None, Verbosity::Quiet) => {
            if export.is_some() {
                install(printer, export, None::<LevelFilter>);
            }
            return Ok(());
        }
    };
    let filter = EnvFilter::try_new(name_crates(&directives)).map_err(|error| {
        Failure::new(
            format!("`{LOG_VARIABLE}={directives}` is not a log filter: {error}"),
            "use for example `info` or `stategraph_core=debug,stategraph_llm=info`",
        )
    })?;
    // A second filter, because within one filter a more specific directive of the user would override these.
    let silent: Targets = format!("trace,{LOG_FILTER}").parse().expect("the constant is a list of targets");
    let colours = std::io::stderr().is_terminal() && env.var("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(LogWriter(printer.clone()))
        .with_ansi(colours)
        .with_span_events(FmtSpan::CLOSE)
        .log_internal_errors(false)
        .with_filter(filter.and(silent));
    install(printer, export, Some(lines));
    Ok(())
}

/// Module paths of the facade crate with the crates that their code lives in. Log directives may still use
/// the module paths.
const CRATES: [(&str, &str); 7] = [
    ("stategraph::engine", "stategraph_core"),
    ("stategraph::store", "stategraph_sled"),
    ("stategraph::definition", "stategraph_files"),
    ("stategraph::llm", "stategraph_llm"),
    ("stategraph::repo", "stategraph_repo"),
    ("stategraph::agent", "stategraph_agent"),
    ("stategraph::kinds", "stategraph_kinds"),
];

/// Returns the log directives with module paths of the facade replaced by the names of the crates:
/// `stategraph::engine` → `stategraph_core`.
fn name_crates(directives: &str) -> String {
    CRATES.iter().fold(directives.to_owned(), |text, (module, name)| text.replace(module, name))
}

/// Installs the tracing subscriber for the process. A later call has no effect, because a test may run
/// several programs in one process.
fn install(
    printer: &Printer,
    export: Option<Export>,
    log: Option<impl Layer<Layered<Option<Export>, Registry>> + Send + Sync>,
) {
    let live = printer.live();
    let requests = live.is_visible().then(|| {
        let target: Targets = format!("{REQUEST_TARGET}=trace").parse().expect("the constant is a target");
        RequestLayer(live.view()).with_filter(target)
    });
    let _ =
        tracing::subscriber::set_global_default(Registry::default().with(export).with(log).with(requests));
}

/// The writer of log lines, through the printer, so that they do not mix with the live view.
#[derive(Clone)]
struct LogWriter(Arc<Printer>);

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.print_styled(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
