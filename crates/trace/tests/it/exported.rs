//! Spans as they are exported to a file, and the layer that chooses them.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use stategraph_testing::{ReceivedSpan, install_collector, spans_of_lines};
use stategraph_trace::export::{EXIT_LIMIT, TracePipeline, TraceSettings};
use stategraph_trace::{
    EvaluationVerdict, ModelCall, SpanContent, TEXT_BYTES, ToolSpan, agent, chain, clean_text, evaluation,
    is_captured, model_call, names, record_content, tool_call,
};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

/// Runs `act` with an export to a file, and returns the spans.
fn exported(variables: &[(&str, &str)], act: impl FnOnce(&TracePipeline)) -> Vec<ReceivedSpan> {
    let folder = tempfile::tempdir().unwrap();
    let settings = TraceSettings::from_env(
        &|name| match name {
            "LLM_TRACING_ENABLED" => Some("true".to_owned()),
            "OTEL_TRACES_EXPORTER" => Some("none".to_owned()),
            _ => variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()),
        },
        folder.path(),
    );
    let (layer, pipeline) =
        TracePipeline::start(settings.unwrap().unwrap(), |_| Err("there is no collector".to_owned()))
            .unwrap();
    let guard = install_collector(Registry::default().with(layer.with_filter(pipeline.filter())));
    act(&pipeline);
    drop(guard);
    assert_eq!(pipeline.shutdown(EXIT_LIMIT), []);
    spans_of_lines(&read(&folder.path().join("traces.json")))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[track_caller]
fn named<'a>(spans: &'a [ReceivedSpan], name: &str) -> &'a ReceivedSpan {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no `{name}` in {spans:#?}"))
}

#[test]
fn sections_with_generation_and_validation_are_a_tree_with_results() {
    // SEC-154, SEC-155, SEC-195
    let spans = exported(&[("LLM_TRACING_CONTENT", "true")], |_| {
        let section = chain("section Overview");
        section.span().in_scope(|| {
            let generator = agent("generator");
            generator.iteration(2);
            generator.input(|| "Write it.".to_owned());
            generator.succeed();
            let validation = evaluation("links");
            validation.score(0.5);
            validation.issues(1, 2, 3);
            validation.explanation(|| "One link is dead.".to_owned());
            validation.decide(EvaluationVerdict::Rejected);
        });
        section.succeed();
    });
    let section = named(&spans, "section Overview");
    assert_eq!((section.text(names::SPAN_KIND), section.text(names::OUTCOME)), ("CHAIN", "ok"));
    let generator = named(&spans, "invoke_agent generator");
    assert_eq!((generator.text(names::SPAN_KIND), generator.text(names::INPUT)), ("AGENT", "Write it."));
    assert_eq!((generator.attribute(names::ITERATION), &generator.parent), (&json!(2), &section.id));
    let validation = named(&spans, "validate links");
    assert_eq!(validation.text(names::SPAN_KIND), "EVALUATOR");
    assert_eq!(validation.attribute(names::SCORE), &json!(0.5));
    assert_eq!(validation.attribute(names::APPROVED), &json!(false));
    assert_eq!(validation.text(names::EXPLANATION), "One link is dead.");
    let issues = [names::CRITICAL, names::MAJOR, names::MINOR].map(|name| validation.attribute(name).clone());
    assert_eq!(issues, [json!(1), json!(2), json!(3)]);
}

#[test]
fn every_number_is_a_number_and_a_dropped_step_is_cancelled() {
    // SEC-156
    let spans = exported(&[], |_| {
        let call =
            ModelCall { model: "m", max_tokens: Some(9), temperature: Some(0.5), ..ModelCall::default() };
        drop(model_call(&call));
        tool_call(&ToolSpan { tool: "t", id: "1", arguments: "{}" }).fail("timed_out", "too slow");
        drop(
            tracing::info_span!(target: "stategraph_test", "numbers", unsigned = 7_u64, huge = u64::MAX, short = 7_i64),
        );
    });
    let call = named(&spans, "chat m");
    assert_eq!(
        (call.attribute(names::MAX_TOKENS), call.attribute(names::TEMPERATURE)),
        (&json!(9), &json!(0.5))
    );
    assert_eq!((call.text(names::OUTCOME), call.status), ("cancelled", 0));
    let tool = named(&spans, "execute_tool t");
    assert_eq!(
        (tool.text(names::ERROR_TYPE), tool.status, tool.message.as_str()),
        ("timed_out", 2, "too slow")
    );
    let numbers = named(&spans, "numbers");
    assert_eq!((numbers.attribute("unsigned"), numbers.attribute("huge")), (&json!(7), &json!(i64::MAX)));
}

#[test]
fn content_that_is_not_captured_is_not_even_built() {
    let spans = exported(&[], |_| {
        let step = chain("quiet");
        assert!(!is_captured(step.span(), SpanContent::Input));
        step.input(|| panic!("the text is not needed"));
        record_content(step.span(), SpanContent::ToolResult, || panic!("nor is this one"));
        step.succeed();
    });
    assert_eq!(named(&spans, "quiet").text(names::INPUT), "");
}

#[test]
fn the_session_of_a_run_is_that_of_every_span_in_it() {
    let spans = exported(&[], |_| {
        let run = tracing::info_span!(target: "stategraph_core::request", "run", graph = "g", thread = tracing::field::Empty);
        run.record("thread", "t-1");
        run.in_scope(|| chain("inside").succeed());
        chain("outside").succeed();
    });
    let run = named(&spans, "invoke_workflow g");
    assert_eq!((run.text(names::SESSION), run.text(names::AGENT)), ("t-1", "g"));
    assert_eq!(named(&spans, "inside").text(names::CONVERSATION), "t-1");
    assert_eq!(named(&spans, "outside").text(names::SESSION), "");
    // It was dropped without an outcome.
    assert_eq!((run.text(names::OUTCOME), run.status), ("cancelled", 2));
}

#[test]
fn spans_of_others_and_of_lower_levels_and_events_are_not_exported() {
    let node = || drop(tracing::info_span!(target: "stategraph_core::attempt", "node", name = "n"));
    let spans = exported(&[], |pipeline| {
        drop(tracing::info_span!(target: "hyper", "request"));
        drop(tracing::debug_span!(target: "stategraph_llm", "detail"));
        tracing::error!(target: "stategraph_llm", "trouble");
        node();
        pipeline.without_nodes();
        node();
        chain("mine").succeed();
    });
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["n", "mine"]);
    let asked = exported(&[("LLM_TRACING_NODES", "true")], |pipeline| {
        pipeline.without_nodes();
        node();
    });
    assert_eq!(asked.len(), 1);
}

#[test]
fn the_span_that_started_the_process_is_the_parent() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let spans = exported(&[("TRACEPARENT", parent)], |_| chain("child").succeed());
    assert_eq!(spans[0].trace, "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(spans[0].parent, "b7ad6b7169203331");
}

#[test]
fn texts_are_cut_and_a_secret_at_the_cut_leaves_nothing() {
    // SEC-156
    const SECRET: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    for before in (TEXT_BYTES - 50)..(TEXT_BYTES + 5) {
        let text = format!("{} {SECRET} {}", "é".repeat(before / 2), "x ".repeat(4_000));
        let clean = clean_text(&text);
        assert!(!clean.contains("ghp_"), "{before}");
        assert!(clean.len() <= TEXT_BYTES + 40 && clean.ends_with(&format!("… [{} bytes]", text.len())));
    }
    // Hostile lengths and names of tools.
    let spans = exported(&[], |_| {
        tool_call(&ToolSpan { tool: &"t".repeat(1 << 20), id: SECRET, arguments: "" }).succeed();
    });
    assert!(spans[0].name.len() < TEXT_BYTES + 40);
    assert_eq!(spans[0].text(names::TOOL_CALL), "[secret]");
}

#[test]
fn the_end_waits_below_a_second_in_all_and_not_at_all_if_no_time_is_left() {
    // SEC-156
    assert!(EXIT_LIMIT < Duration::from_secs(1));
    let folder = tempfile::tempdir().unwrap();
    let settings = TraceSettings::from_env(
        &|name| (name == "LLM_TRACING_ENABLED").then(|| "true".to_owned()),
        folder.path(),
    );
    // A client that is never ready, so that only the limit ends the wait.
    let never = |_: &reqwest::Url| -> Result<reqwest::Client, String> {
        loop {
            std::thread::park();
        }
    };
    let (layer, pipeline) = TracePipeline::start(settings.unwrap().unwrap(), never).unwrap();
    let guard = install_collector(Registry::default().with(layer.with_filter(pipeline.filter())));
    chain("lost").succeed();
    drop(guard);
    let lost = pipeline.shutdown(Duration::ZERO);
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0].to_string().contains("it did not take the newest before the end"), "{lost:?}");
}
