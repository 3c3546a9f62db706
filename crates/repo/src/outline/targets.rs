//! The modules that an import names, by language. resolve.rs finds their files.

use tree_sitter::Node;

/// Returns the source text of a syntax node; empty if it is out of range.
pub(crate) fn text<'a>(node: Node, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Maximum nesting of braces in a `use` that is followed.
const USE_DEPTH: usize = 16;
/// Maximum number of modules that one import names.
const TARGETS: usize = 200;

/// Returns the paths that a Rust `use` or `extern crate` imports: `a::b` and `a::c` for `use a::{b, c as
/// d};`.
pub(super) fn rust(node: Node, source: &str) -> Vec<String> {
    let whole = text(node, source);
    let bare = whole.trim_end_matches(';').trim();
    let Some((_, tree)) = bare.split_once("use ").or_else(|| bare.split_once("extern crate ")) else {
        return Vec::new();
    };
    let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    expand("", &tree, USE_DEPTH, &mut found);
    found
}

/// Adds the paths in a `use` tree to `found`, each with `prefix` before it: `b` and `c` of `{b, c as d}`.
fn expand(prefix: &str, tree: &str, depth: usize, found: &mut Vec<String>) {
    if found.len() >= TARGETS || depth == 0 {
        return;
    }
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        let path = format!("{prefix}{path}").replace(' ', "");
        let path = path.strip_suffix("::self").unwrap_or(&path).trim_end_matches("::*");
        if !path.is_empty() {
            found.push(path.to_owned());
        }
        return;
    };
    let close = tree.rfind('}').unwrap_or(tree.len());
    let prefix = format!("{prefix}{}", &tree[..open]);
    for part in split_outside_braces(tree.get(open + 1..close).unwrap_or_default()) {
        expand(&prefix, part.trim(), depth - 1, found);
    }
}

/// Splits a list at the commas outside of braces; leaves out empty parts.
fn split_outside_braces(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns the modules that a Python import may name: `.a.b` for `from .a import b`. The files decide later
/// whether `b` is a module or a name in `.a`.
pub(super) fn python(node: Node, source: &str) -> Vec<String> {
    let module = node.child_by_field_name("module_name").map(|module| text(module, source).replace(' ', ""));
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor).take(TARGETS);
    let names: Vec<String> =
        names.map(|name| text(name.child_by_field_name("name").unwrap_or(name), source).to_owned()).collect();
    match module {
        None => names,
        Some(module) if names.is_empty() => vec![module],
        Some(module) if module.ends_with('.') => names.iter().map(|name| format!("{module}{name}")).collect(),
        Some(module) => names.iter().map(|name| format!("{module}.{name}")).collect(),
    }
}

/// Returns the module path in `import … from 'x'`, `export … from 'x'`, `require('x')` or `import('x')`;
/// empty for other calls.
pub(super) fn script(node: Node, source: &str) -> Vec<String> {
    if node.kind() != "call_expression" {
        let direct = node.child_by_field_name("source");
        let required = || node.named_child(0).and_then(|clause| clause.child_by_field_name("source"));
        return direct.or_else(required).map(|from| strip_quotes(text(from, source))).into_iter().collect();
    }
    let called = node.child_by_field_name("function").map(|called| text(called, source));
    if !matches!(called, Some("require" | "import" | "require.resolve")) {
        return Vec::new();
    }
    let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    let literal = argument.filter(|argument| argument.kind() == "string");
    literal.map(|from| strip_quotes(text(from, source))).into_iter().collect()
}

/// Returns the path of a Go import, without quotes.
pub(super) fn go(node: Node, source: &str) -> Vec<String> {
    node.child_by_field_name("path").map(|path| strip_quotes(text(path, source))).into_iter().collect()
}

/// Returns the path of a Java import: `a.b.C` or `a.b.*`. For a static import it includes the member.
pub(super) fn java(node: Node, source: &str) -> Vec<String> {
    let bare = text(node, source).trim_end_matches(';').trim();
    let bare = bare.strip_prefix("import").unwrap_or(bare).trim();
    let bare = bare.strip_prefix("static ").unwrap_or(bare);
    vec![bare.replace(char::is_whitespace, "")]
}

/// Returns the included file with its quotes or brackets (`"list.h"`, `<stdio.h>`), which determine the
/// search path.
pub(super) fn c(node: Node, source: &str) -> Vec<String> {
    node.child_by_field_name("path").map(|path| text(path, source).to_owned()).into_iter().collect()
}

/// Returns the namespace or type of a C# `using`; of `using X = A.B` it is `A.B`.
pub(super) fn csharp(node: Node, source: &str) -> Vec<String> {
    let bare = text(node, source).trim_end_matches(';');
    let named = bare.rsplit(['=']).next().unwrap_or(bare);
    named.split_whitespace().last().map(str::to_owned).into_iter().collect()
}

/// Returns `x` for `require 'x'`, and `./x` for `require_relative 'x'`; empty for other calls.
pub(super) fn ruby(node: Node, source: &str) -> Vec<String> {
    let method = node.child_by_field_name("method").map(|method| text(method, source));
    let relative = match method {
        Some("require" | "load" | "autoload") => false,
        Some("require_relative") => true,
        _ => return Vec::new(),
    };
    let arguments = node.child_by_field_name("arguments");
    let last = arguments.and_then(|arguments| arguments.named_child(last_child(arguments)));
    let literal = last.filter(|last| last.kind() == "string").map(|last| strip_quotes(text(last, source)));
    literal.map(|path| if relative { format!("./{path}") } else { path }).into_iter().collect()
}

fn last_child(node: Node) -> u32 {
    u32::try_from(node.named_child_count()).unwrap_or(u32::MAX).saturating_sub(1)
}

/// Returns the targets of a PHP import: `A\B` for `use A\B`, and `./b.php` for `require __DIR__ . '/b.php'`.
pub(super) fn php(node: Node, source: &str) -> Vec<String> {
    let whole = text(node, source).trim_end_matches(';');
    let Some(tree) = whole.strip_prefix("use ") else {
        let quoted = whole.split(['\'', '"']).nth(1).filter(|path| !path.is_empty());
        return quoted.map(|path| format!("./{}", path.trim_start_matches('/'))).into_iter().collect();
    };
    let tree = tree.trim_start_matches("function ").trim_start_matches("const ");
    let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for part in split_outside_braces(&tree) {
        expand("", part.trim(), USE_DEPTH, &mut found);
    }
    found.iter().map(|name| name.trim_start_matches('\\').to_owned()).collect()
}

/// Returns the file `x` of `source x` or `. x`; empty for other commands.
pub(super) fn bash(node: Node, source: &str) -> Vec<String> {
    let name = node.child_by_field_name("name").map(|name| text(name, source));
    if !matches!(name, Some("source" | ".")) {
        return Vec::new();
    }
    node.child_by_field_name("argument").map(|path| strip_quotes(text(path, source))).into_iter().collect()
}

fn strip_quotes(literal: &str) -> String {
    literal.trim_matches(['"', '\'', '`']).to_owned()
}
