//! Ids of agents: their positions in the tree of agents.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::engine::{JsonSafe, NeverNull};

/// Position of an agent in the tree: `0` for the root, and the id of the parent with a number for a
/// child, such as `0.1.2`. The order is that of a walk: a parent before its children, children by
/// number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentId(Vec<u32>);

impl AgentId {
    /// Returns the id of the root.
    pub fn root() -> Self {
        Self(vec![0])
    }

    /// Returns the id of the child with this number, from 1.
    #[must_use]
    pub fn child(&self, number: u32) -> Self {
        let mut steps = self.0.clone();
        steps.push(number);
        Self(steps)
    }

    /// Returns the id of the parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, above) = self.0.split_last()?;
        (!above.is_empty()).then(|| Self(above.to_vec()))
    }

    /// Returns true if this agent is `other` or below it.
    pub fn is_inside(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Returns the number of agents above this one; 0 for the root.
    pub fn depth(&self) -> u32 {
        u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX)
    }
}

impl Default for AgentId {
    fn default() -> Self {
        Self::root()
    }
}

impl PartialOrd for AgentId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AgentId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 {
                out.write_str(".")?;
            }
            write!(out, "{step}")?;
        }
        Ok(())
    }
}

/// The error of a text that is no id of an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no id of an agent, such as `0` or `0.1.2`")]
pub struct InvalidAgentId(String);

impl FromStr for AgentId {
    type Err = InvalidAgentId;

    fn from_str(text: &str) -> Result<Self, InvalidAgentId> {
        let steps: Result<Vec<u32>, _> = text.split('.').map(str::parse).collect();
        match steps {
            Ok(steps) if steps[0] == 0 => Ok(Self(steps)),
            _ => Err(InvalidAgentId(text.to_owned())),
        }
    }
}

impl Serialize for AgentId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSafe for AgentId {}
impl NeverNull for AgentId {}
