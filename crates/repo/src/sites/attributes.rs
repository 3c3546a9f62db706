//! Attributes, decorators and annotations, and the definition that each stands at.

use tree_sitter::Node;

use super::arguments::{argument, arguments};
use super::calls::{argument_list, call_name, path};
use super::definitions::target;
use super::walk::{FoundSite, SiteWalk};
use super::{SiteArgument, SiteKind, tokens};
use crate::outline::{Language, text};

/// An attribute, decorator or annotation, before it is recorded as a site.
pub(super) struct Attribute<'t> {
    pub(super) found: FoundSite,
    /// Name of the definition that it belongs to; empty if that follows.
    pub(super) target: String,
    /// True if its definition is a later sibling, so that the target is set when that is reached.
    pub(super) waits: bool,
    /// True if the attribute is inside the node of its definition. The definition then does not count as one
    /// around it.
    pub(super) is_outside: bool,
    /// True if the children of its node are visited too.
    pub(super) descends: bool,
    /// The call inside it, which must not be recorded as a site of its own.
    pub(super) read: Option<Node<'t>>,
}

/// Returns the attribute, decorator or annotation that a node is; `None` for other nodes.
pub(super) fn attribute<'t>(walk: &SiteWalk<'t, '_>, node: Node<'t>) -> Option<Attribute<'t>> {
    match node.kind() {
        "attribute_item" | "inner_attribute_item" if walk.language == Language::Rust => of_rust(walk, node),
        "decorator" => decorator(walk, node),
        "annotation" | "marker_annotation" => {
            let name = node.child_by_field_name("name")?;
            Some(inside(walk, node, text(name, walk.source)))
        }
        "attribute" if walk.language == Language::CSharp => {
            let name = node.child_by_field_name("name")?;
            Some(inside(walk, node, text(name, walk.source)))
        }
        "attribute" if walk.language == Language::Php => {
            Some(inside(walk, node, text(node.named_child(0)?, walk.source)))
        }
        "field_declaration" if walk.language == Language::Go => tag(walk, node),
        _ => None,
    }
}

fn of_rust<'t>(walk: &SiteWalk<'t, '_>, node: Node<'t>) -> Option<Attribute<'t>> {
    let inner = node.named_child(0)?;
    let name = path(text(inner.named_child(0)?, walk.source))?;
    let mut arguments: Vec<SiteArgument> = inner
        .child_by_field_name("arguments")
        .map(|tree| tokens::arguments(tree, walk.source))
        .unwrap_or_default();
    arguments.extend(inner.child_by_field_name("value").map(|value| argument(None, value, walk.source)));
    Some(Attribute {
        found: FoundSite { kind: SiteKind::Attribute, name, arguments },
        target: String::new(),
        waits: node.kind() == "attribute_item",
        is_outside: false,
        descends: false,
        read: None,
    })
}

/// Returns the decorator `@a.b(x)` of Python or TypeScript as an attribute.
fn decorator<'t>(walk: &SiteWalk<'t, '_>, node: Node<'t>) -> Option<Attribute<'t>> {
    let inner = node.named_child(0)?;
    let called = call_name(inner, walk.source);
    let name = called.clone().or_else(|| path(text(inner, walk.source)))?;
    let arguments = argument_list(inner)
        .map(|list| arguments(list, walk.source))
        .filter(|_| called.is_some())
        .unwrap_or_default();
    let above = walk.above().next()?;
    let is_member = above.kind() == "class_body";
    let target = if is_member { None } else { target(walk.language, above, walk.source) };
    Some(Attribute {
        found: FoundSite { kind: SiteKind::Attribute, name, arguments },
        target: target.unwrap_or_default(),
        waits: is_member,
        is_outside: above.kind().contains("class_declaration"),
        descends: true,
        read: called.map(|_| inner),
    })
}

/// Returns an attribute whose node is inside the node of its definition, as in Java and C#.
fn inside<'t>(walk: &SiteWalk<'t, '_>, node: Node<'t>, name: &str) -> Attribute<'t> {
    let list = ["arguments", "parameters"].iter().find_map(|field| node.child_by_field_name(field));
    let mut cursor = node.walk();
    let list = list
        .or_else(|| node.named_children(&mut cursor).find(|child| child.kind() == "attribute_argument_list"));
    let definition = walk
        .above()
        .find(|above| !matches!(above.kind(), "modifiers" | "attribute_list" | "attribute_group"));
    let target = definition.and_then(|it| target(walk.language, it, walk.source)).unwrap_or_default();
    let is_definition =
        definition.is_some_and(|it| super::definitions::definition(walk.language, it, walk.source).is_some());
    Attribute {
        found: FoundSite {
            kind: SiteKind::Attribute,
            name: name.split_whitespace().collect::<String>().trim_start_matches('\\').to_owned(),
            arguments: list.map(|list| arguments(list, walk.source)).unwrap_or_default(),
        },
        target,
        waits: false,
        is_outside: is_definition,
        descends: true,
        read: None,
    }
}

/// Returns the tags of a Go field, such as `env:"PORT" default:"80"`, as one attribute `tag` with named
/// arguments.
fn tag<'t>(walk: &SiteWalk<'t, '_>, node: Node<'t>) -> Option<Attribute<'t>> {
    let written = text(node.child_by_field_name("tag")?, walk.source).trim_matches('`');
    let mut arguments = Vec::new();
    let mut rest = super::beginning(written, super::LITERAL);
    while let Some((key, after)) = rest.split_once(":\"") {
        let Some(end) = quote_end(after) else { break };
        arguments.push(SiteArgument {
            name: Some(key.trim().to_owned()),
            text: after[..end].replace("\\\"", "\""),
            is_literal: true,
        });
        rest = &after[end + 1..];
    }
    let target = node.child_by_field_name("name").map(|name| text(name, walk.source).to_owned());
    (!arguments.is_empty()).then(|| Attribute {
        found: FoundSite { kind: SiteKind::Attribute, name: "tag".to_owned(), arguments },
        target: target.unwrap_or_default(),
        waits: false,
        is_outside: false,
        descends: true,
        read: None,
    })
}

/// Returns the byte offset of the first double quote that is not escaped; `None` without one.
fn quote_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}
