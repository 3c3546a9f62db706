//! The six types of components, and the synonyms that are accepted for them (ARD-32, ARD-38).

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The type of a component. Accepts synonyms in any case, and is written exactly as in the schema.
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
    /// All types, in the order of the document.
    pub const ALL: [Self; 6] =
        [Self::Subsystem, Self::Agent, Self::Api, Self::UiComponent, Self::DataStore, Self::Utility];

    /// Returns the word for the type in JSON, such as `DataStore`.
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

/// Words that are accepted for each type, in lower case and without separators.
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
    type Err = UnknownComponentKind;

    fn from_str(word: &str) -> Result<Self, UnknownComponentKind> {
        let plain: String =
            word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let known = SYNONYMS.iter().find(|(synonym, _)| *synonym == plain);
        known.map(|(_, kind)| *kind).ok_or_else(|| UnknownComponentKind(word.to_owned()))
    }
}

/// The error for a word that is neither a type nor a synonym of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown component type `{0}`, expected Subsystem, DataStore, Agent, API, UIComponent or Utility")]
pub struct UnknownComponentKind(String);

impl<'de> Deserialize<'de> for ComponentKind {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(serde::de::Error::custom)
    }
}
