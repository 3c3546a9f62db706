//! Who stored an entry, and whose stands when components are explored side by side: decided by who they are, never by who came
//! first, so that the order of parallel work leaves no trace. Pure.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

/// What an entry is stored by: a phase, or the exploration of one component in it.
///
/// Within a run a later phase overrules an earlier one; within a phase a component overrules others on what speaks of itself,
/// and otherwise the one that is first by the alphabet overrules the others. Between runs the later run does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryAuthor {
    /// The number of the phase, from 0.
    pub phase: u8,
    /// The component under exploration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
}

impl EntryAuthor {
    /// A phase as a whole.
    pub fn phase(phase: u8) -> Self {
        Self { phase, component: None }
    }

    /// The exploration of a component in a phase.
    pub fn component(phase: u8, component: impl Into<String>) -> Self {
        Self { phase, component: Some(component.into()) }
    }

    /// Whether this author's entry, which speaks of `subject`, replaces one of the same run by `other`, which speaks of
    /// `other_subject`.
    pub(super) fn overrules(&self, subject: Option<&str>, other: &Self, other_subject: Option<&str>) -> bool {
        self.rank(subject) >= other.rank(other_subject)
    }

    fn rank(&self, subject: Option<&str>) -> (u8, bool, Reverse<Option<&str>>) {
        let component = self.component.as_deref();
        (self.phase, component.is_some() && component == subject, Reverse(component))
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What found the facts out; documents say so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WrittenBy {
    /// Fixed rules, without a language model.
    Rules,
    /// A language model, by its name.
    Model(String),
}
