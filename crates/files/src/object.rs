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

/// A map of the file that is being read key by key. [`finish`](Self::finish) reports the keys that were not
/// read.
pub(crate) struct Object {
    what: String,
    at: usize,
    entries: BTreeMap<String, (Span, YamlNode)>,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl Object {
    /// Returns the byte offset in the file at which the map begins.
    pub(crate) fn start(&self) -> usize {
        self.at
    }

    /// Replaces the words that describe the map in messages, such as "an edge with `choose`".
    pub(crate) fn set_description(&mut self, what: &str) {
        what.clone_into(&mut self.what);
    }

    /// Returns true if the map of the file has the key and it was not taken yet.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Returns the span of a key in the file; the start of the map if the key is absent or was taken.
    pub(crate) fn key_span(&self, key: &str) -> Span {
        self.entries.get(key).map_or(self.at..self.at + 1, |(span, _)| span.clone())
    }

    /// Returns true if an unread key resembles one of `keys`. [`finish`](Self::finish) reports such a key, so the
    /// caller need not.
    pub(crate) fn has_misspelled(&self, keys: &[&'static str]) -> bool {
        let unread = self.entries.keys().filter(|key| !self.known.contains(&key.as_str()));
        unread.into_iter().any(|key| nearest(truncate_name(key), keys.iter().copied()).is_some())
    }

    /// Adds keys that the map does not have, but that hints about unknown keys may suggest.
    pub(crate) fn suggest(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// Moves the value of a key to the key `name`, which the map does not have.
    pub(crate) fn rename(&mut self, key: &str, name: &str) {
        if let Some(entry) = self.entries.remove(key) {
            self.entries.insert(name.to_owned(), entry);
        }
    }

    /// Takes the value of an optional key; `None` if the key is absent or its value is null.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<YamlNode> {
        self.known.push(key);
        self.entries.remove(key).map(|(_, value)| value).filter(|tree| tree.value != YamlValue::Null)
    }

    /// Takes the value of a required key, which may be null. `None` if it is absent; [`finish`](Self::finish)
    /// reports that.
    pub(crate) fn require(&mut self, key: &'static str) -> Option<YamlNode> {
        self.known.push(key);
        let value = self.entries.remove(key).map(|(_, value)| value);
        if value.is_none() {
            self.missing.push(key);
        }
        value
    }

    /// Reports the keys that were not taken, with a similar key as a hint, and the missing required keys. If
    /// an unknown key is a misspelling of a missing one, only the unknown key is reported.
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
    /// Starts to read a map with fixed keys; `what` describes it in messages. Reports duplicate keys, and a
    /// value that is no map; `None` for the latter.
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
