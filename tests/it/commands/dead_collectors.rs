//! Traces without harm: collectors that fail, files that cannot be written, and runs that are stopped or killed.

use stategraph_testing::fake_server::{FakeServer, Play};
use stategraph_testing::{ReceivedSpan, spans_of, spans_of_lines};
use tokio::sync::watch;

use super::debate::Debate;
use super::kit::{Place, done, ended, signal};
use super::traces::{RUN, collector, root, traced};

/// A dead collector, and the line about it.
async fn harmless(play: Play, line: &str) {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let collector = FakeServer::playing(vec![play]).await;
    let told = done(traced(place.ard(RUN), &collector)).await.exits(0);
    assert!(place.read("spec.md").contains("status: verified"));
    assert!(told.err.contains(line), "{}", told.err);
    assert!(told.err.contains("traces did not all arrive"), "{}", told.err);
    // The file does not wait for the collector.
    root(&spans_of_lines(&place.read("traces.json")));
}

#[tokio::test]
async fn a_collector_that_fails_costs_no_result() {
    // SEC-156. One that is silent would hold the program for ever if its end waited.
    harmless(Play::body(500, "text/plain", "trouble"), "it answered 500").await;
    harmless(Play::default().silence(), "it did not take the newest before the end of the program").await;
    harmless(Play::default().reset(), "traces did not all arrive").await;
    harmless(Play::with_headers(302, &[("location", "http://127.0.0.1:1/")], ""), "it answered 302").await;
    harmless(Play::body(200, "text/plain", &"x".repeat(100_000)), "its answer has more than").await;
}

#[tokio::test]
async fn a_refused_connection_and_a_file_that_cannot_be_written_cost_no_result() {
    // SEC-156
    let place = Place::new();
    std::fs::create_dir(place.at("traces.json")).unwrap();
    let mut command = place.ard(RUN);
    command.env("LLM_TRACING_ENABLED", "true").env("LLM_TRACING_ENDPOINT", "http://127.0.0.1:1/v1/traces");
    let told = done(command).await.exits(0);
    assert!(told.err.contains("http://127.0.0.1:1/v1/traces"), "{}", told.err);
    assert!(told.err.contains("traces.json: it is a folder"), "{}", told.err);
    assert!(place.at("spec.md").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_or_a_pipe_in_place_of_the_file_is_not_written_to() {
    let place = Place::new();
    place.write("other", "mine");
    std::os::unix::fs::symlink("other", place.at("traces.json")).unwrap();
    let mut command = place.ard(RUN);
    command.env("LLM_TRACING_ENABLED", "true").env("OTEL_TRACES_EXPORTER", "none");
    let told = done(command).await.exits(0);
    assert!(told.err.contains("traces.json: it is a link"), "{}", told.err);
    assert_eq!(place.read("other"), "mine");
    let mut command =
        place.shell("rm traces.json && mkfifo traces.json && exec ard run --idea \"A box that counts.\"");
    command.env("LLM_TRACING_ENABLED", "true").env("OTEL_TRACES_EXPORTER", "none");
    let told = done(command).await.exits(0);
    assert!(told.err.contains("traces.json: it is a named pipe"), "{}", told.err);
}

#[tokio::test]
async fn a_stopped_run_closes_its_spans() {
    // SEC-156
    let (place, mut debate, collector) = (Place::new(), Debate::silent_at(3).await, collector().await);
    place.configure(&debate.base_url());
    let child = traced(place.ard(RUN), &collector).spawn().unwrap();
    debate.asked_more_than(3).await;
    signal(&child, "INT");
    ended(child).await.exits(130);
    let spans = spans_of(&collector.requests());
    let root = root(&spans);
    assert_eq!((root.text("stategraph.outcome"), root.status), ("cancelled", 2));
    let cancelled: Vec<&str> = spans
        .iter()
        .filter(|span| span.text("stategraph.outcome") == "cancelled")
        .map(|span| span.text("openinference.span.kind"))
        .collect();
    assert_eq!(cancelled.len(), 3, "run, node and call: {cancelled:?}");
}

#[tokio::test]
async fn a_killed_run_leaves_the_spans_that_ended_and_its_resume_has_the_same_session() {
    // SEC-156
    let (place, mut debate) = (Place::new(), Debate::silent_at(3).await);
    let (told, mut seen) = watch::channel(0);
    let collector = FakeServer::answering(move |_, _| {
        told.send_modify(|count| *count += 1);
        Play::body(200, "application/x-protobuf", "")
    })
    .await;
    place.configure(&debate.base_url());
    let mut command = traced(place.ard(RUN), &collector);
    let child = command.env("OTEL_BSP_SCHEDULE_DELAY", "10").spawn().unwrap();
    debate.asked_more_than(3).await;
    seen.wait_for(|count| *count > 0).await.unwrap();
    signal(&child, "KILL");
    let told = ended(child).await;
    let before = spans_of(&collector.requests());
    assert!(before.iter().all(|span| span.text("session.id") == told.thread() && !span.parent.is_empty()));
    let healthy = Debate::answered().await;
    place.configure(&healthy.base_url());
    done(traced(place.ard(["resume", &told.thread()]), &collector)).await.exits(0);
    let after: Vec<ReceivedSpan> =
        spans_of(&collector.requests()).into_iter().filter(|span| span.trace != before[0].trace).collect();
    assert_eq!(root(&after).text("session.id"), told.thread());
}
