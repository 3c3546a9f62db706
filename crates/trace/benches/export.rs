//! The processor time of a span, its export included: spans of a model call in a node, sent to a collector on loopback that takes everything.
//! Prints microseconds of all threads of this process but those of the collector's share.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a bench prints, and a failure ends it"
)]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use stategraph_trace::export::{EXIT_LIMIT, TracePipeline, TraceSettings};
use stategraph_trace::{ModelCall, SpanContent, chain, clean_text, model_call, names};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer as _, Registry};

const SPANS: usize = 6_000;
/// Clock ticks of a second in `/proc/self/stat` on Linux.
const TICKS: f64 = 100.0;

/// Returns the processor time of this process in seconds; 0 where there is no `/proc`.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / TICKS
}

/// Answers every request of a client with success.
fn serve(listener: &TcpListener) {
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            let mut seen = Vec::new();
            while let Ok(read @ 1..) = stream.read(&mut buffer) {
                seen.extend_from_slice(&buffer[..read]);
                let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
                let head = String::from_utf8_lossy(&seen[..end]).to_ascii_lowercase();
                let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
                if seen.len() >= end + 4 + length.and_then(|text| text.parse().ok()).unwrap_or(0) {
                    seen.clear();
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                }
            }
        });
    }
}

fn open_spans(text: &str) {
    for number in 0..SPANS / 2 {
        let step = chain("node");
        step.span().in_scope(|| {
            let call =
                model_call(&ModelCall { provider: "p", model: "m", label: "l", ..ModelCall::default() });
            call.span().record(names::INPUT_TOKENS, 7_i64).record(names::OUTPUT_TOKENS, 3_i64);
            call.content(SpanContent::InputMessages, || clean_text(text));
            call.succeed();
        });
        step.succeed();
        // About 800 a second, so that the queue drops none.
        if number % 8 == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn measure(name: &str, variables: &[(&str, &str)], text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let lookup =
        |key: &str| variables.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned());
    let before = processor_seconds();
    match TraceSettings::from_env(&lookup, folder.path()).unwrap() {
        None => open_spans(text),
        Some(settings) => {
            let make = |_: &reqwest::Url| {
                reqwest::Client::builder().tls_certs_only([]).build().map_err(|error| error.to_string())
            };
            let (layer, pipeline) = TracePipeline::start(settings, make).unwrap();
            let subscriber = Registry::default().with(layer.with_filter(pipeline.filter()));
            tracing::subscriber::with_default(subscriber, || open_spans(text));
            let lost = pipeline.shutdown(EXIT_LIMIT);
            assert_eq!(lost, [], "{name}");
        }
    }
    let spent = processor_seconds() - before;
    println!("{name:24} {:7.1} µs a span", spent * 1e6 / SPANS as f64);
}

fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    std::thread::spawn(move || serve(&listener));
    let _ = rustls::crypto::ring::default_provider().install_default();
    let on = ("LLM_TRACING_ENABLED", "true");
    let to = ("LLM_TRACING_ENDPOINT", endpoint.as_str());
    let text = "The store keeps bread, and the token of the session is not in this text. ".repeat(100);
    measure("off", &[], &text);
    measure("collector", &[on, to, ("LLM_TRACING_FILE", "none")], &text);
    measure("collector and file", &[on, to], &text);
    measure("with texts of 7 KiB", &[on, to, ("LLM_TRACING_CONTENT", "true")], &text);
}
