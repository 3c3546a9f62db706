//! The tools that graph files can name. They read below one folder; none writes.

use stategraph_agent::{Toolbox, ToolboxError};
use stategraph_code_tools::{ListDirectory, ReadFile};
use stategraph_repo::Root;

/// Their names.
pub const TOOLS: [&str; 2] = ["list_directory", "read_file"];

/// All of them, over what is below `root`.
pub fn toolbox(root: &Root) -> Toolbox {
    let all = || -> Result<Toolbox, ToolboxError> {
        Toolbox::new().with(ListDirectory::new(root.clone()))?.with(ReadFile::new(root.clone()))
    };
    all().expect("the names are portable and different")
}
