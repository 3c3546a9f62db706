//! How the design came about: the challenges of each round with the architect's answers, and the trace log of those
//! that were left (ARD-57, ARD-58).

use super::{Round, escape};
use crate::workflows::ard::exchange::Challenge;

/// The section with all rounds.
pub(super) fn render(rounds: &[Round]) -> String {
    let mut sections = vec!["## How the challenges were resolved".to_owned()];
    let last = rounds.len();
    sections.extend((1..).zip(rounds).map(|(number, round)| one(number, round, number == last)));
    if rounds.is_empty() {
        sections.push("There was no review.".to_owned());
    }
    sections.join("\n\n")
}

fn one(number: usize, round: &Round, is_last: bool) -> String {
    let challenges = &round.review.challenges;
    let heading = format!("### Round {number}");
    if challenges.is_empty() {
        return format!("{heading}\n\nThe reviewer verified the draft.");
    }
    let Some(answer) = round.answer.as_deref() else {
        let fate = if is_last { "not answered: the debate ended here" } else { "not answered" };
        return format!("{heading}\n\n{}\n\nThese were {fate}.", list(challenges, |_| None));
    };
    if let Some(answers) = by_challenge(answer, challenges) {
        return format!("{heading}\n\n{}", list(challenges, |index| Some(answers[index])));
    }
    let answer = escape::quote(answer);
    format!("{heading}\n\n{}\n\nThe architect answered:\n\n{answer}", list(challenges, |_| None))
}

/// The challenges as a list, each with its answer if there is one.
fn list<'a>(challenges: &[Challenge], answer: impl Fn(usize) -> Option<&'a str>) -> String {
    let item = |(index, challenge): (usize, &Challenge)| {
        let Challenge { id, category, description, .. } = challenge;
        let said = answer(index)
            .map(|said| format!("\n   - *Answer:* {}", escape::inline(said)))
            .unwrap_or_default();
        format!("{id}. **{category}**: {}{said}", escape::inline(description))
    };
    challenges.iter().enumerate().map(item).collect::<Vec<_>>().join("\n")
}

/// The rationale cut into an answer for each challenge, if it has a line "Challenge N: …" for each, in order.
fn by_challenge<'a>(answer: &'a str, challenges: &[Challenge]) -> Option<Vec<&'a str>> {
    let lines: Vec<_> = answer.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let fits = lines.len() == challenges.len();
    let answers = lines.iter().zip(challenges).map(|(line, challenge)| {
        let rest = line.strip_prefix("Challenge ")?.strip_prefix(&challenge.id.to_string())?;
        rest.strip_prefix(':').map(str::trim)
    });
    fits.then(|| answers.collect())?
}

/// The challenges of the last review as the seed has them.
pub(super) fn trace_log(rounds: &[Round]) -> String {
    let unresolved = rounds.last().map(|round| round.review.challenges.as_slice()).unwrap_or_default();
    let line = |(number, challenge): (usize, &Challenge)| {
        format!("{number}. [{}] {}", challenge.category, escape::inline(&challenge.description))
    };
    let lines: Vec<_> = (1..).zip(unresolved).map(line).collect();
    format!(
        "---\n## ARD Trace Log — Max Iterations Reached\n\nUnresolved challenges at termination:\n{}",
        lines.join("\n")
    )
}
