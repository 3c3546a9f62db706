//! Minutes of a debate for prompts: the challenges of each round with the architect's answers.

use serde::{Deserialize, Serialize};

use super::{Challenge, DesignDraft, Review};

/// Round of the minutes: the challenges of one review with their answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinutesRound {
    /// Number of the round, from 1.
    pub round: usize,
    /// The challenges with their answers.
    pub challenges: Vec<MinutesEntry>,
    /// The reviewer's notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A challenge of an earlier round with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinutesEntry {
    /// Round and number, such as `R1.5`.
    pub id: String,
    /// The challenge.
    pub challenge: Challenge,
    /// The architect's answer; `None` for the latest review.
    pub answer: Option<String>,
}

/// Returns the minutes of the rounds from index `first` (from 0) on. `rationales` has the architect's
/// answer to each review but the last. Earlier rounds are shortened; the last one has all details.
pub fn minutes(history: &[Review], rationales: &[Option<String>], first: usize) -> Vec<MinutesRound> {
    let rounds = history.iter().enumerate().skip(first);
    rounds
        .map(|(at, review)| {
            let round = minutes_of_round(at, review, rationales.get(at).and_then(Option::as_deref));
            if at + 1 < history.len() { settled(round) } else { round }
        })
        .collect()
}

/// Removes details and notes from a round that was answered; the reviewer repeats them if they still
/// hold.
fn settled(round: MinutesRound) -> MinutesRound {
    let brief = |it: MinutesEntry| {
        let challenge = Challenge { severity: None, aspect: None, components: Vec::new(), ..it.challenge };
        MinutesEntry { challenge, ..it }
    };
    MinutesRound { challenges: round.challenges.into_iter().map(brief).collect(), notes: Vec::new(), ..round }
}

/// Makes the round at index `at` (from 0). If the rationale cannot be split, every challenge gets all
/// of it as its answer.
fn minutes_of_round(at: usize, review: &Review, rationale: Option<&str>) -> MinutesRound {
    let answers = rationale.and_then(|rationale| split_answers(rationale, &review.challenges));
    let entry = |(index, challenge): (usize, &Challenge)| MinutesEntry {
        id: format!("R{}.{}", at + 1, challenge.id),
        challenge: Challenge { options: Vec::new(), ..challenge.clone() },
        answer: match &answers {
            Some(answers) => Some(answers[index].clone()),
            // A rationale in another form answers all challenges at once.
            None => rationale.map(str::to_owned),
        },
    };
    MinutesRound {
        round: at + 1,
        challenges: review.challenges.iter().enumerate().map(entry).collect(),
        notes: review.notes.clone(),
    }
}

/// Splits a rationale into the answers to the challenges. `None` unless it has "Challenge N: …" for each challenge in
/// order, on lines of their own or separated by semicolons.
pub fn split_answers(rationale: &str, challenges: &[Challenge]) -> Option<Vec<String>> {
    let apart = rationale.replace("; Challenge ", "\nChallenge ");
    let lines: Vec<_> = apart.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let fits = lines.len() == challenges.len();
    let answers = lines.iter().zip(challenges).map(|(line, challenge)| {
        let rest = line.strip_prefix("Challenge ")?.strip_prefix(&challenge.id.to_string())?;
        rest.strip_prefix(':').map(|answer| answer.trim().to_owned())
    });
    fits.then(|| answers.collect())?
}

/// Returns the names of the fields, other than components and answers, in which two drafts differ.
pub fn changed_parts(before: &DesignDraft, after: &DesignDraft) -> Vec<&'static str> {
    let parts = [
        ("title", before.title != after.title),
        ("overview", before.overview != after.overview),
        ("terms", before.terms != after.terms),
        ("requirements", before.requirements != after.requirements),
        ("external_systems", before.external_systems != after.external_systems),
        ("relations", before.relations != after.relations),
        ("flows", before.flows != after.flows),
        ("states", before.states != after.states),
        ("quality", before.quality != after.quality),
        ("decisions", before.decisions != after.decisions),
        ("assumptions", before.assumptions != after.assumptions),
        ("questions", before.questions != after.questions),
    ];
    parts.into_iter().filter(|(_, is_changed)| *is_changed).map(|(part, _)| part).collect()
}
