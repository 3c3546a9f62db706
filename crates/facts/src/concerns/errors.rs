//! Recognizes error handling: types of errors, and constructs that raise or handle errors.

use stategraph_repo::{Language, ParsedFile, Site, SiteKind, SymbolInfo, SymbolKind};

use super::ConcernUse;
use crate::calls::{imports, last, positional};
use crate::fact::ConcernKind;

/// Functions and macros that raise or handle errors, by language.
const CALLS: &[(Language, &[&str])] = &[
    (
        Language::Rust,
        &[
            "panic!",
            "unreachable!",
            "todo!",
            "unimplemented!",
            "bail!",
            "ensure!",
            "anyhow!",
            "eyre!",
            "unwrap",
            "expect",
            "context",
            "with_context",
            "map_err",
            "catch_unwind",
        ],
    ),
    (
        Language::Go,
        &[
            "panic",
            "recover",
            "fmt.Errorf",
            "errors.New",
            "errors.Is",
            "errors.As",
            "errors.Join",
            "errors.Wrap",
            "errors.Wrapf",
            "errors.WithStack",
            "log.Fatal",
            "log.Fatalf",
        ],
    ),
    (Language::Ruby, &["raise", "rescue_from", "abort"]),
    (Language::Php, &["set_error_handler", "set_exception_handler", "trigger_error"]),
    (Language::C, &["perror", "strerror", "setjmp", "longjmp", "sigsetjmp", "siglongjmp", "abort", "assert"]),
    (
        Language::Cpp,
        &["std::rethrow_exception", "std::terminate", "std::abort", "abort", "assert", "perror", "strerror"],
    ),
    (Language::Bash, &["trap"]),
];

/// Attributes that mark handlers of errors.
const ATTRIBUTES: &[&str] = &["ExceptionHandler", "ControllerAdvice", "RestControllerAdvice"];

/// Returns the name of the construct with which a call, macro, attribute or keyword raises or handles
/// errors, such as `raise ValueError` or `panic!`; `None` if it does neither.
pub(super) fn construct(language: Language, site: &Site) -> Option<String> {
    match site.kind {
        SiteKind::Keyword => match site.name.as_str() {
            "raise" | "throw" => Some(with_type(&site.name, site)),
            "except" | "catch" | "rescue" => Some(site.name.clone()),
            _ => None,
        },
        SiteKind::Attribute => {
            ATTRIBUTES.contains(&last(&site.name)).then(|| format!("@{}", last(&site.name)))
        }
        SiteKind::Macro | SiteKind::Call => {
            let (_, known) = CALLS.iter().find(|(known, _)| *known == language)?;
            let name = if language == Language::Rust { last(&site.name) } else { site.name.as_str() };
            let shown = if site.kind == SiteKind::Macro { format!("{name}!") } else { name.to_owned() };
            // Methods of Rust are those of a value.
            let is_method = language != Language::Rust
                || site.kind == SiteKind::Macro
                || site.name.contains('.')
                || name == "catch_unwind";
            let is_known = known.contains(&shown.as_str()) && is_method;
            match (language, is_known) {
                (Language::Ruby, true) if shown == "raise" => Some(with_type("raise", site)),
                (Language::Bash, false) if shown == "set" => strict(site),
                // A trap for the end of a script tidies up.
                (Language::Bash, true) if !site.arguments.iter().any(|it| it.text == "ERR") => None,
                (Language::Cpp, false) => status(&site.name),
                (_, true) => Some(shown),
                _ => None,
            }
        }
    }
}

/// Returns the name of a C++ call that makes an error value, as in Abseil, Arrow and `RocksDB`:
/// `Status::Corruption("…")`.
fn status(name: &str) -> Option<String> {
    let made = name.strip_prefix("absl::").unwrap_or(name);
    let is_abseil = name != made && made.ends_with("Error") && made.starts_with(char::is_uppercase);
    let (of_type, kind) = name.rsplit_once("::")?;
    let is_other = ["From", "Make", "Create", "Parse", "Get", "To", "Is", "Set"]
        .iter()
        .any(|start| kind.starts_with(start));
    let is_error = kind.starts_with(char::is_uppercase) && !matches!(kind, "OK" | "Ok") && !is_other;
    let is_status = last(of_type) == "Status" && is_error && kind.chars().any(char::is_lowercase);
    (is_abseil || is_status).then(|| name.to_owned())
}

/// Returns the `set` command at this site of a shell script if it stops the script at errors: `set -euo
/// pipefail`.
fn strict(site: &Site) -> Option<String> {
    let words: Vec<&str> = site.arguments.iter().map(|argument| argument.text.as_str()).collect();
    let is_strict = words
        .first()
        .is_some_and(|first| first.starts_with('-') && first.contains('e') && !first.starts_with("--"));
    let is_plain = words.iter().all(|word| word.chars().all(|c| c.is_ascii_alphabetic() || c == '-'));
    (is_strict && is_plain).then(|| format!("set {}", words.join(" ")))
}

/// Word before the name of a type of Go in the construct of the places that make values of it.
pub(super) const MAKES: &str = "return ";
/// End of a construct that raises the result of a static function of a type: `throw GoneError::` of
/// `throw GoneError::of(id)`. Only all files together tell if the type is one of errors.
pub(super) const FACTORY: &str = "::";

/// Returns the places where a file of Go makes values of types that are called like errors: `return
/// GoneError{id}`, `err := &GoneError{}`. They are no constructs of their own.
pub(super) fn made_values(file: &ParsedFile) -> Vec<ConcernUse> {
    const WORDS: &[&str] = &["err", "failure", "fault", "exception", "problem"];
    if file.outline.language != Language::Go {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or(line).trim();
        let compares =
            ["errors.As(", "errors.Is(", "var _ ", "type ", "case "].iter().any(|it| code.contains(it));
        for (open, _) in code.match_indices('{').filter(|_| !compares) {
            let before = &code[..open];
            let name = &before[before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1)..];
            let around =
                before[..before.len() - name.len()].trim_end_matches(|c: char| is_part(c) || c == '.');
            let around = around.trim_end_matches('&').trim_end();
            let is_value = ["return", "=", "(", ","].iter().any(|it| around.ends_with(it));
            let lower = name.to_lowercase();
            if is_value && WORDS.iter().any(|word| lower.contains(word)) {
                let construct = format!("{MAKES}{name}");
                let lines = (at + 1, at + 1);
                found.push(ConcernUse {
                    concern: ConcernKind::Errors,
                    construct,
                    lines,
                    is_definition: false,
                });
            }
        }
    }
    found
}

/// Returns the keyword with the type that is raised, if that type is written: `raise ValueError`; else the
/// keyword alone. The result of a static function has a mark at its end; see `FACTORY`.
fn with_type(word: &str, site: &Site) -> String {
    let thrown = positional(site, 0).filter(|thrown| !thrown.is_literal).map(|thrown| thrown.text.as_str());
    let bare =
        thrown.map(|thrown| thrown.split(['(', ' ']).next().unwrap_or_default().trim_end_matches(".new"));
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\');
    let is_type = |name: &&str| {
        let simple = last(name);
        // `throw CreateError()` calls a function.
        let is_call = ["Create", "Make", "Get", "Build"]
            .iter()
            .any(|start| simple.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_uppercase)));
        simple.starts_with(char::is_uppercase)
            && !is_call
            && name.chars().all(is_part)
            && simple.chars().any(char::is_lowercase)
    };
    let is_error = |name: &str| ["Error", "Exception"].iter().any(|end| name.ends_with(end));
    // `throw GoneError::of(id)`, `raise GoneError.for(id)`.
    let made = bare.and_then(|name| {
        let function = last(name);
        let of = name.strip_suffix(function)?.trim_end_matches([':', '.', '>', '-']);
        // `throw UnixError.LastException()` names what it makes.
        (!function.is_empty() && !is_error(function) && is_type(&of)).then_some(of)
    });
    // Functions of C# begin with a capital letter, as types do.
    let is_made = made.is_some_and(is_error) && !bare.is_some_and(is_error);
    if let Some(name) = bare.filter(is_type).filter(|_| !is_made) {
        return format!("{word} {name}");
    }
    made.map_or_else(|| word.to_owned(), |name| format!("{word} {name}{FACTORY}"))
}

/// Returns the definitions of error types in a file, and the error values of Go (`var ErrX =
/// errors.New(…)`). Tests are left out.
pub(super) fn types(file: &ParsedFile) -> Vec<ConcernUse> {
    let mut found = Vec::new();
    let mut add = |name: &str, lines: (usize, usize)| {
        let construct = name.to_owned();
        found.push(ConcernUse { concern: ConcernKind::Errors, construct, lines, is_definition: true });
    };
    let is_test = |symbol: &SymbolInfo| {
        file.sites
            .iter()
            .any(|site| site.is_test && site.line >= symbol.line && site.line_end <= symbol.line_end)
    };
    let derives = imports(file, &["thiserror", "snafu", "quick_error"]) || file.text.contains("thiserror::");
    for (around, symbol) in file.outline.walk() {
        if file.outline.language == Language::Rust && around.contains(&"tests") {
            continue;
        }
        let is_error = match file.outline.language {
            Language::Rust => match symbol.kind {
                SymbolKind::Enum | SymbolKind::Struct => {
                    derives
                        && symbol.decorators.iter().any(|decorator| {
                            decorator.contains("derive")
                                && decorator
                                    .split(|c: char| !(c.is_alphanumeric() || c == ':'))
                                    .any(|word| matches!(word, "Error" | "thiserror::Error" | "Snafu"))
                        })
                }
                SymbolKind::Impl => {
                    symbol.signature.contains("Error for ") && implements_error(&symbol.signature)
                }
                _ => false,
            },
            Language::Go => {
                // The type is defined above its method, unless that stands in another file.
                if symbol.kind == SymbolKind::Method
                    && symbol.name == "Error"
                    && symbol.signature.ends_with("Error() string")
                {
                    let receiver = symbol.signature.split(['(', ')']).nth(1).unwrap_or_default();
                    let name = receiver.split_whitespace().last().unwrap_or_default().trim_start_matches('*');
                    let name = name.split('[').next().unwrap_or_default();
                    if !name.is_empty() && !is_test(symbol) {
                        let is_type = |it: &&SymbolInfo| it.kind.is_type() && it.name == name;
                        let definition = file.outline.symbols.iter().find(is_type);
                        add(name, definition.map_or((symbol.line, symbol.line_end), |it| (it.line, it.line)));
                    }
                }
                false
            }
            _ => symbol.kind == SymbolKind::Class && extends_error(&symbol.signature, &symbol.name),
        };
        if is_error && !is_test(symbol) {
            add(symbol.name.split('<').next().unwrap_or(&symbol.name), (symbol.line, symbol.line));
        }
    }
    for site in file.sites.iter().filter(|site| file.outline.language == Language::Go && !site.is_test) {
        let is_value = site.within.is_empty() && matches!(site.name.as_str(), "errors.New" | "fmt.Errorf");
        if is_value && site.holder.to_lowercase().starts_with("err") {
            add(&site.holder, (site.line, site.line_end));
        }
    }
    found
}

/// Returns true if the signature is an implementation of Rust's `Error` trait: `impl std::error::Error for
/// T`.
fn implements_error(signature: &str) -> bool {
    let head = signature.split(" for ").next().unwrap_or_default();
    let name = head.rsplit(' ').next().unwrap_or_default();
    matches!(name, "Error" | "std::error::Error" | "error::Error" | "core::error::Error" | "StdError")
        || name.ends_with(">Error")
        || name.ends_with("::error::Error")
}

/// Returns true if the signature of the class `name` has a base class that is an error type, judged by its
/// name.
fn extends_error(signature: &str, name: &str) -> bool {
    let Some((_, after)) = signature.split_once(name) else { return false };
    // What follows in brackets is a list of types in Python, and of parameters in C#.
    let after = after.split('#').next().unwrap_or(after);
    // The bound of a parameter is no base: `Strategy<T extends Throwable>`.
    let after =
        if after.starts_with('<') { after.split_once('>').map_or("", |(_, rest)| rest) } else { after };
    let bases = after.split("where ").next().unwrap_or(after).split(" implements ").next().unwrap_or(after);
    let words = bases.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '\\' | '.')));
    words.map(last).filter(|word| *word != name).any(|word| {
        let is_type = word.starts_with(char::is_uppercase)
            || matches!(
                word,
                "exception" | "runtime_error" | "logic_error" | "system_error" | "invalid_argument"
            );
        is_type
            && (word.ends_with("Error")
                || word.ends_with("Exception")
                || matches!(
                    word,
                    "Throwable"
                        | "exception"
                        | "runtime_error"
                        | "logic_error"
                        | "system_error"
                        | "invalid_argument"
                ))
    })
}
