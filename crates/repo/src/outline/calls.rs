//! The calls in a text, by the names in it, in order; those in the arguments of a call come before it. Compares names, not meanings: the function that runs also depends on conditions, on
//! values, and on the definition that the name refers to.

use tree_sitter::Node;

use super::language::Language;
use super::parse::{parse, within_limit};
use super::targets::text;
use crate::limit::CALLS;

/// Maximum length of the name of a callee, in bytes.
const NAME: usize = 200;

/// A call in a source text, as [`calls`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Its line, from 1.
    pub line: usize,
    /// The callee as written, without type arguments: `open`, `store::open`, `app.run`; for a constructor call the type.
    pub name: String,
}

/// Returns the calls in a source text, at most [`CALLS`](crate::limit::CALLS); those in the arguments of a
/// call come before it. Calls of computed functions (`f()()`, `table[0]()`) are omitted, because they have no
/// name.
///
/// ```
/// use stategraph_repo::{Language, calls};
///
/// let found = calls(Language::Rust, "fn main() { store::open(path()); other.close(); }");
/// let names: Vec<&str> = found.iter().map(|call| call.name.as_str()).collect();
/// assert_eq!(names, ["path", "store::open", "other.close"]);
/// ```
pub fn calls(language: Language, source: &str) -> Vec<CallSite> {
    let source = within_limit(source);
    let Some(tree) = parse(language, source) else { return Vec::new() };
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    loop {
        if cursor.goto_first_child() {
            continue;
        }
        // A node is left behind its children: its call runs behind those of its arguments.
        loop {
            let node = cursor.node();
            if let Some(name) = callee(node, source) {
                found.push(CallSite { line: node.start_position().row + 1, name });
            }
            if found.len() >= CALLS {
                return found;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Returns the name of the function that a node calls; `None` if it is no call, or the function has no plain
/// name.
fn callee(node: Node, source: &str) -> Option<String> {
    let field = |name: &str| node.child_by_field_name(name).map(|part| text(part, source));
    let with = |outer: Option<&str>, name: &str| match outer {
        Some(outer) => format!("{outer}.{name}"),
        None => name.to_owned(),
    };
    let name = match node.kind() {
        "call_expression" | "invocation_expression" | "function_call_expression" => {
            field("function")?.to_owned()
        }
        "call" => match field("function") {
            Some(function) => function.to_owned(),
            None => with(field("receiver"), field("method")?),
        },
        "method_invocation" => with(field("object"), field("name")?),
        "new_expression" => field("constructor")?.to_owned(),
        "object_creation_expression" => field("type")?.to_owned(),
        "command" => field("name")?.to_owned(),
        _ => return None,
    };
    let name = without_types(&name);
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':');
    (!name.is_empty() && name.len() <= NAME && name.chars().all(is_path)).then_some(name)
}

/// Removes type arguments from a name: `f::<T>` gives `f`, and `A<T>::new` gives `A::new`.
fn without_types(name: &str) -> String {
    let mut depth = 0_usize;
    let kept: String = name
        .chars()
        .filter(|c| {
            depth += usize::from(*c == '<');
            let is_kept = depth == 0;
            depth = depth.saturating_sub(usize::from(*c == '>'));
            is_kept
        })
        .collect();
    kept.trim_end_matches(':').replace("::::", "::")
}
