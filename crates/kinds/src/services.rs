//! The dependencies of the nodes of a graph file: models, tools, hosts, clock, tape, secrets. None of them is stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::hosts::HostPolicy;
use super::secrets::Secrets;
use stategraph_agent::{ToolSource, Toolbox};
use stategraph_core::Clock;
use stategraph_files::Definition;
use stategraph_files::kind::Kind;
use stategraph_llm::{SharedModel, Tape};

/// The language models that the nodes of a graph file use.
#[derive(Clone)]
pub enum Models {
    /// One model for all nodes, whatever name they give.
    One(SharedModel),
    /// A model for each use. Nodes that name no model use the entry with the empty name.
    Named(BTreeMap<ModelUse, SharedModel>),
}

/// The way in which a node of a graph file asks for its model: the name, and the key. It is the key of
/// [`Models::Named`].
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelUse {
    /// Name that the node gives; empty if it gives none.
    pub name: String,
    /// Environment variable of the secret that is the key of the model; `None` for the key of the provider.
    pub key: Option<String>,
}

impl Models {
    /// Returns the model uses of a file and its included files, sorted, each once. The caller makes a model
    /// for each before a run.
    pub fn uses(definition: &Definition) -> Vec<ModelUse> {
        let definitions = super::includes::IncludeResolver::list_definitions(definition);
        let mut uses: Vec<ModelUse> = definitions.iter().flat_map(uses_in).collect();
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// Returns the model for a node that gives `name`; `key` is the environment variable of its secret.
    /// `None` if there is none.
    pub(super) fn find(&self, name: Option<&str>, key: Option<&String>) -> Option<&SharedModel> {
        match self {
            Self::One(model) => Some(model),
            Self::Named(models) => {
                models.get(&ModelUse { name: name.unwrap_or_default().to_owned(), key: key.cloned() })
            }
        }
    }
}

/// Returns the model uses of one file.
fn uses_in(file: &Definition) -> Vec<ModelUse> {
    let variables: BTreeMap<&str, &str> =
        file.secrets().map(|secret| (secret.name, secret.variable)).collect();
    let of = |name: &Option<String>, key: &Option<String>| ModelUse {
        name: name.clone().unwrap_or_default(),
        key: key.as_deref().and_then(|key| variables.get(key)).map(|&variable| variable.to_owned()),
    };
    let works = file.nodes().chain(file.handlers()).map(|spec| spec.kind);
    let kinds = works.chain(file.tools().map(|(_, tool)| &tool.body));
    kinds
        .filter_map(|kind| match if let Kind::Map(map) = kind { &map.body } else { kind } {
            Kind::Model(model) => Some(of(&model.name, &model.api_key)),
            Kind::Agent(agent) => Some(of(&agent.name, &agent.api_key)),
            _ => None,
        })
        .collect()
}

/// The dependencies of the nodes of a graph file. The graph is compiled with them, and no checkpoint stores
/// them.
pub struct Services {
    pub(super) models: Models,
    pub(super) toolbox: Toolbox,
    /// Source of foreign tools.
    pub(super) foreign: Option<Arc<dyn ToolSource>>,
    pub(super) hosts: HostPolicy,
    pub(super) clock: Clock,
    pub(super) sleep_mode: SleepMode,
    /// Upper bound of the concurrent items of a `map`, and of the concurrent calls of tools in one answer of a model.
    pub(super) tasks_at_once: usize,
    pub(super) tape: Tape,
    pub(super) secrets: Secrets,
    /// Held while a node changes the long-term store.
    pub(super) store_changes: tokio::sync::Mutex<()>,
}

/// The handling of `sleep` nodes in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SleepMode {
    /// They wait for the duration in the file.
    Real,
    /// They do not wait; for tests.
    Skip,
}

impl Services {
    /// Creates services with these models, no tools, no allowed hosts, and the system's clock.
    pub fn new(models: Models) -> Self {
        Self {
            models,
            toolbox: Toolbox::new(),
            foreign: None,
            hosts: HostPolicy::deny_all(),
            clock: Clock::SYSTEM,
            sleep_mode: SleepMode::Real,
            tasks_at_once: usize::MAX,
            tape: Tape::Off,
            secrets: Secrets::none(),
            store_changes: tokio::sync::Mutex::default(),
        }
    }

    /// Sets the built-in tools.
    #[must_use]
    pub fn tools(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = toolbox;
        self
    }

    /// Sets the source of foreign tools, whose names begin with `mcp__`.
    #[must_use]
    pub fn foreign_tools(mut self, source: Arc<dyn ToolSource>) -> Self {
        self.foreign = Some(source);
        self
    }

    /// Sets the allowed hosts.
    #[must_use]
    pub fn hosts(mut self, hosts: HostPolicy) -> Self {
        self.hosts = hosts;
        self
    }

    /// Sets the values of secrets.
    #[must_use]
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets the handling of `sleep` nodes.
    #[must_use]
    pub fn sleep_mode(mut self, sleep_mode: SleepMode) -> Self {
        self.sleep_mode = sleep_mode;
        self
    }

    /// Sets an upper bound of the concurrent items of a `map`, and of the concurrent tool calls of one model
    /// answer; at least 1. It applies in addition to the `at_once` of the node. No bound unless set.
    #[must_use]
    pub fn tasks_at_once(mut self, most: usize) -> Self {
        self.tasks_at_once = most.max(1);
        self
    }

    /// Sets the tape that records or replays the results of tools and requests.
    #[must_use]
    pub fn tape(mut self, tape: Tape) -> Self {
        self.tape = tape;
        self
    }

    /// Sets the clock for `sleep` nodes and for dates in `Retry-After`.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }
}
