//! A map with fixed keys, read key by key. Duplicate, unknown and missing keys are reported, with the key that was
//! probably meant.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use stategraph_core::nearest;

use super::diagnostic::Diagnostic;
use super::read::{FOUND_MAX, Reader, listed, shown};
use super::source::Span;
use super::spot::Spot;
use super::tree::{Tree, Value};

/// A map that is being read key by key. [`finish`](Self::finish) reports the keys that were not read.
pub(crate) struct Object {
    what: String,
    at: usize,
    entries: BTreeMap<String, (Span, Tree)>,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl Object {
    /// Returns the byte offset at which the map begins.
    pub(crate) fn start(&self) -> usize {
        self.at
    }

    /// Replaces the description of the map in messages.
    pub(crate) fn call(&mut self, what: &str) {
        what.clone_into(&mut self.what);
    }

    /// Returns true if the map has the key and it was not taken yet.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Returns the span of the key; the start of the map if the key is absent or was taken.
    pub(crate) fn key(&self, key: &str) -> Span {
        self.entries.get(key).map_or(self.at..self.at + 1, |(span, _)| span.clone())
    }

    /// Returns true if an unread key resembles one of `keys`. [`finish`](Self::finish) reports such a key, so the
    /// caller need not.
    pub(crate) fn is_mistyped(&self, keys: &[&'static str]) -> bool {
        let strangers = self.entries.keys().filter(|key| !self.known.contains(&key.as_str()));
        strangers.into_iter().any(|key| nearest(shown(key), keys.iter().copied()).is_some())
    }

    /// Adds keys of similar maps, which hints may suggest.
    pub(crate) fn suggest(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// Takes the value of an optional key; `None` if it is absent or empty.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Tree> {
        self.known.push(key);
        self.entries.remove(key).map(|(_, value)| value).filter(|tree| tree.value != Value::Null)
    }

    /// Takes the value of a required key; [`finish`](Self::finish) reports its absence.
    pub(crate) fn need(&mut self, key: &'static str) -> Option<Tree> {
        self.known.push(key);
        let value = self.entries.remove(key).map(|(_, value)| value);
        if value.is_none() {
            self.missing.push(key);
        }
        value
    }

    /// Reports unknown and missing keys. A missing key that was mistyped is reported only once.
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
    /// Reads a map with fixed keys; `what` describes it in messages.
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
