//! Facts about which file depends on which, with the line that shows it.

use std::collections::HashSet;

use stategraph_repo::{Dependencies, EdgeClass};

use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::role_of;

/// Returns a fact for each dependency edge between files. An edge from program code to a test file is kept
/// only if an import declares it, because an equal name is probably a coincidence.
pub(crate) fn facts(found: Dependencies) -> Vec<Fact> {
    let declared = declared(&found);
    let is_fact = |edge: &stategraph_repo::Edge| {
        edge.is_test
            || edge.class == EdgeClass::Declared
            || !leads_to_tests(&edge.from, &edge.to)
            || declared.contains(&(edge.from.clone(), edge.to.clone()))
    };
    let fact = |edge: stategraph_repo::Edge| {
        let source = SourceLines::line(&edge.from, edge.line);
        let origin = match edge.class {
            EdgeClass::Declared => FactOrigin::Parsed,
            EdgeClass::Named | EdgeClass::Typed => FactOrigin::Resolved,
        };
        let value = FactValue::Edge { to: edge.to, class: edge.class, name: edge.name };
        let mut fact = Fact::new(FactSubject::File(edge.from), value, source, origin);
        if edge.is_test {
            fact.role = PathRole::Test;
        }
        fact
    };
    found.edges.into_iter().filter(is_fact).map(fact).collect()
}

/// Returns the pairs (program file, test file) for which an import in the program declares the dependency.
pub(crate) fn declared(found: &Dependencies) -> HashSet<(String, String)> {
    let edges = found.edges.iter().filter(|edge| edge.class == EdgeClass::Declared);
    let to_tests = edges.filter(|edge| leads_to_tests(&edge.from, &edge.to));
    to_tests.map(|edge| (edge.from.clone(), edge.to.clone())).collect()
}

/// Returns true if `from` is a file of the program and `to` a test file.
pub(crate) fn leads_to_tests(from: &str, to: &str) -> bool {
    role_of(to) == PathRole::Test && role_of(from) == PathRole::Runtime
}
