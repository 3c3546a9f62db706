//! Every file in `tests/golden/without_rust` and the exact text that a user reads about it. `UPDATE=1` rewrites the texts.

use std::fs;
use std::path::Path;

use stategraph_files::{Definition, Diagnostics};

use super::registry;
use super::texts::{check_places, check_texts, files, name};

/// Reads a graph that needs no Rust, or returns its defects.
fn inline(path: &Path) -> Result<(), Diagnostics> {
    let definition = Definition::parse(fs::read(path).expect("readable"), name(path))?;
    if definition.schema().is_none() {
        return definition.build(&registry()).map(|_| ());
    }
    stategraph_kinds::graph(&definition).map(|_| ())
}

// Issue 3: at least 60 defects of graphs without Rust, each with its golden message.
#[test]
fn every_bad_file_without_rust_is_refused_with_its_text() {
    super::at_the_root();
    let files = files("without_rust");
    assert!(files.len() >= 60, "only {} bad files", files.len());
    check_texts(files, inline);
}

#[test]
fn every_bad_file_says_where_and_what_to_do() {
    super::at_the_root();
    for path in files("without_rust") {
        check_places(&path, &inline(&path).expect_err("a bad file"));
    }
}
