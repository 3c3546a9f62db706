//! Whole runs without a model over folders on disk: what their reports and their documents say, above all of what was not read.

use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use stategraph::workflows::doc_phases::DocPhases;
use stategraph::workflows::{ArgValues, Workflow as _};
use tempfile::TempDir;

use super::super::entry::{ended, setting};

pub(super) fn tree(files: &[(&str, &str)]) -> TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }
    home
}

/// The lines of the report.
pub(super) async fn run(folder: &Path) -> Vec<String> {
    let prepared = DocPhases.prepare(&ArgValues::nothing(), &setting(folder)).expect("ready");
    ended(prepared).await.1
}

pub(super) fn document(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(".agentic/documentation").join(name)).expect(name)
}

#[tokio::test]
async fn the_report_and_the_index_say_what_was_not_read_and_why() {
    // DOC-12, DOC-32, ENG-21
    let home = tree(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        ("src/lib.rs", "//! A shop.\npub fn open() {}\n"),
        ("src/line\nbreak.rs", "pub fn lost() {}\n"),
        ("src/table.rs", "\0\0"),
        ("node_modules/x/index.js", "x"),
    ]);
    let at = |name: &[u8]| home.path().join("src").join(std::ffi::OsString::from_vec(name.to_vec()));
    std::fs::write(at(b"caf\xE9.rs"), "pub fn cafe() {}\n").expect("a file");
    std::fs::write(at(b"latin.rs"), b"// caf\xE9\npub fn latin() {}\n").expect("a file");
    std::os::unix::fs::symlink("lib.rs", at(b"link.rs")).expect("a link");
    let report = run(home.path()).await;
    let expected = [
        "2 files have names that are no plain text: src/caf\u{fffd}.rs, \"src/line\\nbreak.rs\"",
        "1 source file is not UTF-8: src/latin.rs",
        "1 source file is binary: src/table.rs",
        "1 folder of dependencies or build output is not entered",
        "1 link is not followed",
    ];
    let said: Vec<&str> = report.iter().filter_map(|line| line.strip_prefix("left out: ")).collect();
    assert_eq!(said, expected);
    let index = document(home.path(), "README.md");
    let (_, left_out) = index.split_once("## What was read").expect("a section of its own");
    for (number, why) in
        [("2 files", "no plain text"), ("1 source file", "not UTF-8"), ("1 link", "not followed")]
    {
        assert!(left_out.lines().any(|line| line.contains(number) && line.contains(why)), "{left_out}");
    }
    let architecture = document(home.path(), "ARCHITECTURE.md");
    assert!(architecture.contains("\n- Rust\n"), "{architecture}");
    let component = document(home.path(), "components/shop.md");
    assert!(component.contains("3 files") && component.contains("1 of them seen"), "{component}");
}

#[tokio::test]
async fn a_package_whose_code_lies_in_dist_is_documented() {
    // DOC-102, DOC-103, CTX-16
    let code = "/** Pads a text. */\nfunction pad(text, width) {\n  return text.padStart(width);\n}\nmodule.exports = { pad, limit: 80 };\n";
    let home = tree(&[
        (
            "package.json",
            r#"{"name": "pads", "description": "Pads texts", "main": "./dist/index.js", "types": "./dist/index.d.ts", "bin": {"pad": "dist/cli.js"}}"#,
        ),
        ("dist/index.js", &code.replace("80 };", &format!("80 }};\n// {}", "x".repeat(1_100)))),
        (
            "dist/index.d.ts",
            "export interface Padding {\n  width: number;\n}\nexport declare function pad(text: string, width: number): string;\n",
        ),
        (
            "dist/cli.js",
            "#!/usr/bin/env node\nconst { pad } = require('./index');\nconsole.log(pad('x', 3));\n",
        ),
    ]);
    let report = run(home.path()).await;
    assert!(
        report.iter().any(|line| line.starts_with("memory: 1 architecture, 1 component, ")),
        "{report:?}"
    );
    assert!(!report.iter().any(|line| line.starts_with("left out: ")), "{report:?}");
    let architecture = document(home.path(), "ARCHITECTURE.md");
    for said in [
        "- Program `pad` begins in `dist/cli.js`",
        "- Library `pads` begins in `dist/index.js`",
        "- JavaScript\n",
    ] {
        assert!(architecture.contains(said), "{said} in {architecture}");
    }
    let component = document(home.path(), "components/pads.md");
    assert!(component.contains("`pad`") && component.contains("Pads a text."), "{component}");
    assert!(component.contains("`limit`"), "{component}");
    assert!(architecture.contains("dist/cli.js calls pad (dist/index.js)"), "{architecture}");
}

#[tokio::test]
async fn where_nothing_of_what_a_manifest_names_is_to_be_seen_the_overview_is_not_sure() {
    // DOC-92, CTX-16: `dist` is the output of `src`, whose code is in no language that is read.
    let home = tree(&[
        ("package.json", r#"{"name": "pads", "main": "./dist/index.js"}"#),
        ("README.md", "# Pads\n\nPads texts.\n"),
        ("src/pad.coffee", &"pad = (text, width) -> text.padStart width\n".repeat(40)),
        ("dist/index.js", "x"),
        ("tools/run.sh", "echo\n"),
    ]);
    run(home.path()).await;
    let overview = home.path().join(".agentic/memory/architecture/overview.json");
    let overview: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(overview).expect("it is stored")).expect("JSON");
    assert!(overview["confidence"].as_f64().expect("a number") < 0.5, "{overview}");
}
