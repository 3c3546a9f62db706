//! Finds the targets of Maven and Gradle projects: main classes that the build names, and Spring Boot
//! applications.

use stategraph_repo::ManifestMark;

use super::{Targets, place, place_of, prefix};
use crate::collect::Texts;
use crate::fact::{PathRole, SourceLines, TargetKind};
use crate::projects::entries::ManifestEntry;
use crate::projects::group::ManifestGroup;
use crate::role::role_of;

/// Adds the programs of a Maven or Gradle project to `targets`.
pub(super) fn find(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    let below = format!("{}src/main/", prefix(&group.folder));
    for read in &group.manifests {
        for class in &read.manifest.entry_points {
            let name = class.rsplit('.').next().unwrap_or(class);
            let is_name =
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
            let stem = class.replace('.', "/");
            let is_class = |path: &&String| {
                let end = path.rsplit_once('.').map_or(path.as_str(), |(end, _)| end);
                end.ends_with(stem.as_str()) || end.ends_with(stem.trim_end_matches("Kt"))
            };
            // A build may name another folder of sources; the whole name of the class is needed there.
            let all = format!("{}src/", prefix(&group.folder));
            let other = || {
                texts
                    .below(&all)
                    .find(|path| class.contains('.') && is_class(path) && role_of(path) == PathRole::Runtime)
            };
            let file = texts.below(&below).find(is_class).or_else(other);
            if let Some(file) = file.filter(|_| is_name) {
                let is_main = |it: &&ManifestEntry| {
                    matches!(it.key(), "mainClass" | "start-class") && it.text == *class
                };
                let entry = read.entries.iter().find(is_main).map(|it| it.line);
                let source = entry.map_or_else(|| place_of(read, class), |line| place(read, Some(line)));
                let is_example =
                    role_of(file) == PathRole::Example && role_of(&read.manifest.path) != PathRole::Example;
                let kind = if is_example { TargetKind::Example } else { TargetKind::Program };
                targets.add(kind, name, file.clone(), source);
            }
        }
    }
    if !targets.found.is_empty() || !group.has(ManifestMark::Program) {
        return;
    }
    let applications = texts.below(&below).filter(|path| {
        path.rsplit('/')
            .next()
            .is_some_and(|name| name.ends_with("Application.java") || name.ends_with("Application.kt"))
    });
    for path in applications.take(8) {
        let Some(text) = texts.read(path) else { continue };
        let main = text
            .lines()
            .position(|line| line.contains("void main(") || line.trim_start().starts_with("fun main("));
        let Some(at) = main.filter(|_| text.contains("SpringApplication") || text.contains("runApplication"))
        else {
            continue;
        };
        let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or(path);
        targets.add(TargetKind::Program, stem, path.clone(), SourceLines::line(path, at + 1));
    }
}
