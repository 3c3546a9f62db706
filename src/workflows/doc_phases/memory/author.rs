//! The authors of entries, and their precedence when components are explored concurrently. Precedence depends on the authors alone,
//! never on their timing, so the order of concurrent work does not change memory. Pure.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

/// Author of an entry in the agent's memory: a phase, or the exploration of one component in it. Decides
/// which of two entries with the same id is kept.
///
/// Within a run a later phase overrules an earlier one. Within a phase, a component overrules others on
/// entries about itself; otherwise the alphabetically first component overrules the others. A later run
/// overrules an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryAuthor {
    /// Number of the phase, from 0.
    pub phase: u8,
    /// Component under exploration; `None` for a phase as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
}

impl EntryAuthor {
    /// Returns the author for the phase with this number, as a whole.
    pub fn phase(phase: u8) -> Self {
        Self { phase, component: None }
    }

    /// Returns the author for the exploration of one component in the phase with this number.
    pub fn component(phase: u8, component: impl Into<String>) -> Self {
        Self { phase, component: Some(component.into()) }
    }

    /// Returns true if an entry of this author about the component `subject` replaces an entry of `other`
    /// about `other_subject` from the same run. True for equal ranks too.
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

/// Explorer that produced an entry: the rules or a model. Documents name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WrittenBy {
    /// Fixed rules, without a language model.
    Rules,
    /// A language model, with its name.
    Model(String),
}
