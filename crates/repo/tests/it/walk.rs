//! Walking a tree: ordered, ruled by `.gitignore`, bounded, honest.

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use stategraph_repo::{Files, LeftOut, MemoryFiles, Root, Walk, WalkLimits, list, walk};

use super::{put, tree};

fn names(walk: &Walk) -> Vec<String> {
    walk.files.iter().map(|file| file.path.to_string()).collect()
}

fn whole(root: &Root) -> Walk {
    walk(root, WalkLimits::default())
}

#[test]
fn files_come_in_order_and_two_walks_are_equal() {
    // ENG-18
    let (_home, root) = tree(&[("b/2", "xx"), ("a", ""), ("b/10", ""), ("B", ""), ("b.rs", ""), ("ä", "")]);
    let first = whole(&root);
    assert_eq!(names(&first), ["B", "a", "b/10", "b/2", "b.rs", "ä"]);
    assert_eq!(first.files[3].bytes, 2);
    assert_eq!(first.left_out, LeftOut::default());
    assert_eq!(first, whole(&root));
}

#[test]
fn nested_ignore_files_and_negations_hold_and_rules_from_above_the_root_do_not() {
    // CTX-17
    let (home, root) = tree(&[
        (".gitignore", "*.log\n/private/\n"),
        ("x.log", ""),
        ("private/x", ""),
        ("src/private/x", ""),
        ("src/.gitignore", "!keep.log\n*.tmp\n"),
        ("src/keep.log", ""),
        ("src/other.log", ""),
        ("src/x.tmp", ""),
        ("x.tmp", ""),
        (".ignore", "x.tmp\n"),
    ]);
    put(home.path(), ".gitignore", b"*");
    assert_eq!(names(&whole(&root)), ["src/keep.log", "src/private/x", "x.tmp"]);
}

#[test]
fn hidden_entries_dependencies_links_and_sockets_are_counted_and_not_entered() {
    // DOC-68, CTX-16, CTX-101, ENG-21
    let (home, root) = tree(&[
        ("src/a", ""),
        (".git/HEAD", ""),
        (".env", "KEY"),
        ("web/node_modules/x/y", ""),
        ("target/debug/x", ""),
    ]);
    put(home.path(), "secret/key", b"k");
    symlink("../secret", root.absolute().join("out")).expect("a link");
    symlink("..", root.absolute().join("src/circle")).expect("a link");
    let _socket = UnixListener::bind(root.absolute().join("socket")).expect("a socket");
    let walk = whole(&root);
    assert_eq!(names(&walk), ["src/a"]);
    assert_eq!(
        walk.left_out.to_string(),
        "left out: 2 hidden, 2 dependency or build folders, 2 links, 1 pipes, sockets or devices"
    );
}

#[test]
fn the_number_of_files_is_bounded_and_the_rest_counted() {
    // ENG-20
    let (_home, root) = tree(&[("a", ""), ("b", ""), ("c/d", "")]);
    let found = |files| {
        let walk = walk(&root, WalkLimits { files, ..WalkLimits::default() });
        (names(&walk).len(), walk.left_out.beyond_limit)
    };
    assert_eq!(found(2), (2, 1));
    assert_eq!(found(3), (3, 0));
    assert_eq!(found(4), (3, 0));
}

#[test]
fn depth_is_bounded_and_folders_not_entered_are_counted() {
    // ENG-20
    let (_home, root) = tree(&[("1", ""), ("a/2", ""), ("a/b/3", "")]);
    let found = |depth| {
        let walk = walk(&root, WalkLimits { depth, ..WalkLimits::default() });
        (names(&walk), walk.left_out.too_deep)
    };
    assert_eq!(found(2), (vec!["1".into(), "a/2".into()], 1));
    assert_eq!(found(3).1, 0);
    assert_eq!(found(3), found(4));
    assert_eq!(found(1), (vec!["1".into()], 1));
}

#[test]
fn a_tree_deeper_than_any_walk_ends() {
    // ENG-19: deeper than the limit, and deeper than a path may be long.
    let (_home, root) = tree(&[]);
    let mut path = root.absolute().to_owned();
    (0..300).for_each(|_| path.push("deep"));
    std::fs::create_dir_all(&path).expect("folders");
    let walk = whole(&root);
    assert_eq!((walk.files.len(), walk.left_out.too_deep), (0, 1));
}

#[test]
fn names_that_are_no_text_are_walked_and_a_senseless_rule_is_reported() {
    // ENG-19
    let (_home, root) = tree(&[(".gitignore", "a{b\n*.log\n"), ("a\nb", ""), ("x.log", "")]);
    let bytes = std::ffi::OsString::from_vec(b"caf\xE9".to_vec());
    std::fs::write(root.absolute().join(&bytes), "x").expect("a file");
    let walk = whole(&root);
    assert_eq!(names(&walk), ["\"a\\nb\"", "caf\u{fffd}"]);
    assert_eq!(walk.files[1].path.relative(), std::path::Path::new(&bytes));
    assert_eq!(walk.left_out.unreadable, 1);
    assert!(walk.left_out.problems[0].starts_with(".gitignore: line 1: "), "{:?}", walk.left_out.problems);
}

#[test]
fn a_root_that_is_gone_is_a_problem_and_no_crash() {
    // ENG-19
    let (home, root) = tree(&[("a", "")]);
    drop(home);
    let walk = whole(&root);
    assert_eq!((walk.files.len(), walk.left_out.unreadable), (0, 1));
}

#[test]
fn a_folder_called_as_output_is_source_where_a_language_makes_a_module_of_it() {
    // CTX-16, ENG-21
    let files = [
        ("Cargo.toml", "[package]"),
        ("target/debug/build/a.rs", ""),
        ("src/target/mod.rs", ""),
        ("src/env.rs", ""),
        ("src/env/vars.rs", ""),
        ("py/build/__init__.py", ""),
        ("py/vendor/__init__.py", ""),
        ("internal/out/out.go", "package out"),
        ("vendor/x/x.go", "package x"),
        ("java/src/main/java/org/env/Env.java", ""),
        ("java/build/generated/Env.java", ""),
        ("web/package.json", "{}"),
        ("web/lib/env/data.js", "export const version = 1;"),
        ("web/build/bundle.js", "x"),
        ("web/venv/a.py", ""),
    ];
    let (_home, root) = tree(&files);
    let found = whole(&root);
    let expected = [
        "Cargo.toml",
        "internal/out/out.go",
        "java/src/main/java/org/env/Env.java",
        "py/build/__init__.py",
        "src/env/vars.rs",
        "src/env.rs",
        "src/target/mod.rs",
        "web/lib/env/data.js",
        "web/package.json",
    ];
    assert_eq!(names(&found), expected);
    let memory = MemoryFiles::new(files);
    let mut in_memory = names(&memory.walk(WalkLimits::default()));
    in_memory.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(in_memory, expected, "the same in memory (CTX-47)");
    assert_eq!(found.left_out.noise_folders, memory.walk(WalkLimits::default()).left_out.noise_folders);
}

#[test]
fn what_a_package_names_as_its_beginning_is_source_unless_its_source_stands_elsewhere() {
    // CTX-16, DOC-102
    let code = "exports.pad = function pad(text, width) { return text.padStart(width); };\n".repeat(20);
    let shown = |files: &[(&str, &str)]| {
        let (_home, root) = tree(files);
        let on_disk = names(&whole(&root));
        let listed: Vec<String> = list(&root.path(".").unwrap())
            .unwrap()
            .entries
            .iter()
            .map(|entry| entry.name.to_string_lossy().into_owned())
            .collect();
        assert_eq!(listed.contains(&"dist".to_owned()), on_disk.iter().any(|path| path.starts_with("dist/")));
        let in_memory = MemoryFiles::new(files.iter().copied()).walk(WalkLimits::default());
        assert_eq!(on_disk.len(), in_memory.files.len(), "the same in memory (CTX-47)");
        on_disk.into_iter().filter(|path| path.rsplit('.').next() == Some("js")).collect::<Vec<_>>()
    };
    let dist = ("dist/index.js", code.as_str());
    let main = ("package.json", r#"{"main": "./dist/index.js"}"#);
    assert_eq!(shown(&[main, dist]), ["dist/index.js"]);
    let only_types =
        ("package.json", r#"{"types": "dist/index.d.ts", "exports": {".": {"default": "./dist/index.js"}}}"#);
    assert_eq!(
        shown(&[only_types, dist, ("index.d.ts", &code), ("test/a.js", &code)]),
        ["dist/index.js", "test/a.js"]
    );
    let folder = ("package.json", r#"{"main": "dist"}"#);
    assert_eq!(
        shown(&[folder, dist, ("index.js", "module.exports = require('./dist');")]).len(),
        2,
        "a stub is no source"
    );
    assert_eq!(shown(&[main, dist, ("src/index.ts", "export {};")]), Vec::<String>::new());
    assert_eq!(shown(&[main, dist, ("lib.js", &code)]), ["lib.js"]);
    assert_eq!(shown(&[("package.json", r#"{"main": "index.js"}"#), dist, ("index.js", "1")]), ["index.js"]);
    assert_eq!(shown(&[("package.json", "{"), dist]), Vec::<String>::new());
}
