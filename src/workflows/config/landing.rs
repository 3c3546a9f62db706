//! Finds out if an output path leads out of the working folder, by `..` or a symbolic link. Opens no
//! file.

use std::path::{Path, PathBuf};

use crate::repo::Root;

/// Returns the real path, with links resolved, that `path` leads to if it is outside of `folder`;
/// `None` for one inside.
pub(in crate::workflows) fn landing_outside(folder: &Path, path: &Path) -> Option<PathBuf> {
    if inside(folder, path).is_some() {
        return None;
    }
    let typed = folder.join(path);
    // Folders that are not there yet hold no links.
    let landing = typed.ancestors().find_map(|above| {
        // A link that leads nowhere yet would be followed by the write that makes its target.
        let dangling = || Some(above.parent()?.join(above.read_link().ok()?));
        let found = above.canonicalize().ok().or_else(dangling)?;
        let rest = typed.strip_prefix(above).expect("it is an ancestor");
        Some(if rest.as_os_str().is_empty() { found } else { found.join(rest) })
    });
    Some(landing.unwrap_or(typed))
}

/// Returns the path of a file in `folder` with links resolved; `None` for a file outside, or behind a
/// broken link.
pub(in crate::workflows) fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let root = Root::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()?;
    let relative = path.strip_prefix(root.absolute()).or_else(|_| path.strip_prefix(folder)).unwrap_or(path);
    root.path(relative).ok().map(|place| place.absolute().to_owned())
}
