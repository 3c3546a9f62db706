//! The typed answers of a model. Their field names are the schema that it is sent; the rules fill the same types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// CTX-59, CTX-66. The comments below reach the model as parts of the schema.
/// The analysis of a code base.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CodeAnalysis {
    /// Patterns of the architecture, each in one short sentence with the file that shows it.
    pub architecture_patterns: Vec<String>,
    /// Conventions of the code, by topic: naming, errors, tests, style.
    pub coding_conventions: BTreeMap<String, String>,
    /// Languages, frameworks and tools.
    pub tech_stack: Vec<String>,
    /// Insights that the names of files do not give a newcomer, in a few sentences.
    pub insights: Option<String>,
}

// CTX-29, CTX-66
/// The answer of one round of exploration.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScopeExploration {
    /// Paths of further files that are needed to answer the question; empty if there is enough.
    pub additional_files_needed: Vec<String>,
    /// The reason for them.
    pub reasoning: Option<String>,
    /// True if the question can be answered with the files that were shown.
    pub sufficient_context: bool,
    /// Insights about the question so far, in a few sentences.
    pub preliminary_insights: Option<String>,
    /// The places that answer the question.
    pub key_locations: Vec<KeyLocation>,
}

/// A place in the code that a model names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyLocation {
    /// Path of the file.
    pub path: String,
    /// First line, counted from 1.
    #[schemars(range(min = 1))]
    pub line_start: u32,
    /// Last line, included.
    #[schemars(range(min = 1))]
    pub line_end: u32,
    /// The meaning of these lines for the question, in one sentence.
    pub description: String,
}
