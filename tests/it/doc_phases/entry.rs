//! From the command line to a run: arguments, notes, errors.

use std::path::Path;
use std::sync::Arc;

use stategraph::engine::{Clock, EventKinds, HostRequest, HostStart};
use stategraph::llm::{Prompts, SystemEnv, Tape};
use stategraph::store::MemoryStore;
use stategraph::trust::TrustStore;
use stategraph::workflows::doc_phases::DocPhases;
use stategraph::workflows::doc_phases::input::Mode;
use stategraph::workflows::doc_phases::phase::{Budgets, Phase, PhaseBudget};
use stategraph::workflows::doc_phases::services::{DocServices, PROMPTS, open_memory};
use stategraph::workflows::{
    Acceptance, ArgValues, PreparedRun, RunStart, Setting, ToolMaker, Workflow as _, WorkflowError,
};

use super::kit::{Kit, Player, STARTED, Said};
use stategraph_testing::fake_server::{FakeServer, Play};

/// Returns the setting of a run in a folder; nothing is stored elsewhere.
pub(super) fn setting(folder: &Path) -> Setting {
    Setting {
        store: Arc::new(MemoryStore::new()),
        cache: None,
        memory: None,
        clock: Clock::fixed(STARTED),
        env: Arc::new(SystemEnv),
        folder: folder.to_owned(),
        graph: None,
        overrides: None,
        tape: Tape::Off,
        trust: TrustStore::empty().trusting_all(),
        tools: ToolMaker::default(),
    }
}

fn refused(given: &ArgValues, folder: &Path) -> WorkflowError {
    DocPhases.prepare(given, &setting(folder)).err().expect("refused")
}

pub(super) fn nothing() -> ArgValues {
    ArgValues::nothing()
}

#[test]
fn what_is_no_repository_is_refused_before_anything_runs() {
    // DOC-1, DOC-11
    let kit = Kit::new();
    let folder = kit.folder.path();
    let error = refused(&nothing().with("repo", "nowhere"), folder);
    assert!(error.to_string().contains("nowhere") && error.hint().is_some(), "{error}");
    let error = refused(&nothing().with("repo", "Cargo.toml"), folder);
    assert!(error.to_string().contains("is not a directory"), "{error}");
    for value in ["0", "65", "-1", "many", ""] {
        let error = refused(&nothing().with("parallel", value), folder);
        let expected = format!("`--parallel` takes a whole number from 1 to 64, not `{value}`");
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().unwrap().contains("--parallel 4"), "{:?}", error.hint());
    }
    let both = nothing().with("resume", "").with("update", "");
    let error = refused(&both, folder);
    assert_eq!(error.to_string(), "`--resume` and `--update` cannot be used together");
    assert!(error.hint().unwrap().contains("--resume"), "{:?}", error.hint());
    for (name, value) in
        [("format", "pdf"), ("tools", "json"), ("budgets", "none.yaml"), ("model", "nobody/x")]
    {
        let error = refused(&nothing().with(name, value), folder);
        assert!(error.hint().is_some(), "{name}: {error}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_runs() {
    let kit = Kit::new();
    kit.write(".agentic", "a file");
    let error = refused(&nothing(), kit.folder.path());
    assert!(error.hint().is_some(), "{error}");
    let kit = Kit::new();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), kit.folder.path().join(".agentic")).unwrap();
    let error = refused(&nothing(), kit.folder.path());
    assert!(error.to_string().contains("leaves the repository through the link"), "{error}");
}

#[test]
fn of_two_runs_on_one_repository_the_second_is_refused() {
    let kit = Kit::new();
    let first = DocPhases.prepare(&nothing(), &setting(kit.folder.path())).expect("ready");
    let error = refused(&nothing(), kit.folder.path());
    assert!(error.to_string().contains("another run is working on the memory"), "{error}");
    assert!(error.hint().unwrap().contains("wait for it to end"), "{:?}", error.hint());
    drop(first);
    DocPhases.prepare(&nothing(), &setting(kit.folder.path())).expect("ready");
}

#[tokio::test]
async fn a_resume_goes_on_with_the_session_or_says_that_there_is_none() {
    // DOC-2, DOC-13, DOC-55
    let kit = Kit::new();
    let given = nothing().with("resume", "");
    let fresh = DocPhases.prepare(&given, &setting(kit.folder.path())).expect("ready");
    assert_eq!((fresh.begin, fresh.notes.len()), (RunStart::Anew, 1));
    assert!(fresh.notes[0].starts_with("nothing to resume"), "{:?}", fresh.notes);
    drop(fresh);
    let player =
        Player::but(|at| (at.phase == "cross_cutting").then(|| Said { fails: true, ..Said::default() }));
    kit.run(&player).await.expect_err("the model fails");
    let given = nothing().with("resume", "").with("model", "offline");
    let going_on = DocPhases.prepare(&given, &setting(kit.folder.path())).expect("ready");
    assert_eq!((going_on.begin, going_on.thread), (RunStart::WhereItStands, kit.thread()));
    assert_eq!(going_on.notes, [format!("going on with session {}", kit.state().session_id)]);
    assert_eq!(going_on.state["phases"]["component_deep_dive"]["status"], "completed");
}

#[test]
fn an_update_without_a_memory_explores_everything_and_says_so() {
    // DOC-3, DOC-17
    let kit = Kit::new();
    let prepared =
        DocPhases.prepare(&nothing().with("update", ""), &setting(kit.folder.path())).expect("ready");
    assert!(prepared.notes[0].starts_with("nothing to update"), "{:?}", prepared.notes);
    assert_eq!(prepared.state["mode"], "full");
}

/// Acceptance of a run, the lines of its report and its outputs.
pub(super) async fn ended(prepared: PreparedRun) -> (Acceptance, Vec<String>, Vec<std::path::PathBuf>) {
    let PreparedRun { host, state, thread, .. } = prepared;
    let mut request = HostRequest::new(HostStart::Input { state, thread: Some(thread) });
    request.events = EventKinds::RUN;
    let mut stream = host.stream(request).await.expect("it starts");
    while futures_util::StreamExt::next(&mut stream).await.is_some() {}
    let outcome = stream.outcome().expect("over").expect("it ends");
    let report = DocPhases.report(&outcome.state).expect("a report");
    (report.acceptance, report.lines, report.outputs)
}

#[tokio::test]
async fn an_empty_repository_ends_with_what_there_is_to_say() {
    // DOC-119, DOC-134
    let kit = Kit::empty();
    let prepared = DocPhases.prepare(&nothing(), &setting(kit.folder.path())).expect("ready");
    let (_, lines, _) = ended(prepared).await;
    assert!(lines[0].starts_with("session doc_20240115_103000_"), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("completed phases: architecture_discovery")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn the_report_names_what_came_out() {
    // DOC-12
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    for number in 0..12 {
        kit.write(&format!("src/auth/more_{number:02}.rs"), "pub fn more() {}\n");
    }
    let kit = kit.next(Mode::Update);
    let run = kit.done(&Player::usual()).await;
    let state = serde_json::value::to_raw_value(&run).unwrap();
    let report = DocPhases.report(&state).expect("a report");
    assert_eq!(report.acceptance, Acceptance::Accepted);
    let lines = report.lines;
    assert_eq!(lines[1], "12 files changed:");
    assert_eq!(lines[2], "  src/auth/more_00.rs");
    assert_eq!(lines[12], "  and 2 more");
    assert!(lines.contains(&"completed phases: component_deep_dive".to_owned()), "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with("documents in .agentic/documentation")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("memory: 1 architecture, 2 component, ")), "{lines:?}");
    assert!(lines.contains(&"session files in .agentic/doc_sessions".to_owned()), "{lines:?}");
    assert!(report.outputs.iter().all(|path| path.is_file()), "{:?}", report.outputs);
}

#[tokio::test]
async fn the_report_of_an_update_with_nothing_to_do_says_so() {
    // DOC-12
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    let kit = kit.next(Mode::Update);
    let run = kit.done(&Player::usual()).await;
    let report = DocPhases.report(&serde_json::value::to_raw_value(&run).unwrap()).expect("a report");
    assert_eq!(report.acceptance, Acceptance::Accepted);
    assert_eq!(
        report.lines[1..3],
        ["no file has changed", "completed phases: none, as nothing was to be explored"]
    );
    assert_eq!(report.lines.last().unwrap(), "test/model was not asked");
}

#[tokio::test]
async fn the_report_says_which_documents_another_format_took_the_place_of() {
    // DOC-12, DOC-120
    let kit = Kit::new();
    kit.done(&Player::usual()).await;
    kit.write(".agentic/documentation/notes.md", "by hand");
    let kit = kit.set(|settings| settings.format = stategraph::workflows::doc_phases::writer::Format::Rst);
    let kit = kit.next(Mode::Update);
    let run = kit.done(&Player::usual()).await;
    let report = DocPhases.report(&serde_json::value::to_raw_value(&run).unwrap()).expect("a report");
    let at = report.lines.iter().position(|line| line == "6 old documents removed:");
    let at = at.unwrap_or_else(|| panic!("{:?}", report.lines));
    assert_eq!(report.lines[at + 1], "  .agentic/documentation/ARCHITECTURE.md");
    let left = kit.tree(".agentic/documentation");
    let left: Vec<&String> = left.keys().filter(|name| name.contains(".md")).collect();
    assert_eq!(left, ["notes.md"]);
}

#[test]
fn every_variable_of_the_prompts_is_there_and_every_prompt_is_used() {
    let prompts =
        stategraph::llm::Prompts::new(stategraph::workflows::doc_phases::services::PROMPTS).unwrap();
    let known = [
        "phase",
        "repository",
        "component",
        "number",
        "limit",
        "calls_per_round",
        "budget",
        "used",
        "answered",
        "tools",
        "budget_lines",
        "facts",
        "overview",
        "summary",
        "review",
        "concerns",
        "new_files",
        "earlier",
    ];
    for name in prompts.names() {
        for variable in prompts.variables(name).unwrap() {
            assert!(known.contains(&variable.as_str()), "{name}: {variable}");
        }
    }
}

#[test]
fn memory_is_free_again_when_a_run_is_dropped() {
    let kit = Kit::new();
    let graph = kit.graph(Player::usual());
    assert!(open_memory(&kit.root(), kit.state().started).is_err());
    drop(graph);
    assert!(open_memory(&kit.root(), kit.state().started).is_ok());
}

#[tokio::test]
async fn any_compatible_endpoint_explores() {
    // DOC-131, DOC-11
    let done = "<phase_complete>{\"findings_summary\": \"Nothing.\", \"confidence\": 0.5}</phase_complete>";
    let server = FakeServer::playing(vec![Play::says(done)]).await;
    let kit = Kit::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let config = format!("providers:\n  local: {{ base_url: \"{}\" }}\n", server.base_url());
    std::fs::write(elsewhere.path().join("config.yaml"), config).unwrap();
    let given = nothing().with("repo", kit.folder.path()).with("model", "local/any");
    let prepared = DocPhases.prepare(&given, &setting(elsewhere.path())).expect("ready");
    let (acceptance, lines, _) = ended(prepared).await;
    assert_eq!(acceptance, Acceptance::NotAccepted, "nothing was described: {lines:?}");
    let bodies: Vec<serde_json::Value> = server.requests().into_iter().map(|asked| asked.body).collect();
    let tools = |body: &serde_json::Value| -> Vec<String> {
        let tools = body["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    for (body, phase) in
        [(&bodies[0], Phase::ALL[0]), (&bodies[1], Phase::ALL[1]), (&bodies[bodies.len() - 1], Phase::ALL[3])]
    {
        assert_eq!(tools(body), phase.offered_tools(), "{phase}");
    }
}

#[tokio::test]
async fn a_key_can_be_typed_and_is_written_nowhere() {
    // DOC-11, ENG-27: it goes to the provider of the model, before that of its variable
    let done = "<phase_complete>{\"findings_summary\": \"Nothing.\", \"confidence\": 0.5}</phase_complete>";
    let server = FakeServer::playing(vec![Play::says(done)]).await;
    let kit = Kit::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let config = format!(
        "providers:\n  local: {{ base_url: \"{}\", api_key_env: STATEGRAPH_NO_SUCH_KEY }}\n",
        server.base_url()
    );
    std::fs::write(elsewhere.path().join("config.yaml"), config).unwrap();
    let given =
        nothing().with("repo", kit.folder.path()).with("model", "local/any").with("api-key", "sk-typed");
    let prepared = DocPhases.prepare(&given, &setting(elsewhere.path())).expect("ready");
    assert!(!prepared.state.to_string().contains("sk-typed"));
    ended(prepared).await;
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer sk-typed");
    assert!(kit.tree(".agentic").values().all(|text| !text.contains("sk-typed")));
    let error = refused(&nothing().with("model", "local/any").with("api-key", "two words"), elsewhere.path());
    assert!(!error.to_string().contains("two words") && error.to_string().contains("--api-key"), "{error}");
    let offline = nothing().with("repo", kit.folder.path()).with("api-key", "sk-typed");
    let prepared = DocPhases.prepare(&offline, &setting(elsewhere.path())).expect("ready");
    assert!(prepared.notes.iter().any(|note| note.contains("the key is of no use")), "{:?}", prepared.notes);
}

#[test]
fn a_session_can_be_named() {
    // DOC-14
    let kit = Kit::new();
    let run = kit.state().with_session_id("doc_mine");
    assert_eq!((run.session_id.as_str(), run.repository.as_path()), ("doc_mine", kit.root().absolute()));
    let memory = open_memory(&kit.root(), run.started).unwrap();
    let prompts = Prompts::new(PROMPTS).unwrap();
    let bad = kit.state().with_session_id("../escape");
    let error = DocServices::new(kit.root(), memory, Player::usual(), prompts, &bad).err().expect("refused");
    assert!(error.to_string().contains("cannot be the id of a session"), "{error}");
}

#[test]
fn every_phase_has_a_budget_a_prompt_and_a_name() {
    // DOC-37, DOC-125
    let prompts = Prompts::new(PROMPTS).unwrap();
    for phase in Phase::ALL {
        let budget = Budgets::default().of(phase);
        assert_eq!(budget, PhaseBudget::of(phase));
        assert!(prompts.names().any(|name| name == format!("{phase}.system.md")), "{phase}");
        assert_eq!(serde_json::to_value(phase).unwrap(), phase.as_str());
    }
}
