//! Typed edges between files, and the graph of calls between functions.

use std::collections::BTreeSet;

use super::index::TypeIndex;
use super::values::{CallTarget, Site};
use crate::edges::{CalledFunction, Collector, EdgeClass, ResolvedCall};
use crate::names::Position;
use crate::names::types::{CallOnLink, Nesting};

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
    for file in 0..index.sources.len() {
        for call in &index.parts(file).calls {
            let site = Site { file, place: call.place };
            let Some(target) = index.call(site, call.link) else { continue };
            let at = Position { line: call.line as usize, is_test: call.is_test, ..Position::default() };
            if let (Some(function), [only]) = (call.function, &target.functions[..]) {
                let from = first + index.function_id(file, function);
                found.calls.push(ResolvedCall { from, to: first + only, line: call.line as usize });
            }
            let Some(receiver) = target.receiver else {
                if index.rules.names_functions {
                    named(index, file, call, &target, &at, found);
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
                && receiver.nesting == Nesting::Direct
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

/// Adds an edge to the file of a called function.
fn named(
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
