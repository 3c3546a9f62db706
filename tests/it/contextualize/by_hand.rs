//! Runs with a capable model: a reader who knew nothing but the requests wrote each answer by hand. The answers are played again in their
//! order, on the repository that it described.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stategraph::workflows::contextualize::{ContextualizeGenerate, ContextualizeRefine, ContextualizeScope};
use stategraph::workflows::{Acceptance, ArgValues, Workflow};
use stategraph_testing::fake_server::{FakeServer, Play, completion};

use super::runs::{Ran, Shop, generate, run};

const CONTEXT: &str = "contexts/repo/context.md";

fn base() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents/base")
}

/// Returns the answers of a run, in order.
fn answers(name: &str) -> Vec<Value> {
    let path = base().join(format!("contextualize/{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("answers")
}

/// Returns an answer as an endpoint sends it.
fn play(number: usize, answer: &Value) -> Play {
    let mut body = completion(answer["content"].as_str().expect("a text"));
    if let Some(calls) = answer["tool_calls"].as_array() {
        let call = |(at, call): (usize, &Value)| json!({ "id": format!("c{number}-{at}"), "type": "function", "function": { "name": call["name"], "arguments": call["arguments"].to_string() } });
        let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
        body["choices"][0]["finish_reason"] = json!("tool_calls");
        body["choices"][0]["message"]["tool_calls"] = json!(calls);
    }
    Play::json(200, &body)
}

/// A working folder with the repository that was described, and the texts of its files.
struct Described {
    shop: Shop,
    sources: BTreeMap<String, String>,
}

impl Described {
    fn new() -> Self {
        let shop = Shop::empty();
        let mut sources = BTreeMap::new();
        let root = base().join("repo");
        let mut open = vec![root.clone()];
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(next).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let name = path.strip_prefix(&root).expect("below it").display().to_string();
                let text = fs::read_to_string(&path).expect("a text");
                shop.write(&format!("repo/{name}"), &text);
                sources.insert(name, text);
            }
        }
        Self { shop, sources }
    }

    /// Runs a command over the answers of one run, each of which is asked for once. An agent whose last answer is a text of a tool is asked
    /// once more, because it may go on.
    async fn play(&self, workflow: &dyn Workflow, given: &ArgValues, name: &str) -> Ran {
        let written = answers(name);
        let number = written.len();
        let server = FakeServer::answering(move |at, _| match written.get(at) {
            Some(answer) => play(at, answer),
            None => Play::says("The file is written."),
        })
        .await;
        self.shop.configure(&server, "");
        let ran = run(workflow, given, &self.shop.setting()).await.unwrap_or_else(|error| panic!("{error}"));
        let more = usize::from(name == "generate-agent");
        assert_eq!(server.requests().len(), number + more, "{name}");
        assert_eq!(ran.report.acceptance, Acceptance::Accepted, "{name}: {:?}", ran.report.lines);
        ran
    }

    /// Checks a written file: it names the model, its places resolve, and it has all of the model's text.
    fn check(&self, file: &str, answer: &Value) {
        let text = self.shop.read(file);
        assert!(text.contains("model_used: \"fake-1\"") && text.contains("written_by: \"model\""), "{text}");
        assert!(!text.contains("\nremarks:"), "{text}");
        let said = answer["content"].as_str().expect("a text").trim();
        let (body, said_lines) = (text.lines().collect::<Vec<_>>(), said.lines());
        for line in said_lines {
            assert!(body.contains(&line.trim_end()), "{line:?} is missing in\n{text}");
        }
        let places = places(&text);
        assert!(places.len() > 20, "{places:?}");
        for (path, line) in places {
            let lines = self.sources.get(path).map(|text| text.lines().count());
            assert!(lines.is_some_and(|lines| line <= lines), "{file} names {path}:{line}");
        }
    }
}

/// Returns the places in brackets: each file, with the last line that is named.
fn places(text: &str) -> Vec<(&str, usize)> {
    let named = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(place, _)| place);
    let places = named.filter_map(|place| place.rsplit_once(':'));
    places
        .filter_map(|(path, lines)| Some((path, lines.rsplit('-').next().unwrap_or(lines).parse().ok()?)))
        .collect()
}

fn as_agent(given: ArgValues) -> ArgValues {
    given.with("mode", "agent").with("approve", "all")
}

fn question(text: &str) -> ArgValues {
    ArgValues::nothing().with("source", "repo").with("question", text)
}

fn change() -> ArgValues {
    let request = "Add the signatures of the public functions of src/secrets.rs, src/shell.rs and src/sources.rs with their lines, say which modules have no tests, and drop the section Entry points.";
    ArgValues::nothing().with("file", CONTEXT).with("request", request)
}

#[tokio::test]
async fn a_capable_model_describes_a_crate_in_two_answers() {
    // CTX-9, CTX-30, CTX-117, CTX-147
    let described = Described::new();
    described.play(&ContextualizeGenerate, &generate(), "generate-pipeline").await;
    described.check(CONTEXT, &answers("generate-pipeline")[1]);
}

#[tokio::test]
async fn a_capable_agent_describes_a_crate_and_goes_on_to_change_the_file() {
    // CTX-30, CTX-33, CTX-34, CTX-147
    let described = Described::new();
    described.play(&ContextualizeGenerate, &as_agent(generate()), "generate-agent").await;
    described.check(CONTEXT, answers("generate-agent").last().expect("the text"));
    described.play(&ContextualizeRefine, &as_agent(change()), "refine-agent").await;
    described.check(CONTEXT, &answers("refine-agent")[2]);
    assert!(!described.shop.read(CONTEXT).contains("## Entry points"));
}

#[tokio::test]
async fn a_capable_model_changes_a_context_file_in_one_answer() {
    // CTX-30, CTX-31, CTX-147
    let described = Described::new();
    described.play(&ContextualizeGenerate, &as_agent(generate()), "generate-agent").await;
    described.play(&ContextualizeRefine, &change(), "refine-pipeline").await;
    described.check(CONTEXT, &answers("refine-pipeline")[0]);
}

#[tokio::test]
async fn a_capable_model_answers_a_question_with_places_that_resolve() {
    // CTX-20, CTX-24, CTX-30, CTX-147
    let described = Described::new();
    let asked =
        "How does reading a file refuse symbolic links and named pipes, and what is different on macOS?";
    let ran = described.play(&ContextualizeScope, &question(asked), "scope-pipeline").await;
    described.check(&ran.report.outputs[0].display().to_string(), &answers("scope-pipeline")[1]);
}

#[tokio::test]
async fn a_capable_agent_answers_a_question_with_places_that_resolve() {
    // CTX-30, CTX-38, CTX-43, CTX-147
    let described = Described::new();
    let asked = "I want has_secret to find keys of a new provider that begin with gsk_. Which lines do I change, and which rule decides that a value behind a name looks random?";
    let ran = described.play(&ContextualizeScope, &as_agent(question(asked)), "scope-agent").await;
    described.check(&ran.report.outputs[0].display().to_string(), &answers("scope-agent")[3]);
}
