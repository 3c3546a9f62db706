//! Rules read from small files in several languages, as lines.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::of_file;
use crate::repo::{Language, outline};

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
            of_file(&outline(language, "a", text), text, BTreeSet::new());
        }
    }
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

#[test]
fn public_definitions_of_private_modules_are_internal_unless_they_are_re_exported() {
    let file = |path: &str, text: &str| Arc::new(outline(Language::Rust, path, text));
    let all = vec![
        file("src/lib.rs", "mod shelf;\npub mod open;\nmod all;\npub use shelf::{Shelf};\npub use all::*;\n"),
        file("src/shelf.rs", "mod deep;\npub struct Shelf;\npub struct Hidden;\nstruct Private;\n"),
        file("src/shelf/deep.rs", "pub fn deep() {}\n"),
        file("src/open.rs", "pub fn open() {}\n"),
        file("src/all.rs", "pub fn every() {}\n"),
        file("src/other.rs", "pub fn undeclared() {}\n"),
    ];
    let internal = |at: usize| {
        super::CrateExports::of(&all).internal_names(&all[at]).into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!((1..all.len()).map(internal).collect::<Vec<_>>(), ["Hidden", "deep", "", "", ""]);
}

#[test]
fn overloads_are_told_apart_by_their_signatures() {
    check(
        Language::TypeScript,
        "class A {\n  f(x: string): void;\n  f(x: number): void;\n  f(x: any) {}\n  g() {}\n}\n",
        "A.f 2 f(x: string): void # \nA.f 3 f(x: number): void # \nA.f 4 f(x: any) #",
    );
}
