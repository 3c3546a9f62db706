//! A whole tree parsed once: large trees in part, by rank, and each file as it was first read.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex};

use stategraph_repo::{
    CodeBase, Coverage, Files as _, MemoryFiles, PartKey, PartStore, Snapshot, TreeParse, WalkLimits,
};

use super::tree;

const TREE: [(&str, &str); 6] = [
    ("a/deep/inner.py", "class Inner: pass\n"),
    ("main.py", "from a import deep\n"),
    ("notes.md", "# Notes\n"),
    ("run", "no script\n"),
    ("tests/first.py", "class First: pass\n"),
    ("z.py", "class Z: pass\n"),
];

fn parsed(request: &TreeParse) -> (Vec<String>, Coverage) {
    let code = CodeBase::new(Arc::new(MemoryFiles::new(TREE)));
    let walk = code.files().walk(WalkLimits::default());
    let tree = code.parse_all(&walk, request, |_| ());
    (tree.files.iter().map(|(file, ())| file.path.clone()).collect(), tree.coverage)
}

#[test]
fn of_a_tree_that_is_too_large_the_files_of_the_lowest_rank_are_parsed_outer_ones_first() {
    let rank = |path: &str| u8::from(path.starts_with("tests/"));
    let check = |files: usize, bytes: u64, paths: &[&str]| {
        let (found, coverage) = parsed(&TreeParse { rank: &rank, files, bytes, ..TreeParse::default() });
        assert_eq!(found, paths, "{files} files, {bytes} bytes");
        assert_eq!(coverage, Coverage { walked: 6, code: 4, parsed: paths.len() });
    };
    check(100, 1_000, &["a/deep/inner.py", "main.py", "tests/first.py", "z.py"]);
    check(3, 1_000, &["a/deep/inner.py", "main.py", "z.py"]);
    check(2, 1_000, &["main.py", "z.py"]);
    check(100, 40, &["main.py", "z.py"]);
    check(100, 20, &["main.py"]);
    check(0, 1_000, &[]);
}

#[test]
fn a_longer_file_is_parsed_at_its_beginning_and_the_rest_is_counted() {
    let line = "const A: u32 = 1;\n";
    let text = format!("{}struct Last;\n", line.repeat(60_000));
    let code = CodeBase::new(Arc::new(MemoryFiles::new([("lib.rs", text.as_str())])));
    let walk = code.files().walk(WalkLimits::default());
    let tree = code.parse_all(&walk, &TreeParse::default(), |_| ());
    let (file, ()) = &tree.files[0];
    assert_eq!(file.line_count, 60_001);
    let parsed = text.len() - file.gaps.bytes;
    assert_eq!(parsed.div_ceil(line.len()), 768 * 1024 / line.len());
}

/// Parts in memory, some of which are no parts.
#[derive(Default)]
struct Kept(Mutex<HashMap<PartKey, Vec<u8>>>);

impl PartStore for Kept {
    fn load(&self, key: &PartKey) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn store(&self, key: PartKey, bytes: &[u8]) {
        self.0.lock().unwrap().insert(key, bytes.to_vec());
    }
}

#[test]
fn parts_from_a_store_are_those_of_the_text_and_bytes_of_another_form_are_parsed_again() {
    let code = CodeBase::new(Arc::new(MemoryFiles::new(TREE)));
    let walk = code.files().walk(WalkLimits::default());
    let kept = Kept::default();
    let parse = |version: &str| {
        let request = TreeParse { store: Some(&kept), digest_version: version, ..TreeParse::default() };
        let tree = code.parse_all(&walk, &request, |file| file.text.to_owned());
        format!("{:?} {:?}", tree.files, tree.dependencies)
    };
    let plain = code.parse_all(&walk, &TreeParse::default(), |file| file.text.to_owned());
    let plain = format!("{:?} {:?}", plain.files, plain.dependencies);
    assert_eq!(parse("1"), plain);
    assert_eq!(kept.0.lock().unwrap().len(), 4);
    assert_eq!(parse("1"), plain);
    assert_eq!(kept.0.lock().unwrap().len(), 4);
    kept.0.lock().unwrap().values_mut().for_each(|bytes| *bytes = vec![0xff; 30]);
    assert_eq!(parse("1"), plain);
    assert_eq!(parse("2"), plain);
    assert_eq!(kept.0.lock().unwrap().len(), 8, "another version has keys of its own");
}

#[test]
fn a_snapshot_shows_a_file_as_it_was_first_read() {
    let (_home, root) = tree(&[("a.md", "old"), ("b.rs", "fn old() {}"), ("c.md", "kept")]);
    let folder = root.absolute().to_owned();
    let files = Snapshot::new(Arc::new(root));
    let read =
        |path: &str| files.read_text(&files.path(path.as_ref()).unwrap()).map_err(|error| error.to_string());
    assert_eq!(read("missing.md"), Err("`missing.md` does not exist".to_owned()));
    assert_eq!((read("a.md"), read("b.rs")), (Ok("old".to_owned()), Ok("fn old() {}".to_owned())));
    for (path, text) in [("a.md", "new"), ("b.rs", "fn new() {}"), ("missing.md", "new")] {
        fs::write(folder.join(path), text).unwrap();
    }
    assert_eq!(read("a.md"), Ok("old".to_owned()));
    assert!(read("b.rs").is_err_and(|error| error.contains("it changed while the tree was read")));
    assert!(read("missing.md").is_err());
    fs::write(folder.join("b.rs"), "fn old() {}").unwrap();
    assert_eq!(read("b.rs"), Ok("fn old() {}".to_owned()));
    fs::remove_file(folder.join("c.md")).unwrap();
    assert!(read("c.md").is_err());
}
