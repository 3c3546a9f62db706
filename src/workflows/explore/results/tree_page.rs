//! Page `agents.md`: the tree of agents and the coverage, for people (EXP-68, EXP-69).

use std::fmt::Write as _;

use super::notes_page::author_line;
use crate::workflows::explore::agents::{AgentEnd, AgentRecord};
use crate::workflows::explore::state::{ExplorationResult, ExploreRun};
use crate::workflows::markdown::{inline, plain_lines};

/// Maximum number of unread files that the page lists.
const LISTED: usize = 200;

/// Renders the page.
pub(super) fn render(run: &ExploreRun, result: &ExplorationResult) -> String {
    let mut page = format!("# Agents that explored {}\n\n{}\n\n", inline(&run.name), author_line(run));
    for agent in &result.agents {
        let indent = "  ".repeat(agent.depth as usize);
        let _ = writeln!(page, "{indent}- {}", line(agent));
    }
    page.push('\n');
    for agent in &result.agents {
        section(&mut page, agent);
    }
    coverage(&mut page, result);
    format!("{}\n", page.trim_end())
}

/// Returns the line of an agent in the tree: scope, end, and numbers of files, calls, notes and tokens.
fn line(agent: &AgentRecord) -> String {
    let scope = scope(agent);
    let mut line = format!("{} `{scope}`: {}", agent.id, end(agent));
    let calls: u32 = agent.calls.values().sum();
    let _ = write!(line, "; {} files, {calls} calls, {} notes", agent.scope.files.len(), agent.notes);
    let tokens = agent.took.usage.total();
    if tokens > 0 {
        let _ = write!(line, ", {tokens} tokens, {}", agent.took.cost);
    }
    line
}

fn scope(agent: &AgentRecord) -> String {
    if agent.scope.is_repository() { ".".to_owned() } else { agent.scope.path.replace('`', "'") }
}

/// Formats the end of an agent.
fn end(agent: &AgentRecord) -> String {
    match &agent.end {
        AgentEnd::Finished => "finished".to_owned(),
        AgentEnd::Stopped => "stopped without `finish`".to_owned(),
        AgentEnd::Failed(reason) => format!("failed: {}", inline(reason)),
    }
}

/// Appends the section of an agent: purpose, summary, calls, unknown citations.
fn section(page: &mut String, agent: &AgentRecord) {
    let _ = writeln!(page, "## Agent {}: `{}`\n", agent.id, scope(agent));
    let _ = writeln!(page, "Purpose: {}\n", plain_lines(&agent.purpose).join(" "));
    if !agent.summary.is_empty() {
        let _ = writeln!(page, "{}\n", plain_lines(&agent.summary).join("\n"));
    }
    if !agent.calls.is_empty() {
        let calls: Vec<String> =
            agent.calls.iter().map(|(tool, number)| format!("{} {number}", inline(tool))).collect();
        let _ = writeln!(page, "Calls: {}\n", calls.join(", "));
    }
    if !agent.unknown_citations.is_empty() {
        let paths: Vec<String> = agent.unknown_citations.iter().map(|path| inline(path)).collect();
        let _ = writeln!(page, "Cited, but not in the repository: {}\n", paths.join(", "));
    }
}

/// Appends the coverage: the number of read files, and the unread ones.
fn coverage(page: &mut String, result: &ExplorationResult) {
    let (read, unread) = (&result.coverage.read, &result.coverage.unread);
    let _ = writeln!(
        page,
        "## Coverage\n\n{} of {} source files were read.\n",
        read.len(),
        read.len() + unread.len()
    );
    if unread.is_empty() {
        return;
    }
    let _ = writeln!(page, "Read by no agent, with the agent whose scope they are in:\n");
    for file in unread.iter().take(LISTED) {
        let _ = writeln!(page, "- {} (agent {})", inline(&file.path), file.scope_of);
    }
    if unread.len() > LISTED {
        let _ = writeln!(page, "- … and {} more, in `coverage.json`", unread.len() - LISTED);
    }
}
