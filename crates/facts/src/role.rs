//! The use of a path, by the rules of its ecosystem.

use crate::fact::PathRole;

/// Folder names with their use; a path takes the first that it has.
const FOLDERS: &[(&str, PathRole)] = &[
    ("vendor", PathRole::Vendored),
    ("third_party", PathRole::Vendored),
    ("node_modules", PathRole::Vendored),
    ("testdata", PathRole::Test),
    ("fixtures", PathRole::Test),
    ("__tests__", PathRole::Test),
    ("test", PathRole::Test),
    ("tests", PathRole::Test),
    ("spec", PathRole::Test),
    ("e2e", PathRole::Test),
    ("examples", PathRole::Example),
    ("example", PathRole::Example),
    ("_examples", PathRole::Example),
    ("samples", PathRole::Example),
    ("benches", PathRole::Bench),
    ("bench", PathRole::Bench),
    ("benchmarks", PathRole::Bench),
    ("docs", PathRole::Docs),
    ("doc", PathRole::Docs),
    ("scripts", PathRole::Build),
];

/// Ends of file names with their use.
const NAMES: &[(&str, PathRole)] = &[
    ("_test.go", PathRole::Test),
    ("_test.py", PathRole::Test),
    ("_spec.rb", PathRole::Test),
    ("_test.rb", PathRole::Test),
    (".test.ts", PathRole::Test),
    (".test.tsx", PathRole::Test),
    (".test.js", PathRole::Test),
    (".spec.ts", PathRole::Test),
    (".spec.js", PathRole::Test),
    ("Test.java", PathRole::Test),
    ("Tests.cs", PathRole::Test),
    ("conftest.py", PathRole::Test),
    (".bats", PathRole::Test),
    ("build.rs", PathRole::Build),
    ("setup.py", PathRole::Build),
    ("noxfile.py", PathRole::Build),
];

/// Returns the use of a path below the root.
pub(crate) fn role_of(path: &str) -> PathRole {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let of_folder = |part: &str| FOLDERS.iter().find(|(known, _)| *known == part).map(|(_, role)| *role);
    if let Some(role) = folder.split('/').find_map(of_folder) {
        return role;
    }
    let is_python_test = name.starts_with("test_") && name.ends_with(".py");
    let named = NAMES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, role)| *role);
    if is_python_test { PathRole::Test } else { named.unwrap_or(PathRole::Runtime) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_use_that_their_ecosystems_give_them() {
        for (path, role) in [
            ("src/main.rs", PathRole::Runtime),
            ("src/latest.go", PathRole::Runtime),
            ("a/b_test.go", PathRole::Test),
            ("tests/it/a.rs", PathRole::Test),
            ("pkg/test_a.py", PathRole::Test),
            ("_examples/rest/main.go", PathRole::Example),
            ("benches/a.rs", PathRole::Bench),
            ("build.rs", PathRole::Build),
            ("vendor/x/test/a.go", PathRole::Vendored),
            ("docs/conf.py", PathRole::Docs),
        ] {
            assert_eq!(role_of(path), role, "{path}");
        }
    }
}
