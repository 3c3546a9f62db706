//! The files of tests, of their helpers and of examples.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::TEST_FILES;
use crate::facts::PathRole;
use crate::repo::{FileOutline, Language, SymbolInfo, SymbolKind};

/// Maximum number of definitions of a file of test helpers that are named.
const HELPERS: usize = 8;

/// The source files beside the product, each list in order and with at most [`TEST_FILES`].
pub(super) struct TestFiles {
    /// Files with tests.
    pub(super) tests: Vec<String>,
    /// Files beside the tests that have no tests, with names of what they define.
    pub(super) helpers: BTreeMap<String, Vec<String>>,
    /// Files of examples.
    pub(super) examples: Vec<String>,
    /// Files of the product with tests inside.
    pub(super) inner: Vec<String>,
}

impl TestFiles {
    pub(super) fn of(outlines: &[Arc<FileOutline>]) -> Self {
        let paths = |role: PathRole, is_wanted: fn(&FileOutline) -> bool| -> Vec<String> {
            let wanted = outlines.iter().filter(|it| PathRole::of(&it.path) == role && is_wanted(it));
            wanted.map(|outline| outline.path.clone()).take(TEST_FILES).collect()
        };
        let has_inner = |outline: &FileOutline| outline.walk().any(|(_, symbol)| runs_as_test(symbol));
        Self {
            tests: paths(PathRole::Test, has_tests),
            helpers: helpers(outlines),
            examples: paths(PathRole::Example, |_| true),
            inner: paths(PathRole::Runtime, has_inner),
        }
    }
}

fn helpers(outlines: &[Arc<FileOutline>]) -> BTreeMap<String, Vec<String>> {
    let has_none = |outline: &FileOutline| {
        let name = outline.path.rsplit('/').next().unwrap_or(&outline.path).to_lowercase();
        let stem = name.split('.').next().unwrap_or(&name);
        let is_named =
            stem.starts_with("test") || ["test", "tests", "spec"].iter().any(|end| stem.ends_with(end));
        let words = ["helper", "util", "support", "fixture", "common", "conftest", "setup", "mock"];
        !is_named && words.iter().any(|word| stem.contains(word)) || !has_tests(outline)
    };
    let is_test = |outline: &&Arc<FileOutline>| PathRole::of(&outline.path) == PathRole::Test;
    let helpers = outlines.iter().filter(is_test).filter(|outline| has_none(outline));
    let defined = |outline: &Arc<FileOutline>| {
        let is_named = |symbol: &&SymbolInfo| {
            let is_group =
                matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Module | SymbolKind::Namespace);
            !symbol.kind.is_value() && !is_group && !symbol.is_test()
        };
        let names = outline.symbols.iter().filter(is_named).map(|symbol| symbol.name.clone());
        (outline.path.clone(), names.take(HELPERS).collect::<Vec<_>>())
    };
    helpers.map(defined).filter(|(_, names)| !names.is_empty()).take(TEST_FILES).collect()
}

/// Returns true for a function that a runner calls as a test; `#[cfg(test)]` alone marks helpers too.
fn runs_as_test(symbol: &SymbolInfo) -> bool {
    symbol.kind.is_callable()
        && symbol.is_test()
        && !symbol.decorators.iter().all(|mark| mark.contains("cfg("))
        || symbol.kind.is_callable() && symbol.decorators.is_empty() && symbol.is_test()
}

/// Returns false for a Python or Go test file that defines no test, such as a file of helpers. True in other
/// languages, where outlines do not show tests.
fn has_tests(outline: &FileOutline) -> bool {
    let is_named = |symbol: &SymbolInfo| {
        let name = symbol.name.to_lowercase();
        ["test", "bench", "fuzz", "example"].iter().any(|word| name.starts_with(word) || name.ends_with(word))
    };
    !matches!(outline.language, Language::Python | Language::Go)
        || outline
            .walk()
            .any(|(_, symbol)| symbol.is_test() || symbol.kind != SymbolKind::Variable && is_named(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{CodeBase, MemoryFiles, WalkLimits};

    #[test]
    fn files_of_helpers_are_told_apart_from_tests_with_their_definitions() {
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            ("tea/pot.py", "def brew():\n    return 3\n"),
            ("tests/test_pot.py", "def test_brew():\n    assert brew() == 3\n"),
            ("tests/pots.py", "class FakePot:\n    pass\n\n\ndef fill(pot):\n    pass\n"),
            ("examples/first.py", "brew()\n"),
        ])));
        let found = TestFiles::of(&code.outlines(&code.files().walk(WalkLimits::default())));
        assert_eq!(found.tests, ["tests/test_pot.py"]);
        let helpers =
            BTreeMap::from([("tests/pots.py".to_owned(), vec!["FakePot".to_owned(), "fill".to_owned()])]);
        assert_eq!((found.helpers, found.examples), (helpers, vec!["examples/first.py".to_owned()]));
    }
}
