//! The rules that explore without a model: what they state of repositories in four languages, under which budgets, and that it is
//! there.

mod facts;
mod fixtures;
pub(crate) mod kit;
pub(crate) mod names;
mod statements;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stategraph::repo::MemoryFiles;
use stategraph::workflows::doc_phases::memory::{
    ComponentSummary, CrossCuttingConcern, DataModel, EntryAuthor, EntryType, FileRole, MemoryEntry,
};
use stategraph::workflows::doc_phases::phase::{Operation, Phase, PhaseBudget};

use self::kit::Exploration;
use self::names::missing;

fn explored(files: &[(&str, &str)]) -> Exploration {
    let mut found = Exploration::new(Arc::new(MemoryFiles::new(files.iter().copied())));
    found.explore();
    assert_eq!(found.failures(), Vec::<String>::new());
    assert_eq!(missing(&found.code, &found.memory), Vec::<String>::new());
    found
}

fn entry<E: MemoryEntry + Clone>(found: &Exploration, id: &str) -> E {
    let all = found.memory.entries::<E>();
    let known: Vec<String> = all.iter().map(|entry| entry.id().to_owned()).collect();
    all.into_iter().find(|entry| entry.id() == id).unwrap_or_else(|| panic!("no {id} in {known:?}"))
}

fn boundaries(found: &Exploration) -> Vec<String> {
    let all = found.overview().component_boundaries;
    all.iter().map(|(id, paths)| format!("{id}: {}", paths.join(" "))).collect()
}

fn dependencies(found: &Exploration) -> Vec<String> {
    let all = found.memory.entries::<ComponentSummary>();
    let edges = all.iter().flat_map(|entry| {
        entry.dependencies.iter().map(|used| format!("{} -> {used}", entry.component_id)).collect::<Vec<_>>()
    });
    edges.collect()
}

fn fields(model: &DataModel) -> Vec<String> {
    model.fields.iter().map(|field| format!("{}: {}", field.name, field.kind)).collect()
}

fn ties(model: &DataModel) -> Vec<String> {
    model.relationships.iter().map(|tie| format!("{} {}", tie.relation_type, tie.target_model)).collect()
}

#[test]
fn a_crate_is_described_by_its_facts() {
    // DOC-92, 102, 103, 129
    let found = explored(fixtures::RUST);
    let overview = found.overview();
    assert_eq!(
        (overview.system_name.as_str(), overview.purpose.as_str()),
        ("shop", "Takes orders and keeps them.")
    );
    assert_eq!(
        overview.entry_points,
        ["src/bin/export.rs: program export", "src/lib.rs: library shop", "src/main.rs: program shop"]
    );
    assert_eq!(
        boundaries(&found),
        [
            "bin: src/bin",
            "model: src/model",
            "shop: src/config.rs src/lib.rs src/main.rs",
            "store: src/store src/store.rs"
        ]
    );
    assert!(
        overview.tech_stack.contains(&"Rust (9 files, 8 of them in components)".to_owned())
            && overview.tech_stack.contains(&"serde 1".to_owned())
    );
    assert!(!overview.tech_stack.iter().any(|needed| needed.contains("proptest")), "what only tests need");
    assert_eq!(overview.architectural_style, "A library and 2 programs.");
    assert!(overview.key_abstractions[0].starts_with("Order: named in "), "{:?}", overview.key_abstractions);
    assert_eq!(
        dependencies(&found),
        ["bin -> shop", "bin -> store", "shop -> store", "store -> model", "store -> shop"]
    );
}

#[test]
fn a_component_has_its_interface_its_users_and_its_patterns() {
    // DOC-76, 103; DOC-93
    let found = explored(fixtures::RUST);
    let store: ComponentSummary = entry(&found, "store");
    assert_eq!(store.responsibility, "Keeps orders.");
    assert_eq!(
        (store.root_path.as_str(), store.dependents),
        ("src/store", vec!["bin".to_owned(), "shop".into()])
    );
    assert_eq!(entry::<ComponentSummary>(&found, "shop").root_path, "src");
    let open = store.public_interfaces.iter().find(|found| found.name == "open").unwrap();
    assert_eq!(
        (open.kind.as_str(), open.signature.as_str(), open.description.as_str()),
        ("function", "pub fn open(path: &str) -> Result<Store, StoreError>", "Opens a store.")
    );
    let methods = store.public_interfaces.iter().filter(|found| found.kind == "method");
    let methods: Vec<&str> = methods.map(|found| found.name.as_str()).collect();
    assert_eq!(methods, ["Store::add"], "what is private is no interface");
    let role: FileRole = entry(&found, "src/store.rs");
    assert_eq!((role.component.as_str(), role.layer.as_str()), ("store", "implementation"));
    assert_eq!(role.imports_from, ["src/model/mod.rs", "src/store/journal.rs"]);
    let class = role.key_classes.iter().find(|class| class.name == "Store").unwrap();
    assert_eq!(
        (class.purpose.as_str(), &class.methods[..]),
        ("Orders on disk.", &["add".to_owned(), "sync".into()][..])
    );
    let model: ComponentSummary = entry(&found, "model");
    assert_eq!(model.design_patterns_used, ["Builder: OrderBuilder", "Iterator: Lines"]);
}

#[test]
fn data_models_have_fields_types_and_ties() {
    // DOC-94
    let found = explored(fixtures::RUST);
    let order: DataModel = entry(&found, "model.Order");
    assert_eq!((order.model_type.as_str(), order.file_path.as_str()), ("struct", "src/model/mod.rs"));
    assert_eq!(fields(&order), ["id: u64", "lines: Vec<Line>", "state: State"]);
    assert_eq!(order.fields[0].description, "Its number.");
    assert_eq!(ties(&order), ["has many Line", "implements Priced", "has State"]);
    let state: DataModel = entry(&found, "model.State");
    assert_eq!(fields(&state), ["Open: ", "Paid: { by: String }", "Sent: (u32)"]);
}

#[test]
fn concerns_are_found_with_their_files_and_components() {
    // DOC-96, 104, 129
    let found = explored(fixtures::RUST);
    let errors: CrossCuttingConcern = entry(&found, "error-handling");
    assert_eq!(
        (&errors.files_involved[..], &errors.components_affected[..]),
        (&["src/store.rs".to_owned()][..], &["store".to_owned()][..])
    );
    assert_eq!(errors.key_abstractions, ["StoreError"]);
    assert!(errors.description.ends_with("most of them in `src/store.rs`."), "{}", errors.description);
    let configuration: CrossCuttingConcern = entry(&found, "configuration");
    assert_eq!(configuration.files_involved, ["src/config.rs"]);
    let tests: CrossCuttingConcern = entry(&found, "testing");
    assert!(tests.files_involved.contains(&"tests/all.rs".to_owned()));
    let concerns = found.memory.all(EntryType::CrossCutting).len();
    assert_eq!(concerns, 3, "what does not show is no concern");
    let greps =
        found.asked.iter().filter(|(phase, call)| *phase == Phase::CrossCutting && call.tool == "grep");
    let patterns: BTreeSet<String> =
        greps.clone().map(|(_, call)| call.arguments["pattern"].to_string()).collect();
    assert_eq!((greps.count(), patterns.len()), (10, 10), "no search is made twice");
}

#[test]
fn a_python_package_is_described_by_its_facts() {
    // DOC-92 to 94, 102, 103
    let found = explored(fixtures::PYTHON);
    let overview = found.overview();
    assert_eq!(overview.purpose, "A shop.");
    assert_eq!(
        overview.entry_points,
        [
            "src/shop/cli.py: program shop, function main",
            "src/shop/__init__.py: package shop",
            "src/shop/__main__.py: run as python -m shop"
        ]
    );
    assert_eq!(
        boundaries(&found),
        [
            "orders: src/shop/orders",
            "shop: src/shop/__init__.py src/shop/__main__.py src/shop/cli.py",
            "web: src/shop/web"
        ]
    );
    assert_eq!(dependencies(&found), ["shop -> web", "web -> orders"]);
    let order: DataModel = entry(&found, "orders.Order");
    assert_eq!(fields(&order), ["number: int", "lines: list[Line]"]);
    assert_eq!(ties(&order), ["extends Base", "has many Line"]);
    let orders: ComponentSummary = entry(&found, "orders");
    assert_eq!(orders.responsibility, "What customers order.");
    assert!(orders.public_interfaces.iter().any(|found| found.signature == "def total(order: Order) -> int"));
}

#[test]
fn an_npm_package_is_described_by_its_facts() {
    // DOC-92 to 94, 102, 103
    let found = explored(fixtures::TYPESCRIPT);
    let overview = found.overview();
    assert_eq!(overview.entry_points, ["bin/shop.js: program shop", "src/index.ts: package shop"]);
    assert_eq!(boundaries(&found), ["api: src/api", "bin: bin", "db: src/db", "shop: src/index.ts"]);
    assert_eq!(dependencies(&found), ["api -> db", "bin -> shop", "shop -> api"]);
    let client: ComponentSummary = entry(&found, "db");
    assert!(client.public_interfaces.iter().any(|found| found.name == "Client" && found.kind == "class"));
    let row: DataModel = entry(&found, "db.Row");
    assert_eq!(
        (row.model_type.as_str(), fields(&row)),
        ("interface", vec!["id: number".to_owned(), "tags: string[]".into()])
    );
}

#[test]
fn a_module_of_go_is_described_by_its_facts() {
    // DOC-92 to 94, 102, 103
    let found = explored(fixtures::GO);
    let overview = found.overview();
    assert_eq!(
        (overview.system_name.as_str(), &overview.entry_points[..]),
        ("shop", &["cmd/server/main.go: program server, function main".to_owned()][..])
    );
    assert_eq!(boundaries(&found), ["cmd: cmd", "model: internal/model", "store: internal/store"]);
    assert_eq!(dependencies(&found), ["cmd -> store", "store -> model"]);
    let order: DataModel = entry(&found, "model.Order");
    assert_eq!(
        (fields(&order), ties(&order)),
        (vec!["ID: int".to_owned(), "Lines: []Line".into()], vec!["has many Line".to_owned()])
    );
    let store: ComponentSummary = entry(&found, "store");
    assert_eq!(store.responsibility, "Package store keeps orders.");
}

#[test]
fn a_workspace_is_its_packages_and_a_large_one_its_modules() {
    // DOC-102, 107
    let modules: Vec<(String, String)> =
        (0..45).map(|n| (format!("core/src/m{n:02}/mod.rs"), format!("pub fn f{n}() {{}}\n"))).collect();
    let mut files: Vec<(&str, &str)> = vec![
        ("Cargo.toml", "[workspace]\nmembers = [\"core\", \"cli\"]"),
        ("core/Cargo.toml", "[package]\nname = \"core-lib\""),
        ("core/src/lib.rs", "pub mod m00;\n"),
        ("cli/Cargo.toml", "[package]\nname = \"cli\"\n[dependencies]\ncore-lib = { path = \"../core\" }"),
        ("cli/src/main.rs", "use core_lib::m00::f0;\nfn main() { f0() }\n"),
    ];
    files.extend(modules.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let found = explored(&files);
    let ids: Vec<String> = found.overview().component_boundaries.into_keys().collect();
    assert!(
        ids.contains(&"cli".to_owned())
            && ids.contains(&"m00".to_owned())
            && ids.contains(&"others".to_owned()),
        "{ids:?}"
    );
    assert_eq!(ids.len(), 40);
    assert!(found.overview().tech_stack.contains(&"Rust (47 files)".to_owned()));
    assert!(
        found.overview().architectural_style.starts_with("2 packages in one repository: cli and core-lib; ")
    );
    let paths = found.overview().component_boundaries;
    let covered = |path: &str| {
        paths.values().flatten().any(|place| path == place || path.starts_with(&format!("{place}/")))
    };
    assert!(
        files.iter().filter(|(path, _)| path.contains("/src/")).all(|(path, _)| covered(path)),
        "every file has its component"
    );
}

#[test]
fn what_the_budget_does_not_reach_lowers_the_confidence_and_is_said() {
    // DOC-39 to 43, 49: the kit refuses any call beyond a budget
    let files: Vec<(String, String)> =
        (0..60).map(|n| (format!("src/big/f{n:02}.rs"), format!("pub fn f{n}() {{}}\n"))).collect();
    let mut list: Vec<(&str, &str)> = vec![
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("src/lib.rs", "mod big;"),
        ("src/small/mod.rs", "//! Small.\n"),
    ];
    list.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let found = explored(&list);
    let (big, small): (ComponentSummary, ComponentSummary) = (entry(&found, "big"), entry(&found, "small"));
    assert_eq!(big.explored_files.len(), 28, "ten outlines, eighteen of twenty reads");
    assert!(
        big.responsibility.contains("60 files") && big.responsibility.contains("28 of them seen"),
        "{}",
        big.responsibility
    );
    assert!(big.confidence < 0.6 && small.confidence > 0.9, "{} {}", big.confidence, small.confidence);
}

#[test]
fn a_phase_without_any_budget_ends_with_what_listings_show() {
    // DOC-44, 132: nothing is asked that would be refused
    let mut found = Exploration::new(Arc::new(MemoryFiles::new(fixtures::RUST.iter().copied())));
    let none = PhaseBudget {
        max_files_read: 0,
        max_grep_calls: 0,
        max_symbols_calls: 0,
        max_memory_queries: Some(0),
        max_cross_component_queries: Some(0),
    };
    found.budgets = Phase::ALL.map(|phase| (phase, none)).into();
    let ended = found.explore();
    assert_eq!(found.failures(), Vec::<String>::new());
    assert_eq!(missing(&found.code, &found.memory), Vec::<String>::new());
    assert_eq!(boundaries(&found).len(), 4, "the tree alone tells the components");
    assert!(ended.iter().all(|ended| Operation::ALL.iter().all(|operation| ended.used.of(*operation) == 0)));
    assert!(found.overview().confidence < 0.7);
    assert!(ended.iter().all(|ended| ended.is_whole), "what a budget forbids is not left open");
}

#[test]
fn few_rounds_and_few_calls_end_too() {
    // DOC-19, 20, 29
    for (limit, calls_per_round) in [(1, 5), (2, 1), (3, 1), (8, 2), (30, 1), (3, 50)] {
        let mut found = Exploration::new(Arc::new(MemoryFiles::new(fixtures::PYTHON.iter().copied())));
        (found.limit, found.calls_per_round) = (limit, calls_per_round);
        let first = found.phase(Phase::ArchitectureDiscovery, None);
        assert!(first.rounds <= limit);
        let overviews = found.memory.all(EntryType::Architecture);
        if limit <= 2 {
            assert_eq!(
                (first.is_whole, overviews.len()),
                (false, 0),
                "nothing was looked at, so nothing is said"
            );
        } else if limit == 3 {
            assert!(!first.is_whole && overviews[0].entry.confidence() <= 0.5, "there was one round to look");
        }
        if limit > 1 && !found.memory.all(EntryType::Architecture).is_empty() {
            let components = found.components();
            for task in components {
                found.phase(Phase::ComponentDeepDive, Some(task));
            }
        }
        found.phase(Phase::CrossCutting, None);
        found.phase(Phase::DocumentationGeneration, None);
        assert_eq!(
            missing(&found.code, &found.memory),
            Vec::<String>::new(),
            "{limit} rounds of {calls_per_round}"
        );
    }
}

#[test]
fn an_empty_repository_has_no_components_and_one_that_is_no_code_neither() {
    // DOC-134
    for files in [&[][..], &[("README.md", "# Notes\n\nOn tea.\n"), ("a/b.txt", "x")]] {
        let found = explored(files);
        assert_eq!(
            (found.overview().component_boundaries.len(), found.memory.all(EntryType::Component).len()),
            (0, 0)
        );
        assert_eq!(
            found.overview().purpose,
            if files.is_empty() { "No source files were found." } else { "On tea." }
        );
        assert_eq!(found.overview().architectural_style, "No source files were found.");
        assert!(found.overview().confidence < 0.2);
    }
}

#[test]
fn hostile_names_and_texts_are_passed_over_or_told_as_they_are() {
    // ENG-19, DOC-97
    let found = explored(&[
        ("Cargo.toml", "[package\nname"),
        (
            "package.json",
            "{\"name\": \"@scope/na\\nme\", \"main\": \"../../etc/passwd\", \"bin\": {\"x\": \"/etc/passwd\"}}",
        ),
        ("src/line\nbreak.rs", "pub fn f() {}"),
        ("src/[glob]*/mod.rs", "pub struct S { a: u8 }"),
        ("src/a b/mod.rs", "pub fn g("),
        ("src/lib.rs", "//! ```\n//! # [x](y `\npub mod broken;\nimpl<T for {}"),
        ("src/con/mod.rs", "pub struct S { b: u8 }\npub struct S { c: u8 }"),
    ]);
    let ids: Vec<String> = found.overview().component_boundaries.into_keys().collect();
    assert_eq!(ids, ["-glob--", "a-b", "con", "scope-na-me"]);
    assert_eq!(found.overview().entry_points, ["src/lib.rs: library @scope/na me"]);
}

#[test]
fn the_same_repository_is_told_in_the_same_words_in_any_order() {
    // ENG-18, DOC-91, 126: run again, every entry is there already in the same words
    let told = |found: &Exploration| -> BTreeMap<String, String> {
        let all = EntryType::ALL.iter().flat_map(|kind| found.memory.all(*kind));
        all.map(|record| {
            (format!("{} {}", record.entry.entry_type(), record.entry.id()), record.to_value().to_string())
        })
        .collect()
    };
    let first = explored(fixtures::TYPESCRIPT);
    let mut second = Exploration::new(Arc::new(MemoryFiles::new(fixtures::TYPESCRIPT.iter().copied())));
    second.phase(Phase::ArchitectureDiscovery, None);
    for task in second.components().into_iter().rev() {
        second.phase(Phase::ComponentDeepDive, Some(task));
    }
    second.phase(Phase::CrossCutting, None);
    assert_eq!(told(&first), told(&second));
    second.next_run();
    second.explore();
    let stored = second.asked.iter().filter(|(_, answered)| answered.tool == "store_discovery");
    let changed: Vec<&str> = stored
        .map(|(_, answered)| answered.content.as_str())
        .filter(|said| !said.contains("same words"))
        .collect();
    assert_eq!(changed, Vec::<&str>::new());
}

#[test]
fn a_name_that_does_not_exist_is_found_out() {
    // The checker itself: whatever an entry may name wrongly.
    let found = explored(fixtures::RUST);
    let last = EntryAuthor::phase(3);
    let mut store: ComponentSummary = entry(&found, "store");
    store.public_interfaces[0].name = "invented".into();
    store.dependencies.push("nowhere".into());
    found.memory.store_as(&last, store).unwrap();
    let mut order: DataModel = entry(&found, "model.Order");
    order.fields[0].name = "price".into();
    order.relationships[0].target_model = "Customer".into();
    found.memory.store_as(&last, order).unwrap();
    let mut role: FileRole = entry(&found, "src/store.rs");
    role.key_functions[0].name = "close".into();
    found.memory.store_as(&last, role).unwrap();
    assert_eq!(
        missing(&found.code, &found.memory),
        [
            "store: nothing defines `invented`",
            "store: no component `nowhere`",
            "`src/store.rs` does not define `close`",
            "model.Order: no field `price` of `Order`",
            "model.Order: nothing defines `Customer`",
        ]
    );
}
