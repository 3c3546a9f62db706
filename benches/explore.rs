//! 1,000 agents by a scripted model: processor time an agent, and memory with 250, 500 and 1,000 agents. Every agent reads four files,
//! writes two notes, and finishes; every tenth delegates to nine others.
#![allow(clippy::print_stdout, reason = "its figures are what it is for")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails ends")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::json;
use stategraph::engine::{CheckpointStore, ThreadId};
use stategraph::llm::{
    AnswerFuture, ChatAnswer, ChatModel, ChatRequest, Finish, ModelName, Prompts, Role, TokenSink, ToolCall,
    Usage, UsageSource,
};
use stategraph::repo::Root;
use stategraph::store::SledStore;
use stategraph::workflows::Timestamp;
use stategraph::workflows::explore::exploration_graph;
use stategraph::workflows::explore::input::ExploreSettings;
use stategraph::workflows::explore::services::{ExploreResources, ExploredRepository, PROMPTS};
use stategraph::workflows::explore::state::ExploreRun;

/// Agents below an agent that delegates.
const CHILDREN: usize = 9;

/// A model whose answers follow from the scope of the agent.
struct Explorer(ModelName);

impl ChatModel for Explorer {
    fn name(&self) -> &ModelName {
        &self.0
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, _: &'a dyn TokenSink) -> AnswerFuture<'a> {
        let answers = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let first = &request.messages[1].content;
        let scope = first.split_once("Your scope: `").map(|(_, rest)| rest.split('`').next().unwrap());
        let file = first.lines().find_map(|line| line.strip_prefix("- ")).unwrap_or_default();
        let mut calls = Vec::new();
        match answers {
            0..=3 => calls.push(("read_file", json!({ "path": file }))),
            4 => {
                calls.push((
                    "write_notepad",
                    json!({ "topic": "parts", "content": format!("`{file}` has a part.") }),
                ));
                for child in 0..CHILDREN {
                    let target =
                        scope.map_or_else(|| format!("d{child}"), |scope| format!("{scope}/d{child}"));
                    calls.push(("delegate", json!({ "target": target, "purpose": "look" })));
                }
            }
            _ => {
                calls.push(("write_notepad", json!({ "topic": "done", "content": "It is done." })));
                calls.push(("finish", json!({ "summary": format!("`{file}` was read.") })));
            }
        }
        let calls = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
            id: format!("c{index}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        });
        let usage = Usage { prompt_tokens: 0, completion_tokens: 0, source: UsageSource::Reported };
        let model = self.0.to_string();
        let (text, finish) = (String::new(), Finish::ToolCalls);
        let answer = ChatAnswer { text, tool_calls: calls.collect(), usage, cost: None, model, finish };
        async move { Ok(answer) }.boxed()
    }
}

/// Writes a tree of folders of four levels, each with a file of 4 KiB.
fn write_tree(folder: &Path, levels: usize) {
    std::fs::create_dir_all(folder).unwrap();
    let mut text = String::new();
    for line in 0..100 {
        let _ = writeln!(text, "pub fn work_{line}() {{ println!(\"{line}\"); }}");
    }
    std::fs::write(folder.join("a.rs"), text).unwrap();
    if levels > 0 {
        (0..CHILDREN).for_each(|child| write_tree(&folder.join(format!("d{child}")), levels - 1));
    }
}

async fn explore(folder: &Path, agents: u32, is_stored: bool) -> usize {
    let mut settings = ExploreSettings { model: "test/explorer".to_owned(), ..ExploreSettings::default() };
    settings.limits.agents = agents;
    settings.limits.budget = stategraph::llm::layer::BudgetLimits::default();
    let root = Root::open(folder.join("repo")).unwrap();
    let path = root.absolute().to_owned();
    let repository = Arc::new(ExploredRepository::new(root, &[], None));
    let model: Arc<dyn ChatModel> = Arc::new(Explorer("test/explorer".into()));
    let prompts = Prompts::new(PROMPTS).unwrap();
    let mut resources = ExploreResources::new(Some(model), prompts, repository, settings.clone());
    resources.folder = folder.to_owned();
    let run = ExploreRun::new(settings, path, "repo".to_owned(), Timestamp::from_ms(0));
    let graph = exploration_graph(resources);
    let end = if is_stored {
        let store: Arc<dyn CheckpointStore> = Arc::new(SledStore::open(folder.join("store")).unwrap());
        graph.with_store(store).run(run).thread(ThreadId::from_parts(&["bench", &agents.to_string()])).await
    } else {
        graph.run(run).await
    };
    end.unwrap().state.result.unwrap().agents.len()
}

/// Returns a figure of this process in KiB.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|kib| kib.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Returns the processor time of this process in milliseconds.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    (ticks(11) + ticks(12)) * 10
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    write_tree(&folder.path().join("repo"), 3);
    for is_stored in [false, true] {
        for agents in [250, 500, 1_000] {
            let (before, began) = (status("VmRSS:"), processor_ms());
            // The peak counts from here.
            let _ = std::fs::write("/proc/self/clear_refs", "5");
            let ran = explore(folder.path(), agents, is_stored).await;
            let took = (processor_ms() - began) * 1_000;
            let store = if is_stored { "with sled" } else { "no store" };
            println!(
                "{store}: {ran} agents, {} µs an agent, peak {} MiB, {} MiB before",
                took / ran.max(1) as u64,
                status("VmHWM:") / 1024,
                before / 1024
            );
        }
    }
}
