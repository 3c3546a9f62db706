//! Whole runs are recorded and replayed byte for byte: what they take from outside (answers, times, ids, results of tools and requests)
//! comes from the tape.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt as _;
use serde_json::json;
use stategraph::engine::{Clock, EventKinds, HostRequest, HostStart};
use stategraph::llm::Tape;
use stategraph::llm::layer::{Recorder, Replay, ReplayOrder};
use stategraph::store::MemoryStore;
use stategraph::trust::TrustStore;
use stategraph::workflows::{ArgValues, Setting, ToolMaker, Workflow, catalogue};

use super::debate::{Debate, IDEA};
use super::kit::{Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

const FILES: [(&str, &str); 5] = [
    ("repo/manifest.yml", "name: shop\ntitle: Shop\nversion: 1.0.0\n"),
    ("repo/context.md", "---\nsource_repo: repo\n---\n\n# shop\n\nA shop that sells bread.\n"),
    ("repo/Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ("repo/src/main.rs", "//! The shop.\n\nmod store;\n\nfn main() {\n    store::open();\n}\n"),
    ("repo/src/store/mod.rs", "//! Keeps bread.\n\n/// Opens the store.\npub fn open() {}\n"),
];

/// A workflow's input in the folder of [`FILES`].
fn given(workflow: &str) -> ArgValues {
    match workflow {
        "ard" => ArgValues::nothing().with("idea", super::kit::IDEA),
        "ard-review" => ArgValues::nothing().with("specification", "repo/src/main.rs"),
        "sections" => ArgValues::nothing().with("package", "repo").with("non-interactive", ""),
        "doc-phases" | "explore" => ArgValues::nothing().with("repo", "repo"),
        "contextualize-generate" => ArgValues::nothing().with("source", "repo"),
        "contextualize-scope" => {
            ArgValues::nothing().with("source", "repo").with("question", "who opens the store?")
        }
        "contextualize-refine" => {
            ArgValues::nothing().with("file", "repo/context.md").with("request", "tell who opens the store")
        }
        other => panic!("say here what `{other}` is given"),
    }
}

/// A setting whose time begins at `begin` and goes on a second each time it is read.
fn setting(folder: &Path, begin: u64, tape: Tape) -> Setting {
    let time = AtomicU64::new(begin);
    Setting {
        store: Arc::new(MemoryStore::new()),
        cache: None,
        memory: None,
        clock: Clock::from_fn(move || time.fetch_add(1000, Ordering::Relaxed)),
        env: Arc::new(BTreeMap::<String, String>::new()),
        folder: folder.to_owned(),
        graph: None,
        overrides: None,
        tape,
        trust: TrustStore::empty(),
        tools: ToolMaker::default(),
    }
}

/// All that a run leaves: its events, its state, every file. The events are sorted, because tasks of a superstep begin side by side.
#[derive(Debug, PartialEq)]
struct Left {
    events: Vec<String>,
    state: String,
    files: BTreeMap<String, String>,
}

/// Runs in a folder that is made anew, and takes away what was made.
async fn run(workflow: &dyn Workflow, place: &Place, begin: u64, tape: Tape) -> Left {
    FILES.iter().for_each(|(path, text)| place.write(path, text));
    let setting = setting(place.path(), begin, tape);
    let prepared = workflow.prepare(&given(workflow.name()), &setting).unwrap();
    let start = HostStart::Input { state: prepared.state, thread: Some(prepared.thread) };
    let mut request = HostRequest::new(start);
    request.events = EventKinds::ALL;
    let mut stream = prepared.host.stream(request).await.unwrap();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        let mut event = serde_json::to_value(&event).unwrap();
        event.as_object_mut().unwrap().remove("seq");
        // Agents that work at the same time tell their events in another order.
        if let Some(data) = event.get_mut("data").and_then(|data| data.as_object_mut()) {
            data.remove("seq");
        }
        events.push(event.to_string());
    }
    events.sort_unstable();
    let state = stream.outcome().unwrap().unwrap().state.get().to_owned();
    drop(prepared.host);
    let mut files = BTreeMap::new();
    for name in ["repo", "spec.md", "contexts", "explorations"] {
        take(&place.at(name), name, &mut files);
    }
    files.remove("explorations/repo/events.jsonl");
    Left { events, state, files }
}

/// Reads a file, or all files of a folder, and removes them.
fn take(path: &Path, name: &str, files: &mut BTreeMap<String, String>) {
    if path.is_file() {
        files.insert(name.to_owned(), std::fs::read_to_string(path).unwrap());
        std::fs::remove_file(path).unwrap();
    } else if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            take(&entry.path(), &format!("{name}/{}", entry.file_name().display()), files);
        }
        std::fs::remove_dir(path).unwrap();
    }
}

const MONDAY: u64 = 1_705_314_600_000;
const TUESDAY: u64 = MONDAY + 86_400_000;

// ENG-24
#[tokio::test]
async fn every_workflow_of_the_catalogue_is_recorded_and_replayed_byte_for_byte_on_another_day() {
    for workflow in catalogue() {
        let (place, tapes) = (Place::new(), Place::new());
        let tape = tapes.at("tape");
        let recorded =
            run(workflow.as_ref(), &place, MONDAY, Tape::Record(Recorder::append(&tape).unwrap())).await;
        let replay = Replay::open(&tape, ReplayOrder::Recorded).unwrap();
        let replayed = run(workflow.as_ref(), &place, TUESDAY, Tape::Replay(replay)).await;
        assert_eq!(recorded, replayed, "{}", workflow.name());
        let given = if workflow.name() == "ard" { 0 } else { FILES.len() };
        // A review is printed, and a refined file is the given one.
        let makes_no_file = ["ard-review", "contextualize-refine"].contains(&workflow.name());
        assert!(recorded.files.len() > given || makes_no_file, "{:?}", recorded.files.keys());
    }
}

#[tokio::test]
async fn without_the_tape_another_day_shows() {
    let workflows = catalogue();
    let workflow = workflows.iter().find(|workflow| workflow.name() == "doc-phases").unwrap();
    let place = Place::new();
    let monday = run(workflow.as_ref(), &place, MONDAY, Tape::Off).await;
    let tuesday = run(workflow.as_ref(), &place, TUESDAY, Tape::Off).await;
    assert_ne!(monday.state, tuesday.state);
    assert_ne!(monday.files, tuesday.files);
}

// DOC-1, ENG-24
#[tokio::test]
async fn a_documentation_run_replays_from_the_command_line_and_reads_its_files_from_the_tape() {
    let place = Place::new();
    FILES.iter().for_each(|(path, text)| place.write(path, text));
    // One component at a time, because the progress of several is printed in the order in which they get on.
    let run = ["run", "doc-phases", "repo", "--parallel", "1"];
    let recorded = done(place.graph([&run[..], &["--record", "tape"]].concat())).await.exits(0);
    let page = place.read("repo/.agentic/documentation/ARCHITECTURE.md");
    std::fs::remove_dir_all(place.at("repo/.agentic")).unwrap();
    std::fs::remove_dir_all(place.at("checkpoints")).unwrap();
    let replayed = done(place.graph([&run[..], &["--replay", "tape"]].concat())).await.exits(0);
    assert_eq!((recorded.out, recorded.err), (replayed.out, replayed.err));
    assert_eq!(page, place.read("repo/.agentic/documentation/ARCHITECTURE.md"));
    assert!(place.read("tape").contains("tool read_file") || place.read("tape").contains("tool list_files"));
}

/// Returns an answer that stores entries and ends its phase.
fn stores(entries: &serde_json::Value) -> Play {
    let end = r#"{"findings_summary": "Found.", "confidence": 0.9}"#;
    Play::says(&format!(
        "<function_calls><invoke name=\"store_discovery\"><parameter name=\"entries\">{entries}</parameter>\
         <parameter name=\"complete\">{end}</parameter></invoke></function_calls>"
    ))
}

// DOC-1, ENG-24: what rules prepare and what is looked up for a model comes from the tape too
#[tokio::test]
async fn a_documentation_run_of_a_model_replays_without_server_and_with_other_files() {
    let place = Place::new();
    FILES.iter().for_each(|(path, text)| place.write(path, text));
    let server = FakeServer::playing(vec![
        stores(&json!([{
            "type": "architecture", "purpose": "Sells bread to customers.",
            "component_boundaries": { "store": ["src/store"] },
        }])),
        stores(&json!([
            { "type": "component", "responsibility": "Opens in the morning, see `open`." },
            { "type": "note", "kind": "limit", "place": "src/store/mod.rs:4", "text": "`open` does nothing yet." },
        ])),
        stores(&json!([])),
    ])
    .await;
    place.write("config.yaml", format!("providers:\n  local: {{ base_url: \"{}\" }}\n", server.base_url()));
    let run =
        ["run", "doc-phases", "repo", "--model", "local/any", "--tools", "xml", "--config", "config.yaml"];
    let recorded = done(place.graph([&run[..], &["--record", "tape"]].concat())).await.exits(0);
    let page = place.read("repo/.agentic/documentation/NOTES.md");
    assert!(page.contains("`open` does nothing yet."), "{page}");
    std::fs::remove_dir_all(place.at("repo/.agentic")).unwrap();
    std::fs::remove_dir_all(place.at("checkpoints")).unwrap();
    drop(server);
    place.write("repo/src/store/mod.rs", "//! Another text.\n");
    let replayed = done(place.graph([&run[..], &["--replay", "tape"]].concat())).await.exits(0);
    assert_eq!((recorded.out, recorded.err), (replayed.out, replayed.err));
    assert_eq!(page, place.read("repo/.agentic/documentation/NOTES.md"));
    assert!(place.read("repo/.agentic/documentation/components/store.md").contains("Opens in the morning"));
}

// ENG-24, ARD-74
#[tokio::test]
async fn a_debate_over_a_server_replays_without_it() {
    let (place, debate) = (Place::new(), Debate::answered().await);
    place.configure(&debate.base_url());
    let recorded = done(place.ard(["run", "--idea", IDEA, "--json", "--record", "tape"])).await.exits(0);
    let spec = place.read("spec.md");
    std::fs::remove_file(place.at("spec.md")).unwrap();
    std::fs::remove_dir_all(place.at("checkpoints")).unwrap();
    drop(debate);
    let replayed = done(place.ard(["run", "--idea", IDEA, "--json", "--replay", "tape"])).await.exits(0);
    assert_eq!((recorded.out, spec), (replayed.out, place.read("spec.md")));
}

const GRAPH: &str = r#"
name: fetch
inputs:
  url: { default: none, about: Where to ask }
state:
  listing: string
  page: any
  answer: string
outputs: [listing, page, answer]
nodes:
  look: { tool: { name: read_file, arguments: { path: "'notes.txt'" } }, to: listing }
  fetch: { http: { url: "{{ state.url }}", headers: { X-Token: sesame } }, to: page }
  say: { model: { prompt: "{{ state.listing }} {{ state.page }}", offline: "'seen'" }, to: answer }
edges:
  - { from: START, to: look }
  - { from: look, to: fetch }
  - { from: fetch, to: say }
  - { from: say, to: END }
"#;

// ENG-24, ENG-27
#[tokio::test]
async fn a_graph_file_replays_its_requests_and_tools_without_server_and_file() {
    let place = Place::new();
    let server = FakeServer::playing(vec![Play::body(200, "text/plain", "from afar")]).await;
    let url = server.base_url();
    place.write("fetch.yaml", GRAPH);
    place.write("notes.txt", "as they were\n");
    let arguments = |url: &str, tape: &str| {
        ["run", "fetch.yaml", "--url", url, "--allow-http", "*", tape, "tape"].map(str::to_owned)
    };
    let recorded = done(place.graph(arguments(&url, "--record"))).await.exits(0);
    assert!(recorded.out.contains("from afar") && recorded.out.contains("as they were"), "{}", recorded.out);
    let tape = place.read("tape");
    assert!(!tape.contains("sesame"), "{tape}");
    drop(server);
    std::fs::remove_file(place.at("notes.txt")).unwrap();
    std::fs::remove_dir_all(place.at("checkpoints")).unwrap();
    let replayed = done(place.graph(arguments(&url, "--replay"))).await.exits(0);
    assert_eq!(recorded.out, replayed.out);
    let other = done(place.graph(arguments(&format!("{url}/other"), "--replay"))).await.exits(2);
    assert!(other.err.contains("the recording does not match: `http`.digest: recorded"), "{}", other.err);
    assert!(other.err.contains("hint: record again"), "{}", other.err);
}
