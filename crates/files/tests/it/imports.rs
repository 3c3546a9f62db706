//! The source files of this crate import each other without circles: types are below the code that builds and reads
//! them.

use std::path::Path;

use stategraph_testing::{import_circle, tree};

#[test]
fn no_source_files_import_each_other_in_a_circle() {
    let circle = import_circle(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert_eq!(circle, None, "move an item down, into a file that both can import");
}

fn check(files: &[(&str, &str)], expected: Option<&str>) {
    let (_home, folder) = tree(files);
    assert_eq!(import_circle(&folder).as_deref(), expected, "{files:?}");
}

#[test]
fn a_circle_is_found_through_re_exports_and_paths() {
    let root = ("lib.rs", "mod a; mod b;\npub use a::A;\npub use b::B;");
    let a = ("a.rs", "use crate::B;\npub struct A(B);");
    check(&[root, a, ("b.rs", "pub struct B;")], None);
    check(&[root, a, ("b.rs", "pub struct B; // super::A")], None);
    check(&[root, a, ("b.rs", "pub struct B; const T: &str = \"super::A\";")], None);
    check(&[root, a, ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests { use super::super::A; }")], None);
    let circle = Some("a.rs -> b.rs (B) -> a.rs (A)");
    check(&[root, a, ("b.rs", "pub struct B; fn f<'a>(_: &'a super::A) {}")], circle);
    check(
        &[root, a, ("b.rs", "use super::{a::{self as other}};\npub struct B; fn f(_: other::A) {}")],
        Some("a.rs -> b.rs (B) -> a.rs"),
    );
    check(
        &[
            ("lib.rs", "mod a; mod b;\npub use a::*;\npub use b::*;"),
            a,
            ("b.rs", "use crate::A;\npub struct B;"),
        ],
        circle,
    );
    let folder = [
        ("lib.rs", "mod x;"),
        ("x/mod.rs", "mod a;\npub use a::A;\npub struct X(A);"),
        ("x/a.rs", "use super::X;\npub struct A;"),
    ];
    check(&folder, Some("x/mod.rs -> x/a.rs (A) -> x/mod.rs (X)"));
    let apart = [
        ("lib.rs", "mod x;"),
        ("x/mod.rs", "mod a; mod b;\npub use a::A;\npub use b::X;"),
        ("x/a.rs", "use super::X;\npub struct A;"),
        ("x/b.rs", "pub struct X;"),
    ];
    check(&apart, None);
}
