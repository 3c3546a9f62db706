//! What a node is: the shapes that `StateGraph::node` takes, and what they may return. Types are erased here, once.
//!
//! A node borrows the state; it cannot change it, and returns what it wants changed. One method takes all shapes, told apart
//! by a marker type as in axum: async functions and closures of `(&S)` or `(&S, &Cx<D>)`, closures that capture and take a
//! [`Frozen`] state, and structs that implement [`Node`].

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::command::{Command, IntoCommand};
use super::context::Cx;
use super::inner_graph::InnerGraph;
use super::node_error::NodeResult;
use super::state::State;

/// A node as a type of its own, for nodes with configuration.
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
    /// Reads the state and says what to change.
    fn run(&self, state: &S, cx: &Cx<D>) -> impl Future<Output = NodeResult<S::Update>> + Send;
}

/// The state of one superstep, owned: for closures that capture, which cannot borrow it on stable Rust.
pub struct Frozen<S>(Arc<S>);

impl<S> Deref for Frozen<S> {
    type Target = S;
    fn deref(&self) -> &S {
        &self.0
    }
}

/// A node with its types erased to the graph's.
pub trait ErasedNode<S: State, D>: Send + Sync {
    /// Runs it. Nothing of the node happens before the future is polled: there its panics are caught.
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>>;

    /// The graph that it is, if it is one.
    fn inner(&self) -> Option<&dyn InnerGraph> {
        None
    }

    /// The kind of work it does, for events: the key of a graph file. `None` for functions.
    fn kind(&self) -> Option<&str> {
        None
    }
}

/// Whatever can be a node of a `StateGraph<S, D>`. `Marker` only tells the shapes apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a node of a graph with the state `{S}`",
    label = "not a node",
    note = "a node is `async fn(&{S}) -> R`, `async fn(&{S}, &Cx<D>) -> R`, a closure of such a shape, \
            `move |state: Frozen<{S}>| async move {{ … }}` where it captures, or a type that implements `Node`",
    note = "`R` is `()`, the state's update, a `Command`, or a `Result` of one of these"
)]
pub trait IntoNode<S: State, D, Marker>: 'static {
    /// Erases its types.
    fn into_node(self) -> Arc<dyn ErasedNode<S, D>>;
}

/// A function of the state alone.
pub trait StateFn<'a, S: 'a>: Fn(&'a S) -> <Self as StateFn<'a, S>>::Future + Send + Sync {
    /// What it returns.
    type Returned;
    /// The future of it.
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

/// A function of the state and the context.
pub trait ContextFn<'a, S: 'a, D: 'a>:
    Fn(&'a S, &'a Cx<D>) -> <Self as ContextFn<'a, S, D>>::Future + Send + Sync
{
    /// What it returns.
    type Returned;
    /// The future of it.
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

/// Marks `async fn(&S)`.
pub struct OfState<R>(std::marker::PhantomData<R>);
/// Marks `async fn(&S, &Cx<D>)`.
pub struct OfContext<R>(std::marker::PhantomData<R>);
/// Marks `Fn(Frozen<S>) -> impl Future`.
pub struct OfFrozen<Fut>(std::marker::PhantomData<Fut>);
/// Marks implementations of [`Node`].
pub struct OfNode;

struct StateNode<F, R>(F, std::marker::PhantomData<fn() -> R>);
struct ContextNode<F, R>(F, std::marker::PhantomData<fn() -> R>);
struct FrozenNode<F>(F);
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
