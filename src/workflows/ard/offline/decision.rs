//! Ambiguities that the user resolves (ARD-72): options that the rules propose, and changes of the
//! draft that follow a decision.

use super::DraftRequest;
use super::text::{quoted, sentence};
use crate::workflows::ard::exchange::{Challenge, Clarification, Component, DesignDraft, Proposal, mentions};

/// Option that leaves the question open for the reader of the specification.
const OPEN: &str = "Say in the specification that this is left open.";
/// Option for the purpose of the only component of a design.
const ALL: &str = "Does all that the idea asks for.";

/// Returns two options for a component with a vague purpose; the first one is recommended.
pub(super) fn options(component: &Component, draft: &DesignDraft) -> Vec<Proposal> {
    let rest = if draft.components.len() > 1 { leave_out(&component.name) } else { ALL.to_owned() };
    let texts = [OPEN.to_owned(), rest].into_iter().enumerate();
    texts.map(|(at, text)| Proposal { text, recommended: at == 0 }).collect()
}

/// Returns the option that removes a component; `leaves_out` and `follow` recognize this text.
fn leave_out(name: &str) -> String {
    format!("Leave {name} out of the design.")
}

/// Returns true if a decision removes a component from the design.
pub(in super::super) fn leaves_out(decided: &Clarification) -> bool {
    decided.answer.starts_with("Leave ") && decided.answer.ends_with(" out of the design.")
}

/// Returns the user's decision about a challenge of the latest review; `None` if the user was not asked
/// about it.
pub(super) fn about<'r>(challenge: &Challenge, request: &'r DraftRequest) -> Option<&'r Clarification> {
    let round = request.clarifications.iter().map(|decided| decided.round).max()?;
    let covered = request.history.earlier.as_ref().map_or(0, |earlier| earlier.rounds_covered);
    let is_latest = round as usize == covered + request.history.rounds.len();
    let mut of_round = request.clarifications.iter().filter(|decided| is_latest && decided.round == round);
    of_round.find(|decided| decided.challenge == challenge.id)
}

/// Changes the draft as the user decided: removes the challenged component or extends a purpose.
/// Returns the answer to the challenge.
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

/// Returns true if a purpose contains the text of a decision, so that the decision was followed.
pub(super) fn stands_in(purpose: &str, decided: &Clarification) -> bool {
    purpose.contains(&render(decided))
}

/// Returns the answer of a decision as a sentence for a purpose.
fn render(decided: &Clarification) -> String {
    sentence(&quoted(&decided.answer))
}
