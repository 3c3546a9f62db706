//! Python: modules by path, and names followed through the imports of packages.

use super::{CodeFile, Collector, EdgeClass, by_path};
use crate::names::{Imported, ImportedName};
use crate::resolve::ImportMap;

use std::collections::{BTreeSet, HashMap};

/// Longest chain of imports that is followed.
const DEPTH: usize = 16;

pub(super) fn collect(sources: &[&CodeFile], map: &ImportMap, found: &mut Collector) {
    let modules = Modules { files: by_path(sources), map };
    for source in sources {
        let from = source.path();
        for import in &source.names.imports {
            let Some(module) = modules.module(from, import) else { continue };
            let written = import.path.concat();
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
            let files = modules.definitions(&module, name, DEPTH);
            let files = files.iter().map(String::as_str).collect();
            found.add_one(from, &files, EdgeClass::Named, &import.at, name);
        }
    }
}

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

    /// Returns the files that define a name of a module; the module itself if it does not say from where it has it.
    fn definitions(&self, module: &str, name: &str, depth: usize) -> BTreeSet<String> {
        let found = self.defined(module, name, depth);
        if found.is_empty() { BTreeSet::from([module.to_owned()]) } else { found }
    }

    fn defined(&self, module: &str, name: &str, depth: usize) -> BTreeSet<String> {
        let (Some(source), true) = (self.files.get(module), depth > 0) else { return BTreeSet::new() };
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
                    None => self.definitions(&target, inner, depth - 1),
                },
                _ => BTreeSet::from([target]),
            };
        }
        let all = imports.iter().filter(|import| import.what == Imported::All);
        let targets = all.filter_map(|import| self.module(module, import)).filter(|target| target != module);
        targets.flat_map(|target| self.defined(&target, name, depth - 1)).collect()
    }
}
