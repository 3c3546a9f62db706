//! Which file needs which, with the line that says it.

use stategraph_repo::{Dependencies, EdgeClass};

use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};

/// Returns a fact for each edge.
pub(crate) fn facts(found: Dependencies) -> Vec<Fact> {
    let fact = |edge: stategraph_repo::Edge| {
        let source = SourceLines::line(&edge.from, edge.line);
        let origin = match edge.class {
            EdgeClass::Declared => FactOrigin::Parsed,
            EdgeClass::Named | EdgeClass::Typed => FactOrigin::Resolved,
        };
        let value = FactValue::Edge { to: edge.to, class: edge.class, name: edge.name };
        let mut fact = Fact::new(FactSubject::File(edge.from), value, source, origin);
        if edge.is_test {
            fact.role = crate::fact::PathRole::Test;
        }
        fact
    };
    found.edges.into_iter().map(fact).collect()
}
