//! `list_files`: a directory or a pattern, within bounds.

use std::os::unix::fs::symlink;

use stategraph_repo::limit::{GLOB_BYTES, LIST_DIRECTORIES, LIST_FILES};
use stategraph_repo::{Files, ListFilesError, MemoryFiles, Root, WalkLimits, list_files};

use super::tree;

fn shown(files: &dyn Files, directory: &str, pattern: Option<&str>) -> String {
    list_files(files, directory, pattern).unwrap().to_string()
}

#[test]
fn a_directory_is_listed_without_hidden_entries_and_dependencies() {
    // DOC-59, 68
    let list = [
        (".env", "KEY"),
        (".git/HEAD", ""),
        ("README.md", "12"),
        ("node_modules/x/i.js", ""),
        ("src/lib.rs", ""),
        ("target/debug/x", ""),
    ];
    let expect = "src/\nREADME.md  2 B\n(left out: 2 hidden, 2 dependency or build folders)";
    let (_home, root) = tree(&list);
    assert_eq!(shown(&root, ".", None), expect);
    assert_eq!(shown(&MemoryFiles::new(list), ".", Some("*")), expect);
    assert_eq!(shown(&root, "src", None), "src/lib.rs  0 B");
}

#[test]
fn a_pattern_is_held_against_names_or_with_a_slash_against_paths() {
    // DOC-68
    let list = [("a/mod.rs", ""), ("a/b/mod.rs", ""), ("a/b/x.py", ""), ("main.rs", ""), ("note[1].md", "")];
    let (_home, root) = tree(&list);
    for files in [&root as &dyn Files, &MemoryFiles::new(list)] {
        assert_eq!(shown(files, ".", Some("*.rs")), "main.rs  0 B");
        assert_eq!(shown(files, "a", Some("*.rs")), "a/mod.rs  0 B");
        assert_eq!(shown(files, ".", Some("**/mod.rs")), "a/b/mod.rs  0 B\na/mod.rs  0 B");
        assert_eq!(shown(files, "a", Some("*/*.{py,rs}")), "a/b/mod.rs  0 B\na/b/x.py  0 B");
        assert_eq!(shown(files, ".", Some("a/*")), "a/b/\na/mod.rs  0 B");
        assert_eq!(shown(files, ".", Some("note[[]1[]].md")), "note[1].md  0 B");
        assert_eq!(shown(files, ".", Some("*.go")), "(nothing to show)");
    }
}

#[test]
fn fifty_directories_and_a_hundred_files_are_shown_and_the_rest_counted() {
    // DOC-68, ENG-20, 21
    let made = |directories: usize, files: usize| {
        let directories = (0..directories).map(|n| (format!("d{n:04}/x"), ""));
        MemoryFiles::new(directories.chain((0..files).map(|n| (format!("f{n:04}"), ""))))
    };
    let counted = |files: &MemoryFiles, pattern| {
        let found = list_files(files, ".", pattern).unwrap();
        (found.directories.len(), found.more_directories, found.files.len(), found.more_files)
    };
    assert_eq!(counted(&made(LIST_DIRECTORIES, LIST_FILES), None), (50, 0, 100, 0));
    let more = made(LIST_DIRECTORIES + 1, 700);
    assert_eq!(counted(&more, None), (50, 1, 100, 600));
    // The limit comes after the pattern.
    assert_eq!(counted(&more, Some("f069*")), (0, 0, 10, 0));
    assert_eq!(counted(&more, Some("**")), (50, 1, 100, 651));
    assert!(shown(&more, ".", None).contains("(1 more directories, 600 more files; "));
}

#[test]
fn paths_and_patterns_that_make_no_sense_are_refused_with_a_hint() {
    // DOC-70, CTX-45, 100
    let (home, root) = tree(&[("src/lib.rs", "")]);
    symlink(home.path(), root.absolute().join("out")).unwrap();
    let said = |path: &str, pattern| {
        let error = list_files(&root, path, pattern).unwrap_err();
        assert!(error.hint().is_some());
        error.to_string()
    };
    assert_eq!(said("../..", None), "the path `../..` leads out of the repository");
    assert_eq!(said("/etc", Some("**")), "the path `/etc` is absolute");
    assert_eq!(said("out", None), "the path `out` leaves the repository through the link `out`");
    assert_eq!(said("src/lib.rs", None), "`src/lib.rs` is not a directory");
    assert_eq!(said("gone", Some("**/*")), "`gone` does not exist");
    assert!(said(".", Some("[")).starts_with("invalid pattern `[`: "));
    let long = "x".repeat(GLOB_BYTES + 1);
    let error = list_files(&root, ".", Some(&long)).unwrap_err();
    assert!(matches!(&error, ListFilesError::Pattern { pattern, .. } if pattern.len() == 200), "{error}");
    assert_eq!(shown(&root, ".", Some("**/../**")), "(nothing to show)\n(left out: 1 links)");
}

#[test]
fn names_that_a_caller_ignores_are_left_out_at_every_level_and_counted() {
    // CTX-16
    let list = [("data/x", ""), ("src/data/y", ""), ("src/yarn.lock", ""), ("src/keep.rs", "")];
    let (_home, root) = tree(&list);
    let disk: Root = root.ignoring(["data", "yarn.lock"]);
    let memory = MemoryFiles::new(list).ignoring(["data", "yarn.lock"]);
    for files in [&disk as &dyn Files, &memory] {
        let walk = files.walk(WalkLimits::default());
        let names: Vec<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
        assert_eq!((names, walk.left_out.ignored), (vec!["src/keep.rs".to_owned()], 3));
        assert_eq!(shown(files, "src", None), "src/keep.rs  0 B\n(left out: 2 ignored by name)");
        let lock = files.path("src/yarn.lock".as_ref()).unwrap();
        assert_eq!(files.read_text(&lock).unwrap(), "", "who names it gets it");
    }
}
