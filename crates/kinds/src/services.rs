//! What the nodes of a graph file use: models, tools, hosts, the clock, the tape. Nothing of it is stored.

use std::collections::BTreeMap;

use super::gate::Gate;
use super::secrets::Secrets;
use stategraph_agent::Toolbox;
use stategraph_core::Clock;
use stategraph_files::Definition;
use stategraph_files::kind::Kind;
use stategraph_llm::{SharedModel, Tape};

/// The models of a graph.
#[derive(Clone)]
pub enum Models {
    /// One for all nodes.
    One(SharedModel),
    /// By the use of a node. Nodes that name no model have the one of the default use.
    Named(BTreeMap<ModelUse, SharedModel>),
}

/// A model as a node of a graph file asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelUse {
    /// The name that the node gives; empty where it gives none.
    pub name: String,
    /// The environment variable of the secret that is its key; `None` for the key of the provider.
    pub key: Option<String>,
}

impl Models {
    /// The uses of models by the nodes of a file, and of those that it includes, each once.
    pub fn uses(definition: &Definition) -> Vec<ModelUse> {
        let family = super::family::Family::all(definition);
        let mut uses: Vec<ModelUse> = family.iter().flat_map(uses_in).collect();
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// The model of a node; `key` is the environment variable of its secret.
    pub(super) fn find(&self, name: Option<&str>, key: Option<&String>) -> Option<&SharedModel> {
        match self {
            Self::One(model) => Some(model),
            Self::Named(models) => {
                models.get(&ModelUse { name: name.unwrap_or_default().to_owned(), key: key.cloned() })
            }
        }
    }
}

/// The uses of models in one file.
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

/// What the nodes of a graph file use.
pub struct Services {
    pub(super) models: Models,
    pub(super) toolbox: Toolbox,
    pub(super) gate: Gate,
    pub(super) clock: Clock,
    pub(super) pace: Pace,
    pub(super) tape: Tape,
    pub(super) secrets: Secrets,
}

/// Whether a `sleep` takes its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// It does.
    Real,
    /// It ends at once: for tests.
    Skipping,
}

impl Services {
    /// With these models, no tools, no hosts, and the system's clock.
    pub fn new(models: Models) -> Self {
        Self {
            models,
            toolbox: Toolbox::new(),
            gate: Gate::closed(),
            clock: Clock::SYSTEM,
            pace: Pace::Real,
            tape: Tape::Off,
            secrets: Secrets::none(),
        }
    }

    /// With tools.
    #[must_use]
    pub fn tools(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = toolbox;
        self
    }

    /// With hosts that may be asked.
    #[must_use]
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// With the values of secrets.
    #[must_use]
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = secrets;
        self
    }

    /// With another pace.
    #[must_use]
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// With a tape for the results of tools and requests.
    #[must_use]
    pub fn tape(mut self, tape: Tape) -> Self {
        self.tape = tape;
        self
    }

    /// With another clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }
}
