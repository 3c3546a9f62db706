//! Sections about the debate: the challenges of each round with the architect's answers, and the trace
//! log of unresolved challenges (ARD-57, ARD-58).

use super::{DebateRound, SpecInput, escape};
use crate::workflows::ard::exchange::{Aspect, Challenge, DesignDraft, Severity, split_answers};
use crate::workflows::ard::state::Ending;

/// Renders the appendix with all rounds.
pub(super) fn render(input: &SpecInput) -> String {
    let mut sections = vec!["## Appendix: how the challenges were resolved".to_owned()];
    let last = input.rounds.len();
    if input.rounds.is_empty() {
        sections.push("There was no review.".to_owned());
    } else {
        sections.push("Answers speak of the draft of their round. The sections above hold.".to_owned());
    }
    sections.extend((1..).zip(&input.rounds).map(|(number, round)| {
        let ending = (number == last).then_some(input.ending);
        let later = &input.rounds[number..];
        format!("### Round {number}\n\n{}", render_round(number, round, ending, later, &input.draft))
    }));
    if !input.remarks.is_empty() {
        let remarks: Vec<_> = input
            .remarks
            .iter()
            .map(|it| format!("- Round {}: {}", it.round, escape::inline(&it.text)))
            .collect();
        sections.push(format!("### Remarks\n\n{}", remarks.join("\n")));
    }
    sections.join("\n\n")
}

/// Renders a round. `later` are the rounds after it. Only the last round has an `ending`.
fn render_round(
    number: usize,
    round: &DebateRound,
    ending: Option<Ending>,
    later: &[DebateRound],
    draft: &DesignDraft,
) -> String {
    let DebateRound { review, answer, .. } = round;
    if review.challenges.is_empty() {
        return match ending {
            Some(Ending::NotJudged | Ending::Fallback) => {
                "The reviewer found nothing to challenge.".to_owned()
            }
            Some(_) => "The reviewer verified the draft.".to_owned(),
            None => "The reviewer verified the draft; the debate had to last some more rounds.".to_owned(),
        };
    }
    let answers = answer.as_deref().and_then(|answer| split_answers(answer, &review.challenges));
    let became = |challenge: &Challenge, answer: &str| became(number, challenge, answer, later, draft);
    let challenges = render_challenges(round, answers.as_deref(), became);
    let remark = match (answer, ending) {
        _ if answers.is_some() => return challenges,
        (Some(answer), _) => format!("The architect answered:\n\n{}", escape::quote(answer)),
        (None, Some(Ending::Verified | Ending::NotJudged)) => {
            "The reviewer calls these minor: the draft is verified, and they stand as notes.".to_owned()
        }
        (None, Some(Ending::Limit | Ending::Circle | Ending::Refused | Ending::Fallback)) => {
            "These were not answered: the debate ended here.".to_owned()
        }
        (None, None) => {
            "These were not answered: the architect's revision broke the rules twice, so the earlier draft stayed."
                .to_owned()
        }
    };
    format!("{challenges}\n\n{remark}")
}

/// Event after an answer that makes it obsolete.
enum AnswerFate {
    /// A challenge of a later round took it up again; most of it may still hold.
    Reopened { round: usize, challenge: u32 },
    /// It names something that is no longer part of the design.
    Superseded { gone: String },
}

/// Returns the later event that makes an answer obsolete: a later challenge reopens it, or it names a
/// component that the draft no longer has. `None` if it still holds. `number` is the round of the
/// challenge.
fn became(
    number: usize,
    challenge: &Challenge,
    answer: &str,
    later: &[DebateRound],
    draft: &DesignDraft,
) -> Option<AnswerFate> {
    let id = format!("R{number}.{}", challenge.id);
    let reopened = (number + 1..).zip(later).find_map(|(round, later)| {
        let by = later.review.challenges.iter().find(|it| it.reopens.as_deref() == Some(id.as_str()))?;
        Some(AnswerFate::Reopened { round, challenge: by.id })
    });
    reopened.or_else(|| {
        let is_part = |name: &str| {
            draft.components.iter().any(|it| it.name == name)
                || draft.external_systems.iter().any(|it| it.name == name)
        };
        let mut gone = challenge.components.iter().filter(|name| answer.contains(name.as_str()));
        gone.find(|name| !is_part(name)).map(|name| AnswerFate::Superseded { gone: name.clone() })
    })
}

/// Renders the challenges of a round as a list, each with the user's decision and the architect's
/// answer, if there are any. `became` tells the fate of an answer.
fn render_challenges(
    round: &DebateRound,
    answers: Option<&[String]>,
    became: impl Fn(&Challenge, &str) -> Option<AnswerFate>,
) -> String {
    let item = |(index, challenge): (usize, &Challenge)| {
        let Challenge { id, category, description, .. } = challenge;
        let decided = round.decisions.iter().find(|decision| decision.challenge == *id);
        let decided = decided.map(|decision| sub_item("Decision", &decision.answer)).unwrap_or_default();
        let said = answers.map(|answers| match became(challenge, &answers[index]) {
            Some(AnswerFate::Reopened { round, challenge }) => sub_item(
                "Answer",
                &format!("{} (taken up again in round {round}, challenge {challenge})", answers[index]),
            ),
            Some(AnswerFate::Superseded { gone }) => sub_item(
                "Answer, superseded",
                &format!("{} ({gone} is no longer part of the design)", answers[index]),
            ),
            None => sub_item("Answer", &answers[index]),
        });
        let weight = weight(challenge);
        format!(
            "{id}. **{category}**{weight}: {}{decided}{}",
            escape::inline(description),
            said.unwrap_or_default()
        )
    };
    round.review.challenges.iter().enumerate().map(item).collect::<Vec<_>>().join("\n")
}

/// Returns severity and aspect of a challenge in parentheses, with a space before; empty without both.
fn weight(challenge: &Challenge) -> String {
    let severity = challenge.severity.map(Severity::as_str);
    let words: Vec<&str> = severity.into_iter().chain(challenge.aspect.map(Aspect::as_str)).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Renders an indented list item with a label.
fn sub_item(what: &str, text: &str) -> String {
    format!("\n   - *{what}:* {}", escape::inline(text))
}

/// Renders the trace log: the challenges of the last review, in the form that ARD-57 prescribes. `None`
/// for a debate that ended without open challenges.
pub(super) fn trace_log(rounds: &[DebateRound], ending: Ending) -> Option<String> {
    let unresolved = rounds.last().map(|round| round.review.challenges.as_slice()).unwrap_or_default();
    let line = |(number, challenge): (usize, &Challenge)| {
        format!("{number}. [{}] {}", challenge.category, escape::inline(&challenge.description))
    };
    let lines: Vec<_> = (1..).zip(unresolved).map(line).collect();
    let reason = match ending {
        Ending::Verified | Ending::NotJudged => return None,
        Ending::Limit | Ending::Refused => "Max Iterations Reached",
        Ending::Circle => "An Earlier Draft Came Back",
        Ending::Fallback if lines.is_empty() => return None,
        Ending::Fallback => "No Valid Answer",
    };
    Some(format!(
        "---\n## ARD Trace Log — {reason}\n\nUnresolved challenges at termination:\n{}",
        lines.join("\n")
    ))
}
