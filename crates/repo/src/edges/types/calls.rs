//! Typed edges between files, and the graph of calls between functions.

use std::collections::{BTreeSet, HashMap};

use super::index::TypeIndex;
use super::values::{CallTarget, LookupSite};
use crate::edges::{CalledFunction, Collector, EdgeClass, OpenCall, ResolvedCall, ScriptCall};
use crate::names::Position;
use crate::names::types::{CallOnLink, InnerTypeRelation};

pub(super) fn collect(index: &TypeIndex, found: &mut Collector) {
    let first = found.functions.len();
    for id in 0..index.functions() {
        let (entry, function) = (index.entry(id), index.function(id));
        found.functions.push(CalledFunction {
            path: index.path(entry.file).to_owned(),
            name: index.name(id),
            line: function.line as usize,
            is_test: function.is_test,
        });
    }
    let names = DefinedNames::of(index);
    for file in 0..index.sources.len() {
        for call in &index.parts(file).open_calls {
            let from = first + index.function_id(file, call.function);
            let name = index.parts(file).word(call.name);
            names.add_open_call(from, name, call.line, found);
        }
        for call in &index.parts(file).calls {
            let site = LookupSite { file, place: call.place };
            let from = call.function.map(|function| first + index.function_id(file, function));
            let target = index.call(site, call.link);
            let only =
                target.as_ref().and_then(|it| if let [only] = it.functions[..] { Some(only) } else { None });
            add_call((from, only.map(|only| first + only)), index, file, call, &names, found);
            let Some(target) = target else { continue };
            if let (Some(from), Some(to)) = (from, overload(index, &target, from.map(|from| from - first))) {
                found.overload_calls.push(ResolvedCall { from, to: first + to, line: call.line as usize });
            }
            let at = Position { line: call.line as usize, is_test: call.is_test, ..Position::default() };
            let Some(receiver) = target.receiver else {
                if index.rules.names_functions {
                    add_named_edge(index, file, call, &target, &at, found);
                }
                continue;
            };
            let name = index.called_name(file, call.link);
            if let Some(one) = target.functions.first() {
                let files = target.functions.iter().map(|id| index.path(index.entry(*id).file));
                let files: BTreeSet<&str> = files.collect();
                let owner = index.entry(*one).owner.unwrap_or(receiver.of);
                let name = format!("{}.{name}", index.short_name(owner));
                found.add_one(index.path(file), &files, EdgeClass::Typed, &at, &name);
            } else if index.rules.falls_back_to_types
                && !index.types[receiver.of].derefs
                && receiver.nesting == InnerTypeRelation::Direct
                && receiver.is_written()
            {
                let files =
                    index.types[receiver.of].parts.iter().map(|(file, _)| index.path(*file)).collect();
                let name = format!("{}.{name}", index.short_name(receiver.of));
                found.add_one(index.path(file), &files, EdgeClass::Typed, &at, &name);
            }
        }
    }
}

/// Returns the first of several functions that a call may run if all are overloads: functions of one name in one type or file. The caller
/// itself does not count.
fn overload(index: &TypeIndex, target: &CallTarget, caller: Option<usize>) -> Option<usize> {
    let [first, rest @ ..] = target.functions.as_slice() else { return None };
    let place = |id: usize| (index.entry(id).file, index.entry(id).owner);
    let is_overloaded = !rest.is_empty() && rest.iter().all(|id| place(*id) == place(*first));
    target.functions.iter().copied().find(|id| is_overloaded && Some(*id) != caller)
}

/// Maximum number of functions with the name of an unresolved call. With more, the name says nothing, and the
/// call is dropped.
const SAME_NAME: usize = 12;

/// The number of functions in the code base by their bare name.
struct DefinedNames<'a>(HashMap<&'a str, usize>);

impl<'a> DefinedNames<'a> {
    fn of(index: &TypeIndex<'a>) -> Self {
        let mut found: HashMap<&str, usize> = HashMap::new();
        for id in 0..index.functions() {
            let name = index.parts(index.entry(id).file).word(index.function(id).name);
            *found.entry(name).or_default() += 1;
        }
        Self(found)
    }

    /// Records a call whose target is not known, if 1 to [`SAME_NAME`] functions of the code base have its
    /// name, or if `name` is empty (the call of a local value).
    fn add_open_call(&self, from: usize, name: &str, line: u32, found: &mut Collector) {
        if name.is_empty() || self.0.get(name).is_some_and(|count| *count <= SAME_NAME) {
            found.open_calls.push(OpenCall { from, name: name.to_owned(), line: line as usize });
        }
    }
}

/// Records a call. `ends` are the indexes of the calling and the called function: both give a resolved call,
/// the first alone an open call, the second alone a call of a script. Calls of scripts in test code are
/// dropped.
fn add_call(
    ends: (Option<usize>, Option<usize>),
    index: &TypeIndex,
    file: usize,
    call: &CallOnLink,
    names: &DefinedNames,
    found: &mut Collector,
) {
    let line = call.line as usize;
    match ends {
        (Some(from), Some(to)) => found.calls.push(ResolvedCall { from, to, line }),
        (Some(from), None) => {
            names.add_open_call(from, index.called_name(file, call.link), call.line, found);
        }
        (None, Some(to)) if !call.is_test => {
            found.script_calls.push(ScriptCall { path: index.path(file).to_owned(), to, line });
        }
        (None, _) => {}
    }
}

/// Adds an edge from a file to the one that defines a function which it calls.
fn add_named_edge(
    index: &TypeIndex,
    file: usize,
    call: &CallOnLink,
    target: &CallTarget,
    at: &Position,
    found: &mut Collector,
) {
    let files: BTreeSet<&str> = target.functions.iter().map(|id| index.path(index.entry(*id).file)).collect();
    found.add_one(index.path(file), &files, EdgeClass::Named, at, &index.called_path(file, call.link));
}
