//! Reads the edges of a graph file. Merges none; see `edge_group.rs`.

use std::collections::BTreeSet;

use stategraph_core::END;

use super::super::expression::DeclaredNames;
use super::super::located::Located;
use super::super::object::Object;
use super::super::read::Reader;
use super::edge::{EdgeFile, EdgeTargets, ItemList, Sources};
use super::entries::Entries;
use super::state::StateFile;
use stategraph_yaml::{YamlNode, YamlValue};

impl EdgeFile {
    /// Reads an edge; its keys tell which kind it is. Reports defects; an edge that cannot be read makes the
    /// graph incomplete. `names` are the names that its expressions may read.
    pub(super) fn read(
        reader: &mut Reader,
        tree: YamlNode,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Option<Self> {
        let Some(mut object) = reader.read_object("an edge", tree) else { return reader.mark_incomplete() };
        report_foreign_words(reader, &mut object);
        let edge = if object.has("choose") || object.has("arms") {
            Self::read_choice(reader, &mut object)
        } else if object.has("each") || object.has("empty") {
            Self::read_fan_out(reader, &mut object, state, names)
        } else if object.has("when") {
            Self::read_condition(reader, &mut object, names)
        } else if object.has("else") {
            Self::read_else(reader, &mut object)
        } else {
            Self::read_static(reader, &mut object)
        };
        object.finish(reader);
        edge.or_else(|| reader.mark_incomplete())
    }

    fn read_choice(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.set_description("an edge with `choose`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of a choice", tree));
        let choose = object.require("choose").and_then(|tree| reader.read_name("`choose`", tree));
        let arms_key = object.key_span("arms");
        let arms = object.require("arms").and_then(|tree| reader.read_entries("`arms`", "label", tree));
        let arms = arms?.into_iter().filter_map(|(label, tree)| {
            let target = reader.read_name("the target of an arm", tree).or_else(|| reader.mark_incomplete());
            Some((label, target?))
        });
        let arms = Entries(arms.collect());
        Some(Self::Choice { from: from?, choose: choose?, arms, arms_key })
    }

    fn read_fan_out(
        reader: &mut Reader,
        object: &mut Object,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Option<Self> {
        object.set_description("an edge with `each`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of a list", tree));
        let each = object.require("each").and_then(|tree| match state {
            StateFile::Registered(_) => reader.read_name("`each`", tree).map(ItemList::Registered),
            StateFile::Inline(_) => reader.read_expression("`each`", tree, names).map(ItemList::Computed),
        });
        let to = object.require("to").and_then(|tree| reader.read_name("`to`", tree));
        let empty = match object.take("empty") {
            Some(tree) => Some(reader.read_name("`empty`", tree)?),
            None => None,
        };
        Some(Self::FanOut { from: from?, each: each?, to: to?, empty })
    }

    fn read_condition(reader: &mut Reader, object: &mut Object, names: &DeclaredNames<'_>) -> Option<Self> {
        object.set_description("an edge with `when`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of a condition", tree));
        let condition = object.require("when").and_then(|tree| {
            let at = tree.span.clone();
            Some((reader.read_expression("`when`", tree, names)?, at))
        });
        let to = object.require("to").and_then(|tree| EdgeTargets::read(reader, "`to`", tree));
        let group = read_group(reader, object)?;
        let (when, when_at) = condition?;
        Some(Self::Condition { from: from?, when, when_at, to: to?, group })
    }

    fn read_else(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        object.set_description("an edge with `else`");
        let from = object.require("from").and_then(|tree| reader.read_name("`from` of an `else`", tree));
        let to = object.require("else").and_then(|tree| EdgeTargets::read(reader, "`else`", tree));
        let group = read_group(reader, object)?;
        Some(Self::Else { from: from?, to: to?, group })
    }

    fn read_static(reader: &mut Reader, object: &mut Object) -> Option<Self> {
        let start = object.start();
        let from = object.require("from").and_then(|tree| match tree.value {
            YamlValue::List(_) => reader.read_names("`from`", tree).map(Sources::All),
            _ => reader.read_name("`from`", tree).map(Sources::One),
        });
        let to = object.require("to").and_then(|tree| reader.read_name("`to`", tree));
        object.suggest(&["choose", "arms", "each", "empty", "when", "else", "group"]);
        let (from, to) = (from?, to?);
        let end = from.all().iter().chain([&to]).map(|name| name.span.end).max().unwrap_or(start);
        Some(Self::Static { from, to, span: start..end })
    }
}

impl EdgeTargets {
    /// Reads one target, or a list of different ones. Reports an empty list, duplicates, and `END` beside
    /// other targets; `None` if it reported anything. `what` names the key in messages.
    pub(super) fn read(reader: &mut Reader, what: &str, tree: YamlNode) -> Option<Self> {
        if !matches!(tree.value, YamlValue::List(_)) {
            return reader.read_name(what, tree).map(|target| Self(vec![target]));
        }
        let (start, targets) = (tree.span.start, reader.read_names(what, tree)?);
        let before = reader.diagnostics.len();
        if targets.is_empty() {
            reader.report(&(start..start + 1), format!("{what} names no node"), "name a node, or END");
        }
        for (at, target) in targets.iter().enumerate() {
            if targets[..at].iter().any(|known| known.value == target.value) {
                let message = format!("{what} names `{}` twice", target.value);
                reader.report(&target.span, message, "remove one of them");
            } else if target.value == END && targets.len() > 1 {
                let message = format!("{what} names END beside other targets");
                reader.report(&target.span, message, "remove it: a path goes on as long as one target runs");
            }
        }
        (reader.diagnostics.len() == before).then_some(Self(targets))
    }
}

/// Reads the optional key `group` of a conditional edge. `Some(None)` if it is absent; `None` if it cannot be
/// read.
#[expect(clippy::option_option, reason = "absent and unreadable differ")]
fn read_group(reader: &mut Reader, object: &mut Object) -> Option<Option<Located<String>>> {
    match object.take("group") {
        Some(tree) => reader.read_name("`group`", tree).map(Some),
        None => Some(None),
    }
}

/// Keys of other tools, with our key for the same thing.
const FOREIGN_WORDS: [(&str, &str); 5] =
    [("if", "when"), ("condition", "when"), ("then", "to"), ("target", "to"), ("source", "from")];

/// Reports keys that other tools use for one of ours, such as `if` for `when`. It renames the key to ours in
/// `object`, so that nothing else is reported about it.
fn report_foreign_words(reader: &mut Reader, object: &mut Object) {
    for (foreign, ours) in FOREIGN_WORDS {
        if object.has(foreign) && !object.has(ours) {
            let message = format!("an edge has no key `{foreign}`");
            reader.report(&object.key_span(foreign), message, format!("write `{ours}`"));
            object.rename(foreign, ours);
        }
    }
}

/// Returns the names of the nodes to which fan-out edges send items. It looks at the unread YAML, because
/// nodes are read before edges and their expressions may read `item`.
pub(super) fn item_targets(edges: &[YamlNode]) -> BTreeSet<String> {
    let of_edge = |edge: &YamlNode| {
        let YamlValue::Map(entries) = &edge.value else { return None };
        let value = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        value("each")?;
        match &value("to")?.value {
            YamlValue::Text(name) => Some(name.clone()),
            _ => None,
        }
    };
    edges.iter().filter_map(of_edge).collect()
}
