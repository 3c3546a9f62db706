//! Whatever the bytes: an answer, not a panic, and soon.

use proptest::prelude::*;
use stategraph_files::{Definition, FILE_MAX};

use super::registry;
use stategraph_testing::cases;

/// A part of the largest file: a debug build is slow.
const SIZE: usize = FILE_MAX / 4;

const GOOD: &str = include_str!("../../../files/tests/golden/good/every_feature.yaml");

const WITHOUT_RUST: &str = include_str!("../../../../graphs/examples/support.yaml");

/// Reads, builds and prints; the printed places must lie in the file.
fn digest(bytes: &[u8]) {
    let read = Definition::parse(bytes, "any.yaml");
    let built = read.and_then(|read| match read.schema() {
        Some(_) => stategraph_kinds::graph(&read).map(|_| ()),
        None => read.build(&registry()).map(|_| ()),
    });
    if let Err(diagnostics) = built {
        assert!(!diagnostics.list().is_empty());
        let printed = diagnostics.to_string();
        assert!(printed.starts_with("error: "), "{printed}");
        for found in diagnostics.list() {
            assert!(found.location.span.end <= bytes.len() * 3 && found.location.line >= 1, "{found:?}");
        }
    }
}

#[derive(Debug, Clone)]
enum Change {
    Remove(usize, usize),
    Insert(usize, String),
    Swap(usize, usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        "[\\[\\]{}:,&*!|>'\"%@`#\\-\\?\t\n\r ~<=.]{1,4}",
        "(START|END|draft|write|null|true|\\.inf|<<|---|\\.\\.\\.|&a|\\*a|\u{feff}|é|0x1F|1e999)",
        "\\PC{1,3}",
    ];
    prop_oneof![
        (any::<usize>(), 1..40usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<usize>(), piece).prop_map(|(at, text)| Change::Insert(at, text)),
        (any::<usize>(), any::<usize>(), 1..30usize).prop_map(|(a, b, length)| Change::Swap(a, b, length)),
    ]
}

fn apply(text: &mut Vec<char>, change: &Change) {
    let length = text.len().max(1);
    match change {
        Change::Remove(at, count) => {
            let at = at % length;
            text.drain(at.min(text.len())..(at + count).min(text.len()));
        }
        Change::Insert(at, piece) => {
            let at = (at % length).min(text.len());
            text.splice(at..at, piece.chars());
        }
        Change::Swap(from, to, count) => {
            let from = from % length;
            let piece: Vec<char> = text.iter().skip(from).take(*count).copied().collect();
            let to = (to % length).min(text.len());
            text.splice(to..to, piece);
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        digest(&bytes);
    }

    #[test]
    fn any_text_is_answered(text in "[a-z\\[\\]{}:,&*!|>'\"%@`#\\-\\?\t\n ]{0,200}") {
        digest(text.as_bytes());
    }

    #[test]
    fn any_change_of_a_good_file_is_answered(changes in proptest::collection::vec(change(), 1..8)) {
        let mut text: Vec<char> = GOOD.chars().collect();
        for change in &changes {
            apply(&mut text, change);
        }
        digest(text.into_iter().collect::<String>().as_bytes());
    }

    #[test]
    fn any_change_of_a_file_without_rust_is_answered(changes in proptest::collection::vec(change(), 1..8)) {
        let mut text: Vec<char> = WITHOUT_RUST.chars().collect();
        for change in &changes {
            apply(&mut text, change);
        }
        digest(text.into_iter().collect::<String>().as_bytes());
    }
}

// The worst files of a size, each made of as much of one thing as possible.
#[test]
fn a_large_file_of_anything_is_answered() {
    let filled = |head: &str, piece: &dyn Fn(usize) -> String| {
        let mut text = head.to_owned();
        for n in 0.. {
            let next = piece(n);
            if text.len() + next.len() > SIZE {
                break;
            }
            text += &next;
        }
        text
    };
    let head = "name: n\nstate: debate\nnodes: { a: { uses: demo.draft } }\nedges:\n";
    let nodes = (0..999)
        .map(|n| format!("  n{n}{}: {{ uses: demo.draft }}\n", "x".repeat(90)))
        .collect::<Vec<_>>()
        .concat();
    let many = format!("name: n\nstate: debate\nnodes:\n{nodes}edges:\n");
    let (unknown, alike) = ("y".repeat(90), "x".repeat(90));
    for text in [
        filled("", &|_| "[".to_owned()),
        filled("", &|_| "{".to_owned()),
        filled("", &|_| "a: ".to_owned()),
        filled("", &|_| "- ".to_owned()),
        filled("", &|_| "\t".to_owned()),
        filled("a: \"", &|_| "\\x".to_owned()),
        filled("", &|n| format!("k{n}: 1\n")),
        filled("", &|_| "k: 1\n".to_owned()),
        filled("x: [", &|_| "1,".to_owned()),
        filled(head, &|n| format!("- {{from: a, to: b{n}}}\n")),
        filled(head, &|_| "- {}\n".to_owned()),
        filled(&many, &|n| format!("- {{from: m{n}{unknown}, to: o{n}{unknown}}}\n")),
        filled(&many, &|n| format!("- {{from: {alike}{n}n, to: {alike}{n}nn}}\n")),
        filled("name: n\nstate: debate\nnodes:\n", &|n| format!("  n{n}: {{ uses: demo.draft }}\n")),
        filled("a: &a [x,x,x,x,x,x,x,x]\nb:\n", &|_| "- *a\n".to_owned()),
        filled("", &|n| format!("k{n}: &a{n} [x]\n")),
        filled("#", &|_| "x".to_owned()),
        filled("? ", &|_| "? ".to_owned()),
        filled("!", &|_| "a".to_owned()),
    ] {
        digest(text.as_bytes());
    }
}
