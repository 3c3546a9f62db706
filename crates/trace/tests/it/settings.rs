//! Variables and the settings that they mean.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use stategraph_trace::SpanContent;
use stategraph_trace::export::{NodeSpans, SettingsError, TraceSettings};

fn read(variables: &[(&str, &str)]) -> Result<Option<TraceSettings>, SettingsError> {
    let map: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    TraceSettings::from_env(&|name| map.get(name).cloned(), Path::new("/folder"))
}

/// Reads settings that are switched on.
fn on(variables: &[(&str, &str)]) -> TraceSettings {
    read(&[&[("LLM_TRACING_ENABLED", "true")], variables].concat()).unwrap().unwrap()
}

fn address(variables: &[(&str, &str)]) -> String {
    on(variables).destination.unwrap().url().to_string()
}

#[test]
fn without_further_settings_a_phoenix_on_this_machine_gets_them() {
    // SEC-149, SEC-150, SEC-153
    let settings = on(&[]);
    assert_eq!(address(&[]), "http://localhost:6006/v1/traces");
    assert_eq!(settings.file.as_deref(), Some(Path::new("/folder/traces.json")));
    assert_eq!((settings.project.as_str(), settings.nodes), ("stategraph", NodeSpans::WithModels));
    assert!(settings.content.is_empty());
}

#[test]
fn a_bad_parent_is_ignored_with_one_warning_and_an_unsampled_one_is_told() {
    let warnings = |text: &str| on(&[("TRACEPARENT", text)]).warnings;
    let whole = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0";
    assert_eq!((warnings("").len(), warnings(&format!("{whole}1")).len()), (0, 0));
    for bad in ["nonsense", "00-1-2-01", &"9".repeat(1 << 20)] {
        let told = warnings(bad);
        assert!(told.len() == 1 && told[0].contains("`TRACEPARENT` is ignored"), "{told:?}");
        assert!(told[0].len() < 200 && on(&[("TRACEPARENT", bad)]).parent.is_none());
    }
    let unsampled = format!("{whole}0");
    assert!(warnings(&unsampled)[0].contains("OTEL_TRACES_SAMPLER=always_on"));
    let forced = on(&[("TRACEPARENT", &unsampled), ("OTEL_TRACES_SAMPLER", "always_on")]);
    assert!(forced.warnings.is_empty() && forced.parent.is_some());
}

#[test]
fn the_switch_of_ours_decides_before_that_of_the_standard() {
    // SEC-149
    let is_on = |variables: &[(&str, &str)]| read(variables).unwrap().is_some();
    assert!(!is_on(&[]));
    assert!(!is_on(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318")]));
    assert!(is_on(&[("OTEL_TRACES_EXPORTER", "otlp")]));
    assert!(!is_on(&[("OTEL_TRACES_EXPORTER", "otlp"), ("LLM_TRACING_ENABLED", "0")]));
    assert!(!is_on(&[("LLM_TRACING_ENABLED", "on"), ("OTEL_SDK_DISABLED", "TRUE")]));
}

#[test]
fn addresses_of_collectors_get_the_path_of_traces_and_addresses_of_traces_do_not() {
    // SEC-150
    let general = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/otlp/");
    let traces = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://localhost:4318/t");
    let ours = ("LLM_TRACING_ENDPOINT", "https://phoenix.example/v1/traces");
    assert_eq!(address(&[general]), "http://localhost:4318/otlp/v1/traces");
    assert_eq!(address(&[general, traces]), "http://localhost:4318/t");
    assert_eq!(address(&[general, traces, ours]), "https://phoenix.example/v1/traces");
}

#[test]
fn standard_headers_are_decoded_and_no_value_is_printed() {
    // SEC-150, SEC-196
    let settings = on(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%2Cb, api-key=hidden-value"),
        ("LLM_TRACING_API_KEY", "hidden-key"),
    ]);
    let shown = format!("{settings:?} {settings}");
    assert!(shown.contains("api-key") && shown.contains("authorization"), "{shown}");
    assert!(!shown.contains("hidden"), "{shown}");
}

#[test]
fn a_credential_does_not_leave_this_machine_unencrypted() {
    // SEC-150
    let remote = ("LLM_TRACING_ENDPOINT", "http://collector.example/v1/traces");
    let refused = |variables: &[(&str, &str)]| {
        let all = [&[("LLM_TRACING_ENABLED", "true")], variables].concat();
        matches!(read(&all), Err(SettingsError::Unprotected { .. }))
    };
    assert!(refused(&[remote, ("LLM_TRACING_API_KEY", "k")]));
    let standard = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example");
    assert!(refused(&[standard, ("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20x")]));
    assert!(!refused(&[standard, ("OTEL_EXPORTER_OTLP_HEADERS", "x-scope-orgid=team")]));
    assert!(!refused(&[("LLM_TRACING_ENDPOINT", "http://[::1]:1/"), ("LLM_TRACING_API_KEY", "k")]));
    assert!(!refused(&[remote]));
}

#[test]
fn protocols_and_exporters_that_do_not_exist_here_are_refused() {
    let error = |variables: &[(&str, &str)]| {
        read(&[&[("LLM_TRACING_ENABLED", "true")], variables].concat()).unwrap_err().to_string()
    };
    let standard = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317");
    assert_eq!(
        error(&[standard, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]),
        "`OTEL_EXPORTER_OTLP_PROTOCOL=grpc` is not supported"
    );
    assert_eq!(
        error(&[("OTEL_TRACES_EXPORTER", "console")]),
        "`OTEL_TRACES_EXPORTER=console` is not supported"
    );
    assert_eq!(
        error(&[standard, ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd")]),
        "`OTEL_EXPORTER_OTLP_COMPRESSION=zstd` is not supported"
    );
    for compression in ["gzip", "none", ""] {
        assert!(on(&[standard, ("OTEL_EXPORTER_OTLP_COMPRESSION", compression)]).destination.is_some());
    }
    // It belongs to the address that is not used.
    on(&[("LLM_TRACING_ENDPOINT", "http://localhost:6006/"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]);
    assert!(on(&[("OTEL_TRACES_EXPORTER", "none")]).destination.is_none());
}

#[test]
fn content_is_captured_only_if_asked_for_and_without_what_is_hidden() {
    let standard = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    for (value, expected) in [
        ("NO_CONTENT", false),
        ("EVENT_ONLY", false),
        ("false", false),
        ("SPAN_ONLY", true),
        ("span_and_event", true),
        ("true", true),
    ] {
        assert_eq!(!on(&[(standard, value)]).content.is_empty(), expected, "{value}");
    }
    assert!(on(&[(standard, "true"), ("LLM_TRACING_CONTENT", "false")]).content.is_empty());
    let content = on(&[("LLM_TRACING_CONTENT", "true"), ("OPENINFERENCE_HIDE_INPUTS", "true")]).content;
    assert!(content.contains(&SpanContent::OutputMessages) && !content.contains(&SpanContent::InputMessages));
    assert!(on(&[("OPENINFERENCE_HIDE_INPUTS", "false")]).content.is_empty());
}

#[test]
fn the_file_has_another_name_or_none() {
    // SEC-153
    let file = |value| on(&[("LLM_TRACING_FILE", value)]).file;
    assert_eq!(file("out/t.jsonl").as_deref(), Some(Path::new("/folder/out/t.jsonl")));
    assert_eq!(file("/tmp/t.jsonl").as_deref(), Some(Path::new("/tmp/t.jsonl")));
    assert_eq!((file("none"), file("")), (None, None));
}

#[test]
fn limits_of_the_standard_are_taken() {
    assert_eq!(on(&[("OTEL_EXPORTER_OTLP_TIMEOUT", "700")]).timeout, Duration::from_millis(700));
    assert_eq!(on(&[("OTEL_BSP_SCHEDULE_DELAY", "5")]).delay, None);
    assert_eq!(on(&[]).delay, Some(Duration::from_secs(1)));
}
