//! Tests of the reader of statements.

use super::super::outline;
use super::*;

/// Writes statements with `[` and `]` around blocks and `|` between statements.
fn written(statements: &[CodeStatement]) -> String {
    let of = |statement: &CodeStatement| -> String {
        let parts = statement.parts.iter().map(|part| match part {
            StatementPart::Code(code) => code.clone(),
            StatementPart::Block(inner) => format!("[{}]", written(inner)),
        });
        parts.collect::<Vec<_>>().join(" ")
    };
    statements.iter().map(of).collect::<Vec<_>>().join(" | ")
}

fn body(language: Language, text: &str) -> String {
    let tree = CodeTree::parse(language, text).expect("it is parsed");
    let file = outline(language, "a", text);
    let function = file.walk().map(|(_, symbol)| symbol).find(|symbol| symbol.kind.is_callable());
    written(&function.and_then(|function| tree.body(function)).unwrap_or_default())
}

#[test]
fn statements_and_blocks_are_read_in_every_language() {
    for (language, text, expected) in [
        (
            Language::Rust,
            "fn f(a: u8) -> u8 {\n    let Some(b) = c else { return 1 };\n    match a {\n        1 | 2 => b, // small\n        _ if a > 5 => { g(); 3 }\n    }\n}",
            "let Some(b) = c else { [return 1] }; | match a { [1 | 2 => b, | _ if a > 5 => { [g(); | 3] }] }",
        ),
        (
            Language::Python,
            "def f(a):\n    \"\"\"Says it.\"\"\"\n    if a:  # all\n        return 1\n    elif b:\n        c = [\n            1,\n        ]\n    else: pass\n    for x in y:\n        yield x\n",
            "\"\"\"Says it.\"\"\" | if a: [return 1] elif b: [c = [ 1, ]] else: [pass] | for x in y: [yield x]",
        ),
        (
            Language::TypeScript,
            "function f(a: string) {\n  if (a)\n    return 1\n  else if (b) { c() } else d()\n  switch (a) {\n    case 'x':\n      go()\n      break\n    default: stop()\n  }\n  return all.map((one) => {\n    return one\n  })\n}",
            "if (a) [return 1] else if (b) { [c()] } else [d()] | switch (a) { [case 'x': [go() | break] | default: [stop()]] } | return all.map((one) => { [return one] })",
        ),
        (
            Language::Go,
            "func f(a int) error {\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\tswitch a {\n\tcase 1, 2:\n\t\th()\n\tdefault:\n\t\treturn nil\n\t}\n\tfor i := range all {\n\t\tk(i)\n\t}\n\treturn nil\n}",
            "if err := g(); err != nil { [return err] } | switch a { [case 1, 2: [h()] | default: [return nil]] } | for i := range all { [k(i)] } | return nil",
        ),
        (
            Language::Java,
            "int f(int a) {\n  try {\n    g();\n  } catch (E e) {\n    throw e;\n  }\n  switch (a) {\n    case 1:\n    case 2:\n      return 3;\n  }\n  if (a > 5) return 6;\n  return 7;\n}",
            "try { [g();] } catch (E e) { [throw e;] } | switch (a) { [case 1: | case 2: [return 3;]] } | if (a > 5) [return 6;] | return 7;",
        ),
        (
            Language::C,
            "static int f(int a)\n{\n\tfor (i = 0; i < a; i++)\n\t\tg(i);\n\tswitch (a) {\n\tcase 1:\n\t\treturn 2;\n\t}\n\treturn 3;\n}",
            "for (i = 0; i < a; i++) [g(i);] | switch (a) { [case 1: [return 2;]] } | return 3;",
        ),
        (
            Language::CSharp,
            "int F(int a) {\n  if (a > 5) { return 6; }\n  return a switch { 1 => 2, _ => 3 };\n}",
            "if (a > 5) { [return 6;] } | return a switch { [1 => 2, | _ => 3] };",
        ),
        (
            Language::Ruby,
            "def f(a)\n  if a\n    g\n  elsif b then h\n  else\n    k\n  end\n  case a\n  when 1, 2 then m\n  else n\n  end\n  all.each do |one|\n    o(one)\n  end\nend",
            "if a [g] elsif b then [h] else [k] end | case a [when 1, 2 then [m]] else [n] end | all.each do |one| [o(one)] end",
        ),
        (
            Language::Php,
            "<?php function f($a) {\n  if ($a) { return 1; }\n  return match ($a) { 'x' => 2, default => 3 };\n}",
            "if ($a) { [return 1;] } | return match ($a) { ['x' => 2, | default => 3] };",
        ),
        (
            Language::Bash,
            "f() {\n  if [ -z \"$a\" ]; then\n    exit 1\n  else\n    g\n  fi\n  case \"$a\" in\n    x) h ;;\n    *) k ;;\n  esac\n}",
            "if [ -z \"$a\" ]; then [exit 1] else [g] fi | case \"$a\" in [x) [h] | *) [k]] esac",
        ),
    ] {
        assert_eq!(body(language, text), expected, "{text}");
    }
}

#[test]
fn an_attribute_stands_before_its_statement() {
    let text =
        "fn f() {\n    #[cfg(unix)]\n    return g();\n    #[cfg(not(unix))]\n    {\n        h();\n    }\n}";
    assert_eq!(body(Language::Rust, text), "#[cfg(unix)] return g(); | #[cfg(not(unix))] { [h();] }");
}

#[test]
fn the_body_is_that_of_the_function_and_not_of_what_is_around_it() {
    let of = |language: Language, text: &str, name: &str| {
        let tree = CodeTree::parse(language, text).expect("it is parsed");
        let file = outline(language, "a", text);
        let symbol =
            file.walk().map(|(_, symbol)| symbol).find(|symbol| symbol.name == name).expect("it is defined");
        tree.body(symbol).map(|it| written(&it))
    };
    let script = "const f = <T>(a) => (\n  g(a)\n)\nconst h = <K>((a) => {\n  return a\n})\nclass A { m() { return 1 } n() { return 2 } }\n";
    assert_eq!(of(Language::TypeScript, script, "h").as_deref(), Some("return a"));
    assert_eq!(of(Language::TypeScript, script, "n").as_deref(), Some("return 2"));
    let java = "class A {\n  @Override\n  public int m() {\n    return 1;\n  }\n}\n";
    assert_eq!(of(Language::Java, java, "m").as_deref(), Some("return 1;"));
    let python = "class E(Exception):\n    def say(self):\n        return self.name\n";
    assert_eq!(of(Language::Python, python, "say").as_deref(), Some("return self.name"));
}

#[test]
fn handlers_and_signs_beside_statements_are_kept() {
    let ruby = "def f\n  a\nrescue E => e\n  b\nensure\n  c\nend";
    assert_eq!(body(Language::Ruby, ruby), "[a] rescue E => e [b] ensure [c]");
    let shell = "f() {\n  server &\n  curl -f \\\n    -o a\n  wait\n}";
    assert_eq!(body(Language::Bash, shell), "server & | curl -f -o a | wait");
    let go = "func f() {\n\tif v, ok = m[k]; !ok {\n\t\tg()\n\t}\n}";
    assert_eq!(body(Language::Go, go), "if v, ok = m[k]; !ok { [g()] }");
}

#[test]
fn a_piece_of_code_that_is_too_long_ends_with_one_mark() {
    let words = "  'word'\n".repeat(900);
    let code = body(Language::Bash, &format!("f() {{\n  x=(\n{words}  )\n}}"));
    assert!(code.ends_with('…') && code.len() < PIECE + 50, "{} bytes", code.len());
}

#[test]
fn code_of_any_depth_and_form_is_read_without_a_panic() {
    let deep = format!("fn f() {{ a = {}1{}; }}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(body(Language::Rust, &deep).contains('…'));
    for text in ["", "fn f(", "fn f() { if", "}}}", "def f(:\n x", "\u{feff}fn é() { 'ü' }"] {
        for language in [Language::Rust, Language::Python, Language::C, Language::Bash, Language::Ruby] {
            let tree = CodeTree::parse(language, text).expect("a tree");
            let _ = (body(language, text), tree.outermost());
        }
    }
}

#[test]
fn literals_keep_their_white_space_and_show_their_first_line() {
    assert_eq!(
        body(Language::JavaScript, "function f() {\n  return 'a  b' +\n    `c\n  d`\n}"),
        "return 'a  b' + `c…"
    );
}

#[test]
fn the_statement_before_the_value_of_a_switch_of_go_keeps_its_semicolon() {
    let text = "package a\nfunc f(v any) {\n\tswitch x := g(v); x.(type) {\n\tcase bool:\n\t\th()\n\t}\n\tswitch y := g(v); y {\n\tcase 1:\n\t\th()\n\t}\n}\n";
    let found = body(Language::Go, text);
    assert!(found.contains("switch x := g(v); x.(type) {"), "{found}");
    assert!(found.contains("switch y := g(v); y {"), "{found}");
}
