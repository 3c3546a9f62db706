//! The commands for one test of each project, with the test that they run as an example.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::source_code::{first_decorator, safe_text};
use crate::facts::{CommandPurpose, Fact, FactKind, FactValue, SourceLines};
use crate::workflows::survey::Survey;
use crate::workflows::survey::quoted::is_refused;
use crate::workflows::survey::single_test;

/// Maximum number of projects.
const PROJECTS: usize = 40;
/// Maximum number of lines of a quoted test; a longer one is cut.
const TEST_LINES: usize = 40;

/// A command that runs one test, or one file of tests, and the code of the test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleTest {
    /// The command, to be run in the folder of the project.
    pub command: String,
    /// The test command with a pattern of files that it was made of; `None` if it follows a convention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_of: Option<String>,
    /// True if it runs all tests of a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_file: bool,
    /// Lines of the test, the first lines of its file, or the place of the test command with the pattern.
    pub source: SourceLines,
    /// The code of the test; empty for a command that was made of a pattern.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// True if the test has further lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// Returns an example for each project with test commands, by the folder of the project.
pub(super) fn of_product(survey: &Survey) -> BTreeMap<String, ExampleTest> {
    let mut projects: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Command) {
        if let FactValue::Command { purpose: CommandPurpose::Test, .. } = &fact.value {
            projects.entry(fact.subject.path()).or_default().push(fact);
        }
    }
    let example = |(folder, tests): (&str, Vec<&Fact>)| {
        Some((folder.to_owned(), example_test(survey, folder, &tests)?))
    };
    projects.into_iter().take(PROJECTS).filter_map(example).collect()
}

fn example_test(survey: &Survey, folder: &str, tests: &[&Fact]) -> Option<ExampleTest> {
    let found = single_test::of_project(survey, folder, tests)?;
    if is_refused(&found.command) || found.pattern_of.as_deref().is_some_and(is_refused) {
        return None;
    }
    let mut source = found.source;
    let text = if found.pattern_of.is_none() { survey.code.text(&source.path).ok() } else { None };
    let Some((_, text)) = text else {
        return Some(ExampleTest {
            command: found.command,
            pattern_of: found.pattern_of,
            is_of_file: found.is_of_file,
            source,
            code: String::new(),
            is_cut: false,
        });
    };
    let lines: Vec<&str> = text.lines().collect();
    // A runner of files has no place of a test: its file begins with the first one.
    let end = if source.end > source.start { source.end } else { lines.len() }.min(lines.len());
    let start = first_decorator(&lines, source.start.clamp(1, end.max(1)));
    source.start = start;
    let shown = end.min(start + TEST_LINES - 1);
    let code = lines.get(start - 1..shown).and_then(safe_text).unwrap_or_default();
    source.end = shown.max(start);
    let (command, is_of_file) = (found.command, found.is_of_file);
    Some(ExampleTest { command, pattern_of: None, is_of_file, source, code, is_cut: shown < end })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::Facts;
    use crate::repo::{CodeBase, MemoryFiles};

    #[test]
    fn a_project_has_the_command_of_one_test_and_its_code() {
        let test =
            "package tea\n\nfunc TestBrew(t *testing.T) {\n\tif brew() != 3 {\n\t\tt.Fatal()\n\t}\n}\n";
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            ("go.mod", "module example.com/tea\n"),
            ("tea.go", "package tea\n\nfunc brew() int { return 3 }\n"),
            ("tea_test.go", test),
        ])));
        let facts = Facts::collect(&code);
        let found = of_product(&Survey::of(&code, &facts, 10));
        let example = &found[""];
        assert_eq!(example.command, "go test . -run '^TestBrew$'");
        assert_eq!((example.source.start, example.source.end, example.is_cut), (3, 7, false));
        assert!(example.code.starts_with("func TestBrew") && example.code.ends_with('}'), "{}", example.code);
    }
}
