//! Nodes: the functions, closures and types that `StateGraph::node` accepts. Their types are erased here, once.
//!
//! A node borrows the state, cannot change it, and returns an update. Like axum's handlers, one method takes all forms and a marker type
//! distinguishes them: async functions and closures of `(&S)` or `(&S, &Cx<D>)`, capturing closures that take a [`Frozen`] state
//! (and a [`SharedCx`]), and types that implement [`Node`].

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::command::{Command, IntoCommand};
use super::context::Cx;
use super::inner_graph::InnerGraph;
use super::node_error::NodeResult;
use super::shared_cx::SharedCx;
use super::state::State;

/// A node as a type, for nodes with configuration or dependencies of their own. Async functions and closures need no type; see
/// [`IntoNode`].
///
/// One value runs all tasks of its node, also concurrently. It must not keep data between calls, because a resume may run in another
/// process: use the graph's state, or [`Cx::once`].
///
/// # Examples
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::{Cx, Node, NodeResult, State};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     n: u32,
/// }
/// struct AddBy(u32);
/// impl Node<Count> for AddBy {
///     async fn run(&self, state: &Count, _cx: &Cx) -> NodeResult<CountUpdate> {
///         Ok(Count::update().n(state.n + self.0))
///     }
/// }
/// ```
pub trait Node<S: State, D: Send + Sync + 'static = ()>: Send + Sync + 'static {
    /// Runs the node on this state and returns the update to fold into it.
    ///
    /// # Errors
    /// An error fails the attempt. The node's [`NodePolicy`](super::NodePolicy) decides about another one. Other error types convert to
    /// [`NodeError`](super::NodeError) with `?`.
    fn run(&self, state: &S, cx: &Cx<D>) -> impl Future<Output = NodeResult<S::Update>> + Send;
}

/// An owned handle to the state of one superstep, for closures that capture variables: those cannot borrow the state on stable Rust.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let step = 3;
/// let add = move |count: Frozen<Count>| async move { Count::update().n(count.n + step) };
/// let graph = StateGraph::new("add").node("add", add).sequence([START, "add", END]).compile()?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 3);
/// # Ok(()) }) }
/// ```
pub struct Frozen<S>(Arc<S>);

impl<S> Deref for Frozen<S> {
    type Target = S;
    fn deref(&self) -> &S {
        &self.0
    }
}

/// A node as a trait object, whose type parameters are only the state and the services of its graph. Compiled
/// graphs hold nodes and error handlers in this form; [`IntoNode`] makes it.
pub trait ErasedNode<S: State, D>: Send + Sync {
    /// Runs the node. An implementation runs no code of the node before the future is polled, because panics are caught there.
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>>;

    /// Returns the sub-graph when the node is one; `None` for other nodes.
    fn inner(&self) -> Option<&dyn InnerGraph> {
        None
    }

    /// Returns the node kind of a graph file, such as `set`, for events. `None` for nodes written in Rust.
    fn kind(&self) -> Option<&str> {
        None
    }
}

/// A value that can be a node of a `StateGraph<S, D>`:
///
/// - an async function or closure of the state, `async fn(&S) -> R`,
/// - one that also takes the context, `async fn(&S, &Cx<D>) -> R`,
/// - a closure that captures variables, `move |state: Frozen<S>| async move { … }`, which may also take a
///   [`SharedCx<D>`](SharedCx),
/// - a type that implements [`Node`],
/// - a compiled graph or a [`Subgraph`](super::Subgraph).
///
/// `R` is `()`, the state's update, a [`Command`], or a `Result` of one of these. `Marker` distinguishes the forms and is always inferred.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// async fn add(count: &Count) -> CountUpdate {
///     Count::update().n(count.n + 1)
/// }
/// async fn add_step(count: &Count, cx: &Cx) -> CountUpdate {
///     Count::update().n(count.n + u32::try_from(cx.step()).unwrap_or(0))
/// }
/// let by = 10;
/// let graph = StateGraph::new("forms")
///     .node("function", add)
///     .node("with_context", add_step)
///     .node("closure", async |count: &Count| Count::update().n(count.n + 1))
///     .node("capturing", move |count: Frozen<Count>| async move { Count::update().n(count.n + by) })
///     .node("graph", counter().compile()?)
///     .sequence([START, "function", "with_context", "closure", "capturing", "graph", END])
///     .compile()?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 15);
/// # Ok(()) }) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a node of a graph with the state `{S}`",
    label = "not a node",
    note = "a node is `async fn(&{S}) -> R`, `async fn(&{S}, &Cx<D>) -> R`, a closure of such a shape, \
            `move |state: Frozen<{S}>, cx: SharedCx<D>| async move {{ … }}` where it captures, or a type that implements `Node`",
    note = "`R` is `()`, the state's update, a `Command`, or a `Result` of one of these"
)]
pub trait IntoNode<S: State, D, Marker>: NodeForm<S, D, Marker> {
    /// Converts the value to a trait object, so that one graph can hold nodes of different types.
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>>;
}

/// The shape of a node: its arguments, and a return value of any type. It determines the `Marker` of [`IntoNode`], before the return value
/// and the future are checked. So the compiler tells a wrong shape, a wrong return value and a future that is not `Send` apart.
pub trait NodeForm<S: State, D, Marker>: 'static {}

/// A function `Fn(&S) -> Future` with any return value, sendable or not. All such functions implement it.
/// [`NodeForm`] uses it to recognise the shape; [`StateFn`] has the further bounds of a node.
pub trait StateShape<'a, S: 'a>: Fn(&'a S) -> <Self as StateShape<'a, S>>::Future {
    /// The return type.
    type Returned;
    /// The future.
    type Future: Future<Output = <Self as StateShape<'a, S>>::Returned>;
}

impl<'a, S: 'a, F, Fut> StateShape<'a, S> for F
where
    F: Fn(&'a S) -> Fut,
    Fut: Future,
{
    type Returned = Fut::Output;
    type Future = Fut;
}

/// A function `Fn(&S, &Cx<D>) -> Future` with any return value, sendable or not. All such functions implement
/// it. [`NodeForm`] uses it to recognise the shape; [`ContextFn`] has the further bounds of a node.
pub trait ContextShape<'a, S: 'a, D: 'a>:
    Fn(&'a S, &'a Cx<D>) -> <Self as ContextShape<'a, S, D>>::Future
{
    /// The return type.
    type Returned;
    /// The future.
    type Future: Future<Output = <Self as ContextShape<'a, S, D>>::Returned>;
}

impl<'a, S: 'a, D: 'a, F, Fut> ContextShape<'a, S, D> for F
where
    F: Fn(&'a S, &'a Cx<D>) -> Fut,
    Fut: Future,
{
    type Returned = Fut::Output;
    type Future = Fut;
}

impl<S, D, F, R> NodeForm<S, D, OfState<R>> for F
where
    S: State,
    F: for<'a> StateShape<'a, S, Returned = R> + 'static,
{
}

impl<S, D, F, R> NodeForm<S, D, OfContext<R>> for F
where
    S: State,
    D: 'static,
    F: for<'a> ContextShape<'a, S, D, Returned = R> + 'static,
{
}

impl<S, D, F, Fut> NodeForm<S, D, OfFrozen<Fut>> for F
where
    S: State,
    F: Fn(Frozen<S>) -> Fut + 'static,
    Fut: Future,
{
}

impl<S, D, F, Fut> NodeForm<S, D, OfShared<Fut>> for F
where
    S: State,
    F: Fn(Frozen<S>, SharedCx<D>) -> Fut + 'static,
    Fut: Future,
{
}

impl<S, D, N> NodeForm<S, D, OfNode> for N
where
    S: State,
    D: Send + Sync + 'static,
    N: Node<S, D>,
{
}

/// A function `Fn(&S) -> Future` that is `Send + Sync` and whose future is `Send`, so that it can be a node.
/// All such functions and closures implement it.
pub trait StateFn<'a, S: 'a>: Fn(&'a S) -> <Self as StateFn<'a, S>>::Future + Send + Sync {
    /// The return type.
    type Returned;
    /// The future.
    type Future: Future<Output = <Self as StateFn<'a, S>>::Returned> + Send + 'a;
}

impl<'a, S: 'a, F, Fut> StateFn<'a, S> for F
where
    F: Fn(&'a S) -> Fut + Send + Sync,
    Fut: Future + Send + 'a,
{
    type Returned = Fut::Output;
    type Future = Fut;
}

/// A function `Fn(&S, &Cx<D>) -> Future` that is `Send + Sync` and whose future is `Send`, so that it can be
/// a node. All such functions and closures implement it.
pub trait ContextFn<'a, S: 'a, D: 'a>:
    Fn(&'a S, &'a Cx<D>) -> <Self as ContextFn<'a, S, D>>::Future + Send + Sync
{
    /// The return type.
    type Returned;
    /// The future.
    type Future: Future<Output = <Self as ContextFn<'a, S, D>>::Returned> + Send + 'a;
}

impl<'a, S: 'a, D: 'a, F, Fut> ContextFn<'a, S, D> for F
where
    F: Fn(&'a S, &'a Cx<D>) -> Fut + Send + Sync,
    Fut: Future + Send + 'a,
{
    type Returned = Fut::Output;
    type Future = Fut;
}

/// The marker of [`IntoNode`] for functions `async fn(&S)`.
pub struct OfState<R>(std::marker::PhantomData<R>);
/// The marker of [`IntoNode`] for functions `async fn(&S, &Cx<D>)`.
pub struct OfContext<R>(std::marker::PhantomData<R>);
/// The marker of [`IntoNode`] for closures `Fn(Frozen<S>) -> impl Future`.
pub struct OfFrozen<Fut>(std::marker::PhantomData<Fut>);
/// The marker of [`IntoNode`] for closures `Fn(Frozen<S>, SharedCx<D>) -> impl Future`.
pub struct OfShared<Fut>(std::marker::PhantomData<Fut>);
/// The marker of [`IntoNode`] for types that implement [`Node`].
pub struct OfNode;

struct StateNode<F, R>(F, std::marker::PhantomData<fn() -> R>);
struct ContextNode<F, R>(F, std::marker::PhantomData<fn() -> R>);
struct FrozenNode<F>(F);
struct SharedNode<F>(F);
struct TypeNode<N>(N);

impl<S, D, F, R> ErasedNode<S, D> for StateNode<F, R>
where
    S: State,
    R: IntoCommand<S>,
    F: for<'a> StateFn<'a, S, Returned = R>,
{
    fn call<'a>(&'a self, state: &'a Arc<S>, _: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        Box::pin(async move { (self.0)(state).await.into_command() })
    }
}

impl<S, D, F, R> ErasedNode<S, D> for ContextNode<F, R>
where
    S: State,
    D: Send + Sync + 'static,
    R: IntoCommand<S>,
    F: for<'a> ContextFn<'a, S, D, Returned = R>,
{
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        Box::pin(async move { (self.0)(state, cx).await.into_command() })
    }
}

impl<S, D, F, Fut> ErasedNode<S, D> for FrozenNode<F>
where
    S: State,
    F: Fn(Frozen<S>) -> Fut + Send + Sync,
    Fut: Future<Output: IntoCommand<S>> + Send + 'static,
{
    fn call<'a>(&'a self, state: &'a Arc<S>, _: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        Box::pin(async move { (self.0)(Frozen(state.clone())).await.into_command() })
    }
}

impl<S, D, F, Fut> ErasedNode<S, D> for SharedNode<F>
where
    S: State,
    D: Send + Sync + 'static,
    F: Fn(Frozen<S>, SharedCx<D>) -> Fut + Send + Sync,
    Fut: Future<Output: IntoCommand<S>> + Send + 'static,
{
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        Box::pin(async move {
            let returned = cx.run_shared(|shared| (self.0)(Frozen(state.clone()), shared)).await;
            returned.into_command()
        })
    }
}

impl<S, D, N> ErasedNode<S, D> for TypeNode<N>
where
    S: State,
    D: Send + Sync + 'static,
    N: Node<S, D>,
{
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        Box::pin(async move { self.0.run(state, cx).await.into_command() })
    }
}

impl<S, D, F, R> IntoNode<S, D, OfState<R>> for F
where
    S: State,
    R: IntoCommand<S> + 'static,
    F: for<'a> StateFn<'a, S, Returned = R> + 'static,
{
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(StateNode(self, std::marker::PhantomData))
    }
}

impl<S, D, F, R> IntoNode<S, D, OfContext<R>> for F
where
    S: State,
    D: Send + Sync + 'static,
    R: IntoCommand<S> + 'static,
    F: for<'a> ContextFn<'a, S, D, Returned = R> + 'static,
{
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(ContextNode(self, std::marker::PhantomData))
    }
}

impl<S, D, F, Fut> IntoNode<S, D, OfFrozen<Fut>> for F
where
    S: State,
    F: Fn(Frozen<S>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoCommand<S>> + Send + 'static,
{
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(FrozenNode(self))
    }
}

impl<S, D, F, Fut> IntoNode<S, D, OfShared<Fut>> for F
where
    S: State,
    D: Send + Sync + 'static,
    F: Fn(Frozen<S>, SharedCx<D>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoCommand<S>> + Send + 'static,
{
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(SharedNode(self))
    }
}

impl<S, D, N> IntoNode<S, D, OfNode> for N
where
    S: State,
    D: Send + Sync + 'static,
    N: Node<S, D>,
{
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>> {
        Arc::new(TypeNode(self))
    }
}
