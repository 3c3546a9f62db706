//! The code on pages is the code of files that are tested. A comment with the path stands before each such block; `UPDATE=1` copies the files
//! into the pages.

use std::path::{Path, PathBuf};

const PAGES: [&str; 3] = ["docs/langgraph.md", "docs/migrations.md", "docs/service.md"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the code of a file without the lines that are about the file: its opening comment, and its exception for printing.
fn code_of(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let is_about = |line: &&str| line.starts_with("//!") || line.starts_with("#![allow(");
    let lines: Vec<&str> = text.lines().skip_while(is_about).collect();
    lines.join("\n").trim().to_owned() + "\n"
}

fn fence_of(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|end| end.to_str()) {
        Some("py") => "python",
        Some("json") => "json",
        _ => "rust",
    }
}

/// Returns the page with the code of the files in its blocks, and the paths of those files.
fn with_code(page: &str) -> (String, Vec<String>) {
    let (mut out, mut paths) = (String::new(), Vec::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.extend([line, "\n"]);
        let path = line.strip_prefix("<!-- code: ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some(path) = path else { continue };
        assert_eq!(lines.next(), Some(""), "{path}: a blank line stands between the comment and the block");
        let fence = lines.next().unwrap_or_default();
        assert!(fence.starts_with("```"), "{path}: {fence}");
        assert!(lines.by_ref().any(|line| line == "```"), "{path}: the block ends");
        out.extend(["\n```", fence_of(path), "\n", &code_of(path), "```\n"]);
        paths.push(path.to_owned());
    }
    (out, paths)
}

#[test]
fn the_code_on_pages_is_that_of_tested_files() {
    let mut quoted = Vec::new();
    for name in PAGES {
        let file = root().join(name);
        let page = std::fs::read_to_string(&file).unwrap();
        let (expected, paths) = with_code(&page);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &expected).unwrap();
        } else {
            assert!(page == expected, "{name} differs from the files that it quotes; UPDATE=1 copies them");
        }
        quoted.extend(paths);
    }
    // Every half of the LangGraph page is on it.
    for (folder, skipped) in [("examples/langgraph", "main.rs"), ("tests/real/langgraph", "output.txt")] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            let is_code = [".rs", ".py", ".json"].iter().any(|end| name.ends_with(end)) && name != skipped;
            assert!(!is_code || quoted.contains(&path), "{path} is on no page");
        }
    }
}
