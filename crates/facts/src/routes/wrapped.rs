//! Finds handlers inside calls of middleware: in `auth(log(list))` and `may(list, "read")` the handler is
//! `list`.

use std::collections::HashSet;
use std::sync::Arc;

use stategraph_repo::{FileOutline, Language};

use super::handler_of;
use crate::fact::{Fact, FactValue};

/// Prefix of a handler's name that is not confirmed yet: `settle` keeps the handler only if the code base
/// defines such a function. No name begins so.
pub(super) const MARK: char = '\u{1}';
/// Maximum number of nested calls around a handler.
const WRAPPERS: usize = 6;
/// Beginnings of the names of functions that create a handler from something else.
const MAKERS: &[&str] = &["new", "make", "create", "build", "file", "static", "dir", "serve", "proxy"];

/// Returns the name of a route's handler that is wrapped in calls, with [`MARK`] before it: `list` in
/// `auth(log("x", list))`. The other arguments must be literals; `None` if there is no such name.
pub(super) fn inner_handler(text: &str) -> Option<String> {
    let mut rest = text.trim();
    for depth in 0..=WRAPPERS {
        if let Some(name) = handler_of(rest) {
            return (depth > 0 && !rest.starts_with('&')).then(|| format!("{MARK}{name}"));
        }
        let (wrapper, inside) = rest.split_once('(')?;
        let inside = inside.strip_suffix(')')?;
        let last = crate::calls::last(wrapper).to_lowercase();
        let is_maker = MAKERS.iter().any(|maker| last.starts_with(maker));
        if handler_of(wrapper).is_none() || is_maker {
            return None;
        }
        let arguments = split(inside)?;
        let mut open = arguments.into_iter().filter(|argument| !is_literal(argument));
        rest = open.next().filter(|_| open.next().is_none())?;
    }
    None
}

/// Returns true if an argument is a string or an integer.
fn is_literal(argument: &str) -> bool {
    argument.starts_with(['"', '\'', '`']) || argument.chars().all(|c| c.is_ascii_digit())
}

/// Splits the source text of a call's arguments at the commas outside of brackets and strings; `None` if a
/// bracket or string is not closed.
fn split(inside: &str) -> Option<Vec<&str>> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut found = Vec::new();
    for (at, c) in inside.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                found.push(inside[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(inside[start..].trim());
    found.retain(|argument| !argument.is_empty());
    (depth == 0 && quote.is_none()).then_some(found)
}

/// Confirms handlers that were found inside calls and are marked with `MARK` in route facts: removes the
/// mark if the code base defines a function of this name, otherwise removes the handler from the fact.
pub(crate) fn settle(outlines: &[Arc<FileOutline>], facts: &mut [Fact]) {
    let marked = |fact: &Fact| match &fact.value {
        FactValue::Route { handler: Some(handler), .. } => handler.strip_prefix(MARK).map(str::to_owned),
        _ => None,
    };
    let mut functions: Option<HashSet<(bool, &str)>> = None;
    let is_go = |path: &str| path.ends_with(".go");
    for fact in facts.iter_mut() {
        let Some(name) = marked(fact) else { continue };
        let known = functions.get_or_insert_with(|| callables(outlines));
        let is_known = known.contains(&(is_go(&fact.sources[0].path), crate::calls::last(&name)));
        let FactValue::Route { method, path, .. } = &fact.value else { continue };
        let (method, path) = (method.clone(), path.clone());
        let value = FactValue::Route { method, path, handler: is_known.then_some(name) };
        let mut made = Fact::new(fact.subject.clone(), value, fact.sources[0].clone(), fact.origin);
        made.role = fact.role;
        *fact = made;
    }
}

/// Returns the names of all functions and methods of Go (with `true`) and of scripts (with `false`).
fn callables(outlines: &[Arc<FileOutline>]) -> HashSet<(bool, &str)> {
    let is_read = |it: &&Arc<FileOutline>| {
        matches!(it.language, Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx)
    };
    let mut found = HashSet::new();
    for outline in outlines.iter().filter(is_read) {
        for (_, symbol) in outline.walk().filter(|(_, symbol)| symbol.kind.is_callable()) {
            let name = symbol.name.rsplit(['.', ')']).next().unwrap_or(&symbol.name);
            found.insert((outline.language == Language::Go, name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::inner_handler;

    #[test]
    fn the_innermost_name_of_calls_with_one_open_argument_is_the_handler() {
        for (text, expected) in [
            ("auth(log(list))", Some("list")),
            ("may(a.List, \"lists:read\")", Some("a.List")),
            ("http.HandlerFunc(s.list)", Some("s.list")),
            ("list", None),
            ("auth(db, list)", None),
            ("http.FileServer(http.Dir(\"a\"))", None),
            ("http.FileServer(files)", None),
            ("NewHandler(store)", None),
            ("auth(func(w http.ResponseWriter) {})", None),
            ("auth(list", None),
            ("auth(list)(x)", None),
        ] {
            assert_eq!(inner_handler(text).as_deref().map(|it| &it[1..]), expected, "{text}");
        }
    }
}
