//! Workflows of the library. They use the engine, the models and the agent layer, but not one another.
//!
//! All have one shape: `mod.rs` (the catalogue entry), `input.rs` (the validated input of the user),
//! `state.rs`, `choices.rs` (pure decisions), `nodes.rs` (async, in graph order), `services.rs`
//! (dependencies of the nodes), `offline.rs` (the rules); other parts are in sub-folders. `declared.rs`
//! makes a workflow of a graph file of the user.

pub mod ard;
mod config;
pub mod contextualize;
mod declared;
mod declared_options;
mod difference;
pub mod doc_phases;
pub mod explore;
mod folder_name;
mod foreign_text;
mod markdown;
mod mermaid;
mod node_errors;
mod output;
mod outside_write;
mod own_files;
mod prepared_run;
mod seal;
pub mod sections;
mod shared_arguments;
mod survey;
mod timestamp;
mod tool_form;
pub mod tool_servers;
mod unstored;
mod workflow;
mod yaml_scalar;

use std::path::Path;

use self::contextualize::environment::{DOT_ENV, dot_env_request};
use crate::trust::TrustRequest;

pub use config::{ConfigDefect, ConfigDefectKind, ConfigError, KEYS, MAX_CONFIG_BYTES, parse_providers};
pub use declared::Declared;
pub use difference::{PathChange, StateDifference};
pub use output::{DocumentName, ExistingFile, OutputError, OutputProblem, OutputScope};
pub use outside_write::OutsideWrite;
pub use timestamp::Timestamp;
pub use tool_form::{ToolForm, UnknownToolForm};
pub use unstored::unstored_options;
pub use workflow::{
    Acceptance, ArgValues, Argument, ArgumentKind, ContinuedRun, EmbeddedGraph, LiveLines, PlaceInGroup,
    PreparedRun, ReopenedState, Report, RunStart, Setting, StandardInput, ToolMaker, Workflow, WorkflowError,
};

/// Returns the capabilities that a found file requests and the user has to approve. The file is a
/// `.env` or a configuration, by its name.
pub fn trust_request(path: &Path) -> Result<TrustRequest, WorkflowError> {
    let is_dot_env = path.file_name().is_some_and(|name| name == DOT_ENV);
    if is_dot_env { dot_env_request(path) } else { config::trust_request(path) }
}

/// Returns all workflows that are part of the program, in order of their names.
pub fn catalogue() -> Vec<Box<dyn Workflow>> {
    vec![
        Box::new(ard::Ard),
        Box::new(ard::ArdReview),
        Box::new(contextualize::ContextualizeGenerate),
        Box::new(contextualize::ContextualizeRefine),
        Box::new(contextualize::ContextualizeScope),
        Box::new(doc_phases::DocPhases),
        Box::new(explore::Explore),
        Box::new(sections::Sections),
    ]
}
