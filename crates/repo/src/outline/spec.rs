//! The definitions of one language: a table of node kinds. The extractor is the same for all; see extract.rs.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::docs::DocStyle;
use super::language::Language;
use super::languages;
use super::symbol::SymbolKind;
use super::visibility::VisibilityRule;

/// One language.
pub(super) struct Spec {
    /// Its grammar.
    pub(super) grammar: fn() -> tree_sitter::Language,
    /// Nodes that define something.
    pub(super) definitions: &'static [Rule],
    /// Nodes around a definition that belong to it: `export …`, `template <…> …`, `@decorated …`.
    pub(super) wrappers: &'static [&'static str],
    /// Comments.
    pub(super) comments: &'static [&'static str],
    /// String literals, as references tell them.
    pub(super) strings: &'static [&'static str],
    /// Code inside string literals.
    pub(super) interpolations: &'static [&'static str],
    /// Attributes, annotations and decorators.
    pub(super) decorators: &'static [&'static str],
    /// Nodes that may hold an import.
    pub(super) imports: &'static [&'static str],
    /// Returns the modules that an import node names; empty if it is no import.
    pub(super) targets: fn(Node, &str) -> Vec<String>,
    /// Nodes such as `public:` whose text rules what follows.
    pub(super) access: &'static [&'static str],
    /// Values that make a variable a function.
    pub(super) callables: &'static [&'static str],
    /// Values that make a variable a class.
    pub(super) classes: &'static [&'static str],
    /// Nodes that are not entered: nothing is defined inside.
    pub(super) closed: &'static [&'static str],
    /// Fields that end a signature where they begin.
    pub(super) bodies: &'static [&'static str],
    /// Which comments are documentation.
    pub(super) docs: DocStyle,
    /// The rule for the visibility of a definition.
    pub(super) visibility: VisibilityRule,
    /// Characters besides letters, digits and `_` that continue an identifier.
    pub(super) identifier: &'static [char],
}

/// A node kind that defines something.
pub(super) struct Rule {
    /// The node.
    pub(super) node: &'static str,
    /// The kind of the symbol before its place is considered: a function in a class becomes a method.
    pub(super) kind: SymbolKind,
    /// The position of its names.
    pub(super) names: Names,
    /// The need for a body.
    pub(super) body: Body,
}

/// The position of the names of a definition.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// In every child with this field.
    Field(&'static str),
    /// In every child of this kind.
    Kind(&'static str),
    /// Inside declarators, as in C: `int *a, b(void)`.
    Declarators,
    /// In every child with this field, and each is a definition of its own.
    Each(&'static str),
    /// On the left of an assignment.
    Left,
    /// On the left of an assignment, constants only.
    Constants,
    /// On the left of an assignment of a function or a class.
    Functions,
    /// In the first argument, if this is the function that is called.
    Called(&'static str),
}

/// The need of a definition for a body: `struct S *p` defines no `S`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// It need not.
    Optional,
    /// It must.
    Required,
}

/// Makes a rule for a node with its names in the field `name`.
pub(super) const fn by_name_field(node: &'static str, kind: SymbolKind) -> Rule {
    Rule { node, kind, names: Names::Field("name"), body: Body::Optional }
}

/// Makes a rule for a node with its names elsewhere.
pub(super) const fn rule(node: &'static str, kind: SymbolKind, names: Names) -> Rule {
    Rule { node, kind, names, body: Body::Optional }
}

/// The action of the extractor at a node.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// Goes into it.
    Enter,
    /// Passes it.
    Close,
    /// Begins a symbol.
    Define(&'static Rule),
    /// Gives the context before it to its first child.
    Wrap,
    /// Keeps it for the next definition.
    Comment,
    /// Keeps it for the next definition.
    Decorate,
    /// Collects the imported modules, and visits the children.
    Import,
    /// Reads its text as a visibility.
    Access,
}

/// A language with its grammar loaded and its table by node number.
pub(super) struct Grammar {
    pub(super) spec: &'static Spec,
    pub(super) language: tree_sitter::Language,
    actions: Vec<Action>,
}

impl Grammar {
    /// Returns the grammar of `language`. It is loaded once.
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
