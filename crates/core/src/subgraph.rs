//! A compiled graph as a node of another (LangGraph F58): the state that it starts with, the update that it returns. `inner_run.rs` runs it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

use super::checkpoint::{Edges, Record};
use super::command::{Command, Route};
use super::commit::encode_state;
use super::context::Cx;
use super::dispatch::{DispatchItem, WrongItem};
use super::error::RunError;
use super::graph::CompiledGraph;
use super::inner_graph::{InnerGraph, InnerPlace, InnerSnapshot, Persistence};
use super::inner_run::{InnerCall, InnerEnd};
use super::inner_view::look;
use super::node::{ErasedNode, IntoNode, NodeForm};
use super::node_error::{NodeError, NodeResult};
use super::state::State;
use super::topology::Topology;

/// A compiled graph as a node of another. It returns the updates that it wrote, never its whole state (D4),
/// so that no reducer adds a value twice.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::{END, START, State, StateGraph, Subgraph};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Book {
///     text: String,
///     words: usize,
/// }
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     text: String,
///     #[state(add)]
///     words: usize,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let count = StateGraph::<Count>::new("count")
///     .node("count", async |count: &Count| Count::update().words(count.text.split_whitespace().count()))
///     .edge(START, "count")
///     .edge("count", END)
///     .compile()?;
/// let inside = Subgraph::mapped(
///     &count,
///     |book: &Book| Count { text: book.text.clone(), words: 0 },
///     |count: &Count| Book::update().words(count.words),
/// );
/// let graph = StateGraph::<Book>::new("book").node("count", inside).edge(START, "count").edge("count", END).compile()?;
/// let book = Book { text: "three short words".into(), words: 0 };
/// assert_eq!(graph.run(book).await?.state.words, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct Subgraph<S: State, C: State, E: Send + Sync + 'static> {
    graph: CompiledGraph<C, E>,
    enter: StateForCall<S, C>,
    again: Option<UpdateForCall<S, C>>,
    leave: ReturnedUpdate<S, C>,
    persistence: Persistence,
}

/// A closure that makes the state a call starts with, from the outer state and the item of the task.
type StateForCall<S, C> = Arc<dyn Fn(&S, Option<&DispatchItem>) -> Result<C, WrongItem> + Send + Sync>;

/// A closure that makes the update which a repeated call folds into the state that the last call ended with.
type UpdateForCall<S, C> = Arc<dyn Fn(&S) -> <C as State>::Update + Send + Sync>;

/// The closure that makes the update of the node: from the merged updates of the graph, or from its final
/// state.
enum ReturnedUpdate<S: State, C: State> {
    Delta(Arc<dyn Fn(C::Update) -> S::Update + Send + Sync>),
    State(FromState<S, C>),
}

type FromState<S, C> = Arc<dyn Fn(&C) -> <S as State>::Update + Send + Sync>;

impl<T: State, E: Send + Sync + 'static> Subgraph<T, T, E> {
    /// Makes a node of a graph on the same state type: it starts with the outer state, and its updates are updates of the outer state. It
    /// runs with its own services; a graph with the services of the outer one can be added as a node directly.
    pub fn shared(graph: &CompiledGraph<T, E>) -> Self {
        Self::mapped_delta(graph, T::clone, |delta| delta)
    }
}

impl<S: State, C: State, E: Send + Sync + 'static> Subgraph<S, C, E> {
    /// Makes a node of a graph on a state of its own: `enter` makes that state, `leave` makes an update out of the final state.
    pub fn mapped(
        graph: &CompiledGraph<C, E>,
        enter: impl Fn(&S) -> C + Send + Sync + 'static,
        leave: impl Fn(&C) -> S::Update + Send + Sync + 'static,
    ) -> Self {
        let enter = move |state: &S, _: Option<&DispatchItem>| Ok(enter(state));
        Self::new(graph, Arc::new(enter), ReturnedUpdate::State(Arc::new(leave)))
    }

    /// Makes a node of a graph that runs once for each item of a fan-out (LangGraph's `Send` to a sub-graph): `enter` makes the state of a
    /// call from the outer state and the item, `leave` makes an update out of the final state. A task without an item fails.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use stategraph_core::{END, START, State, StateGraph, Subgraph};
    ///
    /// #[derive(State, Clone, Default, Serialize, Deserialize)]
    /// struct Book {
    ///     chapters: Vec<String>,
    ///     #[state(append)]
    ///     titles: Vec<String>,
    /// }
    /// #[derive(State, Clone, Default, Serialize, Deserialize)]
    /// struct Chapter {
    ///     title: String,
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let chapter = StateGraph::<Chapter>::new("chapter")
    ///     .node("print", async |chapter: &Chapter| Chapter::update().title(chapter.title.to_uppercase()))
    ///     .edge(START, "print")
    ///     .edge("print", END)
    ///     .compile()?;
    /// let each = Subgraph::for_items(
    ///     &chapter,
    ///     |_: &Book, title: &String| Chapter { title: title.clone() },
    ///     |chapter: &Chapter| Book::update().titles(chapter.title.clone()),
    /// );
    /// let graph = StateGraph::<Book>::new("book")
    ///     .node("chapter", each)
    ///     .fan_out(START, |book: &Book| book.chapters.clone(), "chapter")
    ///     .edge("chapter", END)
    ///     .compile()?;
    /// let book = Book { chapters: vec!["one".into(), "two".into()], titles: Vec::new() };
    /// assert_eq!(graph.run(book).await?.state.titles, ["ONE", "TWO"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn for_items<T: DeserializeOwned + Send + Sync + 'static>(
        graph: &CompiledGraph<C, E>,
        enter: impl Fn(&S, &T) -> C + Send + Sync + 'static,
        leave: impl Fn(&C) -> S::Update + Send + Sync + 'static,
    ) -> Self {
        let enter = move |state: &S, item: Option<&DispatchItem>| {
            let item = item.ok_or_else(WrongItem::missing::<T>).and_then(DispatchItem::get)?;
            Ok(enter(state, item))
        };
        Self::new(graph, Arc::new(enter), ReturnedUpdate::State(Arc::new(leave)))
    }

    /// Makes a node of a graph on a state of its own: `enter` makes that state, `leave` gets the sum of all updates of the graph.
    pub fn mapped_delta(
        graph: &CompiledGraph<C, E>,
        enter: impl Fn(&S) -> C + Send + Sync + 'static,
        leave: impl Fn(C::Update) -> S::Update + Send + Sync + 'static,
    ) -> Self {
        let enter = move |state: &S, _: Option<&DispatchItem>| Ok(enter(state));
        Self::new(graph, Arc::new(enter), ReturnedUpdate::Delta(Arc::new(leave)))
    }

    fn new(graph: &CompiledGraph<C, E>, enter: StateForCall<S, C>, leave: ReturnedUpdate<S, C>) -> Self {
        Self { graph: graph.clone(), enter, again: None, leave, persistence: Persistence::PerCall }
    }

    /// Sets the lifetime of its log; [`Persistence::PerCall`] by default. A [`shared`](Self::shared) graph
    /// takes its state from the outer one anyway.
    #[must_use]
    pub fn persistence(mut self, persistence: Persistence) -> Self {
        self.persistence = persistence;
        self
    }

    /// With [`Persistence::PerThread`]: sets the update that another call folds into the state of the last one before it starts.
    #[must_use]
    pub fn again(mut self, again: impl Fn(&S) -> C::Update + Send + Sync + 'static) -> Self {
        self.again = Some(Arc::new(again));
        self
    }

    /// Returns the state that a call starts with: the remembered one with the update of
    /// [`again`](Self::again), or else the one that `enter` makes.
    fn start_state<D>(&self, state: &S, cx: &Cx<D>) -> NodeResult<C> {
        let Some(remembered) = cx.remembered.as_ref().filter(|_| self.persistence == Persistence::PerThread)
        else {
            let entered = (self.enter)(state, cx.item.as_ref());
            return entered.map_err(|wrong| NodeError::from(wrong).permanent());
        };
        let mut inner: C = serde_json::from_str(remembered.get())?;
        inner.begin_step();
        if let Some(again) = &self.again {
            inner.fold(again(state));
        }
        Ok(inner)
    }

    /// Returns the command of the node after the graph has ended: the update that `leave` makes, and the
    /// route.
    fn to_command(&self, end: InnerEnd<C>) -> NodeResult<Command<S>> {
        let InnerEnd { state, delta, leaves_to } = end;
        let update = match &self.leave {
            ReturnedUpdate::Delta(leave) => leave(delta),
            ReturnedUpdate::State(leave) => leave(&state),
        };
        Command::after_graph(update, &state, &leaves_to, self.persistence)
    }

    async fn run<D: Send + Sync + 'static>(
        &self,
        graph: CompiledGraph<C, E>,
        state: &S,
        cx: &Cx<D>,
    ) -> NodeResult<Command<S>> {
        let call = InnerCall { key: "", graph, persistence: self.persistence };
        let end = cx.run_inner(call, || self.start_state(state, cx)).await?;
        self.to_command(end)
    }
}

impl<S: State> Command<S> {
    /// Makes the command of a node after a graph inside it has ended in `state`. The nodes `leaves_to` of
    /// this graph run next, unless there are none. A graph that is kept per thread starts its next call with
    /// `state`.
    pub fn after_graph<C: State>(
        update: S::Update,
        state: &C,
        leaves_to: &[Arc<str>],
        persistence: Persistence,
    ) -> NodeResult<Self> {
        let remember = match persistence {
            Persistence::PerThread => {
                Some(encode_state(state).map_err(|error| NodeError::from(error).permanent())?)
            }
            Persistence::PerCall | Persistence::Off => None,
        };
        let route = (remember.is_some() || !leaves_to.is_empty()).then(|| {
            let edges = if leaves_to.is_empty() { Edges::Followed } else { Edges::Replaced };
            let goto = leaves_to.iter().map(|target| target.as_ref().to_owned()).collect();
            Box::new(Route { goto, edges, remember, ..Route::default() })
        });
        Ok(Self { update: Some(update), route })
    }
}

impl<S: State, C: State, D: Send + Sync + 'static, E: Send + Sync + 'static> ErasedNode<S, D>
    for Subgraph<S, C, E>
{
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        Box::pin(self.run(self.graph.clone(), state, cx))
    }

    fn inner(&self) -> Option<&dyn InnerGraph> {
        Some(self)
    }
}

/// A graph as a node that runs with the services of the outer graph.
struct WithOuterServices<S: State, D: Send + Sync + 'static>(Subgraph<S, S, D>);

impl<S: State, D: Send + Sync + 'static> ErasedNode<S, D> for WithOuterServices<S, D> {
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        let graph = self.0.graph.clone().with_services(cx.services.clone());
        Box::pin(self.0.run(graph, state, cx))
    }

    fn inner(&self) -> Option<&dyn InnerGraph> {
        Some(&self.0)
    }
}

impl<S: State, C: State, E: Send + Sync + 'static> InnerGraph for Subgraph<S, C, E> {
    fn topology(&self) -> &Topology {
        self.graph.topology()
    }

    fn persistence(&self) -> Persistence {
        self.persistence
    }

    fn parent_targets(&self) -> Vec<String> {
        let mut targets: Vec<String> =
            self.graph.definition.nodes.iter().flat_map(|node| node.parent.iter().cloned()).collect();
        targets.sort();
        targets.dedup();
        targets
    }

    fn look(&self, log: &[Record], at: InnerPlace<'_>) -> Result<Option<InnerSnapshot>, RunError> {
        look(&self.graph, log, at)
    }
}

/// The marker of [`IntoNode`] for a [`Subgraph`].
pub struct OfSubgraph;
/// The marker of [`IntoNode`] for a compiled graph, which becomes a node with the services of the outer
/// graph.
pub struct OfGraph;

impl<S, C, D, E> NodeForm<S, D, OfSubgraph> for Subgraph<S, C, E>
where
    S: State,
    C: State,
    E: Send + Sync + 'static,
{
}

impl<S: State, D: Send + Sync + 'static> NodeForm<S, D, OfGraph> for CompiledGraph<S, D> {}

impl<S, C, D, E> IntoNode<S, D, OfSubgraph> for Subgraph<S, C, E>
where
    S: State,
    C: State,
    D: Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(self)
    }
}

impl<S: State, D: Send + Sync + 'static> IntoNode<S, D, OfGraph> for CompiledGraph<S, D> {
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(WithOuterServices(Subgraph::shared(&self)))
    }
}
