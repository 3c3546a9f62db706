//! Relations between types, traces of calls (each step is a call that stands in the function before), and the calls of a function.

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

/// Compares the facts of a kind, as `subject: value [source] role`.
#[track_caller]
fn check(files: &[(&str, &str)], kind: FactKind, expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new(files.iter().copied()))));
    let shown: Vec<String> = facts.of_kind(kind).map(show).collect();
    assert_eq!(shown, expected);
}

fn show(fact: &Fact) -> String {
    let value = match &fact.value {
        FactValue::Relation { relation, name, field, .. } => {
            format!("{relation:?} {name} {}", field.as_deref().unwrap_or("-"))
        }
        FactValue::Trace { steps } | FactValue::Calls { calls: steps } => {
            let shown: Vec<String> = steps.iter().map(|step| format!("{} {}", step.name, step.at)).collect();
            shown.join(" > ")
        }
        other => format!("{other:?}"),
    };
    format!("{}: {value} [{}] {:?}", fact.subject, fact.sources[0], fact.role)
}

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"app\"\n");

#[test]
fn relations_of_tests_have_their_own_role() {
    let files = [
        MANIFEST,
        (
            "src/lib.rs",
            "pub struct Db {\n    rows: Vec<Row>,\n}\npub struct Row;\n#[cfg(test)]\nmod t {\n    struct Fake(super::Db);\n}\n",
        ),
        ("tests/it.rs", "struct Case {\n    db: app::Db,\n}\n"),
        ("examples/e.rs", "struct Shown {\n    db: app::Db,\n}\n"),
    ];
    let expected = [
        "examples/e.rs Shown: Has Db db [examples/e.rs:2] Example",
        "src/lib.rs Db: Many Row rows [src/lib.rs:2] Runtime",
        "src/lib.rs t.Fake: Has Db 0 [src/lib.rs:7] Test",
        "tests/it.rs Case: Has Db db [tests/it.rs:2] Test",
    ];
    check(&files, FactKind::Relation, &expected);
}

#[test]
fn a_trace_follows_the_call_that_reaches_most_and_ends_where_nothing_resolves() {
    let files = [
        MANIFEST,
        (
            "src/main.rs",
            "mod server;\nmod log;\nfn main() {\n    log::init();\n    let server = server::Server::new();\n    server.run();\n}\n",
        ),
        ("src/log.rs", "pub fn init() {}\n"),
        (
            "src/server.rs",
            "pub struct Server;\nimpl Server {\n    pub fn new() -> Self { Server }\n    pub fn run(&self) { self.step(); unknown.call(); }\n    fn step(&self) { again(self); }\n}\nfn again(server: &Server) { server.run(); }\n",
        ),
        // The only call is one of a library.
        ("src/bin/alone.rs", "fn main() { println!(\"{}\", std::env::args().count()); }\n"),
        ("examples/e.rs", "fn main() { app(); }\nfn app() {}\n"),
    ];
    let expected =
        ["src/main.rs main: main src/main.rs:3 > Server.run src/main.rs:6 > Server.step src/server.rs:4 > \
                     again src/server.rs:5 [src/main.rs:3] Runtime"];
    check(&files, FactKind::Trace, &expected);
}

#[test]
fn programs_of_python_begin_where_their_manifest_says() {
    let files = [
        ("pyproject.toml", "[project]\nname = \"shop\"\n[project.scripts]\nshop = \"shop.cli:start\"\n"),
        ("shop/__init__.py", ""),
        (
            "shop/cli.py",
            "from shop.core import Core\n\ndef start():\n    core = Core()\n    core.run()\n\ndef main():\n    start()\n",
        ),
        (
            "shop/core.py",
            "class Core:\n    def run(self):\n        self.serve()\n    def serve(self):\n        self.answer()\n        self.sell()\n    def answer(self): pass\n    def sell(self): pass\n",
        ),
    ];
    let expected =
        ["shop/cli.py start: start shop/cli.py:3 > Core.run shop/cli.py:5 > Core.serve shop/core.py:3 \
                     [shop/cli.py:3] Runtime"];
    check(&files, FactKind::Trace, &expected);
}

/// Returns the files of a program whose `main` calls these functions, each of which reaches the same number of functions.
fn program(calls: &str) -> [(&'static str, String); 3] {
    let core = "pub struct Server;\nimpl Server {\n    pub fn run(&self) { self.step(); }\n    fn step(&self) { a(); b(); }\n}\npub fn print_usage() { a(); b(); c(); d(); e(); }\npub fn work() { step_on(); }\nfn step_on() { c(); d(); }\nfn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\nfn e() {}\n";
    [
        ("Cargo.toml", "[package]\nname = \"app\"\n".to_owned()),
        ("src/core.rs", core.to_owned()),
        (
            "src/main.rs",
            format!("mod core;\nuse core::{{Server, print_usage, work}};\nfn main() {{\n{calls}}}\n"),
        ),
    ]
}

#[track_caller]
fn check_main(calls: &str, expected: &[&str]) {
    let files = program(calls);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    check(&files, FactKind::Trace, expected);
}

#[test]
fn a_trace_leaves_out_what_only_prints() {
    check_main(
        "    print_usage();\n    let server: Server = Server;\n    server.run();\n",
        &["src/main.rs main: main src/main.rs:3 > Server.run src/main.rs:6 > Server.step src/core.rs:3 \
             [src/main.rs:3] Runtime"],
    );
}

#[test]
fn a_trace_ends_where_a_program_does_several_things_or_unknown_ones() {
    check_main("    let server: Server = Server;\n    server.run();\n    work();\n", &[]);
    // A value that is called may be any function.
    check_main("    let next = pick();\n    next();\n    work();\n", &[]);
    // The type of the value is not written, and one function has the name.
    check_main(
        "    let other = pick();\n    other.step_on();\n    let server: Server = Server;\n    server.run();\n",
        &[],
    );
}

#[test]
fn a_program_of_ruby_is_followed_through_its_constructors() {
    let files = [
        (
            "shop.gemspec",
            "Gem::Specification.new do |s|\n  s.name = 'shop'\n  s.executables = ['shop']\nend\n",
        ),
        ("bin/shop", "#!/usr/bin/env ruby\nrequire 'shop/cli'\n\ncli = Shop::CLI.new ARGV\n\ncli.run\n"),
        (
            "lib/shop/cli.rb",
            "module Shop\n  class CLI\n    def initialize(argv)\n      @server = Shop::Server.new(argv)\n    end\n    def run\n      @server.run\n    end\n  end\nend\n",
        ),
        (
            "lib/shop/server.rb",
            "module Shop\n  class Server\n    def run\n      accept\n      answer(1)\n    end\n    def accept\n    end\n    def answer(x)\n    end\n  end\nend\n",
        ),
    ];
    let expected = [
        "bin/shop shop: shop bin/shop:1 > CLI.run bin/shop:6 > Server.run lib/shop/cli.rb:7 [bin/shop:1] Runtime",
    ];
    check(&files, FactKind::Trace, &expected);
}

#[test]
fn the_calls_of_a_function_stand_in_the_order_in_which_they_run() {
    let files = [
        MANIFEST,
        (
            "src/main.rs",
            "mod store; mod chain;\nfn main() {\n    let all = store::read();\n    show(&all);\n    show(&all);\n    println!();\n}\nfn show(all: &str) {}\n",
        ),
        (
            "src/store.rs",
            "pub fn read() -> String {\n    clean(String::new())\n}\nfn clean(text: String) -> String { text }\n",
        ),
        ("tests/it.rs", "fn a() { b(); }\nfn b() {}\n"),
        (
            "src/chain.rs",
            "pub struct A;\nimpl A {\n    pub fn new() -> A { A }\n    pub fn one(self) -> A { self }\n    pub fn two(self, n: u8) -> A { self }\n}\nfn three() -> u8 { 3 }\npub fn all() {\n    A::new().one().two(three());\n}\n",
        ),
    ];
    let expected = [
        "src/chain.rs all: A.new src/chain.rs:9 > A.one src/chain.rs:9 > three src/chain.rs:9 > A.two src/chain.rs:9 [src/chain.rs:8] Runtime",
        "src/main.rs main: read src/main.rs:3 > show src/main.rs:4 [src/main.rs:2] Runtime",
        "src/store.rs read: clean src/store.rs:2 [src/store.rs:1] Runtime",
    ];
    check(&files, FactKind::Calls, &expected);
}

#[test]
fn a_call_of_an_overload_is_told_by_its_name_and_followed_by_no_trace() {
    let code = "class Shop {\n  public static void main(String[] args) {\n    take(\"a\");\n  }\n  static void take(String name) {\n    take(name, 1);\n  }\n  static void take(String name, int count) {\n    System.out.println(name);\n  }\n}\n";
    let files = [
        ("pom.xml", "<project><groupId>a</groupId><artifactId>shop</artifactId></project>"),
        ("src/main/java/Shop.java", code),
    ];
    let expected = [
        "src/main/java/Shop.java Shop.main: Shop.take src/main/java/Shop.java:3 [src/main/java/Shop.java:2] Runtime",
        "src/main/java/Shop.java Shop.take: Shop.take src/main/java/Shop.java:6 [src/main/java/Shop.java:5] Runtime",
    ];
    check(&files, FactKind::Calls, &expected);
    check(&files, FactKind::Trace, &[]);
}
