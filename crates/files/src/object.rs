//! A map with fixed keys, read key by key. Duplicate, unknown and missing keys are reported, with the key that was
//! probably meant.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use stategraph_core::nearest;
use stategraph_yaml::{YamlEntry, YamlNode, YamlValue};

use super::diagnostic::Diagnostic;
use super::naming::{join_quoted, truncate_name};
use super::read::{DIAGNOSTICS_MAX, Reader};
use super::source::Span;

/// A map that is being read key by key. [`finish`](Self::finish) reports the keys that were not read.
pub(crate) struct Object {
    what: String,
    at: usize,
    entries: BTreeMap<String, (Span, YamlNode)>,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl Object {
    /// Returns the byte offset at which the map begins.
    pub(crate) fn start(&self) -> usize {
        self.at
    }

    /// Replaces the description of the map in messages.
    pub(crate) fn set_description(&mut self, what: &str) {
        what.clone_into(&mut self.what);
    }

    /// Returns true if the map has the key and it was not taken yet.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Returns the span of the key; the start of the map if the key is absent or was taken.
    pub(crate) fn key_span(&self, key: &str) -> Span {
        self.entries.get(key).map_or(self.at..self.at + 1, |(span, _)| span.clone())
    }

    /// Returns true if an unread key resembles one of `keys`. [`finish`](Self::finish) reports such a key, so the
    /// caller need not.
    pub(crate) fn has_misspelled(&self, keys: &[&'static str]) -> bool {
        let unread = self.entries.keys().filter(|key| !self.known.contains(&key.as_str()));
        unread.into_iter().any(|key| nearest(truncate_name(key), keys.iter().copied()).is_some())
    }

    /// Adds keys of similar maps, which hints may suggest.
    pub(crate) fn suggest(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// Puts the value of a key under another name, which the map does not have.
    pub(crate) fn rename(&mut self, key: &str, name: &str) {
        if let Some(entry) = self.entries.remove(key) {
            self.entries.insert(name.to_owned(), entry);
        }
    }

    /// Takes the value of an optional key; `None` if it is absent or empty.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<YamlNode> {
        self.known.push(key);
        self.entries.remove(key).map(|(_, value)| value).filter(|tree| tree.value != YamlValue::Null)
    }

    /// Takes the value of a required key; [`finish`](Self::finish) reports its absence.
    pub(crate) fn require(&mut self, key: &'static str) -> Option<YamlNode> {
        self.known.push(key);
        let value = self.entries.remove(key).map(|(_, value)| value);
        if value.is_none() {
            self.missing.push(key);
        }
        value
    }

    /// Reports unknown and missing keys. A missing key that was mistyped is reported only once.
    pub(crate) fn finish(mut self, reader: &mut Reader) {
        let mut seen = std::collections::BTreeSet::new();
        self.known.retain(|key| seen.insert(*key));
        for (key, (span, _)) in &self.entries {
            let meant = nearest(truncate_name(key), self.known.iter().copied());
            self.missing.retain(|missing| Some(*missing) != meant.as_deref());
            let message = format!("{} has no key `{}`", self.what, truncate_name(key));
            let hint = match meant {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("the keys are {}", join_quoted(&self.known)),
            };
            reader.report(span, message, hint);
        }
        for key in self.missing {
            let message = format!("{} has no `{key}`", self.what);
            reader.report(&(self.at..self.at + 1), message, format!("add `{key}: …`"));
        }
    }
}

impl Reader {
    /// Reads a map with fixed keys; `what` describes it in messages.
    pub(crate) fn read_object(&mut self, what: &str, tree: YamlNode) -> Option<Object> {
        let YamlValue::Map(entries) = tree.value else {
            self.report_mismatch(
                what,
                "a map",
                &tree,
                "write it as `key: value` lines, or as { key: value }",
            );
            return None;
        };
        let first = entries.first().map_or(tree.span.start, |entry| entry.span.start);
        let mut entries_by_key: BTreeMap<String, (Span, YamlNode)> = BTreeMap::new();
        for YamlEntry { key, span, value, .. } in entries {
            match entries_by_key.entry(key) {
                Entry::Vacant(free) => drop(free.insert((span, value))),
                Entry::Occupied(earlier) if self.diagnostics.len() < DIAGNOSTICS_MAX => {
                    let message = format!("`{}` is written twice in {what}", truncate_name(earlier.key()));
                    let twice = Diagnostic::new(&self.source, span, message)
                        .also(&self.source, earlier.get().0.clone(), "first here")
                        .hint("remove one of them");
                    self.diagnostics.push(twice);
                }
                Entry::Occupied(_) => {}
            }
        }
        Some(Object {
            what: what.to_owned(),
            at: first,
            entries: entries_by_key,
            known: Vec::new(),
            missing: Vec::new(),
        })
    }
}
