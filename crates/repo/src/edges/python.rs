//! Python: modules by path, and names followed through the imports of packages.

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, EdgeClass, FollowedNames, LOOKUPS, TopNames, by_path, positions};
use crate::names::{Imported, ImportedName};
use crate::resolve::ImportMap;

use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) fn collect(sources: &[&CodeFile], map: &ImportMap, found: &mut Collector) {
    let modules = Modules { files: by_path(sources), map };
    for source in sources {
        let from = source.path();
        for import in &source.names.imports {
            let Some(module) = modules.module(from, import) else { continue };
            let written = written_module(&import.path);
            let Imported::Name(name) = &import.what else {
                found.add(from, &module, EdgeClass::Declared, &import.at, &written);
                continue;
            };
            // `from package import module` imports the module.
            if let Some(inner) = modules.inner(from, import, name) {
                found.add(from, &inner, EdgeClass::Declared, &import.at, name);
                continue;
            }
            found.add(from, &module, EdgeClass::Declared, &import.at, &written);
            let files = modules.definitions(&module, name, &mut FollowedNames::default());
            let files = files.iter().map(String::as_str).collect();
            found.add_one(from, &files, EdgeClass::Named, &import.at, name);
        }
    }
    let scopes = PythonScopes {
        sources,
        tops: sources.iter().map(|it| TopNames::new(it)).collect(),
        modules: &modules,
        files: positions(sources),
    };
    types::collect(sources, &scopes, &TypeRules::of_written_names(), found);
}

/// Returns a module path as it is written; each leading dot is an element of `path`: `.`, `.`, `a`, `b` →
/// `..a.b`.
fn written_module(path: &[String]) -> String {
    let dots = path.iter().take_while(|part| *part == ".").count();
    format!("{}{}", ".".repeat(dots), path[dots..].join("."))
}

/// The lookup of names of Python: finds the definitions that a written name means in a file.
struct PythonScopes<'a> {
    sources: &'a [&'a CodeFile],
    tops: Vec<TopNames<'a>>,
    modules: &'a Modules<'a>,
    files: HashMap<&'a str, usize>,
}

impl Scopes for PythonScopes<'_> {
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        // A class sees the names of its own body in annotations.
        let inner = [scope, &path.join(".")].join(".");
        if !scope.is_empty() && self.tops[file].types.contains(inner.as_str()) {
            return vec![FoundDefinition { file, name: inner }];
        }
        self.find_named(file, path, &mut VisitedPaths::new()).into_iter().collect()
    }
}

/// The files with the paths that were looked up in them while one name is resolved. Each pair is looked up
/// once.
type VisitedPaths<'p> = HashSet<(usize, Vec<&'p str>)>;

impl PythonScopes<'_> {
    /// Returns the definitions that `path` means at the outermost level of the file at index `file`: its own,
    /// or those that its imports bring. `seen` ends circles of imports.
    fn find_named<'p>(
        &'p self,
        file: usize,
        path: &[&'p str],
        seen: &mut VisitedPaths<'p>,
    ) -> BTreeSet<FoundDefinition> {
        let Some(first) = path.first() else { return BTreeSet::new() };
        if seen.len() >= LOOKUPS || !seen.insert((file, path.to_vec())) {
            return BTreeSet::new();
        }
        let (from, top) = (self.sources[file].path(), &self.tops[file]);
        if top.symbols.contains(first) {
            return BTreeSet::from([FoundDefinition { file, name: path.join(".") }]);
        }
        let mut found = BTreeSet::new();
        let named = top.imports(first);
        for import in named {
            match &import.what {
                Imported::Name(name) => {
                    if let Some(module) = self.modules.inner(from, import, name) {
                        found.extend(self.in_module(&module, &path[1..], seen));
                        continue;
                    }
                    let module = self.modules.module(from, import);
                    let rest = path[1..].iter().copied();
                    let inner: Vec<&str> = std::iter::once(name.as_str()).chain(rest).collect();
                    found.extend(module.into_iter().flat_map(|it| self.in_module(&it, &inner, seen)));
                }
                _ => found.extend(self.of_import(from, import, path, seen)),
            }
        }
        if !named.is_empty() {
            return found;
        }
        for import in &top.globs {
            let module = self.modules.module(from, import).filter(|module| module != from);
            found.extend(module.into_iter().flat_map(|it| self.in_module(&it, path, seen)));
        }
        found
    }

    /// Returns the definitions that `path` means through `import a.b` or `import a.b as c` in the file
    /// `from`.
    fn of_import<'p>(
        &'p self,
        from: &str,
        import: &ImportedName,
        path: &[&'p str],
        seen: &mut VisitedPaths<'p>,
    ) -> BTreeSet<FoundDefinition> {
        if import.path.first() != Some(&import.alias) {
            let module = self.modules.module(from, import);
            return module.into_iter().flat_map(|it| self.in_module(&it, &path[1..], seen)).collect();
        }
        for count in (1..path.len()).rev() {
            let module: Vec<String> = path[..count].iter().map(|part| (*part).to_owned()).collect();
            if let Some(module) = self.modules.map.python_module(from, &module) {
                return self.in_module(&module, &path[count..], seen);
            }
        }
        BTreeSet::new()
    }

    fn in_module<'p>(
        &'p self,
        module: &str,
        path: &[&'p str],
        seen: &mut VisitedPaths<'p>,
    ) -> BTreeSet<FoundDefinition> {
        let file = self.files.get(module);
        file.map(|file| self.find_named(*file, path, seen)).unwrap_or_default()
    }
}

/// The Python files of a tree. It resolves imports to modules, and names of modules to the files that define
/// them.
struct Modules<'a> {
    files: HashMap<&'a str, &'a CodeFile>,
    map: &'a ImportMap,
}

impl Modules<'_> {
    fn module(&self, from: &str, import: &ImportedName) -> Option<String> {
        self.map.python_module(from, &import.path)
    }

    fn inner(&self, from: &str, import: &ImportedName, name: &str) -> Option<String> {
        let path: Vec<String> = import.path.iter().cloned().chain([name.to_owned()]).collect();
        self.map.python_module(from, &path)
    }

    /// Returns the files that define `name` of a module, following its imports; the module itself if none is
    /// found.
    fn definitions(&self, module: &str, name: &str, followed: &mut FollowedNames) -> BTreeSet<String> {
        let found = self.find_definitions(module, name, followed);
        if found.is_empty() { BTreeSet::from([module.to_owned()]) } else { found }
    }

    fn find_definitions(&self, module: &str, name: &str, followed: &mut FollowedNames) -> BTreeSet<String> {
        followed.follow(module, name, |followed| self.follow_imports(module, name, followed))
    }

    fn follow_imports(&self, module: &str, name: &str, followed: &mut FollowedNames) -> BTreeSet<String> {
        let Some(source) = self.files.get(module) else { return BTreeSet::new() };
        if source.outline.symbols.iter().any(|symbol| symbol.name == name) {
            return BTreeSet::from([module.to_owned()]);
        }
        let imports = &source.names.imports;
        let named = imports.iter().find(|import| import.what != Imported::All && import.alias == name);
        if let Some(import) = named {
            let Some(target) = self.module(module, import) else { return BTreeSet::new() };
            return match &import.what {
                Imported::Name(inner) => match self.inner(module, import, inner) {
                    Some(inner) => BTreeSet::from([inner]),
                    None => self.definitions(&target, inner, followed),
                },
                _ => BTreeSet::from([target]),
            };
        }
        let all = imports.iter().filter(|import| import.what == Imported::All);
        let targets = all.filter_map(|import| self.module(module, import)).filter(|target| target != module);
        targets.flat_map(|target| self.find_definitions(&target, name, followed)).collect()
    }
}
