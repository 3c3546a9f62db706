//! The architect by rules. The first draft takes what each sentence is mainly about; each later one answers the latest
//! review, challenge by challenge, and says so in the rationale.

use super::{
    parts::{Part, Rank, Reading, read},
    stems::telling,
    DraftRequest,
};
use crate::workflows::ard::exchange::{Challenge, Component, ComponentKind, Draft, mentions};

/// Drafts or revises. Depends on nothing but the request.
pub(super) fn draft(request: &DraftRequest) -> Draft {
    let reading = read(&request.rough_idea);
    let base = request.previous.clone().filter(|previous| !previous.components.is_empty());
    let mut draft = base.unwrap_or_else(|| first(&reading));
    let latest = request.history.latest().map(|review| review.challenges.as_slice()).unwrap_or_default();
    let answers: Vec<_> = latest.iter().map(|challenge| answer(&mut draft, challenge, &reading)).collect();
    draft.design_rationale = answers.join("\n");
    draft
}

fn first(reading: &Reading) -> Draft {
    let main = reading.parts.iter().filter(|part| part.rank == Rank::Main);
    Draft { components: main.map(component).collect(), design_rationale: String::new() }
}

fn component(part: &Part) -> Component {
    Component { name: part.name.clone(), kind: part.kind, purpose: part.purposes.join(" ") }
}

/// Changes the draft for one challenge and says what was done. The challenge may come from a model, so it is read as
/// text: the names in it say what it is about.
fn answer(draft: &mut Draft, challenge: &Challenge, reading: &Reading) -> String {
    let done = act(draft, challenge, reading);
    format!("Challenge {}: {done}", challenge.id)
}

fn act(draft: &mut Draft, challenge: &Challenge, reading: &Reading) -> String {
    let text = &challenge.description;
    let known = |draft: &Draft, name: &str| draft.components.iter().any(|component| component.name == name);
    let missing = reading.parts.iter().find(|part| !known(draft, &part.name) && mentions(text, &part.name));
    if let Some(part) = missing {
        draft.components.push(component(part));
        return format!("added {} ({}).", part.name, part.kind);
    }
    if let Some(remark) = reading.remarks.iter().find(|remark| text.contains(remark.as_str())) {
        return take_up(draft, remark);
    }
    let Some(index) = draft.components.iter().position(|component| mentions(text, &component.name)) else {
        return "not resolved; the rules found nothing in it that they can act on.".to_owned();
    };
    if super::reviewer::is_vague(&draft.components[index].purpose) {
        return clarify(&mut draft.components[index], reading);
    }
    if super::reviewer::cut_off(draft).contains(&index) {
        return connect(draft, index);
    }
    if let Some(name) = super::reviewer::unknown_name(draft, index) {
        return disown(&mut draft.components[index], &name);
    }
    let name = &draft.components[index].name;
    format!("not resolved; the idea says nothing more about {name} that the rules could use.")
}

/// Gives a remark of the idea to the component that comes first.
fn take_up(draft: &mut Draft, remark: &str) -> String {
    let Some(first) = draft.components.first_mut() else { return "nothing to change yet.".to_owned() };
    if !first.purpose.contains(remark) {
        first.purpose = format!("{} Also answers for “{remark}”.", first.purpose.trim_end());
    }
    format!("made {} answer for it.", first.name)
}

fn clarify(component: &mut Component, reading: &Reading) -> String {
    let said = reading.parts.iter().find(|part| part.name == component.name);
    let said = said.map(|part| part.purposes.join(" ")).unwrap_or_default();
    let own = if said.len() > component.purpose.len() { said } else { component.purpose.clone() };
    let own = super::text::sentence(&own);
    component.purpose = format!("{own} Open question: the idea leaves unsaid what comes in and what goes out.");
    format!("the idea gives no more detail on {}, so its purpose now names that as an open question.", component.name)
}

/// Names an earlier component in the purpose of this one: the one that deals with the same things, else the hub.
fn connect(draft: &mut Draft, index: usize) -> String {
    let about = telling(&draft.components[index].purpose);
    let shared = |other: &Component| telling(&other.purpose).intersection(&about).cloned().collect::<Vec<_>>();
    let earlier = draft.components[..index].iter().map(|other| (other, shared(other)));
    let best = earlier.filter(|(_, shared)| !shared.is_empty()).max_by_key(|(_, shared)| shared.len());
    let (partner, link) = match best {
        Some((other, shared)) => {
            let matter = subject_matter(&shared, &draft.components[index].purpose);
            (other.name.clone(), link(draft.components[index].kind, &matter, &other.name))
        }
        None => {
            let hub = hub(&draft.components[..index]);
            (hub.clone(), format!("Works with {hub} (assumed: the idea does not connect the two)."))
        }
    };
    let component = &mut draft.components[index];
    component.purpose = format!("{} {link}", super::text::sentence(&component.purpose));
    format!("connected {} with {partner}.", component.name)
}

/// What two components share, in a word that stands in the purpose; the longest says most.
fn subject_matter(shared: &[String], purpose: &str) -> String {
    let lower = purpose.to_lowercase();
    let spoken = shared.iter().filter(|stem| lower.contains(stem.as_str()));
    spoken.max_by_key(|stem| stem.chars().count()).cloned().unwrap_or_else(|| "its".to_owned())
}

fn link(kind: ComponentKind, matter: &str, partner: &str) -> String {
    match kind {
        ComponentKind::DataStore => format!("Holds {matter} data for {partner}."),
        ComponentKind::UiComponent | ComponentKind::Api => format!("Exchanges {matter} data with {partner}."),
        ComponentKind::Utility => format!("Serves {partner} with {matter} data."),
        ComponentKind::Agent => format!("Works on {matter} data from {partner}."),
        ComponentKind::Subsystem => format!("Takes {matter} data from {partner}."),
    }
}

/// The first part that does work, else the first.
fn hub(earlier: &[Component]) -> String {
    let works = earlier.iter().find(|component| component.kind == ComponentKind::Subsystem);
    works.or(earlier.first()).map(|component| component.name.clone()).unwrap_or_default()
}

/// Says that a name stands for something outside the system.
fn disown(component: &mut Component, name: &str) -> String {
    component.purpose = format!("{} ({name} is outside of this system.)", component.purpose.trim_end());
    format!("{name} is now declared as something outside of this system.")
}
