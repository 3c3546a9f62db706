//! Hidden files: those that a model never reads, and those that explain a project.

use std::path::Path;

use crate::agent::ToolOutput;
use crate::repo::CodeBase;

/// Hidden files and folders that explain how a project is built, tested and published.
const EXPLAINING: [&str; 14] = [
    ".github/workflows",
    ".circleci",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".appveyor.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".cirrus.yml",
    ".pre-commit-config.yaml",
    ".editorconfig",
    ".readthedocs.yaml",
    ".goreleaser.yml",
    ".devcontainer/devcontainer.json",
    ".cargo/config.toml",
];

/// Returns true for a path that tools do not read because it may hold secrets or the data of Git: anything in
/// `.git`, and names that begin with `.env`.
pub(super) fn is_private(path: &str) -> bool {
    path.split(['/', '\\']).any(|name| {
        let name = name.trim().to_ascii_lowercase();
        name == ".git" || name.starts_with(".env")
    })
}

/// Returns the output that refuses a private path, or a link to one; `None` if the path may be read.
pub(super) fn refuse_private(code: &CodeBase, path: &str) -> Option<ToolOutput> {
    let is_refused = is_private(path) || leads_to_private(code, path);
    is_refused.then(|| {
        let shown = crate::repo::cut(path, 200);
        ToolOutput::refused(format!(
            "`{shown}` may hold secrets; hint: document settings from the code that reads them"
        ))
    })
}

fn leads_to_private(code: &CodeBase, path: &str) -> bool {
    let real = |path: &str| {
        let found = code.files().path(Path::new(path)).ok()?;
        found.absolute().canonicalize().ok()
    };
    let (Some(root), Some(target)) = (real("."), real(path)) else { return false };
    target.strip_prefix(root).is_ok_and(|inside| is_private(&inside.to_string_lossy()))
}

/// Returns the existing hidden files that explain how the project is built and tested, such as CI workflows,
/// in the order of a fixed list. A folder stands for its direct entries.
pub(super) fn explaining_files(code: &CodeBase) -> Vec<String> {
    let files = code.files();
    let mut found = Vec::new();
    for place in EXPLAINING {
        let Ok(path) = files.path(Path::new(place)) else { continue };
        if files.file_exists(&path) {
            found.push(place.to_owned());
        } else if let Ok(listing) = files.entries(&path) {
            let inside = listing.entries.into_iter().filter_map(|entry| entry.name.into_string().ok());
            found.extend(inside.map(|name| format!("{place}/{name}")));
        }
    }
    found
}
