//! Extras of the Python projects, against which installations such as `pip install shop[fast]` are checked.

use std::collections::BTreeSet;

use stategraph_repo::{ProjectMetadata, ProjectType};
use toml::{Table, Value};

use super::checks::ProjectNames;
use crate::collect::Texts;

/// The extras (optional dependency groups) that the Python manifests declare.
pub(super) struct DeclaredExtras {
    names: BTreeSet<String>,
    /// True if a manifest computes extras, so that unknown ones may exist.
    is_open: bool,
}

impl DeclaredExtras {
    /// Reads the extras (groups of optional dependencies) of all Python manifests.
    pub(super) fn of(project: &ProjectMetadata, texts: &Texts) -> Self {
        let mut found = Self { names: BTreeSet::new(), is_open: false };
        for manifest in project.manifests.iter().filter(|it| it.project_type == ProjectType::Python) {
            let text = texts.read(&manifest.path).unwrap_or_default();
            match manifest.path.rsplit('/').next().unwrap_or_default() {
                "pyproject.toml" => found.add_tables(&text),
                "setup.cfg" => found.add_section(&text),
                // A program may make any.
                "setup.py" => found.is_open |= text.contains("extras_require"),
                _ => {}
            }
        }
        found
    }

    /// Adds the extras of a `pyproject.toml`.
    fn add_tables(&mut self, text: &str) {
        const TABLES: &[&[&str]] = &[&["project", "optional-dependencies"], &["tool", "poetry", "extras"]];
        let Ok(root) = text.parse::<Table>() else {
            self.is_open = true;
            return;
        };
        for path in TABLES {
            let table = path.iter().try_fold(&root, |at, key| at.get(*key)?.as_table());
            self.names.extend(table.into_iter().flat_map(Table::keys).map(|name| normal(name)));
        }
        let dynamic = root.get("project").and_then(|it| it.get("dynamic")).and_then(Value::as_array);
        self.is_open |=
            dynamic.is_some_and(|all| all.iter().any(|it| it.as_str() == Some("optional-dependencies")));
    }

    /// Adds the extras of a `setup.cfg`.
    fn add_section(&mut self, text: &str) {
        let lines = text.lines().skip_while(|line| line.trim() != "[options.extras_require]").skip(1);
        let inside = lines.take_while(|line| !line.starts_with('['));
        let keys = inside.filter(|line| !line.starts_with(char::is_whitespace));
        self.names.extend(keys.filter_map(|line| Some(normal(line.split_once('=')?.0))));
    }

    /// Returns false if a Python installation names an extra of the project that no manifest declares.
    pub(super) fn allows(&self, command: &str, names: &ProjectNames) -> bool {
        let is_python = ["pip", "pip3", "uv", "pipx", "poetry"]
            .iter()
            .any(|tool| command.split_whitespace().any(|word| word.rsplit('/').next() == Some(*tool)));
        self.is_open || !is_python || command.split_whitespace().all(|word| self.allows_word(word, names))
    }

    /// Returns false if the word names the project with an undeclared extra: `shop[fast]`.
    fn allows_word(&self, word: &str, names: &ProjectNames) -> bool {
        let bare = word.trim_matches(['"', '\'']);
        let Some((name, rest)) = bare.split_once('[') else { return true };
        let Some((extras, _)) = rest.split_once(']') else { return true };
        let is_own = name == "." || names.has(name);
        !is_own || extras.split(',').all(|extra| self.names.contains(&normal(extra)))
    }
}

/// Normalizes an extra's name for comparison, as registries do: lower case, `_` and `.` as `-`.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', '.'], "-")
}
