//! A node of a graph file that gives signs of life: an attempt that stays silent is ended, and the next one goes on after it.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use stategraph::definition::{Definition, Registry};
use stategraph::prelude::*;

const FILE: &str = "
name: import
state: import
nodes:
  read:
    uses: import.read
    # Only heartbeats count: an attempt may take an hour, if it never goes 50 ms without one.
    heartbeat_timeout: 50ms
    retry: { attempts: 2, first_wait: 1ms, retry_on: [timeout] }
edges:
  - { from: START, to: read }
  - { from: read, to: END }
";

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Import {
    rows: u32,
    attempts: u32,
}

async fn read(_: &Import, cx: &Cx) -> NodeResult<ImportUpdate> {
    for row in 0..100 {
        cx.heartbeat();
        if row == 70 && cx.attempt() == 1 {
            println!("the connection hangs");
            std::future::pending::<()>().await;
        }
        tokio::task::yield_now().await;
    }
    Ok(Import::update().rows(100).attempts(cx.attempt()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::<Import>::new("import").node("import.read", "reads all rows", read)?;
    let graph = Definition::parse(FILE, "import.yaml")?.build(&registry)?.compile()?;
    let import = graph.run(Import::default()).await?.state;
    println!("{} rows at attempt {}", import.rows, import.attempts);
    Ok(())
}
