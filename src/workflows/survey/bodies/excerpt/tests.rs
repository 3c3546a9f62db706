//! Tests of excerpts.

use super::*;
use crate::repo::{CodeTree, outline};
use crate::workflows::survey::bodies::read_body;

fn excerpts(language: Language, text: &str, lengths: &[usize]) -> Vec<String> {
    let tree = CodeTree::parse(language, text).expect("it is parsed");
    let file = outline(language, "a", text);
    let function = file.walk().map(|(_, symbol)| symbol).find(|symbol| symbol.kind.is_callable());
    let statements = function.and_then(|function| tree.body(function)).unwrap_or_default();
    let body = read_body(language, &statements, &|_| false);
    body.code.excerpts(lengths).into_iter().map(|it| it.text).collect()
}

fn whole(language: Language, text: &str) -> String {
    excerpts(language, text, &[400]).pop().unwrap_or_default()
}

#[test]
fn a_short_body_is_its_code_on_one_line() {
    for (language, text, expected) in [
        (
            Language::Python,
            "def get(self, key):\n    \"\"\"Finds it.\"\"\"\n    with self.lock:\n        link = self.find(key)\n    if link.expires < self.timer():\n        self.remove(link)\n        raise KeyError(key)\n    return link.value\n",
            "with self.lock: { link = self.find(key) }; if link.expires < self.timer(): { self.remove(link); raise KeyError(key) }; return link.value",
        ),
        (
            Language::Rust,
            "fn next(&mut self) -> Option<u8> {\n    while self.rest.len() > self.most {\n        self.rest.pop(); // one\n    }\n    match self.mode {\n        Mode::Fast => self.rest.pop(),\n        Mode::Slow => None,\n    }\n}",
            "while self.rest.len() > self.most { self.rest.pop(); } match self.mode { Mode::Fast => self.rest.pop(), Mode::Slow => None, }",
        ),
        (
            Language::Go,
            "func open(name string) (*File, error) {\n\tfile, err := find(name)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn file, nil\n}",
            "file, err := find(name); if err != nil { return nil, err } return file, nil",
        ),
        (
            Language::TypeScript,
            "function load(path: string) {\n  if (path === 'x')\n    return one(path)\n  const seen = new Set()\n  return walk(path, (one) => {\n    seen.add(one)\n    return seen.size\n  })\n}",
            "if (path === 'x') return one(path); const seen = new Set(); return walk(path, (one) => { seen.add(one); return seen.size })",
        ),
        (
            Language::Ruby,
            "def each(all)\n  all.each do |one|\n    yield one if one.shown?\n    count\n  end\n  if a\n    b\n  else\n    c\n  end\nend",
            "all.each do |one| yield one if one.shown?; count; end; if a; b; else c; end",
        ),
        (
            Language::C,
            "int f(int a)\n{\n\tif (a > 12)\n\t\tif (b)\n\t\t\treturn 34;\n\telse\n\t\treturn 56;\n\treturn a;\n}",
            "if (a > 12) if (b) return 34; else return 56; return a;",
        ),
    ] {
        assert_eq!(whole(language, text), expected, "{text}");
    }
}

#[test]
fn an_excerpt_marks_what_it_leaves_out_and_keeps_the_conditions_around_what_it_shows() {
    let steps = (0..30).map(|at| format!("    step_{at}(a, b, c, d, e);\n")).collect::<Vec<_>>().concat();
    let text = format!(
        "fn f(a: u8) -> Result<u8> {{\n{steps}    if a > 512 {{\n        log(a);\n        if b == \"none\" {{\n            return Err(Fault::TooMany);\n        }}\n    }} else {{\n        g();\n    }}\n{steps}    Ok(a)\n}}"
    );
    let found = excerpts(Language::Rust, &text, &[120]);
    assert_eq!(
        found,
        ["… if a > 512 { … if b == \"none\" { return Err(Fault::TooMany); } } else { g(); } …"]
    );
    let longer = excerpts(Language::Rust, &text, &[120, 400, 800]);
    assert_eq!(longer.len(), 3);
    assert!(longer[1].contains("log(a); if b == \"none\"") && longer[1].len() <= 400, "{}", longer[1]);
}

#[test]
fn a_body_that_tells_nothing_has_no_excerpt() {
    for (language, text) in [
        (Language::Python, "def __init__(self, size, name):\n    self.size = size\n    self._name = name\n"),
        (Language::Rust, "fn name(&self) -> &str {\n    &self.name\n}"),
        (Language::Java, "int size() {\n  return size;\n}"),
    ] {
        assert_eq!(whole(language, text), "", "{text}");
    }
}

#[test]
fn statements_that_repeat_one_form_are_left_out_behind_the_third() {
    let lines: String = ["red", "blue", "green", "black", "white"]
        .map(|it| format!("  all.{it} = one.{it}.bind(all);\n"))
        .concat();
    let text = format!("function f(all) {{\n{lines}  return all;\n}}");
    let expected = "all.red = one.red.bind(all); all.blue = one.blue.bind(all); all.green = one.green.bind(all); … return all;";
    assert_eq!(whole(Language::JavaScript, &text), expected);
    let table = "function f(a) {\n  switch (a) {\n    case 'a1': return 5;\n    case 'b2': return 7;\n    case 'c3': return 8;\n    case 'd4': return 9;\n  }\n}";
    assert!(whole(Language::JavaScript, table).contains("case 'd4': return 9;"));
}

#[test]
fn checks_for_missing_arguments_are_left_out() {
    let text = "void Take(string name, int count) {\n  if (name == null) throw new ArgumentNullException(nameof(name));\n  #pragma warning disable 618\n  if (count > 12) { throw new ShopException(name); }\n  Sell(name, count);\n}";
    let expected = "… if (count > 12) { throw new ShopException(name); } Sell(name, count);";
    assert_eq!(whole(Language::CSharp, text), expected);
}

#[test]
fn code_that_must_not_be_quoted_is_left_out() {
    let text = "def f(a):\n    if a > 12:\n        return 34\n    b = g(\"AKIAZ3MEXAMPLE7QX5TB\")\n    return b + 56\n";
    let shown = excerpts(Language::Python, text, &[400]).pop().unwrap_or_default();
    assert!(!shown.contains("AKIA") && shown.contains("if a > 12: { return 34 }; …"), "{shown}");
}

#[test]
fn a_text_of_several_lines_is_cut_and_such_a_body_is_not_whole() {
    let text = "function f(a) {\n  if (a > 12) throw new ShopError(`a\n  b`)\n  return g(a)\n}";
    let shown = excerpts(Language::JavaScript, text, &[400]).pop().unwrap_or_default();
    assert_eq!(shown, "if (a > 12) throw new ShopError(`a…); return g(a)");
}
