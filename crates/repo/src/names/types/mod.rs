//! Types, functions and calls of a file with the types that are written beside them: a part of the file that depends on its bytes alone.
//! `edges::types` joins the parts of all files.
//!
//! Reading order: this file (the data), `walk` (the one walk over a tree, with its scopes), `expressions` (the links of values, and
//! calls), `written` (written types), then one file a language.

mod c;
mod csharp;
mod expressions;
mod go;
mod java;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod walk;
mod written;

use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use crate::outline::Language;

/// Index of a word, a link, a written type, a type or a function in the tables of its file.
pub(crate) type Index = u32;

/// The types, functions and calls of one file. Words, links and written types are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileTypes {
    words: WordTable,
    pub(crate) types: Vec<TypeDefinition>,
    pub(crate) functions: Vec<FunctionDefinition>,
    pub(crate) fields: Vec<FieldDefinition>,
    pub(crate) bases: Vec<BaseClause>,
    pub(crate) written: Vec<Box<[Leaf]>>,
    pub(crate) links: Vec<Link>,
    pub(crate) calls: Vec<CallOnLink>,
    /// Calls on values of unknown types.
    pub(crate) open_calls: Vec<OpenCallName>,
}

/// Words, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct WordTable {
    text: String,
    ends: Vec<Index>,
}

/// A type. Its name holds those of the types, and of the namespaces or inline modules, around it, joined by dots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TypeDefinition {
    pub(crate) name: Index,
    pub(crate) line: u32,
    pub(crate) is_test: bool,
    /// True for an interface, a trait or a protocol.
    pub(crate) is_interface: bool,
}

/// The place of a definition or of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DefinitionPlace {
    pub(crate) owner: Owner,
    /// The names around it, joined by dots: those in which written names are looked up first.
    pub(crate) scope: Index,
}

/// The type that a definition belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Owner {
    None,
    /// A type of the same file.
    Type(Index),
    /// A type by its written name: that of an `impl`, of a receiver in Go, of `A::f` in C++.
    Named(Index),
}

/// A function or a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FunctionDefinition {
    pub(crate) name: Index,
    pub(crate) place: DefinitionPlace,
    pub(crate) line: u32,
    /// The written type of its result.
    pub(crate) returns: Option<Index>,
    pub(crate) is_test: bool,
    /// False for a declaration without a body.
    pub(crate) has_body: bool,
}

/// A field with its type, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldDefinition {
    pub(crate) name: Index,
    pub(crate) place: DefinitionPlace,
    /// None if nothing is written.
    pub(crate) link: Option<Index>,
    pub(crate) line: u32,
    pub(crate) origin: FieldOrigin,
    pub(crate) is_test: bool,
}

/// How a type comes to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FieldOrigin {
    /// It declares it.
    Declared,
    /// It declares it, but its values do not hold it: static fields, computed properties.
    NotStored,
    /// A method assigns it.
    Assigned,
}

/// `extends A`, `impl A for B`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BaseClause {
    pub(crate) place: DefinitionPlace,
    pub(crate) written: Index,
    pub(crate) line: u32,
    pub(crate) form: BaseForm,
    pub(crate) is_test: bool,
}

/// The meaning of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BaseForm {
    Extends,
    Implements,
    /// Its methods are those of the type, but it is no base: embedded fields of Go, traits of PHP.
    Embeds,
}

/// A type in a written type: `Order` in `Option<Vec<Order>>`. An empty path is a type without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Leaf {
    pub(crate) path: Index,
    pub(crate) nesting: Nesting,
}

/// The way from a value of a written type to a value of one of its leaves; the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Nesting {
    /// It is one.
    Direct,
    /// It has the methods of one and some of its own: `Arc<T>`.
    Pointer,
    /// It is one after `?`, `unwrap` or `await`.
    Maybe,
    /// It holds one: `Mutex<T>`.
    Inside,
    /// It holds several.
    Many,
}

/// A step towards the type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Link {
    /// `self`, `this`, and in static calls the own type.
    Own,
    /// `super`, `base`, `parent`.
    Super,
    /// A value of a written type.
    Type(Index),
    /// A dotted name that is no local variable.
    Path(Index),
    /// The result of a call of such a name.
    CallPath(Index),
    /// A field of a link.
    Field(Index, Index),
    /// The result of a method of a link.
    Call(Index, Index),
    /// What `?`, `unwrap` and `await` leave of a link.
    Unwrap(Index),
}

/// A call; the link is [`Link::Call`] or [`Link::CallPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallOnLink {
    /// The outermost function around it.
    pub(crate) function: Option<Index>,
    pub(crate) place: DefinitionPlace,
    pub(crate) link: Index,
    pub(crate) line: u32,
    pub(crate) is_test: bool,
}

/// A call of which only the name is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenCallName {
    /// The outermost function around it.
    pub(crate) function: Index,
    pub(crate) name: Index,
    pub(crate) line: u32,
}

/// Returns the types of a parsed file; none if its language has no rules here.
pub(crate) fn file_types(language: Language, tree: &Tree, source: &str) -> FileTypes {
    let syntax = match language {
        Language::Rust => &rust::SYNTAX,
        Language::Java => &java::SYNTAX,
        Language::CSharp => &csharp::SYNTAX,
        Language::Php => &php::SYNTAX,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &script::SYNTAX,
        Language::Python => &python::SYNTAX,
        Language::Go => &go::SYNTAX,
        Language::C | Language::Cpp => &c::SYNTAX,
        Language::Ruby => &ruby::SYNTAX,
        Language::Bash => return FileTypes::default(),
    };
    walk::walk(syntax, tree, source)
}

impl FileTypes {
    pub(crate) fn word(&self, index: Index) -> &str {
        let end = |at: usize| self.words.ends.get(at).map(|end| *end as usize);
        let start = (index as usize).checked_sub(1).and_then(end).unwrap_or(0);
        end(index as usize).and_then(|end| self.words.text.get(start..end)).unwrap_or_default()
    }

    /// Gives back the memory that the tables do not need any more.
    fn shrink(&mut self) {
        self.words.text.shrink_to_fit();
        self.words.ends.shrink_to_fit();
        self.types.shrink_to_fit();
        self.functions.shrink_to_fit();
        self.fields.shrink_to_fit();
        self.bases.shrink_to_fit();
        self.written.shrink_to_fit();
        self.links.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.open_calls.shrink_to_fit();
    }
}
