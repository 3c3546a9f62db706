//! Ruby: modules, classes and constants with the names around them, and the constants that code names.

use tree_sitter::Node;

use super::{FileNames, NAMES, PARTS, Position, WrittenName, owned, parts, text};

pub(super) fn collect(root: Node, source: &str, found: &mut FileNames) {
    // Each node with the classes and modules around it.
    let mut open: Vec<(Node, Vec<String>)> = vec![(root, Vec::new())];
    while let Some((node, around)) = open.pop() {
        let at = Position { line: node.start_position().row + 1, scope: around.clone(), is_test: false };
        let mut inside = around.clone();
        let mut skipped = None;
        match node.kind() {
            "class" | "module" => {
                let name = node.child_by_field_name("name");
                let path = name.map(|name| parts(text(name, source), ':')).unwrap_or_default();
                if !path.is_empty() && around.len() + path.len() <= PARTS {
                    define(found, &around, &path, &at);
                    inside.push(path.join("::"));
                }
                skipped = name;
            }
            "assignment" => {
                let left = node.child_by_field_name("left").filter(|left| left.kind() == "constant");
                if let Some(left) = left {
                    define(found, &around, &[owned(left, source)], &at);
                    skipped = Some(left);
                }
            }
            "scope_resolution" => {
                let written = text(node, source);
                let is_path = written.len() < 400
                    && written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
                if is_path && node.child_by_field_name("name").is_some_and(|name| name.kind() == "constant") {
                    let absolute = written.starts_with("::").then(|| "::".to_owned());
                    found.write(absolute.into_iter().chain(parts(written, ':')).collect(), at);
                    continue;
                }
            }
            "constant" => {
                found.write(vec![owned(node, source)], at);
                continue;
            }
            _ => {}
        }
        let first = open.len();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| Some(*child) != skipped) {
            open.push((child, inside.clone()));
        }
        open[first..].reverse();
    }
    found.names.sort_by_key(|name| name.at.line);
    found.deduplicate();
}

fn define(found: &mut FileNames, around: &[String], path: &[String], at: &Position) {
    if found.defined.len() < NAMES {
        let outer = around.iter().flat_map(|name| name.split("::")).map(str::to_owned);
        let path = outer.chain(path.iter().cloned()).collect();
        found.defined.push(WrittenName { path, at: Position { scope: Vec::new(), ..at.clone() } });
    }
}
