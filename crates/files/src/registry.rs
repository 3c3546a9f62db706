//! A registry of the typed nodes, choices and lists that graph files can name. Builds no graph; see `build.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use stategraph_core::{Choice, ErasedChoice, ErasedNode, IntoNode, NodeForm, State, StateGraph};

/// Nodes, choices and lists that work on the state `S` with the services `D`, by name.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_files::{Definition, Registry};
/// use stategraph_core::State;
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     n: u32,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let registry = Registry::<Count>::new("count")
///     .node("count.add", "adds one", async |count: &Count| Count::update().n(count.n + 1))?
///     .choice("count.full", "whether ten are reached", |count: &Count| count.n == 10)?;
/// let file = "
/// name: counter
/// state: count
/// nodes:
///   add: { uses: count.add }
/// edges:
///   - { from: START, to: add }
///   - { from: add, choose: count.full, arms: { true: END, false: add } }
/// ";
/// let graph = Definition::parse(file, "counter.yaml")?.build(&registry)?.compile()?;
/// assert_eq!(graph.run(Count::default()).await?.state.n, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct Registry<S: State, D: Send + Sync + 'static = ()> {
    state: String,
    nodes: BTreeMap<String, Registered<SharedNode<S, D>>>,
    choices: BTreeMap<String, Registered<RegisteredChoice<S>>>,
    lists: BTreeMap<String, Registered<RegisteredList<S, D>>>,
}

/// A function that adds the fan-out over a registered list to a graph. Its arguments are the graph, the
/// source, the target, and the node to run for an empty list.
pub(crate) type RegisteredList<S, D> =
    Arc<dyn Fn(StateGraph<S, D>, &str, &str, Option<String>) -> StateGraph<S, D> + Send + Sync>;

/// An item of a registry (a node, a choice or a list) with its one-line description.
pub(crate) struct Registered<T> {
    pub(crate) about: String,
    pub(crate) item: T,
}

/// A registered node with its type erased.
type SharedNode<S, D> = Arc<dyn ErasedNode<S, D>>;

/// A registered choice whose return type is erased: a function from the state to the index of a label, and
/// the labels.
pub(crate) struct RegisteredChoice<S> {
    pub(crate) choose: ErasedChoice<S>,
    pub(crate) labels: &'static [&'static str],
}

/// The reason why a node, choice or list could not be registered: its name is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Another node has this name.
    #[error("the node `{name}` is registered twice")]
    NodeTwice {
        /// The name.
        name: String,
    },
    /// Another choice has this name.
    #[error("the choice `{name}` is registered twice")]
    ChoiceTwice {
        /// The name.
        name: String,
    },
    /// Another list has this name.
    #[error("the list `{name}` is registered twice")]
    ListTwice {
        /// The name.
        name: String,
    },
}

impl RegistryError {
    /// Returns advice for the author of the registry: to choose another name.
    pub fn hint(&self) -> &'static str {
        "give one of them another name"
    }
}

impl<S: State, D: Send + Sync + 'static> Registry<S, D> {
    /// Creates an empty registry. `state` is the name under which graph files use the state type `S`.
    pub fn new(state: impl Into<String>) -> Self {
        Self { state: state.into(), nodes: BTreeMap::new(), choices: BTreeMap::new(), lists: BTreeMap::new() }
    }

    /// Registers a node under a name, with a one-line description. [`IntoNode`] lists the accepted types.
    /// Fails if the name is taken.
    pub fn node<M, N>(
        mut self,
        name: impl Into<String>,
        about: impl Into<String>,
        node: N,
    ) -> Result<Self, RegistryError>
    where
        // First, because it determines `M`.
        N: NodeForm<S, D, M>,
        N: IntoNode<S, D, M>,
    {
        let (name, about) = (name.into(), about.into());
        if self.nodes.contains_key(&name) {
            return Err(RegistryError::NodeTwice { name });
        }
        self.nodes.insert(name, Registered { about, item: node.into_node() });
        Ok(self)
    }

    /// Registers a choice, which a conditional edge makes on the state, with a one-line description. Its
    /// labels are those of the type `C` that it returns.
    pub fn choice<C: Choice>(
        mut self,
        name: impl Into<String>,
        about: impl Into<String>,
        choose: impl Fn(&S) -> C + Send + Sync + 'static,
    ) -> Result<Self, RegistryError> {
        let (name, about) = (name.into(), about.into());
        if self.choices.contains_key(&name) {
            return Err(RegistryError::ChoiceTwice { name });
        }
        let choose: ErasedChoice<S> = Arc::new(move |state: &S| choose(state).index());
        let item = RegisteredChoice { choose, labels: C::LABELS };
        self.choices.insert(name, Registered { about, item });
        Ok(self)
    }

    /// Registers a list of items with a one-line description. A fan-out edge runs a node once for each item
    /// (LangGraph F21); the node reads its item with [`Cx::item`](stategraph_core::Cx::item).
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use stategraph_files::{Definition, Registry};
    /// use stategraph_core::{Cx, NodeResult, State};
    ///
    /// #[derive(State, Clone, Default, Serialize, Deserialize)]
    /// struct Text {
    ///     words: Vec<String>,
    ///     #[state(add)]
    ///     letters: usize,
    /// }
    /// async fn count(_: &Text, cx: &Cx) -> NodeResult<TextUpdate> {
    ///     Ok(Text::update().letters(cx.item::<String>()?.len()))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let registry = Registry::<Text>::new("text")
    ///     .node("text.count", "counts letters", count)?
    ///     .list("text.words", "the words", |text: &Text| text.words.clone())?;
    /// let file = "
    /// name: counter
    /// state: text
    /// nodes:
    ///   count: { uses: text.count }
    /// edges:
    ///   - { from: START, each: text.words, to: count, empty: END }
    ///   - { from: count, to: END }
    /// ";
    /// let graph = Definition::parse(file, "counter.yaml")?.build(&registry)?.compile()?;
    /// let text = Text { words: vec!["one".into(), "three".into()], letters: 0 };
    /// assert_eq!(graph.run(text).await?.state.letters, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn list<I>(
        mut self,
        name: impl Into<String>,
        about: impl Into<String>,
        items: impl Fn(&S) -> I + Send + Sync + 'static,
    ) -> Result<Self, RegistryError>
    where
        I: IntoIterator<Item: Serialize + DeserializeOwned + Send + Sync + 'static>,
    {
        let (name, about) = (name.into(), about.into());
        if self.lists.contains_key(&name) {
            return Err(RegistryError::ListTwice { name });
        }
        let items = Arc::new(items);
        let item: RegisteredList<S, D> = Arc::new(move |graph, from, to, empty| {
            let items = items.clone();
            let items = move |state: &S| items(state);
            match empty {
                Some(empty) => graph.fan_out_or(from, items, to, empty),
                None => graph.fan_out(from, items, to),
            }
        });
        self.lists.insert(name, Registered { about, item });
        Ok(self)
    }

    /// Returns the name under which graph files use the state type.
    pub fn state_name(&self) -> &str {
        &self.state
    }

    /// Returns the names and descriptions of the registered nodes, ordered by name.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.nodes.iter().map(|(name, node)| (name.as_str(), node.about.as_str()))
    }

    /// Returns the names, descriptions and labels of the registered choices, ordered by name.
    pub fn choices(&self) -> impl Iterator<Item = (&str, &str, &'static [&'static str])> {
        self.choices.iter().map(|(name, choice)| (name.as_str(), choice.about.as_str(), choice.item.labels))
    }

    /// Returns the names and descriptions of the registered lists, ordered by name.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lists.iter().map(|(name, list)| (name.as_str(), list.about.as_str()))
    }

    pub(crate) fn find_node(&self, name: &str) -> Option<&Registered<SharedNode<S, D>>> {
        self.nodes.get(name)
    }

    pub(crate) fn find_choice(&self, name: &str) -> Option<&RegisteredChoice<S>> {
        self.choices.get(name).map(|choice| &choice.item)
    }

    pub(crate) fn find_list(&self, name: &str) -> Option<&RegisteredList<S, D>> {
        self.lists.get(name).map(|list| &list.item)
    }
}
