//! The dependencies between the files of a code base: imports, and written names resolved to definitions through scopes, imports and
//! re-exports. No type inference: types that are not written are not found, and a name with two possible definitions stays unresolved.
//!
//! Reading order: this file (the result and how it is put together), then one file a language family.

mod c;
mod go;
mod namespaces;
mod python;
mod ruby;
mod rust;
mod script;
mod types;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;
use crate::names::{FileNames, Imported, ImportedName, Position};
use crate::outline::{FileOutline, Language};
use crate::resolve::ImportMap;

/// The way in which the source code writes a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeClass {
    /// As an import, a module declaration or an include.
    Declared,
    /// As a name that resolves to a definition.
    Named,
    /// As a call of a method on a value whose type is written.
    Typed,
}

/// A dependency of one file on another. Of several places in the code the first is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// The file with the import or the name.
    pub from: String,
    /// The file that is needed; for an imported package of Go its folder.
    pub to: String,
    /// How it is written.
    pub class: EdgeClass,
    /// The line of the first place, from 1.
    pub line: usize,
    /// The name or the module as written at this place.
    pub name: String,
    /// True if only code for tests needs it.
    pub is_test: bool,
}

/// A name in a file that is not resolved, because it has several possible definitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ambiguity {
    /// The file with the name.
    pub from: String,
    /// The line of its first place.
    pub line: usize,
    /// As written.
    pub name: String,
    /// The files with a definition, in order.
    pub candidates: Vec<String>,
}

/// The dependencies of a code base. Edges and ambiguities are sorted by file.
/// [`CodeBase::dependencies`](crate::CodeBase::dependencies) computes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependencies {
    /// The dependencies whose target is known.
    pub edges: Vec<Edge>,
    /// The names that are not resolved, because they have several possible definitions.
    pub ambiguities: Vec<Ambiguity>,
    /// Relations between types, in the order of their places.
    pub relations: Vec<TypeRelation>,
    /// The functions and methods of all files. Calls refer to them by index.
    pub functions: Vec<CalledFunction>,
    /// The calls between them that resolve, in the order of their places.
    pub calls: Vec<ResolvedCall>,
    /// The calls of one of several overloads: functions of one name in one type or file. The first one stands for all.
    pub overload_calls: Vec<ResolvedCall>,
    /// The calls in them that do not resolve, with those of overloads.
    pub open_calls: Vec<OpenCall>,
    /// The calls of functions from the outermost level of a file, outside all functions, as in scripts.
    pub script_calls: Vec<ScriptCall>,
}

/// A relation of one type to another: it extends or implements it, or has a field of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeRelation {
    /// The file with the type.
    pub from: String,
    /// The type, with the names around it.
    pub from_name: String,
    /// The file with the other type.
    pub to: String,
    /// The other type, with the names around it.
    pub to_name: String,
    /// The kind.
    pub kind: RelationKind,
    /// Name of the field; `None` for `Extends` and `Implements`.
    pub field: Option<String>,
    /// The file with the code for it. It differs from `from` if an implementation or a part of the type is
    /// elsewhere.
    pub path: String,
    /// The line of the clause or the field, from 1.
    pub line: usize,
    /// True in code that is compiled for tests only.
    pub is_test: bool,
}

/// The kind of a relation between two types: it extends, implements, or has one or several of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RelationKind {
    /// It extends the other.
    Extends,
    /// It implements the other.
    Implements,
    /// It has a field with one value of the other.
    Has,
    /// It has a field with several.
    Many,
}

/// A function or a method that calls refer to by its index in [`Dependencies::functions`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledFunction {
    /// The file.
    pub path: String,
    /// Its name, with that of its type.
    pub name: String,
    /// The line of its name, from 1.
    pub line: usize,
    /// True in code that is compiled for tests only.
    pub is_test: bool,
}

/// A call inside a function whose target is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ResolvedCall {
    /// Index of the calling function in [`Dependencies::functions`].
    pub from: usize,
    /// Index of the called function in [`Dependencies::functions`].
    pub to: usize,
    /// The line of the call in the file of the calling function, from 1.
    pub line: usize,
}

/// A call inside a function whose target is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpenCall {
    /// Index of the calling function in [`Dependencies::functions`].
    pub from: usize,
    /// The name of the called function alone; empty for the call of a local value.
    pub name: String,
    /// The line of the call, from 1.
    pub line: usize,
}

/// A call of a function from the outermost level of a file, outside all functions, as in a script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScriptCall {
    /// The file with the call.
    pub path: String,
    /// Index of the called function.
    pub to: usize,
    /// The line of the call, from 1.
    pub line: usize,
}

/// A parsed file: its outline, and the names that it imports, defines and uses.
pub(crate) struct CodeFile {
    pub(crate) outline: Arc<FileOutline>,
    pub(crate) names: FileNames,
}

impl CodeFile {
    fn path(&self) -> &str {
        &self.outline.path
    }
}

/// Computes the dependencies between all files: names are resolved language by language, with the rules of
/// each.
pub(crate) fn dependencies(sources: &[CodeFile], map: &ImportMap, manifests: &[Manifest]) -> Dependencies {
    let mut found = Collector::default();
    rust::collect(&of(sources, &[Language::Rust]), manifests, map, &mut found);
    namespaces::collect(&of(sources, &[Language::Java]), &namespaces::JAVA, &mut found);
    namespaces::collect(&of(sources, &[Language::CSharp]), &namespaces::CSHARP, &mut found);
    namespaces::collect(&of(sources, &[Language::Php]), &namespaces::PHP, &mut found);
    let scripts = [Language::JavaScript, Language::TypeScript, Language::Tsx];
    script::collect(&of(sources, &scripts), map, &mut found);
    python::collect(&of(sources, &[Language::Python]), map, &mut found);
    go::collect(&of(sources, &[Language::Go]), map, &mut found);
    ruby::collect(&of(sources, &[Language::Ruby]), &mut found);
    c::collect(&of(sources, &[Language::C, Language::Cpp]), map, &mut found);
    let others = [Language::C, Language::Cpp, Language::Ruby, Language::Bash, Language::Php];
    for source in of(sources, &others) {
        for import in &source.outline.imports {
            // A name of PHP is resolved above; here only included files are.
            let is_include = source.outline.language != Language::Php
                || import.targets.iter().all(|target| target.starts_with("./"));
            for to in map.import(&source.outline, import).into_iter().filter(|_| is_include) {
                let at = Position { line: import.line, ..Position::default() };
                found.add(source.path(), &to, EdgeClass::Declared, &at, &import.text);
            }
        }
    }
    found.finish()
}

fn of<'a>(sources: &'a [CodeFile], languages: &[Language]) -> Vec<&'a CodeFile> {
    sources.iter().filter(|source| languages.contains(&source.outline.language)).collect()
}

/// The dependencies found so far. For each edge the first place counts, and one outside tests before one in
/// them.
#[derive(Default)]
struct Collector {
    edges: BTreeMap<(String, String, EdgeClass), (usize, String, bool)>,
    ambiguities: BTreeMap<(String, String), (usize, Vec<String>)>,
    relations: Vec<TypeRelation>,
    functions: Vec<CalledFunction>,
    calls: Vec<ResolvedCall>,
    overload_calls: Vec<ResolvedCall>,
    open_calls: Vec<OpenCall>,
    script_calls: Vec<ScriptCall>,
}

impl Collector {
    fn add(&mut self, from: &str, to: &str, class: EdgeClass, at: &Position, name: &str) {
        if from == to {
            return;
        }
        let known = self.edges.entry((from.to_owned(), to.to_owned(), class));
        let site = (at.line, name.to_owned(), at.is_test);
        let kept = known.or_insert_with(|| site.clone());
        // A place outside tests counts before one in them.
        if (site.2, site.0) < (kept.2, kept.0) {
            *kept = site;
        }
    }

    /// Adds an edge if `files`, the possible definitions of `name`, is a single file. Several are recorded as
    /// an ambiguity, unless `from` is one of them.
    fn add_one(&mut self, from: &str, files: &BTreeSet<&str>, class: EdgeClass, at: &Position, name: &str) {
        match files.first() {
            Some(to) if files.len() == 1 => self.add(from, to, class, at, name),
            Some(_) if !files.contains(from) => {
                let candidates = || files.iter().map(|file| (*file).to_owned()).collect();
                let key = (from.to_owned(), name.to_owned());
                self.ambiguities.entry(key).or_insert_with(|| (at.line, candidates()));
            }
            _ => {}
        }
    }

    fn finish(self) -> Dependencies {
        let edges = self.edges.into_iter().map(|((from, to, class), (line, name, is_test))| Edge {
            from,
            to,
            class,
            line,
            name,
            is_test,
        });
        let ambiguities = self.ambiguities.into_iter().map(|((from, name), (line, candidates))| Ambiguity {
            from,
            line,
            name,
            candidates,
        });
        Dependencies {
            edges: edges.collect(),
            ambiguities: ambiguities.collect(),
            relations: self.relations,
            functions: self.functions,
            calls: self.calls,
            overload_calls: self.overload_calls,
            open_calls: self.open_calls,
            script_calls: self.script_calls,
        }
    }
}

/// Returns a map from the path of each file to the file.
fn by_path<'a>(sources: &[&'a CodeFile]) -> HashMap<&'a str, &'a CodeFile> {
    sources.iter().map(|source| (source.path(), *source)).collect()
}

/// Returns a map from the path of each file to its index in `sources`.
fn positions<'a>(sources: &[&'a CodeFile]) -> HashMap<&'a str, usize> {
    sources.iter().enumerate().map(|(at, source)| (source.path(), at)).collect()
}

/// The names at the outermost level of a file, prepared for many look-ups.
struct TopNames<'a> {
    symbols: HashSet<&'a str>,
    /// Types with the names around them.
    types: HashSet<&'a str>,
    /// Imports of single names and modules, by their names in the file.
    imports: HashMap<&'a str, Vec<&'a ImportedName>>,
    /// Imports of all names of a module (`*`).
    globs: Vec<&'a ImportedName>,
    exports: HashMap<&'a str, &'a ImportedName>,
}

/// Maximum number of modules that are searched for one name of Python or JavaScript.
const LOOKUPS: usize = 200;

/// The definitions found so far while one name is followed through imports, by module and name. Each pair is
/// searched once, so modules may import one another.
#[derive(Default)]
struct FollowedNames(HashMap<(String, String), BTreeSet<String>>);

impl FollowedNames {
    /// Returns the files that define `name` as seen in `module`. Calls `search` for a pair that is not known
    /// yet; while it runs, the same pair gives nothing, which ends circles of imports.
    fn follow(
        &mut self,
        module: &str,
        name: &str,
        search: impl FnOnce(&mut Self) -> BTreeSet<String>,
    ) -> BTreeSet<String> {
        let key = (module.to_owned(), name.to_owned());
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        if self.0.len() >= LOOKUPS {
            return BTreeSet::new();
        }
        self.0.insert(key.clone(), BTreeSet::new());
        let found = search(self);
        self.0.insert(key, found.clone());
        found
    }
}

/// Maximum number of imports of one name in one file that are considered.
const SAME_NAME: usize = 8;
/// Maximum number of imports of all names (`*`) in one file that are considered.
const GLOBS: usize = 200;

impl<'a> TopNames<'a> {
    fn new(source: &'a CodeFile) -> Self {
        let parts = &source.names.types;
        let mut imports: HashMap<&str, Vec<&ImportedName>> = HashMap::new();
        let mut globs = Vec::new();
        for import in &source.names.imports {
            if import.what != Imported::All {
                let known = imports.entry(&import.alias).or_default();
                if known.len() < SAME_NAME {
                    known.push(import);
                }
            } else if globs.len() < GLOBS {
                globs.push(import);
            }
        }
        let mut exports = HashMap::new();
        for export in &source.names.exports {
            exports.entry(export.alias.as_str()).or_insert(export);
        }
        Self {
            symbols: source.outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect(),
            types: parts.types.iter().map(|it| parts.word(it.name)).collect(),
            imports,
            globs,
            exports,
        }
    }

    fn imports(&self, name: &str) -> &[&'a ImportedName] {
        self.imports.get(name).map_or(&[], Vec::as_slice)
    }
}
