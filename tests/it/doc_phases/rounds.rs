//! Rounds: sent messages, parsed answers, the end of a phase.

use serde_json::json;
use stategraph::llm::{ChatRequest, Role};
use stategraph::workflows::doc_phases::input::ToolForm;
use stategraph::workflows::doc_phases::phase::{Phase, parse_completion};
use stategraph::workflows::doc_phases::state::PhaseStatus;

use super::kit::{Kit, Player, Said, calls, complete, last_word, says};

const A: &str = "architecture_discovery";

#[test]
fn a_completion_is_read_however_it_is_written() {
    // DOC-25, DOC-34, DOC-35, DOC-36
    let read = |text: &str| parse_completion(Phase::CrossCutting, text).unwrap();
    let plain = read(
        "Done.\n<phase_complete>\n{\"findings_summary\": \"Five.\", \"confidence\": 0.85}\n</phase_complete>",
    );
    assert_eq!((&*plain.completion.findings_summary, plain.completion.confidence), ("Five.", 0.85));
    assert_eq!((plain.problem, plain.completion.ready_for_next_phase), (None, None));
    let odd = read(
        "<PHASE_Complete>```json\n{\"findings_summary\": \"x\", \"confidence\": \"0.5\", \"ready_for_next_phase\": \"True\"}\n```</Phase_Complete>",
    );
    assert_eq!(
        (odd.completion.confidence, odd.completion.ready_for_next_phase, odd.problem),
        (0.5, Some(true), None)
    );
    let two = read(
        "<phase_complete>{\"findings_summary\": \"a\", \"confidence\": 0}</phase_complete> <phase_complete>{\"findings_summary\": \"b\", \"confidence\": 1}</phase_complete>",
    );
    assert_eq!(two.completion.findings_summary, "b");
    assert_eq!(parse_completion(Phase::CrossCutting, "I am done."), None);
    let of_d =
        "<doc_generation_complete>{\"findings_summary\": \"d\", \"confidence\": 1}</doc_generation_complete>";
    assert_eq!(parse_completion(Phase::CrossCutting, of_d), None);
    assert_eq!(
        parse_completion(Phase::DocumentationGeneration, of_d).unwrap().completion.findings_summary,
        "d"
    );
}

#[test]
fn a_completion_that_is_broken_is_one_and_says_so() {
    // DOC-31
    let broken =
        parse_completion(Phase::CrossCutting, "<phase_complete>all {found</phase_complete>").unwrap();
    assert_eq!((&*broken.completion.findings_summary, broken.completion.confidence), ("all {found", 0.0));
    assert!(broken.problem.unwrap().starts_with("the completion is no JSON object"));
    let half = parse_completion(Phase::CrossCutting, "<phase_complete>{\"confidence\": 7}</phase_complete>")
        .unwrap();
    assert_eq!(
        half.problem.unwrap(),
        "the completion is not whole: it has no `findings_summary`; it has no `confidence` from 0 to 1"
    );
}

#[tokio::test]
async fn a_broken_completion_ends_the_phase_and_is_reported() {
    // DOC-31
    let player = Player::but(|at| {
        (at.phase == "cross_cutting").then(|| says("<phase_complete>oops</phase_complete>"))
    });
    let run = Kit::new().done(&player).await;
    assert_eq!(run.phase(Phase::CrossCutting).status, PhaseStatus::Completed);
    assert_eq!(run.phase(Phase::CrossCutting).findings_summary.as_deref(), Some("oops"));
    assert!(run.errors[0].starts_with("cross_cutting: the completion is no JSON object"), "{:?}", run.errors);
}

#[tokio::test]
async fn calls_win_over_a_completion() {
    // DOC-24, DOC-30
    let player = Player::but(|at| match (at.phase.as_str(), at.round) {
        ("cross_cutting", 1) => {
            Some(Said { text: complete("too early").text, ..calls([("list_files", json!({}))]) })
        }
        _ => None,
    });
    let run = Kit::new().done(&player).await;
    assert_eq!(run.phase(Phase::CrossCutting).findings_summary.as_deref(), Some("cross_cutting is done."));
    assert_eq!(player.results("cross_cutting", 1).len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_neither_is_asked_to_go_on() {
    // DOC-26
    let player = Player::but(|at| ((at.phase.as_str(), at.round) == (A, 1)).then(|| says("Let me think.")));
    Kit::new().done(&player).await;
    let second = player.request(A, 2);
    let reminder = &second.messages[second.messages.len() - 2];
    assert_eq!(reminder.role, Role::User);
    assert!(reminder.content.contains("Continue with calls, or signal completion"), "{second:?}");
}

#[tokio::test]
async fn calls_above_the_limit_are_not_run_and_say_so() {
    // DOC-20, DOC-28
    let list = || ("list_files", json!({}));
    let player = Player::but(move |at| {
        ((at.phase.as_str(), at.round) == (A, 1))
            .then(|| calls([list(), list(), list(), list(), list(), list(), list()]))
    });
    Kit::new().done(&player).await;
    let results = player.results(A, 1);
    assert_eq!(results.len(), 7);
    assert!(results[..5].iter().all(|result| result["success"] == true));
    for dropped in &results[5..] {
        assert!(dropped["content"].as_str().unwrap().contains("only 5 calls are run at once"), "{dropped}");
    }
}

#[tokio::test]
async fn a_model_that_never_completes_ends_at_the_limit() {
    // DOC-18, DOC-19, DOC-29
    let player = Player::but(|at| (at.phase == "cross_cutting").then(|| calls([("list_files", json!({}))])));
    assert_eq!(Kit::new().settings.max_rounds_per_phase, 30, "unless the user says otherwise");
    let kit = Kit::new().set(|settings| settings.max_rounds_per_phase = 4);
    let run = kit.done(&player).await;
    let phase = run.phase(Phase::CrossCutting);
    assert_eq!((phase.status, phase.rounds), (PhaseStatus::BudgetExhausted, 4));
    assert!(phase.error.as_ref().unwrap().contains("the limit of 4 rounds"), "{phase:?}");
    assert_eq!(run.phase(Phase::DocumentationGeneration).status, PhaseStatus::Completed);
    assert_eq!(run.errors.len(), 1);
    let session: serde_json::Value =
        serde_json::from_str(&kit.read(&format!(".agentic/doc_sessions/{}.json", run.session_id))).unwrap();
    assert_eq!(session["phases"]["cross_cutting"]["status"], "budget_exhausted");
}

#[tokio::test]
async fn a_model_is_sent_the_prompts_the_context_and_three_exchanges() {
    // DOC-23, DOC-101, DOC-102, DOC-106, DOC-124
    let player = Player::but(|at| match (at.phase.as_str(), at.round) {
        (A, 1..=5) => Some(calls([("read_file", json!({ "path": "Cargo.toml", "start_line": at.round }))])),
        (A, 6) => Some(calls([(
            "store_discovery",
            json!({ "type": "architecture", "data": super::kit::overview() }),
        )])),
        _ => None,
    });
    Kit::new().done(&player).await;
    let sent: ChatRequest = player.request(A, 6);
    let roles: Vec<Role> = sent.messages.iter().map(|message| message.role).collect();
    let sent_roles = "System User Assistant Tool Assistant Tool Assistant Tool User";
    assert_eq!(roles.iter().map(|role| format!("{role:?}")).collect::<Vec<_>>().join(" "), sent_roles);
    assert!(sent.messages[2].tool_calls[0].arguments.contains("\"start_line\":3"), "{:?}", sent.messages[2]);
    let (system, context) = (&sent.messages[0].content, &last_word(&sent).content);
    for rule in [
        "NEVER guess or assume - always verify with tools",
        "RESPECT BUDGET LIMITS",
        "STORE DISCOVERIES",
        "BOUNDED QUERIES ONLY",
    ] {
        assert!(system.contains(rule), "{system}");
    }
    for wish in [
        "its name and purpose",
        "technology stack",
        "entry points",
        "major components",
        "architectural style",
    ] {
        assert!(system.contains(wish), "{system}");
    }
    let names: Vec<&str> = sent.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(system.contains(&format!("Tools: {}.", names.join(", "))), "{system}");
    assert_eq!(names, Phase::ArchitectureDiscovery.offered_tools());
    assert!(context.contains("Phase: architecture_discovery, round 6 of 30"), "{context}");
    assert!(context.contains("Budget: file reads: 3 of 10 used; "), "{context}");
    assert!(
        context.contains("- round 1: read_file {\"path\":\"Cargo.toml\",\"start_line\":1}: "),
        "{context}"
    );
    assert!(context.contains("- round 2: "), "{context}");
    assert!(!context.contains("- round 3: "), "{context}");
}

#[tokio::test]
async fn each_phase_has_its_prompt() {
    // DOC-103, DOC-104, DOC-105
    let player = Player::usual();
    Kit::new().done(&player).await;
    for (phase, words) in [
        (
            "component_deep_dive",
            vec!["one component fully", "its files", "its interfaces", "its dependencies"],
        ),
        ("cross_cutting", vec!["authentication", "configuration", "logging", "error handling"]),
        ("documentation_generation", vec!["markdown documentation", "memory ONLY"]),
    ] {
        let system = &player.request(phase, 1).messages[0].content;
        assert!(words.iter().all(|word| system.contains(word)), "{system}");
    }
}

#[tokio::test]
async fn calls_in_xml_are_run_whether_tools_are_offered_in_text_or_not() {
    // DOC-33, DOC-35, DOC-36
    for form in [ToolForm::Native, ToolForm::Xml] {
        let player = Player::but(|at| {
            let text = "Looking.\n<Function_Calls>\n<invoke name=\"grep\">\n<parameter name=\"pattern\">fn main</parameter>\n<parameter name=\"max_results\">7</parameter>\n<parameter name=\"extensions\">[\"rs\"]</parameter>\n</invoke>\n</Function_Calls>\n<function_calls><invoke name=\"read_file\"><parameter name=\"path\">Cargo.toml</parameter><parameter name=\"max_lines\">lots</parameter></invoke></function_calls>";
            ((at.phase.as_str(), at.round) == (A, 1)).then(|| says(text))
        });
        let kit = Kit::new().set(|settings| settings.tools = form);
        let run = kit.done(&player).await;
        let second = player.request(A, 2);
        let said = format!("{:?}", second.messages);
        assert!(said.contains("src/main.rs:6: fn main"), "{said}");
        assert!(said.contains("the arguments of `read_file` do not fit"), "{said}");
        assert_eq!(second.tools.is_empty(), form == ToolForm::Xml);
        assert_eq!(run.phase(Phase::ArchitectureDiscovery).usage.files_read, 0);
    }
}
