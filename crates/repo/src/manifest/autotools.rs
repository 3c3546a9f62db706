//! `configure.ac` and `Makefile.am`: name, version, packages and installed targets, as far as they are literals.

use super::{DeclaredKind, Manifest, Scope};

/// Maximum number of assignments to a variable, and of words in each, that are read.
const MOST: usize = 200;

/// Reads the literal name, version and required packages of a `configure.ac`.
pub(super) fn configure(text: &str, found: &mut Manifest) -> Result<(), String> {
    let kept: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("dnl ")).collect();
    let plain = kept.join("\n");
    if let Some(inside) = call(&plain, "AC_INIT(") {
        let mut parts = parts(inside).into_iter();
        found.name = parts.next().filter(|name| is_plain(name));
        found.version = parts
            .next()
            .filter(|version| is_plain(version) && version.contains(|c: char| c.is_ascii_digit()));
    }
    let mut rest = plain.as_str();
    while let Some(at) = rest.find("PKG_CHECK_MODULES(") {
        rest = &rest[at..];
        let Some(inside) = call(rest, "PKG_CHECK_MODULES(") else { break };
        let all = parts(inside);
        // A fourth argument says how to go on without it.
        let scope = if all.len() > 3 { Scope::Optional } else { Scope::Runtime };
        let words: Vec<&str> = all.get(1).map(|it| it.split_whitespace().collect()).unwrap_or_default();
        for (at, name) in words.iter().enumerate() {
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && is_plain(name);
            let is_version = at > 0 && words[at - 1].contains(['<', '>', '=']);
            if is_name && !is_version {
                let bound = words.get(at + 1..at + 3).filter(|next| next[0].contains(['<', '>', '=']));
                found.needs(scope, *name, bound.map(|next| next.join(" ")).as_deref());
            }
        }
        rest = &rest["PKG_CHECK_MODULES(".len()..];
    }
    Ok(())
}

/// Reads the programs, libraries and tests that a `Makefile.am` declares.
pub(super) fn automake(text: &str, found: &mut Manifest) -> Result<(), String> {
    const KINDS: &[(&str, DeclaredKind)] = &[
        ("bin_PROGRAMS", DeclaredKind::Program),
        ("sbin_PROGRAMS", DeclaredKind::Program),
        ("lib_LTLIBRARIES", DeclaredKind::Library),
        ("lib_LIBRARIES", DeclaredKind::Library),
        ("check_PROGRAMS", DeclaredKind::Test),
    ];
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let assigned = |line: &str, key: &str| {
        let rest = line.strip_prefix(key)?.trim_start();
        let value = rest.strip_prefix("+=").or_else(|| rest.strip_prefix('='))?;
        Some(value.split('#').next().unwrap_or(value).trim().to_owned())
    };
    for (key, kind) in KINDS {
        // A library of a condition is an extra of some builds.
        let mut depth = 0_usize;
        let outside = joined.lines().filter(|line| {
            depth += usize::from(line.starts_with("if "));
            depth = depth.saturating_sub(usize::from(line.starts_with("endif")));
            depth == 0 || *kind == DeclaredKind::Program
        });
        let values: Vec<String> = outside.filter_map(|line| assigned(line, key)).collect();
        for value in values.iter().take(MOST) {
            for word in value.split_whitespace().filter(|word| is_plain(word)).take(MOST) {
                let variable: String =
                    word.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
                let sources = joined.lines().find_map(|line| assigned(line, &format!("{variable}_SOURCES")));
                let name = word.trim_end_matches(".la").trim_end_matches(".a");
                let first = sources.as_deref().and_then(|all| first_source(all, name));
                found.target(*kind, name, first.map(str::to_owned));
            }
        }
    }
    Ok(())
}

/// Returns the source file in which a target begins: the one called `main` or like the target, or else the
/// first. Skips headers.
fn first_source<'a>(all: &'a str, name: &str) -> Option<&'a str> {
    let sources = || all.split_whitespace().filter(|it| !it.contains('$') && !is_header(it));
    let stem = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split('.').next().unwrap_or(file).to_owned()
    };
    let called = |wanted: &str| sources().find(|path| stem(path) == wanted);
    called("main").or_else(|| called(name)).or_else(|| sources().next())
}

#[allow(clippy::case_sensitive_file_extension_comparisons, reason = "C is strict about it")]
fn is_header(path: &str) -> bool {
    path.ends_with(".h")
}

/// Returns the text between the brackets of the first call that begins with `name` (such as `AC_INIT(`);
/// `None` if it is absent or longer than 4,000 characters.
fn call<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inside = &text[text.find(name)? + name.len()..];
    let mut depth = 1;
    for (at, c) in inside.char_indices().take(4_000) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&inside[..at]);
        }
    }
    None
}

/// Splits the arguments of an m4 call at commas outside brackets; removes the quotes `[…]` around each.
fn parts(inside: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0_usize;
    for c in inside.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match found.last_mut() {
            Some(_) if c == ',' && depth == 0 => found.push(String::new()),
            Some(last) => last.push(c),
            None => {}
        }
    }
    let bare = |part: &String| part.trim().trim_start_matches('[').trim_end_matches(']').trim().to_owned();
    found.iter().map(bare).collect()
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.+".contains(c))
}
