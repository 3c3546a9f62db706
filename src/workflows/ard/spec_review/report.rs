//! Result of a review as a Markdown document.

use super::state::SpecReview;
use crate::workflows::ard::exchange::{Aspect, Challenge, Review, Severity};
use crate::workflows::markdown::inline;

/// Renders the review: verdict, challenges, questions and notes. Texts of others are escaped.
pub(in super::super) fn render(state: &SpecReview) -> String {
    let nothing = Review::from_challenges([]);
    let review = state.review.as_ref().unwrap_or(&nothing);
    let mut sections = vec![format!("# Review of {}", inline(&state.file)), verdict(state, review)];
    if !review.challenges.is_empty() {
        let lines: Vec<_> = review.challenges.iter().map(render_challenge).collect();
        sections.push(format!("## Challenges\n\n{}", lines.join("\n")));
    }
    sections.extend(list("Questions for the author", &state.questions));
    sections.extend(list("Notes", &review.notes));
    format!("{}\n", sections.join("\n\n"))
}

/// Renders the verdict and the authors of the review (rules, or rules and a model).
fn verdict(state: &SpecReview, review: &Review) -> String {
    let held = if state.rough_idea.is_some() { " Held against the idea." } else { "" };
    let model = inline(&state.settings.reviewer_model);
    let by = if state.is_by_model {
        format!("Read by {model} and checked by rules.")
    } else {
        "Checked by rules alone; a model (`--reviewer-model`) reads what rules cannot.".to_owned()
    };
    let verdict = match (review.challenges.len(), state.is_by_model) {
        (0, true) => "Verified: nothing was found.".to_owned(),
        (0, false) => "Not judged: the rules found nothing wrong, and rules cannot verify.".to_owned(),
        (1, _) => "Needs revision: 1 challenge.".to_owned(),
        (number, _) => format!("Needs revision: {number} challenges."),
    };
    format!("**{verdict}** {by}{held}")
}

fn render_challenge(challenge: &Challenge) -> String {
    let Challenge { id, category, description, severity, aspect, .. } = challenge;
    let weight: Vec<&str> =
        severity.map(Severity::as_str).into_iter().chain(aspect.map(Aspect::as_str)).collect();
    let weight = if weight.is_empty() { String::new() } else { format!(" ({})", weight.join(", ")) };
    format!("{id}. **{category}**{weight}: {}", inline(description))
}

fn list(heading: &str, items: &[String]) -> Option<String> {
    let lines: Vec<_> = items.iter().map(|item| format!("- {}", inline(item))).collect();
    (!lines.is_empty()).then(|| format!("## {heading}\n\n{}", lines.join("\n")))
}
