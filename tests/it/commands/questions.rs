//! A workflow that asks: exit 3, each question with the command that answers it. Most are played here
//! by a workflow that only asks, with the program called in this process.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use stategraph::cli::{Catalogue, Exit, Interaction, Invocation, Program};
use stategraph::definition::{Definition, Diagnostics};
use stategraph::engine::{
    Cx, END, Event, NodeResult, START, SharedHost, State, StateGraph, ThreadId, Topology,
};
use stategraph::llm::EmbeddedPrompt;
use stategraph::workflows::{
    Acceptance, ArgValues, Argument, ArgumentKind, EmbeddedGraph, PreparedRun, Report, Setting, Workflow,
    WorkflowError,
};

use super::bad_input::golden;
use super::kit::{Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Order {
    size: Option<u32>,
    colour: Option<String>,
}

async fn ask_size(_: &Order, cx: &Cx<()>) -> NodeResult<OrderUpdate> {
    Ok(Order::update().size(Some(cx.interrupt(&"which size?").await?)))
}

async fn ask_colour(_: &Order, cx: &Cx<()>) -> NodeResult<OrderUpdate> {
    Ok(Order::update().colour(Some(cx.interrupt(&"which colour?").await?)))
}

/// Asks two questions at once.
struct Ordering;

impl Ordering {
    fn graph(setting: &Setting) -> SharedHost {
        let graph = StateGraph::<Order>::new("order").node("size", ask_size).node("colour", ask_colour);
        let graph = graph.edge(START, "size").edge(START, "colour").edge("size", END).edge("colour", END);
        Arc::new(graph.compile().unwrap().with_store(setting.store.clone()))
    }
}

impl Workflow for Ordering {
    fn name(&self) -> &'static str {
        "order"
    }

    fn about(&self) -> &'static str {
        "Takes an order"
    }

    fn arguments(&self) -> Vec<Argument<'_>> {
        vec![Argument { name: "gift", kind: ArgumentKind::Switch, about: "Wraps it" }]
    }

    fn graph_file(&self) -> Option<EmbeddedGraph> {
        None
    }

    fn prompts(&self) -> &'static [EmbeddedPrompt] {
        &[]
    }

    fn check(&self, definition: &Definition) -> Result<Topology, Diagnostics> {
        Ok(Topology::of(&definition.draft()))
    }

    fn prepare(&self, given: &ArgValues, setting: &Setting) -> Result<PreparedRun, WorkflowError> {
        let thread =
            ThreadId::new(if given.raw("gift").is_some() { "gift-order" } else { "order-1" }).unwrap();
        let state = serde_json::json!({ "size": null, "colour": null });
        Ok(PreparedRun::anew(Self::graph(setting), state, thread))
    }

    fn restore(&self, _: &ArgValues, setting: &Setting, _: &RawValue) -> Result<SharedHost, WorkflowError> {
        Ok(Self::graph(setting))
    }

    fn viewer(&self, setting: &Setting) -> Result<SharedHost, WorkflowError> {
        Ok(Self::graph(setting))
    }

    fn line(&self, _: &Event) -> Option<String> {
        None
    }

    fn report(&self, state: &RawValue) -> Result<Report, WorkflowError> {
        Ok(Report {
            acceptance: Acceptance::Accepted,
            lines: vec![state.get().to_owned()],
            outputs: Vec::new(),
            document: None,
            result: None,
        })
    }
}

/// A sink whose text can be read afterwards.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn graph(place: &Place, arguments: &[&str]) -> (Exit, String) {
    program(Program::Graph, vec![Box::new(Ordering)], place, arguments, None)
}

/// Runs a program in this process. With `typed` a person at a terminal types these lines.
fn program(
    program: Program,
    catalogue: Vec<Box<dyn Workflow>>,
    place: &Place,
    arguments: &[&str],
    typed: Option<&'static str>,
) -> (Exit, String) {
    let heard = Heard::default();
    let store = place.at("store").display().to_string();
    let all = [&[program.name()], arguments, &["--checkpoints", &store]].concat();
    let exit = program.run(Invocation {
        arguments: all.into_iter().map(Into::into).collect(),
        stdout: Box::new(std::io::sink()),
        stderr: Box::new(heard.clone()),
        stdin: Box::new(move || Box::new(typed.unwrap_or_default().as_bytes())),
        interaction: if typed.is_some() { Interaction::Terminal } else { Interaction::None },
        env: Arc::new(BTreeMap::<String, String>::new()),
        catalogue: Catalogue::new(catalogue),
    });
    let said = String::from_utf8(heard.0.lock().unwrap().clone()).unwrap();
    (exit, anstream::adapter::strip_str(&said).to_string().replace(&store, "STORE"))
}

// DESIGN.md section 5: exit 3, question, node, payload, and the exact command. F53, F54.
#[test]
fn questions_are_shown_with_the_commands_that_answer_them() {
    let place = Place::new();
    let (exit, said) = graph(&place, &["run", "order"]);
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert_eq!(
        said,
        "thread order-1\nwaiting for 2 answers\n\
         question 1.0.0 of `colour`: which colour?\n\
         to answer: graph resume order-1 --checkpoints STORE --answer '1.0.0=JSON'\n\
         question 1.1.0 of `size`: which size?\n\
         to answer: graph resume order-1 --checkpoints STORE --answer '1.1.0=JSON'\n"
    );
    let (exit, said) = graph(&place, &["resume", "order-1"]);
    assert_eq!(exit, Exit::Waiting, "asked again: {said}");
    let (exit, said) = graph(&place, &["resume", "order-1", "--answer", "1.1.0=42"]);
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(said.contains("waiting for 1 answer\n") && !said.contains("1.1.0"), "{said}");
    let (exit, said) = graph(&place, &["resume", "order-1", "--answer", "\"blue = sky\""]);
    assert_eq!(exit, Exit::Done, "{said}");
    assert!(said.contains(r#"{"size":42,"colour":"blue = sky"}"#), "{said}");
}

// F57: also where the workflow is not one of a graph file, whose runs start from the beginning
#[test]
fn a_named_thread_that_waits_is_not_run_again_unless_it_is_to_restart() {
    let place = Place::new();
    let again = ["run", "order", "--thread", "mine"];
    assert_eq!(graph(&place, &again).0, Exit::Waiting);
    let (exit, said) = graph(&place, &again);
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(said.starts_with("nothing was run: that would drop a question of thread mine\n"), "{said}");
    assert!(
        said.contains("to answer: graph resume mine --checkpoints STORE --answer '1.0.0=JSON'"),
        "{said}"
    );
    let (exit, said) = graph(&place, &[&again[..], &["--restart"]].concat());
    assert_eq!(exit, Exit::Waiting, "{said}");
    for part in ["question 1.1.0 of `size` was dropped", "question 2.0.0 of `colour`: which colour?"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn an_answer_that_fits_no_question_is_refused_and_changes_nothing() {
    let place = Place::new();
    graph(&place, &["run", "order", "--gift"]);
    for (answers, expected) in [
        (&["--answer", "42"][..], "does not say which of 2 questions it answers"),
        (&["--answer", "1.0.0=blue"], "the answer to question 1.0.0 is not JSON"),
        (&["--answer", "9.0.0=1"], "there is no open question 9.0.0"),
        (&["--answer", "1.0.0=1", "--answer", "1.0.0=2"], "question 1.0.0 was answered twice"),
    ] {
        let (exit, said) = graph(&place, &[&["resume", "gift-order"], answers].concat());
        assert_eq!(exit, Exit::Error, "{said}");
        assert!(said.contains(expected) && said.contains("hint: "), "{said}");
    }
    let both = ["--answer", "1.0.0=\"red\"", "--answer", "1.1.0=1"];
    let (exit, said) = graph(&place, &[&["resume", "gift-order"], &both[..]].concat());
    assert_eq!(exit, Exit::Done, "{said}");
    let (exit, said) = graph(&place, &["resume", "gift-order", "--answer", "1"]);
    assert_eq!(exit, Exit::Error, "{said}");
    assert!(said.contains("no question is open"), "{said}");
}

fn typed(place: &Place, arguments: &[&str], lines: &'static str) -> (Exit, String) {
    program(Program::Graph, vec![Box::new(Ordering)], place, arguments, Some(lines))
}

#[test]
fn a_person_at_a_terminal_is_asked_and_the_run_goes_on() {
    let place = Place::new();
    let (exit, said) = typed(&place, &["run", "order"], "deep blue\n\n7\n");
    assert_eq!(exit, Exit::Done, "{said}");
    for part in
        ["question of `colour`: which colour?", "an answer is needed", r#"{"size":7,"colour":"deep blue"}"#]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("to answer:"), "{said}");
}

#[test]
fn the_end_of_the_input_leaves_a_question_and_keeps_the_answers() {
    let place = Place::new();
    let (exit, said) = typed(&place, &["run", "order"], "blue\n");
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(said.contains("waiting for 1 answer\n") && said.contains("--answer '1.1.0=JSON'"), "{said}");
    let (exit, said) = typed(&place, &["resume", "order-1"], "42\n");
    assert_eq!(exit, Exit::Done, "{said}");
    assert!(said.contains(r#"{"size":42,"colour":"blue"}"#), "{said}");
    // Nothing typed at all, and a run for a machine, ask nothing that is not answered.
    let (exit, said) = typed(&place, &["run", "order", "--gift"], "");
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(said.contains("waiting for 2 answers\n"), "{said}");
    let (exit, said) = typed(&place, &["resume", "gift-order", "--json"], "1\n2\n");
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(!said.contains("Ctrl-D"), "{said}");
}

#[test]
fn a_person_at_a_terminal_decides_about_an_earlier_run() {
    let place = Place::new();
    assert_eq!(graph(&place, &["run", "order"]).0, Exit::Waiting);
    let (exit, said) = typed(&place, &["run", "order"], "maybe\n");
    assert_eq!(exit, Exit::Stopped, "{said}");
    for part in [
        "an earlier run of the same input was not finished (order-1@1)",
        "y continues it, n starts over",
        "nothing was run; to continue: graph resume order-1 --checkpoints STORE",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (exit, said) = typed(&place, &["run", "order"], "n\n");
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(said.contains("question 1.0.0 of `colour` was dropped"), "{said}");
    let (exit, said) = typed(&place, &["run", "order"], "\nred\n1\n");
    assert_eq!(exit, Exit::Done, "{said}");
    assert!(said.contains(r#"{"size":1,"colour":"red"}"#) && !said.contains("dropped"), "{said}");
    // In a pipe the questions stay open.
    assert_eq!(graph(&place, &["run", "order", "--gift"]).0, Exit::Waiting);
    let (exit, said) = graph(&place, &["run", "order", "--gift"]);
    assert_eq!(exit, Exit::Waiting, "{said}");
    assert!(said.starts_with("nothing was run: that would drop a question of thread gift-order\n"), "{said}");
    assert!(said.contains("waiting for 2 answers\n"), "{said}");
}

// ARD-72: the debate asks about an ambiguity, and goes on with the answer.
#[tokio::test]
async fn a_debate_that_asks_is_answered_by_the_printed_command() {
    let place = Place::new();
    let options =
        json!([{ "text": "Phones", "recommended": true }, { "text": "Laptops", "recommended": false }]);
    let ambiguous =
        json!({ "id": 1, "category": "ambiguity", "description": "Which devices?", "options": options });
    let server = FakeServer::answering(move |number, _| {
        let part = json!([{ "name": "Box", "type": "Utility", "purpose": "Counts the boxes." }]);
        Play::says(&match number {
            0 => json!({ "components": part, "design_rationale": "" }).to_string(),
            1 => json!({ "status": "needs_revision", "challenges": [ambiguous.clone()] }).to_string(),
            2 => {
                let part =
                    json!([{ "name": "Box", "type": "Utility", "purpose": "Counts the boxes on phones." }]);
                json!({ "components": part, "design_rationale": "Challenge 1: phones." }).to_string()
            }
            _ => json!({ "status": "verified", "challenges": [] }).to_string(),
        })
    })
    .await;
    place.configure(&server.base_url());
    place.write("config.yaml", place.read("config.yaml") + "on_ambiguity: ask\n");
    let asked = done(place.ard(["run", "--idea", "A box that counts."])).await.exits(3);
    golden("question", &place, &asked);
    // The printed command takes the recommended option.
    assert!(asked.command("to answer: ").ends_with("--answer 3.0.0=1"), "{}", asked.err);
    let wrong = done(place.shell(&asked.command("to answer: ").replace("0=1", "0=Phones"))).await.exits(2);
    golden("question_answered_without_quotes", &place, &wrong);
    done(place.shell(&asked.command("to answer: "))).await.exits(0);
    assert!(place.read("spec.md").contains("Phones"));
    assert_eq!(server.requests().len(), 4, "what was answered is not asked again");
}
