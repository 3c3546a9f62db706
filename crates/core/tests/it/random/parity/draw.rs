//! Draws random graphs and what is done to their threads.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::session::{Hand, Script};
use super::shape::{Choice, Items, Lead, Node, Shape, Taken, Under};

/// A node as it was drawn, with the number of its items and their worker.
#[derive(Debug, Clone)]
struct Drawn {
    node: Node,
    sends: Option<(u32, Node)>,
}

/// The properties of a whole graph.
#[derive(Debug, Clone, Copy)]
struct Traits {
    /// Nodes may be deferred, and none sends items.
    defers: bool,
    /// Nodes lead back only while they have run seldom.
    ends: bool,
}

fn condition(count: usize) -> impl Strategy<Value = Under> {
    (0..count, 1..5_u64).prop_map(|(of, under)| Under { of, under })
}

fn node(count: usize) -> impl Strategy<Value = Node> {
    let lead = prop_oneof![5 => Just(Lead::Edges), 2 => Just(Lead::Goto), 1 => Just(Lead::GotoBesideEdges)];
    let choice =
        (condition(count), 0..count, 0..count).prop_map(|(when, few, many)| Choice { when, few, many });
    (
        lead,
        prop::bool::weighted(0.25),
        prop::collection::btree_set(0..count, 0..3),
        prop::option::weighted(0.4, choice),
        any::<bool>(),
        prop::option::weighted(0.4, condition(count)),
        prop::option::weighted(0.15, condition(count)),
    )
        .prop_map(|(lead, deferred, edges, choice, counts_down, adds, sets)| Node {
            lead,
            deferred,
            edges,
            choice,
            items: None,
            takes: None,
            counts_down,
            adds,
            sets,
        })
}

fn drawn(count: usize) -> impl Strategy<Value = Drawn> {
    let item = prop_oneof![2 => Just(Taken::Number), 1 => Just(Taken::Nothing)];
    let sends = (0..4_u32, item, node(count)).prop_map(|(items, item, mut worker)| {
        worker.takes = Some(item);
        worker.deferred = false;
        worker.counts_down &= worker.lead != Lead::Edges && item == Taken::Number;
        // Several tasks of one worker would write at once.
        worker.sets = None;
        (items, worker)
    });
    (node(count), prop::option::weighted(0.3, sends)).prop_map(|(mut node, sends)| {
        node.counts_down = false;
        Drawn { node, sends }
    })
}

/// Draws a graph under two namings, and what is done to its thread.
pub(super) fn shapes() -> impl Strategy<Value = (Shape, Shape, Script)> {
    (3..9_usize).prop_flat_map(|count| {
        // Of sources the larger numbers may be workers.
        let join = (prop::collection::btree_set(0..count + 2, 2..4), 0..count);
        let traits =
            (any::<bool>(), prop::bool::weighted(0.8)).prop_map(|(defers, ends)| Traits { defers, ends });
        let all = (
            prop::collection::vec(drawn(count), count),
            prop::collection::vec(join, 1..4),
            prop::collection::btree_set(0..count, 0..3),
            traits,
        );
        let shape = all.prop_map(|(nodes, joins, start, traits)| Shape::new(nodes, joins, start, traits));
        let shape = shape.prop_filter("a join can never run", Shape::can_run_all_joins);
        (shape, script(count)).prop_flat_map(|(shape, script)| {
            let shuffled = || Just(shape.names.clone()).prop_shuffle();
            let named = |shape: &Shape, names| Shape { names, ..shape.clone() };
            (shuffled(), shuffled(), Just(shape), Just(script)).prop_map(
                move |(one, other, shape, script)| (named(&shape, one), named(&shape, other), script),
            )
        })
    })
}

fn script(count: usize) -> impl Strategy<Value = Script> {
    let hand = || prop_oneof![1 => Just(Hand::Nothing), 1 => any::<usize>().prop_map(Hand::Planned), 1 => any::<usize>().prop_map(Hand::Any)];
    (prop::collection::btree_set(0..count + 2, 0..3), prop::collection::vec(hand(), 3), any::<usize>())
        .prop_map(|(breakpoints, paused, ended)| Script { breakpoints, paused, ended })
}

impl Shape {
    /// Makes a graph without defects of what was drawn.
    fn new(
        drawn: Vec<Drawn>,
        joins: Vec<(BTreeSet<usize>, usize)>,
        start: BTreeSet<usize>,
        traits: Traits,
    ) -> Self {
        let count = drawn.len();
        let (mut nodes, mut workers) = (Vec::new(), Vec::new());
        for (at, Drawn { mut node, sends }) in drawn.into_iter().enumerate() {
            node.deferred &= traits.defers;
            if let Some((items, mut worker)) = sends.filter(|_| !traits.defers) {
                node.items = Some(Items { count: items, worker: count + workers.len() });
                if traits.ends {
                    worker.end(at);
                }
                workers.push(worker);
            }
            if traits.ends {
                node.end(at);
            }
            nodes.push(node);
        }
        nodes.append(&mut workers);
        let joins = joins.into_iter().filter_map(|(sources, mut target)| {
            let sources = sources.into_iter().map(|at| at % nodes.len());
            let mut sources: BTreeSet<usize> = sources.filter(|at| nodes[*at].lead == Lead::Edges).collect();
            if traits.ends {
                sources.retain(|at| *at + 1 < count);
                target = target.max(sources.last().map_or(0, |last| last + 1));
            }
            (sources.len() > 1).then_some((sources, target))
        });
        let joins = joins.collect();
        let names = (0..nodes.len()).map(|at| format!("n{at}")).collect();
        Self { nodes, joins, start, names }
    }
}

impl Node {
    /// Removes ways back that a run could take for ever from the node at this place, or from the worker of that node.
    fn end(&mut self, at: usize) {
        self.edges.retain(|to| *to > at);
        self.choice = self.choice.filter(|choice| choice.many > at).and_then(|mut choice| {
            if choice.few <= at {
                if self.takes.is_some() {
                    return None;
                }
                choice.when.of = at;
            }
            Some(choice)
        });
    }
}
