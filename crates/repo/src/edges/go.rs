//! Go: packages are folders; names of a package are found in its files.

use std::collections::{BTreeSet, HashMap};

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, EdgeClass, TopNames, positions};
use crate::names::{Imported, ImportedName};
use crate::outline::SymbolKind;
use crate::resolve::{ImportMap, split};

pub(super) fn collect(sources: &[&CodeFile], map: &ImportMap, found: &mut Collector) {
    let mut packages = Packages { definitions: HashMap::new() };
    for source in sources {
        let (folder, is_test) = (split(source.path()).0, is_test(source));
        let top = source.outline.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Method);
        for symbol in top {
            let files = packages.definitions.entry((folder, symbol.name.as_str())).or_default();
            files.insert((is_test, source.path()));
        }
    }
    for source in sources {
        let from = source.path();
        let package_of = |import: &ImportedName| map.go_package(&import.path[0]);
        let imported: Vec<(String, &ImportedName)> =
            source.names.imports.iter().filter_map(|import| Some((package_of(import)?, import))).collect();
        for (package, import) in &imported {
            found.add(from, package, EdgeClass::Declared, &import.at, &import.path[0]);
        }
        // A package for tests of another one sees it through its import only.
        let is_outside = source.names.packages.first().is_some_and(|name| name[0].ends_with("_test"));
        for name in &source.names.names {
            let named = imported.iter().find(|(_, import)| import.alias == name.path[0]);
            let folders: Vec<&str> = match named {
                Some((package, _)) if name.path.len() > 1 => vec![package],
                _ if name.path.len() > 1 => continue,
                _ => {
                    let dots = imported.iter().filter(|(_, import)| import.what == Imported::All);
                    let own = (!is_outside).then_some(split(from).0);
                    own.into_iter().chain(dots.map(|(package, _)| package.as_str())).collect()
                }
            };
            let last = name.path.last().map_or("", String::as_str);
            let files = folders.iter().flat_map(|folder| packages.files(folder, last, source)).collect();
            found.add_one(from, &files, EdgeClass::Named, &name.at, &name.path.join("."));
        }
    }
    let scopes = GoScopes {
        sources,
        tops: sources.iter().map(|it| TopNames::new(it)).collect(),
        packages: &packages,
        map,
        files: positions(sources),
    };
    let rules = TypeRules { falls_back_to_types: true, calls_types: false, ..TypeRules::of_written_names() };
    types::collect(sources, &scopes, &rules, found);
}

/// The lookup of names of Go: finds the definitions that a written name means in a file.
struct GoScopes<'a> {
    sources: &'a [&'a CodeFile],
    tops: Vec<TopNames<'a>>,
    packages: &'a Packages<'a>,
    map: &'a ImportMap,
    files: HashMap<&'a str, usize>,
}

impl Scopes for GoScopes<'_> {
    fn find(&self, file: usize, _scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        let (source, top) = (self.sources[file], &self.tops[file]);
        let imported = |import: &ImportedName| self.map.go_package(&import.path[0]);
        let folders: Vec<String> = match path {
            [_] => {
                let own = split(source.path()).0.to_owned();
                std::iter::once(own).chain(top.globs.iter().filter_map(|it| imported(it))).collect()
            }
            [package, _] => top.imports(package).iter().filter_map(|it| imported(it)).collect(),
            _ => return Vec::new(),
        };
        let name = path[path.len() - 1];
        let files = folders.iter().flat_map(|folder| self.packages.files(folder, name, source));
        let found: BTreeSet<&str> = files.collect();
        let found = found.into_iter().filter_map(|file| self.files.get(file));
        found.map(|file| FoundDefinition { file: *file, name: name.to_owned() }).collect()
    }
}

fn is_test(source: &CodeFile) -> bool {
    source.path().ends_with("_test.go")
}

/// The names that the packages (folders) of Go define, with their files.
struct Packages<'a> {
    /// The files that define a name, by folder and name; true marks test files.
    definitions: HashMap<(&'a str, &'a str), BTreeSet<(bool, &'a str)>>,
}

impl<'a> Packages<'a> {
    /// Returns the files in a package's folder that define a name. Test files are included only if `asking`
    /// is one.
    fn files(&self, folder: &str, name: &str, asking: &CodeFile) -> Vec<&'a str> {
        let all = self.definitions.get(&(folder, name)).into_iter().flatten();
        all.filter(|(is_test_file, _)| !is_test_file || is_test(asking)).map(|(_, file)| *file).collect()
    }
}
