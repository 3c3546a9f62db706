//! The audit report of a run in Markdown: its iterations, then the issues that are left.

use stategraph_base::is_deceptive;

use super::{IterationSnapshot, SnapshotSummary};
use crate::validate::Issue;

/// Returns the audit report as Markdown: a table of the run's iterations, and a list of `issues`, which are
/// those of the final document.
pub(super) fn report(summary: &SnapshotSummary, issues: &[Issue]) -> String {
    let counts = summary.final_issues;
    let mut text = format!(
        "# Audit of {}\n\n- Run: {}\n- Started: {}\n- Finished: {}\n- Final document: {} characters\n- Issues left: {} critical, {} major, \
         {} minor\n\n## Iterations\n\n",
        line(&summary.package),
        line(&summary.run_id),
        line(&summary.started),
        line(&summary.finished),
        summary.final_characters,
        counts.critical,
        counts.major,
        counts.minor
    );
    if summary.snapshots.is_empty() {
        text += "None.\n";
    } else {
        text += "| No. | Stage | Iteration | Time | Characters | Valid | Issues | Result |\n|---|---|---|---|---|---|---|---|\n";
    }
    text.extend(summary.snapshots.iter().map(row));
    text += "\n## Issues left\n\n";
    if issues.is_empty() {
        text += "None.\n";
    }
    text.extend(issues.iter().map(item));
    text
}

fn row(snapshot: &IterationSnapshot) -> String {
    format!(
        "| {:03} | {} | {} | {} | {} | {} | {} | {} |\n",
        snapshot.number,
        line(&snapshot.stage),
        snapshot.iteration,
        line(&snapshot.time),
        snapshot.characters,
        snapshot.valid.map_or("not checked", |valid| if valid { "yes" } else { "no" }),
        snapshot.issue_count,
        line(&snapshot.result)
    )
}

fn item(issue: &Issue) -> String {
    let place = if issue.line == 0 { "whole text".to_owned() } else { format!("line {}", issue.line) };
    format!("- {} {} ({place}): {}\n", issue.severity, line(&issue.rule), line(&issue.message))
}

/// Makes a text from outside safe for a table cell: one line, control and invisible characters removed, and
/// `\`, `|` and `<` escaped.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .chars()
        .filter(|c| !c.is_control() && !is_deceptive(*c))
        .collect::<String>()
        .replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;")
}
