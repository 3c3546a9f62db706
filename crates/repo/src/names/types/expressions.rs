//! The meanings of expressions: the links of values, and the calls that a file makes.

use tree_sitter::Node;

use super::walk::{ENTRIES, NAME, TypeWalk, line};
use super::{CallOnLink, Index, OpenCallName, Owner, TypeStep};

/// Kinds of syntax nodes that are calls, in all languages.
const CALLS: &[&str] = &[
    "call_expression",
    "call",
    "method_invocation",
    "invocation_expression",
    "member_call_expression",
    "nullsafe_member_call_expression",
    "scoped_call_expression",
    "function_call_expression",
];
/// Maximum number of members and calls of a chain that are followed.
const CHAIN: usize = 12;

/// The meaning of an expression's syntax node, as a language's grammar gives it, before names are looked up.
pub(super) enum ExpressionForm<'t, 's> {
    Name(&'s str),
    Own,
    /// A field of `self` that is written by its name alone: `@x` in Ruby.
    OwnField(&'s str),
    Super,
    Member(Node<'t>, Node<'t>),
    /// A name by parts that is certainly no local variable.
    Path(Vec<&'s str>),
    /// A call: the expression before the dot, if any, and the name of the function or method.
    Invoke(Option<Node<'t>>, Node<'t>),
    /// A call of a path, such as `shop::open()`, by parts.
    InvokePath(Vec<&'s str>),
    /// A value of the type that is written at this node, as by a constructor or a cast.
    New(Node<'t>),
    /// The value of the inner expression, as in brackets or references.
    Same(Node<'t>),
    Unwrap(Node<'t>),
    Opaque,
}

/// The value of an expression: a link, from which its type is found later, or a name that other files may
/// define.
enum ExpressionValue<'s> {
    Link(Index),
    /// A name that is no local variable.
    Free(Vec<&'s str>),
}

/// The meaning of a name in the scopes around a place.
enum NameBinding {
    To(Index),
    /// A local name whose type is not known.
    Unknown,
    /// Not a local name.
    Free,
}

impl<'s> TypeWalk<'s> {
    /// Returns true if an expression is `self` or `this`.
    pub(super) fn is_own(&mut self, node: Node) -> bool {
        let Some(ExpressionValue::Link(link)) = self.value(node, CHAIN) else { return false };
        self.found.links[link as usize] == TypeStep::Own
    }

    /// Returns the link of an expression's value, from which its type is found later; `None` if it cannot be
    /// known.
    pub(super) fn value_link(&mut self, node: Node) -> Option<Index> {
        match self.value(node, CHAIN)? {
            ExpressionValue::Link(link) => Some(link),
            ExpressionValue::Free(path) => self.path(&path, TypeStep::Path),
        }
    }

    fn path(&mut self, path: &[&str], make: fn(Index) -> TypeStep) -> Option<Index> {
        let joined = path.join(".");
        let word =
            (joined.len() < NAME && self.found.words.ends.len() < ENTRIES).then(|| self.word(&joined))?;
        Some(self.link(make(word)))
    }

    /// Returns the value of an expression as a link or as a free name; `None` if it cannot be known. Follows
    /// at most `depth` members and calls.
    fn value(&mut self, node: Node, depth: usize) -> Option<ExpressionValue<'s>> {
        let depth = depth.checked_sub(1)?;
        let link = match (self.syntax.shape)(node, self.source) {
            ExpressionForm::Name(name) => match self.lookup(name) {
                NameBinding::To(link) => link,
                NameBinding::Unknown => return None,
                NameBinding::Free => return Some(ExpressionValue::Free(vec![name])),
            },
            ExpressionForm::Own => self.has_own().then(|| self.own())?,
            ExpressionForm::OwnField(name) => {
                let of = self.has_own().then(|| self.own())?;
                let name = self.word(name);
                self.link(TypeStep::Field(of, name))
            }
            ExpressionForm::Super => self.has_own().then(|| self.link(TypeStep::Super))?,
            ExpressionForm::Member(on, name) => {
                let name = self.text(name);
                match self.value(on, depth)? {
                    ExpressionValue::Link(of) => {
                        let name = self.word(name);
                        self.link(TypeStep::Field(of, name))
                    }
                    ExpressionValue::Free(mut path) => {
                        path.push(name);
                        return Some(ExpressionValue::Free(path));
                    }
                }
            }
            ExpressionForm::Path(path) => return Some(ExpressionValue::Free(path)),
            ExpressionForm::Invoke(None, name) => {
                let name = self.text(name);
                let is_free = matches!(self.lookup(name), NameBinding::Free);
                is_free.then(|| self.path(&[name], TypeStep::CallPath))??
            }
            ExpressionForm::Invoke(Some(on), name) => {
                let name = self.text(name);
                match self.value(on, depth)? {
                    ExpressionValue::Link(of) if self.syntax.unwraps.contains(&name) => {
                        self.link(TypeStep::Unwrap(of))
                    }
                    ExpressionValue::Link(of) => {
                        let name = self.word(name);
                        self.link(TypeStep::Call(of, name))
                    }
                    ExpressionValue::Free(mut path) => {
                        path.push(name);
                        self.path(&path, TypeStep::CallPath)?
                    }
                }
            }
            ExpressionForm::InvokePath(path) => match path[..] {
                ["Self" | "self" | "static", name] if self.has_own() => {
                    let (of, name) = (self.own(), self.word(name));
                    self.link(TypeStep::Call(of, name))
                }
                ["parent", name] if self.has_own() => {
                    let (of, name) = (self.link(TypeStep::Super), self.word(name));
                    self.link(TypeStep::Call(of, name))
                }
                _ => self.path(&path, TypeStep::CallPath)?,
            },
            ExpressionForm::New(written) => self.link_type(written)?,
            ExpressionForm::Same(inner) => return self.value(inner, depth),
            ExpressionForm::Unwrap(inner) => match self.value(inner, depth)? {
                ExpressionValue::Link(of) => self.link(TypeStep::Unwrap(of)),
                ExpressionValue::Free(_) => return None,
            },
            ExpressionForm::Opaque => return None,
        };
        Some(ExpressionValue::Link(link))
    }

    /// Returns the meaning of `name` in the innermost scope that binds it.
    fn lookup(&self, name: &str) -> NameBinding {
        match self.frames.iter().rev().find_map(|frame| frame.names.get(name)) {
            Some(Some(link)) => NameBinding::To(*link),
            Some(None) => NameBinding::Unknown,
            None => NameBinding::Free,
        }
    }

    /// Records the call at a node, if it is one: with the link of the called function, or else by the
    /// function's name alone.
    pub(super) fn call(&mut self, node: Node) {
        if !CALLS.contains(&node.kind()) {
            return;
        }
        let at = match (self.syntax.shape)(node, self.source) {
            ExpressionForm::Invoke(_, name) => name,
            ExpressionForm::InvokePath(_) => node,
            _ => return,
        };
        let Some(ExpressionValue::Link(link)) = self.value(node, CHAIN) else {
            let is_value = matches!((self.syntax.shape)(node, self.source), ExpressionForm::Invoke(None, name)
                if !matches!(self.lookup(self.text(name)), NameBinding::Free));
            return self.open_call(at, is_value);
        };
        self.record_call(link, line(at));
    }

    /// Records a name that stands alone, as in Ruby, as a call of the function with this name, unless it is a
    /// local variable.
    pub(super) fn call_name(&mut self, node: Node) {
        let name = self.text(node);
        if matches!(self.lookup(name), NameBinding::Free)
            && let Some(link) = self.path(&[name], TypeStep::CallPath)
        {
            self.record_call(link, line(node));
        }
    }

    /// Records a call in a function by the called name alone; with an empty name if `is_value`, the call of a
    /// local value.
    fn open_call(&mut self, name: Node, is_value: bool) {
        let at = line(name);
        let name = if is_value { "" } else { self.text(name) };
        let Some(function) = self.frame().function.filter(|_| name.len() < NAME) else { return };
        if self.found.open_calls.len() < ENTRIES {
            let name = self.word(name);
            if self.open_calls.insert((function, name)) {
                self.found.open_calls.push(OpenCallName { function, name, line: at });
            }
        }
    }

    fn record_call(&mut self, link: Index, at: Index) {
        let is_call = match self.found.links[link as usize] {
            TypeStep::Call(..) => true,
            TypeStep::CallPath(path) => {
                !(self.syntax.constructs_by_name && is_constructor(self.found.word(path)))
            }
            _ => false,
        };
        let frame = self.frame();
        let (function, place, is_test) = (frame.function, frame.place, frame.is_test);
        let owner = match place.owner {
            Owner::None => Index::MAX,
            Owner::Type(at) | Owner::Named(at) => at,
        };
        if is_call
            && self.found.calls.len() < ENTRIES
            && self.calls.insert((function, (owner, place.scope), link))
        {
            self.found.calls.push(CallOnLink { function, place, link, line: at, is_test });
        }
    }
}

fn is_constructor(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(crate::names::is_capitalised)
}
