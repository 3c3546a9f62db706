//! Tools of a source outside the program: listed once, offered by name or pattern, approved by a person, never called twice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use stategraph_agent::{ForeignTool, Tool, ToolOutput, ToolSource, Toolbox, ToolboxError, selects};
use stategraph_core::{NodeResult, Status, ThreadId};
use stategraph_kinds::Services;
use stategraph_llm::{Scripted, ScriptedAnswer, ToolCall, ToolSpec};

use super::kinds::{asking, compiled, offline, one, start, value};

/// A source of the tools `mcp__x__read` and `mcp__x__write`; the second one needs an approval.
#[derive(Default)]
struct Source {
    lists: AtomicUsize,
    called: Arc<Mutex<Vec<String>>>,
}

struct Foreign {
    name: String,
    called: Arc<Mutex<Vec<String>>>,
}

impl Tool for Foreign {
    type Arguments = serde_json::Map<String, Value>;

    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &'static str {
        "Works elsewhere."
    }

    async fn run(&self, _: Self::Arguments) -> ToolOutput {
        self.called.lock().unwrap().push(self.name.clone());
        ToolOutput::ok("done")
    }
}

impl ToolSource for Source {
    fn list<'a>(&'a self, names: &'a [String]) -> BoxFuture<'a, NodeResult<Vec<ForeignTool>>> {
        async move {
            self.lists.fetch_add(1, Ordering::SeqCst);
            let all = ["mcp__x__read", "mcp__x__write"].into_iter();
            let selected = all.filter(|tool| names.iter().any(|name| selects(name, tool)));
            let parameters = json!({ "type": "object", "properties": {} });
            let spec = |name: &str| ToolSpec {
                name: name.into(),
                description: "d".into(),
                parameters: parameters.clone().into(),
            };
            Ok(selected
                .map(|name| ForeignTool {
                    spec: spec(name),
                    digest: "1".into(),
                    needs_approval: name.ends_with("write"),
                    limit_seconds: 300,
                })
                .collect())
        }
        .boxed()
    }

    fn add_to(&self, toolbox: Toolbox, tools: &[ForeignTool]) -> Result<Toolbox, ToolboxError> {
        tools.iter().try_fold(toolbox, |toolbox, tool| {
            toolbox.with(Foreign { name: tool.spec.name.clone(), called: self.called.clone() })
        })
    }
}

fn with_source(services: Services) -> (Services, Arc<Source>) {
    let source = Arc::new(Source::default());
    (services.foreign_tools(source.clone()), source)
}

fn calling(name: &str) -> ScriptedAnswer {
    let call = ToolCall { id: "c".into(), name: name.into(), arguments: "{}".into() };
    ScriptedAnswer { tool_calls: vec![call], ..Default::default() }
}

// SEC-131: tools of servers for an agent, by a pattern; the listed tools and the calls are journaled.
#[tokio::test]
async fn an_agent_has_the_foreign_tools_that_its_patterns_select_and_a_person_approves() {
    let text = one("{ out: string }", "{ agent: { task: t, tools: [mcp__x__*] }, to: out }");
    let answers =
        Scripted::new("test/m").reply(calling("mcp__x__read")).reply(calling("mcp__x__write")).answer("end");
    let (services, model) = asking(answers);
    let (services, source) = with_source(services);
    let graph = compiled(&text, services);
    let thread: ThreadId = "t".parse().unwrap();
    let waiting = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
    let Status::Waiting(questions) = waiting.status else { panic!("{:?}", waiting.status) };
    assert!(questions[0].payload.get().contains("mcp__x__write"), "{}", questions[0].payload);
    assert_eq!(*source.called.lock().unwrap(), ["mcp__x__read"]);
    let done = graph.resume(&thread).answer(questions[0].id, "approve").await.unwrap();
    assert_eq!(done.state.get("out"), Some(&json!("end")));
    // The first call was in the journal, and so was the list.
    assert_eq!(*source.called.lock().unwrap(), ["mcp__x__read", "mcp__x__write"]);
    assert_eq!(source.lists.load(Ordering::SeqCst), 1);
    let offered: Vec<String> = model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, ["mcp__x__read", "mcp__x__write"]);
}

#[tokio::test]
async fn a_node_calls_a_foreign_tool_and_without_a_source_the_error_says_how_to_name_one() {
    let text = one("{ out: string }", "{ tool: { name: mcp__x__read }, to: out }");
    let (services, source) = with_source(offline());
    assert_eq!(value(&text, services, "out").await.unwrap(), json!("done"));
    assert_eq!(source.called.lock().unwrap().len(), 1);
    let error = format!("{:?}", value(&text, offline(), "out").await.unwrap_err());
    assert!(
        error.contains("no server has the tool `mcp__x__read`")
            && error.contains("a file of servers: `mcp.json`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_part_of_a_node_cannot_call_a_tool_that_needs_an_approval() {
    let node = "{ map: { over: state.items, do: { tool: { name: mcp__x__write } } }, to: out }";
    let text = one("{ items: { type: list, default: [1] }, out: any }", node);
    let (services, source) = with_source(offline());
    let error = format!("{:?}", value(&text, services, "out").await.unwrap_err());
    assert!(error.contains("a person must approve calls of `mcp__x__write`"), "{error}");
    assert!(source.called.lock().unwrap().is_empty());
}
