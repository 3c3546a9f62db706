//! Finds the targets of Python projects: installed scripts, packages that run with `-m`, and packages to
//! import.

use super::packaged::{PackagedNames, module_name};
use super::{Targets, place, prefix};
use crate::collect::Texts;
use crate::fact::{PathRole, TargetKind};
use crate::projects::group::ManifestGroup;
use crate::projects::lines::line_where;
use crate::role::role_of;

/// Maximum number of packages of a project.
const PACKAGES: usize = 20;

/// Adds the programs and packages of a Python project to `targets`.
pub(super) fn find(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    for read in &group.manifests {
        for (name, starts) in &read.manifest.programs {
            let tables: [&[&str]; 3] = [
                &["project", "scripts", name],
                &["project", "gui-scripts", name],
                &["tool", "poetry", "scripts", name],
            ];
            let line = read.line_at(&tables, starts);
            let line = line.or_else(|| line_where(&read.text, name, |line| line.contains(starts.as_str())));
            targets.add(TargetKind::Program, name, starts.clone(), place(read, line));
        }
    }
    let scripts = targets.found.len();
    let is_named =
        group.manifests.iter().any(|it| it.manifest.name.is_some() || it.manifest.path.ends_with("setup.py"));
    if !is_named {
        return;
    }
    for (name, init) in packages(group, texts) {
        let folder = init.trim_end_matches("__init__.py");
        let main = format!("{folder}__main__.py");
        if texts.exists(&main) {
            let source = crate::fact::SourceLines::line(&main, 1);
            targets.add(TargetKind::Program, &format!("python -m {name}"), main, source);
        }
        // The package of a program is its code, unless it offers names.
        if scripts == 0 && !texts.exists(&format!("{folder}__main__.py")) || offers_names(&name, &init, texts)
        {
            targets.add_file(TargetKind::Library, &name, init);
        }
    }
}

/// Returns the names of the top-level packages or modules that a project installs, with their files.
fn packages(group: &ManifestGroup, texts: &Texts) -> Vec<(String, String)> {
    let prefix = prefix(&group.folder);
    let packaged = PackagedNames::of(group);
    let mut found: Vec<(String, String)> = Vec::new();
    for root in [format!("{prefix}src/"), prefix.clone()] {
        for path in texts.below(&root) {
            let rest = &path[root.len()..];
            let Some((name, "__init__.py")) = rest.split_once('/') else { continue };
            let role = role_of(&format!("{name}/x.py"));
            if role == PathRole::Runtime && name != "src" && found.len() < PACKAGES {
                found.push((name.to_owned(), path.clone()));
            }
        }
        let (in_source, is_alone) = (root.ends_with("src/"), found.len() == 1);
        found.retain(|(name, _)| packaged.has(name, in_source, is_alone));
        let own = group.name().map(|(name, _)| module_name(&name)).unwrap_or_default();
        let module = format!("{root}{own}.py");
        if found.is_empty() && texts.exists(&module) {
            found.push((own, module));
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Returns true if a package's `__init__.py` defines or re-exports public names.
fn offers_names(name: &str, init: &str, texts: &Texts) -> bool {
    let Some(text) = texts.read(init) else { return false };
    // `from .api import Queue`, or `from queues.api import Queue` in the package `queues`.
    let own = [String::from("from ."), format!("from {name}."), format!("from {name} import ")];
    let is_own = |line: &str| own.iter().any(|start| line.starts_with(start.as_str()));
    text.lines().any(|line| {
        line.starts_with("__all__")
            || (is_own(line) && line.contains(" import ") && !line.contains("version"))
            || (line.starts_with("def ") && !line.starts_with("def _"))
            || (line.starts_with("class ") && !line.starts_with("class _"))
    })
}
