//! Typed reads of YAML values: a value of a wrong type is reported as a defect and left out. Knows no file
//! layout.

use std::collections::BTreeMap;

use serde_json::Value;
use stategraph_yaml::{YamlNode, YamlNumber, YamlValue};

use super::reader::PackageReader;
use super::{PackageInput, PackagePlace, PackageVariable, VariableOption};

/// Maximum number of items that are read from one list.
const LIST_MAX: usize = 5_000;

/// A reader of values from the tree of one YAML file. It reports values of a wrong type as defects of the
/// file at `path`.
pub(super) struct PartReader<'a> {
    pub(super) reader: &'a mut PackageReader,
    pub(super) path: &'a str,
}

impl PartReader<'_> {
    pub(super) fn place(&self, node: &YamlNode) -> PackagePlace {
        PackagePlace { path: self.path.to_owned(), line: node.line }
    }

    fn expected(&mut self, key: &str, expected: &str, node: &YamlNode) {
        let message = format!("line {}: `{key}` is {}, not {expected}", node.line, node.value.describe());
        self.reader.report(self.path, message);
    }

    /// Returns the text at a dotted path below a node, trimmed; empty if there is none. A number or a
    /// boolean gives its text; a list or a map is reported.
    pub(super) fn text(&mut self, node: &YamlNode, key: &str) -> String {
        let Some(found) = node.find(key) else { return String::new() };
        match &found.value {
            YamlValue::Text(text) | YamlValue::Number(YamlNumber { written: text, .. }) => {
                text.trim().to_owned()
            }
            YamlValue::Bool(value) => value.to_string(),
            YamlValue::Null => String::new(),
            YamlValue::List(_) | YamlValue::Map(_) => {
                self.expected(key, "a text", found);
                String::new()
            }
        }
    }

    /// Returns the boolean at a dotted path below a node; `None` if there is none. The texts `yes`, `on`,
    /// `no` and `off` count; any other value is reported.
    pub(super) fn switch(&mut self, node: &YamlNode, key: &str) -> Option<bool> {
        let found = node.find(key)?;
        match &found.value {
            YamlValue::Bool(value) => Some(*value),
            YamlValue::Null => None,
            YamlValue::Text(text) if matches!(text.as_str(), "yes" | "on") => Some(true),
            YamlValue::Text(text) if matches!(text.as_str(), "no" | "off") => Some(false),
            _ => {
                self.expected(key, "true or false", found);
                None
            }
        }
    }

    /// Returns the items of the list under `key`; empty if there is none. Another value is reported, and so
    /// are items beyond [`LIST_MAX`], which are left out.
    pub(super) fn list<'n>(&mut self, node: &'n YamlNode, key: &str) -> &'n [YamlNode] {
        let Some(found) = node.get(key) else { return &[] };
        match &found.value {
            YamlValue::List(items) if items.len() > LIST_MAX => {
                let message = format!("line {}: only {LIST_MAX} entries of `{key}` are read", found.line);
                self.reader.report(self.path, message);
                &items[..LIST_MAX]
            }
            YamlValue::List(items) => items,
            YamlValue::Null => &[],
            _ => {
                self.expected(key, "a list", found);
                &[]
            }
        }
    }

    /// Returns those items of the list under `key` that are maps; other items are reported.
    pub(super) fn maps<'n>(&mut self, node: &'n YamlNode, key: &str) -> Vec<&'n YamlNode> {
        let items = self.list(node, key);
        self.only_maps(items, key)
    }

    pub(super) fn only_maps<'n>(&mut self, items: &'n [YamlNode], key: &str) -> Vec<&'n YamlNode> {
        let (maps, others): (Vec<_>, Vec<_>) =
            items.iter().partition(|item| matches!(item.value, YamlValue::Map(_)));
        for other in others {
            let message =
                format!("line {}: an entry of `{key}` is {}, not a map", other.line, other.value.describe());
            self.reader.report(self.path, message);
        }
        maps
    }

    /// Returns the texts (and numbers as text) of the list under `key`; other items are reported.
    pub(super) fn texts(&mut self, node: &YamlNode, key: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.list(node, key) {
            match &item.value {
                YamlValue::Text(text) | YamlValue::Number(YamlNumber { written: text, .. }) => {
                    texts.push(text.clone());
                }
                _ => self.expected(key, "a list of texts", item),
            }
        }
        texts
    }

    /// Reads an input from an item of a policy template's `inputs` or a data stream's `streams`. `kind_key`
    /// is the key with the type of the input.
    pub(super) fn input(&mut self, node: &YamlNode, kind_key: &str) -> PackageInput {
        PackageInput {
            kind: self.text(node, kind_key),
            title: self.text(node, "title"),
            description: self.text(node, "description"),
            is_off: self.switch(node, "enabled") == Some(false),
            template: self.text(node, "template_path"),
            deployment_modes: self.texts(node, "deployment_modes"),
            variables: self.variables(node),
            place: self.place(node),
        }
    }

    /// Reads the choices of a variable from the list `options` of its node; an entry with neither value nor
    /// text is left out.
    fn options(&mut self, node: &YamlNode) -> Vec<VariableOption> {
        let options = self.maps(node, "options");
        options
            .into_iter()
            .map(|option| VariableOption {
                value: self.text(option, "value"),
                text: self.text(option, "text"),
            })
            .filter(|option| !option.value.is_empty() || !option.text.is_empty())
            .collect()
    }

    /// Reads the variables under the key `vars`. A variable without a name is reported and left out. The
    /// facts that depend on templates (`is_unused`, `unused_streams`, `switches`) are not set here.
    pub(super) fn variables(&mut self, node: &YamlNode) -> Vec<PackageVariable> {
        let mut variables = Vec::new();
        for item in self.maps(node, "vars") {
            let name = self.text(item, "name");
            if name.is_empty() {
                self.reader.report(self.path, format!("line {}: a variable has no name", item.line));
                continue;
            }
            let kind = self.text(item, "type");
            let default = item.get("default").map(YamlNode::to_json).filter(|value| !value.is_null());
            variables.push(PackageVariable {
                title: self.text(item, "title"),
                description: self.text(item, "description"),
                default: default.filter(|value| *value != Value::String(String::new())),
                is_required: self.switch(item, "required").unwrap_or(false),
                // Fleet stores passwords like secrets, and no document may show one.
                is_secret: self.switch(item, "secret").unwrap_or(false) || kind == "password",
                is_shown: self.switch(item, "show_user").unwrap_or(false),
                is_hidden_agentless: self
                    .texts(item, "hide_in_deployment_modes")
                    .iter()
                    .any(|mode| mode == "agentless"),
                is_unused: false,
                unused_streams: Vec::new(),
                switches: BTreeMap::new(),
                options: self.options(item),
                place: self.place(item),
                name,
                kind,
            });
        }
        variables
    }
}
