//! Typed edges, relations and calls: what a written type leads to, by the rules of each language. Nothing is inferred.

use std::collections::BTreeSet;
use std::sync::Arc;

use stategraph_repo::{CodeBase, Dependencies, EdgeClass, MemoryFiles, WalkLimits};

fn dependencies(files: &[(&str, &str)]) -> Dependencies {
    let code = CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied())));
    code.dependencies(&code.files().walk(WalkLimits::default()))
}

/// Compares the typed edges, as `from:line name to`.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let found = dependencies(files);
    let typed = found.edges.iter().filter(|edge| edge.class == EdgeClass::Typed);
    let typed: Vec<String> =
        typed.map(|edge| format!("{}:{} {} {}", edge.from, edge.line, edge.name, edge.to)).collect();
    assert_eq!(typed, expected);
}

/// Compares the relations, as `file:line type kind type field`.
#[track_caller]
fn check_relations(files: &[(&str, &str)], expected: &[&str]) {
    let found = dependencies(files);
    let shown = found.relations.iter().map(|it| {
        let field = it.field.as_deref().unwrap_or("-");
        format!("{}:{} {} {:?} {} {field}", it.path, it.line, it.from_name, it.kind, it.to_name)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"my-app\"\n");
const RUST: &str = "pub struct Db;\nimpl Db {\n  pub fn new() -> Self { Db }\n  pub fn open() -> Result<Self, ()> { Ok(Db) }\n  \
                    pub fn get(&self) {}\n}\n";

#[test]
fn rust_receivers_have_the_types_of_parameters_fields_locals_and_constructors() {
    let rows = [
        ("fn f(db: &mut Db) { db.get(); }", "Db.get"),
        ("fn f(db: std::sync::Arc<Db>) { db.get(); }", "Db.get"),
        ("struct S { db: Db }\nimpl S { fn f(&self) { self.db.get(); } }", "Db.get"),
        ("fn f() { let db: Db = make(); db.get(); }", "Db.get"),
        ("fn f() { let db = Db::new(); db.get(); }", "Db.get"),
        ("fn f() -> Option<()> { let db = Db::open()?; db.get(); }", "Db.get"),
        ("fn f() { Db::new().get(); }", "Db.get"),
        ("fn f() { let db = Db {}; db.get(); }", "Db.get"),
        ("fn f(db: Db) { g(|x| db.get()); }", "Db.get"),
        // A local name hides the one outside.
        ("fn f(db: Db) { let db = other(); db.get(); }", ""),
        ("fn f(db: Db) { g(|db| db.get()); }", ""),
        // A container has methods of its own.
        ("fn f(db: Vec<Db>) { db.get(); }", ""),
        ("fn f(db: Option<Db>) { db.get(); }", ""),
        ("fn f(db: std::sync::Arc<Db>) { db.clone(); }", ""),
        // A derived method is one of the type, unless values have those of another type.
        ("fn f(db: &Db) { db.clone(); }", "Db.clone"),
        ("impl std::ops::Deref for Db { type Target = str; }\nfn f(db: &Db) { db.len(); }", ""),
        // The name of a type parameter is no type of the code base.
        ("fn f<Db>(db: Db) { db.get(); }", ""),
    ];
    for (code, expected) in rows {
        let user = format!("use crate::db::Db;\n{code}\n");
        let files =
            [MANIFEST, ("src/lib.rs", "mod db;\nmod user;\n"), ("src/db.rs", RUST), ("src/user.rs", &user)];
        let found = dependencies(&files);
        let typed: Vec<&str> = found
            .edges
            .iter()
            .filter(|edge| edge.class == EdgeClass::Typed)
            .map(|edge| edge.name.as_str())
            .collect();
        assert_eq!(typed.join(" "), expected, "{code}");
    }
}

#[test]
fn a_method_is_found_in_another_file_than_its_type_and_two_are_ambiguous() {
    let files = [
        MANIFEST,
        ("src/lib.rs", "mod a;\nmod b;\n#[cfg(unix)]\nmod c;\n#[cfg(windows)]\nmod d;\npub struct T;\n"),
        ("src/a.rs", "fn f(t: &crate::T) {\n  t.here();\n  t.either();\n  t.shared();\n}\n"),
        (
            "src/b.rs",
            "impl crate::T { pub fn here(&self) {} }\npub trait S { fn shared(&self) {} }\nimpl S for crate::T {}\n",
        ),
        ("src/c.rs", "impl crate::T { pub fn either(&self) {} }\n"),
        ("src/d.rs", "impl crate::T { pub fn either(&self) {} }\n"),
    ];
    check(&files, &["src/a.rs:2 T.here src/b.rs"]);
    let found = dependencies(&files);
    let ambiguous: Vec<_> =
        found.ambiguities.iter().map(|it| (it.name.as_str(), it.candidates.join(" "))).collect();
    assert_eq!(ambiguous, [("T.either", "src/c.rs src/d.rs".to_owned())]);
}

#[test]
fn java_receivers_are_fields_locals_parameters_and_the_own_type() {
    let files = [
        ("src/a/Base.java", "package a;\npublic class Base { protected void log() {} }\n"),
        (
            "src/a/Db.java",
            "package a;\npublic class Db { public Db self() { return this; } public void get() {} }\n",
        ),
        (
            "src/b/User.java",
            "package b;\nimport a.Base;\nimport a.Db;\nimport c.Gone;\nclass User extends Base {\n  private final Db db;\n  \
             void f(Gone gone) {\n    gone.get();\n    this.log();\n    db.get();\n  }\n}\n",
        ),
        ("src/b/Gone.java", "package b;\nclass Gone { void get() {} }\n"),
        (
            "src/d/Local.java",
            "package d;\nimport a.*;\nclass Local {\n  void f() {\n    var db = new Db();\n    Runnable r = () -> {\n      \
             db.self().get();\n    };\n  }\n}\n",
        ),
    ];
    let expected = [
        "src/b/User.java:9 Base.log src/a/Base.java",
        "src/b/User.java:10 Db.get src/a/Db.java",
        "src/d/Local.java:7 Db.self src/a/Db.java",
    ];
    check(&files, &expected);
}

#[test]
fn typescript_receivers_follow_imports_and_class_fields() {
    let files = [
        ("src/db.ts", "export class Db { get(): void {} }\nexport interface Log { write(): void }\n"),
        ("src/index.ts", "export { Db as Store } from './db'\nexport type { Log } from './db'\n"),
        (
            "src/user.ts",
            "import { Store, Log } from './index'\nclass User {\n  constructor(private log: Log) {}\n  f(db: Store | null) {\n    \
             db.get()\n    const g = () => this.log.write()\n  }\n  h(x: Store | string) { x.get() }\n}\n",
        ),
        (
            "src/made.js",
            "import { Store } from './index'\nconst db = new Store()\nfunction f() {\n  db.get()\n}\n",
        ),
        ("src/twice.js", "import { Store } from './index'\nlet db = new Store()\ndb = other()\ndb.get()\n"),
    ];
    let expected = ["src/made.js:4 Db.get src/db.ts", "src/user.ts:5 Db.get src/db.ts"];
    check(&files, &expected);
}

#[test]
fn python_receivers_are_annotated_or_constructed() {
    let files = [
        ("app/__init__.py", "from .db import Db\n"),
        (
            "app/db.py",
            "class Base:\n    def close(self): pass\nclass Db(Base):\n    def get(self) -> 'Db': pass\n",
        ),
        ("app/a.py", "from app import Db\n\ndef f(db: Db | None):\n    db.get()\n"),
        (
            "app/b.py",
            "from typing import Optional\nfrom . import db as d\nclass A:\n    def __init__(self, x: Optional[d.Db] = None):\n        self.x = x\n    def f(self):\n        self.x.close()\n",
        ),
        ("app/c.py", "from .db import Db\ndef f():\n    db = Db()\n    db.get().get()\n"),
        (
            "app/e.py",
            "from .db import Db\ndef f(x):\n    db = Db()\n    if x:\n        db = x\n    db.get()\n    for db in x:\n        db.get()\n",
        ),
        ("app/g.py", "from .db import Db\ndef f(dbs: list[Db]):\n    dbs.get()\n"),
    ];
    let expected =
        ["app/a.py:4 Db.get app/db.py", "app/b.py:7 Base.close app/db.py", "app/c.py:4 Db.get app/db.py"];
    check(&files, &expected);
}

#[test]
fn go_receivers_cross_files_and_packages() {
    let files = [
        ("go.mod", "module example.com/m\n"),
        ("db/db.go", "package db\ntype Db struct{ Conn }\nfunc New() (*Db, error) { return &Db{}, nil }\n"),
        ("db/get.go", "package db\nfunc (d *Db) Get() {}\n"),
        ("db/conn.go", "package db\ntype Conn struct{}\nfunc (c Conn) Close() {}\n"),
        (
            "main.go",
            "package main\nimport \"example.com/m/db\"\ntype app struct { store *db.Db }\nfunc (a *app) run() {\n\ta.store.Get()\n\td, err := db.New()\n\td.Close()\n\terr.Get()\n}\n",
        ),
    ];
    check(&files, &["main.go:7 Conn.Close db/conn.go", "main.go:5 Db.Get db/get.go"]);
}

#[test]
fn csharp_parts_of_a_type_are_one_and_properties_are_fields() {
    let files = [
        ("A/Db.cs", "namespace A;\npublic partial class Db { public void Get() {} }\n"),
        ("A/Db.More.cs", "namespace A;\npublic partial class Db { public void Put() { this.Get(); } }\n"),
        (
            "B/User.cs",
            "using A;\nnamespace B\n{\n  class User\n  {\n    Db Store { get; }\n    async void F(System.Threading.Tasks.Task<Db> t)\n    {\n      Store.Put();\n      var db = await t;\n    }\n  }\n}\n",
        ),
    ];
    check(&files, &["A/Db.More.cs:2 Db.Get A/Db.cs", "B/User.cs:9 Db.Put A/Db.More.cs"]);
}

#[test]
fn php_receivers_are_promoted_parameters_properties_and_traits() {
    let files = [
        (
            "src/Db.php",
            "<?php\nnamespace App;\nclass Db { use Logs; public function get(): static { return $this; } }\n",
        ),
        ("src/Logs.php", "<?php\nnamespace App;\ntrait Logs { public function log() {} }\n"),
        (
            "src/Http/User.php",
            "<?php\nnamespace App\\Http;\nuse App\\Db;\nclass User {\n  public function __construct(private ?Db $db) {}\n  function f() {\n    $this->db->log();\n    $x = new Db();\n    $x->get();\n  }\n}\n",
        ),
    ];
    check(&files, &["src/Http/User.php:9 Db.get src/Db.php", "src/Http/User.php:7 Logs.log src/Logs.php"]);
}

#[test]
fn c_functions_lead_to_the_implementations_of_their_headers() {
    let files = [
        ("include/list.h", "int list_add(int x);\nint shared(int x);\n"),
        ("src/list.c", "#include \"list.h\"\nint list_add(int x) { return shared(x); }\n"),
        ("src/unix.c", "int shared(int x) { return x; }\n"),
        ("src/windows.c", "int shared(int x) { return x; }\n"),
        ("src/other.c", "int list_add(int x) { return 0; }\n"),
        (
            "src/main.c",
            "#include <stdio.h>\n#include \"list.h\"\nstatic int own(void) { return 1; }\nint main(void) {\n  own();\n  return list_add(shared(1));\n}\n",
        ),
        ("include/stdio.h", "int own(void);\n"),
    ];
    let found = dependencies(&files);
    let shown: Vec<String> = found
        .edges
        .iter()
        .filter(|edge| edge.from == "src/main.c")
        .map(|edge| format!("{:?} {} {}", edge.class, edge.name, edge.to))
        .collect();
    // Where `shared` is implemented no name says.
    let expected = [
        "Declared #include \"list.h\" include/list.h",
        "Named shared include/list.h",
        "Named list_add src/list.c",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn cpp_methods_lead_to_their_definitions_outside_the_class() {
    let files = [
        (
            "db.h",
            "namespace app {\nclass Base { public: void close() {} };\nclass Db : public Base { public: void get(); };\n}\n",
        ),
        ("db.cpp", "#include \"db.h\"\nnamespace app {\nvoid Db::get() { close(); }\n}\n"),
        (
            "main.cpp",
            "#include \"db.h\"\nstruct User { std::unique_ptr<app::Db> db_; void f(const app::Db& db) { db_->get(); db.close(); } };\n",
        ),
    ];
    check(&files, &["db.cpp:3 Base.close db.h", "main.cpp:2 Db.get db.cpp", "main.cpp:2 Base.close db.h"]);
}

#[test]
fn relations_have_the_line_of_the_field_or_the_clause() {
    let rust = [
        MANIFEST,
        (
            "src/lib.rs",
            "mod cmd;\npub trait Run: Named {}\npub trait Named {}\npub struct Db {\n  items: std::collections::HashMap<String, Vec<Item>>,\n  last: Option<Box<Item>>,\n  sender: Sender<Item>,\n}\npub struct Item(Db);\nimpl Run for Db {}\n",
        ),
        ("src/cmd.rs", "pub enum Cmd {\n  Get(crate::Item),\n  Put { item: crate::Item },\n}\n"),
    ];
    let expected = [
        "src/lib.rs:2 Run Extends Named -",
        "src/lib.rs:10 Db Implements Run -",
        "src/lib.rs:5 Db Many Item items",
        "src/lib.rs:6 Db Has Item last",
        "src/lib.rs:9 Item Has Db 0",
        "src/cmd.rs:2 Cmd Has Item Get",
        "src/cmd.rs:3 Cmd Has Item Put.item",
    ];
    let mut expected = expected.map(str::to_owned);
    expected.sort();
    let mut found: Vec<String> = dependencies(&rust)
        .relations
        .iter()
        .map(|it| {
            let field = it.field.as_deref().unwrap_or("-");
            format!("{}:{} {} {:?} {} {field}", it.path, it.line, it.from_name, it.kind, it.to_name)
        })
        .collect();
    found.sort();
    assert_eq!(found, expected);
    let csharp = [(
        "A.cs",
        "class Tree : Node, INode\n{\n  INode Root { get; set; }\n  INode First => Root;\n  Node[] all;\n}\nclass Node {}\ninterface INode {}\n",
    )];
    let expected = [
        "A.cs:1 Tree Extends Node -",
        "A.cs:1 Tree Implements INode -",
        "A.cs:3 Tree Has INode Root",
        "A.cs:5 Tree Many Node all",
    ];
    check_relations(&csharp, &expected);
    let c = [(
        "a.h",
        "struct item { struct item *next; struct part parts[4]; struct part **odd; };\nstruct part { int x; };\n",
    )];
    check_relations(&c, &["a.h:1 item Has item next", "a.h:1 item Many part parts"]);
    let java = [
        ("a/Shape.java", "package a;\ninterface Shape extends Named {}\ninterface Named {}\n"),
        (
            "a/Box.java",
            "package a;\nimport java.util.List;\nclass Box extends Base implements Shape {\n  @Inject private List<? extends Shape> all;\n  Item[] items;\n  static class Item {}\n  static final Box EMPTY = null;\n}\nclass Base implements Iterable<Shape> {}\n",
        ),
    ];
    let expected = [
        "a/Shape.java:2 Shape Extends Named -",
        "a/Box.java:3 Box Extends Base -",
        "a/Box.java:3 Box Implements Shape -",
        "a/Box.java:4 Box Many Shape all",
        "a/Box.java:5 Box Many Box.Item items",
    ];
    let mut order: Vec<&str> = expected.to_vec();
    order.sort_by_key(|it| !it.contains("a/Box"));
    order.sort_by_key(|it| !it.starts_with("a/Box"));
    check_relations(&java, &order);
}

#[test]
fn superclasses_of_ruby_are_looked_up_in_the_names_around() {
    let files = [
        (
            "lib/job.rb",
            "module App\n  class Job; end\n  class Late < Job\n    class Error < ::RuntimeError; end\n    class Skip < Error; end\n  end\n  class Pair < Struct.new(:a); end\nend\nclass App::Other < Job\nend\n",
        ),
        ("lib/sub.rb", "module App::Sub\n  class Deep < App::Late\n  end\n  class Odd < Late\n  end\nend\n"),
    ];
    let expected = [
        "lib/job.rb:3 App.Late Extends App.Job -",
        "lib/job.rb:5 App.Late.Skip Extends App.Late.Error -",
        "lib/sub.rb:2 App::Sub.Deep Extends App.Late -",
    ];
    check_relations(&files, &expected);
}

#[test]
fn c_types_that_are_declared_only_are_those_of_the_only_file_that_defines_them() {
    let files = [
        ("api.h", "namespace app {\nclass APP_EXPORT Api { public: virtual void get() = 0; };\n}\n"),
        ("table.h", "namespace app { class Table {}; class Hidden {}; }\n"),
        (
            "db.h",
            "#include \"api.h\"\nnamespace app {\nclass Table;\nclass Db : public Api {\n  Table* table_;\n  Hidden* hidden_;\n};\n}\n",
        ),
        ("iter.h", "typedef struct { int at; } state;\nstruct iter { state now; };\n"),
    ];
    let expected = [
        "db.h:4 app.Db Extends app.Api -",
        "db.h:5 app.Db Has app.Table table_",
        "iter.h:2 iter Has state now",
    ];
    check_relations(&files, &expected);
}

#[test]
fn csharp_imports_inside_a_namespace_are_looked_up_in_those_around() {
    let files = [
        ("src/Message.cs", "namespace Bus.Protocol\n{\n  public class Message {}\n}\n"),
        (
            "src/Connection.cs",
            "namespace Bus\n{\n  using Protocol;\n  class Connection\n  {\n    Message last;\n    void F(object test) { test.ToString(); }\n  }\n}\n",
        ),
        ("tools/Program.cs", "public class test {}\n"),
    ];
    check_relations(&files, &["src/Connection.cs:6 Bus.Connection Has Bus.Protocol.Message last"]);
    let to: Vec<String> = dependencies(&files).edges.into_iter().map(|edge| edge.to).collect();
    assert_eq!(to, ["src/Message.cs"]);
}

#[test]
fn a_name_outside_tests_means_no_definition_of_tests() {
    let files = [
        ("src/Mail.php", "<?php\nnamespace App;\nclass Mail { function send() { mail('a'); own(); } }\n"),
        ("src/own.php", "<?php\nnamespace App;\nfunction own() {}\n"),
        (
            "tests/MailTest.php",
            "<?php\nnamespace App;\nfunction mail($to) {}\nfunction own() {}\nmail('b');\n",
        ),
    ];
    let edges = dependencies(&files).edges;
    let to: BTreeSet<(String, String)> = edges.into_iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(to, BTreeSet::from([("src/Mail.php".to_owned(), "src/own.php".to_owned())]));
}

#[test]
fn a_package_of_a_workspace_is_built_from_its_sources() {
    let files = [
        ("package.json", "{\"workspaces\": [\"packages/*\"]}"),
        ("packages/a/package.json", "{\"name\": \"a\", \"main\": \"dist/index.js\"}"),
        ("packages/a/lib/index.ts", "export class A {}\n"),
        ("packages/b/package.json", "{\"name\": \"b\", \"dependencies\": {\"a\": \"1\"}}"),
        ("packages/b/lib/index.ts", "import { A } from 'a';\nexport class B extends A {}\n"),
    ];
    check_relations(&files, &["packages/b/lib/index.ts:2 B Extends A -"]);
}

#[test]
fn ruby_receivers_are_constructed_values_and_fields_that_hold_one() {
    check(
        &[
            (
                "lib/cli.rb",
                "module Shop\n  class CLI\n    def initialize\n      @till = Till.new\n      @other = Till.new\n      @other = pick\n    end\n    def run(x)\n      @till.open\n      @other.close\n      x.open\n    end\n  end\nend\n",
            ),
            (
                "lib/till.rb",
                "module Shop\n  class Till\n    def open\n    end\n    def close\n    end\n  end\nend\n",
            ),
            ("bin/shop", "#!/usr/bin/env ruby\nShop::CLI.new.run(1)\n"),
        ],
        &["bin/shop:2 CLI.run lib/cli.rb", "lib/cli.rb:9 Till.open lib/till.rb"],
    );
}
