//! The sources of facts from manifests: the line of the very entry, and the file with a version. Roles and conditions of such facts.

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

fn shown(files: &[(&str, &str)], kind: FactKind) -> Vec<String> {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let line = |fact: &Fact| {
        let value = match &fact.value {
            FactValue::Project { name, version, shape, .. } => {
                let shape = shape.map_or("-".into(), |it| format!("{it:?}"));
                let text = |it: &Option<String>| it.clone().unwrap_or("-".into());
                format!("{} {} {shape}", text(name), text(version))
            }
            FactValue::Target { target, name, .. } => format!("{target:?} {name} {:?}", fact.role),
            FactValue::Dependency { name, requirement, scope } => {
                format!("{scope:?} {name} {}", requirement.as_deref().unwrap_or("-"))
            }
            FactValue::Setting { name, .. } => name.clone(),
            FactValue::Command { command, .. } => command.clone(),
            other => format!("{other:?}"),
        };
        let places: Vec<String> = fact.sources.iter().map(ToString::to_string).collect();
        format!("{value} [{}]", places.join(" "))
    };
    facts.of_kind(kind).map(line).collect()
}

#[test]
fn a_dependency_has_the_line_of_its_own_table() {
    let cargo = "[package]\nname = \"a\"\n\n[dependencies]\nx = \"1\"\n\n[target.'cfg(unix)'.build-dependencies]\nx = \"2\"\n\n[dev-dependencies.y]\nversion = \"3\"\n\n[[bin]]\nname = \"a\"\npath = \"src/cli.rs\"\n";
    let files = [("Cargo.toml", cargo), ("src/lib.rs", ""), ("src/cli.rs", "fn main() {}\n")];
    assert_eq!(
        shown(&files, FactKind::Dependency),
        ["Runtime x 1 [Cargo.toml:5]", "Build x 2; cfg(unix) [Cargo.toml:8]", "Dev y 3 [Cargo.toml:10]"]
    );
    assert_eq!(
        shown(&files, FactKind::Target),
        ["Library a Runtime [src/lib.rs:1]", "Program a Runtime [Cargo.toml:14]"]
    );
    let npm = "{\n\"name\": \"a\",\n\"scripts\": {\"x\": \"x\"},\n\"devDependencies\": {\n\"x\": \"2\"\n},\n\"dependencies\": {\n\"x\": \"1\"\n}\n}";
    assert_eq!(
        shown(&[("package.json", npm)], FactKind::Dependency),
        ["Runtime x 1 [package.json:8]", "Dev x 2 [package.json:5]"]
    );
    let python = "[project]\nname = \"shop\"\ndependencies = [\n  \"till>=1\",\n]\n[project.urls]\nTill = \"https://till.org\"\n[project.optional-dependencies]\nfast = [\n  \"till-x>=2; python_version < '3.11'\",\n  \"till>=3\",\n]\n";
    assert_eq!(
        shown(&[("pyproject.toml", python)], FactKind::Dependency),
        [
            "Runtime till >=1 [pyproject.toml:4]",
            "Optional till >=3 [pyproject.toml:11]",
            "Optional till-x >=2; python_version < '3.11' [pyproject.toml:10]"
        ]
    );
}

#[test]
fn a_quoted_command_is_what_its_script_does_and_one_about_another_project_is_left_out() {
    let purposes = |files: &[(&str, &str)]| -> Vec<String> {
        let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
        let purpose = |fact: &Fact| match &fact.value {
            FactValue::Command { purpose, command, .. } => format!("{purpose:?} {command}"),
            other => format!("{other:?}"),
        };
        facts.of_kind(FactKind::Command).map(purpose).collect()
    };
    let package = "{\n\"name\": \"a\",\n\"scripts\": { \"dev\": \"vitest dev\" }\n}";
    let guide = "# Work\n\n```sh\nnpm run dev\n```\n";
    let found = purposes(&[("package.json", package), ("AGENTS.md", guide)]);
    assert!(!found.is_empty() && found.iter().all(|it| it == "Test npm run dev"), "{found:?}");
    let project = "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>\n";
    let readme =
        "# A\n\n```sh\ndotnet run --project Targets -- test\ndotnet run --project src -- test\n```\n";
    let found = purposes(&[("src/A.csproj", project), ("README.md", readme)]);
    assert_eq!(found, ["Run dotnet run --project src -- test"]);
    let guide = "# A\n\n```sh\ndotnet run\ncd src && dotnet run\n```\n";
    assert_eq!(purposes(&[("src/A.csproj", project), ("CONTRIBUTING.md", guide)]), ["Run dotnet run"]);
}

#[test]
fn an_item_of_a_list_is_no_extra() {
    let text = "[project]\nname = \"shop\"\n[project.optional-dependencies]\ndocs = [\n  \"shop[fast]\",\n  \"sphinx==8.1.3\",\n  \"pyyaml==6.0.2\", # for all\n]\nfast = [\"x\"]\n";
    assert_eq!(
        shown(&[("pyproject.toml", text)], FactKind::Setting),
        ["docs [pyproject.toml:4]", "fast [pyproject.toml:9]"]
    );
    let readme =
        "# Shop\n\n```sh\npip install shop\npip install shop[fast]\npip install \"shop[slow]\"\n```\n";
    assert_eq!(
        shown(&[("pyproject.toml", text), ("README.md", readme)], FactKind::Command),
        ["pip install shop [README.md:4]", "pip install shop[fast] [README.md:5]"]
    );
}

#[test]
fn the_name_of_a_module_of_maven_is_its_artifact() {
    let text = "<project>\n<name>shop of things</name>\n<description>shop is a Java library of things.</description>\n<artifactId>shop</artifactId>\n<version>1</version>\n<build><plugins><plugin><artifactId>j</artifactId><executions><execution><configuration><classifier>examples</classifier><archive><mainClass>org.x.examples.Sell</mainClass></archive></configuration></execution></executions></plugin></plugins></build>\n</project>";
    let files = [
        ("pom.xml", text),
        ("src/main/java/org/x/Shop.java", "package org.x;\n"),
        ("src/main/java/org/x/examples/Sell.java", "package org.x.examples;\n"),
    ];
    assert_eq!(shown(&files, FactKind::Project), ["shop 1 Library [pom.xml:4-5]"]);
    assert_eq!(shown(&files, FactKind::Target), [""; 0]);
}

#[test]
fn a_version_of_another_file_has_that_file_as_a_source() {
    let files = [
        ("pyproject.toml", "[project]\nname = \"shop\"\ndynamic = [\"version\"]\n"),
        ("shop/__init__.py", "\"\"\"A shop.\"\"\"\n__version__ = \"1.2\"\n"),
    ];
    assert_eq!(shown(&files, FactKind::Project), ["shop 1.2 Library [pyproject.toml:2 shop/__init__.py:2]"]);
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies]\nx = \"1\"\n"),
        ("a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nx.workspace = true\n"),
        ("a/src/lib.rs", ""),
    ];
    assert_eq!(shown(&files, FactKind::Dependency), ["Runtime x 1 [a/Cargo.toml:4 Cargo.toml:4]"]);
}

#[test]
fn an_option_of_cmake_has_one_line_and_a_call_its_own() {
    let text = "PROJECT(shop C)\n\noption(SHOP_TILL \"Build the till\" ON)\n\nADD_EXECUTABLE(x x.c)\nTARGET_LINK_LIBRARIES(x shop)\n";
    let files = [("CMakeLists.txt", text), ("x.c", "")];
    assert_eq!(shown(&files, FactKind::Setting), ["SHOP_TILL [CMakeLists.txt:3]"]);
    assert_eq!(shown(&files, FactKind::Project), ["shop - Program [CMakeLists.txt:1]"]);
    assert_eq!(shown(&files, FactKind::Target), ["Program x Runtime [CMakeLists.txt:5]"]);
}

#[test]
fn an_entry_that_is_not_there_is_no_library() {
    let text = "{\n\"name\": \"shop\",\n\"main\": \"index.js\"\n}";
    assert_eq!(shown(&[("package.json", text)], FactKind::Target), [""; 0]);
    let built = "{\n\"name\": \"shop\",\n\"main\": \"dist/index.js\"\n}";
    let files = [("package.json", built)];
    assert_eq!(shown(&files, FactKind::Target), ["Library shop Runtime [package.json:3]"]);
}

#[test]
fn a_program_of_go_is_called_as_its_build_calls_it() {
    let files = [
        ("go.mod", "module example.org/shop\n"),
        ("README.md", "# Shop\n\nShop is a small, self-hosted order manager.\n"),
        ("Makefile", "BIN := shop\n\nbuild:\n\tgo build -o ${BIN} ./cmd\n"),
        ("cmd/main.go", "package main\n\nfunc main() {}\n"),
        ("models/order.go", "package models\n"),
    ];
    assert_eq!(shown(&files, FactKind::Project), ["example.org/shop - Program [go.mod:1]"]);
    assert_eq!(shown(&files, FactKind::Target), ["Program shop Runtime [cmd/main.go:3 Makefile:4]"]);
}

#[test]
fn the_configuration_that_vitest_reads_makes_vite_no_build_tool() {
    let config = (
        "vite.config.ts",
        "import { defineConfig } from \"vitest/config\";\nexport default defineConfig({});\n",
    );
    let tools = |package: &str| shown(&[("package.json", package), config], FactKind::Tool);
    assert!(
        !tools("{\"name\": \"a\", \"devDependencies\": {\"vitest\": \"3\"}}")
            .iter()
            .any(|it| it.contains("\"vite\""))
    );
    assert!(
        tools("{\"name\": \"a\", \"devDependencies\": {\"vite\": \"6\"}}")
            .iter()
            .any(|it| it.contains("\"vite\""))
    );
}

#[test]
fn what_stands_behind_a_quotation_is_not_joined_to_what_stands_before_it() {
    let readme = "# Shop\n\nIt sells all books.\n\n## Why is it?\n\nPeople ask this question often, in letters and on the phone.\n\n> Books are good.\n\nThe name of the shop is changed by a variable.\n";
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new([("README.md", readme)]))));
    let texts: Vec<&Vec<String>> = facts
        .of_kind(FactKind::Topic)
        .filter_map(|fact| if let FactValue::Topic { text, .. } = &fact.value { Some(text) } else { None })
        .collect();
    assert!(texts.iter().any(|text| text.iter().any(|line| line.contains("often"))), "{texts:?}");
    assert!(!texts.iter().any(|text| text.iter().any(|line| line.contains("variable"))), "{texts:?}");
}
