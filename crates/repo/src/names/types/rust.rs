//! Rust: types, traits, implementations, functions, and locals whose types are written.

use tree_sitter::Node;

use super::expressions::ExpressionForm;
use super::walk::{TypeSyntax, TypeWalk, line};
use super::written::WrittenTypes;
use super::{
    BaseForm, InnerTypeRelation, InnerTypeRelation::Inside, InnerTypeRelation::Many,
    InnerTypeRelation::Maybe, InnerTypeRelation::Pointer,
};
use crate::names::children;
use crate::outline::text;

pub(super) static SYNTAX: TypeSyntax = TypeSyntax {
    enter,
    leave,
    shape,
    add_leaves,
    unwraps: &["unwrap", "expect", "unwrap_or_default"],
    has_scopes_of_types: false,
    constructs_by_name: true,
};

/// Maximum number of parts of one path.
const PARTS: usize = 32;
/// Kinds of nodes in patterns that bind a variable.
const NAMES: &[&str] = &["identifier", "shorthand_field_identifier"];
/// Traits without methods, which are ignored in bounds.
const MARKERS: &[&str] = &["Send", "Sync", "Unpin", "Sized", "Copy"];

fn enter(walk: &mut TypeWalk, node: Node) {
    if node.kind() == "attribute_item" || node.kind().ends_with("comment") {
        return;
    }
    // An attribute holds for the node behind it.
    let is_test = std::mem::take(&mut walk.is_test_next) || is_test_module(walk, node);
    match node.kind() {
        "mod_item" if node.child_by_field_name("body").is_some() => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_namespace(Some(node), name);
        }
        "struct_item" | "enum_item" | "union_item" | "trait_item" => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_type(node, name, node.kind() == "trait_item");
            generics(walk, node);
            for bound in node.child_by_field_name("bounds").into_iter().flat_map(children) {
                let written = walk.written_type(bound);
                walk.add_base(written, bound, BaseForm::Extends);
            }
            tuple_fields(walk, node, "");
        }
        "enum_variant" => {
            let name = walk.field(node, "name").unwrap_or_default();
            tuple_fields(walk, node, name);
        }
        "impl_item" => implementation(walk, node),
        "function_item" | "function_signature_item" => {
            let name = walk.field(node, "name").unwrap_or_default();
            walk.open_function(node, name, node.child_by_field_name("name").unwrap_or(node));
            generics(walk, node);
            walk.set_returns(node, node.child_by_field_name("return_type"));
        }
        "block" | "if_expression" | "while_expression" => walk.open_block(node),
        "closure_expression" | "match_arm" | "for_expression" => {
            walk.open_block(node);
            for part in ["pattern", "parameters"].iter().filter_map(|it| node.child_by_field_name(it)) {
                walk.bind_all(part, NAMES);
            }
        }
        _ => return,
    }
    if is_test && node.kind().ends_with("_item") {
        walk.mark_test();
    }
}

/// Returns true for `mod tests { … }`, which counts as test code even without `#[cfg(test)]`.
fn is_test_module(walk: &TypeWalk, node: Node) -> bool {
    node.kind() == "mod_item" && walk.field(node, "name") == Some("tests")
}

fn generics(walk: &mut TypeWalk, node: Node) {
    for parameter in node.child_by_field_name("type_parameters").into_iter().flat_map(children) {
        let name = parameter.child_by_field_name("name").unwrap_or(parameter);
        if name.kind() == "type_identifier" {
            let name = walk.text(name);
            walk.generic(name);
        }
    }
}

/// Adds the fields of a tuple struct, named by their index, or those of the enum variant `variant`, named by
/// it.
fn tuple_fields(walk: &mut TypeWalk, node: Node, variant: &str) {
    let Some(body) = node.child_by_field_name("body") else { return };
    if body.kind() != "ordered_field_declaration_list" {
        return;
    }
    let mut cursor = body.walk();
    let types: Vec<Node> = body.children_by_field_name("type", &mut cursor).take(32).collect();
    for (at, field) in types.into_iter().enumerate() {
        let link = walk.link_type(field);
        let number = at.to_string();
        walk.add_field(if variant.is_empty() { &number } else { variant }, link, line(field));
    }
}

fn implementation(walk: &mut TypeWalk, node: Node) {
    let own = node.child_by_field_name("type");
    let path = own.and_then(|own| head(own, walk.source)).unwrap_or_default();
    let mut names = Vec::new();
    for parameter in node.child_by_field_name("type_parameters").into_iter().flat_map(children) {
        names.push(walk.text(parameter.child_by_field_name("name").unwrap_or(parameter)));
    }
    if path.is_empty() || names.contains(&path.as_str()) {
        walk.open_nameless_type(node);
    } else {
        walk.open_named(node, &path);
    }
    generics(walk, node);
    if let Some(of) = node.child_by_field_name("trait") {
        let written = walk.written_type(of);
        walk.add_base(written, of, BaseForm::Implements);
    }
}

/// Returns the dotted path of a written type without type arguments and references; `None` for types without
/// a path.
fn head(node: Node, source: &str) -> Option<String> {
    match node.kind() {
        "type_identifier" | "scoped_type_identifier" => path(node, source),
        "generic_type" | "reference_type" | "pointer_type" => head(node.child_by_field_name("type")?, source),
        "dynamic_type" => head(node.child_by_field_name("trait")?, source),
        _ => None,
    }
}

fn path(node: Node, source: &str) -> Option<String> {
    let parts = parts(node, source)?;
    Some(parts.join("."))
}

fn parts<'s>(node: Node, source: &'s str) -> Option<Vec<&'s str>> {
    let written = text(node, source);
    if written.len() > 300 || written.contains(['<', '/', '\n']) {
        return without_arguments(node, source);
    }
    Some(written.split("::").map(str::trim).filter(|part| !part.is_empty()).collect())
}

/// Returns the parts of a path without its type arguments: `a`, `B`, `c` of `a::B::<C>::c`.
fn without_arguments<'s>(node: Node, source: &'s str) -> Option<Vec<&'s str>> {
    let mut found = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at.filter(|_| found.len() < PARTS) {
        at = match node.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                found.push(text(node.child_by_field_name("name")?, source));
                node.child_by_field_name("path")
            }
            "generic_type" | "generic_type_with_turbofish" => node.child_by_field_name("type"),
            "identifier" | "type_identifier" | "crate" | "self" | "super" => {
                found.push(text(node, source));
                None
            }
            _ => return None,
        };
    }
    found.reverse();
    at.is_none().then_some(found)
}

/// Returns the attributes of an item up to and including `last`, nearest first; at most 16.
fn attributes(last: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(last), Node::prev_named_sibling)
        .take_while(|node| node.kind() == "attribute_item" || node.kind().ends_with("comment"))
        .filter(|node| node.kind() == "attribute_item")
        .take(16)
}

fn leave(walk: &mut TypeWalk, node: Node) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "attribute_item" => {
            // The nodes inside of a later attribute took the mark of an earlier one.
            walk.is_test_next =
                attributes(node).any(|one| crate::names::rust::is_test_attribute(walk.text(one)));
        }
        "let_declaration" => {
            let Some(pattern) = field("pattern") else { return };
            let link = match (field("type"), field("value"), field("alternative")) {
                (Some(written), _, _) if text(written, walk.source) != "_" => walk.link_type(written),
                (_, Some(value), None) => walk.value_link(value),
                _ => None,
            };
            bind(walk, pattern, link);
        }
        "let_condition" => field("pattern").into_iter().for_each(|it| walk.bind_all(it, NAMES)),
        "parameter" => {
            let link = field("type").and_then(|written| walk.link_type(written));
            field("pattern").into_iter().for_each(|pattern| bind(walk, pattern, link));
        }
        "const_item" | "static_item" => {
            let link = field("type").and_then(|written| walk.link_type(written));
            field("name").into_iter().for_each(|name| bind(walk, name, link));
        }
        "field_declaration" => {
            let link = field("type").and_then(|written| walk.link_type(written));
            let name = field("name").map(|name| walk.text(name)).unwrap_or_default();
            let variant =
                node.parent().and_then(|list| list.parent()).filter(|it| it.kind() == "enum_variant");
            match variant.and_then(|variant| walk.field(variant, "name")) {
                Some(variant) => walk.add_field(&format!("{variant}.{name}"), link, line(node)),
                None => walk.add_field(name, link, line(node)),
            }
        }
        _ => {}
    }
}

fn bind(walk: &mut TypeWalk, pattern: Node, link: Option<u32>) {
    if pattern.kind() == "identifier" {
        let name = walk.text(pattern);
        walk.bind(name, link);
    } else {
        walk.bind_all(pattern, NAMES);
    }
}

fn shape<'t, 's>(node: Node<'t>, source: &'s str) -> ExpressionForm<'t, 's> {
    let field = |name: &str| node.child_by_field_name(name);
    let shape = match node.kind() {
        "identifier" => Some(ExpressionForm::Name(text(node, source))),
        "self" => Some(ExpressionForm::Own),
        "field_expression" => {
            field("value").zip(field("field")).map(|(on, name)| ExpressionForm::Member(on, name))
        }
        "scoped_identifier" => parts(node, source).map(ExpressionForm::Path),
        "call_expression" => field("function").and_then(|function| read_call(function, source)),
        "reference_expression" => field("value").map(ExpressionForm::Same),
        "parenthesized_expression" | "await_expression" => node.named_child(0).map(ExpressionForm::Same),
        "unary_expression" if text(node, source).starts_with('*') => {
            node.named_child(0).map(ExpressionForm::Same)
        }
        "try_expression" => node.named_child(0).map(ExpressionForm::Unwrap),
        "struct_expression" => field("name").map(ExpressionForm::New),
        "type_cast_expression" => field("type").map(ExpressionForm::New),
        _ => None,
    };
    shape.unwrap_or(ExpressionForm::Opaque)
}

fn read_call<'t, 's>(function: Node<'t>, source: &'s str) -> Option<ExpressionForm<'t, 's>> {
    match function.kind() {
        "identifier" => Some(ExpressionForm::Invoke(None, function)),
        "scoped_identifier" => parts(function, source).map(ExpressionForm::InvokePath),
        "field_expression" => {
            let on = function.child_by_field_name("value")?;
            Some(ExpressionForm::Invoke(Some(on), function.child_by_field_name("field")?))
        }
        "generic_function" => {
            let inner = function.child_by_field_name("function")?;
            (inner.kind() != "generic_function").then(|| read_call(inner, source))?
        }
        _ => None,
    }
}

fn add_leaves(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "type_identifier" | "scoped_type_identifier" => {
            if let Some(path) = path(node, types.source) {
                types.leaf(path, nesting);
            }
        }
        "generic_type" => generic(types, node, nesting),
        "reference_type" | "pointer_type" => {
            field("type").into_iter().for_each(|it| types.add(it, nesting));
        }
        "array_type" => field("element").into_iter().for_each(|it| types.add(it, Many)),
        "tuple_type" => types.add_children(node, nesting.at_least(Inside)),
        "dynamic_type" | "abstract_type" => {
            field("trait").into_iter().for_each(|it| types.add(it, nesting));
        }
        "bounded_type" | "higher_ranked_trait_bound" => {
            for part in children(node).into_iter().take(8) {
                if !MARKERS.contains(&types.text(part)) {
                    types.add(part, nesting);
                }
            }
        }
        _ => {}
    }
}

fn generic(types: &mut WrittenTypes, node: Node, nesting: InnerTypeRelation) {
    let Some(head) = node.child_by_field_name("type") else { return };
    let arguments = node.child_by_field_name("type_arguments").map(children).unwrap_or_default();
    let written: Vec<Node> = arguments.into_iter().filter(|it| it.kind() != "lifetime").collect();
    let name = types.text(head).rsplit("::").next().unwrap_or_default();
    let (inner, count) = match name {
        "Box" | "Arc" | "Rc" => (Pointer, 1),
        "Option" | "Result" => (Maybe, 1),
        "Mutex" | "RwLock" | "RefCell" | "Cell" | "OnceCell" | "OnceLock" | "LazyLock" | "Lazy" | "Weak"
        | "Cow" | "Pin" | "UnsafeCell" | "ArcSwap" | "NonNull" | "ManuallyDrop" => (Inside, 2),
        "Vec" | "VecDeque" | "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "IndexMap" | "IndexSet"
        | "BinaryHeap" | "LinkedList" | "SmallVec" | "DashMap" | "FxHashMap" | "FxHashSet" | "AHashMap" => {
            (Many, 2)
        }
        _ => {
            types.add(head, nesting);
            return;
        }
    };
    for argument in written.into_iter().take(count) {
        types.add(argument, nesting.at_least(inner));
    }
}
