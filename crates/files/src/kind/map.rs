//! The kind `map`: the same work for each item of a list.

use schemars::JsonSchema;

use super::super::expression::{DeclaredNames, Expression, SECRETS};
use super::super::read::Reader;
use super::super::tree::Tree;
use super::model::read_integer;
use super::{BODIES, Kind, read_kind};

/// Default name of an item.
const DEFAULT_ITEM_NAME: &str = "item";

/// Default number of items that run concurrently.
const DEFAULT_AT_ONCE: u32 = 8;

/// Maximum value of `at_once` in a file.
const AT_ONCE_MAX: u32 = 1_000;

/// Does something for each item of a list. The result is the list of the results, in the order of the items.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Map", deny_unknown_fields)]
pub struct MapKind {
    /// The list.
    pub over: Expression,
    /// What an item is called in `do`, beside `index`, which counts from 0. Left out: `item`.
    #[schemars(rename = "as")]
    pub item_name: Option<String>,
    /// How many items are under way at once, at most. Left out: 8.
    #[schemars(range(min = 1, max = 1_000))]
    pub at_once: Option<u32>,
    /// What is done: one of `set` (a map of values), `template`, `model`, `tool`, `agent`, `http`, `subgraph`, `fail`.
    #[schemars(rename = "do")]
    pub body: Kind,
}

impl MapKind {
    /// Returns the name of an item in the expressions of the body.
    pub fn item_name(&self) -> &str {
        self.item_name.as_deref().unwrap_or(DEFAULT_ITEM_NAME)
    }

    /// Returns the maximum number of items that run concurrently.
    pub fn at_once(&self) -> usize {
        self.at_once.unwrap_or(DEFAULT_AT_ONCE) as usize
    }

    pub(super) fn read(reader: &mut Reader, tree: Tree, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`map`", tree)?;
        let before = reader.diagnostics.len();
        let over = object.require("over").and_then(|tree| reader.read_expression("`over`", tree, names));
        let item = object.take("as").and_then(|tree| {
            let name = reader.read_name("`as`", tree)?;
            let taken = ["state", "index", SECRETS].contains(&name.value.as_str());
            if taken || !is_identifier(&name.value) {
                let message = format!("an item cannot be called `{}`", name.value);
                reader.report(
                    &name.span,
                    message,
                    "use letters, digits and `_`, and not `state`, `index` or `secrets`",
                );
                return None;
            }
            Some(name.value)
        });
        let at_once =
            object.take("at_once").and_then(|tree| read_integer(reader, "`at_once`", tree, 1, AT_ONCE_MAX));
        let inner =
            names.with_local(item.as_deref().unwrap_or(DEFAULT_ITEM_NAME)).with_local("index").in_body();
        let body = object.require("do").and_then(|tree| {
            let mut body = reader.read_object("`do`", tree)?;
            let kind = read_kind(reader, "`do`", &mut body, &BODIES, &inner);
            body.finish(reader);
            kind
        });
        object.finish(reader);
        if reader.diagnostics.len() > before {
            return None;
        }
        Some(Self { over: over?, item_name: item, at_once, body: body?.0 })
    }
}

/// Returns true if expressions can use the name after a dot.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && characters.all(|c| c == '_' || c.is_ascii_alphanumeric())
}
