//! JavaScript and TypeScript: modules by path, and names followed through re-exports.

use std::collections::{BTreeSet, HashMap};

use super::{CodeFile, Collector, EdgeClass, by_path};
use crate::names::{Imported, ImportedName};
use crate::resolve::ImportMap;

/// Longest chain of re-exports that is followed.
const DEPTH: usize = 16;

pub(super) fn collect(sources: &[&CodeFile], map: &ImportMap, found: &mut Collector) {
    let scripts = Scripts { files: by_path(sources), map };
    for source in sources {
        let from = source.path();
        for import in &source.names.imports {
            let Some(module) = scripts.module(from, import) else { continue };
            found.add(from, &module, EdgeClass::Declared, &import.at, &import.path[0]);
            let Imported::Name(name) = &import.what else { continue };
            let files = scripts.definitions(&module, name, DEPTH);
            let files = files.iter().map(String::as_str).collect();
            found.add_one(from, &files, EdgeClass::Named, &import.at, name);
        }
    }
}

struct Scripts<'a> {
    files: HashMap<&'a str, &'a CodeFile>,
    map: &'a ImportMap,
}

impl Scripts<'_> {
    fn module(&self, from: &str, import: &ImportedName) -> Option<String> {
        self.map.script_module(from, import.path.first()?)
    }

    /// Returns the files that define a name which a module exports; the module itself if it does not say from where it has it.
    fn definitions(&self, module: &str, name: &str, depth: usize) -> BTreeSet<String> {
        let found = self.exported(module, name, depth);
        if found.is_empty() { BTreeSet::from([module.to_owned()]) } else { found }
    }

    fn exported(&self, module: &str, name: &str, depth: usize) -> BTreeSet<String> {
        let here = || BTreeSet::from([module.to_owned()]);
        let (Some(source), true) = (self.files.get(module), depth > 0) else { return BTreeSet::new() };
        let names = &source.names;
        let follow = |import: &ImportedName| {
            let target = self.module(module, import)?;
            Some(match &import.what {
                Imported::Name(inner) => self.definitions(&target, inner, depth - 1),
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
        if let Some(files) = brought.and_then(follow) {
            return files;
        }
        let all = names.imports.iter().filter(|import| import.what == Imported::All && import.is_public);
        let targets = all.filter_map(|import| self.module(module, import));
        targets.flat_map(|target| self.exported(&target, name, depth - 1)).collect()
    }
}
