//! Ambiguities that the user settles: what the rules propose, and how the architect follows the decision (ARD-72).

use super::{
    DraftRequest,
    architect::{clarify, take_up},
    parts::{IdeaPart, IdeaReading},
    text::{quoted, sentence},
};
use crate::workflows::ard::exchange::{Challenge, Clarification, Component, DesignDraft, Proposal, mentions};

/// Leaves it to the reader of the specification.
const OPEN: &str = "Say in the specification that this is left open.";
/// What the only component of a design may be there for.
const ALL: &str = "Does all that the idea asks for.";

/// What could be meant by a vague component. Recommended is what the idea says, where it says more than the draft.
pub(super) fn options(component: &Component, draft: &DesignDraft, reading: &IdeaReading) -> Vec<Proposal> {
    let said = reading.parts.iter().find(|part| part.name == component.name).map(IdeaPart::purpose);
    let said = said.filter(|said| *said != component.purpose && !super::reviewer::is_vague(said));
    let rest = if draft.components.len() > 1 { without(&component.name) } else { ALL.to_owned() };
    let texts = said.into_iter().chain([OPEN.to_owned(), rest]);
    texts.enumerate().map(|(at, text)| Proposal { text, recommended: at == 0 }).collect()
}

fn without(name: &str) -> String {
    format!("Leave {name} out of the design.")
}

/// What the user decided about a challenge of the latest review.
pub(super) fn about<'r>(challenge: &Challenge, request: &'r DraftRequest) -> Option<&'r Clarification> {
    let round = request.clarifications.iter().map(|decided| decided.round).max()?;
    let covered = request.history.earlier.as_ref().map_or(0, |earlier| earlier.rounds_covered);
    let is_latest = round as usize == covered + request.history.rounds.len();
    let mut of_round = request.clarifications.iter().filter(|decided| is_latest && decided.round == round);
    of_round.find(|decided| decided.challenge == challenge.id)
}

/// Changes the draft as the user decided, and says what was done.
pub(super) fn follow(
    draft: &mut DesignDraft,
    challenge: &Challenge,
    decided: &Clarification,
    reading: &IdeaReading,
) -> String {
    let text = &challenge.description;
    let meant = draft.components.iter().position(|component| mentions(text, &component.name));
    let Some(index) = meant else { return take_up(draft, &said(decided)) };
    let name = draft.components[index].name.clone();
    if decided.answer == without(&name) && draft.components.len() > 1 {
        draft.components.remove(index);
        return format!("left {name} out, as decided.");
    }
    let component = &mut draft.components[index];
    if decided.answer == OPEN {
        return format!("{}.", clarify(component, reading));
    }
    component.purpose = format!("{} {}", sentence(&component.purpose), said(decided));
    format!("the purpose of {name} now says what was decided.")
}

/// Whether a purpose says what was decided.
pub(super) fn stands_in(purpose: &str, decided: &Clarification) -> bool {
    purpose.contains(&said(decided))
}

fn said(decided: &Clarification) -> String {
    sentence(&quoted(&decided.answer))
}
