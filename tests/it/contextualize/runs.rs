//! Whole runs of the three commands over a small shop, with rules or with a scripted model on loopback.

use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use stategraph::engine::{EventKinds, Host, HostRequest, HostStart, ThreadId};
use stategraph::workflows::{ArgValues, Report, Setting, Workflow, WorkflowError};
use stategraph_testing::fake_server::{FakeServer, Play, RecordedRequest};
use tempfile::TempDir;

use super::kit::setting;

/// Files of the repository.
pub(super) const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\ndescription = \"Sells bread over the counter.\"\n\n[dependencies]\nserde = \"1.0\"\n",
    ),
    (
        "README.md",
        "# Shop\n\nSells bread over the counter.\n\n## Development\n\nBuild it:\n\n```sh\ncargo build --locked\n```\n\nTest it:\n\n```sh\ncargo test --all\n```\n",
    ),
    (
        "src/main.rs",
        "//! The shop.\n\nmod retry;\nmod store;\n\nfn main() {\n    retry::with_retries(store::open);\n}\n",
    ),
    (
        "src/retry.rs",
        "//! Decides when a failed call is made again.\n\n/// Attempts of a call.\npub const ATTEMPTS: u32 = 3;\n\n/// Calls until it works, at most `ATTEMPTS` times.\npub fn with_retries(call: fn() -> bool) -> bool {\n    (0..ATTEMPTS).any(|_| call())\n}\n",
    ),
    ("src/store.rs", "//! Keeps bread.\n\n/// Opens the store.\npub fn open() -> bool {\n    true\n}\n"),
    (".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - run: cargo test --all\n"),
    ("tests/retry.rs", "#[test]\nfn a_call_is_made_three_times() {\n    assert_eq!(1 + 2, 3);\n}\n"),
];

/// A working folder with the repository in `repo`.
pub(super) struct Shop {
    pub(super) folder: TempDir,
}

/// A finished run.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) state: Value,
    pub(super) report: Report,
    /// The progress lines.
    pub(super) lines: Vec<String>,
}

impl Shop {
    pub(super) fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn new() -> Self {
        let shop = Self::empty();
        FILES.iter().for_each(|(path, text)| shop.write(&format!("repo/{path}"), text));
        shop
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns the paths of the files below a folder, sorted.
    pub(super) fn files(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path().join(folder)) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .map(|entry| format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy()))
            .filter(|name| self.path().join(name).is_file())
            .collect();
        names.sort();
        names
    }

    pub(super) fn setting(&self) -> Setting {
        setting(self.path(), &[])
    }

    /// Writes a configuration with the server as the provider `local`, and more settings of the workflow.
    pub(super) fn configure(&self, server: &FakeServer, section: &str) {
        let url = server.base_url();
        self.write(
            "config.yaml",
            &format!("providers:\n  local: {{ base_url: \"{url}\" }}\ncontextualize:\n  model: local/writer\n{section}"),
        );
    }

    /// Runs to the end.
    pub(super) async fn run(&self, workflow: &dyn Workflow, given: &ArgValues) -> Ran {
        run(workflow, given, &self.setting()).await.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Prepares and runs. An error is a text with all of its causes.
pub(super) async fn run(
    workflow: &dyn Workflow,
    given: &ArgValues,
    setting: &Setting,
) -> Result<Ran, String> {
    let prepared = workflow.prepare(given, setting).map_err(|error| causes(&error))?;
    let start = HostStart::Input { state: prepared.state, thread: Some(prepared.thread) };
    finish(workflow, &*prepared.host, HostRequest::new(start)).await
}

/// Resumes a thread.
pub(super) async fn resume(
    workflow: &dyn Workflow,
    given: &ArgValues,
    setting: &Setting,
    thread: &ThreadId,
) -> Result<Ran, String> {
    let viewer = workflow.viewer(setting).map_err(|error| causes(&error))?;
    let stored = viewer.state(thread, None).await.map_err(|error| causes(&error))?.state;
    let host = workflow.restore(given, setting, &stored).map_err(|error| causes(&error))?;
    let start = HostStart::Resume { thread: thread.clone(), at: None };
    finish(workflow, &*host, HostRequest::new(start)).await
}

async fn finish(workflow: &dyn Workflow, host: &dyn Host, mut request: HostRequest) -> Result<Ran, String> {
    request.events = EventKinds::CUSTOM;
    let mut stream = host.stream(request).await.map_err(|error| causes(&error))?;
    let mut lines = Vec::new();
    while let Some(event) = stream.next().await {
        lines.extend(workflow.line(&event));
    }
    let outcome = stream.outcome().expect("the stream has ended").map_err(|error| causes(&error))?;
    let state: Value = serde_json::from_str(outcome.state.get()).expect("a state is JSON");
    let report = report(workflow, &state).map_err(|error| causes(&error))?;
    Ok(Ran { state, report, lines })
}

/// Returns an error with its causes on one line.
fn causes(error: &dyn std::error::Error) -> String {
    let next = error.source().map(|source| format!(": {}", causes(source))).unwrap_or_default();
    format!("{error}{next}")
}

fn report(workflow: &dyn Workflow, state: &Value) -> Result<Report, WorkflowError> {
    let raw = serde_json::value::to_raw_value(state).expect("it is JSON");
    workflow.report(&raw)
}

/// The step that a request to the model is made for, by its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Analysis,
    Text,
    Exploration,
    Answer,
    Change,
}

/// Returns the step of a request.
pub(super) fn step(request: &RecordedRequest) -> Step {
    let system = message(request, 0);
    [
        ("You analyse one code base", Step::Analysis),
        ("You write a context file", Step::Text),
        ("You look for the places", Step::Exploration),
        ("You answer a question", Step::Answer),
        ("You change a context file", Step::Change),
    ]
    .into_iter()
    .find_map(|(opening, step)| system.starts_with(opening).then_some(step))
    .unwrap_or_else(|| panic!("unknown instructions: {system}"))
}

/// Returns the content of a message of a request.
pub(super) fn message(request: &RecordedRequest, number: usize) -> String {
    request.body["messages"][number]["content"].as_str().expect("a text").to_owned()
}

/// Returns the steps of all requests of a server, in order.
pub(super) fn steps(server: &FakeServer) -> Vec<Step> {
    server.requests().iter().map(step).collect()
}

/// Starts a server that answers by the step of a request and the number of the requests before it.
pub(super) async fn serve(answer: impl Fn(Step, usize) -> String + Send + Sync + 'static) -> FakeServer {
    let answer = Arc::new(answer);
    FakeServer::answering(move |number, request| Play::says(&answer(step(request), number))).await
}

/// A good analysis.
pub(super) fn analysis() -> String {
    json!({
        "architecture_patterns": ["`src/main.rs` passes a function to `src/retry.rs`"],
        "coding_conventions": { "tests": "one file a module in `tests/`" },
        "tech_stack": ["Rust"],
        "insights": "Every call of the store goes through `with_retries`, so a new call belongs there as well.",
    })
    .to_string()
}

/// A good context file.
pub(super) const TEXT: &str = "# shop\n\n## Purpose\n\nSells bread over the counter. [README.md:3]\n\n## Commands\n\n- Build: `cargo build --locked`\n- Test: `cargo test --all`\n\n## Architecture\n\n`main` calls `with_retries` [src/main.rs:7], which calls the store at most `ATTEMPTS` times [src/retry.rs:7-9]. The store is in `src/store.rs` and knows nothing of retries.\n\n## Conventions\n\nTests stand in `tests/`, one file a module, with sentences as names.\n";

/// A good answer to a question.
pub(super) const ANSWER: &str = "# Retries\n\nThey are decided in `with_retries` [src/retry.rs:7-9]: the call is made at most `ATTEMPTS` times, whatever the reason of the failure.\n\nA change keeps the constant [src/retry.rs:4], because `main` relies on it.\n";

/// A round of exploration that is enough.
pub(super) fn sufficient() -> String {
    json!({
        "additional_files_needed": [],
        "reasoning": null,
        "sufficient_context": true,
        "preliminary_insights": "Retries are in src/retry.rs.",
        "key_locations": [
            { "path": "src/retry.rs", "line_start": 7, "line_end": 9, "description": "The loop." },
            { "path": "src/retry.rs", "line_start": 7, "line_end": 900, "description": "Lines that are not there." },
            { "path": "src/gone.rs", "line_start": 1, "line_end": 2, "description": "A file that is not there." },
        ],
    })
    .to_string()
}

/// Answers of a good model.
pub(super) fn good(step: Step, _: usize) -> String {
    match step {
        Step::Analysis => analysis(),
        Step::Text => TEXT.to_owned(),
        Step::Exploration => sufficient(),
        Step::Answer => ANSWER.to_owned(),
        Step::Change => {
            let releases = "Not known: the repository has no tags, no pipeline that publishes, and no document that tells how a version is \
                            made or where it goes. Ask the people who keep it before a version is changed, and write down what they say, \
                            so that the next one finds it here.";
            TEXT.replace("## Conventions", &format!("## Releases\n\n{releases}\n\n## Conventions"))
        }
    }
}

/// The arguments of `generate`.
pub(super) fn generate() -> ArgValues {
    ArgValues::nothing().with("source", "repo")
}

/// The question of the tests.
pub(super) const QUESTION: &str = "Where are retries decided?";

/// The arguments of `scope`.
pub(super) fn scope() -> ArgValues {
    ArgValues::nothing().with("source", "repo").with("question", QUESTION)
}

/// The arguments of `refine`.
pub(super) fn refine(request: &str) -> ArgValues {
    ArgValues::nothing().with("file", "contexts/repo/context.md").with("request", request)
}
