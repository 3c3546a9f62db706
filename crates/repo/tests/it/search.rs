//! Searching: regular expressions, context, limits after ranking, binary, huge and vanishing files.

use std::fs::File;

use stategraph_repo::{Case, Files, MemoryFiles, Search, search, tally};

use super::{put, tree};

fn shown(files: &dyn Files, request: &Search) -> String {
    search(files, request).unwrap().to_string()
}

#[test]
fn a_search_ignores_case_and_counts_what_it_does_not_show() {
    // DOC-56, 66; CTX-41
    let text = "one\nTwo\nthree two\n".repeat(15);
    let files = MemoryFiles::new([("a.rs", text.as_str()), ("b.md", "two")]);
    let found = search(&files, &Search::new("two")).unwrap();
    assert_eq!((found.hits.len(), found.lines, found.files, found.searched), (20, 31, 2, 2));
    assert!(found.to_string().ends_with("(31 lines in 2 files, 11 not shown)"));
    assert_eq!(found.hits[0].to_string(), "a.rs:2: Two");
    let sensitive = Search { case: Case::Sensitive, ..Search::new("Two") };
    assert_eq!(search(&files, &sensitive).unwrap().lines, 15);
    assert_eq!(shown(&files, &Search::new("absent")), "no matches in 2 files");
}

#[test]
fn limits_come_after_ranking_and_code_comes_first() {
    // CTX-135, 28
    let files = MemoryFiles::new([
        ("a.md", "needle"),
        ("docs/b.txt", "needle"),
        ("src/z.rs", "needle"),
        ("tests/a.rs", "needle"),
        ("x_test.go", "needle"),
    ]);
    let one = Search { limit: 1, ..Search::new("needle") };
    assert_eq!(search(&files, &one).unwrap().hits[0].path, "src/z.rs");
    let all = search(&files, &Search::new("needle")).unwrap();
    let paths: Vec<&str> = all.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["src/z.rs", "tests/a.rs", "x_test.go", "a.md", "docs/b.txt"]);
}

#[test]
fn context_stands_around_a_hit_and_line_numbers_are_right_with_carriage_returns() {
    // DOC-66, CTX-137
    let files = MemoryFiles::new([("a.txt", "1\r\n2\r\n3 x\r\n4\r\n5\r\n6\r\n7 x\r\n")]);
    let request = Search { context: 1, ..Search::new("x$") };
    let expect = "a.txt-2- 2\na.txt:3: 3 x\na.txt-4- 4\na.txt-6- 6\na.txt:7: 7 x\n(2 lines in 1 files)";
    assert_eq!(shown(&files, &request), expect);
}

#[test]
fn extensions_and_folders_narrow_a_search() {
    // DOC-66
    let files = MemoryFiles::new([("a.rs", "x"), ("src/b.rs", "x"), ("src/c.py", "x")]);
    let request = Search { extensions: vec![".rs".into()], under: "src".into(), ..Search::new("x") };
    assert_eq!(shown(&files, &request), "src/b.rs:1: x\n(1 lines in 1 files)");
}

#[test]
fn an_invalid_pattern_is_an_error_with_a_hint() {
    // CTX-134, DOC-66
    let error = search(&MemoryFiles::new([("a", "x")]), &Search::new("foo(")).unwrap_err();
    assert!(error.to_string().starts_with("invalid pattern `foo(`: "), "{error}");
    assert!(error.hint().contains("backslash"));
    let huge = search(&MemoryFiles::new([("a", "x")]), &Search::new("(a{1000}){1000}")).unwrap_err();
    assert!(huge.reason.contains("size limit") || huge.reason.contains("exceeds"), "{huge}");
}

#[test]
fn binary_files_are_skipped_huge_ones_searched_and_long_lines_cut() {
    // CTX-136, DOC-66; ENG-19, 20
    let (_home, root) = tree(&[("a.txt", "needle\n")]);
    put(root.absolute(), "b.bin", b"needle\n\0\x01needle");
    put(
        root.absolute(),
        "min.js",
        format!("{}needle{}", "x".repeat(1_000_000), "é".repeat(1_000)).as_bytes(),
    );
    let sparse = File::create(root.absolute().join("sparse.dat")).unwrap();
    sparse.set_len(2 * 1024 * 1024 * 1024).unwrap();
    let found = search(&root, &Search::new("needle")).unwrap();
    let paths: Vec<&str> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!((paths, found.binary), (vec!["min.js", "a.txt"], 2));
    let line = &found.hits[0].text;
    assert!(line.contains("needle") && line.starts_with('…') && line.ends_with('…'), "{line}");
    assert!(line.chars().count() <= 302);
}

#[test]
fn names_that_are_no_text_are_searched_and_unreadable_files_are_named() {
    // ENG-19
    use std::os::unix::ffi::OsStringExt;
    let (_home, root) = tree(&[("a\nb", "needle"), ("q'\"", "needle")]);
    std::fs::write(root.absolute().join(std::ffi::OsString::from_vec(b"caf\xE9".to_vec())), b"\xE9 needle")
        .unwrap();
    let found = search(&root, &Search::new("needle")).unwrap();
    let shown: Vec<String> = found.hits.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["\"a\\nb\":1: needle", "caf\u{fffd}:1: \u{fffd} needle", "q'\":1: needle"]);
}

#[test]
fn many_threads_give_one_answer() {
    // ENG-18
    let files: Vec<(String, String)> =
        (0..300).map(|n| (format!("d{}/f{n:03}.rs", n % 7), "needle\n".repeat(n % 5))).collect();
    let files = MemoryFiles::new(files);
    let first = search(&files, &Search { limit: 50, ..Search::new("needle") }).unwrap();
    for _ in 0..20 {
        assert_eq!(search(&files, &Search { limit: 50, ..Search::new("needle") }).unwrap(), first);
    }
    assert!(first.hits.is_sorted_by_key(|hit| (hit.path.clone(), hit.line)));
}

#[test]
fn fifteen_hits_with_a_line_of_context_each_and_totals_are_a_search_in_files() {
    // CTX-41, 46: (path, line, text) of each, all counted
    let text = "before\nneedle\nafter\n".repeat(10);
    let files = MemoryFiles::new([("a.rs", text.as_str()), ("b.rs", text.as_str()), ("c.rs", "needle")]);
    let found = search(&files, &Search { context: 1, limit: 15, ..Search::new("needle") }).unwrap();
    assert_eq!((found.hits.len(), found.lines, found.files), (15, 21, 3));
    let last = &found.hits[14];
    assert_eq!((last.path.as_str(), last.line, last.text.as_str()), ("b.rs", 14, "needle"));
    assert_eq!((&last.before[..], &last.after[..]), (&["before".to_owned()][..], &["after".to_owned()][..]));
    let one = Search { under: "b.rs".into(), ..Search::new("needle") };
    assert_eq!(search(&files, &one).unwrap().lines, 10);
}

#[test]
fn a_tally_counts_lines_and_files_of_each_text_and_names_the_most_frequent() {
    // DOC-56: whole identifiers, once a line, as `grep -w` counts them
    let files = MemoryFiles::new([
        ("a.rs", "Order Order\nOrder Line\nOrders\n"),
        ("b.rs", "struct Order;\nstruct Line;\n"),
        ("c.md", "Order"),
        ("d.rs", "Order\0"),
    ]);
    let words = Search { extensions: vec!["rs".into()], ..Search::new(r"(?-iu)\b(?:Order|Line)\b") };
    let found = tally(&files, &words).unwrap();
    assert_eq!(found.to_string(), "Order: 3 lines in 2 files\nLine: 2 lines in 2 files");
    assert_eq!((found.different, found.lines, found.files), (2, 4, 2));
    let groups = Search { limit: 1, ..Search::new(r"(?-iu)struct (\w+)|(nothing)") };
    assert_eq!(tally(&files, &groups).unwrap().to_string(), "Line: 1 line in 1 file\n(1 more)");
    assert_eq!(tally(&files, &Search::new("absent")).unwrap().to_string(), "(no match)");
    assert!(tally(&files, &Search::new("(")).is_err());
}
