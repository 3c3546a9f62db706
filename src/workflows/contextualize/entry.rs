//! The catalogue entries: from the arguments of the user to compiled graphs, one for each command.

mod build;
mod command;
mod generate;
mod refine;
mod scope;

pub use generate::{ContextualizeGenerate, GENERATE_GRAPH, generation_registry};
pub use refine::{ContextualizeRefine, REFINE_GRAPH, refinement_registry};
pub use scope::{ContextualizeScope, SCOPE_GRAPH, scope_registry};

/// The group of the three commands.
const GROUP: &str = "contextualize";
/// The description of the group.
const ABOUT: &str =
    "Writes context files for coding agents: describes a repository, answers a question, changes a file";

/// Name of the prompts' folder.
const PROMPTS_FOLDER: &str = "contextualize";
