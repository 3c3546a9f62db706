//! Condenses earlier rounds by rules: the number of challenges by category, and the first challenge of
//! each round.

use std::collections::BTreeMap;

use crate::workflows::ard::exchange::{Category, Review, Summary, SummaryRequest};

/// Writes one paragraph for the rounds of a request, appended to the earlier paragraph.
pub(super) fn summarise(request: &SummaryRequest) -> Summary {
    let mut sentences: Vec<String> =
        request.earlier.iter().map(|earlier| earlier.paragraph.clone()).collect();
    sentences.extend(
        (request.first_round()..).zip(&request.rounds).map(|(number, round)| render_round(number, round)),
    );
    Summary { paragraph: sentences.join(" ") }
}

fn render_round(number: usize, round: &Review) -> String {
    let mut counts = BTreeMap::<Category, usize>::new();
    for challenge in &round.challenges {
        *counts.entry(challenge.category).or_default() += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(category, count)| format!("{count} {category}")).collect();
    match round.challenges.first() {
        None => format!("Round {number} verified the draft."),
        Some(first) => {
            let said = super::text::quoted(&first.description);
            format!("Round {number} raised {} (first: {said})", counts.join(", "))
        }
    }
}
