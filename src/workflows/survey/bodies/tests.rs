//! Tests of the reader of bodies.

use super::ends::exit_status;
use super::*;

fn read(language: Language, text: &str) -> BodyDecisions {
    let lines: Vec<&str> = text.lines().collect();
    read_decisions(language, &lines, 1, &|_| false)
}

fn conditions(found: &BodyDecisions) -> Vec<&str> {
    found.conditions.iter().map(|condition| condition.text.as_str()).collect()
}

#[test]
fn conditions_with_constants_and_literals_are_quoted_as_written() {
    let java = read(
        Language::Java,
        "void check(E e) {\n  if (state.startsWith(\"08\")\n      || STATES.contains(state)) { // gone\n    throw new ShopError(\"closed\");\n  }\n  if (e == null) { return; }\n}",
    );
    assert_eq!(conditions(&java), ["state.startsWith(\"08\") || STATES.contains(state)"]);
    assert_eq!(java.conditions[0].line, 2);
    assert_eq!(java.terms, ["\"08\"", "STATES"]);
    let condition = Some("state.startsWith(\"08\") || STATES.contains(state)".to_owned());
    assert_eq!(java.ends, [BodyEnd { line: 4, text: "throw ShopError".to_owned(), condition }]);
    let go = read(Language::Go, "func f() {\n\tif n, err := g(); n > 500 {\n\t\tos.Exit(3)\n\t}\n}");
    assert_eq!(conditions(&go), ["n > 500"]);
    assert_eq!((go.ends[0].line, go.ends[0].text.as_str()), (3, "os.Exit(3)"));
    assert_eq!(go.ends[0].condition.as_deref(), Some("n > 500"));
}

#[test]
fn comments_documentation_and_texts_for_people_are_no_terms() {
    let python = read(
        Language::Python,
        "def f(x):\n    \"\"\"Uses FAKE_NAME.\n    if x == 'doc':\n    \"\"\"\n    # OTHER_NAME\n    log.info('hello WORLD')\n    return x.get('REDIS_URL', DEFAULT_URL)",
    );
    assert_eq!(python.terms, ["DEFAULT_URL", "\"REDIS_URL\""]);
    assert!(python.conditions.is_empty());
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

#[test]
fn lines_of_any_form_are_read_without_a_panic() {
    for text in [
        "",
        "if (",
        "if (\"",
        "}}} else if (a && (b\n\n",
        "é if ('é\" ü",
        "raise \n",
        "Err(\n=> Err(",
        "exit(",
        "'''\n\"\"\"",
    ] {
        for language in
            [Language::C, Language::Python, Language::Rust, Language::Bash, Language::Ruby, Language::Php]
        {
            read(language, &format!("f\n{text}\n{text}"));
        }
    }
}
