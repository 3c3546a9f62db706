//! Fan-out messages: a node together with an item to run it for (LangGraph's `Send`, F21). During a run the item is a Rust value; in a
//! checkpoint it is JSON. Readers get the same value from both.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::RunError;
use super::json_text::to_raw_value;
use super::read_back::to_checked;

/// A message that makes one task of a fan-out: the node to run, and the item to run it for.
///
/// A node sends these with [`Command::dispatch`](super::Command::dispatch), an edge with
/// [`StateGraph::fan_out`](super::StateGraph::fan_out).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Sum {
///     #[state(add)]
///     n: u32,
/// }
/// async fn split(_: &Sum) -> Command<Sum> {
///     Command::none().dispatch_all((1..=3).map(|n: u32| Dispatch::new("add", n)))
/// }
/// let graph = StateGraph::new("sum")
///     .node("split", split)
///     .node("add", async |_: &Sum, cx: &Cx| NodeResult::Ok(Sum::update().n(*cx.item::<u32>()?)))
///     .takes::<u32>("add")
///     .dispatches("split", ["add"])
///     .edge(START, "split")
///     .edge("add", END)
///     .compile()?;
/// assert_eq!(graph.run(Sum::default()).await?.state.n, 6);
/// # Ok(()) }) }
/// ```
#[derive(Clone)]
pub struct Dispatch {
    pub(crate) node: String,
    pub(crate) item: DispatchItem,
}

impl Dispatch {
    /// Makes a message that runs `node` once for this item. The node declares the type with
    /// [`StateGraph::takes`](super::StateGraph::takes).
    pub fn new<T>(node: impl Into<String>, item: T) -> Self
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self { node: node.into(), item: DispatchItem::new(item) }
    }
}

/// The item of a fan-out task: a Rust value, or JSON that was read from a checkpoint. Clones share it.
#[derive(Clone)]
pub(crate) struct DispatchItem(Arc<SharedPayload<dyn Payload>>);

struct SharedPayload<P: ?Sized> {
    /// The value that was read from the item's JSON, of the type of the first reader.
    read: OnceLock<Box<dyn Any + Send + Sync>>,
    payload: P,
}

trait Payload: Send + Sync {
    fn value(&self) -> Option<(&(dyn Any + Send + Sync), &'static str)>;
    fn to_json(&self) -> serde_json::Result<Box<RawValue>>;
    /// Returns the JSON, checked to read back as the same value.
    fn to_checked_json(&self) -> serde_json::Result<Box<RawValue>>;
}

struct LivePayload<T>(T);

struct StoredPayload(Box<RawValue>);

impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Payload for LivePayload<T> {
    fn value(&self) -> Option<(&(dyn Any + Send + Sync), &'static str)> {
        Some((&self.0, type_name::<T>()))
    }

    fn to_json(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(&self.0)
    }

    fn to_checked_json(&self) -> serde_json::Result<Box<RawValue>> {
        to_checked(&self.0)
    }
}

impl Payload for StoredPayload {
    fn value(&self) -> Option<(&(dyn Any + Send + Sync), &'static str)> {
        None
    }

    fn to_json(&self) -> serde_json::Result<Box<RawValue>> {
        Ok(self.0.clone())
    }

    fn to_checked_json(&self) -> serde_json::Result<Box<RawValue>> {
        self.to_json()
    }
}

impl DispatchItem {
    pub(crate) fn new<T: Serialize + DeserializeOwned + Send + Sync + 'static>(item: T) -> Self {
        Self(Arc::new(SharedPayload { read: OnceLock::new(), payload: LivePayload(item) }))
    }

    /// Makes an item from the JSON of a checkpoint.
    pub(crate) fn from_json(json: Box<RawValue>) -> Self {
        Self(Arc::new(SharedPayload { read: OnceLock::new(), payload: StoredPayload(json) }))
    }

    /// Returns true when both are clones of one item. Two items with equal values are not the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn to_json(&self) -> serde_json::Result<Box<RawValue>> {
        self.0.payload.to_json()
    }

    /// Returns the JSON for a checkpoint. Fails when that JSON would be read back as another value; the error
    /// names `node`, the target of the item.
    pub(crate) fn encode(&self, node: &str) -> Result<Box<RawValue>, RunError> {
        self.0.payload.to_checked_json().map_err(|error| RunError::Encoding {
            what: format!("an item for `{node}`"),
            detail: error.to_string(),
        })
    }

    /// Returns the item as a `T`: the Rust value itself if it has that type, else the value that its JSON is
    /// parsed as. The parsed value is kept; a later call with another type then fails.
    pub(crate) fn get<T: DeserializeOwned + Send + Sync + 'static>(&self) -> Result<&T, WrongItem> {
        let live = self.0.payload.value();
        if let Some(item) = live.and_then(|(item, _)| item.downcast_ref()) {
            return Ok(item);
        }
        let wrong = |reason: String| WrongItem { wanted: type_name::<T>(), reason };
        if self.0.read.get().is_none() {
            let json = self.to_json().map_err(|error| wrong(error.to_string()))?;
            let item: T = serde_json::from_str(json.get()).map_err(|error| wrong(error.to_string()))?;
            // Fails when another reader was faster, whose value is used then.
            let _ = self.0.read.set(Box::new(item));
        }
        let read = self.0.read.get().and_then(|item| item.downcast_ref());
        read.ok_or_else(|| wrong("it was read as another type before".to_owned()))
    }
}

/// The error of [`Cx::item`](super::Cx::item): the task has no item, or an item that cannot be read as the
/// requested type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the task's item is no `{wanted}`: {reason}")]
#[non_exhaustive]
pub struct WrongItem {
    /// The requested type.
    pub wanted: &'static str,
    /// The reason why it cannot be returned.
    pub reason: String,
}

impl WrongItem {
    /// Makes the error of a task without an item.
    pub(crate) fn missing<T>() -> Self {
        Self { wanted: type_name::<T>(), reason: "the task was not dispatched".to_owned() }
    }
}

/// The Rust type of the items that a node takes, as declared with `takes` or by a fan-out. Dispatched items
/// are compared with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ItemType {
    id: TypeId,
    name: &'static str,
}

impl ItemType {
    pub(crate) fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: type_name::<T>() }
    }

    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// Returns the name of the item's type when a node that takes this type cannot take the item; `None` when
    /// it can. An item that is JSON fits every node, and a node that takes JSON takes every item.
    pub(crate) fn mismatch(self, item: &DispatchItem) -> Option<&'static str> {
        let json = TypeId::of::<Value>();
        let (live, name) = item.0.payload.value()?;
        (live.type_id() != self.id && self.id != json && live.type_id() != json).then_some(name)
    }
}

impl fmt::Debug for DispatchItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_json() {
            Ok(json) => write!(f, "Item({json})"),
            Err(_) => f.write_str("Item(?)"),
        }
    }
}
