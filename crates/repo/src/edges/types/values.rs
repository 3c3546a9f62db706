//! The types of links: fields, results of methods with written types, and names.

use super::index::{FunctionId, TypeId, TypeIndex};
use crate::names::types::{
    DefinitionPlace, FieldOrigin, Index, InnerType, InnerTypeRelation, Owner, TypeStep,
};

/// Maximum number of links (fields and calls) that are followed for one value.
const DEPTH: usize = 24;
/// Maximum number of calls in a chain whose result types are followed; a constructor counts as none.
const RESULTS: usize = 1;
/// Methods of `Arc`, `Rc` and `Box` themselves. Such a call does not reach the content.
const OF_POINTERS: &[&str] = &[
    "clone",
    "as_ref",
    "as_mut",
    "borrow",
    "borrow_mut",
    "eq",
    "ne",
    "cmp",
    "hash",
    "fmt",
    "into",
    "to_string",
    "deref",
];

/// A value in the code whose type is known, such as the receiver of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypedValue {
    pub(super) of: TypeId,
    pub(super) nesting: InnerTypeRelation,
    /// Number of call results in the chain that leads to it.
    results: usize,
}

/// The result of resolving a call: the functions that it may run, or the type that it constructs.
pub(super) struct CallTarget {
    /// Several if the language has overloads or conditional compilation; empty if the method is not found.
    pub(super) functions: Vec<FunctionId>,
    /// The value on which a method is called; `None` for a free or static function.
    pub(super) receiver: Option<TypedValue>,
    /// The type of which the call makes a value; `None` for other calls.
    constructed: Option<TypeId>,
}

/// The result of looking up a call without a receiver among the members of the types around it.
enum Implicit {
    /// The types around the call have no such member.
    NoMember,
    /// They have one; the target is `None` if the type of the field in it is not known.
    Member(Option<CallTarget>),
}

/// The place in the code from which a name is looked up.
#[derive(Clone, Copy)]
pub(super) struct LookupSite {
    pub(super) file: usize,
    pub(super) place: DefinitionPlace,
}

impl TypedValue {
    /// Returns true if the code writes the type of this value itself, and it is not the result of a call.
    pub(super) fn is_written(self) -> bool {
        self.results == 0
    }
}

impl TypeIndex<'_> {
    /// Returns the last name of the method or function that the link at index `link` calls; empty if it is no
    /// call.
    pub(super) fn called_name(&self, file: usize, link: Index) -> &str {
        let parts = self.parts(file);
        match parts.links.get(link as usize) {
            Some(TypeStep::Call(_, name)) => parts.word(*name),
            Some(TypeStep::CallPath(path)) => parts.word(*path).rsplit('.').next().unwrap_or_default(),
            _ => "",
        }
    }

    /// Returns the name that a link calls, with the path before it as it is written: `shop.load`.
    pub(super) fn called_path(&self, file: usize, link: Index) -> String {
        let parts = self.parts(file);
        match parts.links.get(link as usize) {
            Some(TypeStep::CallPath(path)) => parts.word(*path).to_owned(),
            _ => self.called_name(file, link).to_owned(),
        }
    }

    /// Returns the functions that the call at index `link` may run; `None` if its receiver or path is not
    /// known.
    pub(super) fn call(&self, site: LookupSite, link: Index) -> Option<CallTarget> {
        self.call_within(site, link, DEPTH)
    }

    fn call_within(&self, site: LookupSite, link: Index, depth: usize) -> Option<CallTarget> {
        let depth = depth.checked_sub(1)?;
        let parts = self.parts(site.file);
        match *parts.links.get(link as usize)? {
            TypeStep::Call(of, name) => {
                let name = parts.word(name);
                if parts.links.get(of as usize) == Some(&TypeStep::Super) {
                    return self.call_of_base(site, name);
                }
                let receiver = self.value(site, of, depth)?;
                let is_value = receiver.nesting == InnerTypeRelation::Direct
                    || (receiver.nesting == InnerTypeRelation::Pointer
                        && !(self.rules.separate_pointers && OF_POINTERS.contains(&name)));
                is_value.then(|| self.target(receiver, name))
            }
            TypeStep::CallPath(path) => self.call_of_path(site, parts.word(path), depth),
            _ => None,
        }
    }

    fn target(&self, receiver: TypedValue, name: &str) -> CallTarget {
        CallTarget { functions: self.methods(receiver.of, name), receiver: Some(receiver), constructed: None }
    }

    fn call_of_base(&self, site: LookupSite, name: &str) -> Option<CallTarget> {
        let own = self.owner(site.file, site.place)?;
        let bases = &self.types[own].bases;
        let (base, _) = bases.iter().find(|(base, _)| !self.methods(*base, name).is_empty())?;
        Some(self.target(TypedValue { of: *base, nesting: InnerTypeRelation::Direct, results: 0 }, name))
    }

    /// Returns the target of a call of a dotted name: a member of the types around, a function, a constructed
    /// type, or a static method.
    fn call_of_path(&self, site: LookupSite, path: &str, depth: usize) -> Option<CallTarget> {
        let names: Vec<&str> = path.split('.').collect();
        let (name, around) = names.split_last()?;
        if self.rules.has_implicit_own
            && let Implicit::Member(found) = self.implicit_call(site, around, name, depth)
        {
            return found;
        }
        let scope = self.parts(site.file).word(site.place.scope);
        let static_call = |functions| CallTarget { functions, receiver: None, constructed: None };
        let functions = self.find_functions(site.file, scope, &names);
        if !functions.is_empty() {
            return Some(static_call(functions));
        }
        if self.rules.calls_types
            && let Some(of) = self.find_type(site.file, scope, &names)
        {
            return Some(CallTarget { functions: Vec::new(), receiver: None, constructed: Some(of) });
        }
        for count in (1..=around.len()).rev() {
            let Some(of) = self.find_type(site.file, scope, &around[..count]) else { continue };
            if count == around.len() {
                return Some(static_call(self.methods(of, name)));
            }
            let value = self.fields_along(of, &around[count..], depth)?;
            return (value.nesting <= InnerTypeRelation::Pointer).then(|| self.target(value, name));
        }
        None
    }

    /// Looks up a call `around.name(…)`, whose first name may be a member of the types around `site`.
    fn implicit_call(&self, site: LookupSite, around: &[&str], name: &str, depth: usize) -> Implicit {
        for own in self.types_around(site) {
            let Some((first, rest)) = around.split_first() else {
                let functions = self.methods(own, name);
                if functions.is_empty() {
                    continue;
                }
                let receiver = Some(TypedValue { of: own, nesting: InnerTypeRelation::Direct, results: 0 });
                return Implicit::Member(Some(CallTarget { functions, receiver, constructed: None }));
            };
            if self.fields(own, first).is_empty() {
                continue;
            }
            let value = self.field(own, first, depth).and_then(|value| match rest {
                [] => Some(value),
                rest => self.fields_along(value.of, rest, depth),
            });
            let value = value.filter(|value| value.nesting <= InnerTypeRelation::Pointer);
            return Implicit::Member(value.map(|value| self.target(value, name)));
        }
        Implicit::NoMember
    }

    /// Returns the type that contains a place, followed by the types around that one, innermost first.
    fn types_around(&self, site: LookupSite) -> Vec<TypeId> {
        let mut found: Vec<TypeId> = self.owner(site.file, site.place).into_iter().collect();
        if site.place.owner == Owner::None {
            return found;
        }
        let mut scope = self.parts(site.file).word(site.place.scope);
        while let Some((outer, _)) = scope.rsplit_once('.') {
            let outer_type = self.type_in_file(site.file, outer);
            found.extend(outer_type.filter(|of| !found.contains(of)));
            scope = outer;
        }
        found
    }

    fn fields_along(&self, of: TypeId, names: &[&str], depth: usize) -> Option<TypedValue> {
        let mut value = TypedValue { of, nesting: InnerTypeRelation::Direct, results: 0 };
        for name in names {
            value =
                self.field(value.of, name, depth).filter(|it| it.nesting <= InnerTypeRelation::Pointer)?;
        }
        Some(value)
    }

    /// Returns the value of a field of a type: the declared one, or else the one on which all assignments
    /// agree.
    fn field(&self, of: TypeId, name: &str, depth: usize) -> Option<TypedValue> {
        let depth = depth.checked_sub(1)?;
        let all = self.fields(of, name);
        let definition = |(file, at): &(usize, usize)| &self.parts(*file).fields[*at];
        let is_declared = |it: &(usize, usize)| definition(it).origin != FieldOrigin::Assigned;
        let has_declaration = all.iter().any(is_declared);
        let mut found: Option<TypedValue> = None;
        for it in all.iter().filter(|it| !has_declaration || is_declared(it)).take(16) {
            let field = definition(it);
            let value = self.value(LookupSite { file: it.0, place: field.place }, field.link?, depth)?;
            if found.is_some_and(|known| known.of != value.of) {
                return None;
            }
            found = Some(value);
        }
        found
    }

    /// Returns the value that the link at index `link` leads to; `None` if its type is not known. `depth` is
    /// the number of links that may still be followed.
    pub(super) fn value(&self, site: LookupSite, link: Index, depth: usize) -> Option<TypedValue> {
        let depth = depth.checked_sub(1)?;
        let parts = self.parts(site.file);
        match *parts.links.get(link as usize)? {
            TypeStep::Own => {
                let of = self.owner(site.file, site.place)?;
                Some(TypedValue { of, nesting: InnerTypeRelation::Direct, results: 0 })
            }
            TypeStep::Super => None,
            TypeStep::Type(written) => self.resolve_written(site, written),
            TypeStep::Field(of, name) => {
                let of = self.value(site, of, depth).filter(|it| it.nesting <= InnerTypeRelation::Pointer)?;
                let value = self.field(of.of, parts.word(name), depth)?;
                Some(TypedValue { results: value.results + of.results, ..value })
            }
            TypeStep::Path(path) => self.value_of_path(site, parts.word(path), depth),
            TypeStep::Unwrap(of) => {
                let value = self.value(site, of, depth)?;
                let nesting = if value.nesting == InnerTypeRelation::Maybe {
                    InnerTypeRelation::Direct
                } else {
                    value.nesting
                };
                Some(TypedValue { nesting, ..value })
            }
            TypeStep::Call(..) | TypeStep::CallPath(_) => {
                let target = self.call_within(site, link, depth)?;
                self.result(&target)
            }
        }
    }

    /// Returns the value that a call gives, if all functions that it may run return the same type.
    fn result(&self, target: &CallTarget) -> Option<TypedValue> {
        if let Some(of) = target.constructed {
            return Some(TypedValue { of, nesting: InnerTypeRelation::Direct, results: 0 });
        }
        let mut found: Option<TypedValue> = None;
        for function in target.functions.iter().take(16) {
            let entry = self.entry(*function);
            let definition = self.function(*function);
            let value = self.resolve_written(
                LookupSite { file: entry.file, place: definition.place },
                definition.returns?,
            )?;
            if found.is_some_and(|known| (known.of, known.nesting) != (value.of, value.nesting)) {
                return None;
            }
            let is_constructor = target.receiver.is_none() && entry.owner == Some(value.of);
            let before = target.receiver.map_or(0, |receiver| receiver.results);
            let results = before + usize::from(!is_constructor);
            found = Some(TypedValue { results, ..value }).filter(|value| value.results <= RESULTS);
            found?;
        }
        found
    }

    fn value_of_path(&self, site: LookupSite, path: &str, depth: usize) -> Option<TypedValue> {
        let names: Vec<&str> = path.split('.').collect();
        if self.rules.has_implicit_own {
            for own in self.types_around(site) {
                if !self.fields(own, names[0]).is_empty() {
                    return self.fields_along_all(own, &names, depth);
                }
            }
        }
        let scope = self.parts(site.file).word(site.place.scope);
        let count = (1..names.len())
            .rev()
            .find(|count| self.find_type(site.file, scope, &names[..*count]).is_some())?;
        let of = self.find_type(site.file, scope, &names[..count])?;
        self.fields_along_all(of, &names[count..], depth)
    }

    /// Returns the value at the end of a chain of fields, such as `shop.cart.items`. The last field may be a
    /// container.
    fn fields_along_all(&self, of: TypeId, names: &[&str], depth: usize) -> Option<TypedValue> {
        let (last, before) = names.split_last()?;
        let around = self.fields_along(of, before, depth)?;
        self.field(around.of, last, depth)
    }

    /// Returns the value of a written type such as `Option<Cart>`. `None` unless exactly one type in it is
    /// not only the element of a container.
    fn resolve_written(&self, site: LookupSite, written: Index) -> Option<TypedValue> {
        let leaves = self.parts(site.file).written.get(written as usize)?;
        let mut own = leaves.iter().filter(|leaf| leaf.nesting <= InnerTypeRelation::Maybe);
        let (Some(leaf), None) = (own.next(), own.next()) else { return None };
        let of = self.leaf_type(site, *leaf)?;
        Some(TypedValue { of, nesting: leaf.nesting, results: 0 })
    }

    /// Returns the type of the code base that one name in a written type means.
    pub(super) fn leaf_type(&self, site: LookupSite, leaf: InnerType) -> Option<TypeId> {
        self.type_of_path(site.file, site.place, leaf.path)
    }
}
