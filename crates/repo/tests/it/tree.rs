//! A tree within limits, the key files, and files by keywords.

use stategraph_repo::limit::SCAN_CHILDREN;
use stategraph_repo::{
    Files, MemoryFiles, NodeKind, Scan, ScanLimits, TreeNode, WalkLimits, find_files, key_files, project,
    scan,
};

use super::tree;

fn drawn(node: &TreeNode, depth: usize) -> String {
    let more = if node.truncated > 0 { format!(" +{}", node.truncated) } else { String::new() };
    let slash = if node.kind == NodeKind::Directory { "/" } else { "" };
    let children: String = node.children.iter().map(|child| drawn(child, depth + 1)).collect();
    format!("{}{}{slash} {}{more}\n{children}", "  ".repeat(depth), node.path, node.size)
}

#[test]
fn a_scan_respects_ignore_rules_and_stops_at_six_levels() {
    // CTX-10, 18: directories first, sizes summed, what is not shown counted; the list of files is whole.
    let files = MemoryFiles::new([
        (".gitignore", "*.log\n"),
        ("x.log", "ignored"),
        ("b.rs", "12"),
        ("a/1/2/3/4/5/6/deep.rs", "1234"),
        ("a/z.rs", "1"),
        ("node_modules/m/i.js", "x"),
    ]);
    let found = scan(&files, ScanLimits::default());
    assert_eq!(
        drawn(&found.tree, 0),
        "./ 7\n  a/ 5\n    a/1/ 4\n      a/1/2/ 4\n        a/1/2/3/ 4\n          a/1/2/3/4/ 4\n            a/1/2/3/4/5/ 4 +1\n    \
         a/z.rs 1\n  b.rs 2\n"
    );
    assert_eq!(found.files, ["a/1/2/3/4/5/6/deep.rs", "a/z.rs", "b.rs"]);
    assert_eq!((found.total_files, found.total_directories), (3, 7));
    assert_eq!(found.left_out.to_string(), "left out: 1 hidden, 1 dependency or build folders");
}

#[test]
fn a_directory_shows_two_hundred_entries_and_says_how_many_more() {
    // CTX-10
    let counted = |count: usize| {
        let files = (0..count).map(|n| (format!("d/{n:04}"), "x"));
        let found = scan(&MemoryFiles::new(files), ScanLimits::default());
        let folder = &found.tree.children[0];
        (folder.children.len(), folder.truncated, found.total_files)
    };
    assert_eq!(counted(SCAN_CHILDREN), (200, 0, 200));
    assert_eq!(counted(SCAN_CHILDREN + 1), (200, 1, 201));
}

#[test]
fn a_scan_is_the_same_on_disk_in_json_and_of_nothing() {
    // CTX-18, 47, 66
    let list = [("src/main.rs", "fn main() {}"), ("src/deep/x", ""), ("line\nbreak", "x")];
    let (_home, root) = tree(&list);
    let memory = scan(&MemoryFiles::new(list), ScanLimits::default());
    assert_eq!(scan(&root, ScanLimits::default()), memory);
    let json = serde_json::to_value(&memory).unwrap();
    assert_eq!(json["tree"]["children"][0]["type"], "directory");
    assert_eq!(json["tree"]["children"][1]["path"], "\"line\\nbreak\"");
    assert_eq!(serde_json::from_value::<Scan>(json).unwrap(), memory);
    let nothing = scan(&MemoryFiles::default(), ScanLimits::default());
    assert_eq!((nothing.tree.children.len(), nothing.total_files), (0, 0));
}

#[test]
fn files_are_ranked_by_names_folders_and_texts_over_the_whole_tree() {
    // CTX-27, 28, 41
    let files = MemoryFiles::new([
        ("a/notes.md", "the Login of users"),
        ("auth/login.rs", "fn login() { token() }"),
        ("auth/other.rs", ""),
        ("tests/login.rs", "login"),
        ("z.rs", "let login = token;"),
        ("unrelated.rs", "nothing"),
    ]);
    let found = find_files(&files, &["LOGIN", "token", " ", "login"], 15);
    let shown: Vec<(&str, usize)> = found.files.iter().map(|file| (file.path.as_str(), file.score)).collect();
    assert_eq!(shown, [("auth/login.rs", 4), ("tests/login.rs", 3), ("z.rs", 2), ("a/notes.md", 1)]);
    let one = find_files(&files, &["login", "token"], 1);
    assert_eq!(one.to_string(), "auth/login.rs  (name: login; text: login, token)\n(4 files, 3 not shown)");
    assert_eq!(find_files(&files, &["auth"], 15).files[1].in_folders, ["auth"]);
    assert_eq!(find_files(&files, &["absent"], 15).to_string(), "no files");
    assert_eq!(find_files(&files, &[""], 15).total, 0);
    assert_eq!(find_files(&files, &["f(n.*"], 15).total, 0, "a keyword is no pattern");
}

#[test]
fn key_files_are_sorted_into_configs_entry_points_and_docs() {
    // CTX-44
    let files = MemoryFiles::new([
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("CHANGELOG.md", ""),
        ("README.md", "# A"),
        ("Dockerfile", ""),
        ("docs/guide.md", ""),
        ("rustfmt.toml", ""),
        ("src/main.rs", ""),
        ("src/other.rs", ""),
        ("web/package.json", "{\"main\":\"gone.js\"}"),
        ("web/vite.config.ts", ""),
    ]);
    let walk = files.walk(WalkLimits::default());
    let found = key_files(&project(&files, &walk), &walk);
    assert_eq!(
        found.to_string(),
        "configs: Cargo.toml, web/package.json, Dockerfile, rustfmt.toml, web/vite.config.ts\nentry points: src/main.rs\n\
         docs: CHANGELOG.md, README.md, docs/guide.md"
    );
}
