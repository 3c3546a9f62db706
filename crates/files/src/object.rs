//! A map with keys of its own, read key by key: what is written twice, unknown or missing is reported with the key that was meant.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use stategraph_core::nearest;

use super::diagnostic::Diagnostic;
use super::read::{FOUND_MAX, Reader, listed, shown};
use super::source::Span;
use super::spot::Spot;
use super::tree::{Tree, Value};

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

    /// Whether a key that nobody asked for looks like one of these, which [`finish`](Self::finish) then says.
    pub(crate) fn is_mistyped(&self, keys: &[&'static str]) -> bool {
        let strangers = self.entries.keys().filter(|key| !self.known.contains(&key.as_str()));
        strangers.into_iter().any(|key| nearest(shown(key), keys.iter().copied()).is_some())
    }

    /// Keys that would be right in a similar map, for hints.
    pub(crate) fn suggest(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// The value of a key that may be left out, or left empty.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Tree> {
        self.known.push(key);
        self.entries.remove(key).map(|(_, value)| value).filter(|tree| tree.value != Value::Null)
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&mut self, key: &'static str) -> Option<Tree> {
        self.known.push(key);
        let value = self.entries.remove(key).map(|(_, value)| value);
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

impl Reader {
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
