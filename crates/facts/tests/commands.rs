//! Commands of small trees, each with its purpose and its source.

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

/// Checks the commands of a tree.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let line = |fact: &Fact| {
        let FactValue::Command { purpose, command, .. } = &fact.value else { return None };
        Some(format!("{purpose:?} {command} [{}]", fact.sources[0]))
    };
    let found: Vec<String> = facts.of_kind(FactKind::Command).filter_map(line).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_call_of_cmake_that_only_configures_is_left_out_beside_one_that_builds() {
    let project = ("CMakeLists.txt", "project(shop C)\nadd_executable(shop shop.c)\n");
    let guide = |script: &'static str| [project, ("INSTALL", script)];
    check(&guide("To build:\n\n  cmake -G Ninja .\n  ninja\n"), &["Build ninja [INSTALL:4]"]);
    check(
        &guide("To build:\n\n  cmake . && make && sudo make install\n"),
        &["Build cmake . && make [INSTALL:3]", "Install sudo make install [INSTALL:3]"],
    );
    check(&guide("To build:\n\n  cmake .\n"), &["Build cmake . [INSTALL:3]"]);
}

#[test]
fn scripts_of_bun_are_run() {
    let files = [
        (
            "package.json",
            "{\n  \"name\": \"shop\",\n  \"scripts\": {\n    \"test\": \"uvu\",\n    \"start\": \"node .\"\n  }\n}\n",
        ),
        ("bun.lockb", ""),
    ];
    check(&files, &["Test bun run test [package.json:4]", "Run bun run start [package.json:5]"]);
}

#[test]
fn newer_package_managers_install_nothing_of_the_project() {
    let guide = "```sh\npython -m pip install -U pip\npip install --upgrade pip setuptools wheel\nuv pip install -U pip\nnpm install -g npm\npip install -U pip shop\nuv pip install -e .\n```\n";
    let files = [("pyproject.toml", "[project]\nname = \"shop\"\n"), ("CONTRIBUTING.md", guide)];
    check(
        &files,
        &[
            "Install pip install -U pip shop [CONTRIBUTING.md:6]",
            "Install uv pip install -e . [CONTRIBUTING.md:7]",
        ],
    );
}
