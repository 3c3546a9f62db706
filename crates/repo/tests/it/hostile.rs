//! What no author of a repository intended: links in circles, trees that change while they are read, files of gigabytes,
//! programs on one line.

use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stategraph_repo::{
    CodeBase, ContentHash, Files, ImportMap, ReadProblem, Root, ScanLimits, Search, TreeSnapshot, WalkLimits,
    find_files, list_files, project, scan, search,
};

use super::{put, tree};

/// Asks everything of a repository that there is to ask, and returns how many files it saw.
fn ask_everything(root: &Root) -> usize {
    let code = CodeBase::new(Arc::new(root.clone()));
    let walk = root.walk(WalkLimits::default());
    let outlines = code.outlines(&walk);
    let map = ImportMap::new(root, &walk);
    outlines.iter().for_each(|file| drop(map.imports(file)));
    drop(project(root, &walk));
    drop(TreeSnapshot::of(root, &walk));
    drop(search(root, &Search { context: 2, ..Search::new("fn|def|class") }).expect("a pattern"));
    drop(code.find_references("f", ""));
    drop(find_files(root, &["f", "x"], 15));
    drop(scan(root, ScanLimits::default()));
    drop(list_files(root, ".", Some("**/*.rs")).expect("a directory"));
    walk.files.len()
}

#[test]
fn links_in_circles_and_out_of_the_repository_are_met_by_no_tool() {
    // ENG-19, CTX-101: counted once each, never followed.
    let (home, root) = tree(&[("src/a.rs", "fn f() {}\n")]);
    put(home.path(), "secret/key.rs", b"fn secret() {}");
    let at = |name: &str| root.absolute().join(name);
    symlink("..", at("src/up")).unwrap();
    symlink(".", at("self")).unwrap();
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    symlink("../../secret", at("src/out")).unwrap();
    symlink("../../secret/key.rs", at("src/key.rs")).unwrap();
    symlink("/dev/zero", at("zero.rs")).unwrap();
    assert_eq!(ask_everything(&root), 1);
    assert_eq!(search(&root, &Search::new("secret")).unwrap().lines, 0);
    let code = CodeBase::new(Arc::new(root.clone()));
    assert!(code.get_outline("src/key.rs").is_none() && code.read_file("zero.rs", 10).is_none());
    assert_eq!(root.walk(WalkLimits::default()).left_out.links, 7);
    assert_eq!(list_files(&root, "src", None).unwrap().left_out.links, 3);
}

#[test]
fn a_tree_that_changes_while_it_is_read_gives_answers_and_no_crash() {
    // ENG-19: files vanish, grow, become folders and come back between walk and look.
    let (_home, root) = tree(&[("keep.rs", "fn f() {}\n")]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let at = |n: usize| root.absolute().join(format!("d{}/x{n}.rs", n % 3));
            let mut turn = 0;
            while !stop.load(Ordering::Relaxed) {
                turn += 1;
                for n in 0..12 {
                    let path = at(n);
                    let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
                    match (n + turn) % 4 {
                        0 => drop(fs::create_dir_all(path.join("inner"))),
                        1 => drop(symlink("../keep.rs", &path)),
                        2 => {}
                        _ => {
                            let _ = fs::create_dir_all(path.parent().expect("it has a folder"));
                            let _ = fs::write(&path, "fn f() {}\n".repeat(turn % 50));
                        }
                    }
                }
                let _ = fs::remove_dir_all(root.absolute().join("d0"));
            }
        });
        let seen: Vec<usize> = (0..40).map(|_| ask_everything(&root)).collect();
        stop.store(true, Ordering::Relaxed);
        assert!(seen.iter().all(|count| (1..=13).contains(count)), "{seen:?}");
    });
}

#[test]
fn one_file_of_two_gigabytes_stops_nothing() {
    // ENG-19, 20; CTX-55, 136: sparse, so that it takes no room.
    let (_home, root) = tree(&[("a.rs", "fn needle() {}\n"), ("Cargo.toml", "[package]\nname = \"a\"")]);
    let bytes = 2 * 1024 * 1024 * 1024;
    for name in ["big.rs", "package.json", "README.md"] {
        File::create(root.absolute().join(name)).unwrap().set_len(bytes).unwrap();
    }
    let code = CodeBase::new(Arc::new(root.clone()));
    let walk = root.walk(WalkLimits::default());
    assert_eq!(code.outlines(&walk).len(), 1);
    assert!(code.read_file("big.rs", 100).is_none());
    let error = root.read_text(&root.path("big.rs").unwrap()).unwrap_err();
    assert_eq!(error.problem, ReadProblem::Huge { bytes });
    assert_eq!(error.hint(), Some("search the file instead of reading it"));
    assert_eq!(code.find_references("needle", "").total, 1);
    assert_eq!(find_files(&root, &["big"], 15).files[0].path, "big.rs");
    let found = project(&root, &walk);
    assert_eq!((found.name.as_str(), found.readme_content), ("a", None));
    assert_eq!(list_files(&root, ".", Some("big*")).unwrap().to_string(), format!("big.rs  {bytes} B"));
}

#[test]
fn a_program_on_one_line_is_outlined_cut_and_shown_in_little() {
    // ENG-19, 20; DOC-66: a minified bundle, and a binary that calls itself a program.
    let (_home, root) = tree(&[]);
    let minified: String = (0..20_000).map(|n| format!("function f{n}(a){{return a+{n}}}")).collect();
    put(root.absolute(), "bundle.min.js", minified.as_bytes());
    put(root.absolute(), "binary.py", b"\x7fELF\0def f(): pass");
    let code = CodeBase::new(Arc::new(root));
    let file = code.get_outline("bundle.min.js").unwrap();
    assert_eq!((file.line_count, file.symbols[0].name.as_str()), (1, "f0"));
    assert!(file.brief(2_000).chars().count() < 2_100);
    assert!(code.get_outline("binary.py").is_none());
    let found = code.find_references("f7", "");
    assert!(found.total == 1 && found.shown[0].context.chars().count() <= 300);
}

#[test]
fn names_of_every_kind_go_through_every_tool() {
    // ENG-19: line breaks, quotes, bytes that are no text, names that look like options, the longest name there is.
    let (_home, root) = tree(&[
        ("a\nb.rs", "fn f() {}"),
        ("q'\"$(x)`.py", "def f(): pass"),
        ("-rf.js", "function f() {}"),
        ("ünïcode/日本.go", "package a\nfunc f() {}"),
        (" spaces .rb", "def f\nend"),
        (&format!("{}.rs", "l".repeat(252)), "fn f() {}"),
    ]);
    let bytes = std::ffi::OsString::from_vec(b"caf\xE9.rs".to_vec());
    fs::write(root.absolute().join(&bytes), "fn f() {}").unwrap();
    assert_eq!(ask_everything(&root), 7);
    let code = CodeBase::new(Arc::new(root.clone()));
    let walk = root.walk(WalkLimits::default());
    assert_eq!(code.outlines(&walk).len(), 7);
    assert_eq!(code.find_references("f", "").total, 7);
    assert!(code.get_outline(&bytes).is_some() && code.get_outline("a\nb.rs").is_some());
    let listing = list_files(&root, ".", None).unwrap().to_string();
    assert_eq!(listing.lines().count(), 7, "one line an entry: {listing}");
    assert!(ContentHash::of_file(&root, &root.path("-rf.js").unwrap()).is_ok());
}

#[test]
fn a_thousand_folders_one_in_another_are_walked_as_far_as_the_limit() {
    // ENG-19, 20
    let (_home, root) = tree(&[("a.rs", "fn f() {}")]);
    let mut path = root.absolute().to_owned();
    (0..1_000).for_each(|_| path.push("d"));
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("deep.rs"), "fn f() {}").unwrap();
    assert_eq!(ask_everything(&root), 1);
    assert_eq!(root.walk(WalkLimits::default()).left_out.too_deep, 1);
}
