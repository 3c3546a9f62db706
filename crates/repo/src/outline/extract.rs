//! One walk over a syntax tree, the same for every language: nodes that the tables call definitions become symbols.
//!
//! It uses a cursor, not tree-sitter's queries, because a query finds nodes, but the context of each (comments, decorators, `private:`, the
//! enclosing symbol) would be looked up from the root every time, in quadratic time on a hostile file.

use tree_sitter::{Node, Tree};

use super::docs::{DocStyle, dedent, first_paragraph, hides};
use super::exports;
use super::names::{DeclaratorForm, Name, names, span};
use super::pending::{Pending, VariableScope, WalkContext};
use super::signature;
use super::spec::{Action, Body, Grammar, Names, Rule, rule};
use super::symbol::{Import, OutlineGaps, Spans, SymbolInfo, SymbolKind, Visibility};
use super::targets::text;
use super::visibility::DefinitionFacts;
use crate::limit::{OUTLINE_IMPORTS, OUTLINE_NESTING, OUTLINE_SYMBOLS, SIGNATURE_CHARS};

/// The definitions and imports that were found in one file.
#[derive(Default)]
pub(super) struct Extracted {
    pub(super) symbols: Vec<SymbolInfo>,
    pub(super) imports: Vec<Import>,
    pub(super) gaps: OutlineGaps,
}

/// Collects the definitions and imports in a syntax tree, which `grammar` made of `source`.
pub(super) fn extract(grammar: &'static Grammar, tree: &Tree, source: &str) -> Extracted {
    let mut walk = TreeWalk {
        grammar,
        source,
        frames: vec![WalkContext::default()],
        flat: Vec::new(),
        out: Extracted::default(),
    };
    let mut cursor = tree.walk();
    let mut more = cursor.goto_first_child();
    while more {
        match walk.visit(cursor.node()) {
            Some(frame) if cursor.goto_first_child() => walk.frames.push(frame),
            _ => {
                more = loop {
                    if cursor.goto_next_sibling() {
                        break true;
                    }
                    walk.frames.pop();
                    if walk.frames.is_empty() || !cursor.goto_parent() {
                        break false;
                    }
                }
            }
        }
    }
    walk.finish()
}

/// The walk over the syntax tree of one file that collects its symbols and imports.
struct TreeWalk<'s> {
    grammar: &'static Grammar,
    source: &'s str,
    frames: Vec<WalkContext>,
    flat: Vec<FlatSymbol>,
    out: Extracted,
}

/// A symbol before the tree of symbols is built, with the index of its parent and its nesting depth.
struct FlatSymbol {
    symbol: SymbolInfo,
    parent: Option<usize>,
    depth: usize,
}

impl TreeWalk<'_> {
    /// Handles one node of the walk. Returns the frame, the context in which its children are visited; `None`
    /// to skip them.
    fn visit(&mut self, node: Node) -> Option<WalkContext> {
        self.out.gaps.syntax_errors += usize::from(node.is_error() || node.is_missing());
        let action = self.grammar.action(node);
        let frame = self.frame();
        match action {
            Action::Comment => frame.comment(node),
            Action::Decorate => frame.decorate(node),
            Action::Wrap => return Some(self.wrap(node)),
            Action::Close => frame.pass(node),
            Action::Access => {
                self.access(node);
                return Some(self.enter(node));
            }
            Action::Import => {
                self.import(node);
                return Some(self.enter(node));
            }
            Action::Define(rule) => return Some(self.define(rule, node)),
            Action::Enter => return Some(self.enter(node)),
        }
        None
    }

    fn frame(&mut self) -> &mut WalkContext {
        self.frames.last_mut().expect("the walk ends with the last frame")
    }

    /// Returns the frame for the children of a node that defines nothing itself. Variables inside an
    /// anonymous function and inside an initializer block of a class are local.
    fn enter(&mut self, node: Node) -> WalkContext {
        let callable = self.grammar.spec.callables.contains(&node.kind());
        let access = self.modifier_call(node);
        let frame = self.frame();
        // In Ruby the comment of the first definition stands before the body that has it.
        let mut inside = if node.kind() == "body_statement" {
            frame.inside_body(node)
        } else {
            frame.pass(node);
            frame.inside()
        };
        if callable || is_initializer(node) {
            inside.scope = VariableScope::Local;
        }
        inside.access = access.or(inside.access);
        inside
    }

    /// Returns the frame for the children of a wrapper such as `export …`. Records `export { a } from './b'`
    /// as an import, and a nameless default export as a symbol.
    fn wrap(&mut self, node: Node) -> WalkContext {
        if node.child_by_field_name("source").is_some() {
            self.import(node);
        }
        if node.kind() == "export_statement"
            && let Some((word, value)) = exports::nameless_default(node, self.source)
        {
            return self.default(node, word, value);
        }
        self.frame().inside_wrapper(node)
    }

    /// Adds a default export without a name as a symbol called `default`, and returns the frame for its
    /// children.
    fn default(&mut self, statement: Node, word: Node, value: Node) -> WalkContext {
        static RULE: Rule = rule("export_statement", SymbolKind::Variable, Names::Field("value"));
        let pending = self.frame().take(statement);
        self.frame().past(statement);
        let mut inside = self.frames.last().expect("the walk ends with the last frame").inside();
        let kind = match value.kind() {
            kind if self.grammar.spec.callables.contains(&kind) => SymbolKind::Function,
            kind if self.grammar.spec.classes.contains(&kind) => SymbolKind::Class,
            _ => SymbolKind::Variable,
        };
        let name = Name { text: "default".into(), node: word, shape: DeclaratorForm::Plain };
        let index = self.push(&RULE, statement, &name, kind, &pending, &inside);
        inside.symbol = index.or(inside.symbol);
        inside.scope = if kind.is_callable() { VariableScope::Local } else { VariableScope::Open };
        inside
    }

    /// Returns the visibility that a call such as Ruby's `private def m` gives to its argument; `None` for
    /// other nodes.
    fn modifier_call(&self, node: Node) -> Option<Visibility> {
        let method = (node.kind() == "call").then(|| node.child_by_field_name("method"))??;
        match text(method, self.source) {
            // A word that projects define for themselves.
            "internal" => Some(Visibility::Internal),
            word => visibility_word(word),
        }
    }

    fn access(&mut self, node: Node) {
        if let Some(visibility) = visibility_word(text(node, self.source)) {
            self.frame().access = Some(visibility);
        }
    }

    fn import(&mut self, node: Node) {
        let targets = (self.grammar.spec.targets)(node, self.source);
        if targets.is_empty() {
            return;
        }
        if self.out.imports.len() >= OUTLINE_IMPORTS {
            self.out.gaps.symbols += 1;
            return;
        }
        let text = signature::signature(text(node, self.source), SymbolKind::Module);
        self.out.imports.push(Import { line: node.start_position().row + 1, text, targets });
    }

    /// Adds the symbols that a definition's node defines, and returns the frame for its children.
    fn define(&mut self, rule: &'static Rule, node: Node) -> WalkContext {
        let names = names(rule, self.grammar.spec, node, self.source);
        let lacks_body = rule.body == Body::Required && node.child_by_field_name("body").is_none();
        if names.is_empty() || lacks_body {
            return self.enter(node);
        }
        let pending = self.frame().take(node);
        self.frame().past(node);
        let outer = self.frames.last().expect("the walk ends with the last frame").inside();
        let mut inside = outer.clone();
        inside.access = None;
        for name in &names {
            let Some(kind) = self.kind(rule, name, &outer) else { continue };
            let index = self.push(rule, node, name, kind, &pending, &outer);
            let holds = !kind.is_value() || name.shape != DeclaratorForm::Plain || rule.names_own_children();
            if let Some(index) = index.filter(|_| holds && inside.symbol == outer.symbol) {
                inside.symbol = Some(index);
                inside.scope = if kind.is_callable() { VariableScope::Local } else { VariableScope::Open };
            }
        }
        inside
    }

    /// Returns the kind of the symbol at this place: a function in a type is a method. `None` for local
    /// variables and other names that are not outlined.
    fn kind(&self, rule: &Rule, name: &Name, outer: &WalkContext) -> Option<SymbolKind> {
        let in_type = self.parent(outer).is_some_and(|(kind, _)| kind.is_type());
        let base = match name.shape {
            DeclaratorForm::Plain => rule.kind,
            DeclaratorForm::Declared | DeclaratorForm::Callable
                if matches!(rule.kind, SymbolKind::Type | SymbolKind::Method) =>
            {
                rule.kind
            }
            DeclaratorForm::Declared | DeclaratorForm::Callable if rule.kind == SymbolKind::Field => {
                SymbolKind::Method
            }
            DeclaratorForm::Declared | DeclaratorForm::Callable => SymbolKind::Function,
            DeclaratorForm::Class => SymbolKind::Class,
            DeclaratorForm::Struct => SymbolKind::Struct,
            DeclaratorForm::Interface => SymbolKind::Interface,
        };
        let is_pair = rule.node == "pair";
        let qualified = name.node.kind() == "qualified_identifier";
        match base {
            SymbolKind::Function if in_type || qualified => Some(SymbolKind::Method),
            _ if outer.scope == VariableScope::Local
                && (base.is_value() || name.shape == DeclaratorForm::Declared || is_pair) =>
            {
                None
            }
            SymbolKind::Field if is_pair => {
                let pair = name.node.parent().filter(|pair| exports::is_pair(*pair, self.source));
                pair.map(|_| SymbolKind::Variable)
            }
            SymbolKind::Variable if in_type => Some(SymbolKind::Field),
            _ => Some(base),
        }
    }

    fn parent(&self, outer: &WalkContext) -> Option<(SymbolKind, Visibility)> {
        outer.symbol.map(|index| (self.flat[index].symbol.kind, self.flat[index].symbol.visibility))
    }

    /// Adds a symbol, and returns its index. `None`, with a count in `gaps`, if there are too many symbols or
    /// they are nested too deeply.
    fn push(
        &mut self,
        rule: &Rule,
        node: Node,
        name: &Name,
        kind: SymbolKind,
        before: &Pending,
        outer: &WalkContext,
    ) -> Option<usize> {
        let depth = outer.symbol.map_or(0, |index| self.flat[index].depth + 1);
        if depth >= OUTLINE_NESTING || self.flat.len() >= OUTLINE_SYMBOLS {
            self.out.gaps.symbols += 1;
            return None;
        }
        let whole = if matches!(rule.names, Names::Each(_)) { name.node } else { node };
        let symbol = self.symbol(whole, name, kind, before, outer);
        self.flat.push(FlatSymbol { symbol, parent: outer.symbol, depth });
        Some(self.flat.len() - 1)
    }

    fn symbol(
        &self,
        node: Node,
        name: &Name,
        kind: SymbolKind,
        before: &Pending,
        outer: &WalkContext,
    ) -> SymbolInfo {
        let head = DefinitionStart::of(self.grammar, node, &before.decorators);
        let prefix = prefix(self.source, before.prefix.clone());
        let part = |end: usize| format!("{prefix}{}", self.source.get(head.start..end).unwrap_or_default());
        let end = signature::end(self.grammar.spec, node).max(name.node.end_byte());
        let shown = signature::without_comments(node, self.source, head.start..end);
        let (docs, docstring) = self.docs(node, before);
        let seen = DefinitionFacts {
            name: &name.text,
            head: &part(name.node.start_byte()),
            access: outer.access,
            parent: self.parent(outer),
        };
        let visibility = match (self.grammar.spec.visibility)(&seen) {
            Visibility::Public if docstring.as_deref().is_some_and(hides) => Visibility::Internal,
            visibility => visibility,
        };
        SymbolInfo {
            kind,
            line: head.row + 1,
            line_end: last_line(node),
            name_line: name.node.start_position().row + 1,
            signature: signature::signature(&format!("{prefix}{shown}"), kind),
            visibility,
            decorators: head.decorators.iter().map(|at| one_line(self.source, at)).collect(),
            docstring: docstring.as_deref().map(first_paragraph).filter(|text| !text.is_empty()),
            children: Vec::new(),
            name: name.text.clone(),
            at: Spans { name: span(name.node.byte_range()), whole: span(head.start..node.end_byte()), docs },
        }
    }

    fn docs(&self, node: Node, before: &Pending) -> ((u32, u32), Option<String>) {
        if self.grammar.spec.docs == DocStyle::Docstring {
            let content = node.child_by_field_name("body").and_then(docstring_node);
            let Some(content) = content else { return ((0, 0), None) };
            return (span(content.byte_range()), Some(dedent(text(content, self.source))));
        }
        // A comment above a variable of a shell script is about the lines below it.
        let is_shell_variable = node.kind() == "variable_assignment";
        let Some(run) = before.comments.filter(|_| !is_shell_variable) else { return ((0, 0), None) };
        let said = self.source.get(run.start..run.end).and_then(|run| self.grammar.spec.docs.text(run));
        (span(run.start..run.end), said)
    }

    /// Moves every symbol into its parent, last first, and sorts them by position.
    fn finish(mut self) -> Extracted {
        while let Some(mut last) = self.flat.pop() {
            last.symbol.children.sort_by_key(|child| child.at.name);
            match last.parent {
                Some(parent) => self.flat[parent].symbol.children.push(last.symbol),
                None => self.out.symbols.push(last.symbol),
            }
        }
        self.out.symbols.sort_by_key(|symbol| symbol.at.name);
        self.out
    }
}

/// Returns the text of a wrapper before each of its definitions, such as `export const `; empty if the
/// wrapper is a list with one definition per line.
fn prefix(source: &str, at: std::ops::Range<usize>) -> String {
    let text = source.get(at).unwrap_or_default().trim();
    let is_template = text.starts_with("template");
    if text.is_empty() || text.ends_with('(') || text.contains('\n') && !is_template {
        return String::new();
    }
    format!("{text} ")
}

impl Rule {
    /// Returns true if definitions inside the value belong to the symbol: the functions of an object do, but
    /// not the struct in `struct S {…} x;`.
    fn names_own_children(&self) -> bool {
        !matches!(self.names, Names::Declarators | Names::Each(_))
    }
}

/// The beginning of a definition after its decorators: byte offset, row from 0, and the ranges of the
/// decorators.
struct DefinitionStart {
    start: usize,
    row: usize,
    decorators: Vec<std::ops::Range<usize>>,
}

impl DefinitionStart {
    fn of(grammar: &Grammar, node: Node, before: &[std::ops::Range<usize>]) -> Self {
        let mut decorators = before.to_vec();
        let mut begin = None;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match grammar.action(child) {
                Action::Decorate => decorators.push(child.byte_range()),
                Action::Comment => {}
                _ if child.kind() == "modifiers" => begin = modifiers(grammar, child, &mut decorators),
                _ => begin = Some(child),
            }
            if begin.is_some() {
                break;
            }
        }
        let begin = begin.unwrap_or(node);
        Self { start: begin.start_byte(), row: begin.start_position().row, decorators }
    }
}

/// Returns the first modifier in a list that is not an annotation; adds the annotations to `decorators`.
fn modifiers<'t>(
    grammar: &Grammar,
    node: Node<'t>,
    decorators: &mut Vec<std::ops::Range<usize>>,
) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut first = None;
    for child in node.children(&mut cursor) {
        match grammar.action(child) {
            Action::Decorate => decorators.push(child.byte_range()),
            _ => first = first.or(Some(child)),
        }
    }
    first
}

fn last_line(node: Node) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row } else { end.row + 1 }
}

fn one_line(source: &str, at: &std::ops::Range<usize>) -> String {
    let words: Vec<&str> = source.get(at.clone()).unwrap_or_default().split_whitespace().collect();
    words.join(" ").chars().take(SIGNATURE_CHARS).collect()
}

/// Returns the content of the string literal that is the first statement of a body; `None` if it begins with
/// anything else.
pub(super) fn docstring_node(body: Node) -> Option<Node> {
    let first = body.named_child(0)?;
    let string = if first.kind() == "expression_statement" { first.named_child(0)? } else { first };
    let is_string = string.kind() == "string";
    let mut cursor = string.walk();
    string.named_children(&mut cursor).find(|part| is_string && part.kind() == "string_content")
}

/// Returns true for the block of an initializer of a class (`static { … }`), and for the body of a lambda of Java.
fn is_initializer(node: Node) -> bool {
    let is_of = |kinds: &[&str]| node.parent().is_some_and(|parent| kinds.contains(&parent.kind()));
    match node.kind() {
        "static_initializer" | "class_static_block" => true,
        "block" => is_of(&["class_body", "enum_body_declarations", "lambda_expression"]),
        _ => false,
    }
}

fn visibility_word(word: &str) -> Option<Visibility> {
    Some(match word.trim_end_matches(':').trim() {
        "public" => Visibility::Public,
        "protected" => Visibility::Protected,
        "private" => Visibility::Private,
        _ => return None,
    })
}
