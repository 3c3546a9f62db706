//! What somebody who watches a debate reads: a line per draft and review, and what came out.

use serde::Deserialize;

use super::exchange::{Review, ReviewStatus};
use super::state::{Debate, DebateStatus};
use crate::engine::{Event, EventKind};
use crate::llm::{Usage, UsageSource};

/// What `nodes.rs` tells, read back.
#[derive(Deserialize)]
struct Told {
    round: u32,
    model: String,
    usage: Usage,
    #[serde(default)]
    components: usize,
    #[serde(flatten)]
    review: Option<Review>,
}

/// An event of a debate in a line.
pub(super) fn line(event: &Event) -> Option<String> {
    let EventKind::Custom { name, data, .. } = &event.kind else { return None };
    match name.as_str() {
        "drafted" => {
            let told: Told = serde_json::from_str(data.get()).ok()?;
            let parts = counted(told.components, "component");
            Some(format!("round {}  architect  {}  {parts}  {}", told.round, told.model, tokens(told.usage)))
        }
        "reviewed" => {
            let told: Told = serde_json::from_str(data.get()).ok()?;
            let found = match told.review? {
                Review { status: ReviewStatus::Verified, .. } => "verified".to_owned(),
                review => counted(review.challenges.len(), "challenge"),
            };
            Some(format!("round {}  reviewer   {}  {found}  {}", told.round, told.model, tokens(told.usage)))
        }
        "kept_previous_draft" => {
            Some("the new draft broke the rules twice; the earlier one is kept".to_owned())
        }
        _ => None,
    }
}

/// What came out of a debate (ARD-28, ARD-73).
pub(super) fn report(debate: &Debate) -> Vec<String> {
    let rounds = counted(debate.challenge_history.len(), "round");
    let open = debate.challenge_history.last().map_or(0, |review| review.challenges.len());
    let status = match debate.status {
        DebateStatus::Verified => format!("verified after {rounds}"),
        DebateStatus::InProgress => format!("in progress after {rounds}"),
        DebateStatus::MaxIterationsReached => {
            format!("not verified: {} left after {rounds}", counted(open, "challenge"))
        }
    };
    let used = |who: &str, spent: super::state::Spent| {
        let about = if spent.estimated { " (estimated)" } else { "" };
        format!(
            "{who} {} calls, {} + {} tokens{about}",
            spent.calls, spent.prompt_tokens, spent.completion_tokens
        )
    };
    vec![
        status,
        used("architect:", debate.architect),
        used("reviewer: ", debate.reviewer),
        format!("written to {}", debate.settings.output_path.display()),
    ]
}

fn tokens(usage: Usage) -> String {
    let about = match usage.source {
        UsageSource::Reported => "",
        UsageSource::Estimated => "~",
    };
    format!("{about}{} tokens", usage.total())
}

fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
