//! The graph that every agent runs: ask the model, run its calls, ask again (EXP-3).

use crate::engine::{END, START, StateGraph};
use crate::workflows::explore::agents::AgentRun;
use crate::workflows::explore::choices::{AfterAnswer, AfterTools, after_answer, after_tools};
use crate::workflows::explore::nodes;
use crate::workflows::explore::services::ExploreServices;

/// Builds the graph that every agent runs. The tool `delegate` runs it again inside the task of the
/// node `tools`, with a state of its own (EXP-5).
pub fn agent_graph() -> StateGraph<AgentRun, ExploreServices> {
    StateGraph::new("explore-agent")
        .about("One agent: asks the model, runs the tools, and runs itself for what it delegates")
        .node("agent", nodes::ask)
        .node("tools", nodes::run_tools)
        .edge(START, "agent")
        .branch(
            "agent",
            after_answer,
            [(AfterAnswer::Tools, "tools"), (AfterAnswer::Agent, "agent"), (AfterAnswer::End, END)],
        )
        .branch("tools", after_tools, [(AfterTools::Agent, "agent"), (AfterTools::End, END)])
}
