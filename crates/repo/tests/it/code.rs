//! The one door to a code base: symbols, references, imports as files, and what is kept in memory.

use std::sync::Arc;

use stategraph_repo::Mention::{self, Comment, Definition, String as InString, Use};
use stategraph_repo::{CodeBase, ImportMap, MemoryFiles, WalkLimits};

use super::tree;

fn base(files: &[(&str, &str)]) -> CodeBase {
    CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())))
}

#[test]
fn a_symbol_is_found_by_its_name_or_its_path_with_body_parent_and_alternatives() {
    // CTX-53, 56, 63, 132
    let text = "class A:\n    def run(self):\n        \"\"\"One.\n\n        Two.\n        \"\"\"\n        return 1\n\nclass B:\n    def run(self):\n        return 2\n";
    let code = base(&[("a.py", text)]);
    let found = code.read_symbol("a.py", "A.run").unwrap().unwrap();
    assert!(
        found.body.starts_with("    def run(self):\n") && found.body.ends_with("        return 1"),
        "{}",
        found.body
    );
    assert_eq!((found.parent.as_deref(), found.char_count), (Some("A"), found.body.chars().count()));
    assert_eq!(found.symbol.docstring.as_deref(), Some("One.\n\nTwo."));
    assert_eq!(found.alternatives, Vec::<String>::new());
    let either = code.read_symbol("a.py", "run").unwrap().unwrap();
    assert_eq!(either.alternatives, ["B.run (line 10)"]);
    let error = code.read_symbol("a.py", "A.runn").unwrap().unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.hint().as_str()),
        ("`a.py` defines no `A.runn`", "did you mean `run`?")
    );
    let json = serde_json::to_value(&found).unwrap();
    assert!(json["parent"].is_string() && json["name"].is_string() && json["char_count"].is_number());
}

#[test]
fn methods_outside_of_their_types_are_found_by_both_names() {
    // CTX-56
    let code = base(&[
        ("a.go", "package a\ntype S struct{}\nfunc (s *S) M() {}\ntype T struct{}\nfunc (T) M() {}\n"),
        ("a.cpp", "void n::C::m() {}\n"),
        ("a.rs", "struct P;\nimpl P { fn m(&self) {} }\n"),
    ]);
    let line = |path: &str, name: &str| code.read_symbol(path, name).unwrap().unwrap().symbol.line;
    assert_eq!((line("a.go", "S.M"), line("a.go", "T.M")), (3, 5));
    assert_eq!(line("a.cpp", "C::m"), 1);
    assert_eq!((line("a.rs", "P::m"), line("a.rs", "P")), (2, 1));
}

#[test]
fn a_source_is_analysed_wherever_it_comes_from() {
    // CTX-48, CTX-120: outline and symbol from a path and a source, references from files and a scope, whatever reads the files
    let text = "def load(name):\n    return name\n";
    let outline = stategraph_repo::outline(stategraph_repo::Language::Python, "lib/a.py", text);
    assert_eq!(
        (outline.path.as_str(), outline.symbols[0].name.as_str(), outline.line_count),
        ("lib/a.py", "load", 2)
    );
    let found = stategraph_repo::symbol(&outline, text, "load").unwrap();
    assert_eq!(found.body, text.trim_end());
    let files =
        MemoryFiles::new([("lib/a.py", text), ("lib/b.py", "load('x')\n"), ("other/c.py", "load('y')\n")]);
    let walk = stategraph_repo::Files::walk(&files, WalkLimits::default());
    let within = |scope: &str| {
        let found = stategraph_repo::references(&files, &walk, "load", scope.as_ref());
        found.shown.iter().map(|at| at.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(within("lib"), ["lib/a.py", "lib/b.py"]);
    assert_eq!(within(""), ["lib/a.py", "lib/b.py", "other/c.py"]);
}

#[test]
fn references_are_whole_identifiers_sorted_and_marked() {
    // CTX-54, 65, 138
    let code = base(&[
        (
            "b.rs",
            "use a::load;\nfn x() { load(); reload(); load_all(); }\n// load it\nconst S: &str = \"load\";\n",
        ),
        ("a.rs", "pub fn load() {}\n"),
        ("c.py", "print(f\"{load} load\")\n"),
        ("notes.md", "load"),
    ]);
    let found = code.find_references("load", "");
    let marks: Vec<(&str, usize, Mention)> =
        found.shown.iter().map(|at| (at.path.as_str(), at.line, at.mention)).collect();
    assert_eq!(
        marks,
        [
            ("a.rs", 1, Definition),
            ("b.rs", 1, Use),
            ("b.rs", 2, Use),
            ("b.rs", 3, Comment),
            ("b.rs", 4, InString),
            ("c.py", 1, Use)
        ]
    );
    assert_eq!(found.shown[1].context, "use a::load;");
    assert_eq!(code.find_references("load", "b.rs").total, 4);
    assert_eq!(code.find_references("absent", "").to_string(), "no references");
}

#[test]
fn at_most_thirty_references_are_shown_and_all_are_counted() {
    // CTX-41
    let files: Vec<(String, String)> =
        (0..40).map(|n| (format!("f{n:02}.py"), "go()\ngo()\n".into())).collect();
    let code = CodeBase::new(Arc::new(MemoryFiles::new(files)));
    let found = code.find_references("A.go", "");
    assert_eq!((found.shown.len(), found.total, found.files), (30, 80, 40));
    assert_eq!(found.shown[29].path, "f14.py");
    assert!(found.to_string().ends_with("(80 lines in 40 files, 50 not shown)"));
}

#[test]
fn a_missing_file_gives_nothing_and_no_error() {
    // CTX-51
    let code = base(&[("a.py", "x = 1\n"), ("a.md", "text")]);
    assert!(
        code.get_outline("b.py").is_none()
            && code.get_outline("../a.py").is_none()
            && code.get_outline("a.md").is_none()
    );
    assert!(
        code.read_symbol("b.py", "x").is_none()
            && code.read_lines("b.py", 1, 2).is_none()
            && code.read_file("b.py", 10).is_none()
    );
    assert!(code.find_references("x", "b.py").shown.is_empty());
    assert_eq!(code.text("b.py").unwrap_err().to_string(), "`b.py` does not exist");
    assert_eq!(code.read_file("a.md", 2).unwrap(), "te\n[cut: 2 of 4 characters left out]"); // CTX-55, EXP-12
}

#[test]
fn outlines_come_in_order_and_bear_the_names_of_their_own_files() {
    // ENG-18
    let files: Vec<(String, String)> =
        (0..50).map(|n| (format!("f{n:02}.py"), "def f(): pass\n".into())).collect();
    let code = CodeBase::new(Arc::new(MemoryFiles::new(files)));
    let walk = code.files().walk(WalkLimits::default());
    let all = code.outlines(&walk);
    let paths: Vec<&str> = all.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.is_sorted() && paths.len() == 50);
    // The next look is the same allocation as the last one of the same path: nothing was parsed again.
    let (first, second) = (code.get_outline("f00.py").unwrap(), code.get_outline("f00.py").unwrap());
    assert_eq!((first.path.as_str(), &first), ("f00.py", &second));
}

fn imports(files: &[(&str, &str)], of: &str) -> Vec<String> {
    let code = base(files);
    let map = ImportMap::new(&**code.files(), &code.files().walk(WalkLimits::default()));
    map.imports(&code.get_outline(of).unwrap())
}

#[test]
fn imports_are_resolved_to_files() {
    // CTX-139
    let rust = [
        ("Cargo.toml", "[package]\nname = \"my-app\""),
        ("src/lib.rs", ""),
        ("src/store/mod.rs", ""),
        ("src/store/sled.rs", "use super::Store;\nuse crate::{model, store};\nuse std::fmt;\n"),
        ("src/model.rs", ""),
        ("tests/t.rs", "use my_app::store::sled::Sled;"),
    ];
    assert_eq!(imports(&rust, "src/store/sled.rs"), ["src/model.rs", "src/store/mod.rs"]);
    assert_eq!(imports(&rust, "tests/t.rs"), ["src/store/sled.rs"]);
    let python = [
        ("src/app/__init__.py", ""),
        ("src/app/models/user.py", ""),
        (
            "src/app/views/a.py",
            "from ..models import user\nfrom . import b\nimport app.models.user\nimport os\n",
        ),
        ("src/app/views/b.py", ""),
    ];
    assert_eq!(imports(&python, "src/app/views/a.py"), ["src/app/models/user.py", "src/app/views/b.py"]);
    let script = [
        (
            "src/a.ts",
            "import x from './b';\nimport y from './c.js';\nimport z from '../lib';\nimport r from 'react';\nexport * from './b';\n",
        ),
        ("src/b.tsx", ""),
        ("src/c.ts", ""),
        ("lib/index.js", ""),
    ];
    assert_eq!(imports(&script, "src/a.ts"), ["lib/index.js", "src/b.tsx", "src/c.ts"]);
    let go = [
        ("go.mod", "module ex.org/m\n"),
        ("main.go", "package main\nimport \"ex.org/m/pkg/a\"\n"),
        ("pkg/a/x.go", ""),
        ("pkg/a/x_test.go", ""),
    ];
    assert_eq!(imports(&go, "main.go"), ["pkg/a/x.go"]);
    let java = [
        ("src/main/java/a/b/C.java", "package a.b;\nimport a.c.D;\nimport a.e.*;\n"),
        ("src/main/java/a/c/D.java", ""),
        ("src/main/java/a/e/E.java", ""),
    ];
    assert_eq!(
        imports(&java, "src/main/java/a/b/C.java"),
        ["src/main/java/a/c/D.java", "src/main/java/a/e/E.java"]
    );
    let c = [
        ("src/a.c", "#include \"a.h\"\n#include \"util/b.h\"\n#include <stdio.h>\n#include <lib/l.h>\n"),
        ("src/a.h", ""),
        ("common/util/b.h", ""),
        ("include/lib/l.h", ""),
    ];
    assert_eq!(imports(&c, "src/a.c"), ["common/util/b.h", "include/lib/l.h", "src/a.h"]);
    let ruby =
        [("lib/a.rb", "require_relative 'b/c'\nrequire 'b/d'\n"), ("lib/b/c.rb", ""), ("lib/b/d.rb", "")];
    assert_eq!(imports(&ruby, "lib/a.rb"), ["lib/b/c.rb", "lib/b/d.rb"]);
    let php = [
        ("src/A.php", "<?php\nuse App\\Models\\User;\nrequire __DIR__ . '/b.php';\n"),
        ("src/Models/User.php", ""),
        ("src/b.php", ""),
    ];
    assert_eq!(imports(&php, "src/A.php"), ["src/Models/User.php", "src/b.php"]);
    let csharp = [("src/A.cs", "using App.Models;\nusing System;\n"), ("src/Models/User.cs", "")];
    assert_eq!(imports(&csharp, "src/A.cs"), ["src/Models/User.cs"]);
    let bash = [("bin/a.sh", "source ../lib/x.sh\n. ./y.sh\n"), ("lib/x.sh", ""), ("bin/y.sh", "")];
    assert_eq!(imports(&bash, "bin/a.sh"), ["bin/y.sh", "lib/x.sh"]);
    assert_eq!(imports(&[("a.js", "import '../../../etc/passwd'")], "a.js"), Vec::<String>::new());
}

#[test]
fn modules_of_rust_are_edges_to_their_files_and_every_target_is_a_crate_of_its_own() {
    // CTX-139
    let list = [
        ("Cargo.toml", "[package]\nname = \"my-app\"\n[[bin]]\nname = \"tool\"\npath = \"tool/start.rs\""),
        (
            "src/lib.rs",
            "pub mod store;\nmod flat;\n#[path = \"odd/name.rs\"] mod named;\nmod inline { mod deep; pub fn f() {} }\nmod gone;\n#[cfg_attr(unix, path = \"sys/unix.rs\")]\n#[cfg_attr(all(windows, feature = \"path\"), path = \"sys/windows.rs\")] mod sys;",
        ),
        ("src/store.rs", "mod sled;\nuse crate::flat::X;"),
        ("src/store/sled.rs", ""),
        ("src/flat/mod.rs", "mod inner;"),
        ("src/flat/inner.rs", "use super::Y;\nuse super::super::store;"),
        ("src/odd/name.rs", ""),
        ("src/sys/unix.rs", ""),
        ("src/sys/windows.rs", ""),
        ("src/inline/deep.rs", ""),
        ("src/bin/run.rs", "mod help;\nuse my_app::store;\nuse crate::help;"),
        ("src/bin/help.rs", ""),
        ("tests/it/main.rs", "mod kit;\nmod themes { mod one; }"),
        ("tests/it/kit.rs", ""),
        ("tests/it/themes/one.rs", "use crate::kit::tree;\nuse my_app::flat;"),
        ("tests/alone.rs", "mod common;\nuse crate::common::x;"),
        ("tests/common/mod.rs", ""),
        ("tool/start.rs", "mod gear;\nuse crate::gear::G;"),
        ("tool/gear.rs", ""),
    ];
    let of = |path: &str| imports(&list, path).join(" ");
    assert_eq!(
        of("src/lib.rs"),
        "src/flat/mod.rs src/inline/deep.rs src/odd/name.rs src/store.rs src/sys/unix.rs src/sys/windows.rs"
    );
    assert_eq!(of("src/store.rs"), "src/flat/mod.rs src/store/sled.rs");
    assert_eq!(of("src/flat/mod.rs"), "src/flat/inner.rs");
    assert_eq!(of("src/flat/inner.rs"), "src/flat/mod.rs src/store.rs");
    assert_eq!(of("src/bin/run.rs"), "src/bin/help.rs src/store.rs");
    assert_eq!(of("tests/it/main.rs"), "tests/it/kit.rs tests/it/themes/one.rs");
    assert_eq!(of("tests/it/themes/one.rs"), "src/flat/mod.rs tests/it/kit.rs");
    assert_eq!(of("tests/alone.rs"), "tests/common/mod.rs");
    assert_eq!(of("tool/start.rs"), "tool/gear.rs");
}

#[test]
fn outlines_gather_a_third_of_what_whole_files_do() {
    // CTX-40: outlining five files and reading one symbol against reading the five.
    let root = stategraph_repo::Root::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    let code = CodeBase::new(Arc::new(root));
    let files = [
        "crates/repo/src/guard.rs",
        "crates/repo/src/list.rs",
        "crates/repo/src/walk.rs",
        "crates/repo/src/write.rs",
        "crates/repo/src/slug.rs",
    ];
    let whole: usize = files.iter().map(|path| code.read_file(path, 1_000_000).unwrap().len()).sum();
    let outlined: usize = files.iter().map(|path| code.get_outline(path).unwrap().to_string().len()).sum();
    let symbol = code.read_symbol("crates/repo/src/guard.rs", "Root::resolve").unwrap().unwrap().char_count;
    assert!((outlined + symbol) * 100 <= whole * 35, "{outlined} + {symbol} of {whole}");
}

#[test]
fn a_broken_file_and_a_binary_one_do_not_stop_the_others() {
    // ENG-19
    let (_home, root) = tree(&[("a.py", "def a(): pass\n"), ("b.py", "def (((\n"), ("c.py", "x\0")]);
    std::os::unix::fs::symlink("c.py", root.absolute().join("d.py")).unwrap();
    let code = CodeBase::new(Arc::new(root));
    let walk = code.files().walk(WalkLimits::default());
    let paths: Vec<String> = code.outlines(&walk).iter().map(|file| file.path.clone()).collect();
    assert_eq!(paths, ["a.py", "b.py"]);
}
