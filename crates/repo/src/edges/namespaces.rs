//! Java, C# and PHP: types by their full names, found through imports and the own package.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, EdgeClass, GLOBS, TopNames};
use crate::names::types::Owner;
use crate::names::{Imported, ImportedName};
use crate::outline::{SymbolInfo, SymbolKind};

/// The rules by which a language finds types by their full names.
#[allow(clippy::struct_excessive_bools, reason = "each is a rule of a language")]
pub(super) struct Rules {
    /// Names of the packages around a file's own are seen without an import.
    sees_outer_packages: bool,
    /// A type may be defined in several files, all of which belong to it.
    has_partial_types: bool,
    /// Functions are found by name like types.
    has_functions: bool,
    /// Test code is in files of its own, which other files do not see without an import.
    tests_are_apart: bool,
    types: TypeRules,
}

pub(super) const JAVA: Rules = Rules {
    sees_outer_packages: false,
    has_partial_types: false,
    has_functions: false,
    tests_are_apart: false,
    types: TypeRules {
        has_implicit_own: true,
        falls_back_to_types: true,
        calls_types: false,
        ..TypeRules::of_written_names()
    },
};
pub(super) const CSHARP: Rules = Rules {
    sees_outer_packages: true,
    has_partial_types: true,
    has_functions: false,
    tests_are_apart: true,
    types: TypeRules {
        has_implicit_own: true,
        has_partial_types: true,
        calls_types: false,
        ..TypeRules::of_written_names()
    },
};
pub(super) const PHP: Rules = Rules {
    sees_outer_packages: false,
    has_partial_types: false,
    has_functions: true,
    tests_are_apart: true,
    types: TypeRules { calls_types: false, ..TypeRules::of_written_names() },
};

/// The files that define types, by full name. It resolves imports and written names to files.
struct Types<'a> {
    rules: &'a Rules,
    files: HashMap<String, BTreeSet<&'a str>>,
    /// Imports of one file that hold for all files.
    global: Vec<&'a ImportedName>,
}

pub(super) fn collect(sources: &[&CodeFile], rules: &Rules, found: &mut Collector) {
    if sources.is_empty() {
        return;
    }
    let scopes = FullNames::new(sources, rules);
    types::collect(sources, &scopes, &rules.types, found);
    let mut types = Types { rules, files: HashMap::new(), global: Vec::new() };
    let packages: Vec<Vec<String>> = sources.iter().map(|source| packages(source)).collect();
    for source in sources {
        for (name, _) in list_definitions(source, rules) {
            types.files.entry(name).or_default().insert(source.path());
        }
        types.global.extend(source.names.imports.iter().filter(|import| import.is_public));
    }
    for (source, packages) in sources.iter().zip(&packages) {
        let own: HashSet<String> =
            list_definitions(source, rules).into_iter().map(|(_, short)| short).collect();
        let written: HashSet<&str> = source.names.names.iter().map(|name| name.path[0].as_str()).collect();
        for import in &source.names.imports {
            // A name that only comments use is no dependency.
            if import.what == Imported::All || written.contains(import.alias.as_str()) {
                let files = types.longest(&import.path, source.path());
                types.add(source, &files, EdgeClass::Declared, &import.at, &import.path, found);
            }
        }
        for name in source.names.names.iter().filter(|name| !own.contains(&name.path[0])) {
            let files = types.resolve(source, packages, &name.path);
            types.add(source, &files, EdgeClass::Named, &name.at, &name.path, found);
        }
    }
}

impl<'a> Types<'a> {
    fn add(
        &self,
        source: &CodeFile,
        files: &BTreeSet<&str>,
        class: EdgeClass,
        at: &crate::names::Position,
        path: &[String],
        found: &mut Collector,
    ) {
        let name = path.join(".");
        if self.rules.has_partial_types && !files.contains(source.path()) {
            files.iter().for_each(|to| found.add(source.path(), to, class, at, &name));
        } else {
            found.add_one(source.path(), files, class, at, &name);
        }
    }

    /// Returns the files that define the type which the written `path` means in `source`: through its
    /// imports, its packages, or imports of whole packages, in this order.
    fn resolve(&self, source: &CodeFile, packages: &[String], path: &[String]) -> BTreeSet<&'a str> {
        let from = source.path();
        let is_absolute = path[0] == "\\";
        if is_absolute {
            return self.longest(&path[1..], from);
        }
        let imports = source.names.imports.iter();
        let by_name =
            imports.clone().filter(|import| import.what != Imported::All && import.alias == path[0]);
        for import in by_name {
            let rest = if import.what == Imported::Path { &path[1..] } else { &[] };
            let full: Vec<String> = import.path.iter().chain(rest).cloned().collect();
            let files = self.longest(&full, from);
            if !files.is_empty() {
                return files;
            }
        }
        let inside = |package: &str| without_tests(self.longest_in(package, path, from), self.rules, from);
        for package in packages {
            let outer = std::iter::successors(Some(package.as_str()), |at| {
                at.rsplit_once('.').map(|(outer, _)| outer)
            });
            let count = if self.rules.sees_outer_packages { usize::MAX } else { 1 };
            let files = outer.take(count).map(inside).find(|files| !files.is_empty());
            if let Some(files) = files {
                return files;
            }
        }
        let all = imports.chain(self.global.iter().copied()).filter(|import| import.what == Imported::All);
        let within = |import| packages_of(import).map(|it| inside(&it)).find(|files| !files.is_empty());
        let files: BTreeSet<&str> = all.filter_map(within).flatten().collect();
        if files.is_empty() && path.len() > 1 { self.longest(path, from) } else { files }
    }

    fn longest(&self, path: &[String], from: &str) -> BTreeSet<&'a str> {
        self.longest_in("", path, from)
    }

    /// Returns the files that define the longest beginning of `path` which is a type of `package`. Of
    /// several, those with the most folders in common with `from`; all of them in languages with partial
    /// types.
    fn longest_in(&self, package: &str, path: &[String], from: &str) -> BTreeSet<&'a str> {
        let name = |count: usize| {
            let own = path[..count].join(".");
            if package.is_empty() { own } else { format!("{package}.{own}") }
        };
        let Some(files) = (1..=path.len()).rev().find_map(|count| self.files.get(&name(count))) else {
            return BTreeSet::new();
        };
        if self.rules.has_partial_types {
            return files.clone();
        }
        let shared = |file: &str| from.split('/').zip(file.split('/')).take_while(|(a, b)| a == b).count();
        let most = files.iter().map(|file| shared(file)).max();
        files.iter().copied().filter(|file| Some(shared(file)) == most).collect()
    }
}

/// Returns the packages that an import of all names may mean, innermost first: inside namespace `a.b`, the
/// import `c` may be `a.b.c`, `a.c` or `c`.
fn packages_of(import: &ImportedName) -> impl Iterator<Item = String> {
    let path = import.path.join(".");
    let around = import.at.scope.join(".");
    let outer = std::iter::successors(Some(around), |at| {
        let next = at.rsplit_once('.').map_or("", |(outer, _)| outer);
        (!at.is_empty()).then(|| next.to_owned())
    });
    outer.map(move |around| if around.is_empty() { path.clone() } else { format!("{around}.{path}") })
}

/// Returns `files` without test files, unless `from` is one: other files do not see them without an import.
fn without_tests<'a>(files: BTreeSet<&'a str>, rules: &Rules, from: &str) -> BTreeSet<&'a str> {
    if !rules.tests_are_apart || is_of_tests(from) {
        return files;
    }
    files.into_iter().filter(|file| !is_of_tests(file)).collect()
}

/// Returns true if the path is that of a test file. A folder `test` below `src`, `lib` or `app` does not
/// count, because it may be a normal package.
fn is_of_tests(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let ends = ["Test.php", "Tests.cs"];
    let outer = folder.split('/').take_while(|part| !matches!(*part, "src" | "lib" | "app"));
    ends.iter().any(|end| name.ends_with(end))
        || outer.into_iter().any(|part| matches!(part, "test" | "tests"))
        || folder
            .split('/')
            .any(|part| part == "Tests" || part.ends_with(".Tests") || part.ends_with(".Test"))
}

fn packages(source: &CodeFile) -> Vec<String> {
    let mut found: Vec<String> = source.names.packages.iter().map(|package| package.join(".")).collect();
    if found.is_empty() {
        found.push(String::new());
    }
    found
}

/// Returns the types of a file, each with its full name and its short name; also functions, if the rules say
/// so.
fn list_definitions(source: &CodeFile, rules: &Rules) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let packages = packages(source);
    // A symbol outside of all namespaces belongs to the package that the file declares.
    let package = packages.first().cloned().unwrap_or_default();
    let mut open: Vec<(String, &SymbolInfo)> =
        source.outline.symbols.iter().map(|symbol| (package.clone(), symbol)).collect();
    while let Some((around, symbol)) = open.pop() {
        let name = symbol.name.replace('\\', ".");
        let is_namespace = matches!(symbol.kind, SymbolKind::Namespace | SymbolKind::Module);
        let full = match (is_namespace, around.is_empty()) {
            // The declared package is the namespace itself.
            (true, _) if packages.contains(&name) => name,
            (_, true) => name,
            (_, false) => format!("{around}.{name}"),
        };
        let is_function = rules.has_functions && symbol.kind == SymbolKind::Function;
        if is_namespace || symbol.kind.is_type() {
            open.extend(symbol.children.iter().map(|child| (full.clone(), child)));
        }
        if is_function || (symbol.kind.is_type() && !is_namespace) {
            found.push((full, symbol.name.clone()));
        }
    }
    found
}

/// The lookup of types and functions by full names: finds the definitions that a written name means in a
/// file.
struct FullNames<'a> {
    rules: &'a Rules,
    sources: &'a [&'a CodeFile],
    /// The package of each file; the first one, if it has several.
    packages: Vec<String>,
    files: HashMap<String, Vec<usize>>,
    tops: Vec<TopNames<'a>>,
    global: Vec<&'a ImportedName>,
}

impl<'a> FullNames<'a> {
    fn new(sources: &'a [&'a CodeFile], rules: &'a Rules) -> Self {
        let mut files: HashMap<String, Vec<usize>> = HashMap::new();
        for (file, source) in sources.iter().enumerate() {
            let parts = &source.names.types;
            let types = parts.types.iter().map(|it| parts.word(it.name).to_owned());
            let functions = parts.functions.iter().filter(|it| it.place.owner == Owner::None).map(|it| {
                let (scope, name) = (parts.word(it.place.scope), parts.word(it.name));
                if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
            });
            for name in types.chain(functions) {
                let known = files.entry(name).or_default();
                if known.last() != Some(&file) {
                    known.push(file);
                }
            }
        }
        let packages = sources.iter().map(|source| packages(source).remove(0)).collect();
        let imports = sources.iter().flat_map(|source| &source.names.imports);
        let global = imports.filter(|import| import.is_public).collect();
        let tops = sources.iter().map(|source| TopNames::new(source)).collect();
        Self { rules, sources, packages, files, tops, global }
    }

    /// Returns the definitions with the full name `name`. Of several, those with the most folders in common
    /// with the file at index `file`; all of them in languages with partial types.
    fn find_named(&self, file: usize, name: &str) -> Vec<FoundDefinition> {
        let Some(files) = self.files.get(name) else { return Vec::new() };
        let shared = |other: &usize| {
            let (from, to) = (self.sources[file].path(), self.sources[*other].path());
            from.split('/').zip(to.split('/')).take_while(|(a, b)| a == b).count()
        };
        let most = if self.rules.has_partial_types { None } else { files.iter().map(shared).max() };
        let near = files.iter().filter(|other| most.is_none_or(|most| shared(other) == most));
        near.map(|file| FoundDefinition { file: *file, name: name.to_owned() }).collect()
    }
}

impl Scopes for FullNames<'_> {
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        let written = path.join(".");
        if path[0] == "\\" {
            return self.find_named(file, &path[1..].join("."));
        }
        let package = self.packages[file].as_str();
        let inside = |around: &str| {
            let full = if around.is_empty() { written.clone() } else { format!("{around}.{written}") };
            self.find_apart(file, &full)
        };
        // The types around, then imports, then the package and those around it, then whole packages.
        let mut around = scope;
        while around.len() > package.len() {
            let found = inside(around);
            if !found.is_empty() {
                return found;
            }
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        let top = &self.tops[file];
        let named = top.imports(path[0]);
        for import in named {
            let name = match &import.what {
                Imported::Name(name) => vec![name.as_str()],
                _ => Vec::new(),
            };
            let parts = import.path.iter().map(String::as_str).chain(name).chain(path[1..].iter().copied());
            let found = self.find_imported(file, &parts.collect::<Vec<_>>().join("."), &import.what);
            if !found.is_empty() {
                return found;
            }
        }
        // The import names something of another code base.
        if !named.is_empty() {
            return Vec::new();
        }
        let outer = std::iter::successors(Some(around), |at| {
            let next = at.rsplit_once('.').map_or("", |(outer, _)| outer);
            (!at.is_empty() && self.rules.sees_outer_packages).then_some(next)
        });
        if let Some(found) = outer.map(inside).find(|found| !found.is_empty()) {
            return found;
        }
        let global = self.global.iter().filter(|it| it.what == Imported::All).take(GLOBS);
        let all = top.globs.iter().chain(global);
        let within = |import| packages_of(import).map(|it| inside(&it)).find(|found| !found.is_empty());
        let found: BTreeSet<FoundDefinition> = all.copied().filter_map(within).flatten().collect();
        if found.is_empty() && path.len() > 1 {
            return self.find_named(file, &written);
        }
        // PHP looks for functions in the global namespace, too.
        if found.is_empty() && self.rules.has_functions {
            return self.find_apart(file, &written).into_iter().filter(|_| scope.is_empty()).collect();
        }
        found.into_iter().collect()
    }
}

impl FullNames<'_> {
    /// Returns the definitions with a full name, as `find_named`. Those in test files are left out unless the
    /// file at index `file` is one.
    fn find_apart(&self, file: usize, name: &str) -> Vec<FoundDefinition> {
        let found = self.find_named(file, name);
        if !self.rules.tests_are_apart || is_of_tests(self.sources[file].path()) {
            return found;
        }
        found.into_iter().filter(|it| !is_of_tests(self.sources[it.file].path())).collect()
    }

    /// Returns the definitions that an import of the full name `name` brings. A static import may name a
    /// member; it is found in the file of its type.
    fn find_imported(&self, file: usize, name: &str, what: &Imported) -> Vec<FoundDefinition> {
        let found = self.find_named(file, name);
        let Imported::Name(_) = what else { return found };
        let Some((of, _)) = name.rsplit_once('.').filter(|_| found.is_empty()) else { return found };
        let types = self.find_named(file, of).into_iter();
        types.map(|it| FoundDefinition { name: name.to_owned(), ..it }).collect()
    }
}
