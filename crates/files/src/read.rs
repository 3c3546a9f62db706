//! Reads typed values out of a [`Tree`] and collects every value that does not fit. Knows no key of the format; see `format.rs`.

use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::inline::Shape;
use super::kind::Inclusion;
use super::source::{Source, Span};
use super::spot::Spot;
use super::tree::{Tree, Value};

/// The longest name or label, in characters: what fits on a line of a drawing or a log.
pub const NAME_MAX: usize = 100;

/// So many defects are collected; a file with more is not what it was meant to be.
pub(crate) const FOUND_MAX: usize = 1_000;

/// Collects what is wrong while a tree is read.
pub(crate) struct Reader {
    pub(crate) source: Arc<Source>,
    pub(crate) found: Vec<Diagnostic>,
    /// Whether parts of the graph could not be read, so that its shape says nothing.
    pub(crate) holes: Holes,
    /// The tools that the file names, for those who know which there are.
    pub(crate) tools: Vec<Spot<String>>,
    /// The files that the file includes.
    pub(crate) inclusions: Vec<Inclusion>,
}

/// Whether something could not be read.
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

    /// Notes that a part of the graph is missing from what was read.
    pub(crate) fn lose<T>(&mut self) -> Option<T> {
        self.holes = Holes::Some;
        None
    }

    /// Says that something else was expected. `what` is the key or the place, `wanted` a phrase such as "a list of names".
    pub(crate) fn mismatch(&mut self, what: &str, wanted: &str, tree: &Tree, hint: &str) {
        let message = format!("{what} is {}, expected {wanted}", tree.value.described());
        let span =
            if tree.span.is_empty() { tree.span.start..tree.span.start + 1 } else { tree.span.clone() };
        self.push(&span, message, hint);
    }

    /// Text on one line.
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

    /// A name: text that is not too long. Whether it names anything is checked later.
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

    /// `true` or `false`.
    pub(crate) fn truth(&mut self, what: &str, tree: &Tree) -> Option<bool> {
        let Value::Bool(value) = tree.value else {
            self.mismatch(what, "true or false", tree, "write true or false, without quotes");
            return None;
        };
        Some(value)
    }

    /// A number.
    pub(crate) fn number(&mut self, what: &str, tree: Tree) -> Option<Spot<f64>> {
        let Value::Number(value) = tree.value else {
            self.mismatch(what, "a number", &tree, "write a number, without quotes");
            return None;
        };
        Some(Spot { value, span: tree.span })
    }

    /// A whole number from 0 to `most`.
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

    /// A list.
    pub(crate) fn list(&mut self, what: &str, items: &str, tree: Tree) -> Option<Vec<Tree>> {
        let Value::List(list) = tree.value else {
            self.mismatch(what, &format!("a list of {items}"), &tree, "begin each item with `- `");
            return self.lose();
        };
        Some(list)
    }

    /// The list, cut to `most` with a complaint.
    pub(crate) fn at_most<T>(&mut self, what: &str, most: usize, mut list: Vec<T>) -> Vec<T> {
        if list.len() > most {
            let message = format!("the graph has {} {what}, the most is {most}", list.len());
            self.push(&(0..0), message, "split it into several graphs");
            self.holes = Holes::Some;
            list.truncate(most);
        }
        list
    }

    /// A JSON Schema that stands in the file.
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

    /// A list of names.
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

    /// A map of which every key is the name of a `thing`. Keys may repeat; what that means is for the caller.
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

/// A key or name as messages show it: cut when it is absurdly long.
pub(crate) fn shown(name: &str) -> &str {
    name.char_indices().nth(NAME_MAX).map_or(name, |(at, _)| &name[..at])
}

/// `a`, `b` and `c`.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
