//! The names in a statement that exports names of other files, by language. Reads the text of the statement alone.

/// Maximum of names of one statement.
const NAMES: usize = 400;
/// Deepest braces of a statement of Rust that are followed.
const DEPTH: usize = 16;

/// Name in a statement that exports names of other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatementName {
    /// The name as defined; `None` for all names of the module.
    pub(super) name: Option<String>,
    /// The name as exported; for all names the statement that exports them, such as `serde::*`.
    pub(super) shown: String,
    /// The module or the path that has it, to find its file.
    pub(super) target: String,
}

/// Returns the names that a `pub use …` statement exports.
pub(super) fn rust_names(text: &str) -> Vec<StatementName> {
    let mut found = Vec::new();
    if let Some((_, tree)) = text.split_once("use ") {
        let tree = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        add_tree("", tree.trim_end_matches([';', ' ']), DEPTH, &mut found);
    }
    found
}

fn add_tree(around: &str, tree: &str, depth: usize, found: &mut Vec<StatementName>) {
    if tree.is_empty() || depth == 0 || found.len() >= NAMES {
        return;
    }
    if let Some(open) = tree.find('{') {
        let around = format!("{around}{}", tree[..open].trim());
        let inside = tree[open + 1..].trim_end();
        let inside = inside.strip_suffix('}').unwrap_or(inside);
        let (mut level, mut start) = (0_usize, 0);
        for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
            match c {
                '{' => level += 1,
                '}' => level = level.saturating_sub(1),
                ',' if level == 0 => {
                    add_tree(&around, inside[start..at].trim(), depth - 1, found);
                    start = (at + 1).min(inside.len());
                }
                _ => {}
            }
        }
        return;
    }
    let (path, alias) =
        tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let path = format!("{around}{}", path.trim()).replace(' ', "");
    if let Some(target) = path.strip_suffix("::*") {
        found.push(StatementName { name: None, shown: path.clone(), target: target.to_owned() });
        return;
    }
    let target = path.strip_suffix("::self").unwrap_or(&path);
    let name = target.rsplit("::").next().unwrap_or(target).to_owned();
    let shown = alias.unwrap_or(&name).to_owned();
    found.push(StatementName { name: Some(name), shown, target: target.to_owned() });
}

/// Returns the names that `from a import b as c, d` imports; none for another statement.
pub(super) fn python_names(text: &str) -> Vec<StatementName> {
    let Some((module, list)) = text.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) else {
        return Vec::new();
    };
    let module = module.trim();
    let dot = if module.ends_with('.') { "" } else { "." };
    let one = |item: &str| {
        let item = item.trim_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '\\'));
        let mut words = item.split_whitespace();
        let name = words.next()?;
        if name == "*" {
            let shown = format!("{module}.*");
            return Some(StatementName { name: None, shown, target: module.to_owned() });
        }
        let shown = words.nth(1).unwrap_or(name).to_owned();
        Some(StatementName { name: Some(name.to_owned()), shown, target: format!("{module}{dot}{name}") })
    };
    list.split(',').filter_map(one).take(NAMES).collect()
}

/// Returns the names that a JavaScript statement exports: `export { a as b } from …`, `export * from …`.
/// `target` is the module behind `from`.
pub(super) fn script_names(text: &str, target: &str) -> Vec<StatementName> {
    let Some((_, list)) = text.split_once('{') else {
        // `export * as shop` makes one name of all.
        let alias = text.split_once("* as ").and_then(|(_, rest)| rest.split_whitespace().next());
        let name = alias.map(|_| "*".to_owned());
        let shown = alias.map_or_else(|| format!("* from {target}"), str::to_owned);
        return vec![StatementName { name, shown, target: target.to_owned() }];
    };
    let one = |item: &str| {
        let item = item.trim();
        let item = item.strip_prefix("type ").unwrap_or(item);
        let (name, shown) = item.split_once(" as ").unwrap_or((item, item));
        let (name, shown) = (name.trim(), shown.trim());
        let name_of = |name: &str| name.trim_matches(['"', '\'']).to_owned();
        (!name.is_empty()).then(|| StatementName {
            name: Some(name_of(name)),
            shown: name_of(shown),
            target: target.to_owned(),
        })
    };
    list.split('}').next().unwrap_or_default().split(',').filter_map(one).take(NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_statements_of_three_languages() {
        let shown = |all: Vec<StatementName>| -> Vec<String> {
            all.into_iter()
                .map(|one| format!("{} {} {}", one.name.as_deref().unwrap_or("-"), one.shown, one.target))
                .collect()
        };
        assert_eq!(
            shown(rust_names("pub use a::{self, b as c, d::*, e::{f, g}};")),
            ["a a a", "b c a::b", "- a::d::* a::d", "f f a::e::f", "g g a::e::g"]
        );
        assert_eq!(shown(rust_names("pub use a as b;")), ["a b a"]);
        assert_eq!(shown(python_names("from .a import (b as c, d,)")), ["b c .a.b", "d d .a.d"]);
        assert_eq!(shown(python_names("from . import b, e as f")), ["b b .b", "e f .e"]);
        assert_eq!(shown(python_names("from .a import *")), ["- .a.* .a"]);
        assert_eq!(
            shown(script_names("export { type a, b as c } from './d'", "./d")),
            ["a a ./d", "b c ./d"]
        );
        assert_eq!(shown(script_names("export * as shop from './d'", "./d")), ["* shop ./d"]);
        assert_eq!(rust_names("pub use {{{{"), []);
    }
}
