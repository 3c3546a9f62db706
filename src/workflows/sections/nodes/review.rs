//! The node `review`: asks a person if the finished document is accepted (SEC-7, SEC-142, SEC-143).

use serde::Serialize;
use serde_json::json;

use crate::engine::{Cx, NodeResult, State as _};
use crate::readme::validate::IssueSeverity;
use crate::workflows::sections::preview;
use crate::workflows::sections::services::SectionsServices;
use crate::workflows::sections::state::{ReviewDecision, SectionsRun, SectionsRunUpdate};

/// Maximum number of lines of the document that the question shows.
const SHOWN_LINES: usize = 40;

/// The question if a person accepts the document, which the interrupt shows as JSON.
#[derive(Serialize)]
struct ReviewQuestion<'a> {
    question: String,
    issues: String,
    /// A local page that shows the document, if it was asked for (SEC-144).
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
    document: String,
    options: [&'a str; 3],
    answer_with: &'a str,
}

/// Interrupts the run with the question if the document is accepted, and stores the decision. Any answer
/// other than the options is taken as a request for changes.
pub(in super::super) async fn review(
    run: &SectionsRun,
    cx: &Cx<SectionsServices>,
) -> NodeResult<SectionsRunUpdate> {
    let document = run.document.as_deref().unwrap_or_default();
    // Journaled, because a question with another address would be another question.
    let page: Option<String> = if run.settings.is_previewed {
        cx.once("preview", preview::write_page(document, run)).await?
    } else {
        None
    };
    let question = ReviewQuestion {
        question: format!("Accept {} with {} lines?", run.settings.doc_file, document.lines().count()),
        issues: count_issues(run),
        preview: page,
        document: beginning(document),
        options: ["accept", "retry", "cancel"],
        answer_with: "accept, retry or cancel; any other text is a request for changes",
    };
    let schema = json!({ "type": "string", "pattern": r"\S" });
    let answer: String = cx.interrupt_with(&question, &schema).await?;
    let decision = match answer.trim().to_ascii_lowercase().as_str() {
        "accept" | "yes" | "y" => ReviewDecision::Accept,
        "cancel" | "no" | "n" => ReviewDecision::Cancel,
        "retry" => ReviewDecision::Retry,
        _ => ReviewDecision::Change(answer.trim().to_owned()),
    };
    Ok(SectionsRun::update().decision(Some(decision)))
}

fn count_issues(run: &SectionsRun) -> String {
    let issues: Vec<_> = run.validations.iter().flat_map(|validation| &validation.issues).collect();
    let count = |severity| issues.iter().filter(|issue| issue.severity == severity).count();
    format!(
        "{} critical, {} major, {} minor",
        count(IssueSeverity::Critical),
        count(IssueSeverity::Major),
        count(IssueSeverity::Minor)
    )
}

/// Returns the first [`SHOWN_LINES`] lines of a document, and a line with the number of the others.
fn beginning(document: &str) -> String {
    let total = document.lines().count();
    let shown: Vec<_> = document.lines().take(SHOWN_LINES).collect();
    let more = total - shown.len();
    let rest = if more > 0 { format!("\n… {more} more lines") } else { String::new() };
    format!("{}{rest}", shown.join("\n"))
}
