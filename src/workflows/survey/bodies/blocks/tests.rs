//! Tests of blocks: what has to hold for a statement.

use crate::repo::Language;
use crate::workflows::survey::bodies::read_parts;

fn rules(language: Language, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let found = read_parts(language, &lines, 1, &|_| false).0;
    found.rules.into_iter().map(|rule| rule.text).collect()
}

/// A language, a function with blocks whose conditions are not known, and its rules.
type BlockCase = (Language, &'static str, &'static [&'static str]);

const CASES: &[BlockCase] = &[
    (
        Language::TypeScript,
        r"getTimeout(): Timeout {
	const rest = this.getRest();
	if (rest === undefined) {
		return {
			milliseconds: 10_000,
			isTotal: false,
		};
	}

	if (rest <= 0) {
		throw new TimeoutError(this.request);
	}

	if (isHttp(error)) {
		if (error.code === 429) {
			return 11;
		}

		for (const part of parts) {
			if (part.size > 50) {
				throw new PartError(part);
			}
		}

		if (error.code === 413) {
			throw new SizeError(error);
		}
	}

	if (message === 'failed to load') {
		return stack === undefined
			// Others add a stack.
			|| 'sentry' in error;
	}

	try {
		run();
	} catch (error) {
		const cause = unwrap(error, 12);
		if (cause instanceof IoError) {
			throw cause;
		}

		throw new StateError('no cause', error);
	}
}",
        &[
            "if rest === undefined: return { milliseconds: 10_000, isTotal: false, }",
            "if rest <= 0: throw new TimeoutError(this.request)",
            "if isHttp(error): if error.code === 429: return 11",
            "if isHttp(error): … for …: if part.size > 50: throw new PartError(part)",
            "if isHttp(error): … if error.code === 413: throw new SizeError(error)",
            "if message === 'failed to load': return stack === undefined || 'sentry' in error",
            "try: …; catch (error): { const cause = unwrap(error, 12); … throw new StateError('no cause', error) }",
            "try: …; catch (error): … if cause instanceof IoError: throw cause",
        ],
    ),
    (
        Language::Go,
        r#"func wait(ctx context.Context, ch chan int) (string, int) {
	select {
	case <-ctx.Done():
		return "cancelled by user", 11
	case v := <-ch:
		store(v, 40)
		return "value", v
	}
}"#,
        &[
            r#"select: <-ctx.Done(): return "cancelled by user", 11; v := <-ch: { store(v, 40); return "value", v }"#,
        ],
    ),
    (
        Language::Python,
        r#"def handle(mode, level):
    try:
        run(mode)
    except KeyError:
        retries = 33
        name = "fallback name"
        raise ModeError("no such key")
    for part in mode:
        if part.level > 20:
            if part.kind == "book":
                if part.size > 300:
                    return "big book"
        elif level > 70:
            if mode == "fast":
                return "fast mode"
    else:
        raise ModeError("no part of the mode")
    if mode == "slow" and \
            level > 10:
        return "too deep level""#,
        &[
            r#"try: …; except KeyError: { … name = "fallback name"; raise ModeError("no such key") }"#,
            "try: …; except KeyError: retries = 33; …",
            r#"for …: if part.level > 20: if part.kind == "book": if part.size > 300: return "big book""#,
            r#"for …: if …: …; else if level > 70: if mode == "fast": return "fast mode""#,
            r#"if mode == "slow" and level > 10: return "too deep level""#,
        ],
    ),
    (
        Language::Rust,
        r#"fn path(list: &[String]) -> String {
    let found = list.iter().filter(|name| {
        if name.len() > 64 {
            return false;
        }
        name.ends_with("suffix.toml") && name.len() > 12
    });
    #[cfg(windows)]
    let base = "C:/Program Files/shop";
    #[cfg(not(windows))]
    let base = "/etc/shop/base";
    let wait = async {
        sleep(5000)
    };
    match list {
        [a] if a.is_empty() => if strict {
            fail("empty name", 12)
        },
        [] => return "no name at all",
    }
    unsafe fn inner() {
        exit(34);
    }
    join(base, found)
}"#,
        &[
            "in a closure: if name.len() > 64: return false",
            r#"in a closure: … name.ends_with("suffix.toml") && name.len() > 12"#,
            r#"match list: [a] if a.is_empty() => { if strict…; … }; [] => return "no name at all""#,
        ],
    ),
    (
        Language::JavaScript,
        r#"function mode(s) {
  if (s.items.some((x) => {
    return x.level > 10;
  })) {
    return 12;
  }
  if (s.fast) {
    query = `
SELECT 34
`;
    return 56;
  }
  return "slow mode";
}"#,
        &[],
    ),
    (
        Language::C,
        r"int mode(int s)
{
#ifdef _WIN32
	if (s > 10) {
		wait = 5000;
	}
#else
	wait = 4000;
#endif
	list_for_each_entry(a, b, c) {
		if (a > 99)
			return -EINVAL;
	}
	if (s > 20) {
		elapsed = 12;
	}
	elapsed = 77;
	return s;
}",
        &["if a > 99: return -EINVAL", "if s > 20: elapsed = 12"],
    ),
    (
        Language::Bash,
        r#"mode() {
  run || {
    exit 12
  }
  while [ "$1" -gt 10 ]; do
    exit 77
  done
  for name in a b; do exit 13; done
  if [ -f "$1" ] && \
    [ -n "$2" ]; then exit 14; fi
}"#,
        &[r#"while [ "$1" -gt 10 ]: exit 77"#, r#"if [ -f "$1" ] && [ -n "$2" ]: exit 14"#],
    ),
    (
        Language::Ruby,
        r#"def mode(s)
  port = if s == "fast"
    raise ModeError, "fast mode"
  end
  Thread.new do
    raise ModeError, "other thread"
  end
  s.each do |part|
    raise ModeError, "part of a mode" if part.size > 20
  end
end"#,
        &[r#"for …: raise ModeError, "part of a mode" if part.size > 20"#],
    ),
];

#[test]
fn a_statement_whose_condition_is_not_known_is_not_told() {
    let found = CASES.iter().map(|(language, text, expected)| (language, rules(*language, text), expected));
    let wrong: Vec<_> = found.filter(|(_, found, expected)| found != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_else_that_is_too_long_for_the_rule_is_told_on_its_own() {
    let long = "a long text of an error that tells what happened and to what it happened to the end of it";
    let text = format!(
        "def f(a):\n    if a == \"one\":\n        x = call(\"{long}\")\n        raise AError(\"{long}\")\n    else:\n        y = call(\"{long}\")\n        raise BError(\"other: {long}\")"
    );
    let found = rules(Language::Python, &text);
    let other = "if a == \"one\": …; else: … raise BError(\"other: ";
    assert!(found.iter().any(|rule| rule.starts_with(other)), "{found:?}");
}

#[test]
fn cases_behind_one_that_is_not_understood_have_no_default() {
    let text = "int f(int a) {\n  switch (a) {\n    OTHER_CASE(12);\n    case 3: return 45;\n    default: return 67;\n  }\n}";
    assert_eq!(rules(Language::C, text), ["switch (a): 3: return 45"]);
    let text = "fn f(a: A) -> u8 {\n    match a {\n        #[cfg(unix)]\n        A::B => 12,\n        A::C => 34,\n        _ => 56,\n    }\n}";
    assert_eq!(rules(Language::Rust, text), ["match a: A::C => 34"]);
}

#[test]
fn a_rule_names_the_condition_around_it_and_statements_behind_a_switch_are_not_of_its_last_case() {
    let nested = "def f(a, b):\n    if a == \"one\":\n        if b > 10:\n            return \"both\"";
    assert_eq!(rules(Language::Python, nested), ["if a == \"one\": if b > 10: return \"both\""]);
    let behind = "func f(a string) string {\n\tswitch a {\n\tcase \"one\":\n\t\tn = 11\n\tdefault:\n\t\tn = 22\n\t}\n\treturn \"done\"\n}";
    assert_eq!(
        rules(Language::Go, behind),
        ["switch a: \"one\": n = 11; default: n = 22", "return \"done\""]
    );
}

#[test]
fn a_block_behind_a_condition_is_not_inside_it_and_one_that_only_some_builds_have_is_not_told() {
    let rust = "fn f() -> u8 {\n    if fake() {\n        return 12;\n    }\n    #[cfg(unix)]\n    {\n        if real() {\n            return 34;\n        }\n    }\n    let n = if big() {\n        56\n    } else {\n        78\n    };\n    n\n}";
    assert_eq!(rules(Language::Rust, rust), ["if fake(): return 12", "if big(): 56; else: 78"]);
}
