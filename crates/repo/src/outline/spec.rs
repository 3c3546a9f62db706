//! The definitions of one language: a table of node kinds. The extractor is the same for all; see extract.rs.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::docs::DocStyle;
use super::language::Language;
use super::languages;
use super::symbol::SymbolKind;
use super::visibility::VisibilityRule;

/// The table of one language: which kinds of tree-sitter nodes are definitions, comments, imports and so on.
pub(super) struct Spec {
    /// Its grammar.
    pub(super) grammar: fn() -> tree_sitter::Language,
    /// Rules for the nodes that define something.
    pub(super) definitions: &'static [Rule],
    /// Nodes around a definition that belong to it: `export …`, `template <…> …`, `@decorated …`.
    pub(super) wrappers: &'static [&'static str],
    /// Kinds of comments.
    pub(super) comments: &'static [&'static str],
    /// Kinds of string literals; names inside count as text, not as uses.
    pub(super) strings: &'static [&'static str],
    /// Kinds of nodes inside string literals that are code.
    pub(super) interpolations: &'static [&'static str],
    /// Kinds of attributes, annotations and decorators.
    pub(super) decorators: &'static [&'static str],
    /// Nodes that may hold an import.
    pub(super) imports: &'static [&'static str],
    /// Returns the modules that an import node names; empty if it is no import.
    pub(super) targets: fn(Node, &str) -> Vec<String>,
    /// Kinds of nodes such as `public:`, whose text sets the visibility of what follows.
    pub(super) access: &'static [&'static str],
    /// Kinds of values that make a variable a function.
    pub(super) callables: &'static [&'static str],
    /// Kinds of values that make a variable a class.
    pub(super) classes: &'static [&'static str],
    /// Kinds of nodes that are not entered, because nothing is defined inside.
    pub(super) closed: &'static [&'static str],
    /// Names of the fields that are bodies. A signature ends where one begins.
    pub(super) bodies: &'static [&'static str],
    /// The rule for comments that are documentation.
    pub(super) docs: DocStyle,
    /// The rule for the visibility of a definition.
    pub(super) visibility: VisibilityRule,
    /// Characters besides letters, digits and `_` that continue an identifier.
    pub(super) identifier: &'static [char],
}

/// The rule for one kind of node that defines something.
pub(super) struct Rule {
    /// The kind of the node.
    pub(super) node: &'static str,
    /// The kind of the symbol, before its place is considered: a function in a class becomes a method.
    pub(super) kind: SymbolKind,
    /// The place of the defined names in the node.
    pub(super) names: Names,
    /// Tells whether the node must have a body to define something.
    pub(super) body: Body,
}

/// The place of the defined names in a node.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// In every child with this field.
    Field(&'static str),
    /// In every child of this kind.
    Kind(&'static str),
    /// Inside declarators, as in C: `int *a, b(void)`.
    Declarators,
    /// In every child with this field; each is a definition of its own, with its own range.
    Each(&'static str),
    /// On the left of an assignment.
    Left,
    /// On the left of an assignment, and only constants (of Ruby).
    Constants,
    /// On the left of an assignment whose value is a function or a class.
    Functions,
    /// In the first argument of a call of this function, a string.
    Called(&'static str),
}

/// The need for a body: `struct S *p` has none and defines no `S`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// The node defines something with or without a body.
    Optional,
    /// The node defines something only with a body.
    Required,
}

/// Makes a rule for the node kind `node`, whose names are in the field `name`. It needs no body.
pub(super) const fn by_name_field(node: &'static str, kind: SymbolKind) -> Rule {
    Rule { node, kind, names: Names::Field("name"), body: Body::Optional }
}

/// Makes a rule for the node kind `node`, whose names are at `names`. It needs no body.
pub(super) const fn rule(node: &'static str, kind: SymbolKind, names: Names) -> Rule {
    Rule { node, kind, names, body: Body::Optional }
}

/// The action of the walk at a node, by its kind.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// Visits the children.
    Enter,
    /// Skips the node with its children.
    Close,
    /// Adds the symbols that it defines, and visits the children.
    Define(&'static Rule),
    /// Visits the children, whose first definition takes the comments before this node.
    Wrap,
    /// Keeps the comment for the next definition.
    Comment,
    /// Keeps the decorator for the next definition.
    Decorate,
    /// Collects the imported modules, and visits the children.
    Import,
    /// Sets the visibility of the definitions after it from its text, and visits the children.
    Access,
}

/// A loaded tree-sitter grammar with the table of its language, and the action for each kind of node.
pub(super) struct Grammar {
    pub(super) spec: &'static Spec,
    pub(super) language: tree_sitter::Language,
    actions: Vec<Action>,
}

impl Grammar {
    /// Returns the loaded grammar of a language with its table. Each is loaded once.
    pub(super) fn of(language: Language) -> &'static Self {
        static LOADED: [OnceLock<Grammar>; 13] = [const { OnceLock::new() }; 13];
        LOADED[language as usize].get_or_init(|| Self::load(languages::spec(language)))
    }

    fn load(spec: &'static Spec) -> Self {
        let language = (spec.grammar)();
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let actions = (0..count).map(|id| match language.node_kind_for_id(id) {
            Some(name) if language.node_kind_is_named(id) => spec.action(name),
            _ => Action::Enter,
        });
        let actions = actions.collect();
        Self { spec, language, actions }
    }

    pub(super) fn action(&self, node: Node) -> Action {
        self.actions.get(usize::from(node.kind_id())).copied().unwrap_or(Action::Enter)
    }
}

impl Spec {
    fn action(&'static self, node: &str) -> Action {
        if let Some(rule) = self.definitions.iter().find(|rule| rule.node == node) {
            return Action::Define(rule);
        }
        let actions = [
            (self.comments, Action::Comment),
            (self.decorators, Action::Decorate),
            (self.imports, Action::Import),
            (self.access, Action::Access),
            (self.wrappers, Action::Wrap),
            (self.closed, Action::Close),
        ];
        actions.iter().find(|(nodes, _)| nodes.contains(&node)).map_or(Action::Enter, |(_, action)| *action)
    }
}
