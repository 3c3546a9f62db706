//! The structure of a repository, within a bound (CTX-10, 18).

use serde::{Deserialize, Serialize};

use crate::repo::{LeftOut, Scan, TreeNode};

/// Most nodes of the tree, and most files of the list. A checkpoint holds both, so that a large repository must not fill it.
const NODES: usize = 2_000;

/// The structure of a repository: its tree and files, cut to 2,000 each for the checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureScan {
    /// The root. Deep levels are left out first if there are too many nodes; `truncated` counts the missing entries of each directory.
    pub tree: TreeNode,
    /// Files in byte order of the paths; at most `NODES` of them.
    pub files: Vec<String>,
    /// Number of all files.
    pub total_files: usize,
    /// Number of directories with files, without the root.
    pub total_directories: usize,
    /// The entries that the walk omitted.
    pub left_out: LeftOut,
}

impl From<Scan> for StructureScan {
    fn from(scan: Scan) -> Self {
        let Scan { mut tree, mut files, total_files, total_directories, left_out } = scan;
        for depth in (1..crate::repo::limit::SCAN_DEPTH).rev() {
            if count(&tree) <= NODES {
                break;
            }
            prune(&mut tree, depth);
        }
        files.truncate(NODES);
        Self { tree, files, total_files, total_directories, left_out }
    }
}

fn count(node: &TreeNode) -> usize {
    1 + node.children.iter().map(count).sum::<usize>()
}

/// Removes the entries that are more than `depth` levels below the node, and counts them in `truncated`.
fn prune(node: &mut TreeNode, depth: usize) {
    if depth == 0 {
        node.truncated += node.children.len();
        node.children.clear();
        return;
    }
    node.children.iter_mut().for_each(|child| prune(child, depth - 1));
}
