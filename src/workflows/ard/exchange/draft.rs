//! What the architect answers (ARD-30 to ARD-39). Form is checked by serde and the schema, sense by [`Draft::check`].

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ComponentKind, is_pascal_case, review::Review};

/// A draft of the design.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The parts of the system.
    pub components: Vec<Component>,
    /// How each challenge of the latest review was addressed, by its number; empty on the first pass.
    pub design_rationale: String,
}

/// One part of the system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// A unique name in `PascalCase`.
    pub name: String,
    /// What sort of part it is.
    #[serde(rename = "type")]
    pub kind: ComponentKind,
    /// What it is there for, in a sentence or two; other components are named exactly.
    pub purpose: String,
}

impl Draft {
    /// Maps synonyms of the types in a raw answer to the six words, so that it can be held against the schema (ARD-38).
    /// Leaves alone whatever it does not understand: the check that follows names it.
    pub fn normalise(answer: &mut serde_json::Value) {
        let Some(components) = answer.get_mut("components").and_then(serde_json::Value::as_array_mut) else {
            return;
        };
        for component in components {
            let Some(word) = component.get_mut("type") else { continue };
            if let Some(Ok(kind)) = word.as_str().map(str::parse::<ComponentKind>) {
                *word = kind.as_str().into();
            }
        }
    }

    /// The same for the first pass, where the rationale answers nothing yet: whatever it says goes (ARD-36).
    pub fn normalise_first(answer: &mut serde_json::Value) {
        Self::normalise(answer);
        if let Some(rationale @ serde_json::Value::String(_)) = answer.get_mut("design_rationale") {
            *rationale = "".into();
        }
    }

    /// Everything that is wrong with this draft as an answer to `latest`, the last review (none on the first pass). The
    /// messages are meant to be sent back to the architect (ARD-39).
    pub fn check(&self, latest: Option<&Review>) -> Result<(), Vec<DraftProblem>> {
        let mut problems = Vec::new();
        if self.components.is_empty() {
            problems.push(DraftProblem::NoComponents);
        }
        let mut seen = BTreeSet::new();
        for (index, component) in self.components.iter().enumerate() {
            let Component { name, purpose, .. } = component;
            if !is_pascal_case(name) {
                problems.push(DraftProblem::NotPascalCase { index, name: name.clone() });
            }
            if !seen.insert(name) {
                problems.push(DraftProblem::Duplicate { index, name: name.clone() });
            }
            if purpose.trim().is_empty() {
                problems.push(DraftProblem::BlankPurpose { index, name: name.clone() });
            }
        }
        problems.extend(self.rationale_problem(latest));
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// After a review without challenges (a debate has to last some rounds, ARD-71) the rationale may say anything.
    fn rationale_problem(&self, latest: Option<&Review>) -> Option<DraftProblem> {
        let rationale = self.design_rationale.trim();
        let Some(latest) = latest else {
            return (!rationale.is_empty()).then_some(DraftProblem::RationaleTooEarly);
        };
        let challenges = latest.challenges.iter();
        let missing: Vec<_> =
            challenges.map(|challenge| challenge.id).filter(|id| !names(rationale, *id)).collect();
        (!missing.is_empty()).then_some(DraftProblem::RationaleSilent { missing })
    }
}

/// Whether a number stands in a text as a whole number: not within a word, another number or a decimal fraction.
fn names(text: &str, id: u32) -> bool {
    let digits = id.to_string();
    text.match_indices(&digits).any(|(at, _)| {
        let mut before = text[..at].chars().rev();
        let mut after = text[at + digits.len()..].chars();
        !joins(before.next(), before.next()) && !joins(after.next(), after.next())
    })
}

/// Whether the character next to a number, with the one beyond it, belongs to the same word or number.
fn joins(next: Option<char>, beyond: Option<char>) -> bool {
    match next {
        Some('.') => beyond.is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    }
}

/// A rule that a draft breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftProblem {
    /// ARD-39.
    #[error("`components` is empty: at least one component is needed")]
    NoComponents,
    /// ARD-38.
    #[error(
        "components[{index}].name `{name}` is not PascalCase: use letters and digits only, a capital first"
    )]
    NotPascalCase {
        /// Position in the list, from 0.
        index: usize,
        /// The name.
        name: String,
    },
    /// ARD-39.
    #[error("components[{index}].name `{name}` is taken by an earlier component")]
    Duplicate {
        /// Position of the second one, from 0.
        index: usize,
        /// The name.
        name: String,
    },
    /// ARD-34.
    #[error("components[{index}].purpose of `{name}` is blank")]
    BlankPurpose {
        /// Position in the list, from 0.
        index: usize,
        /// The component's name.
        name: String,
    },
    /// ARD-36.
    #[error("`design_rationale` must be an empty string: there is no review to answer yet")]
    RationaleTooEarly,
    /// ARD-37.
    #[error("`design_rationale` does not refer to {} of the latest review by number", numbers(missing))]
    RationaleSilent {
        /// Ids that do not occur.
        missing: Vec<u32>,
    },
}

fn numbers(ids: &[u32]) -> String {
    let list: Vec<_> = ids.iter().map(u32::to_string).collect();
    let noun = if ids.len() == 1 { "challenge" } else { "challenges" };
    format!("{noun} {}", list.join(", "))
}
