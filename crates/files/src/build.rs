//! Builds a [`StateGraph`] from a graph file and a registry. Reads no file, runs no node.

use std::sync::Arc;

use serde_json::Value;

use stategraph_core::{Breakpoints, CachePolicy, Draft, ErasedChoice, ErasedNode, State, StateGraph};

use super::check::{build_draft, find_defects, node_policy};
use super::definition::{Definition, NodeSpec};
use super::diagnostic::Diagnostics;
use super::expression::{EvalScope, Expression};
use super::format::{
    BreakpointNodes, CacheFile, ConditionArm, ELSE, EdgeFile, EdgeTargets, GraphFile, ItemList, Sources,
};
use super::inline::{FileOrigin, JsonState};
use super::items::items_of;
use super::kind::Kind;
use super::located::Located;
use super::read::Completeness;
use super::registry::Registry;

/// A node of a graph whose file declares its channels. Its type is erased; it works on a [`JsonState`].
pub type InlineNode<D> = Arc<dyn ErasedNode<JsonState, D>>;

impl Definition {
    /// Builds the graph on a registered state `S`, with the nodes, choices and lists that `registry` has
    /// under the names in the file. Fails with every defect: unknown names, labels without an arm, and
    /// defects that the engine finds.
    pub fn build<S: State, D: Send + Sync + 'static>(
        &self,
        registry: &Registry<S, D>,
    ) -> Result<StateGraph<S, D>, Diagnostics> {
        let labels = |choice: &str| {
            let found = registry.find_choice(choice)?;
            Some(found.labels.iter().map(|label| (*label).to_owned()).collect())
        };
        let draft = build_draft(&self.file, &labels);
        let mut found = find_defects(&self.source, &self.file, &draft, Completeness::Complete);
        found.extend(self.find_unregistered(registry));
        self.fail_if_any(found)?;
        let graph = self.assemble(registry);
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    /// Builds the graph of a file that declares its channels. Fails with every defect. `make` is called once
    /// for each node and each error handler, and returns the code that runs it; `origin` names the file in
    /// the threads that the graph writes.
    ///
    /// # Panics
    /// If the file names a registered state; check [`state_name`](Self::state_name) first.
    pub fn build_inline<D: Send + Sync + 'static>(
        &self,
        origin: FileOrigin,
        make: &dyn Fn(NodeSpec<'_>) -> InlineNode<D>,
    ) -> Result<StateGraph<JsonState, D>, Diagnostics> {
        self.check()?;
        let schema =
            self.schema().expect("a file without defects that names no registered state has channels");
        let prototype = JsonState::new(schema.clone()).with_origin(origin).with_limits(self.allowed);
        let prototype = prototype.with_context(self.run_context.clone());
        let Draft { name, about, nodes, .. } = self.draft();
        let graph = StateGraph::new(name).about(about).prototype(prototype);
        let mut graph = self.with_run_settings(graph);
        let files = self.file.nodes.0.iter();
        for ((described, (at, file)), spec) in nodes.into_iter().zip(files).zip(self.nodes()) {
            let (name, takes_items) = (spec.name, described.takes.is_some());
            graph = graph.erased_node(described, node_policy(&self.file, file), make(spec));
            if let Some(cache) = &file.keys.cache {
                graph = graph.cache(name, cache_policy(cache));
            }
            if let Some(handler) = self.handler(at, file) {
                graph = graph.erased_on_error(name, make(handler));
            }
            if takes_items {
                graph = graph.takes::<Value>(name);
            }
        }
        let graph = self.file.edges.iter().fold(graph, |graph, edge| match edge {
            EdgeFile::Conditional { from, cases, otherwise } => {
                add_conditional_edge(graph, from, cases, otherwise)
            }
            EdgeFile::FanOut { from, each: ItemList::Computed(items), to, empty } => {
                add_fan_out(graph, &from.value, items.clone(), &to.value, empty.as_ref())
            }
            edge => add_edge(graph, edge),
        });
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    /// Sets the limits that the file declares for every run: breakpoints, maximum number of supersteps, time
    /// of a superstep.
    fn with_run_settings<S: State, D: Send + Sync + 'static>(
        &self,
        graph: StateGraph<S, D>,
    ) -> StateGraph<S, D> {
        let mut graph = graph.breakpoints(file_breakpoints(&self.file));
        if let Some(limit) = self.file.step_limit {
            graph = graph.step_limit(limit.into());
        }
        match &self.file.step_timeout {
            Some(limit) => graph.step_timeout(limit.value.0),
            None => graph,
        }
    }

    /// Builds the graph on a registered state with the nodes, choices and lists of the registry. The caller
    /// has checked that all names exist.
    fn assemble<S: State, D: Send + Sync + 'static>(&self, registry: &Registry<S, D>) -> StateGraph<S, D> {
        let Draft { name, about, nodes, .. } = self.draft();
        let mut graph = self.with_run_settings(StateGraph::new(name).about(about));
        for (mut described, (_, file)) in nodes.into_iter().zip(&self.file.nodes.0) {
            let Some(Kind::Uses(uses)) = &file.action.kind else { unreachable!("other kinds were refused") };
            let node = registry.find_node(uses).expect("unregistered nodes were refused");
            if described.about.is_empty() {
                described.about.clone_from(&node.about);
            }
            let name = described.name.clone();
            graph = graph.erased_node(described, node_policy(&self.file, file), node.item.clone());
            if let Some(Kind::Uses(handler)) =
                self.file.handler_of(file).and_then(|it| it.action.kind.as_ref())
            {
                let handler = registry.find_node(handler).expect("unregistered nodes were refused");
                graph = graph.erased_on_error(&name, handler.item.clone());
            }
            if let Some(cache) = &file.keys.cache {
                let policy = CachePolicy::new();
                graph = graph
                    .cache(name, cache.ttl.as_ref().map_or(policy.clone(), |ttl| policy.ttl(ttl.value.0)));
            }
        }
        for edge in &self.file.edges {
            graph = match edge {
                EdgeFile::Choice { from, choose, arms, .. } => {
                    let choice =
                        registry.find_choice(&choose.value).expect("unregistered choices were refused");
                    let labels = choice.labels.iter().map(|label| (*label).to_owned()).collect();
                    let arms = arms
                        .0
                        .iter()
                        .map(|(label, to)| (label.value.clone(), vec![to.value.clone()]))
                        .collect();
                    graph.erased_branch(&from.value, choice.choose.clone(), labels, arms)
                }
                EdgeFile::FanOut { from, each: ItemList::Registered(each), to, empty } => {
                    let list = registry.find_list(&each.value).expect("unregistered lists were refused");
                    let empty = empty.as_ref().map(|empty| empty.value.clone());
                    list(graph, &from.value, &to.value, empty)
                }
                edge => add_edge(graph, edge),
            };
        }
        graph
    }
}

/// Returns the breakpoints that `interrupt_before` and `interrupt_after` of the file declare. They hold for
/// every run.
fn file_breakpoints(file: &GraphFile) -> Breakpoints {
    let mut breakpoints = Breakpoints::none();
    match &file.interrupt_before {
        Some(BreakpointNodes::All) => breakpoints = breakpoints.before_all(),
        Some(BreakpointNodes::Named(names)) => {
            breakpoints = breakpoints.before(names.iter().map(|name| &name.value));
        }
        None => {}
    }
    match &file.interrupt_after {
        Some(BreakpointNodes::All) => breakpoints.after_all(),
        Some(BreakpointNodes::Named(names)) => breakpoints.after(names.iter().map(|name| &name.value)),
        None => breakpoints,
    }
}

/// Makes the cache policy of a node from its key `cache`. The key of a cached result is the value of the
/// expression `by` and the node's definition. Without `by`, or if it fails, the whole state replaces its
/// value; in the second case the node itself then reports the error.
fn cache_policy(file: &CacheFile) -> CachePolicy<JsonState> {
    let (by, definition) = (file.by.clone(), file.definition.clone());
    let policy = CachePolicy::with_key(move |state: &JsonState| {
        let input = by.as_ref().and_then(|by| by.evaluate(&EvalScope::new(state)).ok());
        (input.unwrap_or_else(|| whole_input(state)), definition.clone())
    });
    match &file.ttl {
        Some(ttl) => policy.ttl(ttl.value.0),
        None => policy,
    }
}

/// Returns the values of all channels, by name, as the cache key of a node; `[channels, context]` if the run
/// has a context. Model costs are not part of it, because they change with every run.
fn whole_input(state: &JsonState) -> Value {
    let channels: Value = state.entries().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    match state.context() {
        context if context.is_empty() => channels,
        context => serde_json::json!([channels, context]),
    }
}

/// Adds a static edge, or a join if the edge has several sources. Panics for all other kinds of edges.
fn add_edge<S: State, D: Send + Sync + 'static>(
    graph: StateGraph<S, D>,
    edge: &EdgeFile,
) -> StateGraph<S, D> {
    let EdgeFile::Static { from, to, .. } = edge else { unreachable!("this choice was refused") };
    match from {
        Sources::One(from) => graph.edge(&from.value, &to.value),
        Sources::All(from) => graph.join(from.iter().map(|name| &name.value), &to.value),
    }
}

/// Adds a fan-out after `from`: `items` is evaluated to a list, and `to` runs once for each item. `empty`
/// runs for an empty list. A failed evaluation is recorded in the state as an error.
fn add_fan_out<D: Send + Sync + 'static>(
    graph: StateGraph<JsonState, D>,
    from: &str,
    items: Expression,
    to: &str,
    empty: Option<&Located<String>>,
) -> StateGraph<JsonState, D> {
    let make_items = move |state: &JsonState| {
        items_of(&items, &EvalScope::new(state)).unwrap_or_else(|reason| {
            state.record_error(format!("`each`: {reason}"));
            Vec::new()
        })
    };
    match empty {
        Some(empty) => graph.fan_out_or(from, make_items, to, &empty.value),
        None => graph.fan_out(from, make_items, to),
    }
}

/// Adds a conditional edge after `from`. The first case whose condition is true gives the targets; if none
/// is, `otherwise` does. A condition that fails is recorded in the state as an error, and `otherwise` is
/// taken.
fn add_conditional_edge<D: Send + Sync + 'static>(
    graph: StateGraph<JsonState, D>,
    from: &Located<String>,
    cases: &[ConditionArm],
    otherwise: &EdgeTargets,
) -> StateGraph<JsonState, D> {
    let conditions: Vec<_> = cases.iter().map(|case| case.when.clone()).collect();
    let choose: ErasedChoice<JsonState> = Arc::new(move |state: &JsonState| {
        let scope = EvalScope::new(state);
        for (at, condition) in conditions.iter().enumerate() {
            match condition.is_true(&scope) {
                Ok(true) => return at,
                Ok(false) => {}
                Err(error) => {
                    state.record_error(format!("the condition {error}"));
                    break;
                }
            }
        }
        conditions.len()
    });
    let arms = cases.iter().map(|case| (case.when.text().to_owned(), case.to.names()));
    let arms: Vec<_> = arms.chain([(ELSE.to_owned(), otherwise.names())]).collect();
    let labels = arms.iter().map(|(label, _)| label.clone()).collect();
    graph.erased_branch(&from.value, choose, labels, arms)
}
