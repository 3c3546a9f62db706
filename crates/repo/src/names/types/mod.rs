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

/// Index of a word, a link, a written type, a type or a function in the respective table of its file's
/// [`FileTypes`].
pub(crate) type Index = u32;

/// The types, functions, fields and calls of one file, as tables. They refer to each other and to words by
/// index; equal words, links and written types are stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileTypes {
    words: WordTable,
    pub(crate) types: Vec<TypeDefinition>,
    pub(crate) functions: Vec<FunctionDefinition>,
    pub(crate) fields: Vec<FieldDefinition>,
    pub(crate) bases: Vec<BaseClause>,
    pub(crate) written: Vec<Box<[InnerType]>>,
    pub(crate) links: Vec<TypeStep>,
    pub(crate) calls: Vec<CallOnLink>,
    /// Calls on values of unknown types.
    pub(crate) open_calls: Vec<OpenCallName>,
}

/// A table of names: their texts joined in one string, and the end of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct WordTable {
    text: String,
    ends: Vec<Index>,
}

/// A type that a file defines. Its name includes those of the types, namespaces and inline modules around it,
/// joined by dots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TypeDefinition {
    pub(crate) name: Index,
    pub(crate) line: u32,
    pub(crate) is_test: bool,
    /// True for an interface, a trait or a protocol.
    pub(crate) is_interface: bool,
}

/// The place of a definition, a clause or a call: the type that it belongs to and the names around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DefinitionPlace {
    pub(crate) owner: Owner,
    /// The names of the scopes around it, joined by dots, in which its names are looked up first.
    pub(crate) scope: Index,
}

/// The type that a definition belongs to; `None` outside of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Owner {
    None,
    /// A type of the same file.
    Type(Index),
    /// A type that is only named here: the type of an `impl`, the receiver in Go, `A` of `A::f` in C++.
    Named(Index),
}

/// A function or method that a file defines or declares.
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

/// A field of a type, with the link of its value as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldDefinition {
    pub(crate) name: Index,
    pub(crate) place: DefinitionPlace,
    /// The link of its value; `None` if no type or known value is written.
    pub(crate) link: Option<Index>,
    pub(crate) line: u32,
    pub(crate) origin: FieldOrigin,
    pub(crate) is_test: bool,
}

/// The way in which a type gets a field: by a declaration or by an assignment in a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FieldOrigin {
    /// The type declares it.
    Declared,
    /// The type declares it, but its values do not store it: static fields, computed properties.
    NotStored,
    /// Only a method assigns it: `self.x = …`.
    Assigned,
}

/// A clause that names a base type or trait of a type: `extends A`, `impl A for B`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BaseClause {
    pub(crate) place: DefinitionPlace,
    pub(crate) written: Index,
    pub(crate) line: u32,
    pub(crate) form: BaseForm,
    pub(crate) is_test: bool,
}

/// The relation of a type to the base in a [`BaseClause`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BaseForm {
    Extends,
    Implements,
    /// It takes over the methods without being a subtype: embedded fields of Go, traits of PHP.
    Embeds,
}

/// A named type inside a written type: `Order` in `Option<Vec<Order>>`, with the way to it. An empty path is
/// a type without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct InnerType {
    pub(crate) path: Index,
    pub(crate) nesting: InnerTypeRelation,
}

/// The relation of a value of a written type to a value of one of its leaves, from the closest to the
/// loosest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum InnerTypeRelation {
    /// It is a value of the leaf: `T`, `&T`.
    Direct,
    /// It has all methods of the leaf, and some of its own: `Arc<T>`.
    Pointer,
    /// It gives one value by `?`, `unwrap` or `await`: `Option<T>`.
    Maybe,
    /// It holds one value that other methods give: `Mutex<T>`.
    Inside,
    /// It holds several values: `Vec<T>`.
    Many,
}

/// A step in finding the type of an expression. `a.b()` is a [`TypeStep::Call`] on the link of `a`; links refer
/// to each other by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum TypeStep {
    /// The own value (`self`, `this`); in static calls the own type.
    Own,
    /// The own value as one of its base type: `super`, `base`, `parent`.
    Super,
    /// A value of a written type.
    Type(Index),
    /// A dotted name that is no local variable, by its word.
    Path(Index),
    /// The result of calling a dotted name, by its word.
    CallPath(Index),
    /// A field of the value of a link: link and name.
    Field(Index, Index),
    /// The result of a method of the value of a link: link and name.
    Call(Index, Index),
    /// The value that `?`, `unwrap` or `await` takes out of the value of a link.
    Unwrap(Index),
}

/// A call whose function is known as a link, which is a [`TypeStep::Call`] or [`TypeStep::CallPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallOnLink {
    /// The outermost function around it.
    pub(crate) function: Option<Index>,
    pub(crate) place: DefinitionPlace,
    pub(crate) link: Index,
    pub(crate) line: u32,
    pub(crate) is_test: bool,
}

/// A call of which only the function's name is known; the name is empty for the call of a local value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenCallName {
    /// The outermost function around it.
    pub(crate) function: Index,
    pub(crate) name: Index,
    pub(crate) line: u32,
}

/// Collects the types, functions, fields and calls of a parsed file; empty for Bash.
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

    /// Frees the spare memory of the tables.
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
