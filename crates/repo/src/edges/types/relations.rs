//! Relations between types: bases, and fields by their written types.

use std::collections::{BTreeMap, HashMap};

use super::index::{TypeId, TypeIndex};
use super::values::LookupSite;
use crate::edges::{Collector, RelationKind, TypeRelation};
use crate::names::types::{BaseForm, FieldOrigin, InnerTypeRelation, TypeStep};
use crate::outline::{Language, SymbolInfo};

/// Maximum number of types inside the type of one field that are considered.
const LEAVES: usize = 8;

pub(super) fn collect(index: &TypeIndex, found: &mut Collector) {
    let mut names = TypeNames { index, of_files: HashMap::new() };
    for file in 0..index.sources.len() {
        bases(&mut names, file, found);
        fields(&mut names, file, found);
    }
}

fn bases(names: &mut TypeNames, file: usize, found: &mut Collector) {
    let index = names.index;
    let parts = index.parts(file);
    for clause in parts.bases.iter().filter(|clause| clause.form != BaseForm::Embeds) {
        let Some(owner) = index.owner(file, clause.place) else { continue };
        // Types of C# that differ in their parameters alone have one name.
        let Some(base) = index.base(file, clause).filter(|base| *base != owner) else { continue };
        // C# writes both in one list.
        let is_implements = if index.rules.has_partial_types {
            index.types[base].is_interface && !index.types[owner].is_interface
        } else {
            clause.form == BaseForm::Implements
        };
        let kind = if is_implements { RelationKind::Implements } else { RelationKind::Extends };
        names.add(owner, base, kind, None, (file, clause.line), clause.is_test, found);
    }
}

fn fields(names: &mut TypeNames, file: usize, found: &mut Collector) {
    let index = names.index;
    let parts = index.parts(file);
    for field in parts.fields.iter().filter(|field| field.origin != FieldOrigin::NotStored) {
        let (Some(owner), Some(link)) = (index.owner(file, field.place), field.link) else { continue };
        let Some(TypeStep::Type(written)) = parts.links.get(link as usize) else { continue };
        let name = parts.word(field.name);
        if field.origin == FieldOrigin::Assigned && index.declares_field(owner, name) {
            continue;
        }
        let site = LookupSite { file, place: field.place };
        // One field has each type once: `Map<A, A>`.
        let mut types: BTreeMap<TypeId, InnerTypeRelation> = BTreeMap::new();
        for leaf in parts.written[*written as usize].iter().take(LEAVES) {
            if let Some(of) = index.leaf_type(site, *leaf) {
                types
                    .entry(of)
                    .and_modify(|known| *known = (*known).max(leaf.nesting))
                    .or_insert(leaf.nesting);
            }
        }
        for (of, nesting) in types {
            let kind =
                if nesting == InnerTypeRelation::Many { RelationKind::Many } else { RelationKind::Has };
            names.add(owner, of, kind, Some(name.to_owned()), (file, field.line), field.is_test, found);
        }
    }
}

/// The full names of types as outlines show them, by file, line and short name; computed when needed.
struct TypeNames<'a> {
    index: &'a TypeIndex<'a>,
    of_files: HashMap<usize, HashMap<(usize, String), String>>,
}

impl TypeNames<'_> {
    #[allow(clippy::too_many_arguments, reason = "a relation has two ends, a kind and a place")]
    fn add(
        &mut self,
        from: TypeId,
        to: TypeId,
        kind: RelationKind,
        field: Option<String>,
        (file, line): (usize, u32),
        is_test: bool,
        found: &mut Collector,
    ) {
        let index = self.index;
        let (from_file, from_line) = self.written_part(from);
        let (to_file, to_line) = self.written_part(to);
        found.relations.push(TypeRelation {
            from: index.path(from_file).to_owned(),
            from_name: self.name(from, from_file, from_line),
            to: index.path(to_file).to_owned(),
            to_name: self.name(to, to_file, to_line),
            kind,
            field,
            path: index.path(file).to_owned(),
            line: line as usize,
            is_test: is_test || index.types[from].is_test,
        });
    }

    /// Returns the file and the line of a type's first part that is not generated (`.Designer.cs`, `.g.cs`),
    /// or else of its first part.
    fn written_part(&self, of: TypeId) -> (usize, u32) {
        let parts = &self.index.types[of].parts;
        let is_made = |file: usize| {
            let path = self.index.path(file);
            path.ends_with(".Designer.cs") || path.ends_with(".g.cs")
        };
        *parts.iter().find(|(file, _)| !is_made(*file)).unwrap_or(&parts[0])
    }

    fn name(&mut self, of: TypeId, file: usize, line: u32) -> String {
        let index = self.index;
        let is_c = index.sources[file].outline.language == Language::C;
        let names = self.of_files.entry(file).or_insert_with(|| {
            let all = index.sources[file].outline.walk();
            all.map(|(around, symbol): (Vec<&str>, &SymbolInfo)| {
                // In C a structure inside a `typedef` has its own name.
                let around = if is_c { &[][..] } else { &around[..] };
                let full = around.iter().copied().chain([symbol.name.as_str()]).collect::<Vec<_>>().join(".");
                ((symbol.name_line, symbol.name.clone()), full)
            })
            .collect()
        });
        let short = index.short_name(of);
        names.get(&(line as usize, short.to_owned())).cloned().unwrap_or_else(|| short.to_owned())
    }
}
