//! The kind `store`: values that outlive threads, in the long-term store (LangGraph F71).

use schemars::JsonSchema;

use super::super::expression::{DeclaredNames, Operand, Template};
use super::super::format::Entries;
use super::super::object::Object;
use super::super::read::Reader;
use super::super::wait::read_wait;
use super::parts::read_integer;
use super::pause::PauseTime;
use stategraph_yaml::YamlNode;

/// Default number of items that a search returns.
const DEFAULT_FOUND: u32 = 10;

/// Maximum value of `limit` in a file.
const FOUND_MAX: u32 = 1_000;

/// Reads or writes a value that outlives the thread. Each graph has its own values, by a path of labels with dots between them and a key.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Store", rename_all = "snake_case", deny_unknown_fields)]
pub enum StoreKind {
    /// The result is the value, or null.
    Get(ItemAddress),
    /// Puts a value, and replaces the one with the same path and key.
    Put(PutAction),
    /// Removes a value. One that does not exist is no error.
    Delete(ItemAddress),
    /// The result is a list of `{ path, key, value }`.
    Search(SearchAction),
}

/// The place of a value.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ItemAddress {
    /// Labels with dots between them, such as `users.{{ state.user }}`.
    pub path: Template,
    /// Name of the value below the path.
    pub key: Template,
}

/// A value to put.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PutAction {
    /// Place of the value.
    #[schemars(flatten)]
    pub address: ItemAddress,
    /// The value.
    pub value: Operand,
    /// Lifetime after the last put or read, such as `720h`; default: unlimited.
    pub ttl: Option<PauseTime>,
}

/// A search for values.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchAction {
    /// Path at and below which values are found.
    pub path: Template,
    /// Words to look for; the best values come first. Default: all values, by path and key.
    pub text: Option<Template>,
    /// Fields that a value must have, each with its value.
    #[schemars(rename = "where")]
    pub fields: Option<Entries<Operand>>,
    /// Maximum number of values; default: 10.
    #[schemars(range(min = 1, max = 1_000))]
    pub limit: Option<u32>,
}

/// Names of the actions.
const ACTIONS: [&str; 4] = ["get", "put", "delete", "search"];

impl StoreKind {
    /// Returns true if the action on the store has a result: `get` and `search`.
    pub(crate) fn has_result(&self) -> bool {
        matches!(self, Self::Get(_) | Self::Search(_))
    }

    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`store`", tree)?;
        let before = reader.diagnostics.len();
        let there: Vec<&'static str> = ACTIONS.into_iter().filter(|action| object.has(action)).collect();
        object.suggest(&ACTIONS);
        let start = object.start();
        let [action] = there.as_slice() else {
            match there.get(1) {
                Some(second) => {
                    let message = format!("`store` has both `{}` and `{second}`", there[0]);
                    reader.report(&object.key_span(second), message, "make two nodes of it");
                }
                None if object.has_misspelled(&ACTIONS) => object.finish(reader),
                None => reader.report(
                    &(start..start + 1),
                    "`store` does nothing".to_owned(),
                    "add one of `get`, `put`, `delete` and `search`",
                ),
            }
            return None;
        };
        let tree = object.require(action)?;
        object.finish(reader);
        let mut inner = reader.read_object(&format!("`{action}` of `store`"), tree)?;
        let kind = match *action {
            "get" => read_address(reader, &mut inner, names).map(Self::Get),
            "delete" => read_address(reader, &mut inner, names).map(Self::Delete),
            "put" => read_put(reader, &mut inner, names).map(Self::Put),
            _ => read_search(reader, &mut inner, names).map(Self::Search),
        };
        inner.finish(reader);
        kind.filter(|_| reader.diagnostics.len() == before)
    }
}

impl SearchAction {
    /// Returns the maximum number of values that the search finds; 10 unless set.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_FOUND) as usize
    }
}

fn read_address(reader: &mut Reader, object: &mut Object, names: &DeclaredNames<'_>) -> Option<ItemAddress> {
    let path = object.require("path").and_then(|tree| reader.read_template("`path`", tree, names));
    let key = object.require("key").and_then(|tree| reader.read_template("`key`", tree, names));
    Some(ItemAddress { path: path?, key: key? })
}

fn read_put(reader: &mut Reader, object: &mut Object, names: &DeclaredNames<'_>) -> Option<PutAction> {
    let address = read_address(reader, object, names);
    let value = object.require("value").and_then(|tree| reader.read_operand("`value`", tree, names));
    let ttl = object.take("ttl").and_then(|tree| read_wait(reader, "`ttl`", tree));
    Some(PutAction { address: address?, value: value?, ttl: ttl.map(|ttl| PauseTime(ttl.value.0)) })
}

fn read_search(reader: &mut Reader, object: &mut Object, names: &DeclaredNames<'_>) -> Option<SearchAction> {
    let path = object.require("path").and_then(|tree| reader.read_template("`path`", tree, names));
    let text = object.take("text").and_then(|tree| reader.read_template("`text`", tree, names));
    let fields = object.take("where").and_then(|tree| {
        let entries = reader.read_entries("`where`", "field", tree)?;
        let operand = |(name, tree)| Some((name, reader.read_operand("a field of `where`", tree, names)?));
        Some(Entries(entries.into_iter().filter_map(operand).collect()))
    });
    let limit = object.take("limit").and_then(|tree| read_integer(reader, "`limit`", tree, 1, FOUND_MAX));
    Some(SearchAction { path: path?, text, fields, limit })
}
