//! Reads typed values from a [`YamlNode`] and collects a diagnostic for every value that does not fit. Knows no key of
//! the format; see `format`.

use std::sync::Arc;

use stategraph_yaml::{YamlEntry, YamlNode, YamlValue};

use super::diagnostic::Diagnostic;
use super::inline::ValueType;
use super::located::Located;
use super::naming::NAME_MAX;
use super::source::{SourceText, Span};

/// Maximum number of collected diagnostics. A file with more defects is probably not a graph file.
pub(crate) const DIAGNOSTICS_MAX: usize = 1_000;

/// The reader of one file. It collects diagnostics and references to tools and sub-graphs while the YAML tree
/// is read.
pub(crate) struct Reader {
    pub(crate) source: Arc<SourceText>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Says whether every part of the graph could be read.
    pub(crate) completeness: Completeness,
    /// Tools that the file names. They are checked later against the tools of the program.
    pub(crate) tools: Vec<Located<String>>,
    /// Calls of tools by nodes, with their arguments. They are checked together with the tools.
    pub(crate) tool_calls: Vec<NamedCall>,
    /// Sub-graph files that the file names.
    pub(crate) inclusions: Vec<Inclusion>,
}

/// A reference of the file to another graph file as a sub-graph, with the names that it passes. It is checked
/// when that file is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inclusion {
    pub(crate) file: Located<String>,
    pub(crate) with: Vec<Located<String>>,
    /// Channels that both graphs have.
    pub(crate) share: Vec<Located<String>>,
    /// Nodes of this graph that it may go to.
    pub(crate) goto: Vec<Located<String>>,
}

/// A call of a tool by a `tool` node: the names of the tool and of its arguments. It is checked when the
/// tools are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NamedCall {
    pub(crate) tool: Located<String>,
    pub(crate) arguments: Vec<Located<String>>,
}

/// The mark of a graph some of whose parts may not have been read. Checks that need the whole graph are
/// skipped then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completeness {
    Complete,
    Incomplete,
}

impl Reader {
    pub(crate) fn new(source: Arc<SourceText>) -> Self {
        Self {
            source,
            diagnostics: Vec::new(),
            completeness: Completeness::Complete,
            tools: Vec::new(),
            tool_calls: Vec::new(),
            inclusions: Vec::new(),
        }
    }

    pub(crate) fn report(&mut self, span: &Span, message: String, hint: impl Into<String>) {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(Diagnostic::new(&self.source, span.clone(), message).hint(hint));
        }
    }

    /// Marks the graph as incomplete. Always returns `None`, so that a reading function can end with it.
    pub(crate) fn mark_incomplete<T>(&mut self) -> Option<T> {
        self.completeness = Completeness::Incomplete;
        None
    }

    /// Reports a value of the wrong type. `what` names the key in the message, `wanted` is a phrase such as
    /// "a list of names".
    pub(crate) fn report_mismatch(&mut self, what: &str, wanted: &str, tree: &YamlNode, hint: &str) {
        let message = format!("{what} is {}, expected {wanted}", describe(&tree.value));
        let span =
            if tree.span.is_empty() { tree.span.start..tree.span.start + 1 } else { tree.span.clone() };
        self.report(&span, message, hint);
    }

    /// Reads a single text. Reports other values and returns `None`; numbers and booleans with the advice to
    /// quote them.
    pub(crate) fn read_text(&mut self, what: &str, tree: YamlNode) -> Option<Located<String>> {
        match tree.value {
            YamlValue::Text(value) => Some(Located { value, span: tree.span }),
            YamlValue::Bool(_) | YamlValue::Number(_) => {
                let hint = format!("write it in quotes: \"{}\"", self.source.slice(&tree.span));
                self.report_mismatch(what, "text", &tree, &hint);
                None
            }
            _ => {
                self.report_mismatch(
                    what,
                    "text",
                    &tree,
                    "write one text; a list or a map does not fit here",
                );
                None
            }
        }
    }

    /// Reads a name: a text of at most [`NAME_MAX`] characters. A longer one is reported and makes the graph
    /// incomplete. Existence is checked later.
    pub(crate) fn read_name(&mut self, what: &str, tree: YamlNode) -> Option<Located<String>> {
        let name = self.read_text(what, tree)?;
        self.check_name_length(what, name)
    }

    fn check_name_length(&mut self, what: &str, name: Located<String>) -> Option<Located<String>> {
        let length = name.value.chars().count();
        if length <= NAME_MAX {
            return Some(name);
        }
        let message = format!("{what} has {length} characters, the most is {NAME_MAX}");
        self.report(&name.span, message, "choose a shorter name");
        self.mark_incomplete()
    }

    /// Reads `true` or `false`. Reports other values and returns `None`. `what` names the key in messages.
    pub(crate) fn read_bool(&mut self, what: &str, tree: &YamlNode) -> Option<bool> {
        let YamlValue::Bool(value) = tree.value else {
            self.report_mismatch(what, "true or false", tree, "write true or false, without quotes");
            return None;
        };
        Some(value)
    }

    /// Reads a number, whole or not. Reports other values and returns `None`. `what` names the key in
    /// messages.
    pub(crate) fn read_number(&mut self, what: &str, tree: YamlNode) -> Option<Located<f64>> {
        let YamlValue::Number(value) = tree.value else {
            self.report_mismatch(what, "a number", &tree, "write a number, without quotes");
            return None;
        };
        Some(Located { value: value.as_f64(), span: tree.span })
    }

    /// Returns the number as an integer if it is whole and from 0 to `most`; otherwise reports it and returns
    /// `None`.
    pub(crate) fn check_integer(
        &mut self,
        what: &str,
        number: &Located<f64>,
        most: u32,
    ) -> Option<Located<u32>> {
        let value = number.value;
        if value.fract() == 0.0 && (0.0..=f64::from(most)).contains(&value) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the line above")]
            return Some(Located { value: value as u32, span: number.span.clone() });
        }
        let written = self.source.slice(&number.span);
        let message = if value.fract() == 0.0 && value > 0.0 {
            format!("{what} is {written}, the most is {most}")
        } else {
            format!("{what} is {written}, expected a whole number")
        };
        self.report(&number.span, message, format!("write a number from 1 to {most}"));
        None
    }

    /// Returns the items of a list. A value of another type is reported and makes the graph incomplete.
    /// `items` is the noun for the items in messages.
    pub(crate) fn read_list(&mut self, what: &str, items: &str, tree: YamlNode) -> Option<Vec<YamlNode>> {
        let YamlValue::List(list) = tree.value else {
            self.report_mismatch(what, &format!("a list of {items}"), &tree, "begin each item with `- `");
            return self.mark_incomplete();
        };
        Some(list)
    }

    /// Cuts `list` to `most` items. An excess is reported and makes the graph incomplete.
    pub(crate) fn truncate<T>(&mut self, what: &str, most: usize, mut list: Vec<T>) -> Vec<T> {
        if list.len() > most {
            let message = format!("the graph has {} {what}, the most is {most}", list.len());
            self.report(&(0..0), message, "split it into several graphs");
            self.completeness = Completeness::Incomplete;
            list.truncate(most);
        }
        list
    }

    /// Reads and compiles a JSON Schema that is written in the file. Reports an invalid one and returns
    /// `None`.
    pub(crate) fn read_json_schema(&mut self, what: &str, tree: &YamlNode) -> Option<ValueType> {
        if !matches!(tree.value, YamlValue::Map(_) | YamlValue::Bool(_)) {
            self.report_mismatch(
                what,
                "a JSON Schema",
                tree,
                "such as { type: object, properties: { title: { type: string } } }",
            );
            return None;
        }
        match ValueType::parse(tree.to_json()) {
            Ok(value_type) => Some(value_type),
            Err(reason) => {
                let span = tree.span.start..tree.span.end.max(tree.span.start + 1);
                self.report(
                    &span,
                    format!("{what} is no JSON Schema: {reason}"),
                    "see https://json-schema.org",
                );
                None
            }
        }
    }

    /// Reads a list of names. Unless every item is a name, it reports that, returns `None` and marks the
    /// graph incomplete.
    pub(crate) fn read_names(&mut self, what: &str, tree: YamlNode) -> Option<Vec<Located<String>>> {
        let YamlValue::List(items) = tree.value else {
            self.report_mismatch(what, "a list of names", &tree, "write it as [a, b]");
            return self.mark_incomplete();
        };
        let count = items.len();
        let item = format!("an item of {what}");
        let names: Vec<_> = items.into_iter().filter_map(|tree| self.read_name(&item, tree)).collect();
        if names.len() == count { Some(names) } else { self.mark_incomplete() }
    }

    /// Reads a map whose keys are names of `thing`s, in the order of the file. Duplicate keys are kept for
    /// the caller to handle; too long ones are reported and left out. `None` if the value is no map.
    pub(crate) fn read_entries(
        &mut self,
        what: &str,
        thing: &str,
        tree: YamlNode,
    ) -> Option<Vec<(Located<String>, YamlNode)>> {
        let YamlValue::Map(entries) = tree.value else {
            let hint = format!("write one line `{thing}: …` for each {thing} below it");
            self.report_mismatch(what, "a map", &tree, &hint);
            return self.mark_incomplete();
        };
        let key = format!("the name of a {thing}");
        let named = |YamlEntry { key: value, span, value: tree, .. }| {
            Some((self.check_name_length(&key, Located { value, span })?, tree))
        };
        Some(entries.into_iter().filter_map(named).collect())
    }
}

/// Returns a phrase for a value of a wrong type in a message, such as "the number 3" or "text".
fn describe(value: &YamlValue) -> String {
    match value {
        YamlValue::Null => "empty".to_owned(),
        YamlValue::Bool(value) => format!("the truth value {value}"),
        YamlValue::Number(number) => format!("the number {}", number.as_f64()),
        YamlValue::Text(_) => "text".to_owned(),
        YamlValue::List(_) | YamlValue::Map(_) => value.describe().to_owned(),
    }
}
