//! Sessions: their files, and resumed runs.

use serde_json::{Value, json};
use stategraph::engine::ThreadId;
use stategraph::workflows::doc_phases::input::Debugging;
use stategraph::workflows::doc_phases::phase::Phase;
use stategraph::workflows::doc_phases::session::{Resumable, SessionState, SessionStatus, find_resumable};
use stategraph::workflows::doc_phases::state::PhaseStatus;

use super::kit::{Kit, Player, Said, calls};

fn session(kit: &Kit) -> SessionState {
    let text = kit.read(&format!(".agentic/doc_sessions/{}.json", kit.state().session_id));
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_session_leaves_three_files() {
    // DOC-27, DOC-53, DOC-54, DOC-121, DOC-122, DOC-123
    let (kit, player) = (Kit::new(), Player::usual());
    let run = kit.done(&player).await;
    assert!(run.session_id.starts_with("doc_20240115_103000_"), "{}", run.session_id);
    assert_eq!(run.session_id.len(), "doc_20240115_103000_".len() + 6);
    let session = session(&kit);
    assert_eq!(session.status, SessionStatus::Finished);
    assert_eq!(session.thread, ThreadId::new(&run.session_id).ok());
    assert_eq!(session.run, run);
    assert_eq!(session.run.phase(Phase::ArchitectureDiscovery).start, Some(run.started));
    let debug = kit.read(&format!(".agentic/doc_sessions/{}_debug.txt", run.session_id));
    for round in [
        "--- architecture_discovery round 1",
        "--- component_deep_dive of auth round 3",
        "--- documentation_generation round 2",
    ] {
        assert!(debug.lines().any(|line| line == round), "{round} in {debug}");
    }
    assert!(debug.contains("[calls read_file with {\"path\":\"Cargo.toml\"}]"), "{debug}");
    let context = kit.read(&format!(".agentic/doc_sessions/{}_context.txt", run.session_id));
    let last = player.request("documentation_generation", 2);
    assert!(last.messages.iter().all(|message| context.contains(&message.content)), "{context}");
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_of_a_session_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let kit = Kit::new();
    let run = kit.done(&Player::usual()).await;
    let folder = kit.folder.path().join(".agentic/doc_sessions");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for ending in [".json", "_context.txt", "_debug.txt"] {
        assert_eq!(mode(&folder.join(format!("{}{ending}", run.session_id))), 0o600, "{ending}");
    }
}

#[tokio::test]
async fn a_long_message_stands_whole_in_the_context() {
    // DOC-123, DOC-128
    let said = format!("{}the end", "word ".repeat(2_000));
    let long = said.clone();
    let player = Player::but(move |at| {
        let query = json!({ "query_type": "component", "max_entries": 10 });
        let asked = Said { text: long.clone(), ..calls([("query_memory", query)]) };
        (at.phase == "documentation_generation" && at.round == 1).then_some(asked)
    });
    let kit = Kit::new();
    let run = kit.done(&player).await;
    let context = kit.read(&format!(".agentic/doc_sessions/{}_context.txt", run.session_id));
    assert!(context.contains(&said), "of {} characters", said.len());
}

#[tokio::test]
async fn debug_files_can_be_left_out() {
    // DOC-21
    let kit = Kit::new().set(|settings| settings.debug = Debugging::Off);
    kit.done(&Player::usual()).await;
    assert_eq!(kit.tree(".agentic/doc_sessions").len(), 1);
}

fn failing(phase: &'static str, round: u32) -> std::sync::Arc<Player> {
    Player::but(move |at| {
        (at.phase == phase && at.round == round).then(|| Said { fails: true, ..Said::default() })
    })
}

#[tokio::test]
async fn a_failed_run_goes_on_where_it_was_and_pays_nothing_twice() {
    // DOC-16, DOC-53
    let expected = Kit::new();
    expected.done(&Player::usual()).await;
    let kit = Kit::new();
    let first = failing("cross_cutting", 2);
    kit.run(&first).await.expect_err("the model fails");
    let stopped = session(&kit);
    assert_eq!(stopped.status, SessionStatus::Unfinished);
    let phase = stopped.run.phase(Phase::CrossCutting);
    assert_eq!((phase.status, phase.usage.grep_calls), (PhaseStatus::InProgress, 1));
    let second = Player::usual();
    let outcome = kit.graph(second.clone()).resume(&kit.thread()).await.expect("it goes on");
    assert_eq!(outcome.state.phase(Phase::CrossCutting).usage.grep_calls, 1);
    let asked: Vec<(String, u32)> = second.requests().into_iter().map(|at| (at.phase, at.round)).collect();
    let late = [
        ("cross_cutting", 2),
        ("cross_cutting", 3),
        ("documentation_generation", 1),
        ("documentation_generation", 2),
    ];
    assert_eq!(asked, late.map(|(phase, round)| (phase.to_owned(), round)));
    assert_eq!(kit.outcome(), expected.outcome());
    let debug = kit.read(&format!(".agentic/doc_sessions/{}_debug.txt", kit.state().session_id));
    assert_eq!(debug.lines().filter(|line| *line == "--- cross_cutting round 1").count(), 1, "{debug}");
}

#[tokio::test]
async fn a_session_whose_thread_is_gone_goes_on_from_its_file() {
    // DOC-16, DOC-53: phases that are over are not done again, and the budget used stays used
    let kit = Kit::new();
    kit.run(&failing("cross_cutting", 2)).await.expect_err("the model fails");
    let stopped = session(&kit);
    let second = Player::usual();
    let graph = kit.graph(second.clone());
    let run =
        graph.run(stopped.run).thread(ThreadId::new("another").unwrap()).await.expect("it goes on").state;
    assert!(
        second
            .requests()
            .iter()
            .all(|at| at.phase == "cross_cutting" || at.phase == "documentation_generation"),
        "{:?}",
        second.requests()
    );
    let phase = run.phase(Phase::CrossCutting);
    assert_eq!((phase.status, phase.usage.grep_calls, phase.rounds), (PhaseStatus::Completed, 1, 3));
}

#[tokio::test]
async fn the_newest_unfinished_session_is_found_and_broken_files_are_skipped() {
    // DOC-13, DOC-55
    let kit = Kit::new();
    assert_eq!(find_resumable(&kit.root()).unwrap(), (Resumable::NothingToResume, vec![]));
    kit.done(&Player::usual()).await;
    assert_eq!(find_resumable(&kit.root()).unwrap().0, Resumable::NothingToResume);
    kit.write(".agentic/doc_sessions/doc_9.json", "{\"version\": 1, ");
    kit.write(".agentic/doc_sessions/doc_8.json", "{\"version\": 77}");
    let kit = kit.next(stategraph::workflows::doc_phases::input::Mode::Full);
    kit.run(&failing("architecture_discovery", 2)).await.expect_err("the model fails");
    let older = session(&kit);
    let kit = kit.next(stategraph::workflows::doc_phases::input::Mode::Full);
    kit.run(&failing("architecture_discovery", 2)).await.expect_err("the model fails");
    let (found, skipped) = find_resumable(&kit.root()).unwrap();
    let Resumable::Session(found) = found else { panic!("{found:?}") };
    assert!(found.run.started > older.run.started);
    assert_eq!(found.run.session_id, kit.state().session_id);
    assert_eq!(skipped.len(), 2, "{skipped:?}");
    assert!(skipped.iter().any(|line| line.contains("doc_9.json is skipped")), "{skipped:?}");
    assert!(skipped.iter().any(|line| line.contains("version 77")), "{skipped:?}");
}

#[tokio::test]
async fn one_failing_component_does_not_stop_the_others() {
    // DOC-32, DOC-107
    let kit = Kit::new();
    let player = Player::but(|at| (at.component == "auth").then(|| Said { fails: true, ..Said::default() }));
    let run = kit.done(&player).await;
    assert_eq!(run.component("store").status, PhaseStatus::Completed);
    assert_eq!(run.component("auth").status, PhaseStatus::Pending);
    assert_eq!(run.phase(Phase::ComponentDeepDive).status, PhaseStatus::BudgetExhausted);
    assert_eq!(run.phase(Phase::CrossCutting).status, PhaseStatus::Completed);
    assert!(run.errors.iter().any(|error| error.starts_with("component auth: ")), "{:?}", run.errors);
    let auth: Value = serde_json::from_str(&kit.read(".agentic/memory/components/auth.json")).unwrap();
    assert_eq!(auth["responsibility"], "Who may buy.", "what its documentation says");
    assert!(auth.get("explored_at").is_none(), "an update explores it");
}
