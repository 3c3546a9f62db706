//! Two nodes at once, and a join that waits for both: updates are folded by name, whatever finishes first.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::time::Duration;

use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Report {
    #[state(append)]
    lines: Vec<String>,
}

async fn weather(_: &Report) -> ReportUpdate {
    tokio::time::sleep(Duration::from_millis(20)).await;
    Report::update().lines("weather: fine")
}

async fn traffic(_: &Report) -> ReportUpdate {
    Report::update().lines("traffic: slow")
}

async fn print(report: &Report) {
    println!("{}", report.lines.join("\n"));
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("report")
        .node("weather", weather)
        .node("traffic", traffic)
        .node("print", print)
        .edge(START, "weather")
        .edge(START, "traffic")
        .join(["weather", "traffic"], "print")
        .edge("print", END)
        .compile()?;
    graph.run(Report::default()).await?;
    Ok(())
}
