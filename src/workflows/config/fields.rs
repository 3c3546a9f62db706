//! Takes typed fields from a map of the configuration and collects the defects. Knows types, but no
//! keys.

use std::collections::BTreeMap;

use stategraph_yaml::{YamlEntry, YamlNode, YamlValue};

use crate::engine::nearest;

use super::{
    defect::{ConfigDefect, ConfigDefectKind},
    found::{ConfigPosition, describe},
    provider::Entry,
};

/// Map of the configuration while it is read. Each `take` method removes a key, and [`Fields::finish`]
/// reports the remaining ones as unknown. Defects are appended to a list that all maps of a file share.
pub(in crate::workflows) struct Fields<'d> {
    prefix: String,
    place: ConfigPosition,
    entries: BTreeMap<String, (ConfigPosition, YamlNode)>,
    asked: Vec<&'static str>,
    defects: &'d mut Vec<ConfigDefect>,
}

impl<'d> Fields<'d> {
    /// Opens a map and reports keys that it has twice; the first one counts. `prefix` is its dotted
    /// key.
    pub(in crate::workflows) fn open(
        prefix: String,
        place: ConfigPosition,
        map: Vec<YamlEntry>,
        defects: &'d mut Vec<ConfigDefect>,
    ) -> Self {
        let mut entries = BTreeMap::<String, (ConfigPosition, YamlNode)>::new();
        for entry in map {
            let at = ConfigPosition::from(&entry);
            if let Some((first, _)) = entries.get(&entry.key) {
                let fault = ConfigDefectKind::Duplicate { first: first.line };
                defects.push(defect(&prefix, &entry.key, at, fault));
            } else {
                entries.insert(entry.key, (at, entry.value));
            }
        }
        Self { prefix, place, entries, asked: Vec::new(), defects }
    }

    /// Returns the position of a key that was not taken yet; the position of the map for other keys.
    pub(in crate::workflows) fn place(&self, key: &str) -> ConfigPosition {
        self.entries.get(key).map_or(self.place, |(place, _)| *place)
    }

    /// Takes a value and converts it with `read`. `None` if the key is missing, or if `read` returns
    /// `None`; the latter is reported as a defect. `expected` describes valid values.
    pub(in crate::workflows) fn take<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        read: impl FnOnce(&YamlValue) -> Option<T>,
    ) -> Option<T> {
        self.asked.push(key);
        let (_, value) = self.entries.remove(key)?;
        let found = read(&value.value);
        if found.is_none() {
            let fault = ConfigDefectKind::Wrong { expected, found: describe(&value.value) };
            self.defects.push(defect(&self.prefix, key, (&value).into(), fault));
        }
        found
    }

    /// Takes a value that must be one of `words`, and returns the meaning of the word.
    pub(in crate::workflows) fn take_word<T: Copy>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        words: &[(&str, T)],
    ) -> Option<T> {
        self.take(key, expected, |value| match value {
            YamlValue::Text(word) => {
                words.iter().find(|(known, _)| known == word).map(|(_, meaning)| *meaning)
            }
            _ => None,
        })
    }

    /// Takes a map with fixed keys; `read` takes its fields.
    pub(in crate::workflows) fn take_fields<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        read: impl FnOnce(Fields<'_>) -> T,
    ) -> Option<T> {
        let place = self.place(key);
        let map = self.take(key, expected, as_map)?;
        Some(read(Fields::open(join(&self.prefix, key), place, map, self.defects)))
    }

    /// Takes a map whose names the user chooses, and converts each entry with `each`. Empty if the key
    /// is missing. Entries for which `each` returns `None` are left out.
    pub(in crate::workflows) fn take_map<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        mut each: impl FnMut(Entry, &YamlValue, &mut Vec<ConfigDefect>) -> Option<T>,
    ) -> BTreeMap<String, T> {
        let Some(map) = self.take(key, expected, as_map) else { return BTreeMap::new() };
        let prefix = join(&self.prefix, key);
        let inner = Fields::open(prefix.clone(), self.place, map, self.defects);
        let entries = inner.entries;
        let mut found = BTreeMap::new();
        for (name, (place, value)) in entries {
            let entry = Entry { name: name.clone(), key: join(&prefix, &name), place };
            if let Some(item) = each(entry, &value.value, self.defects) {
                found.insert(name, item);
            }
        }
        found
    }

    /// Removes a key without reading it, because another workflow reads and checks that section.
    pub(in crate::workflows) fn skip_section(&mut self, key: &str) {
        self.entries.remove(key);
    }

    /// Reports that a required key is missing.
    pub(in crate::workflows) fn missing(&mut self, key: &'static str, expected: &'static str) {
        self.defects.push(defect(&self.prefix, key, self.place, ConfigDefectKind::Missing { expected }));
    }

    /// Returns true if a defect of this key was reported, so that the key is not also reported as
    /// missing.
    pub(in crate::workflows) fn is_faulty(&self, key: &str) -> bool {
        let full = join(&self.prefix, key);
        self.defects.iter().any(|defect| defect.key == full)
    }

    /// Reports the remaining keys as unknown.
    pub(in crate::workflows) fn finish(self) {
        for (key, (place, _)) in self.entries {
            let fault = ConfigDefectKind::Unknown { nearest: nearest(&key, self.asked.iter().copied()) };
            self.defects.push(defect(&self.prefix, &key, place, fault));
        }
    }
}

/// Returns the trimmed text; `None` for blank text and other values.
pub(in crate::workflows) fn as_text(value: &YamlValue) -> Option<String> {
    match value {
        YamlValue::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// Returns a whole number from 0 to 4,294,967,295; `None` for other values.
pub(in crate::workflows) fn as_count(value: &YamlValue) -> Option<u32> {
    match value {
        YamlValue::Number(number) => u32::try_from(number.as_integer()?).ok(),
        _ => None,
    }
}

/// Returns a whole number above 0; `None` for other values.
pub(in crate::workflows) fn as_positive(value: &YamlValue) -> Option<u32> {
    as_count(value).filter(|&number| number > 0)
}

/// Returns a finite number of 0 or more; `None` for other values.
pub(in crate::workflows) fn as_amount(value: &YamlValue) -> Option<f64> {
    let YamlValue::Number(number) = value else { return None };
    Some(number.as_f64()).filter(|number| number.is_finite() && *number >= 0.0)
}

/// Returns the entries of a map. An empty value is an empty map; `None` for other values.
pub(in crate::workflows) fn as_map(value: &YamlValue) -> Option<Vec<YamlEntry>> {
    match value {
        YamlValue::Map(map) => Some(map.clone()),
        YamlValue::Null => Some(Vec::new()),
        _ => None,
    }
}

fn defect(prefix: &str, key: &str, place: ConfigPosition, fault: ConfigDefectKind) -> ConfigDefect {
    ConfigDefect { line: place.line, column: place.column, key: join(prefix, key), fault }
}

/// Joins a prefix and a key to a dotted key.
fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}
