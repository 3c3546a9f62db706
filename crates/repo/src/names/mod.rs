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

/// Maximum number of imports, and of written names, that are kept for one file.
const NAMES: usize = 20_000;
/// Maximum number of parts of one path such as `a::b::c`, which has three.
const PARTS: usize = 32;

/// The names that one file imports, declares and uses, before they are resolved; in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileNames {
    /// The package or namespace that the file declares, by parts. A file of C# or PHP may have several.
    pub(crate) packages: Vec<Vec<String>>,
    pub(crate) imports: Vec<ImportedName>,
    pub(crate) names: Vec<WrittenName>,
    /// Modules whose body is another file: `mod x;`.
    pub(crate) modules: Vec<DeclaredModule>,
    /// Definitions that outlines lack, with the names around them: those in macros of Rust, all constants of
    /// Ruby, and types that C only declares.
    pub(crate) defined: Vec<WrittenName>,
    /// Names that the file exports without importing them, such as `export { a as b }`.
    pub(crate) exports: Vec<ImportedName>,
    /// The types, functions, fields and calls in it.
    pub(crate) types: types::FileTypes,
}

/// One name that an import brings into a file. An import of several names gives several of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportedName {
    /// The path of the module by parts, such as `shop`, `cart`; for `Imported::Path` the path of the imported
    /// name or module itself.
    pub(crate) path: Vec<String>,
    /// The imported part of the module: all names, one name, or what the path means.
    pub(crate) what: Imported,
    /// The name by which this file uses it; empty if it has none.
    pub(crate) alias: String,
    /// True if other files can import the name from this file.
    pub(crate) is_public: bool,
    /// The position of the import.
    pub(crate) at: Position,
}

/// The part of a module that an import brings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Imported {
    /// The module or the name that the whole path means.
    Path,
    /// All names of the module (`*`).
    All,
    /// One name of the module.
    Name(String),
}

/// A name that code uses or defines, by parts: `store::open` has two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenName {
    pub(crate) path: Vec<String>,
    pub(crate) at: Position,
}

/// A module of Rust whose body is in another file: `mod x;`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeclaredModule {
    pub(crate) name: String,
    /// Paths that `#[path]` attributes give, relative to the folder of the file.
    pub(crate) paths: Vec<String>,
    pub(crate) at: Position,
}

/// The position of a name in a file: its line, the modules around it, and the mark of test code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Line number, from 1.
    pub(crate) line: usize,
    /// The modules around it in the same file.
    pub(crate) scope: Vec<String>,
    /// True in code that is compiled for tests only.
    pub(crate) is_test: bool,
}

/// Collects the names, types and calls of a parsed file; empty for Bash.
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
    /// Records a used name, unless it is empty or too long or there are too many. Duplicates are removed
    /// later.
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

    /// Keeps the first of all used names with the same path, scope and test mark.
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

/// Calls `visit` for `root` and all nodes below it, in the order of the text. It returns false to skip the
/// children of a node.
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

/// Returns the named child nodes of a syntax node.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn copy_text(node: Node, source: &str) -> String {
    text(node, source).to_owned()
}

/// Splits a name at the separator, without white space and empty parts: `a . b` at `.` gives `a` and `b`.
fn parts(name: &str, separator: char) -> Vec<String> {
    let parts = name.split(separator).map(|part| part.split_whitespace().collect::<String>());
    parts.filter(|part| !part.is_empty()).collect()
}

fn is_capitalised(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
