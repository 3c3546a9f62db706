//! Listing one directory.

use std::os::unix::fs::symlink;

use stategraph_repo::limit::LIST_ENTRIES;
use stategraph_repo::{list, noise};

use super::{put, tree};

#[test]
fn directories_come_first_noise_is_counted_and_sizes_are_shown() {
    // EXP-13, ENG-18
    let (_home, root) = tree(&[
        ("b.rs", "fn b() {}"),
        ("a.rs", ""),
        ("src/main.rs", ""),
        ("docs/x", ""),
        ("node_modules/x/index.js", ""),
        (".git/HEAD", ""),
        (".env", "KEY=secret"),
        (".gitignore", "target\n"),
        ("line\nbreak", ""),
    ]);
    put(root.absolute(), "target", b"a file of that name is shown");
    symlink("/etc", root.absolute().join("link")).expect("a link");
    let listing = list(&root.path(".").expect("the root")).expect("a directory");
    assert_eq!(
        listing.to_string(),
        "docs/\nsrc/\n.gitignore  7 B\na.rs  0 B\nb.rs  9 B\n\"line\\nbreak\"  0 B\nlink  (link)\ntarget  28 B\n\
         (left out: 2 hidden, 1 dependency or build folders)"
    );
}

#[test]
fn an_empty_directory_and_a_file_say_so() {
    // ENG-19
    let (_home, root) = tree(&[("file", "")]);
    std::fs::create_dir(root.absolute().join("empty")).expect("a folder");
    let listed = |path| list(&root.path(path).expect("inside"));
    assert_eq!(listed("empty").expect("a directory").to_string(), "(nothing to show)");
    assert_eq!(listed("file").expect_err("a file").to_string(), "`file` is not a directory");
    assert_eq!(listed("gone").expect_err("nothing").to_string(), "`gone` does not exist");
}

#[test]
fn entries_beyond_the_limit_are_counted() {
    // ENG-20, ENG-21
    let (_home, root) = tree(&[]);
    for (folder, files) in [("below", LIST_ENTRIES - 1), ("at", LIST_ENTRIES), ("above", LIST_ENTRIES + 1)] {
        (0..files).for_each(|n| put(root.absolute(), &format!("{folder}/{n:04}"), b""));
    }
    let count = |folder| {
        let listing = list(&root.path(folder).expect("inside")).expect("a directory");
        (listing.entries.len(), listing.left_out.beyond_limit)
    };
    assert_eq!(count("below"), (LIST_ENTRIES - 1, 0));
    assert_eq!(count("at"), (LIST_ENTRIES, 0));
    assert_eq!(count("above"), (LIST_ENTRIES, 1));
}

#[test]
fn every_noise_folder_is_found_by_name() {
    // CTX-16: the list is searched by halves, so it must be in order.
    let missed: Vec<_> = noise_folders().filter(|name| noise(name.as_ref()).is_none()).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

fn noise_folders() -> impl Iterator<Item = &'static str> {
    stategraph_repo::NOISE_FOLDERS.iter().copied()
}
