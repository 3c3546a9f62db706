//! What the rules count and follow: the types that are named most, lists that do not name everything, what calls lead to.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use std::path::Path;
use std::sync::Arc;

use stategraph::repo::{
    Files, Listing, MemoryFiles, PathError, ReadError, ReadProblem, RepoPath, Search, Walk, WalkLimits,
    tally, unread,
};
use stategraph::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataModel, FileRole, RuntimeFlow, WrittenBy,
};
use stategraph::workflows::doc_phases::writer::{DocumentOptions, Format, write_documents};

use super::kit::Exploration;
use super::{entry, explored, fixtures};

fn steps(found: &Exploration) -> Vec<String> {
    let flows = found.memory.entries::<RuntimeFlow>();
    let steps = flows.iter().flat_map(|flow| &flow.steps);
    steps.map(|step| format!("{} > {}: {}", step.component, step.next, step.action)).collect()
}

#[test]
fn the_most_named_types_come_first_and_public_ones_before_the_others() {
    // DOC-92
    let uses = |name: &str, lines: usize| format!("fn f(x: {name}) {{}}\n").repeat(lines);
    let code = format!(
        "pub struct Often;\npub(crate) struct Inner;\npub trait Seldom {{}}\nimpl Seldom for Often {{\n    type Error = Often;\n}}\n{}{}{}",
        uses("Often", 5),
        uses("Inner", 9),
        uses("Elsewhere", 20)
    );
    // `Oftener` is another name, and what only tests define is not the program's.
    let other = "//! Often, said once.\nuse crate::{Often, Oftener};\npub type Result<T> = std::result::Result<T, Often>;\n";
    let tests = format!("struct Helper;\n{}", uses("Helper", 30));
    let found = explored(&[
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("src/lib.rs", &code),
        ("src/other.rs", other),
        ("tests/all.rs", &tests),
    ]);
    let expected = [
        "Often: named in 11 lines of 2 files",
        "Seldom: named in 2 lines of 1 file",
        "Inner: named in 10 lines of 1 file",
    ];
    assert_eq!(found.overview().key_abstractions, expected);
    let files = found.code.files();
    let counted = tally(&**files, &Search::new(r"(?-iu)\bOften\b")).unwrap();
    assert_eq!((counted.counts[0].lines, counted.counts[0].files), (11, 2), "as a search counts them");
}

#[test]
fn types_are_found_in_each_language() {
    // DOC-92
    let named = |files: &[(&str, &str)]| -> Vec<String> {
        let all = explored(files).overview().key_abstractions;
        all.iter().map(|said| said.split(':').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(named(fixtures::PYTHON), ["Order", "Base", "Line"]);
    assert_eq!(named(fixtures::TYPESCRIPT), ["Client", "Row"]);
    assert_eq!(named(fixtures::GO), ["Order", "Line", "Store"]);
    assert_eq!(
        named(&[(
            "a.js",
            "function View(name) {}\nexports.View = View;\nclass Route extends View {}\nnew Route();\n"
        )]),
        ["View", "Route"]
    );
    assert_eq!(
        named(&[(
            "a.c",
            "typedef struct {\n  int a;\n} list_t;\nstruct node {\n  list_t all;\n};\nvoid f(struct node *n);\n"
        )]),
        ["list_t", "node"]
    );
}

#[test]
fn lists_that_do_not_name_everything_say_how_many_more_there_are() {
    // DOC-118
    let functions: String = (0..40).map(|n| format!("pub fn f{n:02}() {{}}\n")).collect();
    let types: String = (0..60).map(|n| format!("pub struct T{n:02} {{ pub a: u8 }}\n")).collect();
    let methods: String = (0..17).map(|n| format!("    pub fn m{n:02}(&self) {{}}\n")).collect();
    let fields: String = (0..45).map(|n| format!("    pub a{n:02}: u8,\n")).collect();
    let code = format!("{types}{functions}impl T00 {{\n{methods}}}\n");
    let errors: Vec<(String, String)> = (0..35)
        .map(|n| {
            (
                format!("src/e{n:02}.rs"),
                format!("pub enum E{n:02}Error {{ A }}\nimpl std::error::Error for E{n:02}Error {{}}\n"),
            )
        })
        .collect();
    let mut files = vec![("Cargo.toml", "[package]\nname = \"a\""), ("src/lib.rs", code.as_str())];
    files.extend(errors.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let found = explored(&files);
    let role: FileRole = entry(&found, "src/lib.rs");
    let more = |name: &str| role.more.get(name).copied();
    assert_eq!((role.key_exports.len(), more("key_exports")), (15, Some(85)));
    assert_eq!((role.key_functions.len(), more("key_functions")), (15, Some(25)));
    assert_eq!((role.key_classes.len(), more("key_classes")), (15, Some(45)));
    assert_eq!((role.key_classes[0].methods.len(), more("T00.methods")), (15, Some(2)));
    let component: ComponentSummary = entry(&found, "a");
    assert_eq!((component.key_files.len(), component.more["key_files"]), (10, 26));
    assert_eq!(
        (component.public_interfaces.len(), component.more.contains_key("public_interfaces")),
        (120, true)
    );
    let concern: CrossCuttingConcern = entry(&found, "error-handling");
    let files = concern.files_involved.len() + concern.more["files_involved"];
    assert_eq!((files, concern.key_abstractions.len() + concern.more["key_abstractions"]), (35, 35));
    let home = tempfile::tempdir().expect("a temporary folder");
    let documents = DocumentOptions { format: Format::Md, written_by: WrittenBy::Rules };
    write_documents(&found.memory, home.path(), &documents).expect("writable");
    let page = std::fs::read_to_string(home.path().join("components/a.md")).expect("a page");
    for said in ["and 2 more", "- and 26 more", "more functions are not in this list"] {
        assert!(page.contains(said), "{said} in {page}");
    }
    let found = explored(&[("src/lib.rs", &format!("pub struct Wide {{\n{fields}}}\n"))]);
    let wide = found.memory.entries::<DataModel>().remove(0);
    assert_eq!((wide.fields.len(), wide.more["fields"]), (40, 5));
    write_documents(&found.memory, home.path(), &documents).expect("writable");
    let models = std::fs::read_to_string(home.path().join("DATA_MODELS.md")).expect("a page");
    assert!(models.contains("and 5 more fields."), "{models}");
}

#[test]
fn what_a_program_calls_when_it_starts_is_followed_through_the_components() {
    // DOC-95, 113
    let found = explored(fixtures::RUST);
    assert_eq!(steps(&found), ["shop > store: main (src/main.rs) calls open (src/store.rs)"]);
    let flow = found.memory.entries::<RuntimeFlow>().remove(0);
    assert_eq!(
        (flow.flow_name.as_str(), flow.trigger.as_str()),
        ("Start of program shop", "program shop is started")
    );
    assert_eq!(flow.components_involved, ["shop", "store"]);
    assert_eq!(
        steps(&explored(fixtures::PYTHON)),
        [
            "shop > shop: src/shop/__main__.py calls main (src/shop/cli.py)",
            "shop > web: main (src/shop/cli.py) calls run (src/shop/web/app.py)",
            "shop > web: main (src/shop/cli.py) calls run (src/shop/web/app.py)",
        ]
    );
    assert_eq!(
        steps(&explored(fixtures::TYPESCRIPT)),
        ["bin > shop: bin/shop.js calls start (src/index.ts)"]
    );
    assert_eq!(
        steps(&explored(fixtures::GO)),
        ["cmd > store: main (cmd/server/main.go) calls Open (internal/store/store.go)"]
    );
}

#[test]
fn a_program_of_c_is_not_called_after_its_file() {
    let found = explored(&[
        ("Makefile", "PROG = socks\nall:\n\tcc -o $(PROG) server.c\n"),
        (
            "server.c",
            "static void add(void) {\n}\n\nint main(int argc, char **argv) {\n\tadd();\n\treturn 0;\n}\n",
        ),
    ]);
    let overview = found.memory.entries::<ArchitectureOverview>().remove(0);
    assert_eq!(overview.entry_points, ["server.c: a program, function main"]);
    assert_eq!(overview.architectural_style, "1 program, no library.");
}

#[test]
fn calls_that_names_do_not_tell_are_no_steps() {
    // DOC-95: nothing is guessed
    let found = explored(&[
        ("Cargo.toml", "[package]\nname = \"shop\""),
        (
            "src/main.rs",
            "mod inner;\nuse inner::Store;\nuse inner::gone as other;\n\nfn main() {\n    let store = Store::open();\n    store.close();\n    other();\n    helper();\n    inner::missing();\n    std::process::exit(1);\n}\n\nfn helper() {\n    helper();\n    inner::deep();\n}\n",
        ),
        (
            "src/inner/mod.rs",
            "mod store;\npub use store::Store;\npub fn gone() {}\npub fn deep() {\n    store::shut();\n}\n",
        ),
        (
            "src/inner/store.rs",
            "pub struct Store;\nimpl Store {\n    pub fn open() -> Self {\n        Self\n    }\n    pub fn close(&self) {}\n}\npub fn shut() {}\n",
        ),
    ]);
    assert_eq!(
        steps(&found),
        [
            "shop > inner: main (src/main.rs) calls Store::open (src/inner/store.rs)",
            "shop > shop: main (src/main.rs) calls helper (src/main.rs)",
            "shop > inner: helper (src/main.rs) calls deep (src/inner/mod.rs)",
            "inner > inner: deep (src/inner/mod.rs) calls shut (src/inner/store.rs)",
        ]
    );
    assert_eq!(
        explored(&[("src/lib.rs", "pub fn f() { g() }\nfn g() {}\n")]).memory.entries::<RuntimeFlow>(),
        []
    );
}

/// A tree in which some files cannot be opened.
struct Locked(MemoryFiles, &'static str);

impl Locked {
    fn check(&self, path: &RepoPath) -> Result<(), ReadError> {
        if !path.to_string().contains(self.1) {
            return Ok(());
        }
        let problem = ReadProblem::Unreadable { reason: "Permission denied (os error 13)".into() };
        Err(ReadError { path: path.to_string(), problem })
    }
}

impl Files for Locked {
    fn repo_path(&self) -> &Path {
        self.0.repo_path()
    }

    fn path(&self, typed: &Path) -> Result<RepoPath, PathError> {
        self.0.path(typed)
    }

    fn open<'a>(&'a self, path: &RepoPath) -> Result<Box<dyn std::io::Read + Send + 'a>, ReadError> {
        self.check(path)?;
        self.0.open(path)
    }

    fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        self.0.size(path)
    }

    fn read_text(&self, path: &RepoPath) -> Result<String, ReadError> {
        self.check(path)?;
        self.0.read_text(path)
    }

    fn entries(&self, path: &RepoPath) -> Result<Listing, ReadError> {
        self.0.entries(path)
    }

    fn walk(&self, limits: WalkLimits) -> Walk {
        self.0.walk(limits)
    }
}

#[test]
fn files_without_permission_are_counted_named_and_lower_the_confidence() {
    // DOC-12, DOC-32, DOC-76
    let locked: Vec<(String, String)> =
        (0..7).map(|n| (format!("src/locked{n}.rs"), format!("pub fn f{n}() {{}}\n"))).collect();
    let mut list = vec![
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("src/lib.rs", "pub fn f() {}\n"),
        ("locked.txt", "x"),
    ];
    list.extend(locked.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let files = Arc::new(Locked(MemoryFiles::new(list), "locked"));
    let said = unread(&*files, &files.walk(WalkLimits::default()));
    let named = (0..4).map(|n| format!("src/locked{n}.rs (Permission denied (os error 13))"));
    let named: Vec<String> =
        ["locked.txt (Permission denied (os error 13))".to_owned()].into_iter().chain(named).collect();
    assert_eq!(said, [format!("8 files cannot be read: {} and 3 more", named.join(", "))]);
    let mut found = Exploration::new(files);
    found.memory.remember_tree(&found.code).expect("writable");
    found.explore();
    assert_eq!(found.memory.left_out(), said);
    let component: ComponentSummary = entry(&found, "a");
    assert!(
        component.responsibility.contains("8 files") && component.responsibility.contains("1 of them seen"),
        "{component:?}"
    );
    assert!(component.confidence < 0.4, "{}", component.confidence);
    assert!(
        found.overview().tech_stack.contains(&"Rust (8 files)".to_owned()),
        "{:?}",
        found.overview().tech_stack
    );
}

#[test]
fn a_folder_with_more_files_than_a_listing_shows_is_known_whole() {
    // DOC-68, DOC-92, DOC-102
    let mut files = vec![("package.json".to_owned(), r#"{"name": "many", "main": "f1040.js"}"#.to_owned())];
    files.extend((0..1_050).map(|n| (format!("f{n:04}.js"), format!("exports.f{n} = () => {n};\n"))));
    let list: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = explored(&list);
    let overview = found.overview();
    assert_eq!(overview.entry_points, ["f1040.js: package many"]);
    assert!(overview.tech_stack.contains(&"JavaScript (1050 files)".to_owned()), "{:?}", overview.tech_stack);
    let component: ComponentSummary = entry(&found, "many");
    assert!(component.responsibility.contains("1050 files"), "{}", component.responsibility);
    assert_eq!(component.key_files.len() + component.more["key_files"], 1_050);
}

#[test]
fn what_is_compiled_from_source_that_is_there_is_no_part() {
    // DOC-102, DOC-107
    let found = explored(&[
        ("package.json", r#"{"name": "a", "main": "./v4/a.js", "types": "./v4/a.d.ts"}"#),
        ("src/v4/a.ts", "export class A {}\n"),
        ("v4/a.js", "export class A {}\n"),
        ("v4/a.d.ts", "export declare class A {}\n"),
        ("src/b.ts", "export class B {}\n"),
        ("src/b.js", "export class B {}\n"),
        ("src/c.js", "export class C {}\n"),
    ]);
    let parts: Vec<String> = found.overview().component_boundaries.into_values().flatten().collect();
    assert!(!parts.iter().any(|part| part == "v4" || part.starts_with("v4/")), "{parts:?}");
    let explored_files: Vec<String> = found
        .memory
        .entries::<ComponentSummary>()
        .into_iter()
        .flat_map(|entry| entry.explored_files)
        .collect();
    assert_eq!(explored_files, ["src/b.ts", "src/c.js", "src/v4/a.ts"], "{parts:?}");
    let stack = found.overview().tech_stack;
    assert!(stack.contains(&"JavaScript (3 files, 1 of them in components)".to_owned()), "{stack:?}");
}
