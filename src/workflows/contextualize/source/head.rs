//! The commit of a local folder, read from its files. The program `git` is not asked, because the configuration of a stranger's repository
//! can name programs that it runs.

use std::path::{Path, PathBuf};

use crate::repo::Root;
use stategraph_base::regular::{Links, read_up_to};

/// Longest file with one reference that is read, in bytes.
const REF_MAX: usize = 4_096;
/// Longest file of packed references that is read, in bytes.
const PACKED_MAX: usize = 16 << 20;

/// Returns the id of the commit that `HEAD` of a folder names; `None` without a repository, a commit or a form that is known.
pub(super) fn read_head(root: &Root) -> Option<String> {
    let git = git_folder(root.absolute())?;
    let head = read(&git, Path::new("HEAD"), REF_MAX)?;
    let Some(name) = head.strip_prefix("ref: ").map(str::trim) else { return as_id(&head) };
    // The references of a linked work tree are in the repository that it belongs to.
    let common = read(&git, Path::new("commondir"), REF_MAX).map(|path| git.join(path.trim()));
    let repository = common.unwrap_or(git);
    let loose = read(&repository, Path::new(name), REF_MAX).and_then(|text| as_id(&text));
    loose.or_else(|| {
        let packed = read(&repository, Path::new("packed-refs"), PACKED_MAX)?;
        let line = packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, found)| found == name));
        line.and_then(|line| as_id(line.split(' ').next()?))
    })
}

/// Returns the folder `.git`, or the folder that a file `.git` names, as in linked work trees and submodules;
/// `None` without either.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read(folder, Path::new(".git"), REF_MAX)?;
    Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Reads a text file in a folder; `None` if it is missing, longer than `most` bytes, or outside of the
/// folder.
fn read(folder: &Path, name: &Path, most: usize) -> Option<String> {
    let path = Root::open(folder).ok()?.path(name).ok()?;
    let bytes = read_up_to(path.absolute(), most, Links::Refused).ok()?;
    String::from_utf8(bytes).ok().filter(|text| text.len() <= most)
}

/// Returns the trimmed text if it is the id of a Git object.
fn as_id(text: &str) -> Option<String> {
    let text = text.trim();
    is_id(text).then(|| text.to_owned())
}

/// Returns true for the id of a Git object: 40 or 64 hexadecimal digits.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
