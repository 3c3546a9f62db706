//! `pom.xml`: dependencies with the versions that properties and `dependencyManagement` give them (CTX-15). No entities, no
//! downloads: what a parent says is in its own `shared`.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::{Manifest, ManifestMark, Scope, reason};

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let document = Document::parse(text.trim_start_matches('\u{feff}')).map_err(reason)?;
    let root = document.root_element();
    let parent = child(root, "parent");
    let own = |name: &str| text_of(root, name).or_else(|| text_of(parent?, name));
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for property in
        child(root, "properties").into_iter().flat_map(|node| node.children()).filter(Node::is_element)
    {
        known.insert(
            property.tag_name().name().to_owned(),
            property.text().unwrap_or_default().trim().to_owned(),
        );
    }
    for name in ["groupId", "artifactId", "version"] {
        known.extend(own(name).map(|value| (format!("project.{name}"), value)));
    }
    for name in ["groupId", "artifactId", "version"] {
        known.extend(
            parent
                .and_then(|parent| text_of(parent, name))
                .map(|value| (format!("project.parent.{name}"), value)),
        );
    }
    let filled = |text: String| fill(text, &known);
    found.name = own("artifactId").map(filled);
    found.version = own("version").map(filled);
    found.description = text_of(root, "description");
    let managed: BTreeMap<String, String> = child(root, "dependencyManagement")
        .map(|node| {
            dependencies(node)
                .filter_map(|at| Some((coordinates(at, &known), filled(text_of(at, "version")?))))
                .collect()
        })
        .unwrap_or_default();
    found.scopes = child(root, "dependencyManagement")
        .into_iter()
        .flat_map(dependencies)
        .filter(|at| text_of(*at, "scope").is_some())
        .map(|at| (coordinates(at, &known), scope(at)))
        .collect();
    // Members of the project may use both.
    found.shared.extend(
        known.iter().map(|(name, value)| (format!("${{{name}}}"), Some(fill(value.clone(), &known)))),
    );
    found.shared.extend(managed.iter().map(|(name, version)| (name.clone(), Some(version.clone()))));
    for at in dependencies(root) {
        let name = coordinates(at, &known);
        let version = text_of(at, "version").map(filled).or_else(|| managed.get(&name).cloned());
        // A scope that is written hides the managed one.
        let own = scope(at);
        if text_of(at, "scope").is_some() || own != Scope::Runtime {
            found.scopes.insert(name.clone(), own);
        }
        let of_entry = found.scopes.get(&name).copied().unwrap_or(own);
        found.needs(of_entry, name, version.as_deref());
    }
    let classes = root.descendants().filter(|node| {
        matches!(node.tag_name().name(), "mainClass" | "start-class") && !is_of_side_archive(*node)
    });
    found.entry_points.extend(classes.filter_map(|node| Some(fill(node.text()?.trim().to_owned(), &known))));
    found.entry_points.dedup();
    let packaging = text_of(root, "packaging").unwrap_or_else(|| "jar".into());
    let has_plugin = root.descendants().any(|node| {
        let name = node.text().unwrap_or_default().trim();
        node.tag_name().name() == "artifactId" && STARTED_BY.contains(&name)
    });
    let is_started = has_plugin || !found.entry_points.is_empty() || packaging == "war";
    found.mark(ManifestMark::Workspace, packaging == "pom" && child(root, "modules").is_some());
    found.mark(ManifestMark::Program, is_started && packaging != "pom");
    found.mark(ManifestMark::Library, !is_started && matches!(packaging.as_str(), "jar" | "bundle"));
    Ok(())
}

/// Returns true for a node in a plugin's execution that makes a further archive, with a `classifier`, beside
/// the main one.
fn is_of_side_archive(node: Node) -> bool {
    let execution = node.ancestors().find(|it| it.tag_name().name() == "execution");
    execution
        .and_then(|it| child(it, "configuration"))
        .is_some_and(|configuration| child(configuration, "classifier").is_some())
}

/// Plugins that make a project a program.
const STARTED_BY: &[&str] = &["spring-boot-maven-plugin", "quarkus-maven-plugin", "micronaut-maven-plugin"];

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn text_of(node: Node, name: &str) -> Option<String> {
    child(node, name)?.text().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn dependencies<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    let list = child(node, "dependencies");
    list.into_iter().flat_map(|list| list.children()).filter(|child| child.tag_name().name() == "dependency")
}

fn coordinates(at: Node, known: &BTreeMap<String, String>) -> String {
    let part = |name| fill(text_of(at, name).unwrap_or_default(), known);
    format!("{}:{}", part("groupId"), part("artifactId"))
}

fn scope(at: Node) -> Scope {
    match text_of(at, "scope").as_deref() {
        Some("test") => Scope::Dev,
        Some("provided" | "system") => Scope::Peer,
        _ if text_of(at, "optional").as_deref() == Some("true") => Scope::Optional,
        _ => Scope::Runtime,
    }
}

/// Replaces `${name}` by the values of known properties, which may use properties themselves; at most 8
/// times, which ends circles.
fn fill(mut text: String, known: &BTreeMap<String, String>) -> String {
    const ROUNDS: usize = 8;
    for _ in 0..ROUNDS {
        let Some((before, rest)) = text.split_once("${") else { break };
        let Some((name, after)) = rest.split_once('}') else { break };
        let Some(value) = known.get(name).filter(|value| value.len() < 1000) else { break };
        text = format!("{before}{value}{after}");
    }
    text
}
