//! The architect's answer (ARD-30 to ARD-39). Serde and the schema check its form, [`DesignDraft::check`] its
//! content.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::design::{
    AuthorQuestion, ChallengeAnswer, DataRecord, DesignDecision, DesignRequirement, DesignTerm, Disposition,
    ExternalSystem, Flow, Interface, QualityGoal, Relation, StateMachine,
};
use super::{ComponentKind, is_pascal_case, review::Review};

/// A draft of the design. The fields after the rationale may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Draft", deny_unknown_fields)]
pub struct DesignDraft {
    /// The components of the system.
    pub components: Vec<Component>,
    /// The answer to each challenge of the latest review, by its number; empty on the first pass. Made from `answers` if
    /// these are given.
    pub design_rationale: String,
    /// The answers to the challenges of the latest review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<ChallengeAnswer>,
    /// The name of the system, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The system in two to four sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub overview: String,
    /// Words that the design uses in a sense of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<DesignTerm>,
    /// The requirements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<DesignRequirement>,
    /// Systems outside of the design.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_systems: Vec<ExternalSystem>,
    /// Relations between components and external systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    /// The most important interactions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flow>,
    /// Things with states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<StateMachine>,
    /// Measurable qualities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quality: Vec<QualityGoal>,
    /// Decisions with their alternatives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DesignDecision>,
    /// Assumptions beyond the idea.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Questions to the author of the idea.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<AuthorQuestion>,
}

/// A component of the system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// A unique name in `PascalCase`.
    pub name: String,
    /// The type of the component.
    #[serde(rename = "type")]
    pub kind: ComponentKind,
    /// The purpose, in a sentence or two; other components are named exactly.
    pub purpose: String,
    /// Numbers of the idea's statements that it answers for; may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<u32>,
    /// Interfaces that it offers; may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<Interface>,
    /// Records that it keeps; may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DataRecord>,
}

impl Component {
    /// Makes a component with name, type and purpose, and nothing else.
    pub fn new(name: impl Into<String>, kind: ComponentKind, purpose: impl Into<String>) -> Self {
        let (name, purpose) = (name.into(), purpose.into());
        Self { name, kind, purpose, covers: Vec::new(), interfaces: Vec::new(), data: Vec::new() }
    }

    /// Sets the numbers of the statements that the component covers.
    #[must_use]
    pub fn covering(self, covers: Vec<u32>) -> Self {
        Self { covers, ..self }
    }
}

impl DesignDraft {
    /// Returns the draft without the answers to challenges.
    #[must_use]
    pub fn without_answers(mut self) -> Self {
        self.design_rationale = String::new();
        self.answers = Vec::new();
        self
    }

    /// Makes a draft with components and rationale, and nothing else.
    pub fn new(components: Vec<Component>, design_rationale: impl Into<String>) -> Self {
        Self { components, design_rationale: design_rationale.into(), ..Self::default() }
    }

    /// Merges components of the same name: the first one keeps its position and type, and gets the
    /// purposes, traces, interfaces and records of the others. Returns the names that occurred more
    /// than once.
    pub fn merge_duplicates(&mut self) -> Vec<String> {
        let mut merged: Vec<Component> = Vec::new();
        let mut names = Vec::new();
        for component in std::mem::take(&mut self.components) {
            let Some(first) = merged.iter_mut().find(|first| first.name == component.name) else {
                merged.push(component);
                continue;
            };
            if !names.contains(&component.name) {
                names.push(component.name);
            }
            if first.purpose != component.purpose {
                first.purpose = format!("{} {}", first.purpose.trim_end(), component.purpose);
            }
            first.covers.extend(component.covers);
            first.covers.sort_unstable();
            first.covers.dedup();
            first.interfaces.extend(component.interfaces);
            first.data.extend(component.data);
        }
        self.components = merged;
        names
    }

    /// Replaces synonyms of component types in a raw answer by the six words of the schema, before
    /// validation (ARD-38). Leaves other values unchanged; the validation reports them.
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

    /// Normalises the answer of the first pass, and empties its rationale, because there is no review to answer yet
    /// (ARD-36).
    pub fn normalise_first(answer: &mut serde_json::Value) {
        Self::normalise(answer);
        if let Some(draft) = answer.as_object_mut() {
            draft.shift_remove("answers");
        }
        if let Some(rationale @ serde_json::Value::String(_)) = answer.get_mut("design_rationale") {
            *rationale = "".into();
        }
    }

    /// Normalises the answer to a review. A list of answers replaces the rationale, which is made from it.
    pub fn normalise_revision(answer: &mut serde_json::Value) {
        Self::normalise(answer);
        let answers = answer.get("answers").cloned().map(serde_json::from_value::<Vec<ChallengeAnswer>>);
        if let (Some(Ok(answers)), Some(draft)) = (answers, answer.as_object_mut())
            && !answers.is_empty()
        {
            draft.insert("design_rationale".to_owned(), rationale_of(&answers).into());
        }
    }

    /// Checks the content of this draft as an answer to `latest`, the last review; `None` on the first
    /// pass. Returns all problems; their messages are sent back to the architect (ARD-39).
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
        problems.extend(self.check_rationale(latest));
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Checks that the rationale mentions every challenge by its number, or is empty on the first pass.
    /// After a review without challenges, which a minimum of rounds allows (ARD-71), any text is valid.
    fn check_rationale(&self, latest: Option<&Review>) -> Option<DraftProblem> {
        let rationale = self.design_rationale.trim();
        let Some(latest) = latest else {
            return (!rationale.is_empty()).then_some(DraftProblem::RationaleTooEarly);
        };
        let challenges = latest.challenges.iter();
        let missing: Vec<_> =
            challenges.map(|challenge| challenge.id).filter(|id| !contains_number(rationale, *id)).collect();
        (!missing.is_empty()).then_some(DraftProblem::RationaleSilent { missing })
    }
}

/// Makes the rationale from a list of answers: a line "Challenge N: …" for each that is not blank
/// (ARD-37).
fn rationale_of(answers: &[ChallengeAnswer]) -> String {
    let line = |answer: &ChallengeAnswer| {
        let text = answer.text.split_whitespace().collect::<Vec<_>>().join(" ");
        match answer.disposition {
            Disposition::Fixed => format!("Challenge {}: {text}", answer.challenge),
            other => format!("Challenge {}: ({}) {text}", answer.challenge, other.as_str()),
        }
    };
    // A blank answer is none, so that it is asked for again.
    let given = answers.iter().filter(|answer| !answer.text.trim().is_empty());
    given.map(line).collect::<Vec<_>>().join("\n")
}

/// Returns true if `text` contains the number by itself: not within a word, another number or a decimal fraction.
fn contains_number(text: &str, id: u32) -> bool {
    let digits = id.to_string();
    text.match_indices(&digits).any(|(at, _)| {
        let mut before = text[..at].chars().rev();
        let mut after = text[at + digits.len()..].chars();
        !continues_word(before.next(), before.next()) && !continues_word(after.next(), after.next())
    })
}

/// Returns true if `next`, the character beside a number, belongs to the same word or number. `beyond` is the
/// character after `next`.
fn continues_word(next: Option<char>, beyond: Option<char>) -> bool {
    match next {
        Some('.') => beyond.is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    }
}

/// Rule that a draft breaks; its message is sent to the architect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftProblem {
    /// The draft has no component (ARD-39).
    #[error("`components` is empty: at least one component is needed")]
    NoComponents,
    /// A name is not `PascalCase` (ARD-38).
    #[error(
        "components[{index}].name `{name}` is not PascalCase: use letters and digits only, a capital first"
    )]
    NotPascalCase {
        /// Position in the list, from 0.
        index: usize,
        /// The name.
        name: String,
    },
    /// Two components have the same name (ARD-39).
    #[error("components[{index}].name `{name}` is taken by an earlier component")]
    Duplicate {
        /// Position of the component that repeats the name, from 0.
        index: usize,
        /// The name.
        name: String,
    },
    /// A component has no purpose (ARD-34).
    #[error("components[{index}].purpose of `{name}` is blank")]
    BlankPurpose {
        /// Position in the list, from 0.
        index: usize,
        /// Name of the component.
        name: String,
    },
    /// The first draft has a rationale (ARD-36).
    #[error("`design_rationale` must be an empty string: there is no review to answer yet")]
    RationaleTooEarly,
    /// The rationale does not refer to all challenges (ARD-37).
    #[error("`design_rationale` does not refer to {} of the latest review by number", format_ids(missing))]
    RationaleSilent {
        /// Ids without a reference.
        missing: Vec<u32>,
    },
}

fn format_ids(ids: &[u32]) -> String {
    let list: Vec<_> = ids.iter().map(u32::to_string).collect();
    let noun = if ids.len() == 1 { "challenge" } else { "challenges" };
    format!("{noun} {}", list.join(", "))
}
