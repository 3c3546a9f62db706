//! The kind `subgraph`: another graph file as a node.

use schemars::JsonSchema;

use super::super::expression::{DeclaredNames, Operand};
use super::super::format::Entries;
use super::super::located::Located;
use super::super::object::Object;
use super::super::read::{Inclusion, Reader};
use super::parts::{check_channel, read_word};
use stategraph_yaml::YamlNode;

/// Runs another graph file. The result is the map of its outputs. Its questions and its journal are those of this node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Subgraph", deny_unknown_fields)]
pub struct SubgraphKind {
    /// The file, from the folder of this one.
    pub file: String,
    /// Its inputs, computed.
    pub with: Option<Entries<Operand>>,
    /// Channels that both graphs have: it starts with their values, and what it writes to them is written here.
    #[schemars(default)]
    pub share: Vec<String>,
    /// Lifetime of its state; default: `call`.
    pub keep: Option<SubgraphKeep>,
    /// The nodes of this graph that its nodes may send the run to with `parent`, instead of following the edges of this node.
    #[schemars(default)]
    pub(crate) goto: Vec<Located<String>>,
}

/// Lifetime of the state of a sub-graph (LangGraph F60).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum SubgraphKeep {
    /// One call: a resume continues inside, and another call starts anew.
    #[default]
    Call,
    /// The thread: another call starts with the state that the last one ended with.
    Thread,
    /// Nothing is kept: a resume starts the graph anew, and it cannot ask questions.
    Nothing,
}

const KEEPS: [(&str, SubgraphKeep); 3] =
    [("call", SubgraphKeep::Call), ("thread", SubgraphKeep::Thread), ("nothing", SubgraphKeep::Nothing)];

impl SubgraphKind {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`subgraph`", tree)?;
        let before = reader.diagnostics.len();
        let file = object.require("file").and_then(|tree| reader.read_text("`file`", tree));
        let with = object.take("with").and_then(|tree| reader.read_entries("`with`", "input", tree));
        let share = read_node_names(reader, &mut object, "share", names);
        for channel in &share {
            let _ = check_channel(reader, channel, names.schema);
        }
        let goto = read_node_names(reader, &mut object, "goto", names);
        let keep_key = object.key_span("keep");
        let keep = object.take("keep").and_then(|tree| read_word(reader, "`keep`", "`keep`", tree, &KEEPS));
        if keep == Some(SubgraphKeep::Thread) && !names.is_node() {
            let message = "only a node keeps the state of its sub-graph per thread".to_owned();
            reader.report(&keep_key, message, "make a node of it, or leave `keep` out");
        } else if keep == Some(SubgraphKeep::Thread) && names.has_local("item") {
            let message = "a node that runs for items keeps no state of a sub-graph per thread".to_owned();
            reader.report(&keep_key, message, "leave `keep` out: its tasks would share one state");
        }
        object.finish(reader);
        let given: Vec<Located<String>> = with.iter().flatten().map(|(name, _)| name.clone()).collect();
        let with = with.map(|entries| {
            let operand = |(name, tree): (Located<String>, YamlNode)| {
                let operand = reader.read_operand(&format!("`{}` of `with`", name.value), tree, names)?;
                Some((name, operand))
            };
            Entries(entries.into_iter().filter_map(operand).collect())
        });
        if reader.diagnostics.len() > before {
            return None;
        }
        let file = file?;
        let shared = share.iter().map(|name| name.value.clone()).collect();
        let kind = Self { file: file.value.clone(), with, share: shared, keep, goto: goto.clone() };
        reader.inclusions.push(Inclusion { file, with: given, share, goto });
        Some(kind)
    }
}

/// Reads the list of names under `key`. Only the sub-graph of a whole node may have the key; in the body of a
/// `map` or tool it is reported. Empty if it is absent or wrong.
fn read_node_names(
    reader: &mut Reader,
    object: &mut Object,
    key: &'static str,
    names: &DeclaredNames<'_>,
) -> Vec<Located<String>> {
    let span = object.key_span(key);
    let Some(tree) = object.take(key) else { return Vec::new() };
    if !names.is_node() {
        let message = format!("`{key}` belongs to the sub-graph of a node, and this is a part of one");
        reader.report(&span, message, format!("leave `{key}` out, or make a node of it"));
        return Vec::new();
    }
    reader.read_names(&format!("`{key}`"), tree).unwrap_or_default()
}
