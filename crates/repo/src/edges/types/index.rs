//! All types, functions and fields of the sources of one language, by name.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::{CodeFile, Scopes, TypeRules};
use crate::names::types::{
    BaseClause, BaseForm, DefinitionPlace, FieldOrigin, FileTypes, FunctionDefinition, Index,
    InnerTypeRelation, Owner,
};

/// Index in [`TypeIndex::types`].
pub(super) type TypeId = usize;
/// Index of a function among those of all files.
pub(super) type FunctionId = usize;

/// Maximum number of levels of base types that are searched.
const BASES: usize = 16;
/// Maximum number of types that are searched for one member.
const HIERARCHY: usize = 200;

/// All types, functions and fields in the files of one language, with look-ups by name. Files are named by
/// their index.
pub(super) struct TypeIndex<'a> {
    pub(super) sources: &'a [&'a CodeFile],
    pub(super) rules: &'a TypeRules,
    scopes: &'a dyn Scopes,
    pub(super) types: Vec<TypeEntry<'a>>,
    /// The type of each type definition, by file and position in the file.
    of_definition: Vec<Vec<TypeId>>,
    by_name: HashMap<(usize, &'a str), TypeId>,
    /// The id of the first function of each file.
    offsets: Vec<FunctionId>,
    functions: Vec<FunctionEntry>,
    methods: HashMap<(TypeId, &'a str), Vec<FunctionId>>,
    free: HashMap<(usize, String), Vec<FunctionId>>,
    /// Fields by type and name: file and index.
    fields: HashMap<(TypeId, &'a str), Vec<(usize, usize)>>,
    known: RefCell<HashMap<(usize, Index, Index), Option<TypeId>>>,
}

/// A type that the files of a language define, with the places of its parts and its base types.
pub(super) struct TypeEntry<'a> {
    pub(super) name: &'a str,
    /// The files that define a part of it, each with the line; partial types of C# have several.
    pub(super) parts: Vec<(usize, u32)>,
    pub(super) is_interface: bool,
    pub(super) is_test: bool,
    pub(super) bases: Vec<(TypeId, BaseForm)>,
    /// Its values have the methods of another type, too: `impl Deref for T`.
    pub(super) derefs: bool,
}

/// A function of the code base: its file, its index in the file, and the type that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct FunctionEntry {
    pub(super) file: usize,
    pub(super) at: usize,
    pub(super) owner: Option<TypeId>,
}

impl<'a> TypeIndex<'a> {
    pub(super) fn new(sources: &'a [&'a CodeFile], scopes: &'a dyn Scopes, rules: &'a TypeRules) -> Self {
        let mut index = Self {
            sources,
            rules,
            scopes,
            types: Vec::new(),
            of_definition: Vec::new(),
            by_name: HashMap::new(),
            offsets: Vec::new(),
            functions: Vec::new(),
            methods: HashMap::new(),
            free: HashMap::new(),
            fields: HashMap::new(),
            known: RefCell::default(),
        };
        index.add_types();
        index.add_functions();
        index.add_fields();
        index.add_bases();
        index
    }

    fn add_types(&mut self) {
        let mut partial: HashMap<&str, TypeId> = HashMap::new();
        for (file, source) in self.sources.iter().enumerate() {
            let parts = &source.names.types;
            let mut own = Vec::new();
            for definition in &parts.types {
                let name = parts.word(definition.name);
                let mut known = self.by_name.get(&(file, name)).copied();
                if self.rules.has_partial_types {
                    known = partial.get(name).copied();
                }
                let id = known.unwrap_or(self.types.len());
                if known.is_none() {
                    self.types.push(TypeEntry {
                        name,
                        parts: Vec::new(),
                        is_interface: definition.is_interface,
                        is_test: definition.is_test,
                        bases: Vec::new(),
                        derefs: false,
                    });
                    partial.insert(name, id);
                }
                if self.types[id].parts.iter().all(|(known, _)| *known != file) {
                    self.types[id].parts.push((file, definition.line));
                }
                self.by_name.insert((file, name), id);
                own.push(id);
            }
            self.of_definition.push(own);
        }
    }

    fn add_functions(&mut self) {
        for (file, source) in self.sources.iter().enumerate() {
            self.offsets.push(self.functions.len());
            let parts = &source.names.types;
            for (at, function) in parts.functions.iter().enumerate() {
                let id = self.functions.len();
                let owner = self.owner(file, function.place);
                let name = parts.word(function.name);
                match (owner, function.place.owner) {
                    (Some(owner), _) => self.methods.entry((owner, name)).or_default().push(id),
                    (None, Owner::None) => {
                        let name = qualify_name(parts.word(function.place.scope), name);
                        self.free.entry((file, name)).or_default().push(id);
                    }
                    _ => {}
                }
                self.functions.push(FunctionEntry { file, at, owner });
            }
        }
    }

    fn add_fields(&mut self) {
        for (file, source) in self.sources.iter().enumerate() {
            let parts = &source.names.types;
            for (at, field) in parts.fields.iter().enumerate() {
                if let Some(owner) = self.owner(file, field.place) {
                    self.fields.entry((owner, parts.word(field.name))).or_default().push((file, at));
                }
            }
        }
    }

    fn add_bases(&mut self) {
        for (file, source) in self.sources.iter().enumerate() {
            let parts = &source.names.types;
            for clause in &parts.bases {
                let Some(owner) = self.owner(file, clause.place) else { continue };
                let leaf = parts.written[clause.written as usize].first();
                let name = leaf.map_or("", |leaf| parts.word(leaf.path));
                self.types[owner].derefs |= name.rsplit('.').next() == Some("Deref");
                let base = self.base(file, clause);
                if let Some(base) = base.filter(|base| *base != owner) {
                    self.types[owner].bases.push((base, clause.form));
                }
            }
        }
    }

    /// Returns the type that a clause of base types names; `None` if it is unknown or only inside a
    /// container.
    pub(super) fn base(&self, file: usize, clause: &BaseClause) -> Option<TypeId> {
        let leaf = self.parts(file).written.get(clause.written as usize)?.first()?;
        (leaf.nesting == InnerTypeRelation::Direct)
            .then(|| self.type_of_path(file, clause.place, leaf.path))?
    }

    /// Returns the type that the file at index `file` defines under this full name.
    pub(super) fn type_in_file(&self, file: usize, name: &str) -> Option<TypeId> {
        self.by_name.get(&(file, name)).copied()
    }

    pub(super) fn parts(&self, file: usize) -> &'a FileTypes {
        &self.sources[file].names.types
    }

    /// Returns the type that contains the definition at `place`: the type around it, or that of its `impl`.
    pub(super) fn owner(&self, file: usize, place: DefinitionPlace) -> Option<TypeId> {
        match place.owner {
            Owner::None => None,
            Owner::Type(at) => self.of_definition[file].get(at as usize).copied(),
            Owner::Named(path) => {
                self.type_of_path(file, DefinitionPlace { owner: Owner::None, ..place }, path)
            }
        }
    }

    /// Returns the type that a path written in a file means; `None` unless exactly one does. `path` is an
    /// index into the file's table of words. Results are cached.
    pub(super) fn type_of_path(&self, file: usize, place: DefinitionPlace, path: Index) -> Option<TypeId> {
        let parts = self.parts(file);
        let written = parts.word(path);
        if written == "Self" {
            return self.owner(file, place);
        }
        let key = (file, place.scope, path);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let names: Vec<&str> = written.split('.').collect();
        let found = self.find_type(file, parts.word(place.scope), &names);
        self.known.borrow_mut().insert(key, found);
        found
    }

    /// Returns the type that `path` means inside `scope` of a file; `None` unless exactly one does.
    pub(super) fn find_type(&self, file: usize, scope: &str, path: &[&str]) -> Option<TypeId> {
        if path.iter().any(|part| part.is_empty()) {
            return None;
        }
        let found = self.scopes.find(file, scope, path);
        let types: BTreeSet<TypeId> =
            found.iter().filter_map(|it| self.by_name.get(&(it.file, it.name.as_str())).copied()).collect();
        types.first().copied().filter(|_| types.len() == 1)
    }

    /// Returns the functions that `path` means inside `scope` of a file: free functions, and methods that the
    /// path names with their type.
    pub(super) fn find_functions(&self, file: usize, scope: &str, path: &[&str]) -> Vec<FunctionId> {
        let mut functions = BTreeSet::new();
        for found in self.scopes.find(file, scope, path) {
            if let Some(known) = self.free.get(&(found.file, found.name.clone())) {
                functions.extend(known.iter().copied());
            } else if let Some((own, name)) = found.name.rsplit_once('.')
                && let Some(of) = self.by_name.get(&(found.file, own))
            {
                functions.extend(self.methods(*of, name));
            }
        }
        self.with_bodies(functions.into_iter().collect())
    }

    /// Returns the methods `name` of a type, or else those of its nearest base types.
    pub(super) fn methods(&self, of: TypeId, name: &str) -> Vec<FunctionId> {
        let mut level = vec![of];
        let mut seen = BTreeSet::from([of]);
        for _ in 0..BASES {
            let here = level.iter().filter_map(|of| self.methods.get(&(*of, name))).flatten().copied();
            let here: Vec<FunctionId> = here.collect();
            if !here.is_empty() || seen.len() > HIERARCHY {
                return self.with_bodies(here);
            }
            let next = level.iter().flat_map(|of| self.types[*of].bases.iter().map(|(base, _)| *base));
            level = next.filter(|base| seen.insert(*base)).collect();
        }
        Vec::new()
    }

    /// Returns only the functions with bodies, if there are any: a declaration counts only without a
    /// definition.
    fn with_bodies(&self, all: Vec<FunctionId>) -> Vec<FunctionId> {
        let (bodies, declared): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|id| self.function(*id).has_body);
        if bodies.is_empty() { declared } else { bodies }
    }

    pub(super) fn entry(&self, id: FunctionId) -> FunctionEntry {
        self.functions[id]
    }

    pub(super) fn function(&self, id: FunctionId) -> &'a FunctionDefinition {
        let entry = self.functions[id];
        &self.parts(entry.file).functions[entry.at]
    }

    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    pub(super) fn function_id(&self, file: usize, at: Index) -> FunctionId {
        self.offsets[file] + at as usize
    }

    pub(super) fn path(&self, file: usize) -> &'a str {
        &self.sources[file].outline.path
    }

    /// Returns the name of a function, after that of its type: `Store.load`.
    pub(super) fn name(&self, id: FunctionId) -> String {
        let entry = self.functions[id];
        let parts = self.parts(entry.file);
        let name = parts.word(parts.functions[entry.at].name);
        match entry.owner {
            Some(owner) => format!("{}.{name}", self.short_name(owner)),
            None => name.to_owned(),
        }
    }

    pub(super) fn short_name(&self, id: TypeId) -> &'a str {
        self.types[id].name.rsplit('.').next().unwrap_or_default()
    }

    /// Returns true if the type, or else its nearest base type with this field, declares it and does not only
    /// assign it.
    pub(super) fn declares_field(&self, of: TypeId, name: &str) -> bool {
        let declared =
            |(file, at): &(usize, usize)| self.parts(*file).fields[*at].origin != FieldOrigin::Assigned;
        self.fields(of, name).iter().any(declared)
    }

    /// Returns the fields `name` of a type, or else of its nearest base type, as file and index in the file.
    pub(super) fn fields(&self, of: TypeId, name: &str) -> Vec<(usize, usize)> {
        let mut level = vec![of];
        let mut seen = BTreeSet::from([of]);
        for _ in 0..BASES {
            if let Some(found) = level.iter().find_map(|of| self.fields.get(&(*of, name))) {
                return found.clone();
            }
            let next = level.iter().flat_map(|of| self.types[*of].bases.iter().map(|(base, _)| *base));
            level = next.filter(|base| seen.insert(*base)).collect();
            if level.is_empty() || seen.len() > HIERARCHY {
                break;
            }
        }
        Vec::new()
    }
}

fn qualify_name(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
