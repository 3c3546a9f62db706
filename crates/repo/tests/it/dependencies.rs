//! Dependencies between files: imports and names, through scopes and re-exports, by the rules of each language. Real packages are compared
//! with their compilers in `tests/real/edges.sh`.

use std::sync::Arc;

use stategraph_repo::{CodeBase, Dependencies, EdgeClass, MemoryFiles, WalkLimits};

fn dependencies(files: &[(&str, &str)]) -> Dependencies {
    let code = CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())));
    code.dependencies(&code.files().walk(WalkLimits::default()))
}

/// Returns `from -> to` of all edges outside tests, once each.
fn pairs(files: &[(&str, &str)]) -> Vec<String> {
    let found = dependencies(files);
    let mut pairs: Vec<String> = found
        .edges
        .iter()
        .filter(|edge| !edge.is_test)
        .map(|edge| format!("{} -> {}", edge.from, edge.to))
        .collect();
    pairs.dedup();
    pairs
}

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"my-app\"\n");

#[test]
fn rust_names_are_followed_through_reexports_and_scopes() {
    let files = [
        MANIFEST,
        (
            "src/lib.rs",
            "mod db;\nmod server;\npub use db::Db;\npub type Result<T> = std::result::Result<T, ()>;\n",
        ),
        ("src/db/mod.rs", "mod inner;\npub use inner::*;\n"),
        ("src/db/inner.rs", "pub struct Db;\nimpl Db { pub fn get() -> crate::Result<()> { Ok(()) } }\n"),
        ("src/server.rs", "use crate::Db;\nfn run() { let _ = Db::get(); }\n"),
        ("tests/t.rs", "use my_app::Db;\n"),
    ];
    let expected = [
        "src/db/inner.rs -> src/lib.rs",
        "src/db/mod.rs -> src/db/inner.rs",
        "src/lib.rs -> src/db/inner.rs",
        "src/lib.rs -> src/db/mod.rs",
        "src/lib.rs -> src/server.rs",
        "src/server.rs -> src/db/inner.rs",
        "tests/t.rs -> src/db/inner.rs",
    ];
    assert_eq!(pairs(&files), expected);
}

#[test]
fn an_edge_from_a_group_of_imports_of_rust_has_the_line_of_the_name() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"app\"\n"),
        ("src/lib.rs", "mod a;\nmod b;\nmod c;\n"),
        (
            "src/a.rs",
            "use {\n    crate::{\n        b::One,\n        c::{self, Two},\n    },\n    std::fmt,\n};\n",
        ),
        ("src/b.rs", "pub struct One;\n"),
        ("src/c.rs", "pub struct Two;\n"),
    ];
    let all = dependencies(&files);
    let lines: Vec<(&str, usize)> = all
        .edges
        .iter()
        .filter(|edge| edge.from == "src/a.rs")
        .map(|edge| (edge.to.as_str(), edge.line))
        .collect();
    assert_eq!(lines, [("src/b.rs", 3), ("src/c.rs", 4)]);
}

#[test]
fn rust_macros_paths_and_tests_are_told_apart() {
    let files = [
        MANIFEST,
        ("src/lib.rs", "mod a;\nmod b;\n#[path = \"odd/name.rs\"]\nmod c;\n#[cfg(test)]\nmod t;\n"),
        (
            "src/a.rs",
            "pin_project! { pub struct Made { x: u8 } }\npub fn a() { println!(\"{}\", crate::c::ONE); }\n",
        ),
        ("src/b.rs", "// crate::c::ONE\nfn b(m: super::a::Made) { let _ = \"crate::c::ONE\"; }\n"),
        ("src/odd/name.rs", "pub const ONE: u8 = 1;\n"),
        ("src/t.rs", "use crate::a::a;\n"),
    ];
    let expected = [
        "src/a.rs -> src/odd/name.rs",
        "src/b.rs -> src/a.rs",
        "src/lib.rs -> src/a.rs",
        "src/lib.rs -> src/b.rs",
        "src/lib.rs -> src/odd/name.rs",
    ];
    assert_eq!(pairs(&files), expected);
    let all = dependencies(&files);
    assert!(all.edges.iter().any(|edge| edge.is_test && edge.from == "src/t.rs" && edge.to == "src/a.rs"));
}

#[test]
fn imports_in_a_circle_end() {
    let files = [
        MANIFEST,
        ("src/lib.rs", "mod a;\nmod b;\n"),
        ("src/a.rs", "pub use crate::b::*;\npub use crate::b::Lost;\n"),
        ("src/b.rs", "pub use crate::a::*;\npub use crate::a::Lost;\nfn f(l: Lost) {}\n"),
    ];
    // Both modules import each other, and nothing defines `Lost`.
    assert_eq!(
        pairs(&files),
        ["src/a.rs -> src/b.rs", "src/b.rs -> src/a.rs", "src/lib.rs -> src/a.rs", "src/lib.rs -> src/b.rs"]
    );
    let scripts = [
        ("a.ts", "export * from './b';\nexport { x } from './b';"),
        ("b.ts", "export * from './a';\nimport { x } from './a';"),
    ];
    assert_eq!(pairs(&scripts), ["a.ts -> b.ts", "b.ts -> a.ts"]);
    let python = [("p/__init__.py", "from .a import x"), ("p/a.py", "from p import x")];
    assert_eq!(pairs(&python), ["p/__init__.py -> p/a.py", "p/a.py -> p/__init__.py"]);
}

/// Each module imports all names of all others: following every path would never end.
#[test]
fn a_web_of_globs_ends() {
    let names: Vec<String> = (0..40).map(|at| format!("m{at}")).collect();
    let globs: String = names.iter().map(|name| format!("pub use crate::{name}::*;\n")).collect();
    let mut files = vec![("Cargo.toml".to_owned(), MANIFEST.1.to_owned())];
    files.push(("src/lib.rs".into(), names.iter().map(|name| format!("mod {name};\n")).collect()));
    for name in &names {
        files.push((format!("src/{name}.rs"), format!("{globs}fn f(_: Lost, _: Found) {{}}\n")));
    }
    files[42 - 1].1.push_str("pub struct Found;\n");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = dependencies(&files);
    let resolved = found.edges.iter().filter(|edge| edge.class == EdgeClass::Named && edge.name == "Found");
    assert_eq!(resolved.count(), 39);
}

#[test]
fn java_types_need_no_import_in_their_package() {
    let files = [
        (
            "src/main/java/a/One.java",
            "package a;\nimport b.Two;\nimport b.Unused;\nimport static b.Consts.MAX;\n/** See {@link Unused}. */\nclass One<T> extends Base { Two two; T t; int m = MAX; java.util.List<Inner> l; class Inner {} }\n",
        ),
        ("src/main/java/a/Base.java", "package a;\nclass Base { }\n"),
        ("src/main/java/a/T.java", "package a;\nclass T { }\n"),
        ("src/main/java/a/List.java", "package a;\nclass List { }\n"),
        ("src/main/java/b/Two.java", "package b;\npublic class Two { }\n"),
        ("src/main/java/b/Unused.java", "package b;\npublic class Unused { }\n"),
        (
            "src/main/java/b/Consts.java",
            "package b;\npublic class Consts { public static final int MAX = 1; }\n",
        ),
    ];
    // `T` is a type parameter, `java.util.List` is not `a.List`, and only a comment names `Unused`.
    let of = "src/main/java";
    let expected =
        ["a/Base.java", "b/Consts.java", "b/Two.java"].map(|to| format!("{of}/a/One.java -> {of}/{to}"));
    assert_eq!(pairs(&files), expected);
}

#[test]
fn csharp_and_php_types_are_found_by_their_namespaces() {
    let csharp = [
        ("A.cs", "using Shop.Data;\nnamespace Shop.Web;\nclass A { Store store; Helper h; }\n"),
        ("B.cs", "namespace Shop.Data { public class Store { } }\n"),
        ("C.cs", "namespace Shop;\npublic class Helper { }\n"),
        ("D.cs", "namespace Other;\npublic class Store { }\n"),
    ];
    assert_eq!(pairs(&csharp), ["A.cs -> B.cs", "A.cs -> C.cs"]);
    let php = [
        (
            "a.php",
            "<?php\nnamespace App;\nuse Lib\\Tool as T;\nclass A extends Base { function f(): T { return new \\Lib\\Other(); } }\n",
        ),
        ("b.php", "<?php\nnamespace App;\nclass Base {}\n"),
        ("c.php", "<?php\nnamespace Lib;\nclass Tool {}\n"),
        ("d.php", "<?php\nnamespace Lib;\nclass Other {}\n"),
        ("e.php", "<?php\nnamespace Other;\nclass Base {}\n"),
    ];
    assert_eq!(pairs(&php), ["a.php -> b.php", "a.php -> c.php", "a.php -> d.php"]);
}

#[test]
fn scripts_have_an_edge_to_the_barrel_and_one_to_the_definition() {
    use EdgeClass::{Declared, Named};
    let files = [
        ("src/use.ts", "import { Store as S, type Kind } from './lib/index.js';\nimport def from './def';\n"),
        ("src/lib/index.ts", "export * from './store';\nexport { Kind } from './kind';\n"),
        ("src/lib/store.ts", "export class Store {}\n"),
        ("src/lib/kind.ts", "type Kind = 1;\nexport { Kind };\n"),
        ("src/def.ts", "import { Store } from './lib/store';\nexport default Store;\n"),
    ];
    let found = dependencies(&files);
    let from_use: Vec<(&str, EdgeClass, usize)> = found
        .edges
        .iter()
        .filter(|edge| edge.from == "src/use.ts")
        .map(|edge| (edge.to.as_str(), edge.class, edge.line))
        .collect();
    assert_eq!(
        from_use,
        [
            ("src/def.ts", Declared, 2),
            ("src/lib/index.ts", Declared, 1),
            ("src/lib/kind.ts", Named, 1),
            ("src/lib/store.ts", Named, 1)
        ]
    );
}

#[test]
fn python_names_are_followed_through_packages_and_never_shadow_the_library() {
    let files = [
        ("src/app/__init__.py", "from .core import App\n"),
        ("src/app/core.py", "import json\nimport logging\nfrom . import json as own\nclass App: pass\n"),
        ("src/app/json/__init__.py", ""),
        ("src/app/logging.py", ""),
        ("src/app/cli.py", "from app import App\nimport app.core as c\n"),
    ];
    let expected = [
        "src/app/__init__.py -> src/app/core.py",
        "src/app/cli.py -> src/app/__init__.py",
        "src/app/cli.py -> src/app/core.py",
        "src/app/core.py -> src/app/json/__init__.py",
    ];
    assert_eq!(pairs(&files), expected);
}

#[test]
fn modules_of_python_keep_their_dots() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/core/__init__.py", ""),
        ("shop/core/till.py", "class Till: pass\n"),
        ("shop/cli.py", "from shop.core.till import Till\n"),
        ("shop/core/a.py", "from ..core.till import Till\n"),
    ];
    let edges = dependencies(&files).edges;
    let names = |from: &str| {
        let declared = edges.iter().filter(|edge| edge.from == from && edge.class == EdgeClass::Declared);
        declared.map(|edge| edge.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("shop/cli.py"), ["shop.core.till"]);
    assert_eq!(names("shop/core/a.py"), ["..core.till"]);
}

#[test]
fn go_packages_are_folders_and_names_have_files() {
    let files = [
        ("go.mod", "module example.com/m\n"),
        (
            "main.go",
            "package main\nimport (\n\t\"fmt\"\n\ts \"example.com/m/store\"\n\t_ \"example.com/m/side\"\n)\nfunc main() { fmt.Println(s.Open(), helper()) }\n",
        ),
        ("util.go", "package main\nfunc helper() int { return 1 }\n"),
        ("local.go", "package main\nfunc other() { helper := 1; _ = helper }\n"),
        ("store/store.go", "package store\nfunc Open() int { return 1 }\n"),
        ("side/side.go", "package side\n"),
        ("main_test.go", "package main\nfunc fake() {}\n"),
    ];
    let expected = ["main.go -> side", "main.go -> store", "main.go -> store/store.go", "main.go -> util.go"];
    assert_eq!(pairs(&files), expected);
}

#[test]
fn a_name_with_two_definitions_stays_unresolved() {
    let files = [
        ("go.mod", "module m\n"),
        ("a.go", "package a\nfunc f() { open() }\n"),
        ("b_linux.go", "package a\nfunc open() {}\n"),
        ("b_windows.go", "package a\nfunc open() {}\n"),
    ];
    let found = dependencies(&files);
    assert!(found.edges.is_empty(), "{found:?}");
    let [only] = &found.ambiguities[..] else { panic!("{found:?}") };
    assert_eq!((only.name.as_str(), only.line), ("open", 2));
    assert_eq!(only.candidates, ["b_linux.go", "b_windows.go"]);
}

#[test]
fn broken_and_hostile_files_cost_only_their_own_edges() {
    let deep = format!("use {}a{};\nuse crate::b::B;\n", "x::{".repeat(5_000), "}".repeat(5_000));
    let long = format!("fn f() {{ let _ = {}; }}", vec!["a"; 20_000].join("::"));
    let files = [
        MANIFEST,
        ("src/lib.rs", "mod a;\nmod b;\nmod c;\nmod gone;\n"),
        ("src/a.rs", deep.as_str()),
        ("src/b.rs", "pub struct B;\n"),
        ("src/c.rs", long.as_str()),
        ("src/gone.py", "from . import ((((\nimport \u{0}"),
    ];
    let found = pairs(&files);
    assert!(found.contains(&"src/lib.rs -> src/b.rs".to_owned()), "{found:?}");
}

#[test]
fn typescript_names_of_configurations_and_workspaces_are_files() {
    let files = [
        (
            "tsconfig.base.json",
            "{ \"compilerOptions\": { \"baseUrl\": \".\", // the root\n \"paths\": { \"@app/*\": [\"apps/web/src/*\"], \"fs\": [\"apps/web/src/fs\"] }, } }",
        ),
        ("apps/web/tsconfig.json", "{ \"extends\": \"../../tsconfig.base\" }"),
        ("apps/web/src/fs.ts", "export const x = 1\n"),
        ("apps/web/src/view.ts", "export class View {}\n"),
        (
            "apps/web/src/main.ts",
            "import { View } from '@app/view'\nimport { x } from 'fs'\nimport { Core } from '@acme/core'\nimport { inner } from '@acme/core/inner'\nimport { gone } from '@acme/fixture'\nimport apps from 'apps/web/src/view'\n",
        ),
        ("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n"),
        (
            "packages/core/package.json",
            "{ \"name\": \"@acme/core\", \"exports\": { \".\": { \"types\": \"./dist/index.d.ts\", \"import\": \"./dist/esm/index.js\" }, \"./*\": \"./dist/*.js\" } }",
        ),
        ("packages/core/src/index.ts", "export { Core } from './core'\n"),
        ("packages/core/src/core.ts", "import '@acme/core/inner'\nexport class Core {}\n"),
        ("packages/core/src/inner.ts", "export const inner = 1\n"),
        ("test/fixture/package.json", "{ \"name\": \"@acme/fixture\" }"),
        ("test/fixture/index.ts", "export const gone = 1\n"),
    ];
    let expected = [
        "apps/web/src/main.ts -> apps/web/src/view.ts",
        "apps/web/src/main.ts -> packages/core/src/core.ts",
        "apps/web/src/main.ts -> packages/core/src/index.ts",
        "apps/web/src/main.ts -> packages/core/src/inner.ts",
        "packages/core/src/core.ts -> packages/core/src/inner.ts",
        "packages/core/src/index.ts -> packages/core/src/core.ts",
    ];
    assert_eq!(pairs(&files), expected);
}

#[test]
fn rust_crates_have_the_names_that_their_manifests_give() {
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\", \"core\"]\n[workspace.dependencies]\nshared = { package = \"b-lib\", path = \"b\" }\n",
        ),
        (
            "a/Cargo.toml",
            "[package]\nname = \"a\"\n[dependencies]\nshared.workspace = true\nlocal = { package = \"core\", path = \"../core\" }\n",
        ),
        ("a/src/lib.rs", "use shared::B;\nfn f(x: local::C, y: core::C) {}\n"),
        ("b/Cargo.toml", "[package]\nname = \"b-lib\"\n"),
        ("b/src/lib.rs", "pub struct B;\nfn f(x: shared::B) {}\n"),
        ("core/Cargo.toml", "[package]\nname = \"core\"\n"),
        ("core/src/lib.rs", "pub struct C;\n"),
    ];
    assert_eq!(pairs(&files), ["a/src/lib.rs -> b/src/lib.rs", "a/src/lib.rs -> core/src/lib.rs"]);
}

#[test]
fn ruby_files_are_on_the_load_path_and_constants_have_one_definition() {
    let files = [
        ("shop.gemspec", ""),
        (
            "lib/shop.rb",
            "require 'shop/order'\nrequire 'json'\nmodule Shop\n  autoload :Cart, 'shop/cart'\nend\n",
        ),
        ("lib/json.rb", "JSON = 1\n"),
        (
            "lib/shop/order.rb",
            "module Shop\n  class Order < Base\n    LIMIT = 1\n    def f = Cart.new(::Shop::Order)\n  end\nend\n",
        ),
        ("lib/shop/cart.rb", "module Shop\n  class Cart\n  end\nend\n"),
        ("lib/shop/base.rb", "module Shop\n  class Base\n  end\nend\n"),
        ("spec/order_spec.rb", "require 'spec_helper'\nShop::Order::LIMIT\nShop\nOther::Order\n"),
        ("spec/spec_helper.rb", "require 'order'\n"),
    ];
    let expected = [
        "lib/shop.rb -> lib/shop/cart.rb",
        "lib/shop.rb -> lib/shop/order.rb",
        "lib/shop/order.rb -> lib/shop/base.rb",
        "lib/shop/order.rb -> lib/shop/cart.rb",
        "spec/order_spec.rb -> lib/shop/order.rb",
        "spec/order_spec.rb -> spec/spec_helper.rb",
    ];
    assert_eq!(pairs(&files), expected);
}

#[test]
fn a_class_of_ruby_itself_is_not_defined_by_the_file_that_opens_it() {
    let files = [
        ("shop.gemspec", ""),
        (
            "lib/shop.rb",
            "module Shop\n  class Label < ::String\n  end\n  def self.a(b) = b.is_a?(String)\nend\n",
        ),
        ("lib/ext.rb", "class String\n  def shout = upcase\nend\n"),
    ];
    assert_eq!(pairs(&files), [""; 0]);
}

#[test]
fn the_name_of_a_namespace_uses_no_other_namespace() {
    let files = [
        ("src/Shop/Shop.csproj", "<Project />"),
        ("src/Shop/Stock.cs", "namespace Shop;\npublic class Stock { }\n"),
        ("src/Shop.Till/Till.cs", "namespace Shop.Till;\npublic class Till { }\n"),
    ];
    assert_eq!(pairs(&files), [""; 0]);
}

/// Returns `count` modules that import all names of one another, and one more that uses a name of the last and one that none has.
fn mutual(
    count: usize,
    name: impl Fn(usize) -> String,
    import: impl Fn(usize) -> String,
) -> Vec<(String, String)> {
    let imports = |own: usize| (0..count).filter(|it| *it != own).map(&import).collect::<String>();
    (0..count).map(|own| (name(own), imports(own))).collect()
}

#[test]
fn modules_that_import_one_another_are_asked_once_for_each_name() {
    // A search of every way through 30 modules would not end.
    let borrowed = |files: &[(String, String)]| {
        pairs(&files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>())
    };
    let mut python = mutual(30, |at| format!("shop/m{at}.py"), |at| format!("from .m{at} import *\n"));
    python[29].1 += "class Cart:\n    pass\n";
    python.push(("shop/__init__.py".to_owned(), String::new()));
    let user =
        "from .m0 import Cart, missing\n\ndef f(cart: Cart, other: missing) -> Cart:\n    return Cart()\n";
    python.push(("shop/user.py".to_owned(), user.to_owned()));
    let found = borrowed(&python);
    assert!(found.contains(&"shop/user.py -> shop/m29.py".to_owned()), "{found:?}");

    let mut script = mutual(30, |at| format!("src/m{at}.ts"), |at| format!("export * from './m{at}'\n"));
    script[29].1 += "export class Cart {}\n";
    let user = "import { Cart, missing } from './m0'\nexport function f(cart: Cart, other: missing): Cart { return new Cart() }\n";
    script.push(("src/user.ts".to_owned(), user.to_owned()));
    let found = borrowed(&script);
    assert!(found.contains(&"src/user.ts -> src/m29.ts".to_owned()), "{found:?}");

    let mut rust = mutual(30, |at| format!("src/m{at}.rs"), |at| format!("pub use crate::m{at}::*;\n"));
    rust[29].1 += "pub struct Cart;\n";
    let declared: String = (0..30).map(|at| format!("pub mod m{at};\n")).collect();
    rust.push((
        "src/lib.rs".to_owned(),
        declared + "use m0::Cart;\nuse m0::Missing;\nfn f(cart: Cart) -> Missing {}\n",
    ));
    rust.push((MANIFEST.0.to_owned(), MANIFEST.1.to_owned()));
    let found = borrowed(&rust);
    assert!(found.contains(&"src/lib.rs -> src/m29.rs".to_owned()), "{found:?}");
}

#[test]
fn a_name_that_two_modules_reexport_has_one_definition() {
    let files = [
        ("shop/__init__.py", "from .a import *\nfrom .b import *\n"),
        ("shop/a.py", "from .middle import Cart\n"),
        ("shop/b.py", "from .middle import Cart\n"),
        ("shop/middle.py", "from .core import Cart\n"),
        ("shop/core.py", "class Cart:\n    pass\n"),
        ("use.py", "from shop import Cart\n"),
    ];
    assert!(pairs(&files).contains(&"use.py -> shop/core.py".to_owned()), "{:?}", pairs(&files));
}
