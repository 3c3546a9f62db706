//! What the nodes of a graph file use: models, tools, hosts, the clock, the tape. Nothing of it is stored.

use std::collections::BTreeMap;

use super::gate::Gate;
use crate::agent::Toolbox;
use crate::definition::Definition;
use crate::definition::kind::Kind;
use crate::engine::Clock;
use crate::llm::{SharedModel, Tape};

/// The models of a graph.
#[derive(Clone)]
pub enum Models {
    /// One for all nodes.
    One(SharedModel),
    /// By the name that a node gives; nodes that give none have the one under the empty name.
    Named(BTreeMap<String, SharedModel>),
}

impl Models {
    /// The names that the nodes of a file, and of those that it includes, give their models; the empty one for nodes that give none.
    pub fn names(definition: &Definition) -> Vec<String> {
        let of = |kind: &Kind| match kind {
            Kind::Model(model) => Some(model.name.clone()),
            Kind::Agent(agent) => Some(agent.name.clone()),
            _ => None,
        };
        let family = super::family::Family::all(definition);
        let kinds = family.iter().flat_map(|file| {
            let works = file.nodes().chain(file.handlers()).map(|spec| spec.kind);
            works.chain(file.tools().map(|(_, tool)| &tool.body))
        });
        let mut names: Vec<String> = kinds
            .filter_map(|kind| match kind {
                Kind::Map(map) => of(&map.body),
                kind => of(kind),
            })
            .map(Option::unwrap_or_default)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The model of this name.
    pub(super) fn find(&self, name: Option<&str>) -> Option<&SharedModel> {
        match self {
            Self::One(model) => Some(model),
            Self::Named(models) => models.get(name.unwrap_or_default()),
        }
    }
}

/// What the nodes of a graph file use.
pub struct Services {
    pub(super) models: Models,
    pub(super) toolbox: Toolbox,
    pub(super) gate: Gate,
    pub(super) clock: Clock,
    pub(super) pace: Pace,
    pub(super) tape: Tape,
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
