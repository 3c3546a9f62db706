//! Graphs declared in files: YAML or JSON in, a [`StateGraph`](stategraph_core::StateGraph) or every defect with its place out. Knows no workflow.
//!
//! Read in this order: what a file can name (`registry`), what a file looks like (`format`), what needs no Rust (`inline`: channels,
//! `expression`, `kind`: nodes), how it becomes a graph (`build`,
//! `check`, `outside`, `place`), how it is read (`source`, `tree`, `syntax`, `read`, `object`, `spot`, `wait`), how defects are shown (`diagnostic`, `frame`); the cases of a test file (`cases`).

mod registry;

mod cases;
mod format;

pub mod expression;
pub mod inline;
pub mod kind;

mod build;
mod check;
mod locate;
mod references;
mod secret;

mod located;
mod object;
mod read;
mod source;
mod syntax;
mod tree;
mod wait;

mod diagnostic;
mod frame;

pub use build::{Definition, InlineNode, NodeRole, NodeSpec};
pub use cases::{CaseStatus, Cases, Expected, TestCase, is_test_file, test_schema};
pub use diagnostic::{Diagnostic, Diagnostics, PRINTED_MAX, SourceLocation};
pub use format::{ATTEMPTS_MAX, DeclaredTool, EDGES_MAX, Entries, InputSpec, NODES_MAX, TOOLS_MAX, schema};
pub use read::NAME_MAX;
pub use registry::{Registry, RegistryError};
pub use secret::SecretSpec;
pub use source::FILE_MAX;
pub use tree::DEPTH_MAX;
pub use wait::WAIT_MAX;
