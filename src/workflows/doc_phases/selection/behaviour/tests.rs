//! Rules read from small files in several languages, as lines.

#![allow(clippy::format_collect, reason = "the texts of tests are short")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::of_file;
use crate::repo::{FileOutline, Language, outline};

fn check(language: Language, text: &str, expect: &str) {
    let file = outline(language, "a", text);
    let mut said = String::new();
    for (name, behaviour) in of_file(&file, text, BTreeSet::new()) {
        behaviour
            .documentation
            .iter()
            .for_each(|text| writeln!(said, "{name} doc {text}").expect("a string"));
        for entry in &behaviour.entries {
            writeln!(said, "{name} {} {} = {}", entry.line, entry.key, entry.value.as_deref().unwrap_or("-"))
                .expect("a string");
        }
        for (field, entry) in &behaviour.defaults {
            writeln!(said, "{name}.{field} {} = {}", entry.line, entry.value.as_deref().unwrap_or("-"))
                .expect("a string");
        }
        for failure in &behaviour.failures {
            let branch = failure.branch.as_deref().unwrap_or("-");
            writeln!(said, "{name} {} {} @ {branch}", failure.line, failure.statement).expect("a string");
        }
        for variant in &behaviour.variants {
            writeln!(said, "{name} {} {} # {}", variant.lines.start, variant.signature, variant.condition)
                .expect("a string");
        }
    }
    assert_eq!(said.trim(), expect.trim(), "{text}");
}

#[test]
fn failures_have_their_statement_and_the_branch_around_it() {
    check(
        Language::Python,
        "def sell(x):\n    \"\"\"Sells.\n\n    raise nothing\n    \"\"\"\n    if x is None:\n        raise ValueError(\n            \"no bread\",\n        )\n    try:\n        go()\n    except KeyError:\n        raise Shop(f\"a {x}\")\n    if x == 1:\n        pass\n    else:\n        raise Other\n    s = 'raise me'\n",
        "sell doc raise nothing\nsell 7 raise ValueError(\"no bread\") @ if x is None:\nsell 13 raise Shop(f\"a {x}\") @ except KeyError:\nsell 17 raise Other @ else of if x == 1:",
    );
    check(
        Language::Rust,
        "fn open(x: Option<u8>) -> Result<u8, E> {\n    let n = x.expect(\"a number\");\n    if n > 3 {\n        return Err(E::Large(n));\n    }\n    for i in 0..n {\n        match i {\n            7 => return Err(E::Seven),\n            _ => {\n                assert!(i < 9, \"small\");\n            }\n        }\n    }\n    if let Err(e) = f() { log(e); }\n    let Some(y) = g() else {\n        panic!(\"no y\");\n    };\n    run(|| {\n        Err(E::Inner)\n    })\n}\n",
        "open 2 expect(\"a number\") @ -\nopen 4 return Err(E::Large(n)) @ if n > 3 {\nopen 8 return Err(E::Seven) @ 7 =>\nopen 10 assert!(i < 9, \"small\") @ _ => {\nopen 16 panic!(\"no y\") @ let Some(y) = g() else {\nopen 19 Err(E::Inner) @ -",
    );
    check(
        Language::Go,
        "package a\n\n// Open opens.\nfunc Open(n int) error {\n\tif n < 0 {\n\t\treturn fmt.Errorf(\"bad %d\", n)\n\t}\n\tswitch n {\n\tcase 3:\n\t\tpanic(\"three\")\n\t}\n\treturn nil\n}\n",
        "Open 6 return fmt.Errorf(\"bad %d\", n) @ if n < 0 {\nOpen 10 panic(\"three\") @ case 3:",
    );
    check(
        Language::TypeScript,
        "export function open(n: number) {\n  if (!n) throw new Error('none');\n  if (\n    n > 3 &&\n    n < 9\n  ) {\n    throw new RangeError(`n ${n}`);\n  }\n  items.map((x) => {\n    throw x;\n  });\n}\n",
        "open 2 throw new Error('none') @ if (!n)\nopen 7 throw new RangeError(`n ${n}`) @ if (n > 3 && n < 9) {\nopen 10 throw x @ -",
    );
}

#[test]
fn conditions_without_braces_and_of_several_lines_are_branches() {
    check(
        Language::Java,
        "class A {\n  void f(int x) {\n    if (x > 1) {\n      if (x > 3)\n        throw new E();\n      if (g(\n          x)) {\n        throw new F();\n      }\n      g();\n      throw new G();\n    }\n    if (x > 2) { g(); } throw new H();\n  }\n}\n",
        "A.f 5 throw new E() @ if (x > 3)\nA.f 8 throw new F() @ if (g(x)) {\nA.f 11 throw new G() @ if (x > 1) {\nA.f 13 throw new H() @ -",
    );
    check(
        Language::Ruby,
        "def f(x)\n  if x.nil?\n    raise E\n  elsif x > 3\n    raise F, 'f'\n  else\n    raise G\n  end\nend\n",
        "f 3 raise E @ if x.nil?\nf 5 raise F, 'f' @ elsif x > 3\nf 7 raise G @ else of elsif x > 3",
    );
    check(
        Language::Python,
        "def f(x):\n    if (x and\n            y):\n        pass\n    else:\n        raise E()\n",
        "f 6 raise E() @ else of if (x and y):",
    );
    check(
        Language::Python,
        "def f():\n    if a \\\n            and b:\n        raise D\n    raise E(\n        1\n    ) from e",
        "f 4 raise D @ if a and b:\nf 5 raise E(1) from e @ -",
    );
    check(
        Language::Rust,
        "fn f() -> Result<(), E> {\n    let Some(x) =\n        y()\n    else {\n        return Err(E::None);\n    };\n    let Some(z) = y() else { return Err(E::Z) };\n    parser.expect(Kind::X)?;\n    *x.expect(\"three\") = 4;\n    if a ==\n        b\n        && c\n    {\n        Ok(())\n    } else {\n        Err(E::Four)\n    }\n}\n#[cfg(windows)]\nfn g() { panic!(\"no\") }\n",
        "f 5 return Err(E::None) @ let Some(x) = y() else {\nf 7 return Err(E::Z) @ let Some(z) = y() else {\nf 9 expect(\"three\") @ -\nf 16 Err(E::Four) @ else of if a == b && c {\ng 20 panic!(\"no\") @ #[cfg(windows)]",
    );
}

#[test]
fn a_condition_without_braces_is_the_branch_of_one_statement() {
    check(
        Language::JavaScript,
        "function f() {\n  if (a &&\n      b)\n      throw c;\n  if (d) g();\n  else\n    throw e;\n  if (h)\n    i();\n    throw j;\n}\n",
        "f 4 throw c @ if (a && b)\nf 7 throw e @ -\nf 10 throw j @ -",
    );
    check(
        Language::Go,
        "package a\n\nfunc F() {\n\tif a &&\n\t\tb {\n\t\tpanic(\"no\")\n\t}\n}\n",
        "F 6 panic(\"no\") @ if a && b {",
    );
}

#[test]
fn what_is_said_of_one_definition_is_not_said_of_another_of_its_name() {
    check(
        Language::Rust,
        "struct Word;\nimpl From<u8> for Word {\n    fn from(_: u8) -> Self { Word }\n}\nimpl From<u16> for Word {\n    /// Makes it. Takes two.\n    fn from(_: u16) -> Self { Word }\n}\nimpl<'a> IntoIterator for &'a mut text::Word {\n    /// Begins. Never ends.\n    fn into_iter(self) {}\n}\n",
        "Word.from 3 fn from(_: u8) -> Self # \nWord.from 7 fn from(_: u16) -> Self # \nWord.into_iter doc Never ends.",
    );
}

#[test]
fn each_definition_is_read_by_its_own_bytes_and_few_are_read() {
    let text = "fn f() { panic!(\"a\") } ".repeat(2_000);
    let file = outline(Language::Rust, "a", &text);
    let mut reader = super::FileReader::of(&file, &text);
    reader.read_all(None, &file.symbols);
    assert_eq!(reader.read, super::DEFINITIONS);
    assert_eq!(reader.found["f"].failures.len(), super::failures::FAILURES);
    let bytes: usize = file.symbols.iter().map(|one| reader.masked.range_of(one, 600).len()).sum();
    assert!(bytes > 0 && bytes <= text.len(), "{bytes}");
}

#[test]
fn failures_of_tests_are_left_out() {
    check(
        Language::Rust,
        "#[cfg(test)]\nmod tests {\n    fn f() { panic!(\"no\"); }\n}\n#[test]\nfn g() {\n    panic!(\"no\");\n}\n",
        "",
    );
}

#[test]
fn tables_have_their_entries_and_constructors_their_literals() {
    check(
        Language::Python,
        "# Words\nMAP = {\n    \"a\": lambda s, t: s.a(t),  # first\n    \"b\": {\"x\": 1},\n}\nRE = re.compile(\n    r\"x\"\n)\nNAMES = frozenset({\n    'a, b',\n    'c',\n})\n\nclass Shop:\n    def __init__(self, size):\n        self.size = size\n        self.open = True\n        self.left = max(size, 3)\n        self.name = 'x'\n        self.name = 'y'\n",
        "MAP 3 \"a\" = lambda s, t: s.a(t)\nMAP 4 \"b\" = {\"x\": 1}\nNAMES 10 'a, b' = -\nNAMES 11 'c' = -\nShop.open 17 = True",
    );
    check(
        Language::Rust,
        "pub struct A { n: u8, d: Duration, k: u8 }\nimpl A {\n    pub const fn new(k: u8) -> Self {\n        Self {\n            n: 3,\n            d: Duration::from_secs(1),\n            k,\n        }\n    }\n}\nconst T: &[(&str, u8)] = &[\n    (\"x\", 1),\n    (\"y\", 2),\n];\n",
        "A.d 6 = Duration::from_secs(1)\nA.n 5 = 3\nT 12 \"x\" = 1\nT 13 \"y\" = 2",
    );
    check(
        Language::Go,
        "package a\n\ntype C struct{ N int; M string }\n\nfunc NewC(m string) *C {\n\treturn &C{\n\t\tN: 3,\n\t\tM: m,\n\t}\n}\n\nvar names = map[string]int{\n\t\"a\": 1,\n}\n",
        "C.N 7 = 3\nnames 13 \"a\" = 1",
    );
}

#[test]
fn a_table_with_a_computed_entry_is_none() {
    let none = |language, text: &str| check(language, text, "");
    none(Language::Python, "A = {\n    key: compute(key, 1) for key in names()\n}\n");
    none(Language::Python, "A = [\n    compute('a'), compute('b')\n]\n");
    none(Language::Python, "A = [\n    size >= 3,\n    kind == 'x',\n    size <= 4,\n]\n");
    none(Language::Python, "A = [\n    *B,\n    'x',\n]\n");
    none(Language::Python, "A = [\n    lambda: 3,\n]\n");
    none(Language::Python, "A = set(\n    'letters'\n)\n");
    none(Language::Python, "A, B = [\n    1,\n], [2]\n");
    none(Language::Python, "A = [\n    1,\n][0]\n");
    none(Language::JavaScript, "const A = [\n  (x) => x + 1,\n];\n");
    none(Language::JavaScript, "const A = [\n  1, 2]\n  .map(f);\n");
    none(Language::JavaScript, "const A = Object.freeze(make({\n  a: 1 }));\n");
    none(Language::JavaScript, "const A = {\n  ...B,\n  a: 1,\n};\n");
    none(Language::Rust, "const A: &[bool] = &[\n    1 != 2,\n];\n");
    none(Language::Go, "package a\n\nvar a, b = []int{\n\t1,\n}, []int{2}\n");
}

#[test]
fn pairs_and_signs_between_keys_and_values_are_those_of_the_language() {
    check(
        Language::Rust,
        "const T: &[((u8, u8), &str)] = &[\n    ((1, 2), \"x\"),\n    (3, 4, 5),\n    A::B,\n    P { x: 1 },\n];\n",
        "T 2 (1, 2) = \"x\"\nT 3 (3, 4, 5) = -\nT 4 A::B = -\nT 5 P { x: 1 } = -",
    );
    check(Language::Ruby, "T = {\n  'a' => 1,\n  b: 2,\n}.freeze\n", "T 2 'a' = 1\nT 3 b = 2");
    check(
        Language::TypeScript,
        "const T = Object.freeze({\n  a: (x) => x + 1,\n  'b=': 2,\n} as const);\nconst U = [\n  -1,\n] as const;\n",
        "U 6 -1 = -",
    );
    check(Language::JavaScript, "const T = new Map([\n  ['a', 1],\n]);\n", "T 2 ['a', 1] = -");
}

#[test]
fn entries_beyond_the_bounds_are_counted() {
    let rows: String = (0..33).map(|at| format!("    'k{at}': {at},\n")).collect();
    let text = format!("A = {{\n    '{}': 1,\n{rows}}}\n", "x".repeat(80));
    let file = outline(Language::Python, "a", &text);
    let found = of_file(&file, &text, BTreeSet::new());
    assert_eq!((found["A"].entries.len(), found["A"].more_entries), (30, 4));
    assert_eq!(found["A"].entries[0].key, "'k0'");
}

#[test]
fn a_field_is_set_at_construction_by_one_literal_alone() {
    check(
        Language::Python,
        "class A:\n    def __init__(self, N=3):\n        \"\"\"Sets.\n\n        self.example = True\n        \"\"\"\n        self.items = [\n            1,\n        ]\n        self.n = N\n        self.one = 1\n        self.two = left + 1\n        if rare(): self.odd = None\n        self.three = 3\n        if N:\n            self.three = 4\n        self.four, self.five = 4, 5\n        self.path = Path('x')\n        self.text = f'{N}'\n        self.long = \"\"\"a\n        \"\"\"\n    def new(self):\n        self.six = 6\n",
        "A.one 11 = 1\nA.path 18 = Path('x')\nA.__init__ doc self.example = True",
    );
    check(
        Language::JavaScript,
        "class A {\n  constructor(x) {\n    this.fn = x => {\n      return 1;\n    };\n    this.at = Date.now();\n    this.day = new Date();\n    this.all = new Map();\n    this.name = 'a'\n      + x;\n    this.open = true\n  }\n  newRound() {\n    this.score = 0;\n  }\n}\n",
        "A.all 8 = new Map()\nA.open 11 = true",
    );
    let rust = |body: &str, expect: &str| {
        let text = format!(
            "struct A {{ n: u8 }}\nstruct B {{ n: u8 }}\nimpl B {{\n    fn new() -> Self {{ B {{ n: 5 }} }}\n}}\nimpl A {{\n    pub fn new(k: u8) -> Self {{\n{body}\n    }}\n}}\n"
        );
        check(Language::Rust, &text, &format!("{expect}\nB.n 4 = 5"));
    };
    rust("let b = B { n: 3 }; A { b }", "");
    rust("Self { n: 4 }", "A.n 8 = 4");
    rust("let mut a = Self { n: 4 };\na.n = 5;\na", "");
    rust("let a = Self { n: 4 };\na", "A.n 8 = 4");
    rust("if k > 1 { return Self { n: 3 } }\nSelf { n: 4 }", "");
    rust("match k {\n1 => Self { n: 3 },\n_ => other(),\n}", "");
    rust("Self { n: 4 }.opened()", "");
    rust("opened(Self { n: 4 })", "");
    rust(
        "Self { n: left + 1, m: Instant::now(), o: Uuid::new_v4(), p: k, q: 2 * 3, r: load() }",
        "A.q 8 = 2 * 3",
    );
    check(
        Language::Rust,
        "struct A { n: u8, m: u8 }\nimpl A {\n    fn new() -> Self { Self { n: 3, m: 1 } }\n    fn new_large() -> Self { Self { n: 9, m: 1 } }\n}\n",
        "A.m 3 = 1",
    );
    check(
        Language::Go,
        "package a\n\ntype A struct{ N int }\ntype B struct{ N int }\n\nfunc NewB() *B {\n\ta := &A{N: 3}\n\treturn wrap(a)\n}\nfunc newList() []*B {\n\treturn []*B{{N: 1}}\n}\nfunc newA() (*A, error) {\n\treturn &A{N: 4}, nil\n}\n",
        "A.N 14 = 4",
    );
}

#[test]
fn options_that_a_function_completes_are_its_values() {
    check(
        Language::TypeScript,
        "export class Queue {\n  constructor(options?: Options) {\n    options = {\n      limit: 3,\n      name: make(),\n      kind: Other,\n      ...options,\n    };\n  }\n}\nfunction all(...items) { return [1, ...items]; }\n",
        "Queue.constructor 4 limit = 3\nQueue.constructor 6 kind = Other",
    );
    check(
        Language::Go,
        "package a\n\ntype core struct{ n uint; d int }\n\nfunc newCore(o ...int) *core {\n\tc := &core{\n\t\tn: uint(10),\n\t\td: make(o),\n\t}\n\treturn c\n}\n",
        "core.n 7 = uint(10)",
    );
}

#[test]
fn hostile_texts_are_read_without_harm() {
    let brackets = "[".repeat(20_000);
    let texts = [
        format!(
            "def new(\u{e9}{}):\n    \"\"\"{brackets}\n\n    :{brackets}\"\"\"\n    raise \u{e9}(\n",
            "\u{e9}".repeat(3_000)
        ),
        format!("X = {{\n{brackets}\n'\u{e9}\\"),
        "fn f() { 'a: loop { panic!(\"\u{e9}\") } r#\"".to_owned(),
        "const X = {\n  a: `\u{e9}${\n...y".to_owned(),
    ];
    for text in &texts {
        for language in [Language::Python, Language::Rust, Language::TypeScript, Language::Go, Language::C] {
            let found = of_file(&outline(language, "a", text), text, BTreeSet::new());
            let size = serde_json::to_string(&found).expect("it has names as keys").len();
            assert!(size < 4_000, "{size}");
        }
    }
}

#[test]
fn failures_are_told_within_labels_and_behind_raw_strings() {
    let text =
        "fn f() { 'a: loop { panic!(\"\u{e9}\") } }\nfn g() {\n    log(r#\"\"#);\n    panic!(\"b\");\n}\n";
    check(Language::Rust, text, "f 1 panic!(\"\u{e9}\") @ -\ng 4 panic!(\"b\") @ -");
}

#[test]
fn secrets_are_no_values() {
    check(
        Language::Python,
        "MAP = {\n    \"a\": \"ghp_0123456789abcdefghijABCDEFGHIJ012345\",\n}\n",
        "MAP 2 \"a\" = -",
    );
}

#[test]
fn documentation_behind_the_first_sentence_is_kept_without_examples_and_links() {
    check(
        Language::Rust,
        "/// Opens [`A`]. At most [three](x) times.\n///\n/// # Errors\n///\n/// Fails if it is closed.\n///\n/// # Examples\n///\n/// Like this one here.\n///\n/// ```\n/// code words here\n/// ```\n///\n/// # Panics\n///\n/// - Never on Unix.\nfn open() {}\n",
        "open doc At most three times.\nopen doc Errors: Fails if it is closed.\nopen doc Panics: Never on Unix.",
    );
    check(
        Language::Rust,
        "/// Tells it. Is `true` when:\n///\n/// - one is two, or\n/// - _three is four._\n///\n/// # Examples\n///\n/// ## Closures\n///\n/// Words on it.\n///\n/// # Notes\n///\n/// TODO: tell more\nfn tell() {}\n",
        "tell doc Is `true` when:\ntell doc one is two, or\ntell doc three is four.",
    );
    check(
        Language::TypeScript,
        "/**\n * Opens it.\n * @param {string} path - where it lies\n * @returns the file, or {@link None}\n * @throws {E} if it is closed\n * @example\n * open(a, b)\n */\nexport function open(path: string) {}\n",
        "open doc `path`: where it lies\nopen doc Returns: the file, or `None`\nopen doc Throws `E`: if it is closed",
    );
    check(
        Language::Go,
        "package a\n\n// Do does it. At most n times.\n//\n//\tdo(code, words)\n//\n// default is 3 of them\nfunc Do() {}\n",
        "Do doc At most n times.\nDo doc default is 3 of them",
    );
    check(
        Language::Python,
        "def f(n):\n    \"\"\"Sets it.\n\n    Note: does nothing on :class:`Windows`.\n\n    :param int n: the number, 3 unless set\n    \"\"\"\n",
        "f doc Note: does nothing on `Windows`.\nf doc `n`: the number, 3 unless set",
    );
}

#[test]
fn definitions_under_conditions_are_variants() {
    check(
        Language::Rust,
        "#[cfg(unix)]\npub type A = u8;\n#[cfg(not(unix))]\npub type A = u16;\npub type B = u8;\n",
        "A 2 pub type A = u8 # unix\nA 4 pub type A = u16 # not(unix)",
    );
}

/// Returns the internal names of each file but the first; `None` for a text is a file that cannot be read.
fn internal(files: &[(&str, Option<&str>)]) -> Vec<String> {
    let outlined =
        |(path, text): &(&str, Option<&str>)| outline(Language::Rust, path, text.unwrap_or_default());
    let all: Vec<_> = files.iter().map(|file| Arc::new(outlined(file))).collect();
    let text = |path: &str| files.iter().find(|(other, _)| *other == path)?.1.map(str::to_owned);
    let exports = super::CrateExports::of(&all, text);
    let names =
        |file: &Arc<FileOutline>| exports.internal_names(file).into_iter().collect::<Vec<_>>().join(" ");
    all.iter().skip(1).map(names).collect()
}

#[test]
fn public_definitions_of_private_modules_are_internal_unless_they_are_re_exported() {
    let mut files = vec![
        (
            "src/lib.rs",
            Some("mod shelf;\npub mod open;\nmod all;\npub use self::shelf::{Shelf};\npub use all::*;\n"),
        ),
        ("src/shelf.rs", Some("mod deep;\npub struct Shelf;\npub struct Hidden;\nstruct Private;\n")),
        ("src/shelf/deep.rs", Some("pub fn deep() {}\n")),
        ("src/open.rs", Some("pub fn open() {}\n")),
        ("src/all.rs", Some("pub fn every() {}\n")),
        ("src/other.rs", Some("pub fn undeclared() {}\n")),
    ];
    assert_eq!(internal(&files), ["Hidden", "deep", "", "", ""]);
    // It may re-export anything.
    files.push(("src/unread.rs", None));
    assert_eq!(internal(&files), ["", "", "", "", "", ""]);
}

#[test]
fn modules_and_names_in_a_re_export_of_any_form_are_public() {
    let check = |lib: &str, expect: [&str; 3]| {
        let found = internal(&[
            ("src/lib.rs", Some(lib)),
            ("src/imp/mod.rs", Some("pub mod shelf;\nmod own;\npub struct A;\n")),
            ("src/imp/shelf.rs", Some("pub struct B;\n")),
            ("src/imp/own.rs", Some("pub struct C;\n")),
        ]);
        assert_eq!(found, expect, "{lib}");
    };
    check("mod imp;\n", ["A", "B", "C"]);
    check("mod imp;\npub(crate) use imp::A;\n", ["A", "B", "C"]);
    check("mod imp;\npub use imp::shelf;\n", ["A", "", "C"]);
    check("mod imp;\npub use imp as library;\n", ["", "", ""]);
    check("mod imp;\npub use imp::{self, A};\n", ["", "", ""]);
    check("mod imp;\ncfg_x! { pub use crate::imp::own::C; }\n", ["A", "B", ""]);
    check("mod imp;\nmacro_rules! m { ($v:vis) => { $v use imp::A; } }\n", ["", "B", "C"]);
    check("#[cfg(unix)]\nmod imp;\n#[cfg(not(unix))]\npub mod imp;\n", ["", "", "C"]);
    let names: String = (0..200).map(|at| format!("Name{at}, ")).collect();
    check(&format!("mod imp;\npub use imp::{{{names} own::C}};\n"), ["A", "B", ""]);
    let imports: String = (0..3_000).map(|at| format!("use a::N{at};\n")).collect();
    check(&format!("mod imp;\n{imports}pub use imp::A;\n"), ["", "B", "C"]);
}

#[test]
fn overloads_are_told_apart_by_their_signatures() {
    check(
        Language::TypeScript,
        "class A {\n  f(x: string): void;\n  f(x: number): void;\n  f(x: any) {}\n  g() {}\n}\n",
        "A.f 2 f(x: string): void # \nA.f 3 f(x: number): void # \nA.f 4 f(x: any) #",
    );
}

#[test]
fn a_stub_for_a_checker_of_types_does_not_stand_for_the_function() {
    check(
        Language::Python,
        "class A:\n    @typing.overload\n    def f(self, a: int) -> int: ...\n    @overload_all\n    def f(self, a):\n        if a is None:\n            raise ValueError(\"a\")\n",
        "A.f 7 raise ValueError(\"a\") @ if a is None:",
    );
}
