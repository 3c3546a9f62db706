//! The library of `tests/crash/shim.c`, preloaded into processes of their own: it records what they do to the disk, or kills them
//! there.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use super::child::{Running, command};
use super::replay::{self, Op};

/// A process that plays a role in `root`/store, watched.
pub(super) fn watched(role: &str, root: &Path, watched: &Path, trace: &Path) -> Command {
    let mut command = command(role, &root.join("store"));
    command.env("LD_PRELOAD", library()).env("SHIM_ROOT", watched).env("SHIM_TRACE", trace);
    command
}

/// The inode of a folder, and what processes with these roles, one after the other, did below it.
pub(super) fn recorded(roles: &[&str]) -> (u64, Vec<Op>) {
    let work = tempfile::tempdir().unwrap();
    let (trace, root) = (work.path().join("trace"), work.path().join("root"));
    std::fs::create_dir(&root).unwrap();
    for role in roles {
        Running::start(watched(role, &root, &root, &trace)).dismiss();
    }
    let ops = replay::parse(&std::fs::read(&trace).unwrap());
    assert!(ops.iter().filter(|op| matches!(op, Op::Sync { .. })).count() > 30, "the record is not whole");
    (std::fs::metadata(&root).unwrap().ino(), ops)
}

/// How many changes of the disk a process makes to its store.
pub(super) fn changes(role: &str) -> usize {
    let root = tempfile::tempdir().unwrap();
    let trace = root.path().join("trace");
    Running::start(watched(role, root.path(), &root.path().join("store"), &trace)).dismiss();
    replay::parse(&std::fs::read(trace).unwrap()).len()
}

/// The library, built once.
fn library() -> PathBuf {
    static BUILT: OnceLock<TempDir> = OnceLock::new();
    BUILT.get_or_init(built).path().join("shim.so")
}

fn built() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash/shim.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&folder.path().join("shim.so"), &source])
        .args(["-ldl", "-lpthread"])
        .status();
    assert!(
        compiled.is_ok_and(|status| status.success()),
        "kills and power cuts are made by a preloaded library: install a C compiler as `cc`"
    );
    folder
}
