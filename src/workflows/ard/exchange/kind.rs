//! The six types a component may have, and the synonyms that are mapped to them first (ARD-32, ARD-38).

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The type of a component. Read leniently (synonyms, any case), written exactly as the seed's schema has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum ComponentKind {
    /// A part that does the work of a domain.
    Subsystem,
    /// Keeps data.
    DataStore,
    /// Decides with a model.
    Agent,
    /// Is called by other programs.
    #[serde(rename = "API")]
    Api,
    /// Is seen or touched by people.
    #[serde(rename = "UIComponent")]
    UiComponent,
    /// A small tool without state.
    Utility,
}

impl ComponentKind {
    /// All of them, in the order of a document.
    pub const ALL: [Self; 6] =
        [Self::Subsystem, Self::Agent, Self::Api, Self::UiComponent, Self::DataStore, Self::Utility];

    /// The word of the schema.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Subsystem => "Subsystem",
            Self::DataStore => "DataStore",
            Self::Agent => "Agent",
            Self::Api => "API",
            Self::UiComponent => "UIComponent",
            Self::Utility => "Utility",
        }
    }
}

/// Common words for the types, in lower case without separators.
const SYNONYMS: [(&str, ComponentKind); 38] = [
    ("subsystem", ComponentKind::Subsystem),
    ("service", ComponentKind::Subsystem),
    ("microservice", ComponentKind::Subsystem),
    ("module", ComponentKind::Subsystem),
    ("component", ComponentKind::Subsystem),
    ("system", ComponentKind::Subsystem),
    ("worker", ComponentKind::Subsystem),
    ("datastore", ComponentKind::DataStore),
    ("database", ComponentKind::DataStore),
    ("db", ComponentKind::DataStore),
    ("store", ComponentKind::DataStore),
    ("storage", ComponentKind::DataStore),
    ("cache", ComponentKind::DataStore),
    ("queue", ComponentKind::DataStore),
    ("repository", ComponentKind::DataStore),
    ("table", ComponentKind::DataStore),
    ("agent", ComponentKind::Agent),
    ("llm", ComponentKind::Agent),
    ("llmagent", ComponentKind::Agent),
    ("aiagent", ComponentKind::Agent),
    ("bot", ComponentKind::Agent),
    ("api", ComponentKind::Api),
    ("restapi", ComponentKind::Api),
    ("endpoint", ComponentKind::Api),
    ("apiendpoint", ComponentKind::Api),
    ("webhook", ComponentKind::Api),
    ("gateway", ComponentKind::Api),
    ("interface", ComponentKind::Api),
    ("uicomponent", ComponentKind::UiComponent),
    ("ui", ComponentKind::UiComponent),
    ("userinterface", ComponentKind::UiComponent),
    ("frontend", ComponentKind::UiComponent),
    ("page", ComponentKind::UiComponent),
    ("view", ComponentKind::UiComponent),
    ("utility", ComponentKind::Utility),
    ("helper", ComponentKind::Utility),
    ("util", ComponentKind::Utility),
    ("library", ComponentKind::Utility),
];

impl FromStr for ComponentKind {
    type Err = UnknownKind;

    fn from_str(word: &str) -> Result<Self, UnknownKind> {
        let plain: String =
            word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let known = SYNONYMS.iter().find(|(synonym, _)| *synonym == plain);
        known.map(|(_, kind)| *kind).ok_or_else(|| UnknownKind(word.to_owned()))
    }
}

/// A type that is neither one of the six nor a synonym of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown component type `{0}`, expected Subsystem, DataStore, Agent, API, UIComponent or Utility")]
pub struct UnknownKind(String);

impl<'de> Deserialize<'de> for ComponentKind {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for ComponentKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
