//! Writing the document.

use std::{fs, io, path::Path};

use stategraph::repo::WriteProblem;
use stategraph::workflows::ard::services::ExistingFile;
use stategraph::workflows::ard::spec::{probe, write};

#[test]
fn folders_are_made_and_the_file_is_replaced_whole() {
    // ARD-55, ARD-60, ENG-16
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/b/spec.md");
    write(&path, "first\n", ExistingFile::Overwritten).expect("written");
    write(&path, "2\n", ExistingFile::Overwritten).expect("written over");
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
    write(&path, "old", ExistingFile::Overwritten).expect("written");
    let mut old = fs::File::open(&path).expect("open");
    write(&path, "new", ExistingFile::Overwritten).expect("written");
    assert_eq!(io::read_to_string(&mut old).expect("read"), "old");
}

#[test]
fn a_folder_in_the_way_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = write(folder.path(), "x", ExistingFile::Overwritten).expect_err("a folder");
    assert_eq!(error.problem, WriteProblem::Directory.into());
    assert!(error.to_string().ends_with("it is a directory") && error.hint().contains("spec.md"));
    assert_eq!(
        write(Path::new(""), "x", ExistingFile::Overwritten).expect_err("no name").problem,
        WriteProblem::NoFileName.into()
    );
}

#[test]
fn a_file_where_a_folder_should_be_is_an_error_that_names_the_path() {
    // ARD-60
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a"), "").expect("a file");
    let path = folder.path().join("a/spec.md");
    let error = write(&path, "x", ExistingFile::Overwritten).expect_err("a file in the way");
    assert!(error.to_string().contains("a/spec.md"), "{error}");
    assert!(error.hint().contains("--output"), "{}", error.hint());
}

#[test]
fn what_cannot_be_written_is_known_before_and_asking_leaves_nothing() {
    // ARD-24, ARD-60
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "old").expect("a file");
    for good in ["spec.md", "new/folders/spec.md", "file"] {
        probe(&at(good)).expect(good);
    }
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "no folder and no file is made");
    for (bad, problem) in [
        (folder.path().to_owned(), WriteProblem::Directory),
        (at("file/spec.md"), WriteProblem::ParentNotADirectory),
        (at("file/far/spec.md"), WriteProblem::ParentNotADirectory),
        ("/dev/full".into(), WriteProblem::Special),
    ] {
        let error = probe(&bad).expect_err("in the way");
        assert_eq!(error.problem, problem.into(), "{error}");
        assert!(error.hint().contains("--output"), "{}", error.hint());
    }
}
