//! Architect by rules. The first draft has the components that follow from the requirements; a later
//! one follows the user's decisions and answers the latest review, challenge by challenge.

use super::reviewer;
use super::{DraftRequest, decision};
use crate::workflows::ard::analysis::{IdeaAnalysis, propose};
use crate::workflows::ard::exchange::{Challenge, DesignDraft, mentions};

/// Makes the first draft, or changes the previous one for each challenge of the latest review. Depends
/// only on the request.
pub(super) fn draft(request: &DraftRequest) -> DesignDraft {
    let analysis = IdeaAnalysis::of(&request.rough_idea);
    let base = request.previous.clone().filter(|previous| !previous.components.is_empty());
    let first = || DesignDraft::new(propose(&analysis), "");
    let mut draft = base.unwrap_or_else(first);
    let latest = request.history.latest().map(|review| review.challenges.as_slice()).unwrap_or_default();
    let answers: Vec<_> = latest
        .iter()
        .map(|challenge| {
            let answer = match decision::about(challenge, request) {
                Some(decided) => decision::follow(&mut draft, challenge, decided),
                None => answer(&mut draft, challenge, &analysis),
            };
            format!("Challenge {}: {answer}", challenge.id)
        })
        .collect();
    draft.design_rationale = answers.join("\n");
    draft
}

/// Changes the draft for one challenge and returns the answer. A challenge may come from a model, so
/// the rules read only the names in it.
fn answer(draft: &mut DesignDraft, challenge: &Challenge, analysis: &IdeaAnalysis) -> String {
    let text = &challenge.description;
    let known =
        |draft: &DesignDraft, name: &str| draft.components.iter().any(|component| component.name == name);
    let missing =
        propose(analysis).into_iter().find(|it| !known(draft, &it.name) && mentions(text, &it.name));
    if let Some(component) = missing {
        let name = component.name.clone();
        draft.components.push(component);
        return format!("added {name}.");
    }
    let named = (0..draft.components.len()).find(|&index| mentions(text, &draft.components[index].name));
    let Some(index) = named else {
        return "not resolved; the rules know nothing beyond the words of the idea.".to_owned();
    };
    let unknown = reviewer::unknown_names(draft, index);
    let component = &mut draft.components[index];
    if !unknown.is_empty() {
        for name in &unknown {
            component.purpose =
                format!("{} ({name} is outside of this system.)", component.purpose.trim_end());
        }
        return format!("{} now counts as outside of this system.", unknown.join(", "));
    }
    let open = "Open question: the idea leaves unsaid what comes in and what goes out.";
    if reviewer::is_vague(&component.purpose) && !component.purpose.contains(open) {
        component.purpose = format!("{} {open}", super::text::sentence(&component.purpose));
        return format!("the purpose of {} now names that as an open question.", component.name);
    }
    "not resolved; the rules know nothing beyond the words of the idea.".to_owned()
}
