//! Renders the diagrams as Mermaid without fences (DOC-112 to 114). Ids are positions and labels are escaped, so no name breaks the
//! syntax. Mermaid's own limits are observed.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::PageFacts;
use super::page::{NAMELESS, one_line};
use crate::facts::TraceStep;
use crate::workflows::doc_phases::memory::{ComponentSummary, RuntimeFlow, RuntimeStep};
use crate::workflows::doc_phases::selection::BranchLabel;
use crate::workflows::mermaid;

/// Maximum of nodes in a diagram; larger ones are hard to read.
const NODES: usize = 15;
/// Maximum of messages in a sequence diagram.
const MESSAGES: usize = 15;
/// Maximum length of a label, in characters.
const LABEL: usize = 80;
/// Maximum length of a step's text, in characters.
const STEP: usize = 160;

/// Mermaid text of the component diagram, with the numbers of components that it leaves out.
pub(super) struct ComponentDiagram {
    pub(super) text: String,
    /// True if an arrow is drawn.
    pub(super) has_arrows: bool,
    /// Number of components that are not drawn because others have more dependencies.
    pub(super) hidden: usize,
    /// Number of components of tests and examples, which are not drawn.
    pub(super) hidden_side: usize,
}

/// Draws the components and their dependencies as a Mermaid flowchart, without those of tests and examples;
/// `None` without components. Of more than [`NODES`], draws those with the most dependencies.
pub(super) fn architecture(facts: &PageFacts) -> Option<ComponentDiagram> {
    let mut listed = facts.listed_components();
    let beyond = facts.components.len() - listed.len();
    let mut hidden_side = 0;
    // Tests and examples use everything; they would hide the structure of the product.
    if listed.iter().any(|one| !facts.is_side_component(&one.entry)) {
        let all = listed.len();
        listed.retain(|one| !facts.is_side_component(&one.entry));
        hidden_side = all - listed.len();
    }
    let bounds = facts.overview.iter().flat_map(|overview| overview.entry.component_boundaries.keys());
    let mut ids: BTreeMap<&str, &str> = match listed.len() {
        0 => bounds.map(|id| (id.as_str(), id.as_str())).collect(),
        _ => listed
            .iter()
            .map(|one| (one.entry.component_id.as_str(), one.entry.component_name.as_str()))
            .collect(),
    };
    if ids.is_empty() {
        return None;
    }
    let all = ids.len() + beyond;
    let every_edge = edges(listed.iter().map(|one| &one.entry), &number(&ids));
    keep_most_connected(&mut ids, &every_edge);
    let hidden = all - ids.len();
    let numbers = number(&ids);
    let mut lines = vec!["flowchart LR".to_owned()];
    lines.extend(ids.iter().map(|(id, name)| format!("    c{}[\"{}\"]", numbers[id], label(name, LABEL))));
    let edges = edges(listed.iter().map(|one| &one.entry), &numbers);
    lines.extend(edges.iter().map(|(from, to)| format!("    c{from} --> c{to}")));
    if hidden > 0 {
        lines.push(format!("    %% {hidden} more components are not drawn"));
    }
    let has_arrows = !edges.is_empty();
    Some(ComponentDiagram { text: format!("{}\n", lines.join("\n")), has_arrows, hidden, hidden_side })
}

/// Returns the number of each component in the order of the ids, from 0.
fn number<'a>(ids: &BTreeMap<&'a str, &'a str>) -> BTreeMap<&'a str, usize> {
    ids.keys().enumerate().map(|(number, id)| (*id, number)).collect()
}

/// Removes components from `ids` until at most [`NODES`] are left: those with the fewest edges. `edges` has
/// pairs of numbers.
fn keep_most_connected(ids: &mut BTreeMap<&str, &str>, edges: &BTreeSet<(usize, usize)>) {
    let degree = |number: usize| edges.iter().filter(|(from, to)| *from == number || *to == number).count();
    let mut order: Vec<(usize, &str)> = ids.keys().enumerate().map(|(at, id)| (degree(at), *id)).collect();
    order.sort_by_key(|(degree, id)| (std::cmp::Reverse(*degree), *id));
    for (_, id) in order.into_iter().skip(NODES) {
        ids.remove(id);
    }
}

/// Returns the dependencies among the numbered components as pairs (user, used), from the entries of both
/// sides, without self-dependencies.
fn edges<'a>(
    components: impl Iterator<Item = &'a ComponentSummary>,
    numbers: &BTreeMap<&str, usize>,
) -> BTreeSet<(usize, usize)> {
    let mut edges = BTreeSet::new();
    for component in components {
        let Some(&own) = numbers.get(component.component_id.as_str()) else { continue };
        let known = |ids: &[String]| {
            ids.iter().filter_map(|id| numbers.get(id.as_str()).copied()).collect::<Vec<_>>()
        };
        edges.extend(known(&component.dependencies).into_iter().map(|other| (own, other)));
        edges.extend(known(&component.dependents).into_iter().map(|other| (other, own)));
    }
    edges.retain(|(from, to)| from != to);
    edges
}

/// Draws a flow as a Mermaid sequence diagram. A long flow shows only steps between components, at most
/// [`MESSAGES`].
pub(super) fn flow(flow: &RuntimeFlow, facts: &PageFacts) -> String {
    let mut actors: Vec<&str> = Vec::new();
    let named = flow.steps.iter().flat_map(|step| [step.component.as_str(), step.next.as_str()]);
    for id in named.chain(flow.components_involved.iter().map(String::as_str)).filter(|id| !id.is_empty()) {
        if !actors.contains(&id) {
            actors.push(id);
        }
    }
    let number = |id: &str| actors.iter().position(|actor| *actor == id);
    let mut lines = vec!["sequenceDiagram".to_owned()];
    if actors.is_empty() {
        lines.push(format!("    participant p0 as {}", label(&flow.flow_name, LABEL)));
    }
    lines.extend(
        actors
            .iter()
            .enumerate()
            .map(|(at, id)| format!("    participant p{at} as {}", label(facts.name_of(id), LABEL))),
    );
    if !one_line(&flow.trigger).is_empty() {
        lines.push(format!("    Note over p0: {}", label(&flow.trigger, STEP)));
    }
    // Calls inside a component are in the table of steps; a long diagram shows those between components.
    let is_long = flow.steps.len() > MESSAGES;
    let is_shown = |step: &&RuntimeStep| !is_long || (step.next != step.component && !step.next.is_empty());
    let drawn: Vec<&RuntimeStep> = flow.steps.iter().filter(is_shown).take(MESSAGES).collect();
    for step in &drawn {
        let from = number(&step.component).unwrap_or_default();
        let to = number(&step.next).unwrap_or(from);
        lines.push(format!("    p{from}->>p{to}: {}", label(&step.action, STEP)));
    }
    if flow.steps.len() > drawn.len() {
        lines.push(format!("    %% {} more steps are not drawn", flow.steps.len() - drawn.len()));
    }
    format!("{}\n", lines.join("\n"))
}

/// Draws the calls of a trace as a Mermaid sequence diagram with files as participants, at most [`NODES`]
/// steps; `None` if all are in one file.
pub(super) fn trace(steps: &[TraceStep], facts: &PageFacts) -> Option<String> {
    let steps = &steps[..steps.len().min(NODES)];
    let owners: Vec<&str> = (0..steps.len()).map(|at| file_of_step(steps, at, facts)).collect();
    let mut files: Vec<&str> = Vec::new();
    for owner in &owners {
        if !files.contains(owner) {
            files.push(owner);
        }
    }
    if files.len() < 2 {
        return None;
    }
    let number = |owner: &str| files.iter().position(|file| *file == owner).unwrap_or_default();
    let mut lines = vec!["sequenceDiagram".to_owned()];
    let actors = files.iter().enumerate();
    lines.extend(actors.map(|(at, path)| format!("    participant p{at} as {}", label(path, LABEL))));
    let calls = steps.iter().zip(owners.windows(2)).enumerate();
    lines.extend(calls.map(|(at, (_, pair))| {
        let step = &steps[at + 1];
        // A call in a branch is no step that always happens.
        let branch = facts.selected.branches_around(step).last();
        let condition = branch.and_then(|label| match BranchLabel::of(label) {
            BranchLabel::Head(head) => Some(format!("[{head}] ")),
            BranchLabel::ElseOf(head) => Some(format!("[else of {head}] ")),
            BranchLabel::Inside(_) => None,
        });
        let text = format!("{}{}", condition.unwrap_or_default(), step.name);
        format!("    p{}->>p{}: {}", number(pair[0]), number(pair[1]), label(&text, STEP))
    }));
    Some(format!("{}\n", lines.join("\n")))
}

/// A type in a diagram, identified by name and file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DrawnType<'a> {
    pub(super) name: &'a str,
    pub(super) path: &'a str,
}

/// A relation between two types in a diagram, with its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DrawnRelation<'a> {
    pub(super) from: DrawnType<'a>,
    pub(super) words: &'a str,
    pub(super) to: DrawnType<'a>,
}

/// Draws the types with the most relations, at most [`NODES`], as a Mermaid flowchart. Also returns the
/// number of types that are left out; `None` without relations.
pub(super) fn type_relations(relations: &[DrawnRelation<'_>]) -> Option<(String, usize)> {
    let relations: BTreeSet<DrawnRelation<'_>> =
        relations.iter().copied().filter(|one| one.from != one.to).collect();
    let mut degrees: BTreeMap<DrawnType<'_>, usize> = BTreeMap::new();
    for one in &relations {
        *degrees.entry(one.from).or_default() += 1;
        *degrees.entry(one.to).or_default() += 1;
    }
    let mut order: Vec<(DrawnType<'_>, usize)> = degrees.into_iter().collect();
    // Stable: types with equally many relations stay in the order of their names.
    order.sort_by_key(|(_, degree)| std::cmp::Reverse(*degree));
    let hidden = order.len().saturating_sub(NODES);
    order.truncate(NODES);
    let numbers: BTreeMap<DrawnType<'_>, usize> =
        order.iter().enumerate().map(|(at, (one, _))| (*one, at)).collect();
    let edges: Vec<String> = relations
        .iter()
        .filter_map(|one| {
            let (from, to) = (numbers.get(&one.from)?, numbers.get(&one.to)?);
            Some(format!("    t{from} -->|{}| t{to}", label(one.words, LABEL)))
        })
        .collect();
    if edges.is_empty() {
        return None;
    }
    let mut lines = vec!["flowchart LR".to_owned()];
    // The file tells types of one name apart.
    let shared = |one: &DrawnType<'_>| order.iter().filter(|(other, _)| other.name == one.name).count() > 1;
    let text = |one: &DrawnType<'_>| {
        if shared(one) { format!("{} ({})", one.name, one.path) } else { one.name.to_owned() }
    };
    lines.extend(
        order.iter().enumerate().map(|(at, (one, _))| format!("    t{at}[\"{}\"]", label(&text(one), LABEL))),
    );
    lines.extend(edges);
    Some((format!("{}\n", lines.join("\n")), hidden))
}

/// Returns the file that defines the function of step `at`: the file of the next step's call, which is made
/// in it; for the last step the only file that defines the name, else the file of the call to it.
fn file_of_step<'a>(steps: &'a [TraceStep], at: usize, facts: &'a PageFacts) -> &'a str {
    let caller = steps[at].at.path.as_str();
    match steps.get(at + 1) {
        Some(next) => &next.at.path,
        None if at == 0 => caller,
        None => facts.selected.only_file_of(&steps[at].name).unwrap_or(caller),
    }
}

fn label(text: &str, longest: usize) -> String {
    let line = one_line(text);
    let cut: String = match line.char_indices().nth(longest) {
        Some((end, _)) => line[..end].chars().chain(['…']).collect(),
        None => line,
    };
    mermaid::label(if cut.is_empty() { NAMELESS } else { &cut })
}
