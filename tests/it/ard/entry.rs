//! The debate as the catalogue has it: from what a user types to a run, a resume, a report; recorded and replayed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::value::{RawValue, to_raw_value};
use stategraph::engine::{
    Clock, Event, EventKinds, HostRequest, HostStart, Outcome, RunError, SharedHost, Status, ThreadId,
};
use stategraph::llm::Tape;
use stategraph::llm::layer::{Recorder, Replay, ReplayOrder};
use stategraph::store::MemoryStore;
use stategraph::trust::TrustStore;
use stategraph::workflows::ard::Ard;
use stategraph::workflows::{
    Acceptance, ArgValues, PreparedRun, Setting, ToolMaker, Workflow as _, WorkflowError, catalogue,
};

use super::kit::{self, two_rounds};
use stategraph_testing::fake_server::{FakeServer, Play};

const IDEA: &str = "A greenhouse monitor collects readings from sensors and stores them in a database. \
    Growers see charts on a dashboard. It alerts the grower by text message.";

fn setting(folder: &Path) -> Setting {
    Setting {
        cache: None,
        memory: None,
        store: Arc::new(MemoryStore::new()),
        clock: Clock::fixed(1_700_000_000_000),
        env: Arc::new(BTreeMap::<String, String>::new()),
        folder: folder.to_owned(),
        graph: None,
        overrides: None,
        tape: Tape::Off,
        trust: TrustStore::empty().trusting_all(),
        tools: ToolMaker::default(),
    }
}

async fn finished(
    host: &SharedHost,
    start: HostStart,
) -> (Vec<Event>, Result<Outcome<Box<RawValue>>, RunError>) {
    let request = HostRequest::new(start).events(EventKinds::ALL);
    let mut stream = host.stream(request).await.expect("it starts");
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    (events, stream.outcome().expect("the stream has ended"))
}

fn input(prepared: &PreparedRun) -> HostStart {
    HostStart::Input { state: prepared.state.clone(), thread: Some(prepared.thread.clone()) }
}

fn resume(thread: &ThreadId) -> HostStart {
    HostStart::Resume { thread: thread.clone(), at: None }
}

async fn run(given: &ArgValues, setting: &Setting) -> (Vec<Event>, Box<RawValue>) {
    let prepared = Ard.prepare(given, setting).expect("ready");
    let (events, outcome) = finished(&prepared.host, input(&prepared)).await;
    let outcome = outcome.expect("it ends");
    assert!(matches!(outcome.status, Status::Done));
    (events, outcome.state)
}

fn log(events: &[Event]) -> String {
    let lines: Vec<_> =
        events.iter().map(|event| serde_json::to_string(event).expect("plain data")).collect();
    lines.join("\n")
}

fn refused(given: &ArgValues, setting: &Setting) -> WorkflowError {
    Ard.prepare(given, setting).err().expect("refused")
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

#[tokio::test]
async fn an_idea_alone_is_debated_offline_and_gives_the_same_bytes_anywhere() {
    // ARD-26, ARD-28, ARD-55, ARD-73, ARD-74
    let mut runs = Vec::new();
    for _ in 0..2 {
        let folder = tempfile::tempdir().expect("a folder");
        let (events, state) = run(&ArgValues::nothing().with("idea", IDEA), &setting(folder.path())).await;
        let report = Ard.report(&state).expect("a report");
        assert_eq!(report.acceptance, Acceptance::Accepted);
        assert_eq!(report.outputs, [Path::new("spec.md")]);
        let lines: Vec<_> = events.iter().filter_map(|event| Ard.line(event)).collect();
        let spec = std::fs::read_to_string(folder.path().join("spec.md")).expect("written");
        runs.push((log(&events), spec, report.lines, lines));
    }
    assert_eq!(runs[0], runs[1]);
    let (_, spec, report, lines) = &runs[0];
    assert!(spec.contains("drafted and reviewed by fixed rules"), "{spec}");
    assert_eq!(
        report[0],
        "not judged: rules found nothing wrong, and rules cannot verify; 2 questions for the author"
    );
    assert!(report[1].starts_with("architect (offline): 1 call, ~"), "{report:?}");
    assert_eq!(report[3], "specification: spec.md");
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("round 1  architect  offline  4 components  ~"), "{lines:?}");
    assert!(lines[1].starts_with("round 1  reviewer   offline  nothing found  ~"), "{lines:?}");
}

#[test]
fn the_thread_belongs_to_the_debate_and_not_to_where_its_result_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let thread = |change: fn(ArgValues) -> ArgValues| {
        let given = change(ArgValues::nothing().with("idea", IDEA));
        Ard.prepare(&given, &setting(folder.path())).expect("ready").thread
    };
    let plain = thread(|given| given);
    assert_eq!(plain, thread(|given| given.with("output", "elsewhere.md")));
    assert_ne!(plain, thread(|given| given.with("max-iterations", "3")));
    write(
        folder.path(),
        "config.yaml",
        "architect_model: offline\nreviewer_model: offline\nmax_iterations: 10\noutput_path: x\nminimum_rounds: 2\n",
    );
    assert_ne!(plain, thread(|given| given), "other rules make another debate");
}

#[test]
fn what_is_wrong_with_the_input_is_said_before_any_model_is_asked() {
    // ARD-24, ARD-27
    let folder = tempfile::tempdir().expect("a folder");
    let setting = setting(folder.path());
    let with = |pairs: &[(&str, &str)]| {
        let given = pairs.iter().fold(ArgValues::nothing(), |given, (name, value)| given.with(name, value));
        let error = refused(&given, &setting);
        (error.to_string(), error.hint().unwrap_or_default().to_owned())
    };
    for (pairs, error, hint) in [
        (vec![], "no idea was given", "--idea"),
        (vec![("idea", " \n")], "the idea is empty", "describe what to build"),
        (vec![("idea", "a"), ("idea-file", "b")], "more than once", "use one of"),
        (vec![("idea-file", "no.txt")], "cannot read the idea from no.txt", "check the path"),
        (vec![("stdin", "-")], "the idea is empty", "--idea"),
        (vec![("stdin", "hello")], "unexpected argument `hello`", "in quotes"),
        (vec![("idea", "a"), ("max-iterations", "-1")], "whole number of 0 or more, not `-1`", "digits"),
        (vec![("idea", "a"), ("config", "no.yaml")], "no.yaml", "--config"),
        (vec![("idea", "a"), ("architect-model", "nobody/x")], "no provider `nobody`", "providers:"),
        (vec![("idea", "a"), ("reviewer-model", "what")], "neither a provider", "provider/model"),
        (vec![("idea", "a"), ("reviewer-model", "gpt-5")], "`OPENAI_API_KEY` is not set", "offline"),
    ] {
        let told = with(&pairs);
        assert!(told.0.contains(error) && told.1.contains(hint), "{pairs:?}: {told:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is written");
}

#[test]
fn the_idea_comes_from_an_argument_a_file_or_standard_input() {
    // ARD-26, ARD-28
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "idea.txt", "from a file");
    let idea = |given: ArgValues| {
        let prepared = Ard.prepare(&given, &setting(folder.path())).expect("ready");
        prepared.state["rough_idea"].as_str().expect("text").to_owned()
    };
    assert_eq!(idea(ArgValues::nothing().with("idea", "typed")), "typed");
    assert_eq!(idea(ArgValues::nothing().with("idea-file", "idea.txt")), "from a file");
    let piped = ArgValues::nothing().with("stdin", "-").with_stdin(Box::new(|| Box::new(&b"piped"[..])));
    assert_eq!(idea(piped), "piped");
}

/// A server's answer to a watched run, which is streamed.
fn streams(answer: &serde_json::Value) -> Play {
    Play::streams(&[&answer.to_string()])
}

fn config(architect: &FakeServer, reviewer: &FakeServer) -> String {
    format!(
        "architect_model: one/small\nreviewer_model: two/large\nmax_iterations: 3\noutput_path: docs/spec.md\nproviders:\n  \
         one: {{ base_url: \"{}\", prices: {{ small: {{ input: 10, output: 20 }} }} }}\n  \
         two: {{ base_url: \"{}\", headers: {{ X-Pass: sesame-open }}, retry: {{ attempts: 1 }} }}\n",
        architect.base_url(),
        reviewer.base_url()
    )
}

#[tokio::test]
async fn each_agent_asks_its_own_provider_and_what_that_costs_is_reported() {
    // ARD-18, ARD-25, ARD-73, ENG-27
    let [d1, r1, d2, r2] = <[_; 4]>::try_from(two_rounds()).expect("four answers");
    // A watched run streams, so the servers do.
    let architect = FakeServer::playing(vec![streams(&d1), streams(&d2)]).await;
    let reviewer = FakeServer::playing(vec![streams(&r1), streams(&r2)]).await;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "config.yaml", &config(&architect, &reviewer));
    let (events, state) = run(&ArgValues::nothing().with("idea", kit::IDEA), &setting(folder.path())).await;
    for (server, model) in [(&architect, "small"), (&reviewer, "large")] {
        assert_eq!(server.requests().len(), 2);
        assert!(server.requests().iter().all(|asked| asked.body["model"] == model));
    }
    assert_eq!(reviewer.requests()[0].headers["x-pass"], "sesame-open");
    let spec = std::fs::read_to_string(folder.path().join("docs/spec.md")).expect("written");
    // Two answers of 7 tokens read and 3 written, at 10 and 20 dollars a million.
    assert!(spec.contains("  cost_usd: 0.000260\n"), "{spec}");
    assert_eq!(spec.matches("cost_usd").count(), 1, "no price is known for the reviewer");
    let report = Ard.report(&state).expect("a report").lines;
    assert_eq!(report[1], "architect (one/small): 2 calls, 14 tokens read, 6 written, $0.0003");
    assert_eq!(report[2], "reviewer (two/large): 2 calls, 14 tokens read, 6 written");
    for text in [log(&events), spec, state.get().to_owned()] {
        assert!(!text.contains("sesame") && !text.contains(architect.base_url().as_str()), "{text}");
    }
}

#[tokio::test]
async fn a_debate_goes_on_with_the_endpoints_of_the_file_that_is_there_then() {
    // ARD-75
    let [d1, r1, d2, r2] = <[_; 4]>::try_from(two_rounds()).expect("four answers");
    let down = || Play::json(400, &serde_json::json!({ "error": { "message": "down" } }));
    let architect = FakeServer::playing(vec![streams(&d1), down(), streams(&d2)]).await;
    let reviewer = FakeServer::playing(vec![streams(&r1), streams(&r2)]).await;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "first.yaml", &config(&architect, &reviewer));
    let setting = setting(folder.path());
    let prepared = Ard
        .prepare(&ArgValues::nothing().with("config", "first.yaml").with("idea", kit::IDEA), &setting)
        .expect("ready");
    let (_, failed) = finished(&prepared.host, input(&prepared)).await;
    failed.expect_err("the architect's server is down");

    let viewer = Ard.viewer(&setting).expect("needs no endpoint");
    let stored = viewer.state(&prepared.thread, None).await.expect("readable").state;
    let without = Ard.restore(&ArgValues::nothing(), &setting, &stored).err().expect("no file, no endpoint");
    assert_eq!(without.to_string(), "model `one/small`: no provider `one`");
    assert!(without.hint().expect("a hint").contains("add `--config FILE`"), "{:?}", without.hint());
    write(folder.path(), "other.yaml", "providers: { }\n");
    let wrong = Ard
        .restore(&ArgValues::nothing().with("config", "other.yaml"), &setting, &stored)
        .err()
        .expect("not in it");
    assert!(
        wrong.hint().expect("a hint").contains("add it to `providers:` in other.yaml"),
        "{:?}",
        wrong.hint()
    );

    // The moved file says nothing but where models are, and the result goes elsewhere.
    let moved = config(&architect, &reviewer);
    write(folder.path(), "config.yaml", moved.split_once("output_path: docs/spec.md\n").expect("its end").1);
    let host = Ard.restore(&ArgValues::nothing().with("output", "new.md"), &setting, &stored).expect("ready");
    let (_, outcome) = finished(&host, resume(&prepared.thread)).await;
    let state = outcome.expect("it ends").state;
    assert_eq!(Ard.report(&state).expect("a report").outputs, [Path::new("new.md")]);
    assert!(folder.path().join("new.md").is_file());
    assert_eq!(
        (architect.requests().len(), reviewer.requests().len()),
        (3, 2),
        "only the failed call is made again"
    );
}

#[tokio::test]
async fn a_recorded_debate_is_replayed_byte_for_byte() {
    // ENG-24, ARD-74
    let folder = tempfile::tempdir().expect("a folder");
    let [d1, r1, d2, r2] = <[_; 4]>::try_from(two_rounds()).expect("four answers");
    let architect = FakeServer::playing(vec![streams(&d1), streams(&d2)]).await;
    let reviewer = FakeServer::playing(vec![streams(&r1), streams(&r2)]).await;
    write(folder.path(), "config.yaml", &config(&architect, &reviewer));
    let tape = folder.path().join("tape.jsonl");
    let given = ArgValues::nothing().with("idea", kit::IDEA);
    let spec = || std::fs::read_to_string(folder.path().join("docs/spec.md")).expect("written");

    let recorder = Recorder::append(&tape).expect("a tape");
    let with_recorder = Setting { tape: Tape::Record(recorder), ..setting(folder.path()) };
    let (original, _) = run(&given, &with_recorder).await;
    let first = spec();
    std::fs::remove_file(folder.path().join("docs/spec.md")).expect("removed");
    let replay = Replay::open(&tape, ReplayOrder::Recorded).expect("the tape");
    let replaying = Setting { tape: Tape::Replay(replay), ..setting(folder.path()) };
    let (replayed, _) = run(&given, &replaying).await;
    assert_eq!((log(&original), first), (log(&replayed), spec()));
    assert_eq!((architect.requests().len(), reviewer.requests().len()), (2, 2), "no model was asked");
    let text = std::fs::read_to_string(&tape).expect("a tape");
    assert!(!text.contains("sesame"), "ENG-27");
}

#[tokio::test]
async fn prompts_and_graph_can_be_overridden_from_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own");
    std::fs::create_dir_all(own.join("prompts/ard")).expect("a folder");
    std::fs::create_dir_all(own.join("graphs")).expect("a folder");
    let given = ArgValues::nothing().with("idea", IDEA);
    let with = || Setting { overrides: Some(own.clone()), ..setting(folder.path()) };
    run(&given, &with()).await;

    write(&own, "prompts/ard/architect.system.md", "{{ oops");
    let broken = refused(&given, &with());
    assert!(broken.to_string().starts_with("architect.system.md:1:"), "{broken}");
    assert!(broken.hint().expect("a hint").contains("prompts folder"));
    Ard.viewer(&with()).expect("looking at threads needs no prompt");
    write(&own, "prompts/ard/architect.system.md", "{{ nobody_knows }}");
    let prepared = Ard.prepare(&given, &with()).expect("it compiles");
    let (_, outcome) = finished(&prepared.host, input(&prepared)).await;
    let hint = outcome.expect_err("a variable that nobody supplies").hint();
    assert!(hint.expect("a hint").contains("variable"));
    std::fs::remove_file(own.join("prompts/ard/architect.system.md")).expect("removed");

    write(
        &own,
        "graphs/ard.yaml",
        "name: ard\nstate: ard\nnodes: { a: { uses: ard.architct } }\nedges: [{ from: START, to: a }]\n",
    );
    assert!(refused(&given, &with()).to_string().contains("ard.architect"), "the nearest name is told");
}

#[test]
fn the_catalogue_has_the_debate_and_its_graph_can_be_printed() {
    // ENG-23, ARD-8
    let catalogue = catalogue();
    let ard = catalogue.iter().find(|workflow| workflow.name() == "ard").expect("there");
    let folder = tempfile::tempdir().expect("a folder");
    let host = ard.viewer(&setting(folder.path())).expect("a host");
    let nodes: Vec<_> = host.topology().nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(nodes, ["architect", "clarify", "reviewer", "write"]);
    let state = to_raw_value(&serde_json::json!({ "strange": 1 })).expect("plain data");
    let error = ard.report(&state).expect_err("no debate");
    assert!(error.hint().expect("a hint").contains("this version"));
}
