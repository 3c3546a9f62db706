//! Outlines of twelve languages: names, lines, signatures, documentation, decorators, nesting, visibility, imports.

use stategraph_repo::{FileOutline, Language, SymbolInfo, SymbolKind, Visibility, calls, outline};

fn find<'a>(file: &'a FileOutline, name: &str) -> &'a SymbolInfo {
    let found = file.walk().find(|(_, symbol)| symbol.name == name);
    found.unwrap_or_else(|| panic!("{name} in\n{file}")).1
}

/// Every symbol as `kind name line visibility`, indented by its depth.
fn shape(file: &FileOutline) -> String {
    let lines = file.walk().map(|(around, symbol)| {
        let visibility = format!("{:?}", symbol.visibility).to_lowercase();
        format!(
            "{}{} {} {} {visibility}",
            "  ".repeat(around.len()),
            symbol.kind,
            symbol.name,
            symbol.name_line
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(language: Language, text: &str, expect: &str) -> FileOutline {
    let file = outline(language, "file", text);
    let expect: Vec<&str> = expect.trim_matches('\n').lines().collect();
    assert_eq!(shape(&file), expect.join("\n"), "\n{file}");
    file
}

#[test]
fn rust_is_outlined() {
    // CTX-52, 126, 127, 131, 132
    let file = check(
        Language::Rust,
        "//! About.\nuse a::{b, c as d};\n\n// why\n/// One\n/// two.\n///\n/// More.\n#[derive(Debug)]\npub struct P<T>(pub T);\n\
         impl<T> P<T> {\n    pub fn new(\n        a: u32,\n    ) -> Self {\n        fn inner() {}\n    }\n}\nenum E { A, B(u8) }\nconst K: u8 = 1;\n",
        "struct P 10 public\nimpl P 11 private\n  method new 12 public\n    function inner 15 private\nenum E 18 private\n  variant A 18 private\n  variant B 18 private\nvariable K 19 private",
    );
    assert_eq!(file.docstring.as_deref(), Some("About."));
    assert_eq!(file.imports[0].targets, ["a::b", "a::c"]);
    assert_eq!(find(&file, "new").signature, "pub fn new( a: u32, ) -> Self");
    let point = find(&file, "P");
    assert_eq!(point.docstring.as_deref(), Some("One two."));
    assert_eq!((point.line, point.decorators.as_slice()), (10, &["#[derive(Debug)]".to_owned()][..]));
    assert_eq!(point.signature, "pub struct P<T>(pub T)");
}

#[test]
fn python_is_outlined() {
    // CTX-49, 127, 129 to 132
    let file = check(
        Language::Python,
        "\"\"\"About.\n\nMore.\"\"\"\nimport os, sys as s\nfrom .a import b, c\nLIMIT: int = 3\n@dec\n@dec2(1)\nasync def f(a,\n            b=1) -> int:\n    \
         'Doc.'\n    x = 1\n    def _g(): pass\nclass C(B):\n    z: int\n    @property\n    def m(self): return 1\n",
        "variable LIMIT 6 public\nfunction f 9 public\n  function _g 13 private\nclass C 14 public\n  field z 15 public\n  method m 17 public",
    );
    assert_eq!(file.docstring.as_deref(), Some("About."));
    assert_eq!(file.imports[0].targets, ["os", "sys"]);
    assert_eq!(file.imports[1].targets, [".a.b", ".a.c"]);
    let f = find(&file, "f");
    assert_eq!((f.line, f.line_end), (9, 13));
    assert_eq!(f.signature, "async def f(a, b=1) -> int");
    assert_eq!(f.decorators, ["@dec", "@dec2(1)"]);
    assert_eq!(f.docstring.as_deref(), Some("Doc."));
}

#[test]
fn javascript_is_outlined() {
    // CTX-49, 129, 130
    let file = check(
        Language::JavaScript,
        "import x from './x';\nexport * from './z';\nconst r = require('./r');\n/** Doc. */\nexport default function f(a) {}\n\
         export const g = async (a) => { function inner() {} const local = 1 }, h = 1;\nclass A extends B { #p = 1; get m() {} fn = () => {} }\n\
         const o = { a: function() {}, n: 1 };\nA.prototype.foo = function() {};\n",
        "variable r 3 internal\nfunction f 5 public\nfunction g 6 public\n  function inner 6 internal\nvariable h 6 public\nclass A 7 internal\n  field #p 7 private\n  method m 7 public\n  method fn 7 public\nvariable o 8 internal\n  method a 8 internal\nfunction foo 9 internal",
    );
    let targets: Vec<&String> = file.imports.iter().flat_map(|import| &import.targets).collect();
    assert_eq!(targets, ["./x", "./z", "./r"]);
    assert_eq!(find(&file, "f").docstring.as_deref(), Some("Doc."));
    assert_eq!(find(&file, "f").signature, "export default function f(a)");
}

#[test]
fn typescript_lists_the_members_of_interfaces_and_types() {
    // CTX-128, 131
    let file = check(
        Language::TypeScript,
        "import type { T } from './t';\nexport interface I<T> extends J { a: string; m(x: number): void }\nexport type U = { b: string; f(): void };\n\
         enum E { A = 1, B }\nnamespace N { export function g() {} }\n@Dec({a: 1})\nexport abstract class C {\n  @Input() private readonly x: string = '';\n  \
         protected abstract m(): void;\n}\n",
        "interface I 2 public\n  field a 2 public\n  method m 2 public\ntype U 3 public\n  field b 3 public\n  method f 3 public\nenum E 4 internal\n  variant A 4 public\n  variant B 4 public\nnamespace N 5 internal\n  function g 5 public\nclass C 7 public\n  field x 8 private\n  method m 9 protected",
    );
    let class = find(&file, "C");
    assert_eq!((class.line, class.decorators.as_slice()), (7, &["@Dec({a: 1})".to_owned()][..]));
    assert_eq!(class.signature, "export abstract class C");
    let result = "type Make = (name: string) => { run: () => void };\ntype Names<T> = { [key in keyof T]: { name: key } }[keyof T];\n";
    check(Language::TypeScript, result, "type Make 1 internal\ntype Names 2 internal");
    let view = outline(Language::Tsx, "a.tsx", "export const View = (p: P) => <div>{p.a}</div>;\n");
    assert_eq!((view.symbols[0].kind, view.gaps.syntax_errors), (SymbolKind::Function, 0));
}

#[test]
fn go_is_outlined() {
    // CTX-126, 127
    let file = check(
        Language::Go,
        "// Package main is it.\npackage main\n\nimport (\n\t\"fmt\"\n\tm \"a/b\"\n)\n\n// S is.\ntype S struct {\n\tA, B int\n\tC interface{}\n}\ntype I interface { M(a int) error }\n\
         const (\n\tX = iota\n\t// Y is.\n\tY\n)\nfunc (s *S) M(a int) (err error) { f := 1; _ = f; return nil }\nfunc f[T any](a T) {}\n",
        "struct S 10 public\n  field A 11 public\n  field B 11 public\n  field C 12 public\ninterface I 14 public\n  method M 14 public\nvariable X 16 public\nvariable Y 18 public\nmethod M 20 public\nfunction f 21 internal",
    );
    assert_eq!(file.docstring.as_deref(), Some("Package main is it."));
    assert_eq!(file.imports[1].targets, ["a/b"]);
    assert_eq!(find(&file, "S").docstring.as_deref(), Some("S is."));
    assert_eq!(find(&file, "Y").docstring.as_deref(), Some("Y is."));
}

#[test]
fn java_is_outlined() {
    // CTX-126, 131
    let file = check(
        Language::Java,
        "package a.b;\nimport a.b.C;\nimport static x.Y.*;\n/** Doc. */\n@Ann(1)\npublic abstract class A<T> extends B {\n  private static final int X = 1, Y = 2;\n  \
         @Override\n  public void m(int a) throws E { int local; class L {} }\n  enum En { P, Q; int v; }\n  record R(int a) {}\n  interface In { int f(); }\n}\n",
        "class A 6 public\n  field X 7 private\n  field Y 7 private\n  method m 9 public\n    class L 9 internal\n  enum En 10 internal\n    variant P 10 public\n    variant Q 10 public\n    field v 10 internal\n  class R 11 internal\n  interface In 12 internal\n    method f 12 public",
    );
    assert_eq!(file.imports[1].targets, ["x.Y.*"]);
    let class = find(&file, "A");
    assert_eq!((class.line, class.decorators.as_slice()), (6, &["@Ann(1)".to_owned()][..]));
    assert_eq!(class.docstring.as_deref(), Some("Doc."));
    assert_eq!(find(&file, "m").line, 9);
}

#[test]
fn locals_of_initializers_are_no_fields() {
    check(
        Language::Java,
        "class A {\n  static final boolean LOG;\n  static {\n    boolean log = false;\n    LOG = log;\n  }\n  {\n    int other = 1;\n  }\n  Runnable run = () -> { int inner = 1; };\n}\n",
        "class A 1 internal\n  field LOG 2 internal\n  field run 10 internal",
    );
}

#[test]
fn a_comment_above_a_variable_of_a_script_is_no_documentation() {
    let file = outline(
        Language::Bash,
        "a.sh",
        "# builds a release\nversion=1\n\n# Prints it.\nshow() {\n  echo\n}\n",
    );
    assert_eq!(find(&file, "version").docstring, None);
    assert_eq!(find(&file, "show").docstring.as_deref(), Some("Prints it."));
}

#[test]
fn c_and_cpp_are_outlined() {
    // CTX-49
    let file = check(
        Language::C,
        "#include \"a/b.h\"\n#define M 1\n/* Doc. */\nstatic int *foo(int a) { int local; return 0; }\nint\nbar(void) { return 0; }\nstruct S { int a, *b; };\n\
         typedef struct { int z; } TS;\nenum E { A };\nint g = 1, *h;\nstruct S *use(struct S *s);\n",
        "macro M 2 public\nfunction foo 4 internal\nfunction bar 6 public\nstruct S 7 public\n  field a 7 public\n  field b 7 public\ntype TS 8 public\n  field z 8 public\nenum E 9 public\n  variant A 9 public\nvariable g 10 public\nvariable h 10 public\nfunction use 11 public",
    );
    assert_eq!(file.imports[0].targets, ["\"a/b.h\""]);
    assert_eq!(find(&file, "foo").docstring.as_deref(), Some("Doc."));
    assert_eq!(find(&file, "bar").line, 5);
    let file = check(
        Language::Cpp,
        "namespace n {\n/// Doc.\ntemplate <typename T>\nclass C : public B {\npublic:\n  C();\n  virtual void m() const = 0;\nprivate:\n  int x_ = 1;\n};\n}\nvoid n::C::m() const {}\n",
        "namespace n 1 public\n  class C 4 public\n    method C 6 public\n    method m 7 public\n    field x_ 9 private\nmethod n::C::m 12 public",
    );
    assert_eq!(find(&file, "C").signature, "template <typename T> class C : public B");
    assert_eq!(find(&file, "C").docstring.as_deref(), Some("Doc."));
}

#[test]
fn csharp_ruby_php_and_bash_are_outlined() {
    // CTX-49
    check(
        Language::CSharp,
        "using System;\nnamespace A.B {\n[Attr]\npublic class C : B {\n  private int _x = 1, _y;\n  public int P { get; set; }\n  void M() { int local = 1; }\n  enum E { A }\n}\n}\n",
        "namespace A.B 2 public\n  class C 4 public\n    field _x 5 private\n    field _y 5 private\n    field P 6 public\n    method M 7 private\n    enum E 8 private\n      variant A 8 public",
    );
    let ruby = check(
        Language::Ruby,
        "require 'set'\nrequire_relative 'a/b'\n# Doc.\nmodule M\n  X = 1\n  class A < B\n    def m(a); end\n    def self.s; end\n    private\n    def p; end\n  end\nend\n",
        "module M 4 public\n  variable X 5 public\n  class A 6 public\n    method m 7 public\n    method s 8 public\n    method p 10 private",
    );
    assert_eq!(ruby.imports[1].targets, ["./a/b"]);
    let php = check(
        Language::Php,
        "<?php\nnamespace A\\B;\nuse X\\{P, Q};\n/** Doc. */\nabstract class C extends D {\n  const K = 1;\n  private ?int $x = 1;\n  protected function m(int $a): string {}\n}\nfunction g() {}\n",
        "namespace A\\B 2 public\nclass C 5 public\n  field K 6 public\n  field $x 7 private\n  method m 8 protected\nfunction g 10 public",
    );
    assert_eq!(php.imports[0].targets, ["X\\P", "X\\Q"]);
    let bash = check(
        Language::Bash,
        "#!/bin/sh\n. ./lib.sh\nexport Y=2\n# Doc.\nf() { local a=1; }\nfunction g { :; }\n",
        "variable Y 3 public\nfunction f 5 public\nfunction g 6 public",
    );
    assert_eq!(bash.imports[0].targets, ["./lib.sh"]);
    assert_eq!(find(&bash, "f").docstring.as_deref(), Some("Doc."));
}

#[test]
fn code_with_errors_in_it_is_outlined_as_far_as_it_goes() {
    // CTX-57
    let file = outline(
        Language::Rust,
        "a.rs",
        "fn good() {}\nfn bad( { ] ;\nstruct After { a: u8 }\nfn last() {}\n",
    );
    assert!(file.gaps.syntax_errors > 0);
    assert_eq!(find(&file, "good").line, 1);
    assert_eq!(find(&file, "last").line, 4);
    let python =
        outline(Language::Python, "a.py", "def f(:\n  pass\n\nclass C:\n    def m(self):\n        pass\n");
    assert_eq!(find(&python, "m").line, 5);
}

#[test]
fn lines_are_the_same_with_carriage_returns() {
    // CTX-137
    let text = "/// Doc.\nfn a() {\n}\n\nfn b() {}\n";
    let (unix, windows) =
        (outline(Language::Rust, "a", text), outline(Language::Rust, "a", &text.replace('\n', "\r\n")));
    assert_eq!(shape(&unix), shape(&windows));
    assert_eq!(windows.symbols[0].docstring.as_deref(), Some("Doc."));
    assert_eq!(windows.line_count, unix.line_count);
}

#[test]
fn an_outline_has_no_bodies_and_a_long_one_is_cut_with_a_count() {
    // CTX-52, 133
    let body = "    let x = compute(1, 2, 3);\n".repeat(50);
    let text: String = (0..40)
        .map(|n| format!("/// Does {n}.\npub fn function_{n}(a: u32) -> u32 {{\n{body}}}\n"))
        .collect();
    let file = outline(Language::Rust, "src/a.rs", &text);
    let shown = file.to_string();
    assert!(!shown.contains("compute") && shown.len() * 20 < text.len(), "{} of {}", shown.len(), text.len());
    let brief = file.brief(500);
    assert!(brief.ends_with(" of 41 lines of the outline left out]"), "{brief}");
    assert!(brief.chars().count() < 600);
    assert_eq!(file.brief(100_000), shown);
}

#[test]
fn hostile_code_ends_in_time_and_depth() {
    // ENG-19, 20
    let deep = format!("{}{}", "fn f() { ".repeat(5_000), "}".repeat(5_000));
    let file = outline(Language::Rust, "a.rs", &deep);
    assert!(file.gaps.symbols > 0);
    for language in Language::all() {
        for text in [
            "(".repeat(100_000),
            "\u{0}\u{1}\u{7f}é".repeat(1000),
            "{ [ ( < \" ' ` /* ".repeat(2000),
            String::new(),
        ] {
            let file = outline(language, "x", &text);
            assert_eq!(file.line_count, text.lines().count());
        }
    }
    let minified = format!("var a={{{}}};function last(){{}}", "k:function(){return 1},".repeat(20_000));
    let file = outline(Language::JavaScript, "a.min.js", &minified);
    assert!(file.walk().count() + file.gaps.symbols > 15_000);
}

#[test]
fn optional_fields_are_present_and_null() {
    // CTX-62, 64, 66
    let file = outline(Language::Python, "a.py", "def f(): pass\n");
    let json = serde_json::to_value(&file).unwrap();
    assert_eq!(json["symbols"][0]["docstring"], serde_json::Value::Null);
    assert_eq!(json["language"], "python");
    for key in ["name", "kind", "line", "line_end", "signature", "children", "decorators", "docstring"] {
        assert!(json["symbols"][0].get(key).is_some(), "{key}");
    }
    assert_eq!(find(&file, "f").visibility, Visibility::Public);
}

#[test]
fn a_file_without_an_extension_says_what_runs_it() {
    assert_eq!(Language::of("tool", "#!/usr/bin/env python3\n"), Some(Language::Python));
    assert_eq!(Language::of("tool", "#!/bin/sh -e\n"), Some(Language::Bash));
    assert_eq!(Language::of("LICENSE", "Copyright\n"), None);
    assert_eq!(Language::of("a.h", "class C {};\n"), Some(Language::Cpp));
    assert_eq!(Language::of("a.h", "struct C {};\n"), Some(Language::C));
}

#[test]
fn a_file_of_rust_speaks_behind_its_attributes_and_in_blocks() {
    // CTX-52, 132
    let said = |text: &str| outline(Language::Rust, "a.rs", text).docstring;
    assert_eq!(
        said(
            "// licence\n\n#![cfg(all(not(loom), feature = \"x\"))]\n\n//! One\n//! two.\n//!\n//! Three.\n"
        )
        .as_deref(),
        Some("One two.")
    );
    assert_eq!(said("/*!\nOne.\n\nTwo.\n*/\n#![no_std]\nfn f() {}").as_deref(), Some("One."));
    assert_eq!(said("/* licence */\nfn f() {}\n//! late"), None);
    assert_eq!(said("#![broken("), None);
}

#[test]
fn what_a_script_exports_behind_its_definitions_is_public() {
    // CTX-49, 129
    let public = |text: &str| -> Vec<String> {
        let file = outline(Language::JavaScript, "a.js", text);
        let public = file.symbols.iter().filter(|symbol| symbol.visibility == Visibility::Public);
        public.map(|symbol| symbol.name.clone()).collect()
    };
    assert_eq!(public("class A {}\nclass B {}\nmodule.exports = A;"), ["A"]);
    assert_eq!(
        public("function a() {}\nfunction b() {}\nfunction c() {}\nmodule.exports = { a, x: b };"),
        ["a", "b"]
    );
    assert_eq!(
        public("function a() {}\nexports = module.exports = a;\nexports.b = b;\nfunction b() {}"),
        ["a", "b"]
    );
    assert_eq!(public("const a = () => 1;\nclass C {}\nexport { a as z };\nexport default C;"), ["a", "C"]);
    assert_eq!(public("function a() {}\nother.exports = a;\nexport { a } from './x';"), Vec::<String>::new());
}

#[test]
fn exports_without_a_definition_of_their_own_are_outlined() {
    // CTX-49, 129
    let public = |language: Language, text: &str| -> Vec<String> {
        let file = outline(language, "a.js", text);
        let public = file.symbols.iter().filter(|symbol| symbol.visibility == Visibility::Public);
        public.map(|symbol| format!("{} {}", symbol.kind, symbol.name)).collect()
    };
    let js = |text: &str| public(Language::JavaScript, text);
    assert_eq!(
        js("export const { a, b: c, ...rest } = f(), [d, { e = 1 }] = g();"),
        ["variable a", "variable c", "variable rest", "variable d", "variable e"]
    );
    assert_eq!(js("const { a, b } = require('./x');"), Vec::<String>::new(), "an import is no definition");
    assert_eq!(
        js(
            "exports.json = parser.json;\nmodule.exports.port = 80;\nexports.x = void 0;\nexports.y = exports.z = void 0;\nother.w = 1;"
        ),
        ["variable json", "variable port"]
    );
    assert_eq!(
        js(
            "function a() {}\nmodule.exports = {\n  a,\n  b: function () {},\n  c(x) {},\n  limit: 5,\n  d: require('./d'),\n};"
        ),
        ["function a", "method b", "method c", "variable limit", "variable d"]
    );
    assert_eq!(
        js("(function () { exports.a = 1; })();"),
        Vec::<String>::new(),
        "inside a function it is local"
    );
    assert_eq!(js("export default { name: 'x', run() {} };"), ["variable default"]);
    assert_eq!(js("export default (a, b) => a;"), ["function default"]);
    assert_eq!(js("export default class { run() {} }"), ["class default"]);
    assert_eq!(public(Language::TypeScript, "export default defineConfig({});"), ["variable default"]);
    assert_eq!(
        js("class A {}\nexport default A;\nexport default function g() {}"),
        ["class A", "function g"]
    );
    let file = outline(
        Language::JavaScript,
        "a.js",
        "/** Adds. */\nexport default async (a, b) => {\n  return a + b;\n};\n",
    );
    assert_eq!(
        (file.symbols[0].signature.as_str(), file.symbols[0].line),
        ("export default async (a, b)", 2)
    );
    assert_eq!(file.symbols[0].docstring.as_deref(), Some("Adds."));
}

#[test]
fn calls_are_named_as_they_are_written() {
    let named = |language: Language, text: &str| -> Vec<String> {
        calls(language, text).into_iter().map(|call| format!("{} {}", call.line, call.name)).collect()
    };
    assert_eq!(
        named(Language::Rust, "fn f() {\n  a::b::<T>(c());\n  x.run()?;\n  (g)()();\n}"),
        ["2 c", "2 a::b", "3 x.run"]
    );
    assert_eq!(named(Language::Python, "a.b(c)\nf()[0]()\n"), ["1 a.b", "2 f"]);
    assert_eq!(named(Language::TypeScript, "new A.B<T>(x); f<T>(y); t`x`;"), ["1 A.B", "1 f", "1 t"]);
    assert_eq!(
        named(Language::Java, "class A { void m() { n(); B.o(); new C<>(); } }"),
        ["1 n", "1 B.o", "1 C"]
    );
    assert_eq!(named(Language::Go, "package m\nfunc f() { store.Open() }"), ["2 store.Open"]);
    assert_eq!(named(Language::Rust, ""), Vec::<String>::new());
}

#[test]
fn the_comment_of_a_package_of_go_is_read_from_its_beginning() {
    let about = |text: &str| outline(Language::Go, "a.go", text).docstring;
    let globs = "/*\nPackage glob matches a/* and /*b\npackage names too.\n*/\npackage glob\n";
    assert_eq!(about(globs).as_deref(), Some("Package glob matches a/* and /*b package names too."));
    assert_eq!(about("// Licence.\n\n// Package a is it.\npackage a\n").as_deref(), Some("Package a is it."));
    assert_eq!(about("// Licence.\n\npackage a\n"), None);
    assert_eq!(about("package a\n\n// x\n"), None);
}

#[test]
fn tests_are_known_by_their_attributes_and_names() {
    let text = "#[tokio::test(flavor = \"x\")]\nasync fn a() {}\n#[cfg(test)]\nmod b {}\n#[rstest]\nfn c() {}\nfn test_d() {}\n#[cfg(feature = \"test\")]\nfn e() {}\n#[cfg(test_helpers)]\nfn f() {}\n#[cfg(not(test))]\nfn g() {}\n#[cfg(all(test, unix))]\nmod h {}\n";
    let file = outline(Language::Rust, "a.rs", text);
    let tests: Vec<&str> = file.symbols.iter().filter(|it| it.is_test()).map(|it| it.name.as_str()).collect();
    assert_eq!(tests, ["a", "b", "c", "test_d", "h"]);
}

#[test]
fn operators_are_names_of_methods() {
    let text = "class A\n  def <<(a); end\n\n  def [](a); end\n\n  def <=>(a); end\nend\n";
    let file = outline(Language::Ruby, "a.rb", text);
    let names: Vec<&str> = file.symbols[0].children.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["<<", "[]", "<=>"]);
}

#[test]
fn a_documentation_or_a_word_of_the_project_may_hide_a_method() {
    let text = "class A\n  # Opens it.\n  def open; end\n\n  # @private\n  def close; end\n\n  internal def log; end\nend\n";
    let file = outline(Language::Ruby, "a.rb", text);
    let shown = file.symbols[0].children.iter().map(|one| (one.name.as_str(), one.visibility));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [("open", Visibility::Public), ("close", Visibility::Internal), ("log", Visibility::Internal)]
    );
}
