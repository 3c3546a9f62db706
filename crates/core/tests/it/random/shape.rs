//! Random graphs: forward edges, joins, branches forward and back, fan-outs, dispatches, deferred nodes, sub-graphs. Any shape
//! compiles, and ends since going back ends with the visits.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use stategraph_core::{CompiledGraph, DefectKind, END, START, State, StateGraph, Subgraph};

use super::super::kit::Calls;
use super::world::{Deed, Walk, World, act, count, enter, leave, take};

/// What a node does, and where it leads. Targets are counted from the node after it; too large is `END`.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    deed: Deed,
    kind: Kind,
    deferred: bool,
    to: Vec<usize>,
    branch: Option<(usize, usize)>,
    /// Goes back so far while there are few visits.
    back: Option<usize>,
    /// Where its items go on to.
    items_to: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// Edges lead to so many items.
    FansOut(u32),
    /// It sends so many items by itself, and leads nowhere else.
    Dispatches(u32),
    /// It is a graph on the same state.
    Shared,
    /// It is a graph on a state of its own.
    Mapped,
}

#[derive(Debug, Clone)]
pub(super) struct Shape {
    plans: Vec<Plan>,
    joins: Vec<(BTreeSet<usize>, usize)>,
    /// Nodes lead back while there are fewer visits; the last one to the first.
    visits: u64,
}

fn name(at: usize) -> String {
    format!("n{at}")
}

fn workers(at: usize) -> String {
    format!("w{at}")
}

/// The nodes of a graph inside another: the first, two at once, and the one that waits for both.
fn inside(at: usize) -> [String; 4] {
    ["p", "q", "r", "s"].map(|part| format!("i{at}{part}"))
}

/// A graph under construction, and what of it something leads to.
struct Building<'a> {
    shape: &'a Shape,
    graph: StateGraph<Walk, World>,
    reached: BTreeSet<String>,
}

impl Shape {
    pub(super) fn built(&self, seed: Option<u64>, calls: Calls) -> CompiledGraph<Walk, World> {
        let world = World { deeds: self.deeds(), calls, seed };
        self.draft(&world).compile_with(world).expect("the shape has no defects")
    }

    fn draft(&self, world: &World) -> StateGraph<Walk, World> {
        let graph = StateGraph::<Walk, World>::new("random");
        let mut building = Building { shape: self, graph, reached: BTreeSet::from([name(0)]) };
        for (at, plan) in self.plans.iter().enumerate() {
            building.node(at, plan, world);
            building.edges(at, plan);
        }
        building.joins();
        building.ends()
    }

    /// Returns false if two sources of a join follow different arms of one branch, which compilation refuses.
    fn can_run_all_joins(&self) -> bool {
        let world = World { deeds: self.deeds(), calls: Calls::default(), seed: None };
        let compiled = self.draft(&world).compile_with(world);
        compiled.err().is_none_or(|defects| {
            defects.list.iter().all(|it| !matches!(it.kind, DefectKind::DeadJoin { .. }))
        })
    }

    /// The node `offset` places after the node `at`.
    fn after(&self, at: usize, offset: usize) -> String {
        let to = at + 1 + offset;
        if to < self.plans.len() { name(to) } else { END.to_owned() }
    }

    /// What the node does, where it is the last it sends nothing.
    fn kind(&self, at: usize) -> Kind {
        match self.plans[at].kind {
            Kind::Dispatches(_) if at + 1 == self.plans.len() => Kind::Plain,
            kind => kind,
        }
    }

    fn deeds(&self) -> BTreeMap<String, Deed> {
        let mut deeds = BTreeMap::new();
        for (at, Plan { deed, .. }) in self.plans.iter().enumerate() {
            // One node at most, so that no two overwrite at once.
            let overwrites = deed.overwrites && at == 1;
            let dispatches = if let Kind::Dispatches(items) = self.kind(at) { items } else { 0 };
            let [p, q, r, s] = inside(at);
            let none = Deed::default();
            deeds.insert(name(at), Deed { overwrites, dispatches, ..deed.clone() });
            deeds.insert(workers(at), Deed { overwrites: false, ..deed.clone() });
            deeds.insert(p, Deed { overwrites, ..none.clone() });
            deeds.insert(q, Deed { asks: deed.asks, journals: deed.journals, ..none.clone() });
            deeds.insert(r, Deed { fails: deed.fails, journals: deed.journals, ..none.clone() });
            deeds.insert(s, Deed { journals: deed.journals, ..none });
        }
        deeds
    }
}

impl Building<'_> {
    fn change(&mut self, change: impl FnOnce(StateGraph<Walk, World>) -> StateGraph<Walk, World>) {
        let graph = std::mem::replace(&mut self.graph, StateGraph::new("random"));
        self.graph = change(graph);
    }

    fn node(&mut self, at: usize, plan: &Plan, world: &World) {
        let kind = self.shape.kind(at);
        self.change(|graph| match kind {
            Kind::Plain => graph.node(name(at), act),
            Kind::FansOut(_) => graph.node(name(at), act).node(workers(at), take),
            Kind::Dispatches(_) => graph
                .node(name(at), act)
                .node(workers(at), take)
                .takes::<u32>(workers(at))
                .dispatches(name(at), [workers(at)]),
            Kind::Shared => graph.node(name(at), shared(at, world)),
            Kind::Mapped => graph.node(name(at), Subgraph::mapped(&mapped(at, world), enter, leave)),
        });
        if plan.deferred {
            self.change(|graph| graph.defer(name(at)));
        }
    }

    fn edges(&mut self, at: usize, plan: &Plan) {
        let (shape, kind) = (self.shape, self.shape.kind(at));
        let onward = shape.after(at, plan.items_to);
        if let Kind::FansOut(_) | Kind::Dispatches(_) = kind {
            self.reached.insert(onward.clone());
            self.change(|graph| graph.edge(workers(at), onward.clone()));
        }
        match kind {
            Kind::Dispatches(_) => return,
            Kind::FansOut(items) => {
                // Another number of items every time.
                let made = move |walk: &Walk| 0..items + u32::try_from(walk.visits % 3).unwrap();
                self.change(|graph| graph.fan_out_or(name(at), made, workers(at), onward));
            }
            Kind::Plain | Kind::Shared | Kind::Mapped => {}
        }
        let targets: BTreeSet<String> = plan.to.iter().map(|offset| shape.after(at, *offset)).collect();
        for target in targets {
            self.reached.insert(target.clone());
            self.change(|graph| graph.edge(name(at), target));
        }
        if let Some((yes, no)) = plan.branch {
            let (yes, no) = (shape.after(at, yes), shape.after(at, no));
            self.reached.extend([yes.clone(), no.clone()]);
            let odd = |walk: &Walk| (walk.hash ^ walk.visits) % 2 == 1;
            self.change(|graph| graph.branch(name(at), odd, [(true, yes), (false, no)]));
        }
        let back = plan.back.map(|back| at.saturating_sub(back));
        let back = if at + 1 == shape.plans.len() { Some(0) } else { back };
        if let Some(back) = back {
            let (visits, on) = (shape.visits, shape.after(at, 0));
            self.reached.insert(on.clone());
            let few = move |walk: &Walk| walk.visits < visits;
            self.change(|graph| graph.branch(name(at), few, [(true, name(back)), (false, on)]));
        } else if plan.to.is_empty() && plan.branch.is_none() {
            self.change(|graph| graph.edge(name(at), END));
        }
    }

    fn joins(&mut self) {
        let (shape, count) = (self.shape, self.shape.plans.len());
        let mut known = BTreeSet::new();
        for (sources, offset) in &shape.joins {
            let sources = sources.iter().map(|at| at % count);
            let sources: BTreeSet<usize> =
                sources.filter(|at| !matches!(shape.kind(*at), Kind::Dispatches(_))).collect();
            let last = sources.last().copied().unwrap_or(0);
            let target = shape.after(last, *offset);
            if sources.len() > 1 && known.insert((sources.clone(), target.clone())) {
                self.reached.insert(target.clone());
                self.change(|graph| graph.join(sources.into_iter().map(name), target));
            }
        }
    }

    fn ends(self) -> StateGraph<Walk, World> {
        let Self { shape, mut graph, reached } = self;
        graph = graph.edge(START, name(0));
        for at in (1..shape.plans.len()).filter(|at| !reached.contains(&name(*at))) {
            graph = graph.edge(START, name(at));
        }
        graph
    }
}

/// `p`, then `q` and `r` at once, then `s`.
fn diamond<S: State>(at: usize, graph: StateGraph<S, World>) -> StateGraph<S, World> {
    let [p, q, r, s] = inside(at);
    let graph = graph.edge(START, &p).edge(&p, &q).edge(&p, &r);
    graph.join([q, r], &s).edge(s, END)
}

fn shared(at: usize, world: &World) -> CompiledGraph<Walk, World> {
    let graph = inside(at).into_iter().fold(StateGraph::new("shared"), |graph, node| graph.node(node, act));
    diamond(at, graph).compile_with(world.clone()).expect("it has no defects")
}

fn mapped(at: usize, world: &World) -> CompiledGraph<super::world::Tally, World> {
    let graph = inside(at).into_iter().fold(StateGraph::new("mapped"), |graph, node| graph.node(node, count));
    diamond(at, graph).compile_with(world.clone()).expect("it has no defects")
}

fn deed() -> impl Strategy<Value = Deed> {
    let fails = prop_oneof![3 => Just(0), 1 => 1..3_u32];
    let often = prop::bool::weighted(0.25);
    (fails, often, often, prop::bool::weighted(0.2)).prop_map(|(fails, asks, journals, overwrites)| Deed {
        fails,
        asks,
        journals,
        overwrites,
        dispatches: 0,
    })
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        5 => Just(Kind::Plain),
        1 => (0..3_u32).prop_map(Kind::FansOut),
        1 => (1..4_u32).prop_map(Kind::Dispatches),
        1 => Just(Kind::Shared),
        1 => Just(Kind::Mapped),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let offset = || 0..4_usize;
    (
        deed(),
        kind(),
        prop::bool::weighted(0.15),
        prop::collection::vec(offset(), 0..3),
        prop::option::weighted(0.3, (offset(), offset())),
        prop::option::weighted(0.15, 0..3_usize),
        offset(),
    )
        .prop_map(|(deed, kind, deferred, to, branch, back, items_to)| Plan {
            deed,
            kind,
            deferred,
            to,
            branch,
            back,
            items_to,
        })
}

pub(super) fn shape() -> impl Strategy<Value = Shape> {
    let sources = prop::collection::btree_set(0..8_usize, 2..4);
    let joins = prop::collection::vec((sources, 0..3_usize), 0..3);
    let shapes = (prop::collection::vec(plan(), 2..8), joins, 0..25_u64)
        .prop_map(|(plans, joins, visits)| Shape { plans, joins, visits });
    shapes.prop_filter("a join can never run", Shape::can_run_all_joins)
}
