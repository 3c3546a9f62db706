//! LangGraph's `Command`: an update and the node that runs next.
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Job {
    tries: u32,
}

async fn attempt(job: &Job) -> Command<Job> {
    let next = if job.tries < 2 { "attempt" } else { END };
    Command::update(Job::update().tries(job.tries + 1)).goto(next)
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let graph = StateGraph::new("job")
        .node("attempt", attempt)
        .goto("attempt", ["attempt", END])
        .edge(START, "attempt")
        .compile()?;
    Ok(graph.run(Job::default()).await?.state.tries.to_string())
}
