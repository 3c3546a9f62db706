//! LangGraph's `SqliteSaver`: a thread that outlives the process.
use std::path::Path;
use std::sync::Arc;

use stategraph::prelude::*;
use stategraph::store::SledStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Talk {
    #[state(append)]
    lines: Vec<String>,
}

async fn reply(talk: &Talk) -> TalkUpdate {
    Talk::update().lines(format!("reply {}", talk.lines.len()))
}

/// Opens the store anew, as another process would, and continues the thread.
async fn say(folder: &Path, line: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let graph = StateGraph::new("talk").node("reply", reply).sequence([START, "reply", END]).compile()?;
    let graph = graph.with_store(Arc::new(SledStore::open(folder)?));
    let thread = ThreadId::new("1")?;
    Ok(graph.invoke(&thread, Talk::update().lines(line)).await?.state.lines)
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    say(folder.path(), "one").await?;
    Ok(say(folder.path(), "two").await?.join(" | "))
}
