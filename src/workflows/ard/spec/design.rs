//! Sections for the optional parts of a draft: interfaces, data, external systems, flows, states,
//! decisions, assumptions.

use std::fmt::Write as _;

use super::escape::inline;
use super::table;
use crate::workflows::ard::exchange::{
    DataRecord, DesignDecision, DesignDraft, Flow, Interface, StateMachine,
};
use crate::workflows::mermaid::label;

/// Maximum number of flows that are drawn as sequence diagrams; further ones are lists.
const FLOWS: usize = 3;

/// Renders the sections between the component diagram and the trace, each only if it has content.
pub(super) fn render(draft: &DesignDraft) -> Vec<String> {
    let mut sections: Vec<String> = interfaces(draft).into_iter().chain(data(draft)).collect();
    if !draft.flows.is_empty() {
        let flows: Vec<_> =
            draft.flows.iter().enumerate().map(|(at, flow)| render_flow(flow, at < FLOWS)).collect();
        sections.push(format!("## Flows\n\n{}", flows.join("\n\n")));
    }
    if !draft.states.is_empty() {
        let states: Vec<_> = draft.states.iter().map(render_states).collect();
        sections.push(format!("## States\n\n{}", states.join("\n\n")));
    }
    sections.extend(write_numbered("## Decisions", 'D', draft.decisions.iter().map(render_decision)));
    sections.extend(write_numbered("## Assumptions", 'A', draft.assumptions.iter().map(|text| inline(text))));
    sections
}

/// Renders the glossary of the draft; `None` if it has no terms.
pub(super) fn terms(draft: &DesignDraft) -> Option<String> {
    let lines = draft.terms.iter().map(|it| format!("- **{}**: {}", inline(&it.term), inline(&it.meaning)));
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| format!("## Terms\n\n{}", lines.join("\n")))
}

/// Renders the systems outside of the design; `None` if there are none.
pub(super) fn external_systems(draft: &DesignDraft) -> Option<String> {
    let rows = draft
        .external_systems
        .iter()
        .map(|it| vec![format!("**{}**", inline(&it.name)), inline(&it.purpose)]);
    table("### External systems", &["Name", "Purpose"], rows)
}

fn interfaces(draft: &DesignDraft) -> Option<String> {
    let rows = draft.components.iter().flat_map(|component| {
        let of = move |it: &Interface| {
            vec![inline(&component.name), inline(&it.name), inline(&it.takes), inline(&it.gives)]
        };
        component.interfaces.iter().map(of)
    });
    table("## Interfaces", &["Component", "Interface", "Takes", "Gives"], rows)
}

fn data(draft: &DesignDraft) -> Option<String> {
    let rows = draft.components.iter().flat_map(|component| {
        let of = move |it: &DataRecord| {
            // Fields with a comma inside are told apart by semicolons.
            let separator = if it.fields.iter().any(|field| field.contains(',')) { "; " } else { ", " };
            let fields = it.fields.join(separator);
            vec![inline(&it.name), inline(&component.name), inline(&fields), inline(&it.kept)]
        };
        component.data.iter().map(of)
    });
    table("## Data", &["Record", "Kept by", "Fields", "Kept for"], rows)
}

/// Renders lines as a list with ids such as `D1`, under a heading; `None` without lines.
fn write_numbered(heading: &str, letter: char, lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<_> = (1..)
        .zip(lines)
        .map(|(number, line): (usize, _)| format!("- **{letter}{number}.** {line}"))
        .collect();
    (!lines.is_empty()).then(|| format!("{heading}\n\n{}", lines.join("\n")))
}

fn render_decision(it: &DesignDecision) -> String {
    let mut line = format!("{} *Because:* {}", inline(&it.decision), inline(&it.reason));
    for alternative in &it.alternatives {
        write!(line, "\n  - *Not chosen:* {}", inline(alternative))
            .expect("a string takes all that is written");
    }
    line
}

/// Renders a flow as a Mermaid sequence diagram if `is_drawn`, else as a numbered list.
fn render_flow(flow: &Flow, is_drawn: bool) -> String {
    let title = format!("**{}**", inline(&flow.title));
    if !is_drawn {
        let steps = (1..).zip(&flow.steps).map(|(number, step): (usize, _)| {
            format!("{number}. {} → {}: {}", inline(&step.from), inline(&step.to), inline(&step.text))
        });
        return format!("{title}\n\n{}", steps.collect::<Vec<_>>().join("\n"));
    }
    let mut names: Vec<&str> = Vec::new();
    for name in flow.steps.iter().flat_map(|step| [step.from.as_str(), step.to.as_str()]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let id = |name: &str| names.iter().position(|other| *other == name).unwrap_or_default();
    let mut lines = vec!["```mermaid".to_owned(), "sequenceDiagram".to_owned()];
    lines.extend(
        names.iter().enumerate().map(|(at, name)| format!("    participant p{at} as {}", label(name))),
    );
    let steps = flow.steps.iter();
    lines.extend(
        steps.map(|step| format!("    p{}->>p{}: {}", id(&step.from), id(&step.to), label(&step.text))),
    );
    lines.push("```".to_owned());
    format!("{title}\n\n{}", lines.join("\n"))
}

fn render_states(machine: &StateMachine) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in machine.transitions.iter().flat_map(|it| [it.from.as_str(), it.to.as_str()]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let id = |name: &str| names.iter().position(|other| *other == name).unwrap_or_default();
    let mut lines = vec!["```mermaid".to_owned(), "stateDiagram-v2".to_owned()];
    lines
        .extend(names.iter().enumerate().map(|(at, name)| format!("    state \"{}\" as s{at}", label(name))));
    if !names.is_empty() {
        lines.push("    [*] --> s0".to_owned());
    }
    let transitions = machine.transitions.iter();
    lines.extend(
        transitions.map(|it| format!("    s{} --> s{}: {}", id(&it.from), id(&it.to), label(&it.on))),
    );
    lines.push("```".to_owned());
    format!("**{}**\n\n{}", inline(&machine.of), lines.join("\n"))
}
