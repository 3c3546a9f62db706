//! The variable that holds the value of a site, and the value that stands in for it.

use tree_sitter::Node;

use super::arguments::argument;
use super::walk::SiteWalk;
use super::{NAME, SiteArgument, beginning};
use crate::outline::text;

/// Maximum number of nodes between a site and its variable.
const STEPS: usize = 8;

/// Kinds of nodes whose value is that of a child.
const TRANSPARENT: &[&str] = &[
    "parenthesized_expression",
    "await_expression",
    "await",
    "try_expression",
    "unary_expression",
    "reference_expression",
    "expression_list",
    "non_null_expression",
    "as_expression",
    "satisfies_expression",
    "cast_expression",
    "boolean_operator",
    "binary_expression",
    "binary",
    "conditional_expression",
    "equals_value_clause",
    "literal_element",
    "or_pattern",
    "string",
];

/// Kinds of nodes in the type of a parameter, in which a site can be: `Annotated[int, Option()]`.
const TYPES: &[&str] = &["type", "type_parameter", "generic_type", "subscript"];

/// Kinds of nodes that give a variable its value, each with the field of the variable.
const ASSIGNMENTS: &[(&str, &str)] = &[
    ("let_declaration", "pattern"),
    ("const_item", "name"),
    ("static_item", "name"),
    ("assignment", "left"),
    ("typed_default_parameter", "name"),
    ("default_parameter", "name"),
    ("typed_parameter", ""),
    ("pair", "key"),
    ("variable_declarator", "name"),
    ("public_field_definition", "name"),
    ("field_definition", "property"),
    ("assignment_expression", "left"),
    ("assignment_statement", "left"),
    ("short_var_declaration", "left"),
    ("var_spec", "name"),
    ("const_spec", "name"),
    ("init_declarator", "declarator"),
    ("property_declaration", "name"),
    ("variable_assignment", "name"),
    ("operator_assignment", "left"),
    ("augmented_assignment", "left"),
    ("augmented_assignment_expression", "left"),
];

/// Returns the name of the variable, field or parameter that gets the value of the call at `node`; empty if
/// none does.
pub(super) fn holder(walk: &SiteWalk, node: Node) -> String {
    let mut is_type = false;
    for above in walk.above().take(STEPS) {
        let kind = above.kind();
        if let Some((_, field)) = ASSIGNMENTS.iter().find(|(known, _)| *known == kind) {
            let name = match *field {
                "" => above.named_child(0),
                field => above.child_by_field_name(field),
            };
            let Some(name) = name.filter(|name| name.end_byte() <= node.start_byte()) else { break };
            if is_type && !matches!(kind, "assignment" | "typed_parameter" | "typed_default_parameter") {
                break;
            }
            return beginning(text(name, walk.source), NAME).to_owned();
        }
        is_type |= TYPES.contains(&kind);
        if !TRANSPARENT.contains(&kind) && !TYPES.contains(&kind) {
            break;
        }
    }
    String::new()
}

/// Returns true if `node` is the target of an assignment, or is deleted.
pub(super) fn is_written(walk: &SiteWalk, node: Node) -> bool {
    let Some(above) = walk.above().next() else { return false };
    let assignment = ASSIGNMENTS.iter().any(|(known, _)| *known == above.kind());
    let is_left = assignment && above.start_byte() == node.start_byte();
    let is_list = above.kind() == "expression_list"
        && walk.above().nth(1).is_some_and(|outer| {
            outer.kind() == "assignment_statement" && outer.start_byte() == node.start_byte()
        });
    let is_removed = matches!(above.kind(), "delete_statement" | "unset_statement")
        || above.kind() == "unary_expression" && text(above, walk.source).starts_with("delete");
    is_left || is_list || is_removed
}

/// Returns the value that is used if `node` has none: `b` in `a || b`, or the default of a parameter with the
/// site in its type.
pub(super) fn fallback(walk: &SiteWalk, node: Node) -> Option<SiteArgument> {
    let mut inside = node;
    let mut is_type = false;
    for above in walk.above().take(STEPS) {
        let field = |name: &str| above.child_by_field_name(name);
        match above.kind() {
            "parenthesized_expression" | "await_expression" | "await" => {}
            "boolean_operator" | "binary_expression" | "binary" => {
                let operator = text(field("operator")?, walk.source);
                let is_left = field("left")? == inside;
                let is_or = matches!(operator, "||" | "??" | "or" | "?:");
                return (is_left && is_or)
                    .then(|| Some(argument(None, field("right")?, walk.source)))
                    .flatten();
            }
            "conditional_expression" => {
                // `a ?: b` of PHP has no middle.
                let is_short = field("condition")? == inside && field("body").is_none();
                let other = field("alternative").filter(|_| is_short && field("consequence").is_none())?;
                return Some(argument(None, other, walk.source));
            }
            "typed_default_parameter" if is_type => {
                return Some(argument(None, field("value")?, walk.source));
            }
            "assignment" if is_type => return Some(argument(None, field("right")?, walk.source)),
            kind if TYPES.contains(&kind) => is_type = true,
            _ => return None,
        }
        inside = above;
    }
    None
}
