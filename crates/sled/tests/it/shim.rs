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

/// What happens to a process.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate {
    Lives,
    /// It is killed right after so many changes of the disk.
    Killed(usize),
    /// This sync of a file fails.
    FailedSync(usize),
}

/// The inode of a folder, and what processes with these roles and fates, one after the other, did below it.
pub(super) fn recorded(processes: &[(&str, Fate)]) -> (u64, Vec<Op>) {
    let work = tempfile::tempdir().unwrap();
    let (trace, root) = (work.path().join("trace"), work.path().join("root"));
    std::fs::create_dir(&root).unwrap();
    for (role, fate) in processes {
        let mut command = watched(role, &root, &root, &trace);
        match fate {
            Fate::Lives => {}
            Fate::Killed(at) => drop(command.env("SHIM_KILL_AT", at.to_string())),
            Fate::FailedSync(sync) => drop(command.env("SHIM_FAIL_SYNC", sync.to_string())),
        }
        match fate {
            Fate::Killed(_) => assert!(!Running::start(command).last_words().1.success()),
            Fate::Lives | Fate::FailedSync(_) => Running::start(command).dismiss(),
        }
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
