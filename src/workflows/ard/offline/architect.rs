//! The architect by rules. The first draft takes what each sentence is mainly about; each later one answers the latest
//! review, challenge by challenge, and says so in the rationale.

use super::{
    DraftRequest, decision,
    parts::{IdeaPart, IdeaReading, PartRank, read},
    reviewer,
    stems::matters,
    text::sentence,
};
use crate::workflows::ard::exchange::{Category, Challenge, Component, ComponentKind, DesignDraft, mentions};

/// Drafts or revises. Depends on nothing but the request.
pub(super) fn draft(request: &DraftRequest) -> DesignDraft {
    let reading = read(&request.rough_idea);
    let base = request.previous.clone().filter(|previous| !previous.components.is_empty());
    let mut draft = base.unwrap_or_else(|| first(&reading));
    let latest = request.history.latest().map(|review| review.challenges.as_slice()).unwrap_or_default();
    let decided = |challenge: &Challenge| decision::about(challenge, request);
    let answers: Vec<_> = latest
        .iter()
        .map(|challenge| match decided(challenge) {
            Some(decided) => decision::follow(&mut draft, challenge, decided, &reading),
            None => act(&mut draft, challenge, &reading),
        })
        .zip(latest)
        .map(|(done, challenge)| format!("Challenge {}: {done}", challenge.id))
        .collect();
    draft.design_rationale = answers.join("\n");
    draft
}

fn first(reading: &IdeaReading) -> DesignDraft {
    let main = reading.parts.iter().filter(|part| part.rank == PartRank::Main);
    DesignDraft {
        components: main.map(|part| component(part, &part.statements[0].purpose)).collect(),
        design_rationale: String::new(),
    }
}

fn component(part: &IdeaPart, purpose: &str) -> Component {
    Component { name: part.name.clone(), kind: part.kind, purpose: purpose.to_owned() }
}

/// Changes the draft for one challenge and says what was done. The challenge may come from a model, so it is read as
/// text: the names in it say what it is about.
fn act(draft: &mut DesignDraft, challenge: &Challenge, reading: &IdeaReading) -> String {
    let text = &challenge.description;
    let known =
        |draft: &DesignDraft, name: &str| draft.components.iter().any(|component| component.name == name);
    let missing = reading.parts.iter().find(|part| !known(draft, &part.name) && mentions(text, &part.name));
    if let Some(part) = missing {
        return format!("{}.", add(draft, part, reading));
    }
    if let Some(filled) = fill_in(draft, text, reading) {
        return filled;
    }
    if let Some(remark) = quoted_remark(text, reading) {
        return take_up(draft, remark);
    }
    let meant = |component: &Component| mentions(text, &component.name);
    let meant: Vec<_> =
        (0..draft.components.len()).filter(|&index| meant(&draft.components[index])).collect();
    let alone = reviewer::cut_off(draft);
    let mut mended = |index: usize| mend(draft, index, challenge.category, reading);
    let mut done: Vec<_> = meant.iter().filter_map(|&index| mended(index)).collect();
    let loose =
        meant.iter().filter(|index| challenge.category == Category::Consistency && alone.contains(index));
    done.extend(loose.map(|&index| connect(draft, index, reading)));
    if done.is_empty() {
        return "not resolved; the rules found nothing in it that the idea gives an answer to.".to_owned();
    }
    format!("{}.", done.join("; "))
}

fn add(draft: &mut DesignDraft, part: &IdeaPart, reading: &IdeaReading) -> String {
    draft.components.push(component(part, &part.purpose()));
    let added = format!("added {} ({})", part.name, part.kind.as_str());
    match draft.components.len() - 1 {
        0 => added,
        last => format!("{added} and {}", connect(draft, last, reading)),
    }
}

/// The remark of the idea that a challenge is about: of those that it holds the longest, for a short one may stand in
/// any text.
fn quoted_remark<'r>(text: &str, reading: &'r IdeaReading) -> Option<&'r str> {
    let held = reading.remarks.iter().filter(|remark| text.contains(remark.as_str()));
    held.max_by_key(|remark| remark.len()).map(String::as_str)
}

/// Adds what the idea says of a component beside what its purpose says, if the challenge is about that.
fn fill_in(draft: &mut DesignDraft, text: &str, reading: &IdeaReading) -> Option<String> {
    let quotes = |part: &IdeaPart| part.statements.iter().any(|statement| text.contains(&statement.quote));
    let about = reading.parts.iter().filter(|part| mentions(text, &part.name) && quotes(part));
    about.into_iter().find_map(|part| {
        let component = draft.components.iter_mut().find(|component| component.name == part.name)?;
        let unsaid = part.statements.iter().map(|statement| statement.purpose.as_str());
        let unsaid: Vec<_> = unsaid.filter(|unsaid| !component.purpose.contains(unsaid)).collect();
        if unsaid.is_empty() {
            return None;
        }
        component.purpose = format!("{} {}", sentence(&component.purpose), unsaid.join(" "));
        Some(format!("added to the purpose of {} what the idea says of it.", component.name))
    })
}

/// Mends what is wrong with the purpose of one component, if a rule knows how.
fn mend(draft: &mut DesignDraft, index: usize, category: Category, reading: &IdeaReading) -> Option<String> {
    if category == Category::Ambiguity && reviewer::is_vague(&draft.components[index].purpose) {
        return Some(clarify(&mut draft.components[index], reading));
    }
    let unknown = reviewer::unknown_names(draft, index);
    (!unknown.is_empty()).then(|| disown(&mut draft.components[index], &unknown))
}

/// Gives a remark of the idea to the component that comes first.
pub(super) fn take_up(draft: &mut DesignDraft, remark: &str) -> String {
    let Some(first) = draft.components.first_mut() else { return "nothing to change yet.".to_owned() };
    if !first.purpose.contains(remark) {
        first.purpose = format!("{} Also answers for “{remark}”.", first.purpose.trim_end());
    }
    format!("made {} answer for it.", first.name)
}

pub(super) fn clarify(component: &mut Component, reading: &IdeaReading) -> String {
    let said = reading.parts.iter().find(|part| part.name == component.name);
    let said = said.map(IdeaPart::purpose).filter(|said| said.len() > component.purpose.len());
    let own = sentence(&said.unwrap_or_else(|| component.purpose.clone()));
    component.purpose =
        format!("{own} Open question: the idea leaves unsaid what comes in and what goes out.");
    format!(
        "the idea says no more about {}, so its purpose now names that as an open question",
        component.name
    )
}

/// Names an earlier component in the purpose of this one: the one that deals with the same things, else the one before
/// it in the same sentence of the idea, else the hub; the last is an assumption and says so.
fn connect(draft: &mut DesignDraft, index: usize, reading: &IdeaReading) -> String {
    let (earlier, rest) = draft.components.split_at_mut(index);
    let component = &mut rest[0];
    let about = matters(&component.purpose);
    let shared =
        |other: &Component| matters(&other.purpose).intersection(&about).cloned().collect::<Vec<_>>();
    let candidates =
        earlier.iter().map(|other| (other, shared(other))).filter(|(_, shared)| !shared.is_empty());
    let near = neighbour(&component.name, earlier, reading);
    let closeness = |(other, shared): &(&Component, Vec<String>)| (shared.len(), near == Some(*other));
    // Of equals the first counts, and `max_by_key` would take the last.
    let (partner, link) = if let Some((other, shared)) = candidates.rev().max_by_key(closeness) {
        (&other.name, link(component.kind, &subject_matter(&shared), &other.name))
    } else if let Some(other) = near {
        (&other.name, format!("Works hand in hand with {}.", other.name))
    } else {
        let hub = hub(earlier);
        (hub, format!("Works with {hub} (assumed)."))
    };
    component.purpose = format!("{} {link}", sentence(&component.purpose));
    format!("connected {} with {partner}", component.name)
}

/// The component nearest before a part in the same sentence of the idea.
fn neighbour<'c>(name: &str, earlier: &'c [Component], reading: &IdeaReading) -> Option<&'c Component> {
    let at = reading.parts.iter().position(|part| part.name == name)?;
    let here = reading.parts[at].sentence;
    let same = |part: &&IdeaPart| part.sentence == here && part.name != name;
    let mut near = reading.parts[..at].iter().rev().chain(&reading.parts[at..]).filter(same);
    near.find_map(|part| earlier.iter().find(|component| component.name == part.name))
}

/// The word for what two components share; the longest says most.
fn subject_matter(shared: &[String]) -> String {
    shared.iter().max_by_key(|matter| matter.chars().count()).cloned().unwrap_or_default()
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
fn hub(earlier: &[Component]) -> &String {
    let works = earlier.iter().find(|component| component.kind == ComponentKind::Subsystem);
    let hub = works.or(earlier.first()).expect("the first component is never cut off from itself");
    &hub.name
}

/// Says that names stand for something outside the system.
fn disown(component: &mut Component, names: &[String]) -> String {
    for name in names {
        component.purpose = format!("{} ({name} is outside of this system.)", component.purpose.trim_end());
    }
    format!("{} now counts as outside of this system", names.join(", "))
}
