//! Files on disk and in memory: the same answers on the same tree (CTX-46, 47, 120).

use std::path::Path;

use stategraph_repo::{
    ContentHash, Files, MemoryFiles, ReadProblem, Search, TreeSnapshot, WalkLimits, lines, search, snippet,
};

use super::tree;

const TREE: &[(&str, &str)] = &[
    (".gitignore", "*.log\n/private/\n!keep.log\n"),
    (".hidden/x", "1"),
    ("README.md", "# Read\nneedle\n"),
    ("keep.log", "needle"),
    ("node_modules/m/x.js", "needle"),
    ("private/x", "needle"),
    ("src/.gitignore", "*.tmp\n!a.log\n"),
    ("src/a.log", "needle"),
    ("src/b.log", "needle"),
    ("src/deep/er/x.rs", "fn needle() {}\r\n"),
    ("src/private/y", ""),
    ("src/x.tmp", "needle"),
];

#[test]
fn disk_and_memory_give_the_same_answers() {
    // CTX-46, 47
    let (_home, disk) = tree(TREE);
    let memory = MemoryFiles::new(TREE.iter().copied());
    for limits in [WalkLimits::default(), WalkLimits { depth: 2, files: 3 }] {
        let (a, b) = (disk.walk(limits), Files::walk(&memory, limits));
        let names = |walk: &stategraph_repo::Walk| {
            walk.files.iter().map(|file| (file.path.to_string(), file.bytes)).collect::<Vec<_>>()
        };
        assert_eq!(names(&a), names(&b));
        assert_eq!(a.left_out, b.left_out);
    }
    for typed in
        ["README.md", "src", "absent", "src/deep/../a.log", "README.md/x", ".", "../x", "/etc", "", "a\0"]
    {
        let answer = |files: &dyn Files| {
            let path = files.path(Path::new(typed)).map_err(|error| error.to_string())?;
            let list = files.list(&path).map(|list| list.to_string()).map_err(|error| error.to_string());
            Ok::<_, String>((
                files.read_text(&path).map_err(|error| error.to_string()),
                list,
                files.file_exists(&path),
            ))
        };
        assert_eq!(answer(&disk), answer(&memory), "{typed}");
    }
    assert_eq!(search(&disk, &Search::new("needle")), search(&memory, &Search::new("needle")));
    let snapshot = |files: &dyn Files| TreeSnapshot::of(files, &files.walk(WalkLimits::default()));
    assert_eq!(snapshot(&disk), snapshot(&memory));
}

#[test]
fn binary_and_huge_files_are_said_to_be_so() {
    // CTX-136
    let files = MemoryFiles::new([("b", b"a\0b".to_vec()), ("h", vec![b'x'; 9 * 1024 * 1024])]);
    let problem = |name: &str| files.read_text(&files.path(Path::new(name)).unwrap()).unwrap_err().problem;
    assert_eq!(problem("b"), ReadProblem::Binary { bytes: 3 });
    assert_eq!(problem("h"), ReadProblem::Huge { bytes: 9 * 1024 * 1024 });
}

#[test]
fn lines_are_counted_from_one_clamped_and_bounded() {
    // CTX-42, 105 to 107, 137; DOC-67
    let text: String = (1..=600).map(|n| format!("{n}\r\n")).collect();
    assert_eq!(lines(&text, 2, 3).unwrap().to_string(), "2\n3\n[597 more lines, 600 in all]");
    assert_eq!(lines(&text, 0, 1).unwrap().text, "1");
    assert_eq!(lines(&text, 599, 9_999).unwrap().to_string(), "599\n600");
    assert_eq!(lines(&text, 1, usize::MAX).unwrap().last, 500);
    assert_eq!(
        lines(&text, 700, 701).unwrap_err().to_string(),
        "line 700 is past the end: the file has 600 lines"
    );
    assert_eq!(lines("", 1, 5).unwrap().text, "");
    assert_eq!(snippet(&text, 0, 2).unwrap().text, "1\n2");
    assert_eq!(snippet(&text, -1, 2).unwrap_err().to_string(), "start_line must be non-negative, not -1");
    for count in [0, -3, 501] {
        assert_eq!(
            snippet(&text, 0, count).unwrap_err().to_string(),
            format!("num_lines must be positive and at most 500, not {count}")
        );
    }
    assert!(lines(&text, 3, 2).is_err() && snippet(&text, 600, 1).is_err());
}

#[test]
fn changes_are_changed_new_deleted_and_moved() {
    // DOC-89, 90
    let (_home, root) =
        tree(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("twin1", "t"), ("twin2", "t")]);
    let look = || TreeSnapshot::of(&root, &root.walk(WalkLimits::default()));
    let before = look();
    assert!(before.changes_to(&look()).is_empty());
    let at = |name: &str| root.absolute().join(name);
    std::fs::write(at("a"), "1!").unwrap();
    std::fs::remove_file(at("b")).unwrap();
    std::fs::rename(at("c"), at("moved")).unwrap();
    std::fs::write(at("new"), "n").unwrap();
    std::fs::rename(at("twin1"), at("twin3")).unwrap();
    let changes = before.changes_to(&look());
    assert_eq!(
        (changes.changed, changes.new, changes.deleted),
        (vec!["a".to_owned()], vec!["new".to_owned()], vec!["b".to_owned()])
    );
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(changes.moved, [pair("c", "moved"), pair("twin1", "twin3")]);
    let json = serde_json::to_string(&before).unwrap();
    assert_eq!(serde_json::from_str::<TreeSnapshot>(&json).unwrap(), before);
    assert_eq!(ContentHash::of(b"1"), before.0["a"]);
}

#[test]
fn a_file_that_vanishes_between_walk_and_look_is_left_out() {
    // ENG-19
    let (_home, root) = tree(&[("a", "1"), ("b", "2")]);
    let walk = root.walk(WalkLimits::default());
    std::fs::remove_file(root.absolute().join("a")).unwrap();
    assert_eq!(TreeSnapshot::of(&root, &walk).0.len(), 1);
}

#[test]
fn a_file_of_gigabytes_is_known_by_its_size_and_its_ends() {
    // DOC-89, DOC-90, ENG-20: what lies between is not read, so a run does not wait for it
    use std::io::{Seek as _, SeekFrom, Write as _};
    let folder = tempfile::tempdir().unwrap();
    let root = stategraph_repo::Root::open(folder.path()).unwrap();
    let place = folder.path().join("data.bin");
    let mut file = std::fs::File::create(&place).unwrap();
    file.set_len(2 << 30).unwrap();
    let path = root.path("data.bin").unwrap();
    let hash = || ContentHash::of_file(&root, &path).unwrap();
    let mut put = |at: u64, text: &str| {
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    let before = hash();
    put(1 << 30, "in the middle");
    assert_eq!(hash(), before, "which is not read");
    put(0, "first");
    let begun = hash();
    put((2 << 30) - 4, "last");
    let ended = hash();
    put(2 << 30, "longer");
    assert!(before != begun && begun != ended && ended != hash());
}

#[test]
fn the_limit_of_what_is_hashed_whole_holds_for_every_backend() {
    // CTX-47, ENG-20: at the limit whole, one byte above by its ends
    use stategraph_repo::limit::READ_BYTES;
    let of = |files: &dyn Files| ContentHash::of_file(files, &files.path("x".as_ref()).unwrap()).unwrap();
    for (size, sees_the_middle) in [(READ_BYTES - 1, true), (READ_BYTES, true), (READ_BYTES + 1, false)] {
        let mut bytes = vec![b'a'; size];
        let before = of(&MemoryFiles::new([("x", bytes.clone())]));
        bytes[size / 2] = b'b';
        let after = of(&MemoryFiles::new([("x", bytes.clone())]));
        assert_eq!(before != after, sees_the_middle, "{size}");
        if !sees_the_middle {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("x"), &bytes).unwrap();
            assert_eq!(of(&stategraph_repo::Root::open(folder.path()).unwrap()), after, "as a folder has it");
        }
    }
}
