//! Reads the kind of a node, of the body of a `map`, or of a declared tool.

use super::super::expression::{DeclaredNames, SECRETS};
use super::super::naming::{is_identifier, join_quoted};
use super::super::object::Object;
use super::super::read::Reader;
use super::super::wait::read_wait;
use super::agent::AgentKind;
use super::http::HttpKind;
use super::interrupt::InterruptKind;
use super::model::ModelKind;
use super::node_kind::{BODIES, DEFAULT_ITEM_NAME, Kind, LocatedKind, MapKind};
use super::parts::read_integer;
use super::pause::PauseTime;
use super::store::StoreKind;
use super::subgraph::SubgraphKind;
use super::tool::ToolKind;
use super::write::read_writes;
use stategraph_yaml::YamlNode;

/// Maximum value of `at_once` in a file.
const AT_ONCE_MAX: u32 = 1_000;

/// Reads the one key in `object` that names a kind of `among`, and its value. Reports none and several kinds.
/// `what` names the node in messages; `names` are the names that its expressions may read.
pub(crate) fn read_kind(
    reader: &mut Reader,
    what: &str,
    object: &mut Object,
    among: &[&'static str],
    names: &DeclaredNames<'_>,
) -> Option<LocatedKind> {
    let there: Vec<&'static str> = among.iter().copied().filter(|kind| object.has(kind)).collect();
    // `overwrite` may stand beside `set`; the caller takes it.
    let there: Vec<&'static str> = match there.as_slice() {
        ["set", "overwrite", rest @ ..] => ["set"].iter().chain(rest).copied().collect(),
        _ => there,
    };
    let Some((first, more)) = there.split_first() else {
        object.suggest(among);
        let at = object.start();
        let message = format!("{what} has no kind");
        if !object.has_misspelled(among) {
            reader.report(&(at..at + 1), message, format!("add one of {}", join_quoted(among)));
        }
        return None;
    };
    let span = object.key_span(first);
    for second in more {
        let message = format!("{what} has both `{first}` and `{second}`");
        let key = object.key_span(second);
        reader.report(&key, message, "make two nodes of it, with an edge between them");
        object.take(second);
    }
    let others: Vec<&'static str> = among.iter().copied().filter(|kind| kind != first).collect();
    object.suggest(&others);
    let tree = object.require(first)?;
    Some((read_kind_value(reader, first, tree, names)?, span))
}

fn read_kind_value(
    reader: &mut Reader,
    kind: &str,
    tree: YamlNode,
    names: &DeclaredNames<'_>,
) -> Option<Kind> {
    let quoted = format!("`{kind}`");
    Some(match kind {
        "uses" => Kind::Uses(reader.read_name(&quoted, tree)?.value),
        "set" => Kind::Set(read_writes(reader, &quoted, tree, names.written_channels(), names)?),
        "overwrite" => Kind::Overwrite(read_writes(reader, &quoted, tree, names.written_channels(), names)?),
        "template" => Kind::Template(reader.read_template(&quoted, tree, names)?),
        "model" => Kind::Model(Box::new(ModelKind::read(reader, tree, names)?)),
        "tool" => Kind::Tool(ToolKind::read(reader, tree, names)?),
        "agent" => Kind::Agent(Box::new(AgentKind::read(reader, tree, names)?)),
        "subgraph" => Kind::Subgraph(SubgraphKind::read(reader, tree, names)?),
        "map" => Kind::Map(Box::new(read_map(reader, tree, names)?)),
        "interrupt" => Kind::Interrupt(InterruptKind::read(reader, tree, names)?),
        "http" => Kind::Http(Box::new(HttpKind::read(reader, tree, names)?)),
        "store" => Kind::Store(Box::new(StoreKind::read(reader, tree, names)?)),
        "sleep" => Kind::Sleep(PauseTime(read_wait(reader, &quoted, tree)?.value.0)),
        "fail" => Kind::Fail(reader.read_template(&quoted, tree, names)?),
        other => unreachable!("`{other}` is a kind without a reader"),
    })
}

/// Reads the value of `map`. Its body also sees the item and `index`. Reports its defects and then returns
/// `None`.
fn read_map(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<MapKind> {
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
    let inner = names.with_local(item.as_deref().unwrap_or(DEFAULT_ITEM_NAME)).with_local("index").in_body();
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
    Some(MapKind { over: over?, item_name: item, at_once, body: body?.0 })
}
