//! Changes of the repository, and the components that contain them.

use std::sync::Arc;

use stategraph::repo::Changes;
use stategraph::workflows::doc_phases::memory::*;

use super::memory_kit::*;

/// Mutable files of a repository.
type Tracked = Vec<(&'static str, &'static str)>;

const TREE: &[(&str, &str)] = &[
    ("src/api/mod.rs", "mod api;"),
    ("src/auth/login.rs", "fn login() {}"),
    ("src/auth/logout.rs", "fn logout() {}"),
    ("src/main.rs", "fn main() {}"),
    ("README.md", "# Shop"),
];

fn changed(before: &[(&str, &str)], change: &dyn Fn(&mut Tracked)) -> (Changes, AffectedComponents) {
    let (_home, memory) = memory();
    let code = code_base(before);
    let memory = memory.with_files(Arc::clone(code.files()));
    memory
        .store(ComponentSummary { explored_files: list(&["src/main.rs"]), ..component("auth") })
        .expect("valid");
    memory
        .store(ComponentSummary { explored_files: list(&["src/main.rs"]), ..component("api") })
        .expect("valid");
    memory.store(file("src/auth/login.rs", "auth")).expect("valid");
    memory.remember_tree(&code).expect("written");
    let mut files = TREE.to_vec();
    change(&mut files);
    let changes = memory.changed_files(&code_base(&files));
    let affected = memory.affected_components(&changes);
    (changes, affected)
}

fn components(affected: &AffectedComponents) -> Vec<&str> {
    affected.components.iter().map(String::as_str).collect()
}

// DOC-89, 90
#[test]
fn nothing_changed_is_nothing() {
    let (changes, affected) = changed(TREE, &|_| {});
    assert!(changes.is_empty(), "{changes:?}");
    assert_eq!(affected, AffectedComponents::default());
}

// DOC-90, 91, 127
#[test]
fn one_touched_file_concerns_the_component_that_holds_it() {
    let (changes, affected) = changed(TREE, &|files| files[1].1 = "fn login(name: &str) {}");
    assert_eq!(changes.changed, ["src/auth/login.rs"]);
    assert_eq!(components(&affected), ["auth"]);
    let (changes, affected) = changed(TREE, &|files| files[2].1 = "// nobody described this one");
    assert_eq!(changes.changed, ["src/auth/logout.rs"], "the remembered tree knows it");
    assert_eq!(components(&affected), ["auth"]);
}

// DOC-90
#[test]
fn new_deleted_and_moved_files_are_told_apart() {
    let (changes, affected) = changed(TREE, &|files| {
        files[0].0 = "src/api/lib.rs";
        files.remove(1);
        files.push(("src/auth/token.rs", "struct Token;"));
        files.push(("build.rs", "fn main() { println!(); }"));
    });
    assert_eq!(changes.moved, [("src/api/mod.rs".to_owned(), "src/api/lib.rs".to_owned())]);
    assert_eq!(changes.deleted, ["src/auth/login.rs"]);
    assert_eq!(changes.new, ["build.rs", "src/auth/token.rs"]);
    assert_eq!(components(&affected), ["api", "auth"]);
    assert_eq!(affected.outside.into_iter().collect::<Vec<_>>(), ["build.rs"]);
}

#[test]
fn a_file_in_no_components_folder_concerns_those_that_read_it() {
    let (_, affected) = changed(TREE, &|files| files[3].1 = "fn main() { run() }");
    assert_eq!(components(&affected), ["api", "auth"]);
}

// DOC-90
#[test]
fn described_files_alone_say_what_changed_and_what_is_gone() {
    let (_home, memory) = memory();
    let code = code_base(TREE);
    let memory = memory.with_files(Arc::clone(code.files()));
    memory.store(file("src/auth/login.rs", "auth")).expect("valid");
    memory.store(file("src/main.rs", "")).expect("valid");
    let now = code_base(&[("src/auth/login.rs", "other"), ("src/new.rs", "")]);
    let changes = memory.changed_files(&now);
    assert_eq!((changes.changed, changes.deleted), (list(&["src/auth/login.rs"]), list(&["src/main.rs"])));
    assert!(changes.new.is_empty(), "without a tree nobody knows what is new");
}

#[test]
fn a_killed_update_finds_the_same_changes_again() {
    let (_home, path) = folder();
    let code = code_base(TREE);
    {
        let memory = Memory::open(&path, at(1)).expect("new").with_files(Arc::clone(code.files()));
        memory.store(component("auth")).expect("valid");
        memory.store(file("src/auth/login.rs", "auth")).expect("valid");
        memory.mark_explored("auth").expect("stored");
        memory.remember_tree(&code).expect("written");
    }
    let mut files = TREE.to_vec();
    files[1].1 = "fn login() { changed() }";
    let now = code_base(&files);
    {
        let memory = Memory::open(&path, at(2)).expect("opens");
        let affected = memory.affected_components(&memory.changed_files(&now));
        affected.components.iter().for_each(|id| memory.reopen(id).expect("it is there"));
        memory.remember_tree(&now).expect("written");
        // The run is killed here, before any exploration.
    }
    let memory = Memory::open(&path, at(2)).expect("opens");
    assert_eq!(
        memory.changed_files(&now).changed,
        ["src/auth/login.rs"],
        "the description is as old as it was"
    );
    assert!(memory.index().components_explored.is_empty(), "and the component is still to be explored");
}
