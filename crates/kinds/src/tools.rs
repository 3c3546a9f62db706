//! The built-in tools of graph files. They read below one folder; none writes.

use stategraph_agent::{Toolbox, ToolboxError};
use stategraph_code_tools::{ListDirectory, ReadFile};
use stategraph_repo::Root;

/// Names of the built-in tools.
pub const TOOLS: [&str; 2] = ["list_directory", "read_file"];

/// Returns the built-in tools; they read below `root`.
pub fn toolbox(root: &Root) -> Toolbox {
    let all = || -> Result<Toolbox, ToolboxError> {
        Toolbox::new().with(ListDirectory::new(root.clone()))?.with(ReadFile::new(root.clone()))
    };
    all().expect("the names are portable and different")
}
