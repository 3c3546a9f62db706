//! The scripts that commands and workflows run, and the short configurations of other CI services, as they are written.

use serde::{Deserialize, Serialize};

use super::source_code::safe_text;
use crate::facts::{Fact, FactValue, PathRole, PipelineSummary};
use crate::repo::CodeBase;

/// Maximum number of files, and of lines of one.
const FILES: usize = 10;
const LINES: usize = 80;
/// Configurations of CI services other than GitHub Actions.
const SERVICES: [&str; 8] = [
    ".travis.yml",
    "appveyor.yml",
    ".appveyor.yml",
    ".circleci/config.yml",
    ".gitlab-ci.yml",
    "azure-pipelines.yml",
    ".cirrus.yml",
    "Jenkinsfile",
];
/// Endings of the names of scripts.
const ENDINGS: [&str; 5] = [".sh", ".ps1", ".bat", ".cmd", ".bash"];

/// A script or a configuration of a CI service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildFile {
    /// Its path.
    pub path: String,
    /// Its first lines, at most 80.
    pub text: String,
    /// Number of its other lines.
    #[serde(default)]
    pub more_lines: usize,
}

/// Returns the scripts that the commands among `facts` and the steps of `pipelines` name, and the configurations of other services.
pub(super) fn of_product(code: &CodeBase, facts: &[Fact], pipelines: &[PipelineSummary]) -> Vec<BuildFile> {
    let of_commands = facts.iter().flat_map(|fact| match &fact.value {
        FactValue::Command { command, runs, .. } => std::iter::once(command).chain(runs).collect(),
        _ => Vec::new(),
    });
    let of_steps = pipelines.iter().flat_map(|one| &one.jobs).flat_map(|job| &job.steps);
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|' | '(' | ')' | '`');
    let words = of_steps.chain(of_commands).flat_map(|line| line.split(is_end));
    let scripts = words
        .map(|word| word.trim_start_matches("./").trim_start_matches(".\\"))
        .filter(|word| ENDINGS.iter().any(|end| word.ends_with(end)))
        .map(|word| word.replace('\\', "/"));
    let mut paths: Vec<String> = Vec::new();
    for path in scripts.chain(SERVICES.map(str::to_owned)) {
        let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
        let is_own = !matches!(PathRole::of(&path), PathRole::Vendored | PathRole::Generated);
        let is_secret = path.rsplit('/').next().is_some_and(|name| name.starts_with(".env"));
        if is_inside && is_own && !is_secret && !paths.contains(&path) {
            paths.push(path);
        }
    }
    let read = |path: String| {
        let (_, text) = code.text(&path).ok()?;
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines.len().min(LINES);
        // A secret of several lines is found only in the whole text.
        let whole = safe_text(&lines)?;
        let text = whole.lines().take(shown).collect::<Vec<_>>().join("\n");
        Some(BuildFile { path, text, more_lines: lines.len() - shown })
    };
    paths.into_iter().filter_map(read).take(FILES).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::facts::Facts;
    use crate::repo::MemoryFiles;

    #[test]
    fn scripts_of_workflows_and_other_services_are_quoted_and_files_outside_are_not() {
        let workflow = "on: push\njobs:\n  a:\n    steps:\n      - run: ./ci/all.sh --fast\n      - run: sh ../out.sh && sh /etc/b.sh\n";
        let code = CodeBase::new(Arc::new(MemoryFiles::new([
            (".github/workflows/a.yml", workflow),
            ("ci/all.sh", "set -e\nmake all\n"),
            ("ci/other.sh", "make other\n"),
            (".travis.yml", "language: c\n"),
        ])));
        let facts = Facts::collect(&code);
        let found = of_product(&code, &[], facts.pipelines());
        let all: Vec<(&str, &str)> = found.iter().map(|it| (it.path.as_str(), it.text.as_str())).collect();
        assert_eq!(all, [("ci/all.sh", "set -e\nmake all"), (".travis.yml", "language: c")]);
    }
}
