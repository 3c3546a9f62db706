//! `list_key_files`: the files to read first, by purpose (CTX-44).

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::project::{ProjectMetadata, file_name};
use crate::limit::KEY_FILES;
use crate::walk::Walk;

/// The files that tell most about a project, by purpose: at most [`KEY_FILES`] paths in each list, outermost
/// first, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFiles {
    /// Manifests, and configuration of tools, builds and deployments.
    pub configs: Vec<String>,
    /// Entry points of programs and libraries.
    pub entry_points: Vec<String>,
    /// Documents for people.
    pub docs: Vec<String>,
}

/// Beginnings of the names of documents.
const DOCS: &[&str] =
    &["readme", "architecture", "contributing", "changelog", "changes", "history", "security", "design"];

/// Whole names, in lower case, of files that configure something.
const CONFIGS: &[&str] = &[
    "build.rs",
    "cmakelists.txt",
    "dockerfile",
    "gemfile",
    "gnumakefile",
    "jenkinsfile",
    "justfile",
    "makefile",
    "manifest.in",
    "meson.build",
    "procfile",
    "rakefile",
    "setup.cfg",
    "tox.ini",
    "tsconfig.json",
];

/// Extensions of files at the top of a repository that configure something.
const CONFIG_ENDINGS: &[&str] = &["toml", "yaml", "yml", "ini", "cfg"];

/// Selects the key files of a walked project by their names and its manifests. Reads no file.
pub fn key_files(project: &ProjectMetadata, walk: &Walk) -> KeyFiles {
    let mut paths: Vec<String> = walk.files.iter().map(|file| file.path.to_string()).collect();
    paths.sort_by_key(|path| path.matches('/').count());
    let known: BTreeSet<&String> = paths.iter().collect();
    let manifests = project.manifests.iter().map(|found| &found.path);
    let configs = manifests.chain(paths.iter().filter(|path| configures(path)));
    let entries = project.entry_points.iter().filter(|path| known.contains(path));
    KeyFiles {
        configs: once(configs),
        entry_points: once(entries),
        docs: once(paths.iter().filter(|path| speaks(path))),
    }
}

fn once<'a>(paths: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    paths.filter(|path| seen.insert(*path)).take(KEY_FILES).cloned().collect()
}

fn ending(path: &str) -> &str {
    file_name(path).rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn configures(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    let at_top = !path.contains('/');
    let compose = name.starts_with("docker-compose") || name.contains(".config.");
    CONFIGS.contains(&name.as_str()) || compose || at_top && CONFIG_ENDINGS.contains(&ending(path))
}

fn speaks(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    let is_text = matches!(ending(path), "md" | "rst" | "adoc" | "txt" | "");
    let in_docs = path.split_once('/').is_some_and(|(top, _)| matches!(top, "doc" | "docs"));
    is_text && (DOCS.iter().any(|start| name.starts_with(start)) || in_docs)
}

impl fmt::Display for KeyFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("configs", &self.configs), ("entry points", &self.entry_points), ("docs", &self.docs)];
        let said: Vec<String> = parts
            .iter()
            .map(|(what, paths)| {
                let paths = if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
                format!("{what}: {paths}")
            })
            .collect();
        f.write_str(&said.join("\n"))
    }
}
