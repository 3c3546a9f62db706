//! Scopes of dependencies by the files that import them, for manifests that do not tell them: `go.mod` lists the modules that only tests
//! need among the rest.

use std::sync::Arc;

use stategraph_repo::{FileOutline, Language, Scope};

use crate::fact::{Fact, FactValue, PathRole};
use crate::role::role_of;

/// Changes the scope of each Go module that test files import, and no other file, to development.
pub(crate) fn settle_scopes(outlines: &[Arc<FileOutline>], facts: &mut [Fact]) {
    let mut tested: Vec<&str> = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    for outline in outlines.iter().filter(|outline| outline.language == Language::Go) {
        let is_test = outline.path.ends_with("_test.go") || role_of(&outline.path) == PathRole::Test;
        let targets =
            outline.imports.iter().flat_map(|import| &import.targets).map(|it| it.trim_matches('"'));
        if is_test { tested.extend(targets) } else { used.extend(targets) }
    }
    let imports = |paths: &[&str], module: &str| {
        paths.iter().any(|path| {
            path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    for fact in facts.iter_mut() {
        let is_go = fact.sources.first().is_some_and(|source| source.path.ends_with("go.mod"));
        let FactValue::Dependency { name, scope, .. } = &mut fact.value else { continue };
        if is_go && *scope == Scope::Runtime && imports(&tested, name) && !imports(&used, name) {
            *scope = Scope::Dev;
            *fact = fact.clone().with_new_id();
        }
    }
}

#[cfg(test)]
mod tests {
    use stategraph_repo::outline;

    use super::*;
    use crate::fact::{FactOrigin, FactSubject, SourceLines};

    #[test]
    fn a_go_module_that_only_tests_import_is_for_development() {
        let file = |path: &str, import: &str| {
            Arc::new(outline(Language::Go, path, &format!("package a\n\nimport \"{import}\"\n")))
        };
        let outlines = [
            file("a.go", "example.com/used/inner"),
            file("a_test.go", "example.com/tests"),
            file("b_test.go", "example.com/used"),
        ];
        let fact = |name: &str| {
            let value =
                FactValue::Dependency { name: name.to_owned(), requirement: None, scope: Scope::Runtime };
            Fact::new(
                FactSubject::Project(String::new()),
                value,
                SourceLines::line("go.mod", 3),
                FactOrigin::Parsed,
            )
        };
        let mut facts = [fact("example.com/used"), fact("example.com/tests"), fact("example.com/test")];
        settle_scopes(&outlines, &mut facts);
        let scopes =
            facts.map(
                |fact| if let FactValue::Dependency { scope, .. } = fact.value { scope } else { Scope::Peer },
            );
        assert_eq!(scopes, [Scope::Runtime, Scope::Dev, Scope::Runtime]);
    }
}
