//! Whole replacement of files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

use stategraph_repo::{FileWriter, WriteProblem, replace};

use super::tree;

#[test]
fn a_file_is_made_with_its_folders_and_replaced_with_nothing_left_beside_it() {
    // ENG-16
    let (home, _root) = tree(&[]);
    let path = home.path().join("out/deep/spec.md");
    replace(&path, b"one").expect("writable");
    replace(&path, b"").expect("writable");
    replace(&path, b"three").expect("writable");
    assert_eq!(fs::read(&path).expect("written"), b"three");
    let beside = fs::read_dir(path.parent().expect("a folder")).expect("a folder").count();
    assert_eq!(beside, 1);
}

#[test]
fn a_reader_sees_the_old_bytes_or_the_new_ones() {
    // ENG-16
    let (home, _root) = tree(&[]);
    let path = home.path().join("file");
    let versions = [vec![b'a'; 300_000], vec![b'b'; 200_000]];
    replace(&path, &versions[0]).expect("writable");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert!(versions.contains(&fs::read(&path).expect("always there")));
            }
        });
        (0..40).for_each(|n| replace(&path, &versions[n % 2]).expect("writable"));
        done.store(true, Ordering::Relaxed);
        reader.join().expect("no half version was seen");
    });
}

#[test]
fn permissions_are_kept_and_new_files_are_not_private() {
    let (home, _root) = tree(&[]);
    let (path, plain) = (home.path().join("file"), home.path().join("plain"));
    let mode = |path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    replace(&path, b"x").expect("writable");
    fs::write(&plain, b"x").expect("a file");
    assert_eq!(mode(&path), mode(&plain));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
    replace(&path, b"y").expect("writable");
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn a_link_stays_a_link_and_its_file_is_replaced() {
    let (home, _root) = tree(&[("file", "old")]);
    let link = home.path().join("link");
    symlink("repo/file", &link).expect("a link");
    replace(&link, b"new").expect("writable");
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(fs::read(home.path().join("repo/file")).expect("a file"), b"new");
}

#[test]
fn what_cannot_be_replaced_says_why_and_what_to_do_and_stays() {
    // ENG-16, ENG-19
    let (home, _root) = tree(&[("file", "old"), ("locked", "old")]);
    let at = |name: &str| home.path().join(name);
    let locked = at("repo/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).expect("ours");
    symlink("nowhere", at("dangling")).expect("a link");
    let _socket = UnixListener::bind(at("socket")).expect("a socket");
    for (path, problem) in [
        (at("repo"), WriteProblem::Directory),
        (at("new/"), WriteProblem::NoFileName),
        ("".into(), WriteProblem::NoFileName),
        (at(".."), WriteProblem::NoFileName),
        (at("socket"), WriteProblem::Special),
        ("/dev/full".into(), WriteProblem::Special),
        (locked.clone(), WriteProblem::ReadOnly),
        (at("repo/file/below"), WriteProblem::ParentNotADirectory),
        (at("repo/file/far/below"), WriteProblem::ParentNotADirectory),
    ] {
        let error = replace(&path, b"new").expect_err("it is in the way");
        assert_eq!(error.problem, problem, "{}", path.display());
        assert!(error.to_string().starts_with(&format!("cannot write `{}", error.path)));
        assert!(!error.hint().is_empty());
    }
    let dangling = replace(at("dangling"), b"new").expect_err("it leads nowhere");
    assert!(matches!(dangling.problem, WriteProblem::BrokenLink { .. }));
    let strange = replace(at("a\0b"), b"new").expect_err("no name holds a NUL");
    assert!(matches!(strange.problem, WriteProblem::Failed { .. }));
    assert_eq!(fs::read(&locked).expect("a file"), b"old");
    assert_eq!(fs::read(at("repo/file")).expect("a file"), b"old");
}

#[test]
fn deferred_files_are_written_at_once_and_flushed_together() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let writer = FileWriter::default().deferred();
    for name in ["a", "b/c"] {
        writer.replace(home.path().join(name), b"new").expect("writable");
        assert_eq!(fs::read(home.path().join(name)).expect("a file"), b"new");
    }
    writer.flush(home.path()).expect("a folder");
    let error = writer.flush(&home.path().join("missing")).expect_err("no folder");
    assert!(error.to_string().contains("missing"), "{error}");
    // A writer that makes each file durable has nothing to flush.
    FileWriter::default().flush(&home.path().join("missing")).expect("nothing is done");
}
