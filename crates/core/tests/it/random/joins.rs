//! Random graphs of joins: even, uneven, deferred, in cycles, of nodes that are sent items. Which nodes run in which superstep depends
//! on neither their names nor on how often the run is resumed. `tests/real/langgraph.sh` has LangGraph run the same graphs.
//!
//! What differs from LangGraph on purpose is left out: a choice looks at its own node alone (D12), a node that uses `goto` has no edges
//! (D2), and no graph has deferred nodes as well as items (LangGraph runs a deferred node beside items).

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stategraph_core::{
    Command, CompiledGraph, END, EventKind, EventKinds, Frozen, RunError, START, State, StateGraph,
};

use super::super::kit::{memory, played, thread};
use crate::cases::cases;

/// The supersteps of a run that count.
const STEPS: u64 = 24;

/// The file that graphs and their supersteps are appended to, a line each.
const OUT: &str = "STATEGRAPH_TEST_SUPERSTEPS";

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Walk {
    /// How often each node has run.
    #[state(reduce = tally, delta = usize)]
    runs: Vec<u64>,
}

fn tally(runs: &mut Vec<u64>, node: usize) {
    runs.resize(runs.len().max(node + 1), 0);
    runs[node] += 1;
}

impl Walk {
    fn runs_of(&self, node: usize) -> u64 {
        self.runs.get(node).copied().unwrap_or(0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It leads on by edges.
    Edges,
    /// It goes to the targets of its edges by itself.
    Goes,
    /// It sends items to its worker and leads nowhere else.
    Sends(u32),
    /// Its edges send items to its worker as well.
    FansOut(u32),
    /// It is sent the items of the node with this number.
    Worker(usize),
}

#[derive(Debug, Clone)]
struct Node {
    kind: Kind,
    deferred: bool,
    /// Every node leads to `END` as well, so that no graph has a defect.
    edges: BTreeSet<usize>,
    choice: Option<Choice>,
}

/// Leads to `few` while the node has run less than `under` times, to `many` afterwards.
#[derive(Debug, Clone, Copy)]
struct Choice {
    under: u64,
    few: usize,
    many: usize,
}

#[derive(Debug, Clone)]
struct Shape {
    nodes: Vec<Node>,
    joins: BTreeSet<(BTreeSet<usize>, usize)>,
    /// The nodes besides those that nothing leads to.
    start: BTreeSet<usize>,
    /// The names in the order of the nodes.
    names: Vec<String>,
}

type Supersteps = Vec<Vec<usize>>;

impl Node {
    fn targets(&self) -> BTreeSet<usize> {
        let chosen = self.choice.iter().flat_map(|choice| [choice.few, choice.many]);
        self.edges.iter().copied().chain(chosen).collect()
    }

    /// The targets of this visit, the choice included.
    fn chosen(&self, runs: u64) -> BTreeSet<usize> {
        let chosen = self.choice.map(|choice| if runs < choice.under { choice.few } else { choice.many });
        self.edges.iter().copied().chain(chosen).collect()
    }
}

impl Shape {
    fn name(&self, node: usize) -> &str {
        &self.names[node]
    }

    fn worker(&self, of: usize) -> &str {
        let worker = self.nodes.iter().position(|node| node.kind == Kind::Worker(of));
        self.name(worker.expect("a node that sends items has a worker"))
    }

    /// The nodes that a run starts with: those that were drawn, and of those that they do not lead to as many as it takes.
    fn entries(&self) -> BTreeSet<usize> {
        let (mut entries, mut reached) = (self.start.clone(), BTreeSet::new());
        self.start.iter().for_each(|at| self.reach(*at, &mut reached));
        for (at, node) in self.nodes.iter().enumerate() {
            if !matches!(node.kind, Kind::Worker(_)) && !reached.contains(&at) {
                entries.insert(at);
                self.reach(at, &mut reached);
            }
        }
        entries
    }

    /// Adds the nodes that can be reached from this one.
    fn reach(&self, at: usize, reached: &mut BTreeSet<usize>) {
        if !reached.insert(at) {
            return;
        }
        let joins = self.joins.iter().filter(|(sources, _)| sources.contains(&at)).map(|(_, target)| *target);
        let workers = self.nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Worker(at));
        let targets =
            self.nodes[at].targets().into_iter().chain(joins).chain(workers.map(|(worker, _)| worker));
        targets.for_each(|target| self.reach(target, reached));
    }

    /// What the node with this number does.
    fn deed(&self, at: usize) -> impl Fn(Frozen<Walk>) -> std::future::Ready<Command<Walk>> + use<> {
        let shape = self.clone();
        move |walk| {
            let node = &shape.nodes[at];
            let update = Command::update(Walk::update().runs(at));
            std::future::ready(match node.kind {
                Kind::Goes => node
                    .chosen(walk.runs_of(at) + 1)
                    .into_iter()
                    .fold(update.goto(END), |command, to| command.goto(shape.name(to))),
                Kind::Sends(items) => {
                    (0..items).fold(update, |command, item| command.dispatch(shape.worker(at), item))
                }
                Kind::Edges | Kind::FansOut(_) | Kind::Worker(_) => update,
            })
        }
    }

    fn built(&self) -> CompiledGraph<Walk> {
        let entries = self.entries();
        let mut graph = StateGraph::<Walk>::new("joins");
        for (at, node) in self.nodes.iter().enumerate() {
            let name = self.name(at);
            graph = graph.node(name, self.deed(at));
            graph = match node.kind {
                Kind::Goes => {
                    let targets = node.targets().into_iter().map(|to| self.name(to).to_owned());
                    graph.goto(name, targets.chain([END.to_owned()]))
                }
                Kind::Sends(_) => graph.dispatches(name, [self.worker(at)]),
                Kind::FansOut(items) => {
                    let graph = graph.fan_out(name, move |_: &Walk| 0..items, self.worker(at));
                    self.edges_of(at, graph)
                }
                Kind::Edges => self.edges_of(at, graph),
                Kind::Worker(_) => self.edges_of(at, graph.takes::<u32>(name)),
            };
            if node.deferred {
                graph = graph.defer(name);
            }
        }
        for (sources, target) in &self.joins {
            graph = graph.join(sources.iter().map(|source| self.name(*source)), self.name(*target));
        }
        graph = entries.iter().fold(graph, |graph, entry| graph.edge(START, self.name(*entry)));
        graph.compile().expect("the shape has no defects")
    }

    fn edges_of(&self, at: usize, mut graph: StateGraph<Walk>) -> StateGraph<Walk> {
        let node = &self.nodes[at];
        for target in &node.edges {
            graph = graph.edge(self.name(at), self.name(*target));
        }
        graph = graph.edge(self.name(at), END);
        let Some(Choice { under, few, many }) = node.choice else { return graph };
        let (few, many) = (self.name(few).to_owned(), self.name(many).to_owned());
        let is_few = move |walk: &Walk| walk.runs_of(at) < under;
        graph.branch(self.name(at), is_few, [(true, few), (false, many)])
    }

    /// The graph as a Python program reads it.
    fn told(&self, supersteps: &Supersteps) -> Value {
        let name = |at: &usize| self.name(*at).to_owned();
        let names = |all: &BTreeSet<usize>| all.iter().map(name).collect::<Vec<_>>();
        let nodes = self.nodes.iter().enumerate().map(|(at, node)| {
            let items = match node.kind {
                Kind::Sends(items) | Kind::FansOut(items) => json!({ "to": self.worker(at), "count": items }),
                Kind::Edges | Kind::Goes | Kind::Worker(_) => Value::Null,
            };
            let choice = node.choice.map(|Choice { under, few, many }| {
                json!({ "under": under, "few": self.name(few), "many": self.name(many) })
            });
            json!({
                "name": self.name(at),
                "deferred": node.deferred,
                "by_command": matches!(node.kind, Kind::Goes | Kind::Sends(_)),
                "edges": names(&node.edges),
                "choice": choice,
                "items": items,
            })
        });
        json!({
            "nodes": nodes.collect::<Vec<_>>(),
            "joins": self.joins.iter().map(|(from, to)| json!([names(from), name(to)])).collect::<Vec<_>>(),
            "start": names(&self.entries()),
            "supersteps": supersteps.iter().map(|step| step.iter().map(name).collect()).collect::<Vec<Vec<_>>>(),
        })
    }

    /// The nodes that run in each superstep, each as often as it runs.
    async fn supersteps(&self) -> Supersteps {
        let run = self.built().run(Walk::default()).step_limit(STEPS);
        let (events, ended) = played(run.stream(EventKinds::TASKS).await.unwrap()).await;
        assert!(matches!(ended, Ok(_) | Err(RunError::StepLimit { .. })), "{ended:?}");
        let mut supersteps = Supersteps::new();
        for event in &events {
            if let EventKind::TaskStarted { node, .. } = &event.kind {
                let step = usize::try_from(event.step).unwrap();
                supersteps.resize(supersteps.len().max(step), Vec::new());
                supersteps[step - 1].push(self.names.iter().position(|name| name == node).unwrap());
            }
        }
        supersteps.iter_mut().for_each(|step| step.sort_unstable());
        supersteps
    }

    /// The same of a run that ends after every superstep and is resumed.
    async fn supersteps_resumed(&self) -> Supersteps {
        let (graph, thread) = (self.built().with_store(memory()), thread("t"));
        let mut supersteps = Supersteps::new();
        let mut ended = graph.run(Walk::default()).thread(thread.clone()).step_limit(0).await;
        while let (Err(RunError::StepLimit { next, .. }), true) = (&ended, (supersteps.len() as u64) < STEPS)
        {
            let mut step: Vec<usize> =
                next.iter().map(|node| self.names.iter().position(|name| name == node).unwrap()).collect();
            step.sort_unstable();
            supersteps.push(step);
            ended = graph.resume(&thread).step_limit(1).await;
        }
        supersteps
    }
}

/// A graph under two namings.
fn shapes() -> impl Strategy<Value = (Shape, Shape)> {
    (3..9_usize).prop_flat_map(|count| {
        let any_node = || 0..count;
        let kind = prop_oneof![
            5 => Just(Kind::Edges),
            1 => Just(Kind::Goes),
            1 => (1..4_u32).prop_map(Kind::Sends),
            1 => (0..3_u32).prop_map(Kind::FansOut),
        ];
        let choice =
            (1..5_u64, any_node(), any_node()).prop_map(|(under, few, many)| Choice { under, few, many });
        let node = (
            kind,
            prop::bool::weighted(0.25),
            prop::collection::btree_set(any_node(), 0..3),
            prop::option::weighted(0.4, choice),
        );
        // Of sources the larger numbers may be workers.
        let join = (prop::collection::btree_set(0..count + 2, 2..4), any_node());
        (
            prop::collection::vec(node, count),
            prop::collection::vec(join, 1..4),
            prop::collection::btree_set(any_node(), 0..3),
            any::<bool>(),
        )
            .prop_flat_map(|(nodes, joins, start, deferring)| {
                let shape = Shape::new(nodes, joins, start, deferring);
                let shuffled = || Just(shape.names.clone()).prop_shuffle();
                let named = |shape: &Shape, names| Shape { names, ..shape.clone() };
                (shuffled(), shuffled(), Just(shape))
                    .prop_map(move |(one, other, shape)| (named(&shape, one), named(&shape, other)))
            })
    })
}

type Drawn = (Kind, bool, BTreeSet<usize>, Option<Choice>);

impl Shape {
    /// Makes a graph without defects of what was drawn.
    fn new(
        drawn: Vec<Drawn>,
        joins: Vec<(BTreeSet<usize>, usize)>,
        start: BTreeSet<usize>,
        deferring: bool,
    ) -> Self {
        let mut nodes: Vec<Node> = drawn
            .into_iter()
            .map(|(kind, deferred, edges, choice)| {
                let kind = match kind {
                    Kind::Sends(_) | Kind::FansOut(_) if deferring => Kind::Edges,
                    kind => kind,
                };
                Node { kind, deferred: deferred && deferring, edges, choice }
            })
            .collect();
        for at in 0..nodes.len() {
            let edges = match nodes[at].kind {
                Kind::Sends(_) => {
                    nodes[at].choice = None;
                    std::mem::take(&mut nodes[at].edges)
                }
                Kind::FansOut(_) => BTreeSet::new(),
                Kind::Edges | Kind::Goes | Kind::Worker(_) => continue,
            };
            nodes.push(Node { kind: Kind::Worker(at), deferred: false, edges, choice: None });
        }
        let leads = |at: &usize| !matches!(nodes[*at].kind, Kind::Goes | Kind::Sends(_));
        let joins = joins.into_iter().filter_map(|(sources, target)| {
            let sources: BTreeSet<usize> =
                sources.into_iter().map(|at| at % nodes.len()).filter(leads).collect();
            (sources.len() > 1).then_some((sources, target))
        });
        let joins = joins.collect();
        let names = (0..nodes.len()).map(|at| format!("n{at}")).collect();
        Self { nodes, joins, start, names }
    }
}

proptest! {
    #![proptest_config(cases(128))]

    // F3, F4, F17, F20, F21
    #[test]
    fn the_supersteps_of_a_graph_with_joins_depend_on_neither_names_nor_resumes(
        (shape, renamed) in shapes()
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let supersteps = runtime.block_on(async {
            let supersteps = shape.supersteps().await;
            assert_eq!(renamed.supersteps().await, supersteps);
            assert_eq!(shape.supersteps_resumed().await, supersteps);
            supersteps
        });
        if let Some(out) = std::env::var_os(OUT) {
            append(Path::new(&out), &shape.told(&supersteps));
        }
    }
}

fn append(out: &Path, line: &Value) {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(out);
    writeln!(file.unwrap(), "{line}").unwrap();
}
