//! Reads typed values from a [`Tree`] and collects a diagnostic for every value that does not fit. Knows no key of
//! the format; see `format`.

use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::inline::Shape;
use super::kind::Inclusion;
use super::source::{Source, Span};
use super::spot::Spot;
use super::tree::{Tree, Value};

/// Maximum length of a name or label, in characters. A longer one does not fit on one line of a drawing or a log.
pub const NAME_MAX: usize = 100;

/// Maximum number of collected diagnostics. A file with more defects is probably not a graph file.
pub(crate) const FOUND_MAX: usize = 1_000;

/// The reader of one file. It owns the diagnostics that were collected while the tree is read.
pub(crate) struct Reader {
    pub(crate) source: Arc<Source>,
    pub(crate) found: Vec<Diagnostic>,
    /// Says whether every part of the graph could be read.
    pub(crate) holes: Holes,
    /// Tools that the file names. They are checked later against the tools of the program.
    pub(crate) tools: Vec<Spot<String>>,
    /// Sub-graph files that the file names.
    pub(crate) inclusions: Vec<Inclusion>,
}

/// Completeness of the graph that was read. Checks that need the whole graph are skipped when it is incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holes {
    None,
    Some,
}

impl Reader {
    pub(crate) fn new(source: Arc<Source>) -> Self {
        Self { source, found: Vec::new(), holes: Holes::None, tools: Vec::new(), inclusions: Vec::new() }
    }

    pub(crate) fn push(&mut self, span: &Span, message: String, hint: impl Into<String>) {
        if self.found.len() < FOUND_MAX {
            self.found.push(Diagnostic::new(&self.source, span.clone(), message).hint(hint));
        }
    }

    /// Marks the graph as incomplete. Always returns `None`, so that a reading function can end with it.
    pub(crate) fn lose<T>(&mut self) -> Option<T> {
        self.holes = Holes::Some;
        None
    }

    /// Reports a value of the wrong type. `what` is the key or its position, `wanted` a phrase such as "a list of
    /// names".
    pub(crate) fn mismatch(&mut self, what: &str, wanted: &str, tree: &Tree, hint: &str) {
        let message = format!("{what} is {}, expected {wanted}", tree.value.described());
        let span =
            if tree.span.is_empty() { tree.span.start..tree.span.start + 1 } else { tree.span.clone() };
        self.push(&span, message, hint);
    }

    /// Reads a single text. Numbers and booleans are refused with the advice to quote them.
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

    /// Reads a name: a text of at most [`NAME_MAX`] characters. Its meaning is checked later.
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

    /// Reads `true` or `false`.
    pub(crate) fn truth(&mut self, what: &str, tree: &Tree) -> Option<bool> {
        let Value::Bool(value) = tree.value else {
            self.mismatch(what, "true or false", tree, "write true or false, without quotes");
            return None;
        };
        Some(value)
    }

    /// Reads a number.
    pub(crate) fn number(&mut self, what: &str, tree: Tree) -> Option<Spot<f64>> {
        let Value::Number(value) = tree.value else {
            self.mismatch(what, "a number", &tree, "write a number, without quotes");
            return None;
        };
        Some(Spot { value, span: tree.span })
    }

    /// Returns the number as an integer from 0 to `most`, or reports that it is none.
    pub(crate) fn whole(&mut self, what: &str, number: &Spot<f64>, most: u32) -> Option<Spot<u32>> {
        let value = number.value;
        if value.fract() == 0.0 && (0.0..=f64::from(most)).contains(&value) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the line above")]
            return Some(Spot { value: value as u32, span: number.span.clone() });
        }
        let written = self.source.slice(&number.span);
        let message = if value.fract() == 0.0 && value > 0.0 {
            format!("{what} is {written}, the most is {most}")
        } else {
            format!("{what} is {written}, expected a whole number")
        };
        self.push(&number.span, message, format!("write a number from 1 to {most}"));
        None
    }

    /// Reads a list. A value of another type makes the graph incomplete.
    pub(crate) fn list(&mut self, what: &str, items: &str, tree: Tree) -> Option<Vec<Tree>> {
        let Value::List(list) = tree.value else {
            self.mismatch(what, &format!("a list of {items}"), &tree, "begin each item with `- `");
            return self.lose();
        };
        Some(list)
    }

    /// Cuts the list to `most` items, and reports the excess.
    pub(crate) fn at_most<T>(&mut self, what: &str, most: usize, mut list: Vec<T>) -> Vec<T> {
        if list.len() > most {
            let message = format!("the graph has {} {what}, the most is {most}", list.len());
            self.push(&(0..0), message, "split it into several graphs");
            self.holes = Holes::Some;
            list.truncate(most);
        }
        list
    }

    /// Reads a JSON Schema that is written in the file.
    pub(crate) fn shape(&mut self, what: &str, tree: &Tree) -> Option<Shape> {
        if !matches!(tree.value, Value::Map(_) | Value::Bool(_)) {
            self.mismatch(
                what,
                "a JSON Schema",
                tree,
                "such as { type: object, properties: { title: { type: string } } }",
            );
            return None;
        }
        match Shape::parse(self.json(tree)) {
            Ok(shape) => Some(shape),
            Err(reason) => {
                let span = tree.span.start..tree.span.end.max(tree.span.start + 1);
                self.push(
                    &span,
                    format!("{what} is no JSON Schema: {reason}"),
                    "see https://json-schema.org",
                );
                None
            }
        }
    }

    /// Reads a list of names. It is `None`, and the graph incomplete, unless every item is a name.
    pub(crate) fn names(&mut self, what: &str, tree: Tree) -> Option<Vec<Spot<String>>> {
        let Value::List(items) = tree.value else {
            self.mismatch(what, "a list of names", &tree, "write it as [a, b]");
            return self.lose();
        };
        let count = items.len();
        let item = format!("an item of {what}");
        let names: Vec<_> = items.into_iter().filter_map(|tree| self.name(&item, tree)).collect();
        if names.len() == count { Some(names) } else { self.lose() }
    }

    /// Reads a map whose keys are names of `thing`s, in the order of the file. Duplicate keys are kept; the caller
    /// decides about them.
    pub(crate) fn entries(
        &mut self,
        what: &str,
        thing: &str,
        tree: Tree,
    ) -> Option<Vec<(Spot<String>, Tree)>> {
        let Value::Map(entries) = tree.value else {
            let hint = format!("write one line `{thing}: …` for each {thing} below it");
            self.mismatch(what, "a map", &tree, &hint);
            return self.lose();
        };
        let key = format!("the name of a {thing}");
        let named = |(name, value)| Some((self.short(&key, name)?, value));
        Some(entries.into_iter().filter_map(named).collect())
    }
}

/// Returns a name for a message, cut to [`NAME_MAX`] characters.
pub(crate) fn shown(name: &str) -> &str {
    name.char_indices().nth(NAME_MAX).map_or(name, |(at, _)| &name[..at])
}

/// Joins names as `a`, `b` and `c`, each in backquotes.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
