//! The files that some files import (CTX-139).

use std::collections::BTreeSet;

use stategraph_repo::{CodeBase, ImportMap, WalkLimits};

/// Returns the imports of some files as pairs of the importing and the imported path, in the order of
/// `paths`, then by the imported path. Resolves relative imports, index files, `mod.rs` and packages of the
/// code base; imports from outside are left out.
pub fn follow_imports(paths: &[String], code: &CodeBase) -> Vec<(String, String)> {
    let files = code.files();
    let map = ImportMap::new(&**files, &files.walk(WalkLimits::default()));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| seen.insert((*path).clone())) {
        let imported = code.get_outline(path).map(|outline| map.imports(&outline)).unwrap_or_default();
        found.extend(imported.into_iter().map(|to| (path.clone(), to)));
    }
    found
}
