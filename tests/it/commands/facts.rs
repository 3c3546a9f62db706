//! `graph facts`: what a code base says of itself, in the terminal and as JSON.

use std::fs;

use serde_json::Value;

use super::kit::{Place, done};

fn shop(place: &Place) {
    let files = [
        (
            "shop/Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"0.2.0\"\ndescription = \"Sells things to people\"\n",
        ),
        ("shop/src/main.rs", "//! Serves the shop.\n\nmod order;\n\nfn main() {\n    order::open();\n}\n"),
        ("shop/src/order.rs", "pub fn open() {}\n"),
        ("shop/.github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: cargo test --locked\n"),
    ];
    for (path, text) in files {
        let path = place.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
}

#[tokio::test]
async fn facts_are_printed_with_their_sources() {
    let place = Place::new();
    shop(&place);
    let printed = done(place.graph(["facts", "shop"])).await.exits(0);
    let rows: Vec<Vec<&str>> = printed
        .out
        .lines()
        .map(|row| row.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect())
        .collect();
    assert!(
        rows.contains(&vec!["test", ".", ".github/workflows/ci.yml:4", "cargo test --locked"]),
        "{}",
        printed.out
    );
    assert!(
        rows.contains(&vec!["build", ".", "Cargo.toml:1 (by convention)", "cargo build"]),
        "{}",
        printed.out
    );
    assert!(
        rows.contains(&vec!["repository", "the repository", "Cargo.toml:4", "Sells things to people"]),
        "{}",
        printed.out
    );
    assert!(rows.contains(&vec!["program", ".", "src/main.rs:1", "shop src/main.rs"]), "{}", printed.out);
    assert!(!printed.out.contains("edge"), "edges are printed on request only: {}", printed.out);
}

#[tokio::test]
async fn json_has_one_fact_a_line() {
    let place = Place::new();
    shop(&place);
    let printed = done(place.graph(["facts", "shop", "--kind", "edge", "--json"])).await.exits(0);
    let facts: Vec<Value> =
        printed.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [declared, named] = &facts[..] else { panic!("{}", printed.out) };
    assert_eq!(declared["subject"], serde_json::json!({ "file": "src/main.rs" }));
    assert_eq!(
        (declared["class"].as_str(), declared["sources"][0]["start"].as_u64()),
        (Some("declared"), Some(3))
    );
    assert_eq!((named["class"].as_str(), named["sources"][0]["start"].as_u64()), (Some("named"), Some(6)));
    assert_eq!(named["to"], "src/order.rs");
}

#[tokio::test]
async fn what_is_no_code_base_is_said() {
    let place = Place::new();
    let missing = done(place.graph(["facts", "nowhere"])).await.exits(2);
    assert!(
        missing.err.contains("nowhere") && missing.err.contains("hint: give the folder"),
        "{}",
        missing.err
    );
    let kind = done(place.graph(["facts", "--kind", "edges"])).await.exits(2);
    assert!(kind.err.contains("invalid value 'edges'") && kind.err.contains("'edge'"), "{}", kind.err);
    let empty = done(place.graph(["facts"])).await.exits(0);
    assert_eq!(empty.out, "");
    assert!(empty.err.contains("no facts"), "{}", empty.err);
}
