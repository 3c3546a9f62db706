//! The approvals and the budgets of an agent of a graph file.

use std::sync::Arc;

use serde_json::{Value, json};
use stategraph_core::store::MemoryStore;
use stategraph_core::{Outcome, RunError, Status, ThreadId};
use stategraph_files::Definition;
use stategraph_files::inline::JsonState;
use stategraph_kinds::{Models, Services, graph};
use stategraph_llm::layer::{Meter, Metered};
use stategraph_llm::{Prices, Scripted, ScriptedAnswer, SharedModel, ToolCall, Usage, UsageSource};

use super::kinds::{asking, one, start};

const STATE: &str = "{ out: string }";
const TOOL: &str = "tools:\n  buy:\n    description: Buys\n    parameters: { type: object, properties: { what: { type: string } } }\n    \
                    template: \"{{ arguments.what }} is bought\"\n";

/// A graph of one agent with the tool `buy` and these keys.
fn agent(keys: &str) -> String {
    let node = format!("{{ agent: {{ task: t, tools: [buy], {keys} }}, to: out }}");
    one(STATE, &node).replace("nodes:\n", &format!("{TOOL}nodes:\n"))
}

fn buying(things: &[&str]) -> ScriptedAnswer {
    let call = |(at, what): (usize, &&str)| ToolCall {
        id: format!("c{at}"),
        name: "buy".to_owned(),
        arguments: json!({ "what": what }).to_string(),
    };
    ScriptedAnswer { tool_calls: things.iter().enumerate().map(call).collect(), ..Default::default() }
}

async fn runs(
    text: &str,
    services: Services,
    store: &MemoryStore,
    answers: Vec<(stategraph_core::QuestionId, Value)>,
) -> Result<Outcome<JsonState>, RunError> {
    let definition = Definition::parse(text, "t.yaml").unwrap_or_else(|found| panic!("{found}"));
    let graph = graph(&definition).unwrap().compile_with(services).unwrap();
    let graph = graph.with_store(Arc::new(store.clone()));
    let thread = ThreadId::new("t").unwrap();
    let request =
        if answers.is_empty() { graph.run(start(text)).thread(thread) } else { graph.resume(&thread) };
    answers.iter().fold(request, |request, (question, answer)| request.answer(*question, answer)).await
}

/// Returns the tool results in the second request to the model.
fn results(model: &Scripted) -> Vec<Value> {
    let messages = &model.requests()[1].messages;
    messages.iter().skip(2).map(|message| serde_json::from_str(&message.content).unwrap()).collect()
}

// CTX-93, CTX-95, CTX-143: the run waits with all questions of an answer, and goes on without asking the model again.
#[tokio::test]
async fn a_person_is_asked_before_the_calls_and_each_answer_counts() {
    let text = agent("approve: [buy]");
    let (services, model) =
        asking(Scripted::new("test/m").reply(buying(&["tea", "cake", "gold"])).answer("done"));
    let store = MemoryStore::new();
    let end = runs(&text, services, &store, Vec::new()).await.unwrap();
    let Status::Waiting(questions) = end.status else { panic!("{:?}", end.status) };
    let payload: Value = serde_json::from_str(questions[0].payload.get()).unwrap();
    assert_eq!(
        (&payload["action"], &payload["args"]),
        (&json!("approve_tool_call"), &json!({ "what": "tea" }))
    );
    assert_eq!((questions.len(), model.requests().len()), (3, 1));
    let said = [
        json!("approve"),
        json!({ "decision": "edit", "args": { "what": "bread" } }),
        json!({ "decision": "reject", "reason": "too dear" }),
    ];
    let answers = questions.iter().map(|question| question.id).zip(said).collect();
    let (services, model) = asking(Scripted::new("test/m").answer("done"));
    let end = runs(&text, services, &store, answers).await.unwrap();
    assert_eq!(end.state.get("out"), Some(&json!("done")));
    let messages = &model.requests()[0].messages;
    let arguments: Vec<&str> = messages[1].tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments[1], "{\"what\":\"bread\"}", "the conversation remembers what was run");
    let read: Vec<Value> =
        messages.iter().skip(2).map(|message| serde_json::from_str(&message.content).unwrap()).collect();
    assert_eq!(
        (&read[0]["content"], &read[1]["content"]),
        (&json!("tea is bought"), &json!("bread is bought"))
    );
    assert_eq!((&read[2]["success"], &read[2]["error"]), (&json!(false), &json!("refused")));
    assert!(read[2]["content"].as_str().unwrap().ends_with("too dear"), "{}", read[2]);
}

// CTX-88, CTX-89, CTX-92, CTX-140: the node fails before the request that is too much, and goes on with more.
#[tokio::test]
async fn a_budget_of_tokens_ends_the_node_and_a_larger_one_goes_on() {
    let usage = Usage { prompt_tokens: 80, completion_tokens: 18, source: UsageSource::Reported };
    let bought = ScriptedAnswer { usage: Some(usage), ..buying(&["tea"]) };
    let (services, model) = asking(Scripted::new("test/m").reply(bought).answer("done"));
    let store = MemoryStore::new();
    let first = agent("budget: { tokens: 100 }");
    let error = runs(&first, services, &store, Vec::new()).await.unwrap_err();
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert!(told.starts_with("budget exceeded: ") && told.contains(" tokens of 100 allowed"), "{told}");
    assert!(error.hint().unwrap().starts_with("raise `budget`"), "{:?}", error.hint());
    assert_eq!(model.requests().len(), 1, "the second request was not made");
    let (services, model) = asking(Scripted::new("test/m").answer("done"));
    let definition = Definition::parse(agent("budget: { tokens: 6000 }"), "t.yaml").unwrap();
    let graph = graph(&definition).unwrap().compile_with(services).unwrap().with_store(Arc::new(store));
    let end = graph.resume(&ThreadId::new("t").unwrap()).await.unwrap();
    assert_eq!((end.state.get("out"), model.requests().len()), (Some(&json!("done")), 1));
}

// CTX-91: money is counted by the price of each answer; without a price a budget in dollars is an error.
#[tokio::test]
async fn a_budget_of_money_needs_prices_and_holds() {
    let usage = Usage { prompt_tokens: 100_000, completion_tokens: 20_000, source: UsageSource::Reported };
    let run = async |prices: Option<Prices>| {
        let bought = ScriptedAnswer { usage: Some(usage), ..buying(&["tea"]) };
        let model = Arc::new(Scripted::new("test/m").reply(bought).answer("done"));
        let metered: SharedModel =
            Arc::new(Metered::new(model.clone() as SharedModel, Meter::default(), prices));
        let services = Services::new(Models::One(metered));
        let end = runs(&agent("budget: { dollars: 0.5 }"), services, &MemoryStore::new(), Vec::new()).await;
        (end.map_err(|error| std::error::Error::source(&error).unwrap().to_string()), model.requests().len())
    };
    // 3 dollars a million read, 15 written: 0.60.
    let (end, asked) = run(Some(Prices { input: 3.0, output: 15.0 })).await;
    let told = end.unwrap_err();
    assert_eq!(asked, 1);
    assert!(told.starts_with("budget exceeded: $0.60") && told.contains("$0.50"), "{told}");
    let (end, asked) = run(Some(Prices { input: 2.0, output: 15.0 })).await;
    assert_eq!(
        (end.map(|end| end.state.get("out").cloned()), asked),
        (Ok(Some(json!("done"))), 2),
        "not above"
    );
    let (end, asked) = run(None).await;
    let told = "the price of `test/m` is unknown, so the limit `dollars` cannot be enforced";
    assert_eq!((end.unwrap_err().as_str(), asked), (told, 1));
}

// CTX-75, CTX-142: requests beyond those of a minute wait, on a clock of the test.
#[tokio::test(start_paused = true)]
async fn requests_of_a_minute_wait_for_room() {
    let script = Scripted::new("test/m").reply(buying(&["tea"])).reply(buying(&["cake"])).answer("done");
    let (services, model) = asking(script);
    let before = tokio::time::Instant::now();
    let text = agent("budget: { requests_per_minute: 2 }");
    runs(&text, services, &MemoryStore::new(), Vec::new()).await.unwrap();
    assert_eq!((before.elapsed().as_secs(), model.requests().len()), (60, 3));
    assert_eq!(results(&model)[0]["content"], "tea is bought");
}
