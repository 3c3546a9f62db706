//! The walk over a syntax tree that keeps scopes: local names with their written types, the function and the type around. Languages tell
//! it what a node opens, binds and means; see the `SYNTAX` of each.

use std::collections::{HashMap, HashSet};

use tree_sitter::{Node, Tree};

use super::expressions::ExpressionForm;
use super::written::WrittenTypes;
use super::{
    BaseClause, BaseForm, DefinitionPlace, FieldDefinition, FieldOrigin, FileTypes, FunctionDefinition,
    Index, InnerType, InnerTypeRelation, Owner, TypeDefinition, TypeStep,
};
use crate::outline::text;

/// Maximum number of calls of one file, and of entries of each other table.
pub(super) const ENTRIES: usize = 50_000;
/// Maximum number of nested scopes; deeper ones share the names of the last.
const FRAMES: usize = 200;
/// Maximum length of a name, with the names around it, in bytes.
pub(super) const NAME: usize = 400;

/// The rules by which a language's syntax nodes define types, bind names and make values. Each language has
/// one.
pub(super) struct TypeSyntax {
    /// Called before the children of a node: opens scopes and records definitions.
    pub(super) enter: fn(&mut TypeWalk, Node),
    /// Called after the children of a node: binds names and records fields.
    pub(super) leave: fn(&mut TypeWalk, Node),
    /// Returns the meaning of an expression's node.
    pub(super) shape: for<'t, 's> fn(Node<'t>, &'s str) -> ExpressionForm<'t, 's>,
    /// Adds the named types inside a written type.
    pub(super) add_leaves: fn(&mut WrittenTypes, Node, InnerTypeRelation),
    /// Names of methods that take the value out of a wrapper, such as `unwrap`.
    pub(super) unwraps: &'static [&'static str],
    /// Names inside a type are looked up in the type first.
    pub(super) has_scopes_of_types: bool,
    /// A call of a capitalised name constructs a value and is not recorded as a call.
    pub(super) constructs_by_name: bool,
}

/// An open scope of the walk: its place, and the local names that it binds.
pub(super) struct ScopeFrame<'s> {
    node: usize,
    pub(super) place: DefinitionPlace,
    pub(super) function: Option<Index>,
    has_own: bool,
    pub(super) is_test: bool,
    pub(super) names: HashMap<&'s str, Option<Index>>,
    pub(super) generics: Vec<&'s str>,
}

/// The walk over the syntax tree of one file that collects its types, functions, fields and calls. It keeps
/// the open scopes.
pub(super) struct TypeWalk<'s> {
    pub(super) source: &'s str,
    pub(super) syntax: &'static TypeSyntax,
    /// The next definition is test code, because of an attribute before it.
    pub(super) is_test_next: bool,
    pub(super) found: FileTypes,
    pub(super) frames: Vec<ScopeFrame<'s>>,
    words: HashMap<Box<str>, Index>,
    pub(super) links: HashMap<TypeStep, Index>,
    pub(super) written: HashMap<Box<[InnerType]>, Index>,
    /// The recorded calls, to record each once: function, owner and scope, link.
    pub(super) calls: HashSet<(Option<Index>, (Index, Index), Index)>,
    /// The recorded calls of which only the name is known: function and name.
    pub(super) open_calls: HashSet<(Index, Index)>,
}

/// Visits all nodes of a syntax tree, and returns the types, functions, fields and calls that `syntax` finds.
pub(super) fn walk(syntax: &'static TypeSyntax, tree: &Tree, source: &str) -> FileTypes {
    let mut walk = TypeWalk {
        source,
        syntax,
        is_test_next: false,
        found: FileTypes::default(),
        frames: Vec::new(),
        words: HashMap::new(),
        links: HashMap::new(),
        written: HashMap::new(),
        calls: HashSet::new(),
        open_calls: HashSet::new(),
    };
    let scope = walk.word("");
    walk.frames.push(ScopeFrame {
        node: usize::MAX,
        place: DefinitionPlace { owner: Owner::None, scope },
        function: None,
        has_own: false,
        is_test: false,
        names: HashMap::new(),
        generics: Vec::new(),
    });
    let mut cursor = tree.walk();
    loop {
        walk.enter(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            walk.leave(cursor.node());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                walk.found.shrink();
                return walk.found;
            }
        }
    }
}

impl<'s> TypeWalk<'s> {
    fn enter(&mut self, node: Node) {
        if !node.is_named() {
            return;
        }
        (self.syntax.enter)(self, node);
    }

    fn leave(&mut self, node: Node) {
        if !node.is_named() {
            return;
        }
        // A call runs behind the calls of its receiver and of its arguments.
        self.call(node);
        (self.syntax.leave)(self, node);
        // A method of Go opens two scopes: that of its type and its own.
        while self.frames.len() > 1 && self.frame().node == node.id() {
            self.frames.pop();
        }
    }

    pub(super) fn frame(&mut self) -> &mut ScopeFrame<'s> {
        self.frames.last_mut().expect("the frame of the file is never popped")
    }

    pub(super) fn text(&self, node: Node) -> &'s str {
        text(node, self.source)
    }

    pub(super) fn field(&self, node: Node, name: &str) -> Option<&'s str> {
        node.child_by_field_name(name).map(|child| self.text(child))
    }

    /// Returns the index of a word in the table of words; adds it if it is new.
    pub(super) fn word(&mut self, word: &str) -> Index {
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let known = &mut self.found.words;
        let index = index(known.ends.len());
        known.text.push_str(word);
        known.ends.push(u32::try_from(known.text.len()).unwrap_or(u32::MAX));
        self.words.insert(word.into(), index);
        index
    }

    /// Returns the index of a link (a step in finding a type) in the table of links; adds it if it is new.
    pub(super) fn link(&mut self, link: TypeStep) -> Index {
        let next = index(self.found.links.len());
        let known = *self.links.entry(link).or_insert(next);
        if known == next {
            self.found.links.push(link);
        }
        known
    }

    /// Returns `name` after the dotted names of the scopes around it: `shop.Cart`.
    fn qualify(&mut self, name: &str) -> String {
        let scope = self.frame().place.scope;
        let scope = self.found.word(scope);
        let scope = if scope.len() > NAME { "" } else { scope };
        if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
    }

    /// Opens a scope for local names that inherits the type, function and test mark of the scope around it.
    pub(super) fn open_block(&mut self, node: Node) {
        let last = self.frame();
        let frame = ScopeFrame {
            node: node.id(),
            place: last.place,
            function: last.function,
            has_own: last.has_own,
            is_test: last.is_test,
            names: HashMap::new(),
            generics: Vec::new(),
        };
        if self.frames.len() < FRAMES {
            self.frames.push(frame);
        }
    }

    /// Opens the scope of a namespace or inline module. Without a node it has no body, and lasts to the end
    /// of the scope around it.
    pub(super) fn open_namespace(&mut self, node: Option<Node>, name: &str) {
        let scope = if node.is_some() { self.qualify(name) } else { name.to_owned() };
        if let Some(node) = node {
            self.open_block(node);
        }
        let scope = self.word(&scope);
        self.frame().place = DefinitionPlace { owner: Owner::None, scope };
    }

    /// Records a type that `node` defines under `name`, and opens its scope.
    pub(super) fn open_type(&mut self, node: Node, name: &str, is_interface: bool) {
        let full = self.qualify(name);
        self.open_block(node);
        let is_test = self.frame().is_test;
        let scope = self.word(&full);
        let known = index(self.found.types.len());
        let line = line(node.child_by_field_name("name").unwrap_or(node));
        if self.found.types.len() < ENTRIES && !name.is_empty() {
            self.found.types.push(TypeDefinition { name: scope, line, is_test, is_interface });
            let around = self.frame().place.scope;
            let scope = if self.syntax.has_scopes_of_types { scope } else { around };
            self.frame().place = DefinitionPlace { owner: Owner::Type(known), scope };
        } else {
            self.frame().place.owner = Owner::None;
        }
        let frame = self.frame();
        frame.function = None;
        frame.has_own = true;
    }

    /// Opens the scope of a type without a name. Its members are not recorded as members of the type around
    /// it.
    pub(super) fn open_nameless_type(&mut self, node: Node) {
        self.open_block(node);
        let frame = self.frame();
        frame.place.owner = Owner::None;
        frame.has_own = false;
    }

    /// Opens a scope whose definitions belong to a type that is named, not defined, here, as in `impl` of
    /// Rust.
    pub(super) fn open_named(&mut self, node: Node, path: &str) {
        self.open_block(node);
        let path = self.word(path);
        let frame = self.frame();
        frame.place.owner = Owner::Named(path);
        frame.has_own = true;
    }

    /// Records a function, whose name is at the node `at`, and opens its scope. A function inside another is
    /// not recorded, but counted as a part of it.
    pub(super) fn open_function(&mut self, node: Node, name: &str, at: Node) {
        let around = self.frame();
        let (place, is_test) = (around.place, around.is_test);
        if around.function.is_some() || name.is_empty() || self.found.functions.len() >= ENTRIES {
            return self.open_block(node);
        }
        let known = index(self.found.functions.len());
        let name = self.word(name);
        let has_body = node.child_by_field_name("body").is_some();
        let definition = FunctionDefinition { name, place, line: line(at), returns: None, is_test, has_body };
        self.found.functions.push(definition);
        self.open_block(node);
        self.frame().function = Some(known);
    }

    /// Records a function that is declared without a body.
    pub(super) fn declare_function(&mut self, name: &str, at: Node, returns: Option<Node>) {
        let (place, is_test) = (self.frame().place, self.frame().is_test);
        if self.found.functions.len() < ENTRIES {
            let returns = returns.and_then(|it| self.written_type(it));
            let name = self.word(name);
            let line = line(at);
            self.found.functions.push(FunctionDefinition {
                name,
                place,
                line,
                returns,
                is_test,
                has_body: false,
            });
        }
    }

    /// Sets the result type of the function that `node` opened, if a type is written. Does nothing for a
    /// function inside another.
    pub(super) fn set_returns(&mut self, node: Node, written: Option<Node>) {
        let (Some(written), frame) = (written, self.frame()) else { return };
        let (is_it, function) = (frame.node == node.id(), frame.function);
        // A function inside another has the number of the outer one.
        let outer = self.frames.len().checked_sub(2).and_then(|at| self.frames[at].function);
        if let Some(function) = function.filter(|_| is_it && outer.is_none()) {
            self.found.functions[function as usize].returns = self.written_type(written);
        }
    }

    /// Opens the scope of a function in an object literal, where `this` is not the type around.
    pub(super) fn open_foreign_function(&mut self, node: Node) {
        self.open_block(node);
        self.frame().has_own = false;
    }

    pub(super) fn has_own(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.has_own)
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.function.is_some())
    }

    pub(super) fn is_in_type(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.place.owner != Owner::None && frame.function.is_none())
    }

    /// Marks the innermost scope as test code.
    pub(super) fn mark_test(&mut self) {
        self.frame().is_test = true;
    }

    /// Adds a type parameter of the innermost scope, so that its name is not taken for a type.
    pub(super) fn generic(&mut self, name: &'s str) {
        self.frame().generics.push(name);
    }

    /// Binds a local name in the innermost scope. `link` describes its value, from which its type is found
    /// later; `None` is an unknown value, which hides the outer name.
    pub(super) fn bind(&mut self, name: &'s str, link: Option<Index>) {
        if !name.is_empty() {
            self.frame().names.insert(name, link);
        }
    }

    /// Binds a local name by an assignment, in languages without declarations. `link` describes its value. A
    /// name that gets two different values in one function becomes unknown.
    pub(super) fn assign(&mut self, name: &'s str, link: Option<Index>) {
        let function = self.frame().function;
        let inside = self.frames.iter_mut().rev().take_while(|frame| frame.function == function);
        match inside.into_iter().find_map(|frame| frame.names.get_mut(name)) {
            Some(known) if *known == link => {}
            Some(known) => *known = None,
            None => self.bind(name, link),
        }
    }

    /// Handles an assignment to a declared local name: if the value that `link` describes differs, the name
    /// becomes unknown.
    pub(super) fn reassign(&mut self, name: &str, link: Option<Index>) {
        let known = self.frames.iter_mut().rev().find_map(|frame| frame.names.get_mut(name));
        if let Some(known) = known.filter(|known| **known != link) {
            *known = None;
        }
    }

    /// Makes `this` unknown in the innermost scope, as inside a plain function.
    pub(super) fn lose_own(&mut self) {
        self.frame().has_own = false;
    }

    /// Binds all names in a pattern as local names of unknown type. `kinds` are the kinds of nodes that are
    /// names.
    pub(super) fn bind_all(&mut self, pattern: Node, kinds: &[&str]) {
        let mut names = Vec::new();
        crate::names::visit(pattern, |node| {
            if kinds.contains(&node.kind()) {
                names.push(node.byte_range());
            }
            true
        });
        for range in names {
            let name = self.source.get(range).unwrap_or_default();
            self.bind(name, None);
        }
    }

    pub(super) fn own(&mut self) -> Index {
        self.link(TypeStep::Own)
    }

    /// Records a declared field of the innermost type. `link` describes its value; `at_line` is its line.
    pub(super) fn add_field(&mut self, name: &str, link: Option<Index>, at_line: u32) {
        self.push_field(name, link, at_line, FieldOrigin::Declared);
    }

    /// Records a declared field of the innermost type that its values do not store: a static or computed one.
    pub(super) fn add_field_not_stored(&mut self, name: &str, link: Option<Index>, at_line: u32) {
        self.push_field(name, link, at_line, FieldOrigin::NotStored);
    }

    /// Records a field of the innermost type that a method assigns: `self.x = X()`.
    pub(super) fn assign_field(&mut self, name: &str, link: Option<Index>, at_line: u32) {
        self.push_field(name, link, at_line, FieldOrigin::Assigned);
    }

    fn push_field(&mut self, name: &str, link: Option<Index>, at_line: u32, origin: FieldOrigin) {
        let (place, is_test) = (self.frame().place, self.frame().is_test);
        if place.owner != Owner::None && self.found.fields.len() < ENTRIES {
            let name = self.word(name);
            self.found.fields.push(FieldDefinition { name, place, link, line: at_line, origin, is_test });
        }
    }

    /// Records a base type of the innermost type. `written` is the index of the base as a written type.
    pub(super) fn add_base(&mut self, written: Option<Index>, at: Node, form: BaseForm) {
        let (place, is_test) = (self.frame().place, self.frame().is_test);
        if let Some(written) = written.filter(|_| place.owner != Owner::None)
            && self.found.bases.len() < ENTRIES
        {
            self.found.bases.push(BaseClause { place, written, line: line(at), form, is_test });
        }
    }
}

pub(super) fn line(node: Node) -> u32 {
    index(node.start_position().row + 1)
}

pub(super) fn index(at: usize) -> Index {
    Index::try_from(at).unwrap_or(Index::MAX)
}
