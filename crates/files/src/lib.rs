//! Graphs declared in files. Turns YAML or JSON into a [`StateGraph`](stategraph_core::StateGraph), or into every
//! defect with its position. Knows no workflow.
//!
//! Reading order: `registry` (names that a file can use), `format` (the format of a file), `inline` (declared
//! channels), `expression` and `kind` (nodes without Rust), `definition`, `check`, `references`, `secret`, `locate`
//! and `build` (from a file to a graph), `items` (fan-outs), `decode` to `wait` (reading of files), `diagnostic` and `frame`
//! (diagnostics), `cases` (test files), `example` (values that fit a schema).
//!
//! The source files import each other without circles, which `tests/it/imports.rs` checks.

mod registry;

mod cases;
mod format;

pub mod expression;
pub mod inline;
pub mod kind;

mod build;
mod check;
mod definition;
mod example;
mod items;
mod locate;
mod references;
mod secret;

mod decode;
mod located;
mod naming;
mod object;
mod read;
mod source;
mod syntax;
mod tree;
mod wait;

mod diagnostic;
mod frame;

pub use build::InlineNode;
pub use cases::{CaseStatus, Cases, Expected, TestCase, is_test_file, test_schema};
pub use decode::FILE_MAX;
pub use definition::{Definition, NodeRole, NodeSpec};
pub use diagnostic::{Diagnostic, Diagnostics, SourceLocation};
pub use example::example_of;
pub use format::{
    ATTEMPTS_MAX, DeclaredTool, EDGES_MAX, Entries, InputSpec, NODES_MAX, RouteRule, RouteTarget, TOOLS_MAX,
    schema,
};
pub use frame::PRINTED_MAX;
pub use items::{ITEMS_MAX, items_of};
pub use naming::NAME_MAX;
pub use registry::{Registry, RegistryError};
pub use secret::SecretSpec;
pub use tree::DEPTH_MAX;
pub use wait::WAIT_MAX;
