//! JavaScript and TypeScript: modules by path, and names followed through re-exports.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, EdgeClass, FollowedNames, LOOKUPS, TopNames, by_path, positions};
use crate::names::{Imported, ImportedName};
use crate::resolve::ImportMap;

pub(super) fn collect(sources: &[&CodeFile], map: &ImportMap, found: &mut Collector) {
    let scripts = Scripts { files: by_path(sources), map };
    for source in sources {
        let from = source.path();
        for import in &source.names.imports {
            let Some(module) = scripts.module(from, import) else { continue };
            found.add(from, &module, EdgeClass::Declared, &import.at, &import.path[0]);
            let Imported::Name(name) = &import.what else { continue };
            let files = scripts.definitions(&module, name, &mut FollowedNames::default());
            let files = files.iter().map(String::as_str).collect();
            found.add_one(from, &files, EdgeClass::Named, &import.at, name);
        }
    }
    let scopes = ScriptScopes {
        sources,
        tops: sources.iter().map(|it| TopNames::new(it)).collect(),
        scripts: &scripts,
        files: positions(sources),
    };
    types::collect(
        sources,
        &scopes,
        &TypeRules { calls_types: false, ..TypeRules::of_written_names() },
        found,
    );
}

/// The lookup of names of JavaScript and TypeScript: finds the definitions that a written name means in a
/// file.
struct ScriptScopes<'a> {
    sources: &'a [&'a CodeFile],
    tops: Vec<TopNames<'a>>,
    scripts: &'a Scripts<'a>,
    files: HashMap<&'a str, usize>,
}

impl Scopes for ScriptScopes<'_> {
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        let (from, top) = (self.sources[file].path(), &self.tops[file]);
        let mut around = scope;
        while !around.is_empty() {
            let inner = [around, &path.join(".")].join(".");
            if top.types.contains(inner.as_str()) {
                return vec![FoundDefinition { file, name: inner }];
            }
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        if top.symbols.contains(path[0]) {
            return vec![FoundDefinition { file, name: path.join(".") }];
        }
        let (mut found, mut seen) = (BTreeSet::new(), VisitedExports::new());
        for import in top.imports(path[0]) {
            let Some(module) = self.scripts.module(from, import) else { continue };
            if let Imported::Name(name) = &import.what {
                found.extend(self.find_exported(&module, name, &path[1..], &mut seen));
            } else if let Some((first, rest)) = path[1..].split_first() {
                found.extend(self.find_exported(&module, first, rest, &mut seen));
            }
        }
        found.into_iter().collect()
    }
}

/// The look-ups made while one path is resolved: file, name, and the number of names of the path that follow
/// it. Each is made once.
type VisitedExports<'p> = HashSet<(usize, &'p str, usize)>;

impl ScriptScopes<'_> {
    /// Returns the definitions of `name` that a module exports, followed by the names in `rest` (a member,
    /// say). Follows re-exports; `seen` ends circles of them.
    fn find_exported<'p>(
        &'p self,
        module: &str,
        name: &'p str,
        rest: &[&'p str],
        seen: &mut VisitedExports<'p>,
    ) -> BTreeSet<FoundDefinition> {
        let Some(&file) = self.files.get(module) else { return BTreeSet::new() };
        if seen.len() >= LOOKUPS || !seen.insert((file, name, rest.len())) {
            return BTreeSet::new();
        }
        let top = &self.tops[file];
        let export = top.exports.get(name);
        let local = match export.map(|export| &export.what) {
            Some(Imported::Name(local)) => local.as_str(),
            _ => name,
        };
        if top.symbols.contains(local) {
            let name = std::iter::once(local).chain(rest.iter().copied()).collect::<Vec<_>>().join(".");
            return BTreeSet::from([FoundDefinition { file, name }]);
        }
        let brought = top.imports(local).iter().find(|it| it.is_public || export.is_some());
        if let Some(import) = brought {
            let Some(target) = self.scripts.module(module, import) else { return BTreeSet::new() };
            return match (&import.what, rest.split_first()) {
                (Imported::Name(inner), _) => self.find_exported(&target, inner, rest, seen),
                (_, Some((first, rest))) => self.find_exported(&target, first, rest, seen),
                _ => BTreeSet::new(),
            };
        }
        let all = top.globs.iter().filter(|import| import.is_public);
        let targets = all.filter_map(|import| self.scripts.module(module, import));
        targets.flat_map(|target| self.find_exported(&target, name, rest, seen)).collect()
    }
}

/// The JavaScript and TypeScript files of a tree. It resolves imports to modules, and exported names to the
/// files that define them.
struct Scripts<'a> {
    files: HashMap<&'a str, &'a CodeFile>,
    map: &'a ImportMap,
}

impl Scripts<'_> {
    fn module(&self, from: &str, import: &ImportedName) -> Option<String> {
        self.map.script_module(from, import.path.first()?)
    }

    /// Returns the files that define `name` as a module exports it, following re-exports; the module itself
    /// if none is found.
    fn definitions(&self, module: &str, name: &str, followed: &mut FollowedNames) -> BTreeSet<String> {
        let found = self.find_exported(module, name, followed);
        if found.is_empty() { BTreeSet::from([module.to_owned()]) } else { found }
    }

    fn find_exported(&self, module: &str, name: &str, followed: &mut FollowedNames) -> BTreeSet<String> {
        followed.follow(module, name, |followed| self.follow_exports(module, name, followed))
    }

    fn follow_exports(&self, module: &str, name: &str, followed: &mut FollowedNames) -> BTreeSet<String> {
        let here = || BTreeSet::from([module.to_owned()]);
        let Some(source) = self.files.get(module) else { return BTreeSet::new() };
        let names = &source.names;
        let mut follow = |import: &ImportedName| {
            let target = self.module(module, import)?;
            Some(match &import.what {
                Imported::Name(inner) => self.definitions(&target, inner, followed),
                _ => BTreeSet::from([target]),
            })
        };
        // `export { a as name }`: what `a` is here.
        let export = names.exports.iter().find(|export| export.alias == name);
        let local = match export.map(|export| &export.what) {
            Some(Imported::Name(local)) => local.as_str(),
            _ => name,
        };
        if source.outline.symbols.iter().any(|symbol| symbol.name == local) {
            return here();
        }
        let is_local = |import: &&ImportedName| import.what != Imported::All && import.alias == local;
        let brought =
            names.imports.iter().filter(|import| import.is_public || export.is_some()).find(is_local);
        if let Some(files) = brought.and_then(&mut follow) {
            return files;
        }
        let all = names.imports.iter().filter(|import| import.what == Imported::All && import.is_public);
        let targets = all.filter_map(|import| self.module(module, import));
        targets.flat_map(|target| self.find_exported(&target, name, followed)).collect()
    }
}
