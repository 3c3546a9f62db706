//! Finds the targets of Ruby gems: their executables, and the file that `require` loads by the gem's name.

use super::{Targets, place, prefix};
use crate::collect::Texts;
use crate::fact::TargetKind;
use crate::projects::group::ManifestGroup;
use crate::projects::lines::line_where;

/// Adds the programs and the library of a Ruby gem to `targets`.
pub(super) fn find(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    let prefix = prefix(&group.folder);
    for read in &group.manifests {
        let manifest = &read.manifest;
        let line = line_where(&read.text, "executables", |_| true);
        for (name, path) in &manifest.programs {
            let entry = format!("{prefix}{path}");
            if texts.exists(&entry) {
                targets.add(TargetKind::Program, name, entry, place(read, line));
            }
        }
        if manifest.programs.is_empty() && line.is_some() {
            // The list is computed from the files of the folder.
            let folder = if read.text.contains("exe") { "exe/" } else { "bin/" };
            let folder = format!("{prefix}{folder}");
            for path in texts.below(&folder).filter(|path| !path[folder.len()..].contains('/')) {
                let name = &path[folder.len()..];
                if !matches!(name, "console" | "setup") {
                    targets.add(TargetKind::Program, name, path.clone(), place(read, line));
                }
            }
        }
        let Some(name) = &manifest.name else { continue };
        let names = [name.clone(), name.replace('-', "/"), name.replace('-', "_")];
        let file = names.iter().map(|name| format!("{prefix}lib/{name}.rb")).find(|path| texts.exists(path));
        if let Some(file) = file {
            targets.add_file(TargetKind::Library, name, file);
        }
    }
}
