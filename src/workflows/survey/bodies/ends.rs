//! Finds raised errors and exits of the program in a line of code.

use crate::repo::Language;

/// Calls that end the program, up to the parenthesis of their argument.
const EXITS: &[&str] = &[
    "process::exit(",
    "process.exit(",
    "sys.exit(",
    "os._exit(",
    "os.Exit(",
    "System.exit(",
    "Environment.Exit(",
    "ExitCode::from(",
    "ctx.exit(",
    "exit(",
];
/// Maximum length of the argument of an exit that is shown, in bytes.
const STATUS: usize = 40;

/// Returns the raised errors and the exits of a line, shortened: `throw ShopError`,
/// `Err(ShopError::Closed)`, `exit(2)`.
pub(super) fn ends(language: Language, line: &str) -> Vec<String> {
    let mut found: Vec<String> = exit_status(language, line).into_iter().collect();
    let keyword = match language {
        Language::Python | Language::Ruby => Some("raise "),
        Language::Rust | Language::Go | Language::C | Language::Bash => None,
        _ => Some("throw "),
    };
    if let Some(name) = keyword.and_then(|keyword| find_raised(line, keyword)) {
        found.push(name);
    }
    if found.is_empty()
        && let Some(name) = keyword.and_then(|_| find_made(line))
    {
        found.push(name);
    }
    if language == Language::Rust
        && let Some(name) = error_value(line)
    {
        found.push(name);
    }
    found
}

/// Returns the first call on the line that ends the program, as `exit(2)`. `None` if there is none, or
/// if its argument is long or computed.
pub(super) fn exit_status(language: Language, line: &str) -> Option<String> {
    if language == Language::Bash {
        let status = line.strip_prefix("exit ")?.split([';', ' ']).next()?;
        return status.bytes().all(|b| b.is_ascii_digit()).then(|| format!("exit {status}"));
    }
    let (at, call) = EXITS.iter().find_map(|call| Some((line.find(call)?, *call)))?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '>' | '"' | '\'' | '`');
    if line[..at].ends_with(is_word) {
        return None;
    }
    let rest = &line[at + call.len()..];
    let status = rest[..rest.find(')')?].trim();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '!' | ' ' | '?');
    let is_told = !status.is_empty() && status.len() <= STATUS && status.chars().all(is_plain);
    // `exit(value)` with a method of a shell or a view is no exit of the program: only numbers and constants count there.
    let is_sure = call != "exit("
        || status.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        || status.starts_with("EX");
    (is_told && is_sure).then(|| format!("{call}{status})"))
}

/// Returns true if a text of `ends` is an exit of the program and not a raised error.
pub(crate) fn is_exit(end: &str) -> bool {
    EXITS.iter().any(|call| end.starts_with(call)) || end.starts_with("exit ")
}

/// Returns keyword and type of an error that is raised: `throw ShopError` for `throw new
/// ShopError("…")`. `None` if the keyword is in a string or the type has no capital.
fn find_raised(line: &str, keyword: &str) -> Option<String> {
    let at = line.find(keyword)?;
    let is_inside = ['"', '\'', '`'].iter().any(|quote| line[..at].matches(*quote).count() % 2 == 1);
    if is_inside || line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let rest = line[at + keyword.len()..].trim_start();
    let rest = rest.strip_prefix("new ").unwrap_or(rest);
    let name = name_of(rest);
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    last.starts_with(char::is_uppercase).then(|| format!("{keyword}{name}"))
}

/// Returns `new ShopError` if the line constructs a value whose type ends in `Error` or `Exception`.
fn find_made(line: &str) -> Option<String> {
    let at = line.find("new ").filter(|at| *at == 0 || line[..*at].ends_with([' ', '(', '=', ',']))?;
    let is_inside = ['"', '\'', '`'].iter().any(|quote| line[..at].matches(*quote).count() % 2 == 1);
    let name = name_of(&line[at + 4..]);
    let is_error =
        name.starts_with(char::is_uppercase) && (name.ends_with("Error") || name.ends_with("Exception"));
    (is_error && !is_inside).then(|| format!("new {name}"))
}

/// Returns `Err(ShopError::Closed)` for an error value of Rust with a named type; `None` for patterns
/// of `match` and `if let`.
fn error_value(line: &str) -> Option<String> {
    let at = line.find("Err(")?;
    // A pattern of `match` and `if let` returns nothing.
    let is_pattern = line.contains("=> ") && line.find("=> ")? > at || line.contains(" let Err(");
    let name = name_of(&line[at + 4..]);
    let last = name.rsplit(':').next().unwrap_or(name);
    let is_type =
        last.starts_with(char::is_uppercase) && last.chars().any(char::is_lowercase) && name.len() > 2;
    (!is_pattern && is_type).then(|| format!("Err({name})"))
}

/// Returns the qualified name at the beginning of a text: `ShopError::Closed` of
/// `ShopError::Closed(1)`.
fn name_of(text: &str) -> &str {
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ':'])
}
