//! The names that a file imports and writes, before they are resolved: a part of the file that depends on its bytes alone, and may be
//! cached by them. `edges` joins the parts of all files.

mod c;
mod go;
mod java;
mod namespaced;
mod python;
mod ruby;
mod rust;
mod script;
pub(crate) mod types;

pub use rust::is_test_attribute;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use crate::outline::{Language, text};

/// Most imports and most names of one file.
const NAMES: usize = 20_000;
/// Most names in one path: `a::b::c`.
const PARTS: usize = 32;

/// The names of one file, by kind, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileNames {
    /// The package or namespace that the file declares, by parts. A file of C# or PHP may have several.
    pub(crate) packages: Vec<Vec<String>>,
    pub(crate) imports: Vec<ImportedName>,
    pub(crate) names: Vec<WrittenName>,
    /// Modules whose body is another file: `mod x;`.
    pub(crate) modules: Vec<DeclaredModule>,
    /// Definitions in macros of Rust, which outlines do not have; all constants of Ruby, and types that C only declares, with the names around
    /// them.
    pub(crate) defined: Vec<WrittenName>,
    /// Names that the file hands on without importing them: `export { a as b }`.
    pub(crate) exports: Vec<ImportedName>,
    /// Its types, functions and calls.
    pub(crate) types: types::FileTypes,
}

/// An imported name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportedName {
    /// The module and the name in it by parts; a module's path alone if there is no name.
    pub(crate) path: Vec<String>,
    /// The imported part of the module.
    pub(crate) what: Imported,
    /// The name in this file.
    pub(crate) alias: String,
    /// True if other files find the name here.
    pub(crate) is_public: bool,
    /// Where it is imported.
    pub(crate) at: Position,
}

/// What an import takes from a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Imported {
    /// What the whole path names.
    Path,
    /// All names.
    All,
    /// One name of the module.
    Name(String),
}

/// A name in code, by parts: `store::open` has two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenName {
    pub(crate) path: Vec<String>,
    pub(crate) at: Position,
}

/// A module that is declared without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeclaredModule {
    pub(crate) name: String,
    /// Paths that attributes give, below the folder of the file.
    pub(crate) paths: Vec<String>,
    pub(crate) at: Position,
}

/// The position of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// From 1.
    pub(crate) line: usize,
    /// The modules around it in the same file.
    pub(crate) scope: Vec<String>,
    /// True in code that is compiled for tests only.
    pub(crate) is_test: bool,
}

/// Returns the names of a parsed file; none if its language has no rules here.
pub(crate) fn file_names(language: Language, tree: &Tree, source: &str) -> FileNames {
    let collect: fn(Node, &str, &mut FileNames) = match language {
        Language::Rust => rust::collect,
        Language::Java => java::collect,
        Language::CSharp => namespaced::csharp,
        Language::Php => namespaced::php,
        Language::JavaScript | Language::TypeScript | Language::Tsx => script::collect,
        Language::Python => python::collect,
        Language::Go => go::collect,
        Language::Ruby => ruby::collect,
        Language::C | Language::Cpp => c::collect,
        Language::Bash => |_, _, _| {},
    };
    let mut found = FileNames::default();
    collect(tree.root_node(), source, &mut found);
    found.names.shrink_to_fit();
    found.imports.shrink_to_fit();
    found.defined.shrink_to_fit();
    found.types = types::file_types(language, tree, source);
    found
}

impl FileNames {
    /// Adds a name. The same path at the same scope is kept once.
    fn write(&mut self, path: Vec<String>, at: Position) {
        let is_path = (1..=PARTS).contains(&path.len()) && path.iter().all(|part| !part.is_empty());
        if is_path && self.names.len() < NAMES {
            self.names.push(WrittenName { path, at });
        }
    }

    fn import(&mut self, import: ImportedName) {
        if self.imports.len() < NAMES && import.path.len() <= PARTS {
            self.imports.push(import);
        }
    }

    /// Keeps the first of equal names.
    fn deduplicate(&mut self) {
        let mut seen = std::collections::HashSet::new();
        self.names.retain(|name| seen.insert((name.path.clone(), name.at.scope.clone(), name.at.is_test)));
    }
}

impl Position {
    fn of(node: Node) -> Self {
        Self { line: node.start_position().row + 1, ..Self::default() }
    }
}

/// Visits all nodes below `root` in the order of the text. `visit` returns false if the children are to be skipped.
fn visit<'a>(root: Node<'a>, mut visit: impl FnMut(Node<'a>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Returns the named children of a node.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn copy_text(node: Node, source: &str) -> String {
    text(node, source).to_owned()
}

/// Returns the parts of a name with separators, without spaces.
fn parts(name: &str, separator: char) -> Vec<String> {
    let parts = name.split(separator).map(|part| part.split_whitespace().collect::<String>());
    parts.filter(|part| !part.is_empty()).collect()
}

fn is_capitalised(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
