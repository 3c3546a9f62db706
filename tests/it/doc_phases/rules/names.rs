//! Holds everything that memory names against the repository: whatever is named exists. For any repository, whoever explored it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use stategraph::repo::{CodeBase, FileOutline, Search, SymbolInfo, SymbolKind, WalkLimits, search};
use stategraph::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, DataModel, FileRole, Memory, RuntimeFlow,
};

/// What is named and is not there, each as a sentence; nothing if all is well.
pub(crate) fn missing(code: &CodeBase, memory: &Memory) -> Vec<String> {
    let walk = code.files().walk(WalkLimits::default());
    let outlines = code.outlines(&walk);
    let symbols: BTreeSet<String> = outlines.iter().flat_map(|file| names(file)).collect();
    let components = memory.entries::<ComponentSummary>().into_iter().map(|entry| entry.component_id);
    let known = Known { code, outlines, symbols, components: components.collect(), missing: Vec::new() };
    known.check(memory)
}

struct Known<'c> {
    code: &'c CodeBase,
    outlines: Vec<Arc<FileOutline>>,
    symbols: BTreeSet<String>,
    components: BTreeSet<String>,
    missing: Vec<String>,
}

fn names(file: &FileOutline) -> Vec<String> {
    file.walk().map(|(_, symbol)| symbol.name.clone()).collect()
}

impl Known<'_> {
    fn check(mut self, memory: &Memory) -> Vec<String> {
        memory.entries::<ArchitectureOverview>().iter().for_each(|entry| self.overview(entry));
        memory.entries::<ComponentSummary>().iter().for_each(|entry| self.component(entry));
        memory.entries::<FileRole>().iter().for_each(|entry| self.role(entry));
        memory.entries::<DataModel>().iter().for_each(|entry| self.model(entry));
        memory.entries::<RuntimeFlow>().iter().for_each(|entry| {
            entry.components_involved.iter().for_each(|id| self.component_id(&entry.flow_id, id));
            entry.steps.iter().for_each(|step| self.step(&entry.flow_id, &step.action));
        });
        memory.entries::<CrossCuttingConcern>().iter().for_each(|entry| {
            entry.files_involved.iter().for_each(|path| self.path(&entry.concern_id, path));
            entry.components_affected.iter().for_each(|id| self.component_id(&entry.concern_id, id));
            entry.key_abstractions.iter().for_each(|name| self.symbol(&entry.concern_id, name));
        });
        self.missing
    }

    fn overview(&mut self, entry: &ArchitectureOverview) {
        entry.verified_by_files.iter().for_each(|path| self.path("overview", path));
        entry.component_boundaries.values().flatten().for_each(|path| self.path("overview", path));
        for entry_point in &entry.entry_points {
            self.path(
                "overview",
                entry_point.split_once(": ").map_or(entry_point.as_str(), |(path, _)| path),
            );
        }
        for said in &entry.key_abstractions {
            self.symbol("overview", said.split(':').next().unwrap_or(said));
        }
        entry.major_components.iter().for_each(|id| self.component_id("overview", id));
    }

    fn component(&mut self, entry: &ComponentSummary) {
        let id = &entry.component_id;
        entry
            .key_files
            .iter()
            .chain(&entry.explored_files)
            .chain([&entry.root_path])
            .for_each(|path| self.path(id, path));
        // A method is named with its type: both are defined.
        let names = entry.public_interfaces.iter().flat_map(|interface| interface.name.split("::"));
        names.flat_map(|name| name.split('.')).for_each(|name| self.symbol(id, name));
        entry.dependencies.iter().chain(&entry.dependents).for_each(|other| self.component_id(id, other));
        for name in entry.design_patterns_used.iter().filter_map(|said| said.rsplit(": ").next()) {
            self.symbol(id, name);
        }
    }

    fn role(&mut self, entry: &FileRole) {
        let id = &entry.file_path;
        self.path(id, id);
        entry.imports_from.iter().chain(&entry.imported_by).for_each(|path| self.path(id, path));
        let functions = entry.key_functions.iter().map(|function| &function.name);
        let methods = entry.key_classes.iter().flat_map(|class| class.methods.iter().chain([&class.name]));
        for name in entry.key_exports.iter().chain(functions).chain(methods) {
            self.symbol_of(id, name);
        }
        self.component_id(id, &entry.component);
    }

    fn model(&mut self, entry: &DataModel) {
        let id = &entry.model_id;
        self.path(id, &entry.file_path);
        self.symbol_of(&entry.file_path, &entry.model_name);
        let Some(file) = self.code.get_outline(&entry.file_path) else { return };
        let found: Vec<&SymbolInfo> = file
            .walk()
            .map(|(_, symbol)| symbol)
            .filter(|symbol| symbol.name == entry.model_name && symbol.kind != SymbolKind::Impl)
            .collect();
        for field in &entry.fields {
            if !found.iter().flat_map(|symbol| &symbol.children).any(|child| child.name == field.name) {
                self.missing.push(format!("{id}: no field `{}` of `{}`", field.name, entry.model_name));
            }
        }
        entry.relationships.iter().for_each(|tie| self.symbol(id, &tie.target_model));
    }

    /// `a (x.rs) calls b (y.rs)`: both are defined where it says, and the name that is called stands in the first file. A script is its
    /// path alone.
    fn step(&mut self, of: &str, action: &str) {
        let Some((from, to)) = action.split_once(" calls ") else {
            return self.missing.push(format!("{of}: no call: {action}"));
        };
        let place = |said: &str| match said.split_once(" (") {
            Some((name, path)) => (
                Some(name.rsplit("::").next().unwrap_or(name).to_owned()),
                path.trim_end_matches(')').to_owned(),
            ),
            None => (None, said.to_owned()),
        };
        let ((from_name, from_path), (to_name, to_path)) = (place(from), place(to));
        for (name, path) in [(&from_name, &from_path), (&to_name, &to_path)] {
            self.path(of, path);
            name.iter().for_each(|name| self.symbol_of(path, name));
        }
        let text = self.code.read_file(&from_path, usize::MAX).unwrap_or_default();
        if to_name.is_none_or(|name| !text.contains(&name)) {
            self.missing.push(format!("{of}: `{from_path}` does not name what is called: {action}"));
        }
    }

    fn path(&mut self, of: &str, path: &str) {
        let there = path == "."
            || self.code.files().path(Path::new(path)).is_ok_and(|found| {
                self.code.files().file_exists(&found) || self.code.files().list(&found).is_ok()
            });
        if !there {
            self.missing.push(format!("{of}: no file or folder `{path}`"));
        }
    }

    fn symbol(&mut self, of: &str, name: &str) {
        if !self.symbols.contains(name) && !self.stands_in_a_macro(name) {
            self.missing.push(format!("{of}: nothing defines `{name}`"));
        }
    }

    /// Whether a line defines the name where no outline sees it: in the arguments of a macro.
    fn stands_in_a_macro(&self, name: &str) -> bool {
        let pattern = format!(r"(?-iu)\b(struct|enum|union|trait|class|interface|type)\s+{name}\b");
        search(&**self.code.files(), &Search::new(pattern)).is_ok_and(|found| found.lines > 0)
    }

    fn symbol_of(&mut self, path: &str, name: &str) {
        let file = self.outlines.iter().find(|file| file.path == path);
        if !file.is_some_and(|file| names(file).iter().any(|known| known == name)) {
            self.missing.push(format!("`{path}` does not define `{name}`"));
        }
    }

    fn component_id(&mut self, of: &str, id: &str) {
        if !self.components.contains(id) {
            self.missing.push(format!("{of}: no component `{id}`"));
        }
    }
}
