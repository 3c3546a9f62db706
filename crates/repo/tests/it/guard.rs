//! The path guard: what is inside, and everything that pretends to be.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use stategraph_repo::limit::PATH_BYTES;
use stategraph_repo::{PathError, Root, RootError, replace};

use super::{put, tree};

fn refusal(root: &Root, typed: &str) -> String {
    root.path(typed).expect_err(typed).to_string()
}

#[test]
fn relative_paths_are_inside_whether_they_exist_or_not() {
    // ENG-17, CTX-100
    let (_home, root) = tree(&[("src/main.rs", "")]);
    for (typed, meant) in [
        (".", "."),
        ("./", "."),
        ("src/main.rs", "src/main.rs"),
        ("./src//main.rs", "src/main.rs"),
        ("src/../src/main.rs", "src/main.rs"),
        ("new/folder/file.md", "new/folder/file.md"),
        ("...", "..."),
        ("~/file", "~/file"),
    ] {
        let path = root.path(typed).expect(typed);
        assert_eq!(path.to_string(), meant);
        assert_eq!(path.absolute(), root.absolute().join(path.relative()));
    }
}

#[test]
fn empty_absolute_escaping_and_impossible_paths_are_refused_by_name() {
    // ENG-17, DOC-70
    let (_home, root) = tree(&[("src/main.rs", "")]);
    assert_eq!(refusal(&root, ""), "the path is empty");
    assert_eq!(refusal(&root, "/etc/passwd"), "the path `/etc/passwd` is absolute");
    assert_eq!(refusal(&root, "//etc"), "the path `//etc` is absolute");
    assert_eq!(refusal(&root, ".."), "the path `..` leads out of the repository");
    let long_way = "src/../../repo/src/main.rs";
    assert_eq!(refusal(&root, long_way), format!("the path `{long_way}` leads out of the repository"));
    assert_eq!(refusal(&root, "a\0b"), "the path \"a\\u0000b\" contains a NUL character");
    assert!(root.path("src/main.rs/deeper").is_err(), "a file is no folder");
    let own = root.absolute().join("src/main.rs");
    assert!(matches!(root.path(own), Err(PathError::Absolute { .. })), "even its own absolute path");
}

#[test]
fn a_neighbour_whose_name_begins_with_the_roots_is_outside() {
    // CTX-102
    let (home, root) = tree(&[]);
    put(home.path(), "repo-secret/key", b"k");
    symlink(home.path().join("repo-secret"), root.absolute().join("link")).expect("a link");
    assert!(matches!(root.path("../repo-secret/key"), Err(PathError::Escapes { .. })));
    assert!(matches!(root.path("link/key"), Err(PathError::LinkOutside { .. })));
}

#[test]
fn links_are_followed_inside_and_refused_outside_with_the_link_named() {
    // ENG-17, CTX-101
    let (home, root) = tree(&[("src/main.rs", "")]);
    put(home.path(), "secret/key", b"k");
    let at = |name: &str| root.absolute().join(name);
    symlink("src", at("inside")).expect("a link");
    symlink("../secret", at("outside")).expect("a link");
    symlink("outside", at("twice")).expect("a link");
    symlink("/etc/passwd", at("src/absolute")).expect("a link");

    let inside = root.path("inside/main.rs").expect("it ends inside");
    assert_eq!(inside.absolute(), at("src/main.rs"));
    assert_eq!(inside.to_string(), "inside/main.rs");
    assert_eq!(
        refusal(&root, "outside/key"),
        "the path `outside/key` leaves the repository through the link `outside`"
    );
    for typed in ["outside", "twice/key", "inside/absolute", "outside/new"] {
        assert!(matches!(root.path(typed), Err(PathError::LinkOutside { .. })), "{typed}");
    }
    // By name, so that no link decides where `..` leads.
    assert_eq!(root.path("outside/../src/main.rs").expect("by name").to_string(), "src/main.rs");
}

#[test]
fn links_to_nothing_and_in_circles_are_refused() {
    // ENG-17: writing through a link to nothing would create a file outside.
    let (home, root) = tree(&[]);
    let at = |name: &str| root.absolute().join(name);
    symlink(home.path().join("not-yet"), at("dangling")).expect("a link");
    symlink("circle-b", at("circle-a")).expect("a link");
    symlink("circle-a", at("circle-b")).expect("a link");
    symlink(".", at("self")).expect("a link");
    for typed in ["dangling", "circle-a", "circle-b/deeper"] {
        assert!(matches!(root.path(typed), Err(PathError::BrokenLink { .. })), "{typed}");
    }
    assert_eq!(root.path("self/self/self").expect("it ends inside").absolute(), root.absolute());
    assert!(!home.path().join("not-yet").exists());
}

#[test]
fn a_guarded_path_can_be_written() {
    // ENG-16, ENG-17
    let (_home, root) = tree(&[]);
    let path = root.path("docs/new.md").expect("inside");
    replace(path.absolute(), b"text").expect("writable");
    assert_eq!(fs::read(root.absolute().join("docs/new.md")).expect("written"), b"text");
}

#[test]
fn a_path_is_as_long_as_the_system_allows_and_no_error_repeats_megabytes() {
    // ENG-20
    let (_home, root) = tree(&[]);
    let path = |bytes: usize| "a/".repeat(bytes / 2) + &"b".repeat(bytes % 2);
    assert!(root.path(path(PATH_BYTES - 1)).is_ok());
    assert!(root.path(path(PATH_BYTES)).is_ok());
    assert!(
        matches!(root.path(path(PATH_BYTES + 1)), Err(PathError::TooLong { bytes, .. }) if bytes == 4097)
    );
    assert!(refusal(&root, &"x".repeat(10_000_000)).len() < 400);
    assert!(refusal(&root, &"y".repeat(300)).len() < 400, "longer than a name may be");
}

#[test]
fn names_that_are_no_text_or_several_lines_are_paths_shown_on_one_line() {
    // ENG-19
    let (_home, root) = tree(&[("a\nb", ""), ("qu\"ote", "")]);
    assert_eq!(root.path("a\nb").expect("inside").to_string(), r#""a\nb""#);
    assert_eq!(root.path("qu\"ote").expect("inside").to_string(), "qu\"ote");
    let bytes = std::ffi::OsString::from_vec(b"caf\xE9".to_vec());
    fs::write(root.absolute().join(&bytes), "").expect("a file");
    let path = root.path(&bytes).expect("inside");
    assert_eq!(path.to_string(), "caf\u{fffd}");
    assert!(path.absolute().exists());
}

#[test]
fn a_root_is_an_existing_directory() {
    // CTX-103
    let (home, root) = tree(&[("file", "")]);
    let missing = Root::open(home.path().join("gone"));
    assert!(matches!(missing, Err(RootError::Missing { .. })));
    assert!(matches!(Root::open(root.absolute().join("file")), Err(RootError::NotADirectory { .. })));
    symlink("repo", home.path().join("alias")).expect("a link");
    assert_eq!(Root::open(home.path().join("alias")), Ok(root));
}

proptest! {
    #[test]
    fn no_text_names_a_place_outside(
        typed in prop_oneof![".*", "((\\.\\.?|in|out|up|a|/)/?){0,8}", "(/|\\.\\./|out/|up/){1,6}secret/key"]
    ) {
        // ENG-17
        let (home, root) = tree(&[("in/a", "")]);
        put(home.path(), "secret/key", b"k");
        symlink("../secret", root.absolute().join("out")).expect("a link");
        symlink("..", root.absolute().join("in/up")).expect("a link");
        symlink("../..", root.absolute().join("up")).expect("a link");
        if let Ok(path) = root.path(&typed) {
            prop_assert!(path.absolute().starts_with(root.absolute()));
            let real = fs::canonicalize(path.absolute());
            prop_assert!(real.map_or(true, |real: std::path::PathBuf| real.starts_with(root.absolute())));
            prop_assert!(!path.relative().components().any(|c| c.as_os_str() == Path::new("..")));
        }
    }
}
