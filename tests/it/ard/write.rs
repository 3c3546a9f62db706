//! Putting the document in its place.

use std::{fs, io, path::Path};

use stategraph::workflows::ard::spec::{WriteError, write};

#[test]
fn folders_are_made_and_the_file_is_replaced_whole() {
    // ARD-55, ARD-60, ENG-16
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/b/spec.md");
    write(&path, "first\n").expect("written");
    write(&path, "2\n").expect("written over");
    assert_eq!(fs::read_to_string(&path).expect("there"), "2\n");
    assert_eq!(
        fs::read_dir(folder.path().join("a/b")).expect("there").count(),
        1,
        "nothing is left beside it"
    );
}

#[test]
fn a_reader_of_the_old_file_keeps_it() {
    // ARD-60: replaced in one step, not written over
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("spec.md");
    write(&path, "old").expect("written");
    let mut old = fs::File::open(&path).expect("open");
    write(&path, "new").expect("written");
    assert_eq!(io::read_to_string(&mut old).expect("read"), "old");
}

#[test]
fn a_folder_in_the_way_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = write(folder.path(), "x").expect_err("a folder");
    assert!(matches!(error, WriteError::IsFolder { .. }));
    assert!(error.to_string().ends_with("it is a folder") && error.hint().contains("spec.md"));
    assert!(matches!(write(Path::new(""), "x"), Err(WriteError::IsFolder { .. })));
}

#[test]
fn a_file_where_a_folder_should_be_is_an_error_that_names_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a"), "").expect("a file");
    let path = folder.path().join("a/spec.md");
    let error = write(&path, "x").expect_err("a file in the way");
    assert!(error.to_string().contains("a/spec.md") && error.hint().contains("--output"), "{error}");
}

#[test]
fn system_errors_are_sorted_by_what_to_do() {
    for (kind, told) in [
        (io::ErrorKind::PermissionDenied, "not permitted"),
        (io::ErrorKind::ReadOnlyFilesystem, "not permitted"),
        (io::ErrorKind::StorageFull, "no space left"),
        (io::ErrorKind::QuotaExceeded, "no space left"),
        (io::ErrorKind::IsADirectory, "it is a folder"),
        (io::ErrorKind::Other, "x/spec.md"),
    ] {
        let error = WriteError::of(Path::new("x/spec.md"), kind.into());
        assert!(error.to_string().ends_with(told), "{error}");
        assert!(error.hint().contains("resume"), "nothing is lost: {}", error.hint());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    // /dev/full is no folder to write into, so a quota is played by a file system that takes no files at all
    let error = write(Path::new("/proc/spec.md"), "x").expect_err("nothing can be made in /proc");
    assert!(error.to_string().contains("/proc/spec.md"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_the_mode_is_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (target, link) = (folder.path().join("real.md"), folder.path().join("spec.md"));
    write(&target, "old").expect("written");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("set");
    symlink(&target, &link).expect("linked");
    write(&link, "new").expect("written");
    assert_eq!(fs::read_to_string(&target).expect("there"), "new");
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, 0o640);
}
