//! Weights of code: estimates how much a condition, a statement or a default says about the behaviour of a program.

use super::terms::{is_constant, literals, words};

/// Returns true for a condition that only asks for an error (`err != nil`) or a debug mode, and so says
/// little.
pub(super) fn is_plain_check(condition: &str) -> bool {
    let is_error = ["err != nil", "err == nil"].iter().any(|plain| condition.ends_with(plain));
    is_error
        || condition == "err"
        || ["DEBUG", "debug", "__name__"].iter().any(|word| condition.contains(word))
}

/// Returns the weight of a condition. Literals, named constants, numbers, comparisons and `&&` or `||`
/// raise it; checks for errors or missing values have weight 0.
pub(super) fn condition_weight(text: &str) -> f64 {
    const PLAIN: &[&str] = &["err != nil", "err == nil", "DEBUG", "debug", "isTrace", "isDebug", "__name__"];
    if PLAIN.iter().any(|plain| text.contains(plain)) {
        return 0.0;
    }
    let literals = literals(text).filter(|literal| !literal.is_empty()).count();
    let constants = words(text).filter(|word| is_constant(word)).count();
    let numbers =
        words(text).filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_digit())).count();
    let joins = ["&&", "||", " and ", " or "].iter().map(|join| text.matches(join).count()).sum::<usize>();
    let compares = [" < ", " > ", " <= ", " >= "].iter().any(|sign| text.contains(sign));
    let equals =
        [" == ", " === ", " != ", " !== ", " is ", ".equals(", " in "].iter().any(|sign| text.contains(sign));
    let is_missing =
        ["null", "nil", "None", "undefined", "NULL"].iter().any(|word| text.ends_with(word)) && joins == 0;
    if is_missing {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "a condition is short")]
    let many = |count: usize| count.min(2) as f64;
    1.5 * many(literals)
        + 1.5 * many(constants)
        + 1.5 * many(numbers)
        + 0.8 * many(joins)
        + if compares { 1.2 } else { 0.0 }
        + if equals { 0.7 } else { 0.0 }
        - if text.chars().count() > 80 { 0.8 } else { 0.0 }
}

/// Returns true for the definition of a command line option, which the settings describe already.
pub(super) fn is_option(text: &str) -> bool {
    ["add_argument(", "add_option(", ".option(", "click.option(", "getopt("]
        .iter()
        .any(|call| text.contains(call))
}

/// Returns the weight of a statement: literals, constants, numbers, errors and results raise it;
/// printing lowers it.
pub(super) fn statement_weight(text: &str) -> f64 {
    let is_printed = is_printed(text);
    // A format has signs and no word.
    let strings = literals(text)
        .filter(|literal| literal.chars().filter(char::is_ascii_alphabetic).count() > 2)
        .count();
    let has_sentence = literals(text).any(|literal| literal.len() > 12);
    let constants = words(text).filter(|word| is_constant(word)).count();
    // The number of a part is no limit.
    let outside_index = text.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let numbers = outside_index.flat_map(words).filter(|word| is_number(word)).count();
    let is_error = ["Err(", "throw ", "raise ", "Error", "exit", "Exit", "bail!", "anyhow!"]
        .iter()
        .any(|part| text.contains(part));
    #[allow(clippy::cast_precision_loss, reason = "a statement is short")]
    let many = |count: usize| count.min(2) as f64;
    let weight = 0.7 * many(strings)
        + 0.7 * many(constants)
        + 0.8 * many(numbers)
        + if is_error { 0.6 } else { 0.0 }
        + if has_sentence { 0.2 } else { 0.0 }
        + if is_result(text) { 0.6 } else { 0.0 };
    if is_printed { weight * 0.4 } else { weight }
}

/// Returns true for a statement that leaves its block: `return`, `break`, `throw`, an exit of the program, `Err(…)`.
pub(super) fn is_end(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "return", "continue", "break", "throw", "raise", "goto", "exit", "die", "panic!", "bail!", "fail",
        "abort", "yield",
    ];
    const EXITS: &[&str] =
        &["os.Exit", "sys.exit", "process.exit", "std::process::exit", "process::exit", "System.exit"];
    let first = text.split([' ', '(', ';']).next().unwrap_or_default();
    WORDS.contains(&first)
        || EXITS.iter().any(|exit| text.starts_with(exit))
        || text.starts_with("Err(")
        || text.starts_with("self.fail(")
}

/// Returns true for a `return` whose value is not only true, false, nothing, a small number or an error
/// that is passed on.
pub(super) fn is_result(text: &str) -> bool {
    const PLAIN: &[&str] =
        &["true", "false", "nil", "null", "None", "undefined", "NULL", "err", "self", "this", "0", "1", "-1"];
    text.strip_prefix("return ").is_some_and(|value| {
        let value = value.trim_end_matches(';');
        !value.split(", ").all(|part| PLAIN.contains(&part)) && value.len() > 1
    })
}

/// Returns true for an outcome that rejects an argument of the wrong type or form (`TypeError`, "must
/// be").
pub(super) fn is_rejection(outcome: &str) -> bool {
    [
        "TypeError",
        "ValueError",
        "IllegalArgument",
        "InvalidArgument",
        "must be",
        "should be",
        "ArgumentError",
        "ArgumentNull",
        "ArgumentOutOfRange",
        "NullPointer",
        "requireNonNull",
    ]
    .iter()
    .any(|word| outcome.contains(word))
}

/// Returns true for a statement that prints, logs or asserts; formatting with `sprintf` does not count.
pub(super) fn is_printed(text: &str) -> bool {
    const PRINTING: &[&str] =
        &["log.", "log(", "print", "debug", "trace", "echo ", "assert", "LOG", "Print", "expect("];
    let is_made = text.contains("sprintf") || text.contains("snprintf");
    !is_made && PRINTING.iter().any(|part| text.contains(part))
}

/// Returns the weight of a default value: 1.5 for a fallback such as `unwrap_or(5)`, 0.9 for a number
/// beside a word such as `timeout`, else 0.
pub(super) fn default_weight(text: &str) -> f64 {
    const MARKS: &[&str] = &[
        " ?? ",
        "unwrap_or(",
        "unwrap_or_else",
        "getenv",
        "environ",
        "env::var",
        "process.env",
        "getOrDefault",
        "DEFAULT",
    ];
    const LIMITS: &[&str] = &[
        "timeout", "Timeout", "limit", "Limit", "default", "sleep", "delay", "interval", "max", "Max",
        "retry", "retries", "size", "capacity",
    ];
    let has_digit = words(text).any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let has_value = has_digit
        || literals(text).next().is_some()
        || ["true", "false", "[]", "{}"].iter().any(|value| text.contains(value));
    match () {
        () if MARKS.iter().any(|mark| text.contains(mark)) && has_value => 1.5,
        () if has_digit && LIMITS.iter().any(|mark| text.contains(mark)) => 0.9,
        () => 0.0,
    }
}

/// Returns true for a word of more than one character that begins with a digit: `10`, `0xFF`, `5u8`.
fn is_number(word: &str) -> bool {
    word.len() > 1 && word.starts_with(|c: char| c.is_ascii_digit())
}
