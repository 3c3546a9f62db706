//! Reads the entries of a manifest in TOML, JSON or XML with their lines, so that a name is found in the
//! right table or list.

use std::collections::BTreeMap;
use std::ops::Range;

use roxmltree::{Document, Node};
use serde_json::value::RawValue;
use toml::de::{DeTable, DeValue};

/// Maximum number of entries of a manifest.
const MOST: usize = 20_000;
/// Maximum depth of tables that are read.
const DEPTH: usize = 8;

/// An entry of a manifest: a key of a table, an item of a list, or an XML element or attribute.
pub(super) struct ManifestEntry {
    /// Keys from the root to the entry; `#` stands for an item of a list, `@name` for an attribute.
    path: Vec<String>,
    /// Value if it is text; empty for tables, lists and other values.
    pub(super) text: String,
    /// Line of the entry, from 1.
    pub(super) line: usize,
}

impl ManifestEntry {
    /// Returns true if the entry is at exactly this path of keys in its manifest; `*` matches any key.
    pub(super) fn is_at(&self, path: &[&str]) -> bool {
        self.path.len() == path.len()
            && self.path.iter().zip(path).all(|(own, key)| *key == "*" || own == key)
    }

    /// Returns the last key of the entry's path, such as `name` for `package.name`.
    pub(super) fn key(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// Returns the keys of the table that contains the entry: its path without the last key.
    pub(super) fn table(&self) -> &[String] {
        &self.path[..self.path.len().saturating_sub(1)]
    }
}

/// Returns the entries of a manifest, parsed by the ending of its path (TOML, JSON or XML). Returns none
/// for other formats and invalid files.
pub(super) fn read(path: &str, text: &str) -> Vec<ManifestEntry> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut reader = ManifestEntries { text, starts, path: Vec::new(), found: Vec::new() };
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit('.').next().unwrap_or_default() {
        "toml" => {
            if let Ok(root) = DeTable::parse(text) {
                reader.toml_table(root.get_ref(), 0);
            }
        }
        "json" => reader.json(text.trim_start_matches('\u{feff}').trim_start(), 0),
        "xml" | "csproj" | "fsproj" => {
            let body = text.trim_start_matches('\u{feff}');
            if let Ok(document) = Document::parse(body) {
                reader.xml(document.root_element(), text.len() - body.len(), 0);
            }
        }
        _ => {}
    }
    reader.found
}

/// Reader of a TOML, JSON or XML manifest: the path of the current entry and the entries found so far.
struct ManifestEntries<'a> {
    text: &'a str,
    /// Byte offset of the beginning of each line.
    starts: Vec<usize>,
    path: Vec<String>,
    found: Vec<ManifestEntry>,
}

impl ManifestEntries<'_> {
    /// Adds an entry with the current path and the value `text`; `at` is its byte offset in the manifest.
    fn add(&mut self, at: usize, text: &str) {
        if self.found.len() < MOST {
            let line = self.starts.partition_point(|start| *start <= at);
            self.found.push(ManifestEntry { path: self.path.clone(), text: text.to_owned(), line });
        }
    }

    /// Adds entries for the keys of a TOML table and everything inside them.
    fn toml_table(&mut self, table: &DeTable, depth: usize) {
        for (key, value) in table {
            self.path.push(key.get_ref().to_string());
            self.toml(value.get_ref(), key.span(), depth);
            self.path.pop();
        }
    }

    /// Adds entries for a TOML value and everything inside it.
    fn toml(&mut self, value: &DeValue, place: Range<usize>, depth: usize) {
        self.add(place.start, value.as_str().unwrap_or_default());
        if depth >= DEPTH {
            return;
        }
        match value {
            DeValue::Table(table) => self.toml_table(table, depth + 1),
            DeValue::Array(items) => {
                for item in items {
                    self.path.push("#".to_owned());
                    self.toml(item.get_ref(), item.span(), depth + 1);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    /// Adds entries for a JSON value and everything inside it. `value` must be a slice of `self.text`,
    /// because its address gives its line.
    fn json(&mut self, value: &str, depth: usize) {
        // A value that is read in place is a part of the text.
        let at = (value.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let text = if value.starts_with('"') {
            serde_json::from_str(value).unwrap_or_default()
        } else {
            String::new()
        };
        if depth > 0 {
            self.add(at, &text);
        }
        if depth > DEPTH {
            return;
        }
        if value.starts_with('{')
            && let Ok(table) = serde_json::from_str::<BTreeMap<String, &RawValue>>(value)
        {
            let mut inner: Vec<(String, &RawValue)> = table.into_iter().collect();
            inner.sort_by_key(|(_, value)| value.get().as_ptr() as usize);
            for (key, value) in inner {
                self.path.push(key);
                self.json(value.get(), depth + 1);
                self.path.pop();
            }
        } else if value.starts_with('[')
            && let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(value)
        {
            for item in items {
                self.path.push("#".to_owned());
                self.json(item.get(), depth + 1);
                self.path.pop();
            }
        }
    }

    /// Adds entries for an XML element and everything inside it: attributes as `@name`, and for an element
    /// with `groupId` and `artifactId` an entry `@coordinates` with the text `group:artifact`.
    fn xml(&mut self, node: Node, offset: usize, depth: usize) {
        let at = |node: Node| node.range().start + offset;
        self.path.push(node.tag_name().name().to_owned());
        self.add(at(node), node.text().unwrap_or_default().trim());
        for attribute in node.attributes() {
            self.path.push(format!("@{}", attribute.name()));
            self.add(at(node), attribute.value().trim());
            self.path.pop();
        }
        let child = |name: &str| node.children().find(|child| child.tag_name().name() == name);
        if let (Some(group), Some(artifact)) = (child("groupId"), child("artifactId")) {
            let text = |node: Node| node.text().unwrap_or_default().trim().to_owned();
            self.path.push("@coordinates".to_owned());
            self.add(at(artifact), &format!("{}:{}", text(group), text(artifact)));
            self.path.pop();
        }
        if depth < DEPTH {
            for inner in node.children().filter(Node::is_element) {
                self.xml(inner, offset, depth + 1);
            }
        }
        self.path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_the_line_of_its_own_table() {
        for (name, text, path, value, line) in [
            ("Cargo.toml", "[a]\nx = \"1\"\n[b]\nx = \"2\"\n", &["b", "x"][..], "2", 4),
            ("Cargo.toml", "[[bin]]\nname = \"a\"\n\n[[bin]]\nname = \"b\"\n", &["bin", "#", "name"], "b", 5),
            ("Cargo.toml", "[a]\n\n[a.\"x\"]\ny = 1\n", &["a", "x"], "", 3),
            ("p.toml", "a = [\n  \"x\",\n  \"y\",\n]\n", &["a", "#"], "y", 3),
            ("package.json", "{\n \"a\": {\"x\": 1},\n \"b\": {\n  \"x\": \"2\"\n }\n}", &["b", "x"], "2", 4),
            ("package.json", "\u{feff}{\n\"a\": [\n\"x\", \"y\"]}", &["a", "#"], "y", 3),
            (
                "pom.xml",
                "<project>\n<name>n</name>\n<artifactId>a</artifactId></project>",
                &["project", "artifactId"],
                "a",
                3,
            ),
            (
                "pom.xml",
                "<p><d>\n<groupId>g</groupId>\n<artifactId>a</artifactId></d></p>",
                &["p", "d", "@coordinates"],
                "g:a",
                3,
            ),
        ] {
            let found = read(name, text);
            let lines: Vec<usize> =
                found.iter().filter(|it| it.is_at(path) && it.text == value).map(|it| it.line).collect();
            assert_eq!(lines, [line], "{text}");
        }
        assert!(read("package.json", "{\"a\": [}").is_empty());
        assert!(read("Cargo.toml", "= = [").is_empty());
    }
}
