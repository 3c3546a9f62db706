//! Writes a random graph and what it did as a Python program reads it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::session::{Act, RunEnd, Stored, ThreadTale};
use super::shape::{Lead, Node, Shape, Taken, Under, Walk};

pub(super) fn told(shape: &Shape, session: &ThreadTale) -> Value {
    let nodes = (0..shape.nodes.len()).map(|at| told_node(shape, at));
    let joins = shape.joins.iter().map(|(from, to)| json!([names(shape, from), shape.name(*to)]));
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "joins": joins.collect::<Vec<_>>(),
        "start": names(shape, &shape.entries()),
        "acts": session.acts.iter().map(|act| told_act(shape, act)).collect::<Vec<_>>(),
        "history": session.history.iter().map(|saved| told_checkpoint(shape, saved)).collect::<Vec<_>>(),
    })
}

fn names(shape: &Shape, all: &BTreeSet<usize>) -> Vec<String> {
    all.iter().map(|at| shape.name(*at).to_owned()).collect()
}

fn told_node(shape: &Shape, at: usize) -> Value {
    let Node { lead, deferred, edges, choice, items, takes, counts_down, adds, sets } = &shape.nodes[at];
    let condition = |when: &Under| json!({ "of": shape.name(when.of), "under": when.under });
    let choice = choice.map(|choice| {
        let (few, many) = (shape.name(choice.few), shape.name(choice.many));
        json!({ "when": condition(&choice.when), "few": few, "many": many })
    });
    let items = items.map(|items| {
        let has_numbers = shape.nodes[items.worker].takes == Some(Taken::Number);
        json!({ "to": shape.name(items.worker), "count": items.count, "numbers": has_numbers })
    });
    json!({
        "name": shape.name(at),
        "number": at,
        "lead": match lead {
            Lead::Edges => "edges",
            Lead::Goto => "goto",
            Lead::GotoBesideEdges => "goto beside edges",
        },
        "deferred": deferred,
        "edges": names(shape, edges),
        "choice": choice,
        "items": items,
        "takes": takes.map(|item| match item {
            Taken::Nothing => "nothing",
            Taken::Number => "number",
        }),
        "counts_down": counts_down,
        "adds": adds.as_ref().map(condition),
        "sets": sets.as_ref().map(condition),
    })
}

fn told_act(shape: &Shape, act: &Act) -> Value {
    match act {
        Act::Run { breakpoints, limit, ending } => {
            let ending = match ending {
                RunEnd::Done => "done",
                RunEnd::Paused => "paused",
                RunEnd::Limit => "limit",
                RunEnd::Conflict => "conflict",
            };
            json!({ "act": "run", "breakpoints": breakpoints, "limit": limit, "ending": ending })
        }
        Act::Update { node } => json!({ "act": "update", "as": shape.name(*node) }),
    }
}

fn told_checkpoint(shape: &Shape, saved: &Stored) -> Value {
    // A list of one or two, because an item may be `null`.
    let next = saved.next.iter().map(|(node, item)| match item {
        None => json!([node]),
        Some(item) => json!([node, item]),
    });
    let next: Vec<Value> = next.collect();
    json!({ "source": saved.source, "next": next, "state": told_state(shape, &saved.state) })
}

fn told_state(shape: &Shape, walk: &Walk) -> Value {
    let runs = walk.runs.iter().enumerate().filter(|(_, runs)| **runs > 0);
    let runs: Map<String, Value> = runs.map(|(at, runs)| (shape.name(at).to_owned(), json!(runs))).collect();
    json!({ "runs": runs, "log": walk.log, "sum": walk.sum, "last": walk.last })
}
