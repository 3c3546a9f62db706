//! Ambiguities that the user resolves: the options that the rules propose, and how the architect follows the decision
//! (ARD-72).

use super::DraftRequest;
use super::text::{quoted, sentence};
use crate::workflows::ard::exchange::{Challenge, Clarification, Component, DesignDraft, Proposal, mentions};

/// The option that leaves the matter to the reader of the specification.
const OPEN: &str = "Say in the specification that this is left open.";
/// The option for the only component of a design.
const ALL: &str = "Does all that the idea asks for.";

/// Returns the possible meanings of a vague component.
pub(super) fn options(component: &Component, draft: &DesignDraft) -> Vec<Proposal> {
    let rest = if draft.components.len() > 1 { leave_out(&component.name) } else { ALL.to_owned() };
    let texts = [OPEN.to_owned(), rest].into_iter().enumerate();
    texts.map(|(at, text)| Proposal { text, recommended: at == 0 }).collect()
}

fn leave_out(name: &str) -> String {
    format!("Leave {name} out of the design.")
}

/// Returns true if the user decided to leave a component out.
pub(in super::super) fn leaves_out(decided: &Clarification) -> bool {
    decided.answer.starts_with("Leave ") && decided.answer.ends_with(" out of the design.")
}

/// Returns the user's decision about a challenge of the latest review.
pub(super) fn about<'r>(challenge: &Challenge, request: &'r DraftRequest) -> Option<&'r Clarification> {
    let round = request.clarifications.iter().map(|decided| decided.round).max()?;
    let covered = request.history.earlier.as_ref().map_or(0, |earlier| earlier.rounds_covered);
    let is_latest = round as usize == covered + request.history.rounds.len();
    let mut of_round = request.clarifications.iter().filter(|decided| is_latest && decided.round == round);
    of_round.find(|decided| decided.challenge == challenge.id)
}

/// Changes the draft as the user decided, and returns the answer to the challenge.
pub(super) fn follow(draft: &mut DesignDraft, challenge: &Challenge, decided: &Clarification) -> String {
    let text = &challenge.description;
    let named = draft.components.iter().position(|component| mentions(text, &component.name));
    let Some(index) = named else {
        let Some(first) = draft.components.first_mut() else { return "nothing to change yet.".to_owned() };
        first.purpose = format!("{} {}", sentence(&first.purpose), render(decided));
        return format!("{} answers for it, as decided.", first.name);
    };
    let name = draft.components[index].name.clone();
    if decided.answer == leave_out(&name) && draft.components.len() > 1 {
        draft.components.remove(index);
        return format!("left {name} out, as decided.");
    }
    let component = &mut draft.components[index];
    component.purpose = if decided.answer == OPEN {
        format!(
            "{} Open question: the idea leaves unsaid what comes in and what goes out.",
            sentence(&component.purpose)
        )
    } else {
        format!("{} {}", sentence(&component.purpose), render(decided))
    };
    format!("the purpose of {name} now says what was decided.")
}

/// Returns true if a purpose has the user's decision.
pub(super) fn stands_in(purpose: &str, decided: &Clarification) -> bool {
    purpose.contains(&render(decided))
}

fn render(decided: &Clarification) -> String {
    sentence(&quoted(&decided.answer))
}
