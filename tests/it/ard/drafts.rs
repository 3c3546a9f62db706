//! Drafts written by hand for ten ideas: the gates let the good ones pass, and find the one fault of each bad one.

use serde::Deserialize;
use stategraph::workflows::ard::analysis::IdeaAnalysis;
use stategraph::workflows::ard::exchange::{DesignDraft, Review};
use stategraph::workflows::ard::gates::{GateFinding, GateInput, check};
use stategraph::workflows::ard::services::PROMPTS;

/// A draft with the idea, and for revisions with the drafts and the review before it.
#[derive(Deserialize)]
struct WrittenDraft {
    idea: String,
    draft: DesignDraft,
    #[serde(default)]
    fault: String,
    #[serde(default)]
    earlier: Vec<DesignDraft>,
    review: Option<Review>,
}

impl WrittenDraft {
    fn findings(&self) -> Vec<GateFinding> {
        let prompts: String = PROMPTS.iter().map(|(_, text)| *text).collect();
        check(&GateInput {
            draft: &self.draft,
            earlier: &self.earlier,
            latest: self.review.as_ref(),
            clarifications: &[],
            analysis: &IdeaAnalysis::of(&self.idea),
            prompts: &prompts,
        })
    }
}

/// Reads the ten drafts of a folder of `tests/ideas/drafts`.
fn drafts(folder: &str) -> Vec<WrittenDraft> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ideas/drafts").join(folder);
    let read = |number: usize| {
        let path = folder.join(format!("{number:02}.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    (1..=10).map(read).collect()
}

/// Returns the name that the files give to a fault.
fn fault(finding: &GateFinding) -> &'static str {
    match finding {
        GateFinding::Unchanged => "unchanged",
        GateFinding::Circle { .. } => "circle",
        GateFinding::Placeholder { .. } => "placeholder",
        GateFinding::CopiedPrompt { .. } => "copied_prompt",
        GateFinding::BuiltExclusion { .. } => "built_exclusion",
        GateFinding::InventedNumber { .. } => "invented_number",
        GateFinding::LostNumber { .. } => "lost_number",
        GateFinding::BrokenList { .. } => "list_in_part",
        GateFinding::NotCovered { .. } => "uncovered",
        GateFinding::OffTopic => "off_topic",
        GateFinding::IgnoredChallenge { .. } => "fixed_without_change",
        GateFinding::UnknownStatement { .. } => "unknown_statement",
        GateFinding::UnknownName { .. } => "unknown_name",
    }
}

#[test]
fn the_good_drafts_pass_all_gates() {
    let found: Vec<_> = (1..)
        .zip(drafts("good"))
        .flat_map(|(number, it): (usize, _)| it.findings().into_iter().map(move |found| (number, found)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn each_bad_draft_fails_the_gate_of_its_fault_and_no_other() {
    let found: Vec<_> = (1..)
        .zip(drafts("bad"))
        .map(|(number, it): (usize, _)| (number, it.fault.clone(), it.findings()))
        .filter(|(_, expected, found)| found.iter().any(|it| fault(it) != expected) || found.is_empty())
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}
