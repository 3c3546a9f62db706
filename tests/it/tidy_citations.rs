//! Every requirement of what is built is cited by the test that tests it: in its body, or right above it. What the opener of a file says
//! counts for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::tidy::{none, root, tests};

/// The requirements that are built, by series and numbers. The dashboard of the debate is not, nor a language server (CTX-50), nor the
/// pages of the exploration in a browser (EXP-47, EXP-73).
const BUILT: &[(&str, &[RangeInclusive<u32>])] = &[
    ("ENG-", &[1..=30]),
    ("ARD-", &[1..=60, 69..=75]),
    ("DOC-", &[1..=134]),
    ("CTX-", &[1..=49, 51..=147]),
    ("EXP-", &[1..=46, 48..=72, 74..=74]),
    ("SEC-", &[1..=198]),
];

/// The numbers of a series that its tests cite, all files together.
fn cited() -> BTreeMap<&'static str, BTreeSet<u32>> {
    let mut cited: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (_, path, text) in tests() {
        if path.file_name().is_some_and(|name| name == "tidy_citations.rs") {
            continue;
        }
        let tests = of_tests(&text);
        for (series, _) in BUILT {
            cited.entry(series).or_default().extend(numbers(&tests, series));
        }
    }
    cited
}

#[test]
fn every_requirement_of_what_is_built_is_cited_by_a_test() {
    let cited = cited();
    let mut missing = Vec::new();
    for (series, ranges) in BUILT {
        let all = ranges.iter().cloned().flatten();
        missing.extend(all.filter(|n| !cited[series].contains(n)).map(|n| format!("{series}{n}")));
    }
    none("these requirements are cited by no test", &missing);
}

#[test]
fn every_requirement_that_is_cited_is_in_the_list() {
    let list = std::fs::read_to_string(root().join("docs/requirements.md")).unwrap();
    let mut missing = Vec::new();
    for (series, cited) in cited() {
        let stands = |n: &u32| list.contains(&format!("\n- **{series}{n}** "));
        missing.extend(cited.iter().filter(|n| !stands(n)).map(|n| format!("{series}{n}")));
    }
    none("docs/requirements.md lacks", &missing);
}

/// The tests of a file: the comments and attributes above each, and its body.
fn of_tests(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut kept, mut at): (Vec<&str>, usize) = (Vec::new(), 0);
    while at < lines.len() {
        let line = lines[at];
        let begins =
            line.trim_start().starts_with("#[test") || line.trim_start().starts_with("#[tokio::test");
        if !begins {
            at += 1;
            continue;
        }
        let is_above = |line: &&&str| {
            let line = line.trim_start();
            (line.starts_with("//") && !line.starts_with("//!")) || line.starts_with("#[")
        };
        kept.extend(lines[..at].iter().rev().take_while(is_above));
        let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        let length = lines[at..].iter().position(|line| *line == end).unwrap_or(lines.len() - at - 1) + 1;
        kept.extend(&lines[at..at + length]);
        at += length;
    }
    kept.join("\n")
}

/// The numbers of a series in a text; `ARD-52..54` and `ARD-52 to 54` are lists of three, `ARD-44, 50` of two.
fn numbers(text: &str, series: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for after in text.split(series).skip(1) {
        let mut rest = after;
        let Some((mut last, tail)) = number(rest) else { continue };
        found.push(last);
        rest = tail;
        loop {
            let (range, tail) = match rest {
                _ if rest.starts_with("..=") => (true, &rest[3..]),
                _ if rest.starts_with("..") => (true, &rest[2..]),
                _ if rest.starts_with(" to ") => (true, &rest[4..]),
                _ if rest.starts_with(", ") => (false, &rest[2..]),
                _ => break,
            };
            let Some((next, tail)) = number(tail.strip_prefix(series).unwrap_or(tail)) else { break };
            let from = if range { last + 1 } else { next };
            found.extend(from..=next);
            (last, rest) = (next, tail);
        }
    }
    found
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[test]
fn only_what_stands_in_or_above_a_test_is_a_citation() {
    let file = "//! ENG-1\n\n/// ENG-2\nfn helper() {\n    // ENG-3\n}\n\n// ENG-4, 5\n#[test]\nfn a() {\n    // ENG-7 to 9\n}\n";
    assert_eq!(numbers(&of_tests(file), "ENG-"), [4, 5, 7, 8, 9]);
}
