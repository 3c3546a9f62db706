//! The built-in tools of graph files: the catalogue of `code-tools`. They read below one folder; none writes.

pub use stategraph_code_tools::{TOOLS, toolbox};
