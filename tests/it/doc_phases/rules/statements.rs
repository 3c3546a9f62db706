//! Statements of the pages that were false of small repositories of every kind: each is true or is not made.

use tempfile::TempDir;

use super::whole::{document, run, tree};

/// Explores the files by rules and writes the pages.
async fn written(files: &[(&str, &str)]) -> TempDir {
    let home = tree(files);
    run(home.path()).await;
    home
}

const MANIFEST: (&str, &str) =
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");

#[tokio::test]
async fn a_function_that_is_called_in_several_branches_has_not_the_condition_of_one() {
    // The calls of functions whose whole code is on the page are not listed.
    let long = "    let _ = 1;\n".repeat(210);
    let code = format!(
        "pub fn plain(a: bool) {{\n    if a {{\n        open();\n    }}\n    open();\n{long}}}\n\n\
        pub fn both(a: bool) {{\n    if a {{\n        open();\n    }} else {{\n        open();\n    }}\n{long}}}\n\n\
        pub fn one(a: bool) {{\n    if a {{\n        open();\n    }}\n{long}}}\n\n\
        pub fn unsure(a: bool, shelf: Shelf) {{\n    if a {{\n        open();\n    }}\n    shelf.open();\n{long}}}\n\n\
        fn open() {{}}\n"
    );
    let home = written(&[MANIFEST, ("src/lib.rs", &code)]).await;
    let page = document(home.path(), "components/shop.md");
    let (_, calls) = page.split_once("## Calls").expect("a section");
    let item = |name: &str| {
        let (_, rest) = calls.split_once(&format!("- `{name}`")).expect("an item");
        rest.split("\n- ").next().unwrap_or_default().split("\n\n").next().unwrap_or_default().to_owned()
    };
    assert!(item("plain").contains(" calls `open` [5]") && !item("plain").contains("if a"), "{calls}");
    assert!(item("both").contains("  - `if a` or else of `if a`: `open` ["), "{calls}");
    assert!(item("one").contains("  - `if a`: `open` ["), "{calls}");
    assert!(item("unsure").contains("  - in branches that are not named: `open` ["), "{calls}");
    assert!(calls.contains("Calls that lead to one definition"), "{calls}");
}

#[tokio::test]
async fn constants_of_go_are_no_variables_and_have_not_the_comment_of_their_group() {
    let home = written(&[
        ("go.mod", "module example.org/shop\n\ngo 1.22\n"),
        (
            "shop.go",
            "package shop\n\nconst (\n\t// man statfs\n\tFIRST = 0xadf5\n\tSECOND = 0xadff\n)\n\n// LAST is one.\nconst LAST = 4\n",
        ),
    ])
    .await;
    let page = document(home.path(), "components/shop.md");
    let (page, code) = page.split_once("## Code").expect("a section");
    assert!(code.contains("FIRST = 0xadf5\nSECOND = 0xadff\n"), "{code}");
    assert!(page.contains("| `FIRST` | value | `FIRST = 0xadf5` |"), "{page}");
    assert!(!page.contains("man statfs") && !page.contains("| variable |"), "{page}");
    assert!(page.contains("LAST is one."), "{page}");
}

#[tokio::test]
async fn classes_of_ruby_have_constants_and_no_fields_and_inner_types_have_whole_names() {
    let home = written(&[
        ("shop.gemspec", "Gem::Specification.new do |spec|\n  spec.name = \"shop\"\n  spec.version = \"1.0\"\nend\n"),
        (
            "lib/shop.rb",
            "module Tea\n  class Shop\n    ERROR = Class.new(StandardError)\n    MATCH = /x/\n\n    # Open it\n    #\n    # @param [Array<String>, String] names\n    #   the names of customers\n    # @param door [Door] the door to open\n    #\n    # @return [self]\n    def open(names, door)\n      write if names\n      write\n    end\n\n    # Do it first.\n    # Otherwise, do it later.\n    def write; end\n  end\nend\n",
        ),
        ("lib/shop/row.rb", "module Tea\n  class Shop\n    class Row\n      def add; end\n    end\n  end\nend\n"),
        ("lib/shop/version.rb", "module Tea\n  class Shop\n    VERSION = \"1.0\"\n  end\nend\n"),
    ])
    .await;
    let folder = home.path().join(".agentic/documentation");
    assert!(!folder.join("DATA_MODELS.md").exists(), "constants are no data");
    let pages: String = std::fs::read_dir(folder.join("components"))
        .expect("pages")
        .map(|page| std::fs::read_to_string(page.expect("a page").path()).expect("text"))
        .collect();
    for said in [
        "`Shop::Row` | class",
        "`Shop::VERSION` | value",
        "# @param [Array<String>, String] names\n  #   the names of customers",
        "# Do it first.\n  # Otherwise, do it later.\n  def write; end",
    ] {
        assert!(pages.contains(said), "{said} in {pages}");
    }
    assert!(!pages.contains("`[Array"), "{pages}");
}

#[tokio::test]
async fn the_index_names_what_its_pages_have_and_no_path_that_is_not_there() {
    let home = written(&[
        MANIFEST,
        ("src/lib.rs", "mod shelf;\npub use shelf::Shelf;\npub fn open() {}\n"),
        ("src/shelf.rs", "pub struct Shelf;\n"),
        (
            "README.md",
            "# Shop\n\nSells tea.\n\n## Benchmarks\n\n```sh\nhyperfine 'shop sell'\n```\n\n## Usage\n\nIt sells. See the section \"Format\" below for more.\n\n```sh\nshop sell tea\n```\n",
        ),
    ])
    .await;
    let index = document(home.path(), "README.md");
    assert!(index.contains("[Entry points](INTERFACE.md): libraries"), "{index}");
    assert!(!index.contains("subcommands") && !index.contains("src/main.rs"), "{index}");
    let (_, example) = index.split_once("## First example").expect("an example");
    let example = example.split("\n## ").next().unwrap_or_default();
    assert!(example.contains("shop sell tea") && example.contains("It sells."), "{index}");
    assert!(!example.contains("hyperfine") && !example.contains("below"), "{index}");
    assert!(index.contains("Its manifest (Cargo) names it `shop`, version `1.0.0`"), "{index}");
    assert!(index.contains("It is a library"), "{index}");
    let interface = document(home.path(), "INTERFACE.md");
    assert!(interface.contains("| Name | Begins in | Source |"), "{interface}");
    assert!(interface.contains("## Re-exported names of `shop`"), "{interface}");
}

#[tokio::test]
async fn a_module_of_the_file_itself_is_no_crate() {
    let home = written(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"sd\", \"xtask\"]\n"),
        ("sd/Cargo.toml", "[package]\nname = \"sd\"\n"),
        ("sd/src/lib.rs", "//! Replaces.\n\npub fn replace() {}\n"),
        ("xtask/Cargo.toml", "[package]\nname = \"xtask\"\n[dependencies]\nsd = { path = \"../sd\" }\n"),
        (
            "xtask/src/main.rs",
            "mod sd {\n    include!(\"../../sd/src/cli.rs\");\n}\nuse sd::Options;\n\nfn main() {}\n",
        ),
        ("gen/sd.sh", "#!/bin/sh\nset_up() {\n  echo\n}\n"),
    ])
    .await;
    let page = document(home.path(), "components/xtask.md");
    assert!(!page.contains("## Dependencies"), "{page}");
    // A folder that would have the name of a crate has that of its path.
    let page = document(home.path(), "components/sd.md");
    assert!(page.contains("**Location:** `sd`"), "{page}");
}

#[tokio::test]
async fn a_python_package_is_told_by_its_own_words() {
    let home = written(&[
        (
            "pyproject.toml",
            "[project]\nname = \"shop\"\nversion = \"1.0\"\n[project.optional-dependencies]\ncli = [\"click\"]\n",
        ),
        ("src/shop/__init__.py", ""),
        ("src/shop/__main__.py", "\"\"\"Entry point for the command line.\"\"\"\n\nfrom .main import sell\n\nsell()\n"),
        ("src/shop/main.py", "def sell():\n    pass\n"),
        ("src/shop/rows.py", "class Row:\n    pass\n"),
        ("tests/test_lib.py", "def check_rows(rows):\n    pass\n"),
        ("tests/test_rows.py", "def test_rows():\n    pass\n"),
    ])
    .await;
    let folder = home.path().join(".agentic/documentation");
    let page = document(home.path(), "components/shop.md");
    let overview =
        page.split("## Overview").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
    assert!(!overview.contains("Entry point for the command line"), "{page}");
    let entries = page.split("### entry point").nth(1).and_then(|rest| rest.split("\n### ").next());
    assert!(
        entries.is_some_and(|rows| rows.contains("__main__.py") && !rows.contains("shop/main.py")),
        "{page}"
    );
    let building = document(home.path(), "BUILDING.md");
    assert!(building.contains("- `tests/test_rows.py`\n"), "{building}");
    assert!(building.contains("- `tests/test_lib.py` defines `check_rows`"), "{building}");
    assert!(folder.join("CONFIGURATION.md").exists());
    let configuration = document(home.path(), "CONFIGURATION.md");
    assert!(
        configuration.contains("Extras\n") && !configuration.contains("Features of the build"),
        "{configuration}"
    );
}

#[tokio::test]
async fn the_flow_of_a_program_names_all_calls_that_lead_to_one_function() {
    let calls = (0..9).map(|at| format!("\tcall{at}()\n")).collect::<Vec<_>>().concat();
    let functions = (0..9).map(|at| format!("func call{at}() {{\n}}\n\n")).collect::<Vec<_>>().concat();
    let main = format!("package main\n\nfunc main() {{\n\tif a() {{\n\t\tcall0()\n\t}}\n{calls}}}\n");
    let home = written(&[
        ("go.mod", "module example.org/shop\n\ngo 1.22\n"),
        ("main.go", main.as_str()),
        ("calls.go", &format!("package main\n\n{functions}")),
    ])
    .await;
    let page = document(home.path(), "ARCHITECTURE.md");
    for at in 0..9 {
        assert!(page.contains(&format!("main (main.go) calls call{at} (calls.go)")), "{at} in {page}");
    }
    assert!(!page.contains("in turn") && !page.contains("in the branch"), "{page}");
}
