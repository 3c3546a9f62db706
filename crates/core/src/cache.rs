//! Caches the results of nodes: wraps a node and returns its stored result for a known input (LangGraph F37). Results are stored in a
//! long-term store; errors and questions are not stored.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::checkpoint::Edges;
use super::command::{Command, Route};
use super::context::Cx;
use super::dispatch::{Dispatch, DispatchItem};
use super::error::RunError;
use super::event::{EventKind, EventKinds};
use super::graph::CompiledGraph;
use super::id::Digest;
use super::inner_graph::InnerGraph;
use super::item::{ItemPath, PutItem};
use super::item_query::ItemQuery;
use super::long_term::LongTermStore;
use super::node::ErasedNode;
use super::node_error::NodeResult;
use super::read_back::to_checked_value;
use super::state::State;

/// The UUID namespace that cache keys are hashed in.
const KEYS: Uuid = Uuid::from_u128(0x7374_6174_6567_7261_7068_0000_6361_6368);

/// The cache settings of a node: the part of its input that identifies a result, and the lifetime of results.
///
/// Set it with [`StateGraph::cache`](super::StateGraph::cache), and give the compiled graph a store for results with
/// [`CompiledGraph::with_cache`]. Without that store the node runs every time.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use std::time::Duration;
/// use stategraph_core::store::MemoryItems;
///
/// # fn main() { show(async {
/// let policy = CachePolicy::with_key(|count: &Count| count.n).ttl(Duration::from_secs(60));
/// let graph = counter().cache("add", policy).compile()?.with_cache(Arc::new(MemoryItems::new()));
/// assert_eq!(graph.run(Count::default()).await?.state.n, 3);
/// assert_eq!(graph.run(Count::default()).await?.state.n, 3); // three times the kept result
/// # Ok(()) }) }
/// ```
#[derive(Clone)]
pub struct CachePolicy<S> {
    ttl: Option<Duration>,
    key: KeyFn<S>,
}

type KeyFn<S> = Arc<dyn Fn(&S) -> serde_json::Result<String> + Send + Sync>;

impl<S: State> CachePolicy<S> {
    /// Makes a policy that identifies a result by the whole state, and by the item in a fan-out task. Results
    /// do not expire.
    pub fn new() -> Self {
        Self { ttl: None, key: Arc::new(serde_json::to_string) }
    }

    /// Makes a policy that identifies a result by the part of the state that `input` returns, and by the item
    /// in a fan-out task. Results do not expire.
    pub fn with_key<T: Serialize>(input: impl Fn(&S) -> T + Send + Sync + 'static) -> Self {
        Self { ttl: None, key: Arc::new(move |state| serde_json::to_string(&input(state))) }
    }

    /// Sets the lifetime of a result, counted from the last time it was stored or returned.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

impl<S: State> Default for CachePolicy<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// A wrapper around a node that returns its cached result for a known input. Compiling a graph makes it for
/// nodes with a cache policy.
pub(crate) struct CachedNode<S: State, D> {
    pub(crate) graph: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) policy: CachePolicy<S>,
    pub(crate) node: Arc<dyn ErasedNode<S, D>>,
}

/// The form in which the cache stores the [`Command`] that a node returned.
#[derive(Serialize, Deserialize)]
struct StoredCommand<U> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    update: Option<U>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    goto: Vec<String>,
    /// Each dispatch as node and item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dispatch: Vec<(String, Value)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parent: Vec<String>,
    #[serde(default)]
    edges: Edges,
}

impl<S: State, D: Send + Sync + 'static> ErasedNode<S, D> for CachedNode<S, D> {
    fn call<'a>(&'a self, state: &'a Arc<S>, cx: &'a Cx<D>) -> BoxFuture<'a, NodeResult<Command<S>>> {
        let Some(cache) = &cx.run.cache else { return self.node.call(state, cx) };
        Box::pin(async move {
            let (path, key) = (results_path(&self.graph, &self.name), self.result_key(state, cx)?);
            if let Some(known) = self.load_result(cache.as_ref(), &path, &key).await? {
                if let Some(events) = &cx.run.events {
                    let node = || cx.node().to_owned();
                    events.send(EventKinds::TASKS, cx.step(), || EventKind::TaskCached {
                        node: node(),
                        task: cx.task(),
                    });
                }
                return Ok(known);
            }
            let command = self.node.call(state, cx).await?;
            let remembers = command.route.as_ref().is_some_and(|route| route.remember.is_some());
            if remembers || cx.has_remembered_calls() {
                // Not cached, because a sub-graph that continues from call to call has another result each time.
                return Ok(command);
            }
            let kept = to_checked_value(&StoredCommand::of(&command)?)?;
            let mut put = PutItem::new(&path, key, kept)?;
            put.ttl = self.policy.ttl;
            cache.put(put).await?;
            Ok(command)
        })
    }

    fn inner(&self) -> Option<&dyn InnerGraph> {
        self.node.inner()
    }

    fn kind(&self) -> Option<&str> {
        self.node.kind()
    }
}

impl<S: State, D: Send + Sync + 'static> CachedNode<S, D> {
    /// Returns the cache key of the result for this input: a hash of graph, node, state schema, the
    /// identifying part of the state, and the item.
    fn result_key(&self, state: &S, cx: &Cx<D>) -> NodeResult<String> {
        let mut input = (self.policy.key)(state)?;
        if let Some(item) = &cx.item {
            input.push('\n');
            input.push_str(item.to_json()?.get());
        }
        // The key holds the names in full, because a path holds a digest where a name is no valid label.
        let input = format!("{}\n{}\n{}\n{input}", self.graph, self.name, state.own_fingerprint());
        Ok(Uuid::new_v5(&KEYS, input.as_bytes()).to_string())
    }

    /// Returns the stored result; `None` without one. A result that no longer matches the types of the node
    /// counts as absent, because another version wrote it.
    async fn load_result(
        &self,
        cache: &dyn LongTermStore,
        path: &ItemPath,
        key: &str,
    ) -> NodeResult<Option<Command<S>>> {
        let Some(item) = cache.get(path, key).await? else { return Ok(None) };
        Ok(serde_json::from_value(item.value).ok().map(StoredCommand::into_command))
    }
}

impl<U: Clone> StoredCommand<U> {
    fn of<S: State<Update = U>>(command: &Command<S>) -> NodeResult<Self> {
        let mut kept = Self {
            update: command.update.clone().map(S::for_cache),
            goto: Vec::new(),
            dispatch: Vec::new(),
            parent: Vec::new(),
            edges: Edges::Followed,
        };
        let Some(route) = &command.route else { return Ok(kept) };
        kept.goto.clone_from(&route.goto);
        kept.parent.clone_from(&route.parent);
        kept.edges = route.edges;
        for message in &route.dispatch {
            kept.dispatch.push((message.node.clone(), serde_json::from_str(message.item.to_json()?.get())?));
        }
        Ok(kept)
    }

    fn into_command<S: State<Update = U>>(self) -> Command<S> {
        let to_dispatch = |(node, item)| Dispatch { node, item: DispatchItem::new::<Value>(item) };
        let dispatch: Vec<Dispatch> = self.dispatch.into_iter().map(to_dispatch).collect();
        let Self { update, goto, parent, edges, .. } = self;
        let has_route = !(goto.is_empty() && dispatch.is_empty() && parent.is_empty());
        let route = has_route.then(|| Box::new(Route { goto, dispatch, parent, edges, remember: None }));
        Command { update, route }
    }
}

/// Returns the path in the store of the results of a node: `cache.graph.node`. A name that is no valid label
/// is replaced by its digest.
fn results_path(graph: &str, node: &str) -> ItemPath {
    let label = |name: &str| match ItemPath::new([name]) {
        Ok(_) => name.to_owned(),
        Err(_) => Digest::of(name).to_string(),
    };
    ItemPath::new(["cache".to_owned(), label(graph), label(node)]).expect("each is a label")
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Deletes the cached results of these nodes; of all nodes when `nodes` is empty. Does nothing without a cache.
    pub async fn clear_cache(&self, nodes: &[&str]) -> Result<(), RunError> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let all: Vec<&str> = self.definition.planner.names().iter().map(AsRef::as_ref).collect();
        let named = if nodes.is_empty() { all.as_slice() } else { nodes };
        for node in named {
            let results = ItemQuery::below(&results_path(self.name(), node)).page(usize::MAX, 0);
            for found in cache.search(&results).await? {
                cache.delete(&found.item.path, &found.item.key).await?;
            }
        }
        Ok(())
    }
}
