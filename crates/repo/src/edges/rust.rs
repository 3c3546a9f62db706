//! Rust: the module trees of all crates, and paths in them. An import is an edge to the file of the definition, not of its re-export.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, EdgeClass, by_path};
use crate::manifest::Manifest;
use crate::names::{Imported, ImportedName, Position};
use crate::outline::{SymbolInfo, SymbolKind};
use crate::resolve::{CargoNames, ImportMap, RUST_LIBRARY, join, split};

/// Maximum number of names that are looked up to resolve one path.
const LOOKUPS: usize = 1_000;
/// Maximum number of modules in one repository. A file that several crates declare counts once for each.
const MODULES: usize = 200_000;

/// Folders in which each file is the root of a crate of its own, such as an integration test.
const TARGETS: &[&str] = &["src/bin", "tests", "examples", "benches"];

pub(super) fn collect(sources: &[&CodeFile], manifests: &[Manifest], map: &ImportMap, found: &mut Collector) {
    let crates = Crates::new(sources, manifests, map, found);
    for (at, module) in crates.modules.iter().enumerate() {
        let source = module.source;
        for import in &module.imports {
            let targets = crates.import(at, import);
            let class = EdgeClass::Declared;
            let place = module.position(&import.at);
            found.add_one(source.path(), &crates.files(&targets), class, &place, &import.path.join("::"));
        }
        for name in source.names.names.iter().filter(|name| name.at.scope == module.scope) {
            let targets = crates.resolve(at, &name.path, &mut VisitedNames::new());
            let files = crates.files(&targets);
            let place = module.position(&name.at);
            found.add_one(source.path(), &files, EdgeClass::Named, &place, &name.path.join("::"));
        }
    }
    let scopes = RustScopes::new(sources, &crates);
    types::collect(sources, &scopes, &RULES, found);
}

const RULES: TypeRules =
    TypeRules { separate_pointers: true, falls_back_to_types: true, ..TypeRules::of_written_names() };

/// The lookup of paths of Rust: finds the definitions that a written path means in a file.
struct RustScopes<'a> {
    crates: &'a Crates<'a>,
    /// The modules by file and inline module path. A file in several crates has its first module here.
    modules: HashMap<(usize, String), usize>,
    files: HashMap<&'a str, usize>,
}

impl<'a> RustScopes<'a> {
    fn new(sources: &[&'a CodeFile], crates: &'a Crates<'a>) -> Self {
        let files: HashMap<&str, usize> =
            sources.iter().enumerate().map(|(at, source)| (source.path(), at)).collect();
        let mut modules = HashMap::new();
        for (at, module) in crates.modules.iter().enumerate() {
            let file = files[module.source.path()];
            modules.entry((file, module.scope.join("."))).or_insert(at);
        }
        Self { crates, modules, files }
    }
}

impl Scopes for RustScopes<'_> {
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        let Some(at) = self.modules.get(&(file, scope.to_owned())) else { return Vec::new() };
        let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        let is_definition = |target: &PathTarget<'_>| matches!(target, PathTarget::Definition(..));
        if path.len() > 1 {
            let around = self.crates.resolve(*at, &path[..path.len() - 1], &mut VisitedNames::new());
            // An associated item is no definition of a module.
            if around.iter().any(is_definition) {
                return Vec::new();
            }
        }
        let found = self.crates.resolve(*at, &path, &mut VisitedNames::new());
        let named = found.into_iter().filter_map(|target| match target {
            PathTarget::Definition(module, name) => {
                let module = &self.crates.modules[module];
                let scope = module.scope.iter().map(String::as_str);
                let name = scope.chain([name]).collect::<Vec<_>>().join(".");
                Some(FoundDefinition { file: *self.files.get(module.source.path())?, name })
            }
            PathTarget::Module(_) => None,
        });
        named.collect()
    }
}

/// A module of a crate: a file or an inline `mod`. A file that several crates declare is several modules.
struct Module<'a> {
    source: &'a CodeFile,
    /// The inline modules around it in its file.
    scope: Vec<String>,
    parent: Option<usize>,
    /// The module of its crate's root.
    root: usize,
    /// The modules in it, by name; several if `cfg` attributes choose one of them.
    children: HashMap<&'a str, Vec<usize>>,
    definitions: HashSet<&'a str>,
    imports: Vec<&'a ImportedName>,
    is_test: bool,
}

impl Module<'_> {
    /// Returns a position in this module, marked as test code if the module is compiled for tests only.
    fn position(&self, at: &Position) -> Position {
        Position { is_test: at.is_test || self.is_test, ..at.clone() }
    }
}

/// The target of a path: a module, or a definition in a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathTarget<'a> {
    Module(usize),
    /// A definition in the module with this index, by its name there.
    Definition(usize, &'a str),
}

/// The modules with the names that were looked up in them while one path is resolved. Each pair is looked up
/// once.
type VisitedNames<'a> = HashSet<(usize, &'a str)>;

/// The modules of all crates of a tree. It resolves paths to modules and definitions; modules are named by
/// their index.
struct Crates<'a> {
    modules: Vec<Module<'a>>,
    /// Root modules of libraries by the name that code uses.
    libraries: HashMap<String, usize>,
    /// Root modules of libraries by the name of the package.
    packages: HashMap<String, usize>,
    /// Root modules of dependencies that a manifest renames, by the root module of the crate that uses them
    /// and the new name.
    renamed: HashMap<(usize, String), usize>,
    /// The modules that define a macro, by its name.
    macros: HashMap<&'a str, Vec<usize>>,
}

/// A module whose definitions and children are still to be added to [`Crates`].
struct OpenedModule<'a> {
    source: &'a CodeFile,
    symbols: &'a [SymbolInfo],
    scope: Vec<String>,
    /// The folder in which the files of its child modules are.
    base: String,
    parent: Option<usize>,
    name: &'a str,
    is_test: bool,
}

impl<'a> Crates<'a> {
    fn new(sources: &[&'a CodeFile], manifests: &[Manifest], map: &ImportMap, found: &mut Collector) -> Self {
        let files = by_path(sources);
        let mut crates = Self {
            modules: Vec::new(),
            libraries: HashMap::new(),
            packages: HashMap::new(),
            renamed: HashMap::new(),
            macros: HashMap::new(),
        };
        let names: HashMap<&str, &CargoNames> =
            map.cargo_names().iter().map(|names| (names.folder.as_str(), names)).collect();
        let mut opened = Vec::new();
        for (root, folder, library) in roots(&files, manifests) {
            let Some(at) = crates.open_root(&root, &files, found) else { continue };
            opened.push((at, folder.clone()));
            if let Some(package) = library {
                let own = names.get(folder.as_str()).and_then(|names| names.library.clone());
                crates.libraries.entry(own.unwrap_or_else(|| package.clone())).or_insert(at);
                crates.packages.entry(package).or_insert(at);
            }
        }
        for (at, folder) in opened {
            for (name, package) in names.get(folder.as_str()).into_iter().flat_map(|names| &names.renamed) {
                if let Some(library) = crates.packages.get(package) {
                    crates.renamed.insert((at, name.clone()), *library);
                }
            }
        }
        // Without a manifest the usual names are roots.
        let reached: HashSet<&str> = crates.modules.iter().map(|module| module.source.path()).collect();
        let usual = |path: &&str| matches!(split(path).1, "lib.rs" | "main.rs") && !reached.contains(*path);
        let mut left: Vec<String> =
            files.keys().filter(|path| usual(path)).map(|&path| path.to_owned()).collect();
        left.sort();
        for root in left {
            crates.open_root(&root, &files, found);
        }
        crates
    }

    /// Adds the crate with the root file `root`, with all its modules. Returns the index of the root module;
    /// `None` if there is no such file.
    fn open_root(
        &mut self,
        root: &str,
        files: &HashMap<&'a str, &'a CodeFile>,
        found: &mut Collector,
    ) -> Option<usize> {
        let source = *files.get(root)?;
        let first = self.modules.len();
        let mut seen: HashSet<(&str, Vec<String>)> = HashSet::new();
        let base = split(root).0.to_owned();
        let symbols = &source.outline.symbols;
        let mut open = vec![OpenedModule {
            source,
            symbols,
            scope: Vec::new(),
            base,
            parent: None,
            name: "",
            is_test: false,
        }];
        while let Some(next) = open.pop() {
            if self.modules.len() >= MODULES || !seen.insert((next.source.path(), next.scope.clone())) {
                continue;
            }
            let at = self.modules.len();
            if let Some(parent) = next.parent {
                self.modules[parent].children.entry(next.name).or_default().push(at);
            }
            self.modules.push(Module {
                source: next.source,
                scope: next.scope.clone(),
                is_test: next.is_test,
                parent: next.parent,
                root: first,
                children: HashMap::new(),
                definitions: definitions(&next),
                imports: next
                    .source
                    .names
                    .imports
                    .iter()
                    .filter(|import| import.at.scope == next.scope)
                    .collect(),
            });
            for symbol in next.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Macro) {
                self.macros.entry(&symbol.name).or_default().push(at);
            }
            open_children(&next, at, files, found, &mut open);
        }
        Some(first)
    }

    /// Returns the definitions or modules that an import in the module `at` brings; for `*` the module
    /// itself.
    fn import(&self, at: usize, import: &ImportedName) -> Vec<PathTarget<'a>> {
        let found = self.resolve(at, &import.path, &mut VisitedNames::from([(at, import.alias.as_str())]));
        if !found.is_empty() || self.modules[at].root == at {
            return found;
        }
        // Before 2018 the paths of imports began at the crate's root.
        self.resolve(
            self.modules[at].root,
            &import.path,
            &mut VisitedNames::from([(at, import.alias.as_str())]),
        )
    }

    /// Returns the definitions or modules that `path` means in the module `at`. Definitions are preferred to
    /// modules of the same name. `seen` holds the names that were looked up on the way, and ends circles.
    fn resolve<'b>(
        &'b self,
        at: usize,
        path: &'b [String],
        seen: &mut VisitedNames<'b>,
    ) -> Vec<PathTarget<'a>> {
        let module = &self.modules[at];
        let mut found: Vec<PathTarget<'a>> = match path[0].as_str() {
            "crate" => vec![PathTarget::Module(module.root)],
            "self" => vec![PathTarget::Module(at)],
            "super" => module.parent.map(PathTarget::Module).into_iter().collect(),
            "Self" => return Vec::new(),
            first => {
                let own = self.lookup(at, first, at, seen);
                let library =
                    || self.library(module.root, first).map(PathTarget::Module).into_iter().collect();
                let macros = || self.macro_of(module.root, first);
                match own.is_empty() {
                    false => own,
                    true if path.len() == 1 => macros(),
                    true => library(),
                }
            }
        };
        for name in &path[1..] {
            let is_module = |target: &PathTarget<'_>| matches!(target, PathTarget::Module(_));
            // A function may be called like the module beside it, but nothing is inside it.
            if found.iter().any(is_module) {
                found.retain(is_module);
            }
            let mut next = Vec::new();
            for target in &found {
                match *target {
                    PathTarget::Module(inner) if name == "super" => {
                        next.extend(self.modules[inner].parent.map(PathTarget::Module));
                    }
                    PathTarget::Module(inner) if name == "self" => next.push(PathTarget::Module(inner)),
                    PathTarget::Module(inner) => next.extend(self.lookup(inner, name, at, seen)),
                    // An associated item or a variant.
                    definition @ PathTarget::Definition(..) => next.push(definition),
                }
            }
            found = next;
        }
        if path.len() == 1 && matches!(path[0].as_str(), "crate" | "self" | "super") {
            return found;
        }
        let is_definition = |target: &PathTarget<'_>| matches!(target, PathTarget::Definition(..));
        if found.iter().any(is_definition) {
            found.retain(is_definition);
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns the meanings of `name` in the module `at`: its own, or else those of its imports, or else
    /// those of `*` imports. `from` is the module whose code uses the name; it sees only public imports of
    /// other modules.
    fn lookup<'b>(
        &'b self,
        at: usize,
        name: &'b str,
        from: usize,
        seen: &mut VisitedNames<'b>,
    ) -> Vec<PathTarget<'a>> {
        let module = &self.modules[at];
        let mut found: Vec<PathTarget<'a>> =
            module.children.get(name).into_iter().flatten().map(|child| PathTarget::Module(*child)).collect();
        if let Some(own) = module.definitions.get(name) {
            found.push(PathTarget::Definition(at, own));
        }
        if seen.len() >= LOOKUPS || !seen.insert((at, name)) {
            return found;
        }
        let is_visible = |import: &&&ImportedName| import.is_public || self.is_inside(from, at);
        if found.is_empty() {
            let named = module
                .imports
                .iter()
                .filter(is_visible)
                .filter(|it| it.what == Imported::Path && it.alias == name);
            for import in named {
                found.extend(self.resolve_import(at, import, seen));
            }
        }
        if found.is_empty() {
            for import in module.imports.iter().filter(is_visible).filter(|it| it.what == Imported::All) {
                for target in self.resolve_import(at, import, seen) {
                    if let PathTarget::Module(inner) = target {
                        found.extend(self.lookup(inner, name, from, seen));
                    }
                }
            }
        }
        found
    }

    /// Returns the root module of the library that the crate with the root module `root` calls `name`; `None`
    /// for std. A renamed dependency hides a library with the name.
    fn library(&self, root: usize, name: &str) -> Option<usize> {
        if RUST_LIBRARY.contains(&name) {
            return None;
        }
        self.renamed.get(&(root, name.to_owned())).or_else(|| self.libraries.get(name)).copied()
    }

    fn resolve_import<'b>(
        &'b self,
        at: usize,
        import: &'b ImportedName,
        seen: &mut VisitedNames<'b>,
    ) -> Vec<PathTarget<'a>> {
        let found = self.resolve(at, &import.path, seen);
        let root = self.modules[at].root;
        if found.is_empty() && root != at { self.resolve(root, &import.path, seen) } else { found }
    }

    /// Returns the macros of this name that the crate with the root module `root` defines, in any of its
    /// modules.
    fn macro_of(&self, root: usize, name: &str) -> Vec<PathTarget<'a>> {
        let Some((name, known)) = self.macros.get_key_value(name) else { return Vec::new() };
        let own = known.iter().filter(|at| self.modules[**at].root == root);
        own.map(|at| PathTarget::Definition(*at, name)).collect()
    }

    /// Returns true if `module` is `other` or inside it.
    fn is_inside(&self, module: usize, other: usize) -> bool {
        std::iter::successors(Some(module), |at| self.modules[*at].parent).any(|at| at == other)
    }

    fn files(&self, targets: &[PathTarget<'_>]) -> BTreeSet<&str> {
        let file = |target: &PathTarget<'_>| match target {
            PathTarget::Module(at) | PathTarget::Definition(at, _) => self.modules[*at].source.path(),
        };
        targets.iter().map(file).collect()
    }
}

fn definitions<'a>(opened: &OpenedModule<'a>) -> HashSet<&'a str> {
    let defines = |symbol: &&SymbolInfo| !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Impl);
    let written = opened.symbols.iter().filter(defines).map(|symbol| symbol.name.as_str());
    let in_macros = opened.source.names.defined.iter().filter(|name| name.at.scope == opened.scope);
    written.chain(in_macros.map(|name| name.path[0].as_str())).collect()
}

/// Adds the modules that the opened module declares to `open`: inline ones, and those in files of their own,
/// for which it also records an edge.
fn open_children<'a>(
    opened: &OpenedModule<'a>,
    at: usize,
    files: &HashMap<&'a str, &'a CodeFile>,
    found: &mut Collector,
    open: &mut Vec<OpenedModule<'a>>,
) {
    let source = opened.source;
    let elsewhere = |name: &str| {
        source.names.modules.iter().any(|module| module.name == name && module.at.scope == opened.scope)
    };
    for symbol in opened.symbols.iter().filter(|it| it.kind == SymbolKind::Module && !elsewhere(&it.name)) {
        let scope = opened.scope.iter().chain([&symbol.name]).cloned().collect();
        let base = join(&opened.base, &symbol.name).unwrap_or_default();
        open.push(OpenedModule {
            source,
            symbols: &symbol.children,
            scope,
            base,
            parent: Some(at),
            name: &symbol.name,
            is_test: opened.is_test,
        });
    }
    for module in source.names.modules.iter().filter(|module| module.at.scope == opened.scope) {
        // In an inline module a given path begins in its folder, elsewhere in the folder of the file.
        let beside = if opened.scope.is_empty() { split(source.path()).0 } else { &opened.base };
        let given = module.paths.iter().filter_map(|path| join(beside, path)).map(|path| {
            let base = split(&path).0.to_owned();
            (path, base)
        });
        let inside = join(&opened.base, &module.name).unwrap_or_default();
        let usual = [format!("{inside}.rs"), format!("{inside}/mod.rs")].map(|path| (path, inside.clone()));
        for (path, base) in given.chain(usual) {
            let Some(file) = files.get(path.as_str()) else { continue };
            found.add(source.path(), &path, EdgeClass::Declared, &module.at, &format!("mod {}", module.name));
            let symbols = &file.outline.symbols;
            open.push(OpenedModule {
                source: file,
                symbols,
                scope: Vec::new(),
                base,
                parent: Some(at),
                name: &module.name,
                is_test: opened.is_test || module.at.is_test,
            });
        }
    }
}

/// Returns the root file of each crate, the folder of its manifest, and for a library the name of its package
/// with `_` for `-`.
fn roots(files: &HashMap<&str, &CodeFile>, manifests: &[Manifest]) -> Vec<(String, String, Option<String>)> {
    let mut found = Vec::new();
    let packages = manifests.iter().filter(|it| split(&it.path).1 == "Cargo.toml");
    for package in packages {
        let (folder, Some(name)) = (split(&package.path).0, &package.name) else { continue };
        let name = name.replace('-', "_");
        let exists = |path: &String| files.contains_key(path.as_str());
        let below = |path: &str| join(folder, path).filter(exists);
        let programs: Vec<&String> = package.programs.values().collect();
        let declared: Vec<&String> = package.entry_points.iter().collect();
        let library = below("src/lib.rs").or_else(|| {
            let other = declared.iter().find(|path| !programs.contains(path) && !path.ends_with("main.rs"));
            other.and_then(|path| below(path))
        });
        found.extend(library.map(|path| (path, folder.to_owned(), Some(name))));
        let others = ["src/main.rs", "build.rs"].iter().filter_map(|path| below(path));
        let others = others.chain(declared.iter().chain(&programs).filter_map(|path| below(path)));
        let is_target = |path: &&str| {
            TARGETS.iter().filter_map(|target| join(folder, target)).any(|target| {
                let rest = path.strip_prefix(&target).and_then(|rest| rest.strip_prefix('/'));
                rest.is_some_and(|rest| {
                    !rest.contains('/') || (rest.ends_with("/main.rs") && rest.matches('/').count() == 1)
                })
            })
        };
        let targets = files.keys().filter(|path| is_target(path)).map(|&path| path.to_owned());
        let mut rest: Vec<String> = others.chain(targets).collect();
        rest.sort();
        found.extend(rest.into_iter().map(|path| (path, folder.to_owned(), None)));
    }
    let mut seen = HashSet::new();
    found.retain(|(path, _, _): &(String, String, Option<String>)| seen.insert(path.clone()));
    found
}
