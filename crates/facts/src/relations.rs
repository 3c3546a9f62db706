//! Facts about relations between types of the code base: extending, implementing and holding.

use std::sync::Arc;

use stategraph_repo::{Dependencies, FileOutline};

use crate::edges;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::role_of;

/// Returns a fact for each relation between two types. A relation of a type in test code has the role
/// `Test`. One from program code to a type of tests needs a declared import, as with `edges`.
pub(crate) fn facts(_outlines: &[Arc<FileOutline>], dependencies: &Dependencies) -> Vec<Fact> {
    let fact = |found: &stategraph_repo::TypeRelation| {
        let subject = FactSubject::Symbol { path: found.from.clone(), name: found.from_name.clone() };
        let value = FactValue::Relation {
            relation: found.kind,
            to: found.to.clone(),
            name: found.to_name.clone(),
            field: found.field.clone(),
        };
        let source = SourceLines::line(&found.path, found.line);
        let mut fact = Fact::new(subject, value, source, FactOrigin::Resolved);
        // The clause may stand in another file than the type; the type's own place decides.
        fact.role = if found.is_test { PathRole::Test } else { role_of(&found.from) };
        fact
    };
    let declared = edges::declared(dependencies);
    // As with edges, a name in code that runs means no type of tests.
    let is_fact = |it: &&stategraph_repo::TypeRelation| {
        it.is_test
            || !edges::leads_to_tests(&it.from, &it.to)
            || declared.contains(&(it.from.clone(), it.to.clone()))
    };
    dependencies.relations.iter().filter(is_fact).map(fact).collect()
}
