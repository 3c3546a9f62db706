//! C and C++: types and functions of the files that a file includes, and the implementations of their headers.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::types::{self, FoundDefinition, Scopes, TypeRules};
use super::{CodeFile, Collector, positions};
use crate::names::types::Owner;
use crate::resolve::{ImportMap, split};

/// Maximum number of files that one file sees through includes, direct and indirect.
const INCLUDED: usize = 400;
/// Maximum number of files with a given name that are considered; further ones are ignored.
const CANDIDATES: usize = 200;

const RULES: TypeRules = TypeRules {
    has_implicit_own: true,
    falls_back_to_types: true,
    names_functions: true,
    ..TypeRules::of_written_names()
};

pub(super) fn collect(sources: &[&CodeFile], map: &ImportMap, found: &mut Collector) {
    if sources.is_empty() {
        return;
    }
    let files = positions(sources);
    let included = |source: &CodeFile| {
        let targets = source.outline.imports.iter().flat_map(|import| map.import(&source.outline, import));
        let targets: BTreeSet<usize> = targets.filter_map(|path| files.get(path.as_str()).copied()).collect();
        targets.into_iter().collect::<Vec<usize>>()
    };
    let scopes = CScopes {
        sources,
        includes: sources.iter().map(|source| included(source)).collect(),
        visible: sources.iter().map(|_| OnceCell::new()).collect(),
        names: names(sources),
        stems: stems(sources),
        declared: declared(sources),
    };
    types::collect(sources, &scopes, &RULES, found);
}

/// The lookup of names of C and C++: finds the definitions that a written name means in a file.
struct CScopes<'a> {
    sources: &'a [&'a CodeFile],
    /// The indexes of the files that each file includes directly.
    includes: Vec<Vec<usize>>,
    /// The indexes of the files that each file includes directly or indirectly, itself among them; computed
    /// when needed.
    visible: Vec<OnceCell<HashSet<usize>>>,
    /// The files that define or declare a type or a function, by its full name.
    names: HashMap<String, Vec<DefiningFile>>,
    /// The files by their names without folder and ending: `src/list.c` under `list`.
    stems: HashMap<&'a str, Vec<usize>>,
    /// Files that declare a type without defining it, by its full name.
    declared: HashMap<String, Vec<usize>>,
}

/// A file that defines or declares a type or function.
#[derive(Clone, Copy)]
struct DefiningFile {
    file: usize,
    /// True for a function without a body.
    is_declaration: bool,
}

fn names(sources: &[&CodeFile]) -> HashMap<String, Vec<DefiningFile>> {
    let mut found: HashMap<String, Vec<DefiningFile>> = HashMap::new();
    for (file, source) in sources.iter().enumerate() {
        let parts = &source.names.types;
        let types = parts.types.iter().map(|it| (parts.word(it.name).to_owned(), false));
        let free = parts.functions.iter().filter(|it| it.place.owner == Owner::None);
        let functions = free.map(|it| {
            let (scope, name) = (parts.word(it.place.scope), parts.word(it.name));
            let full = if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") };
            (full, !it.has_body)
        });
        for (name, is_declaration) in types.chain(functions) {
            let known = found.entry(name).or_default();
            if let Some(last) = known.last_mut().filter(|last| last.file == file) {
                last.is_declaration &= is_declaration;
            } else if known.len() < CANDIDATES {
                known.push(DefiningFile { file, is_declaration });
            }
        }
    }
    found
}

fn declared(sources: &[&CodeFile]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (file, source) in sources.iter().enumerate() {
        for name in &source.names.defined {
            let known = found.entry(name.path.join(".")).or_default();
            if known.len() < CANDIDATES && known.last() != Some(&file) {
                known.push(file);
            }
        }
    }
    found
}

fn stem(path: &str) -> &str {
    let name = split(path).1;
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

fn stems<'a>(sources: &[&'a CodeFile]) -> HashMap<&'a str, Vec<usize>> {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (file, source) in sources.iter().enumerate() {
        let known = found.entry(stem(source.path())).or_default();
        if known.len() < CANDIDATES {
            known.push(file);
        }
    }
    found
}

impl CScopes<'_> {
    fn visible(&self, file: usize) -> &HashSet<usize> {
        self.visible[file].get_or_init(|| {
            let mut seen = HashSet::from([file]);
            let mut open = std::collections::VecDeque::from([file]);
            while let Some(next) = open.pop_front() {
                for included in &self.includes[next] {
                    if seen.len() < INCLUDED && seen.insert(*included) {
                        open.push_back(*included);
                    }
                }
            }
            seen
        })
    }

    /// Returns the files that define the full name `name` for the file at index `file`: itself, or else those
    /// that it includes, with the implementations of what these declare.
    fn find_named(&self, file: usize, name: &str) -> Vec<FoundDefinition> {
        let Some(all) = self.names.get(name) else { return Vec::new() };
        let found = |file: usize| FoundDefinition { file, name: name.to_owned() };
        if all.iter().any(|it| it.file == file && !it.is_declaration) {
            return vec![found(file)];
        }
        let visible = self.visible(file);
        let mut files = BTreeSet::new();
        for seen in all.iter().filter(|it| visible.contains(&it.file)) {
            files.insert(seen.file);
            if seen.is_declaration {
                files.extend(self.implementations(seen.file, all));
            }
        }
        if files.is_empty() {
            files.extend(self.declared_type(file, name, all));
        }
        files.into_iter().map(found).collect()
    }

    /// Returns the only file that defines the type `name`, if the file at index `file` sees a declaration of
    /// it.
    fn declared_type(&self, file: usize, name: &str, all: &[DefiningFile]) -> Option<usize> {
        let [only] = all else { return None };
        let declared = self.declared.get(name)?;
        let visible = self.visible(file);
        declared.iter().any(|it| visible.contains(it)).then_some(only.file)
    }

    /// Returns the files that define a function which `header` declares: the only definition anywhere; or of
    /// several those with the header's name (`list.c` for `list.h`), if possible in its folder.
    fn implementations(&self, header: usize, all: &[DefiningFile]) -> Vec<usize> {
        let path = self.sources[header].path();
        let bodies: Vec<usize> =
            all.iter().filter(|it| !it.is_declaration && it.file != header).map(|it| it.file).collect();
        // A program has one definition of a function: the only one is meant wherever it stands.
        if bodies.len() == 1 {
            return bodies;
        }
        let same = self.stems.get(stem(path)).map_or(&[][..], Vec::as_slice);
        let same: Vec<usize> = bodies.into_iter().filter(|file| same.contains(file)).collect();
        let beside = same.iter().copied().filter(|file| split(self.sources[*file].path()).0 == split(path).0);
        let beside: Vec<usize> = beside.collect();
        if beside.is_empty() { same } else { beside }
    }
}

impl Scopes for CScopes<'_> {
    fn find(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FoundDefinition> {
        let written = path.join(".");
        let mut around = scope;
        loop {
            let full = if around.is_empty() { written.clone() } else { format!("{around}.{written}") };
            let found = self.find_named(file, &full);
            if !found.is_empty() || around.is_empty() {
                return found;
            }
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }
}
