//! The catalogue of tools that know code, as a model calls them.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use stategraph_agent::{Priority, ToolFailure, ToolOutput, Toolbox};
use stategraph_code_tools::{ANSWER_CHARS, CodeTools, TOOLS, toolbox};
use stategraph_llm::ToolCall;
use stategraph_repo::Root;
use stategraph_testing::put;
use tempfile::TempDir;

const SHOP: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"shop\"\ndescription = \"Sells things to people\"\n"),
    ("README.md", "# Shop\n\nShop sells things.\n\n```sh\ncargo test --workspace\n```\n"),
    ("src/lib.rs", "mod order;\npub use order::Order;\n"),
    (
        "src/order.rs",
        "//! Orders and their states.\n\n/// An order of one customer.\npub struct Order {\n    number: u64,\n}\n\nimpl Order {\n    /// Closes it.\n    pub fn close(self) -> u64 {\n        self.number\n    }\n}\n",
    ),
    ("src/pay/card.rs", "use crate::Order;\npub fn pay(order: Order) -> u64 { order.close() }\n"),
];

fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
    let (home, folder) = stategraph_testing::tree(files);
    (home, Root::open(&folder).expect("it was just made"))
}

async fn run(tools: &Toolbox, name: &str, arguments: Value) -> ToolOutput {
    let call = ToolCall { id: "1".into(), name: name.into(), arguments: arguments.to_string() };
    tools.call(&call).await
}

async fn call(root: &Root, name: &str, arguments: Value) -> ToolOutput {
    run(&toolbox(root), name, arguments).await
}

/// Checks the answer of a tool on the shop.
#[track_caller]
fn check(name: &str, arguments: Value, answer: &str) {
    let (_home, root) = tree(SHOP);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let output = runtime.block_on(call(&root, name, arguments));
    assert_eq!(output, ToolOutput::ok(answer), "{name}");
}

#[test]
fn files_are_found_by_keywords() {
    // CTX-41
    check(
        "search_for_files",
        json!({ "keywords": ["order", "card"] }),
        "src/order.rs  (name: order; text: order)\nsrc/pay/card.rs  (name: card; text: order)\nsrc/lib.rs  (text: order)\n(3 files)",
    );
    check("search_for_files", json!({ "keywords": ["zebra"] }), "no file has one of these words");
}

#[test]
fn lines_are_found_with_a_line_around_them() {
    // CTX-41
    check(
        "grep_in_files",
        json!({ "pattern": "fn pay", "path": "src/pay" }),
        "src/pay/card.rs-1- use crate::Order;\nsrc/pay/card.rs:2: pub fn pay(order: Order) -> u64 { order.close() }\n(1 lines in 1 files)",
    );
}

#[test]
fn a_file_is_outlined_and_one_definition_of_it_read() {
    // CTX-52, 53, 56
    check(
        "read_symbol",
        json!({ "path": "src/order.rs", "name": "Order.close" }),
        "src/order.rs:10-12\n    pub fn close(self) -> u64 {\n        self.number\n    }",
    );
    check(
        "get_file_outline",
        json!({ "path": "src/pay/card.rs" }),
        "src/pay/card.rs (rust, 2 lines)\nimports: crate::Order\n2: pub fn pay(order: Order) -> u64",
    );
}

#[test]
fn lines_are_read_by_number_and_references_by_name() {
    // CTX-42, 54
    check(
        "read_lines",
        json!({ "path": "src/lib.rs", "first": 2, "last": 9 }),
        "`src/lib.rs`, lines 2 to 2 of 2:\npub use order::Order;",
    );
    check(
        "find_references",
        json!({ "symbol": "pay", "scope": "src" }),
        "src/pay/card.rs:2: [definition] pub fn pay(order: Order) -> u64 { order.close() }\n(1 lines in 1 files)",
    );
}

#[test]
fn every_fact_ends_in_its_source() {
    check(
        "facts",
        json!({ "kind": "command", "text": "CARGO test" }),
        "test of .: cargo test --workspace  README.md:6-6\n(1 facts)",
    );
    check(
        "facts",
        json!({ "kind": "purpose", "subject": "src/order.rs" }),
        "file of src/order.rs: Orders and their states.  src/order.rs:1-1\ntype of src/order.rs Order: An order of one customer.  src/order.rs:3-3\n(2 facts)",
    );
    check(
        "facts",
        json!({ "kind": "purpose", "subject": "Order", "limit": 1 }),
        "type of src/order.rs Order: An order of one customer.  src/order.rs:3-3\n(1 facts)",
    );
    check("facts", json!({ "kind": "route" }), "no file states such facts of the kind `route`");
}

#[tokio::test]
async fn refused_missing_and_senseless_arguments_are_messages() {
    // CTX-45, ENG-17
    let (home, root) = tree(SHOP);
    put(home.path(), "secret.rs", b"fn key() {}");
    symlink("../secret.rs", root.absolute().join("link.rs")).expect("a link");
    let with_path = |path: &str| {
        [
            ("get_file_outline", json!({ "path": path })),
            ("read_symbol", json!({ "path": path, "name": "key" })),
            ("read_lines", json!({ "path": path, "first": 1, "last": 2 })),
            ("read_file", json!({ "path": path })),
            ("grep_in_files", json!({ "path": path, "pattern": "key" })),
            ("find_references", json!({ "scope": path, "symbol": "key" })),
            ("list_directory", json!({ "path": path })),
        ]
    };
    for path in ["../secret.rs", "/etc/passwd", "link.rs"] {
        for (name, arguments) in with_path(path) {
            let output = call(&root, name, arguments).await;
            assert_eq!(output.failure, Some(ToolFailure::Refused), "{name} {path}: {}", output.content);
        }
    }
    for (name, arguments, part) in [
        ("read_lines", json!({ "path": "nowhere.rs", "first": 1, "last": 2 }), "does not exist"),
        ("read_lines", json!({ "path": "src/lib.rs", "first": 9, "last": 2 }), "9"),
        ("get_file_outline", json!({ "path": "README.md" }), "read_file shows it"),
        ("read_symbol", json!({ "path": "src/order.rs", "name": "clos" }), "did you mean `close`?"),
        ("grep_in_files", json!({ "pattern": "(" }), "hint"),
        ("search_for_files", json!({ "keywords": [" "] }), "no keyword"),
        ("facts", json!({ "kind": "wishes" }), "the kinds are project, target"),
    ] {
        let output = call(&root, name, arguments).await;
        assert!(!output.is_success() && output.content.contains(part), "{name}: {}", output.content);
    }
}

#[tokio::test]
async fn lines_have_the_numbers_that_a_model_cites() {
    let (_home, root) = tree(&[("a.txt", "one\n\nthree\n")]);
    let tools = CodeTools::new(root).with_line_numbers().toolbox();
    let whole = run(&tools, "read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(whole.content, "1 | one\n2 | \n3 | three");
    let part = run(&tools, "read_lines", json!({ "path": "a.txt", "first": 2, "last": 9 })).await;
    assert_eq!(part.content, "`a.txt`, lines 2 to 3 of 3:\n2 | \n3 | three");
}

#[test]
fn the_catalogue_has_its_priorities() {
    // CTX-80, 81, 82
    let (_home, root) = tree(SHOP);
    let tools = CodeTools::new(root).toolbox();
    let mut names: Vec<&str> = tools.specs().iter().map(|spec| spec.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, TOOLS);
    let of = |wanted: Priority| -> Vec<&str> {
        names.iter().copied().filter(|name| tools.priority(name) == wanted).collect()
    };
    assert_eq!(of(Priority::High), ["facts", "get_file_outline", "grep_in_files", "search_for_files"]);
    assert_eq!(of(Priority::Medium), ["find_references", "list_directory", "read_lines", "read_symbol"]);
    assert_eq!(of(Priority::Low), ["read_file"]);
}

#[tokio::test]
async fn answers_have_a_bound() {
    // CTX-85
    let long: String =
        (0..5_000).map(|number| format!("/// A function.\npub fn f{number}(order: u64) {{}}\n")).collect();
    let long = long.as_str();
    let (_home, root) = tree(&[("src/lib.rs", long), ("Cargo.toml", "[package]\nname = \"long\"\n")]);
    for (name, arguments) in [
        ("get_file_outline", json!({ "path": "src/lib.rs" })),
        ("read_lines", json!({ "path": "src/lib.rs", "first": 1, "last": 500 })),
        ("grep_in_files", json!({ "pattern": "order", "max_results": 1_000_000 })),
        ("find_references", json!({ "symbol": "order" })),
        ("facts", json!({ "kind": "edge", "limit": 1_000_000 })),
    ] {
        let output = call(&root, name, arguments).await;
        let length = output.content.chars().count();
        assert!(output.is_success() && length <= ANSWER_CHARS + 100, "{name}: {length} characters");
    }
}
