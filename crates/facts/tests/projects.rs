//! Projects, targets and dependencies of small trees, one of each ecosystem.

#![allow(clippy::too_many_lines, reason = "a table is read as a whole")]

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts, PathRole};
use stategraph_repo::{CodeBase, MemoryFiles};

fn shown(files: &[(&str, &str)], kind: FactKind) -> Vec<String> {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let line = |fact: &Fact| {
        let value = match &fact.value {
            FactValue::Project { name, shape, .. } => {
                format!(
                    "{} {}",
                    name.as_deref().unwrap_or("-"),
                    shape.map_or("-".into(), |it| format!("{it:?}"))
                )
            }
            FactValue::Target { target, name, entry } => format!("{target:?} {name} {entry}"),
            FactValue::Dependency { name, requirement, scope } => {
                format!("{scope:?} {name} {}", requirement.as_deref().unwrap_or("-"))
            }
            other => format!("{other:?}"),
        };
        format!("{}: {value} [{}]", fact.subject, fact.sources[0])
    };
    facts.of_kind(kind).map(line).collect()
}

#[test]
fn a_go_module_with_programs_in_left_out_folders_is_a_library() {
    let files = [
        ("go.mod", "module example.org/shop/v2\n"),
        ("shop.go", "package shop\n"),
        ("shop_test.go", "package main\nfunc main() {}\n"),
        ("gen.go", "//go:build ignore\n\npackage main\nfunc main() {}\n"),
        ("_examples/a/main.go", "package main\n\nfunc main() {}\n"),
        ("testdata/x/main.go", "package main\nfunc main() {}\n"),
        ("internal/testprog/main.go", "package main\nfunc main() {}\n"),
    ];
    assert_eq!(shown(&files, FactKind::Project), [".: example.org/shop/v2 Library [go.mod:1]"]);
    assert_eq!(
        shown(&files, FactKind::Target),
        [".: Library shop shop.go [shop.go:1]", ".: Example a _examples/a/main.go [_examples/a/main.go:3]"]
    );
    let program = [
        ("go.mod", "module x\n"),
        ("cmd/x/main.go", "package main\nfunc main() {}\n"),
        ("internal/a/a.go", "package a\n"),
    ];
    assert_eq!(shown(&program, FactKind::Project), [".: x Program [go.mod:1]"]);
    assert_eq!(shown(&program, FactKind::Target), [".: Program x cmd/x/main.go [cmd/x/main.go:2]"]);
}

#[test]
fn cargo_finds_targets_by_their_paths_unless_it_is_told_not_to() {
    let files = [
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nautobins = false\n\n[[bin]]\nname = \"tool\"\npath = \"src/tool.rs\"\n\n[[example]]\nname = \"e\"\npath = \"demo/e.rs\"\n\n[workspace]\nmembers = [\"b\"]\n\n[workspace.dependencies]\nserde = \"1\"\n\n[dev-dependencies]\nproptest = { version = \"2\" }\n",
        ),
        ("src/lib.rs", ""),
        ("src/tool.rs", ""),
        ("src/bin/other.rs", ""),
        ("demo/e.rs", ""),
        ("b/Cargo.toml", "[package]\nname = \"b\"\n\n[dependencies]\nserde = { workspace = true }\n"),
        ("b/src/main.rs", ""),
        ("c/Cargo.toml", "[workspace]\nmembers = []\n"),
    ];
    assert_eq!(
        shown(&files, FactKind::Project),
        [".: a Both [Cargo.toml:2]", "b: b Program [b/Cargo.toml:2]", "c: - Workspace [c/Cargo.toml:1]"]
    );
    assert_eq!(
        shown(&files, FactKind::Target),
        [
            ".: Library a src/lib.rs [src/lib.rs:1]",
            ".: Program tool src/tool.rs [Cargo.toml:6]",
            ".: Example e demo/e.rs [Cargo.toml:10]",
            "b: Program b b/src/main.rs [b/src/main.rs:1]"
        ]
    );
    assert_eq!(
        shown(&files, FactKind::Dependency),
        [".: Dev proptest 2 [Cargo.toml:20]", "b: Runtime serde 1 [b/Cargo.toml:5]"]
    );
}

#[test]
fn packages_of_python_are_those_that_the_manifest_installs() {
    let poetry = "[tool.poetry]\nname = \"Corner-Shop\"\n[build-system]\nbuild-backend = \"poetry.core.masonry.api\"\n";
    let with = |manifest: &'static str| {
        [("pyproject.toml", manifest), ("corner_shop/__init__.py", ""), ("core/__init__.py", "")]
    };
    let own = ".: Library corner_shop corner_shop/__init__.py [corner_shop/__init__.py:1]";
    let core = ".: Library core core/__init__.py [core/__init__.py:1]";
    assert_eq!(shown(&with(poetry), FactKind::Target), [own]);
    let listed = "[tool.poetry]\nname = \"corner-shop\"\npackages = [{ include = \"core\" }]\n";
    assert_eq!(shown(&with(listed), FactKind::Target), [core, own]);
    let found = "[project]\nname = \"corner-shop\"\n[tool.setuptools.packages.find]\n";
    assert_eq!(shown(&with(found), FactKind::Target), [core, own]);
    let setup = |packages: &str| {
        let text = format!("setup(\n    name='other',\n    packages={packages},\n)\n");
        let files = [("setup.py", text.as_str()), ("corner_shop/__init__.py", ""), ("core/__init__.py", "")];
        shown(&files, FactKind::Target)
    };
    assert_eq!(setup("find_packages()"), [core, own]);
    assert_eq!(setup("['core', 'core.inner']"), [core]);
    assert_eq!(setup("PACKAGES"), [core, own]);
}

#[test]
fn a_main_file_that_does_not_exist_makes_no_library() {
    let project = |main: &str, more: (&'static str, &'static str)| {
        let text = format!(
            "{{\"name\": \"shop\", \"private\": true, \"main\": \"{main}\", \"bin\": {{\"shop\": \"./server.js\"}}}}"
        );
        shown(&[("package.json", text.as_str()), ("server.js", ""), more], FactKind::Project)
    };
    assert_eq!(project("shop", ("a.js", "")), [".: shop Program [package.json:1]"]);
    assert_eq!(project("shop", ("shop.js", "")), [".: shop Both [package.json:1]"]);
    assert_eq!(project("./dist/shop.js", ("a.js", "")), [".: shop Both [package.json:1]"]);
    assert_eq!(project("shop.js", ("src/shop.ts", "")), [".: shop Both [package.json:1]"]);
}

#[test]
fn the_source_of_a_requirement_is_its_entry_in_its_own_list_and_of_a_project_its_setup() {
    let setup = "import os\n\nsetup(\n    name=meta['name'],\n    tests_require=[\n        'six>=1.8',\n    ],\n    install_requires=[\n        'six>=1.8',\n    ],\n)\n";
    let files =
        [("setup.py", setup), ("setup.cfg", "[bdist_wheel]\nuniversal = 1\n"), ("shop/__init__.py", "")];
    assert_eq!(shown(&files, FactKind::Dependency), [".: Runtime six >=1.8 [setup.py:9]"]);
    assert_eq!(shown(&files, FactKind::Project), [".: - Library [setup.py:3]"]);
}

#[test]
fn a_package_that_exports_only_its_manifest_is_no_library() {
    let shape = |exports: &str| {
        let manifest = format!(
            "{{ \"name\": \"shop\", \"main\": \"index.js\", \"bin\": \"bin.js\", \"exports\": {exports} }}\n"
        );
        shown(&[("package.json", manifest.as_str()), ("index.js", ""), ("bin.js", "")], FactKind::Project)
    };
    let closed = "{ \"./package.json\": \"./package.json\" }";
    assert_eq!(shape(closed), [".: shop Program [package.json:1]"]);
    let open = "{ \".\": \"./index.js\", \"./package.json\": \"./package.json\" }";
    assert_eq!(shape(open), [".: shop Both [package.json:1]"]);
}

#[test]
fn the_source_of_a_name_is_the_call_that_has_it() {
    for (path, text) in [
        ("meson.build", "# shop\n\nproject(\n  'shop',\n  'c',\n)\n\npkg.generate(\n  name : 'shop',\n)\n"),
        ("CMakeLists.txt", "# name shop\n\nproject(\n  shop\n  C)\n"),
    ] {
        let found = shown(&[(path, text)], FactKind::Project);
        assert!(found.iter().all(|it| it.ends_with(&format!("[{path}:3]"))) && found.len() == 1, "{found:?}");
    }
}

#[test]
fn names_of_meson_are_literals() {
    let text = "project('shop', 'c')\nexecutable('till', 'till.c')\nexecutable('test_' + name, 'a.c')\nexecutable('x_@0@'.format(name), 'b.c')\n";
    let files = [("meson.build", text), ("till.c", "")];
    assert_eq!(shown(&files, FactKind::Target), [".: Program till till.c [meson.build:2]"]);
}

#[test]
fn dependencies_of_a_website_that_is_a_program_are_those_of_a_program() {
    for (package, expected) in [("react", PathRole::Runtime), ("vitepress", PathRole::Docs)] {
        let manifest = format!("{{\"name\": \"web\", \"dependencies\": {{\"{package}\": \"1\"}}}}");
        let files = [("website/package.json", manifest.as_str()), ("website/src/a.ts", "let a = 1;\n")];
        let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files))));
        let roles: Vec<PathRole> = facts.of_kind(FactKind::Dependency).map(|fact| fact.role).collect();
        assert_eq!(roles, [expected], "{package}");
    }
}

#[test]
fn a_program_of_go_in_cmd_counts_although_the_name_of_its_binary_is_ignored() {
    let files = [
        ("go.mod", "module example.org/shop\n"),
        (".gitignore", "shop\n"),
        ("shop.go", "package shop\n"),
        ("cmd/shop/main.go", "package main\n\nfunc main() {}\n"),
    ];
    assert_eq!(shown(&files, FactKind::Project), [".: example.org/shop Both [go.mod:1]"]);
}

#[test]
fn of_two_ecosystems_in_one_folder_the_one_with_more_source_files_comes_first() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"1.4.6\"\n"),
        ("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1.0.2\"\n"),
        ("src/lib.rs", "pub fn open() {}\n"),
        ("src/stock.rs", "pub fn take() {}\n"),
        ("tests/test_shop.py", "def test_open():\n    pass\n"),
    ];
    let projects = shown(&files, FactKind::Project);
    assert_eq!(projects.len(), 2, "{projects:?}");
    assert!(projects[0].contains("Cargo.toml") && projects[1].contains("pyproject.toml"), "{projects:?}");
}

#[test]
fn a_configuration_of_typescript_is_a_checker_only_if_a_script_runs_it() {
    for (script, expected) in [("tsc --noEmit", 1), ("tsgo --noEmit", 0)] {
        let manifest = format!("{{\"name\": \"shop\", \"scripts\": {{\"types\": \"{script}\"}}}}\n");
        let files =
            [("package.json", manifest.as_str()), ("tsconfig.json", "{}\n"), ("src/a.ts", "let a = 1;\n")];
        let tools = shown(&files, FactKind::Tool);
        assert_eq!(tools.iter().filter(|it| it.contains("typescript")).count(), expected, "{tools:?}");
    }
}

#[test]
fn functions_of_cmake_make_targets_of_their_files() {
    let text = "project(shop)\nfunction(shop_test file)\n  get_filename_component(name \"${file}\" NAME_WE)\n  add_executable(\"${name}\" \"\")\n  add_test(NAME \"${name}\" COMMAND \"${name}\")\nendfunction(shop_test)\nshop_test(\"db/order.cc\")\nother(\"db/x.cc\")\n";
    let files = [("CMakeLists.txt", text), ("db/order.cc", "")];
    assert_eq!(shown(&files, FactKind::Target), [".: Test order db/order.cc [CMakeLists.txt:7]"]);
}

/// The files of a tree, its projects and its targets.
type Row = (&'static [(&'static str, &'static str)], &'static [&'static str], &'static [&'static str]);

/// Each row: a tree, its projects and its targets.
#[test]
fn every_ecosystem_tells_what_it_builds() {
    let rows: &[Row] = &[
        (
            &[
                (
                    "package.json",
                    "{\n\"name\": \"@x/a\",\n\"exports\": { \".\": { \"import\": \"./dist/index.js\" } },\n\"bin\": { \"a\": \"./cli.js\" }\n}",
                ),
                ("src/index.ts", ""),
                ("cli.js", ""),
            ],
            &[".: @x/a Both [package.json:2]"],
            &[".: Program a cli.js [package.json:4]", ".: Library @x/a src/index.ts [package.json:3]"],
        ),
        (
            &[(
                "package.json",
                "{\"name\": \"site\", \"private\": true, \"devDependencies\": {\"astro\": \"4\"}, \"scripts\": {\"dev\": \"astro dev\"}}",
            )],
            &[".: site Website [package.json:1]"],
            &[],
        ),
        (
            &[
                (
                    "pyproject.toml",
                    "[project]\nname = \"shop\"\n\n[project.scripts]\nshop = \"shop.cli:main\"\n",
                ),
                ("src/shop/__init__.py", "__version__ = \"1\"\n"),
                ("src/shop/__main__.py", ""),
                ("tests/__init__.py", ""),
            ],
            &[".: shop Program [pyproject.toml:2]"],
            &[
                ".: Program shop shop.cli:main [pyproject.toml:5]",
                ".: Program python -m shop src/shop/__main__.py [src/shop/__main__.py:1]",
            ],
        ),
        (
            &[
                (
                    "pyproject.toml",
                    "[project]\nname = \"tasks\"\n\n[project.scripts]\ntasks_run = \"tasks.run:main\"\n",
                ),
                ("tasks/__init__.py", "__version__ = \"1\"\nfrom tasks.api import Queue\n"),
                ("tasks/api.py", "class Queue:\n    pass\n"),
            ],
            &[".: tasks Both [pyproject.toml:2]"],
            &[
                ".: Program tasks_run tasks.run:main [pyproject.toml:5]",
                ".: Library tasks tasks/__init__.py [tasks/__init__.py:1]",
            ],
        ),
        (&[("requirements.txt", "flask\n"), ("app.py", "")], &[], &[]),
        (
            &[
                (
                    "pom.xml",
                    "<project><artifactId>p</artifactId><packaging>pom</packaging><modules><module>a</module></modules></project>",
                ),
                (
                    "a/pom.xml",
                    "<project><artifactId>a</artifactId><build><plugins><plugin><configuration><mainClass>org.x.App</mainClass></configuration></plugin></plugins></build></project>",
                ),
                ("a/src/main/java/org/x/App.java", ""),
            ],
            &[".: p Workspace [pom.xml:1]", "a: a Program [a/pom.xml:1]"],
            &["a: Program App a/src/main/java/org/x/App.java [a/pom.xml:1]"],
        ),
        (
            &[
                ("settings.gradle", "rootProject.name = 'g'\n"),
                (
                    "build.gradle",
                    "plugins {\n  id 'application'\n}\napplication {\n  mainClass = 'org.x.Main'\n}\n",
                ),
                ("src/main/java/org/x/Main.java", ""),
            ],
            &[".: g Program [settings.gradle:1]"],
            &[".: Program Main src/main/java/org/x/Main.java [build.gradle:5]"],
        ),
        (
            &[
                (
                    "a/A.csproj",
                    "<Project Sdk=\"Microsoft.NET.Sdk\">\n<PropertyGroup>\n<OutputType>Exe</OutputType>\n</PropertyGroup></Project>",
                ),
                ("a/Start.cs", "class S { static void Main() {} }"),
                ("b/B.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>"),
            ],
            &["a: A Program [a/A.csproj:1]", "b: B Library [b/B.csproj:1]"],
            &["a: Program A a/Start.cs [a/A.csproj:3]", "b: Library B b/B.csproj [b/B.csproj:1]"],
        ),
        (
            &[
                (
                    "shop.gemspec",
                    "Gem::Specification.new do |s|\n  s.name = 'shop'\n  s.bindir = 'exe'\n  s.executables = %w[shop]\nend\n",
                ),
                ("exe/shop", ""),
                ("lib/shop.rb", ""),
            ],
            &[".: shop Both [shop.gemspec:2]"],
            &[".: Program shop exe/shop [shop.gemspec:4]", ".: Library shop lib/shop.rb [lib/shop.rb:1]"],
        ),
        (
            &[("composer.json", "{\"name\": \"x/shop\",\n\"bin\": [\"bin/shop\"]}"), ("bin/shop", "")],
            &[".: x/shop Both [composer.json:1]"],
            &[".: Program shop bin/shop [composer.json:2]"],
        ),
        (
            &[
                ("CMakeLists.txt", "project(shop)\nadd_library(shop a.c)\nadd_subdirectory(tests)\n"),
                ("a.c", "#ifdef TEST_MAIN\nint main(void) { return 0; }\n#endif\n"),
                ("tests/CMakeLists.txt", "add_executable(t t.c)\n"),
            ],
            &[".: shop Library [CMakeLists.txt:1]"],
            &[".: Library shop a.c [CMakeLists.txt:2]", ".: Test t tests/t.c [tests/CMakeLists.txt:1]"],
        ),
    ];
    for (files, projects, targets) in rows {
        assert_eq!(shown(files, FactKind::Project), *projects);
        assert_eq!(shown(files, FactKind::Target), *targets);
    }
}

/// Returns the versions of the projects of a tree.
fn versions(files: &[(&str, &str)]) -> Vec<String> {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let version = |fact: &Fact| match &fact.value {
        FactValue::Project { version, .. } => version.clone().unwrap_or_else(|| "-".into()),
        other => format!("{other:?}"),
    };
    facts.of_kind(FactKind::Project).map(version).collect()
}

#[test]
fn versions_of_other_files_are_those_that_the_manifest_names() {
    for (files, expected) in [
        (
            vec![
                ("setup.py", "setup(\n    name=\"shop\",\n    version=read(\"shop/version.py\"),\n)\n"),
                ("shop/version.py", "__version__ = \"1.2.3\"\n"),
            ],
            "1.2.3",
        ),
        (
            vec![
                (
                    "pyproject.toml",
                    "[project]\nname = \"shop\"\ndynamic = [\"version\"]\n[tool.hatch.version]\npath = \"src/shop/about.py\"\n",
                ),
                ("src/shop/about.py", "__version__: Final = '2.0'\n"),
                ("src/shop/__init__.py", ""),
            ],
            "2.0",
        ),
        // The history of commits has the version, and no file.
        (
            vec![
                (
                    "pyproject.toml",
                    "[build-system]\nrequires = [\"setuptools_scm\"]\n[project]\nname = \"shop\"\ndynamic = [\"version\"]\n",
                ),
                ("shop/__init__.py", "__version__ = \"0.0\"\n"),
            ],
            "-",
        ),
        (
            vec![
                (
                    "shop.gemspec",
                    "Gem::Specification.new do |s|\n  s.name = \"shop\"\n  s.version = Shop::Const::SHOP_VERSION\nend\n",
                ),
                ("lib/shop/const.rb", "module Shop\n  SHOP_VERSION = VERSION = \"6.1\".freeze\nend\n"),
            ],
            "6.1",
        ),
        (
            vec![
                ("configure.ac", "m4_define([v], esyscmd(sh scripts/version.sh))\nAC_INIT([shop], [v])\n"),
                ("scripts/version.sh", "cat VERSION\n"),
                ("VERSION", "1.11.1\n"),
            ],
            "1.11.1",
        ),
    ] {
        assert_eq!(versions(&files), [expected], "{files:?}");
    }
}

#[test]
fn entry_points_in_one_text_are_programs() {
    let files = [
        (
            "setup.py",
            "setup(\n    name='shop',\n    entry_points=\"\"\"\n        [console_scripts]\n        shop=shop.cli:main\n    \"\"\",\n)\n",
        ),
        ("shop/cli.py", "def main(): pass\n"),
    ];
    assert_eq!(shown(&files, FactKind::Target), [".: Program shop shop.cli:main [setup.py:5]"]);
}

#[test]
fn modules_of_maven_have_the_scopes_that_their_parent_manages() {
    let parent = "<project><groupId>g</groupId><artifactId>shop</artifactId><version>1</version><packaging>pom</packaging>\n<dependencyManagement><dependencies>\n<dependency><groupId>a</groupId><artifactId>t</artifactId><version>3</version><scope>test</scope></dependency>\n<dependency><groupId>a</groupId><artifactId>u</artifactId><version>3</version><scope>test</scope></dependency>\n</dependencies></dependencyManagement></project>";
    let module = "<project><parent><groupId>g</groupId><artifactId>shop</artifactId><version>1</version></parent><artifactId>web</artifactId>\n<dependencies>\n<dependency><groupId>a</groupId><artifactId>t</artifactId></dependency>\n<dependency><groupId>a</groupId><artifactId>u</artifactId><scope>compile</scope></dependency>\n</dependencies></project>";
    let files = [("pom.xml", parent), ("web/pom.xml", module)];
    assert_eq!(
        shown(&files, FactKind::Dependency),
        ["web: Dev a:t 3 [web/pom.xml:3]", "web: Runtime a:u 3 [web/pom.xml:4]"]
    );
}

#[test]
fn modules_of_maven_have_the_versions_of_their_parent() {
    let parent = "<project><groupId>g</groupId><artifactId>shop</artifactId><version>1</version><packaging>pom</packaging>\n<properties><jetty.version>9.2</jetty.version></properties>\n<dependencyManagement><dependencies>\n<dependency><groupId>a</groupId><artifactId>b</artifactId><version>3</version></dependency>\n</dependencies></dependencyManagement></project>";
    let module = "<project><parent><groupId>g</groupId><artifactId>shop</artifactId><version>1</version></parent><artifactId>web</artifactId>\n<dependencies>\n<dependency><groupId>j</groupId><artifactId>jetty</artifactId><version>${jetty.version}</version></dependency>\n<dependency><groupId>a</groupId><artifactId>b</artifactId></dependency>\n</dependencies></project>";
    let files = [("pom.xml", parent), ("web/pom.xml", module)];
    assert_eq!(
        shown(&files, FactKind::Dependency),
        ["web: Runtime a:b 3 [web/pom.xml:4]", "web: Runtime j:jetty 9.2 [web/pom.xml:3]"]
    );
}
