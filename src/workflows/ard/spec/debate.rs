//! The history of the design: the challenges of each round with the architect's answers, and the trace log of
//! unresolved challenges (ARD-57, ARD-58).

use super::{DebateRound, escape};
use crate::workflows::ard::exchange::Challenge;
use crate::workflows::ard::state::Ending;

/// Renders the section with all rounds.
pub(super) fn render(rounds: &[DebateRound], ending: Ending) -> String {
    let mut sections = vec!["## How the challenges were resolved".to_owned()];
    let last = rounds.len();
    sections.extend((1..).zip(rounds).map(|(number, round)| {
        let ending = (number == last).then_some(ending);
        format!("### Round {number}\n\n{}", render_round(round, ending))
    }));
    if rounds.is_empty() {
        sections.push("There was no review.".to_owned());
    }
    sections.join("\n\n")
}

/// Renders a round. Only the last one has an `ending`.
fn render_round(round: &DebateRound, ending: Option<Ending>) -> String {
    let DebateRound { review, answer, .. } = round;
    if review.challenges.is_empty() {
        return match ending {
            Some(Ending::NotJudged) => "The reviewer found nothing to challenge.".to_owned(),
            Some(_) => "The reviewer verified the draft.".to_owned(),
            None => "The reviewer verified the draft; the debate had to last some more rounds.".to_owned(),
        };
    }
    let answers = answer.as_deref().and_then(|answer| split_by_challenge(answer, &review.challenges));
    let challenges = render_challenges(round, answers.as_deref());
    let remark = match (answer, ending) {
        _ if answers.is_some() => return challenges,
        (Some(answer), _) => format!("The architect answered:\n\n{}", escape::quote(answer)),
        (None, Some(Ending::Verified | Ending::NotJudged)) => {
            "The reviewer calls these minor: the draft is verified, and they stand as notes.".to_owned()
        }
        (None, Some(Ending::Limit | Ending::Circle | Ending::Refused)) => {
            "These were not answered: the debate ended here.".to_owned()
        }
        (None, None) => {
            "These were not answered: the architect's revision broke the rules twice, so the earlier draft stayed."
                .to_owned()
        }
    };
    format!("{challenges}\n\n{remark}")
}

/// Renders the challenges as a list, with the user's decision and the architect's answer where available.
fn render_challenges(round: &DebateRound, answers: Option<&[String]>) -> String {
    let item = |(index, challenge): (usize, &Challenge)| {
        let Challenge { id, category, description, .. } = challenge;
        let decided = round.decisions.iter().find(|decision| decision.challenge == *id);
        let decided = decided.map(|decision| sub_item("Decision", &decision.answer)).unwrap_or_default();
        let said = answers.map(|answers| sub_item("Answer", &answers[index])).unwrap_or_default();
        format!("{id}. **{category}**: {}{decided}{said}", escape::inline(description))
    };
    round.review.challenges.iter().enumerate().map(item).collect::<Vec<_>>().join("\n")
}

fn sub_item(what: &str, text: &str) -> String {
    format!("\n   - *{what}:* {}", escape::inline(text))
}

/// Splits a rationale into the answers to the challenges. `None` unless it has "Challenge N: …" for each challenge in
/// order, on lines of their own or separated by semicolons.
fn split_by_challenge(answer: &str, challenges: &[Challenge]) -> Option<Vec<String>> {
    let apart = answer.replace("; Challenge ", "\nChallenge ");
    let lines: Vec<_> = apart.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let fits = lines.len() == challenges.len();
    let answers = lines.iter().zip(challenges).map(|(line, challenge)| {
        let rest = line.strip_prefix("Challenge ")?.strip_prefix(&challenge.id.to_string())?;
        rest.strip_prefix(':').map(|answer| answer.trim().to_owned())
    });
    fits.then(|| answers.collect())?
}

/// Renders the trace log: the challenges of the last review, in the form that ARD-57 prescribes.
pub(super) fn trace_log(rounds: &[DebateRound]) -> String {
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
