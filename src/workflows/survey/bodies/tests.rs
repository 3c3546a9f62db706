//! Tests of the reader of bodies.

use super::ends::exit_status;
use super::*;
use crate::repo::{CodeTree, outline};

fn read(language: Language, text: &str) -> FunctionBody {
    let tree = CodeTree::parse(language, text).expect("it is parsed");
    let file = outline(language, "a", text);
    let function = file.walk().map(|(_, symbol)| symbol).find(|symbol| symbol.kind.is_callable());
    let statements = function.and_then(|function| tree.body(function)).unwrap_or_default();
    read_body(language, &statements, &|_| false)
}

#[test]
fn an_end_names_the_condition_of_the_block_around_it_and_not_one_that_stands_above() {
    let java = read(
        Language::Java,
        "void check(E e) {\n  if (state.startsWith(\"08\")\n      || STATES.contains(state)) { // gone\n    throw new ShopError(\"closed\");\n  }\n  if (e == null) { return; }\n}",
    );
    assert!(java.condition_weight > 0.0);
    assert_eq!(java.terms, ["STATES", "\"08\""]);
    let condition = Some("if (state.startsWith(\"08\") || STATES.contains(state))".to_owned());
    assert_eq!(java.ends, [BodyEnd { line: 4, text: "throw ShopError".to_owned(), condition }]);
    let go = read(Language::Go, "func f() {\n\tif n, err := g(); n > 500 {\n\t\tos.Exit(3)\n\t}\n}");
    assert_eq!((go.ends[0].line, go.ends[0].text.as_str()), (3, "os.Exit(3)"));
    assert_eq!(go.ends[0].condition.as_deref(), Some("if n, err := g(); n > 500"));
    let behind = read(Language::Go, "func f() {\n\tif a {\n\t\tg()\n\t}\n\tos.Exit(3)\n}");
    assert_eq!(behind.ends[0].condition, None);
    let alone = read(Language::Php, "<?php function f() {\n  if ($a > 5) exit(3);\n}");
    assert_eq!(alone.ends[0].condition.as_deref(), Some("if ($a > 5)"));
}

#[test]
fn comments_documentation_and_texts_for_people_are_no_terms() {
    let python = read(
        Language::Python,
        "def f(x):\n    \"\"\"Uses FAKE_NAME.\n    if x == 'doc':\n    \"\"\"\n    # OTHER_NAME\n    log.info('hello WORLD')\n    return x.get('REDIS_URL', DEFAULT_URL)",
    );
    assert_eq!(python.terms, ["DEFAULT_URL", "\"REDIS_URL\""]);
    assert!(python.condition_weight <= 0.0);
}

#[test]
fn names_before_a_bracket_are_calls_and_those_in_texts_are_not() {
    let found = read(
        Language::TypeScript,
        "function f() {\n  if (usage.failWithHelp(msg(1))) { log(\"do(it)\", $x()); map.insert(1); self.insert(1); }\n}",
    );
    let names: Vec<&str> = found.names.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["failWithHelp", "msg", "log", "$x", "insert"]);
}

#[test]
fn a_text_with_an_end_of_its_own_has_no_terms() {
    let ruby = read(
        Language::Ruby,
        "def f(x)\n  warn(<<~EOS)\n    WARNING: if MOST > 5\n  EOS\n  return LIMIT\nend",
    );
    assert_eq!(ruby.terms, ["LIMIT"]);
    assert!(ruby.condition_weight <= 0.0);
}

#[test]
fn an_exit_counts_only_with_a_status() {
    for (language, line, expected) in [
        (Language::C, "exit(2);", Some("exit(2)")),
        (Language::C, "    exit(EXIT_FAILURE);", Some("exit(EXIT_FAILURE)")),
        (Language::C, "atexit(2);", None),
        (Language::TypeScript, "view.exit(code);", None),
        (Language::TypeScript, "process.exit(1)", Some("process.exit(1)")),
        (Language::Rust, "return ExitCode::from(6);", Some("ExitCode::from(6)")),
        (Language::Bash, "exit 4", Some("exit 4")),
        (Language::Python, "print('sys.exit(1)')", None),
    ] {
        assert_eq!(exit_status(language, line).as_deref(), expected, "{line}");
    }
}
