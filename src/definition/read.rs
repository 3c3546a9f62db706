//! Reads typed values out of a [`Tree`] and collects every value that does not fit. Knows no key of the format; see `format.rs`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::engine::nearest;

use super::diagnostic::Diagnostic;
use super::source::{Source, Span};
use super::spot::Spot;
use super::tree::{Tree, Value};

/// The longest name or label, in characters: what fits on a line of a drawing or a log.
pub const NAME_MAX: usize = 100;

/// So many defects are collected; a file with more is not what it was meant to be.
const FOUND_MAX: usize = 1_000;

/// Collects what is wrong while a tree is read.
pub(crate) struct Reader {
    pub(crate) source: Arc<Source>,
    pub(crate) found: Vec<Diagnostic>,
    /// Whether parts of the graph could not be read, so that its shape says nothing.
    pub(crate) holes: Holes,
}

/// Whether something could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holes {
    None,
    Some,
}

impl Reader {
    pub(crate) fn new(source: Arc<Source>) -> Self {
        Self { source, found: Vec::new(), holes: Holes::None }
    }

    pub(crate) fn push(&mut self, span: &Span, message: String, hint: impl Into<String>) {
        if self.found.len() < FOUND_MAX {
            self.found.push(Diagnostic::new(&self.source, span.clone(), message).hint(hint));
        }
    }

    /// Notes that a part of the graph is missing from what was read.
    pub(crate) fn lose<T>(&mut self) -> Option<T> {
        self.holes = Holes::Some;
        None
    }

    /// Says that something else was expected. `what` is the key or the place, `wanted` a phrase such as "a list of names".
    pub(crate) fn mismatch(&mut self, what: &str, wanted: &str, tree: &Tree, hint: &str) {
        let message = format!("{what} is {}, expected {wanted}", tree.value.described());
        let span =
            if tree.span.is_empty() { tree.span.start..tree.span.start + 1 } else { tree.span.clone() };
        self.push(&span, message, hint);
    }

    /// Text on one line.
    pub(crate) fn text(&mut self, what: &str, tree: Tree) -> Option<Spot<String>> {
        match tree.value {
            Value::Text(value) => Some(Spot { value, span: tree.span }),
            Value::Bool(_) | Value::Number(_) => {
                let hint = format!("write it in quotes: \"{}\"", self.source.slice(&tree.span));
                self.mismatch(what, "text", &tree, &hint);
                None
            }
            _ => {
                self.mismatch(what, "text", &tree, "write one text; a list or a map does not fit here");
                None
            }
        }
    }

    /// A name: text that is not too long. Whether it names anything is checked later.
    pub(crate) fn name(&mut self, what: &str, tree: Tree) -> Option<Spot<String>> {
        let name = self.text(what, tree)?;
        self.short(what, name)
    }

    fn short(&mut self, what: &str, name: Spot<String>) -> Option<Spot<String>> {
        let length = name.value.chars().count();
        if length <= NAME_MAX {
            return Some(name);
        }
        let message = format!("{what} has {length} characters, the most is {NAME_MAX}");
        self.push(&name.span, message, "choose a shorter name");
        self.lose()
    }

    /// A number.
    pub(crate) fn number(&mut self, what: &str, tree: Tree) -> Option<Spot<f64>> {
        match tree.value {
            Value::Number(value) => Some(Spot { value, span: tree.span }),
            _ => {
                self.mismatch(what, "a number", &tree, "write a number, without quotes");
                None
            }
        }
    }

    /// A whole number from 0 to `most`.
    pub(crate) fn whole(&mut self, what: &str, number: &Spot<f64>, most: u32) -> Option<Spot<u32>> {
        let value = number.value;
        if value.fract() == 0.0 && (0.0..=f64::from(most)).contains(&value) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the line above")]
            return Some(Spot { value: value as u32, span: number.span.clone() });
        }
        let message = format!("{what} is {}, expected a whole number", self.source.slice(&number.span));
        self.push(&number.span, message, format!("write a number from 1 to {most}"));
        None
    }

    /// A list.
    pub(crate) fn list(&mut self, what: &str, items: &str, tree: Tree) -> Option<Vec<Tree>> {
        match tree.value {
            Value::List(list) => Some(list),
            _ => {
                self.mismatch(what, &format!("a list of {items}"), &tree, "begin each item with `- `");
                self.lose()
            }
        }
    }

    /// The list, cut to `most` with a complaint.
    pub(crate) fn at_most<T>(&mut self, what: &str, most: usize, mut list: Vec<T>) -> Vec<T> {
        if list.len() > most {
            let message = format!("the graph has {} {what}, the most is {most}", list.len());
            self.push(&(0..0), message, "split it into several graphs");
            self.holes = Holes::Some;
            list.truncate(most);
        }
        list
    }

    /// A list of names.
    pub(crate) fn names(&mut self, what: &str, tree: Tree) -> Option<Vec<Spot<String>>> {
        match tree.value {
            Value::List(items) => {
                let count = items.len();
                let names: Vec<_> = items
                    .into_iter()
                    .filter_map(|item| self.name(&format!("an item of {what}"), item))
                    .collect();
                if names.len() == count { Some(names) } else { self.lose() }
            }
            _ => {
                self.mismatch(what, "a list of names", &tree, "write it as [a, b]");
                self.lose()
            }
        }
    }

    /// A map of which every key is the name of a `thing`. Keys may repeat; what that means is for the caller.
    pub(crate) fn entries(
        &mut self,
        what: &str,
        thing: &str,
        tree: Tree,
    ) -> Option<Vec<(Spot<String>, Tree)>> {
        match tree.value {
            Value::Map(entries) => {
                let key = format!("the name of a {thing}");
                let named = |(name, value)| Some((self.short(&key, name)?, value));
                Some(entries.into_iter().filter_map(named).collect())
            }
            _ => {
                self.mismatch(
                    what,
                    "a map",
                    &tree,
                    &format!("write one line `{thing}: …` for each {thing} below it"),
                );
                self.lose()
            }
        }
    }

    /// A map with keys of its own; `what` says what it describes.
    pub(crate) fn object(&mut self, what: &str, tree: Tree) -> Option<Object> {
        let Value::Map(entries) = tree.value else {
            self.mismatch(what, "a map", &tree, "write it as `key: value` lines, or as { key: value }");
            return None;
        };
        let first = entries.first().map_or(tree.span.start, |(key, _)| key.span.start);
        let mut kept: BTreeMap<String, (Span, Tree)> = BTreeMap::new();
        for (Spot { value: key, span }, value) in entries {
            match kept.entry(key) {
                Entry::Vacant(free) => drop(free.insert((span, value))),
                Entry::Occupied(earlier) if self.found.len() < FOUND_MAX => {
                    let message = format!("`{}` is written twice in {what}", shown(earlier.key()));
                    let twice = Diagnostic::new(&self.source, span, message)
                        .also(&self.source, earlier.get().0.clone(), "first here")
                        .hint("remove one of them");
                    self.found.push(twice);
                }
                Entry::Occupied(_) => {}
            }
        }
        Some(Object {
            what: what.to_owned(),
            at: first,
            entries: kept,
            known: Vec::new(),
            missing: Vec::new(),
        })
    }
}

/// A map that is being read key by key. Whatever nobody asked for is reported by [`finish`](Self::finish).
pub(crate) struct Object {
    what: String,
    at: usize,
    entries: BTreeMap<String, (Span, Tree)>,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl Object {
    /// Where it begins.
    pub(crate) fn start(&self) -> usize {
        self.at
    }

    /// Gives what it describes a more exact name, for messages.
    pub(crate) fn call(&mut self, what: &str) {
        what.clone_into(&mut self.what);
    }

    /// Whether the key is there.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Where the key stands; where the map begins if it is not there, or was taken.
    pub(crate) fn key(&self, key: &str) -> Span {
        self.entries.get(key).map_or(self.at..self.at + 1, |(span, _)| span.clone())
    }

    /// Keys that would be right in a similar map, for hints.
    pub(crate) fn suggest(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// The value of a key that may be left out.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Tree> {
        self.known.push(key);
        self.entries.remove(key).map(|(_, value)| value)
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&mut self, key: &'static str) -> Option<Tree> {
        let value = self.take(key);
        if value.is_none() {
            self.missing.push(key);
        }
        value
    }

    /// Reports keys that are unknown and keys that are missing. A missing key that was mistyped is reported once.
    pub(crate) fn finish(mut self, reader: &mut Reader) {
        for (key, (span, _)) in &self.entries {
            let meant = nearest(shown(key), self.known.iter().copied());
            self.missing.retain(|missing| Some(*missing) != meant.as_deref());
            let message = format!("{} has no key `{}`", self.what, shown(key));
            let hint = match meant {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("the keys are {}", listed(&self.known)),
            };
            reader.push(span, message, hint);
        }
        for key in self.missing {
            let message = format!("{} has no `{key}`", self.what);
            reader.push(&(self.at..self.at + 1), message, format!("add `{key}: …`"));
        }
    }
}

/// A key or name as messages show it: cut when it is absurdly long.
pub(crate) fn shown(name: &str) -> &str {
    name.char_indices().nth(NAME_MAX).map_or(name, |(at, _)| &name[..at])
}

/// `a`, `b` and `c`.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
