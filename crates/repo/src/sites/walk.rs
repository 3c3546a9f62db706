//! The one walk over a syntax tree. It keeps the nodes above each node itself, because the parent of a node costs a search from the root.

use tree_sitter::{Node, Tree};

use super::attributes::attribute;
use super::calls::{argument_list, calls};
use super::definitions::{definition, target};
use super::holders::{fallback, holder};
use super::keywords::keyword;
use super::tokens::Tokens;
use super::{SITES, Site, SiteArgument, SiteKind, beginning};
use crate::names::is_test_attribute;
use crate::outline::{Language, text};

/// Maximum length of the joined names of the definitions around a site, in bytes.
const SCOPE: usize = 400;

/// A site (a call, macro, attribute or keyword) that was found at a node, before its line and the names
/// around it are determined.
pub(super) struct FoundSite {
    pub(super) kind: SiteKind,
    pub(super) name: String,
    pub(super) arguments: Vec<SiteArgument>,
}

impl FoundSite {
    pub(super) fn call(name: String, arguments: Vec<SiteArgument>) -> Self {
        Self { kind: SiteKind::Call, name, arguments }
    }
}

/// The state of the walk at one node whose children are being visited.
#[derive(Default)]
pub(super) struct Level<'t> {
    pub(super) node: Option<Node<'t>>,
    /// The index of the first site that begins at this node, and the index after the last one.
    sites: (usize, usize),
    /// Length of the names around this definition, to restore them; `None` if the node is no definition.
    scope: Option<usize>,
    is_test: bool,
    /// Indexes of attributes whose definition is a later child.
    pending: Vec<usize>,
    pending_test: bool,
    tokens: Tokens,
    /// Id of a child that was already read as part of an attribute.
    read: Option<usize>,
}

/// The walk over the syntax tree of one file that collects its sites. It keeps the levels above the current
/// node.
pub(super) struct SiteWalk<'t, 's> {
    pub(super) language: Language,
    pub(super) source: &'s str,
    pub(super) levels: Vec<Level<'t>>,
    scope: String,
    sites: Vec<Site>,
}

/// Visits all nodes of a syntax tree and returns its sites (calls, macros, attributes and keywords), at most
/// [`SITES`].
pub(super) fn walk(language: Language, tree: &Tree, source: &str) -> Vec<Site> {
    let root = Level { node: Some(tree.root_node()), ..Level::default() };
    let mut walk = SiteWalk { language, source, levels: vec![root], scope: String::new(), sites: Vec::new() };
    let mut cursor = tree.walk();
    if !cursor.goto_first_child() {
        return Vec::new();
    }
    loop {
        let level = walk.enter(cursor.node());
        match level {
            Some(level) if cursor.goto_first_child() => {
                walk.levels.push(level);
                continue;
            }
            Some(level) => walk.leave(&level),
            None => {}
        }
        if walk.sites.len() >= SITES {
            return walk.finish();
        }
        while !cursor.goto_next_sibling() {
            let Some(level) = walk.levels.pop() else { return walk.sites };
            walk.leave(&level);
            if walk.levels.is_empty() || !cursor.goto_parent() {
                return walk.finish();
            }
        }
    }
}

impl<'t> SiteWalk<'t, '_> {
    /// Records the calls, attributes and keywords at a node. Returns the level for its children; `None` to
    /// skip them.
    fn enter(&mut self, node: Node<'t>) -> Option<Level<'t>> {
        let kind = node.kind();
        if kind.ends_with("comment") || kind == "macro_definition" {
            return None;
        }
        // Most leaves are no sites: this test is cheaper than all that follow.
        let is_word = matches!(kind, "identifier" | "&");
        if node.child_count() == 0 && !is_word && self.language != Language::Rust {
            return None;
        }
        let mut level = Level { node: Some(node), is_test: self.top().is_test, ..Level::default() };
        level.sites.0 = self.sites.len();
        if let Some(found) = attribute(self, node) {
            let waits = found.waits;
            level.read = found.read.map(|node| node.id());
            let at = self.sites.len();
            self.add(node, found.found, found.target, found.is_outside);
            if waits {
                // A decorator of TypeScript may stand below its own node, so that the levels above wait too.
                self.wait(at, node);
            }
            level.sites.1 = self.sites.len();
            return found.descends.then_some(level);
        }
        if node.kind() != "attribute_item" && node.kind() != "decorator" && node.is_named() {
            self.settle(node, &mut level);
        }
        let is_read = self.levels.last().is_some_and(|above| above.read == Some(node.id()));
        if !is_read {
            for found in self.find_sites(node) {
                self.add(node, found, String::new(), false);
            }
        }
        level.sites.1 = self.sites.len();
        if let Some(name) = definition(self.language, node, self.source) {
            level.scope = Some(self.scope.len());
            if self.scope.len() < SCOPE {
                let dot = if self.scope.is_empty() { "" } else { "." };
                self.scope.push_str(dot);
                self.scope.push_str(beginning(&name, SCOPE));
            }
        }
        if is_read {
            level.read = None;
        }
        Some(level)
    }

    fn find_sites(&mut self, node: Node<'t>) -> Vec<FoundSite> {
        let mut found: Vec<FoundSite> = keyword(self, node).into_iter().collect();
        found.extend(calls(self, node));
        let source = self.source;
        if self.language == Language::Rust
            && let Some(above) = self.levels.last_mut()
            && above.node.is_some_and(|above| above.kind() == "token_tree")
        {
            found.extend(above.tokens.next(node, source));
        }
        found
    }

    /// Records that the attribute at `index` belongs to the next definition on this level.
    fn wait(&mut self, index: usize, node: Node) {
        let is_test = is_test_attribute(text(node, self.source));
        if let Some(level) = self.levels.last_mut() {
            level.pending.push(index);
            level.pending_test |= is_test;
        }
    }

    /// Sets the target of the waiting attributes to the name of the definition at `node`.
    fn settle(&mut self, node: Node<'t>, level: &mut Level<'t>) {
        let Some(above) = self.levels.last_mut() else { return };
        if above.pending.is_empty() {
            return;
        }
        level.is_test |= std::mem::take(&mut above.pending_test);
        let waiting = std::mem::take(&mut above.pending);
        if let Some(name) = target(self.language, node, self.source) {
            for index in waiting {
                self.sites[index].target.clone_from(&name);
            }
        }
    }

    fn add(&mut self, node: Node<'t>, found: FoundSite, target: String, is_outside: bool) {
        let outer = self.levels.iter().rev().find_map(|level| level.scope).filter(|_| is_outside);
        let within = outer.map_or(self.scope.as_str(), |length| self.scope.get(..length).unwrap_or_default());
        let has_value = found.kind == SiteKind::Call || found.kind == SiteKind::Macro;
        self.sites.push(Site {
            holder: if has_value { holder(self, node) } else { String::new() },
            fallback: if has_value { fallback(self, node) } else { None },
            within: within.to_owned(),
            target,
            line: first_line(node, &found.name),
            line_end: node.end_position().row + 1,
            inside: 0,
            is_test: self.top().is_test,
            kind: found.kind,
            name: found.name,
            arguments: found.arguments,
        });
    }

    fn leave(&mut self, level: &Level) {
        let end = self.sites.len();
        let (first, after) = level.sites;
        for (index, site) in self.sites.iter_mut().enumerate().take(after).skip(first) {
            site.inside = end - index - 1;
        }
        if let Some(length) = level.scope {
            self.scope.truncate(length);
        }
    }

    fn finish(mut self) -> Vec<Site> {
        while let Some(level) = self.levels.pop() {
            self.leave(&level);
        }
        self.sites
    }

    fn top(&self) -> &Level<'t> {
        self.levels.last().expect("the walk ends with the last level")
    }

    /// Returns the nodes around the current one, innermost first.
    pub(super) fn above(&self) -> impl Iterator<Item = Node<'t>> + '_ {
        self.levels.iter().rev().filter_map(|level| level.node)
    }
}

/// Returns the line of a site, from 1. For a method in a chain, the line of its arguments, because its node
/// begins at the receiver many lines before.
fn first_line(node: Node, name: &str) -> usize {
    let list = if name.starts_with(['.', '?']) { argument_list(node) } else { None };
    list.unwrap_or(node).start_position().row + 1
}
