//! The front matter of a context file: keys and values in order. Knows no key; see `metadata.rs`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stategraph_yaml::{error_place, error_text};

use super::error::ContextFileProblem;
use crate::workflows::config::YAML_LIMITS;
use crate::workflows::yaml_scalar::{escape_json, quote_scalar};

/// Words that YAML does not read as text.
const RESERVED: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
/// The key of the digest, which is computed when a file is rendered.
const DIGEST: &str = "digest";

/// The keys and values of a front matter, in the order of the file. Unknown keys are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrontMatter(Map<String, Value>);

impl FrontMatter {
    /// Parses the YAML between the `---` lines. Line numbers in errors are those of the whole file.
    pub(super) fn parse(yaml: &str) -> Result<Self, ContextFileProblem> {
        let wrong = |line: usize, message| ContextFileProblem::Yaml { line: line.max(1) as u64 + 1, message };
        let tree = stategraph_yaml::parse(yaml, &YAML_LIMITS)
            .map_err(|error| wrong(error_place(&error).0, error_text(&error)))?;
        if let Some(entry) = tree.find_duplicate() {
            return Err(wrong(entry.line, format!("the key `{}` stands twice", entry.key)));
        }
        match tree.to_json() {
            Value::Object(mut map) => {
                map.shift_remove(DIGEST);
                Ok(Self(map))
            }
            Value::Null => Ok(Self::default()),
            _ => Err(ContextFileProblem::NotAMap),
        }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns the text of a key; `None` for a value that is no text, or blank.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns the path or URL under the key `source_repo`: the repository that the file describes (CTX-6).
    /// An error if there is none.
    pub fn source_repo(&self) -> Result<&str, ContextFileProblem> {
        self.text("source_repo").ok_or(ContextFileProblem::NoRepository)
    }

    /// Sets a key. A known key keeps its place, a new one is added at the end.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Sets the keys of `other`, and keeps all others.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Renders each key as one line of YAML, with its value as JSON (CTX-115).
    pub(super) fn render(&self) -> String {
        let line = |(key, value): (&String, &Value)| format!("{}: {}\n", render_key(key), escape_json(value));
        self.0.iter().map(line).collect()
    }

    pub(super) fn map(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl From<Map<String, Value>> for FrontMatter {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

fn render_key(key: &str) -> String {
    let is_name = |key: &str| {
        key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let is_reserved = RESERVED.iter().any(|word| key.eq_ignore_ascii_case(word));
    if is_name(key) && !is_reserved { key.to_owned() } else { quote_scalar(key) }
}
