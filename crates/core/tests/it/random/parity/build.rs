//! Compiles random graphs, and says what their nodes do.

use std::collections::BTreeSet;
use std::future::Ready;

use stategraph_core::{
    Command, CompiledGraph, Cx, DefectKind, END, Frozen, NodeResult, START, SharedCx, State, StateGraph,
};

use super::shape::{Lead, Shape, Taken, Walk};

impl Shape {
    pub(super) fn built(&self) -> CompiledGraph<Walk> {
        self.graph().compile().expect("the shape has no defects")
    }

    /// Returns false if two sources of a join follow different arms of one branch, which compilation refuses. LangGraph waits for ever.
    pub(super) fn can_run_all_joins(&self) -> bool {
        let defects = self.graph().compile().err();
        defects
            .is_none_or(|found| found.list.iter().all(|it| !matches!(it.kind, DefectKind::DeadJoin { .. })))
    }

    /// Returns the graph as LangGraph has it, with edges besides `goto`.
    pub(super) fn with_edges_besides(&self) -> StateGraph<Walk> {
        let besides = self.nodes.iter().enumerate().filter(|(_, node)| node.goes_besides_edges());
        besides.fold(self.graph(), |graph, (at, node)| {
            node.edges.iter().fold(graph, |graph, to| graph.edge(self.name(at), self.name(*to)))
        })
    }

    fn graph(&self) -> StateGraph<Walk> {
        let mut graph = StateGraph::<Walk>::new("parity");
        for (at, node) in self.nodes.iter().enumerate() {
            let name = self.name(at);
            graph = graph.node(name, self.deed(at));
            graph = match node.takes {
                None => graph,
                Some(Taken::Nothing) => graph.takes::<()>(name),
                Some(Taken::Number) => graph.takes::<u32>(name),
            };
            graph = match node.lead {
                Lead::Edges => self.edges_of(at, graph),
                Lead::Goto | Lead::GotoBesideEdges => self.routes_of(at, graph),
            };
            if node.deferred {
                graph = graph.defer(name);
            }
        }
        for (sources, target) in &self.joins {
            graph = graph.join(sources.iter().map(|source| self.name(*source)), self.name(*target));
        }
        self.entries().iter().fold(graph, |graph, entry| graph.edge(START, self.name(*entry)))
    }

    fn routes_of(&self, at: usize, graph: StateGraph<Walk>) -> StateGraph<Walk> {
        let (name, node) = (self.name(at), &self.nodes[at]);
        let targets = node.targets().into_iter().map(|to| self.name(to).to_owned());
        let worker = node.items.map(|items| items.worker).or(node.counts_down.then_some(at));
        let graph = graph.goto(name, targets.chain([END.to_owned()]));
        worker.into_iter().fold(graph, |graph, worker| graph.dispatches(name, [self.name(worker)]))
    }

    fn edges_of(&self, at: usize, mut graph: StateGraph<Walk>) -> StateGraph<Walk> {
        let (name, node) = (self.name(at), &self.nodes[at]);
        for target in &node.edges {
            graph = graph.edge(name, self.name(*target));
        }
        graph = graph.edge(name, END);
        if let Some(items) = node.items {
            let (count, worker) = (items.count, self.name(items.worker));
            graph = match self.nodes[items.worker].takes {
                Some(Taken::Number) => graph.fan_out(name, move |_: &Walk| 0..count, worker),
                _ => graph.fan_out(name, move |_: &Walk| (0..count).map(|_| ()), worker),
            };
        }
        let Some(choice) = node.choice else { return graph };
        let (few, many) = (self.name(choice.few).to_owned(), self.name(choice.many).to_owned());
        let is_few = move |walk: &Walk| walk.runs_of(choice.when.of) < choice.when.under;
        graph.branch(name, is_few, [(true, few), (false, many)])
    }

    fn deed(&self, at: usize) -> impl Fn(Frozen<Walk>, SharedCx) -> Ready<NodeResult<Command<Walk>>> + use<> {
        let shape = self.clone();
        move |walk, cx| std::future::ready(shape.act(at, &walk, &cx))
    }

    /// Runs the node with this number. A worker looks at its item alone, because LangGraph shows it nothing else.
    fn act(&self, at: usize, walk: &Walk, cx: &Cx) -> NodeResult<Command<Walk>> {
        let (name, node) = (self.name(at), &self.nodes[at]);
        let (item, said) = match node.takes {
            None => (None, name.to_owned()),
            Some(Taken::Nothing) => cx.item::<()>().map(|()| (Some(0), name.to_owned()))?,
            Some(Taken::Number) => cx.item::<u32>().map(|item| (Some(*item), format!("{name}:{item}")))?,
        };
        let seen = |of: usize| item.map_or_else(|| walk.runs_of(of), u64::from);
        let mut update = Walk::update().runs(at).log(said);
        if node.adds.is_some_and(|when| seen(when.of) < when.under) {
            update = update.sum(1 + u64::from(item.unwrap_or(0)));
        }
        if node.sets.is_some_and(|when| seen(when.of) < when.under) {
            update = update.last(1 + at as u64);
        }
        let command = Command::update(update);
        if node.lead == Lead::Edges {
            return Ok(command);
        }
        // The run of the node itself counts already.
        let own = |of: usize| u64::from(of == at && item.is_none());
        let chosen = node.choice.map(|choice| {
            let when = choice.when;
            if seen(when.of) + own(when.of) < when.under { choice.few } else { choice.many }
        });
        let targets: BTreeSet<usize> = node.edges.iter().copied().chain(chosen).collect();
        let command = targets.into_iter().fold(command.goto(END), |command, to| command.goto(self.name(to)));
        Ok(self.sent(at, item, command))
    }

    /// Adds the items that the node sends by itself.
    fn sent(&self, at: usize, item: Option<u32>, mut command: Command<Walk>) -> Command<Walk> {
        let node = &self.nodes[at];
        if let Some(items) = node.items {
            let (worker, takes) = (self.name(items.worker), self.nodes[items.worker].takes);
            for number in 0..items.count {
                command = match takes {
                    Some(Taken::Number) => command.dispatch(worker, number),
                    _ => command.dispatch(worker, ()),
                };
            }
        }
        match item.filter(|_| node.counts_down) {
            Some(item @ 1..) => command.dispatch(self.name(at), item - 1),
            _ => command,
        }
    }
}
