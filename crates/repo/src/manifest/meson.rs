//! `meson.build`: the project, its targets and dependencies, from literal arguments.

use super::{DeclaredKind, Manifest, Scope};

/// Functions that declare a target.
const TARGETS: &[(&str, DeclaredKind)] = &[
    ("executable(", DeclaredKind::Program),
    ("library(", DeclaredKind::Library),
    ("shared_library(", DeclaredKind::Library),
    ("static_library(", DeclaredKind::Library),
    ("both_libraries(", DeclaredKind::Library),
    ("shared_module(", DeclaredKind::Library),
];
/// Maximum number of targets and dependencies of a file.
const MOST: usize = 500;
/// Most lines of a file that are read.
const LINES: usize = 5_000;
/// Maximum number of characters of a call that are read.
const CALL: usize = 4_000;

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let plain = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    let mut offset = 0;
    for line in plain.split_inclusive('\n').take(LINES) {
        if found.targets.len() + found.dependencies.len() >= MOST {
            break;
        }
        let bare = line.trim_start();
        let call = |name: &str| {
            let at = line.find(name)?;
            let alone = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
            alone.then(|| arguments(&plain[offset + at + name.len()..]))
        };
        if let Some(inside) =
            call("project(").filter(|_| bare.starts_with("project(") && found.name.is_none())
        {
            found.name = literals(inside).next();
            found.version = keyword(inside, "version");
        }
        for (name, kind) in TARGETS {
            let Some(inside) = call(name) else { continue };
            let mut all = literals(inside);
            // `'test_' + name` and `'test_@0@'.format(name)` are names that only a run of Meson tells.
            let is_literal = inside.trim_start().strip_prefix('\'').and_then(|rest| rest.split_once('\''));
            let is_literal = is_literal
                .is_some_and(|(_, rest)| matches!(rest.trim_start().chars().next(), None | Some(',')));
            let Some(name) = all.next().filter(|name| is_literal && !name.contains('@')) else {
                continue;
            };
            let source = all.find(|word| [".c", ".cc", ".cpp", ".cxx"].iter().any(|end| word.ends_with(end)));
            found.target(*kind, name, source);
        }
        if let Some(inside) = call("dependency(") {
            let is_optional = ["required: false", "required : false", "get_option"]
                .iter()
                .any(|mark| inside.contains(mark));
            let scope = if is_optional { Scope::Optional } else { Scope::Runtime };
            let first = literals(inside).next().filter(|_| inside.trim_start().starts_with('\''));
            if let Some(name) = first.filter(|name| !name.is_empty() && !name.contains('@')) {
                found.needs(scope, name, keyword(inside, "version").as_deref());
            }
        }
        offset += line.len();
    }
    Ok(())
}

fn without_comment(line: &str) -> &str {
    let hash = line.match_indices('#').find(|(at, _)| line[..*at].matches('\'').count().is_multiple_of(2));
    hash.map_or(line, |(at, _)| &line[..at])
}

/// Returns the text up to the bracket that closes the call; `text` begins behind the opening one. Empty if it
/// is not found.
fn arguments(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices().take(CALL) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    ""
}

fn literals(text: &str) -> impl Iterator<Item = String> {
    text.split('\'').skip(1).step_by(2).map(str::to_owned)
}

/// Returns the string literal of the argument `key: '…'`; `None` if there is none.
fn keyword(text: &str, key: &str) -> Option<String> {
    let at = text.match_indices(key).find(|(at, _)| {
        !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && text[at + key.len()..].trim_start().starts_with(':')
    })?;
    let value = text[at.0 + key.len()..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('\'')?;
    value.split('\'').next().map(str::to_owned)
}
