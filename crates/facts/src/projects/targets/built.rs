//! Finds the names of Go programs in the files that build them: `go build -o NAME ./cmd` in Makefiles and
//! scripts, `binary` in the configuration of `GoReleaser`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::collect::Texts;
use crate::fact::SourceLines;
use crate::projects::lines::{join_path, line_where};

/// Files in the root of a module that may call `go build`.
const SCRIPTS: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "build.sh",
    "Dockerfile",
];
/// Configuration files of `GoReleaser`.
const RELEASERS: &[&str] = &[".goreleaser.yml", ".goreleaser.yaml", "goreleaser.yml", "goreleaser.yaml"];

/// The name of a Go program with the position in the build file that sets it.
pub(super) struct BuiltName {
    pub(super) name: String,
    pub(super) source: SourceLines,
}

/// Returns the program names of a Go module by package folder, relative to the folder `module`. A folder
/// for which two different names are found is left out.
pub(super) fn names(module: &str, texts: &Texts) -> BTreeMap<String, BuiltName> {
    let mut found: BTreeMap<String, Vec<BuiltName>> = BTreeMap::new();
    for (files, read) in [(RELEASERS, of_releaser as fn(&str, &str) -> Vec<_>), (SCRIPTS, of_script)] {
        for path in files.iter().map(|file| join_path(module, file)).filter(|path| texts.exists(path)) {
            for (folder, built) in texts.read(&path).map(|text| read(&path, &text)).unwrap_or_default() {
                found.entry(folder).or_default().push(built);
            }
        }
    }
    let is_one = |all: &[BuiltName]| all.iter().all(|it| it.name == all[0].name);
    let single = found.into_iter().filter(|(_, all)| is_one(all));
    single.filter_map(|(folder, all)| Some((folder, all.into_iter().next()?))).collect()
}

/// The parts of a `GoReleaser` configuration that are read.
#[derive(Deserialize)]
struct Releases {
    #[serde(default)]
    builds: Vec<Release>,
}

/// A build in a `GoReleaser` configuration: its package folder and the name of its program.
#[derive(Deserialize)]
struct Release {
    binary: Option<String>,
    main: Option<String>,
    dir: Option<String>,
}

/// Returns the package folders and program names in a `GoReleaser` configuration.
fn of_releaser(path: &str, text: &str) -> Vec<(String, BuiltName)> {
    let Ok(releases) = serde_saphyr::from_str::<Releases>(text) else { return Vec::new() };
    let named = releases.builds.into_iter().filter(|it| it.dir.is_none()).filter_map(|it| {
        let name = it.binary.filter(|name| is_name(name))?;
        let line = line_where(text, &name, |line| line.contains("binary:"))?;
        let folder = folder_of_argument(it.main.as_deref().unwrap_or("."))?;
        Some((folder, BuiltName { name, source: SourceLines::line(path, line) }))
    });
    named.take(100).collect()
}

/// Returns the package folders and program names in lines `go build … -o NAME … ./folder`. Variables that
/// the file sets are replaced.
fn of_script(path: &str, text: &str) -> Vec<(String, BuiltName)> {
    const LINES: usize = 2_000;
    let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, line) in text.lines().take(LINES).enumerate() {
        if let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with(char::is_whitespace)) {
            let name = name.trim_end_matches([':', '?']).trim();
            variables.entry(name).or_insert(value.trim().trim_matches(['"', '\'']));
        }
        let Some((_, call)) = line.split_once("go build ") else { continue };
        let words: Vec<&str> = call.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "-o").map(|at| at + 1);
        let Some(output) = at.and_then(|at| filled(words.get(at)?, &variables)) else { continue };
        let name = output.rsplit('/').next().unwrap_or(&output).trim_end_matches(".exe").to_owned();
        // Without a package the one of the folder is built.
        let last = words.last().filter(|_| at.is_some_and(|at| at + 1 < words.len())).unwrap_or(&".");
        let folder = filled(last, &variables).and_then(|word| folder_of_argument(&word));
        let Some(folder) = folder else { continue };
        if is_name(&name) {
            found.push((folder, BuiltName { name, source: SourceLines::line(path, index + 1) }));
        }
    }
    found
}

/// Replaces the variable at the end of a word of a build script by its value; `None` if the value is
/// unknown.
fn filled(word: &str, variables: &BTreeMap<&str, &str>) -> Option<String> {
    let word = word.trim_matches(['"', '\'', ';', '@']);
    let Some(at) = word.find('$') else { return Some(word.to_owned()) };
    let name = word[at + 1..].trim_start_matches(['(', '{']).trim_end_matches([')', '}']);
    let value = variables.get(name).filter(|value| !value.contains('$'))?;
    Some(format!("{}{value}", &word[..at]))
}

/// Returns the package folder that an argument of `go build` means: `./cmd/main.go` → `cmd`, `.` → empty.
/// `None` for other forms.
fn folder_of_argument(word: &str) -> Option<String> {
    let is_own = word == "." || word.starts_with("./") || word.ends_with(".go");
    let bare = word.trim_start_matches("./").trim_end_matches('/');
    let is_file = bare.ends_with(".go");
    let folder = if is_file { bare.rsplit_once('/').map_or("", |(folder, _)| folder) } else { bare };
    let folder = folder.trim_start_matches('.');
    (is_own && !folder.contains(['$', '*', '{'])).then(|| folder.to_owned())
}

/// Returns true if the text can be the name of a program.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.chars().all(is_part) && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_file_names_the_program_of_a_folder() {
        let shown = |found: Vec<(String, BuiltName)>| -> Vec<String> {
            found.into_iter().map(|(folder, it)| format!("{folder} {} {}", it.name, it.source)).collect()
        };
        let make = "BIN := shop\nbuild:\n\tCGO_ENABLED=0 go build -o ${BIN} -ldflags=\"-s\" ./cmd\n\tgo build -o bin/$(OS)-x ./b\n\tgo build ./c\n\tgo build -o bin/tool cmd/tool/main.go\n\tgo build -o till\n";
        assert_eq!(
            shown(of_script("Makefile", make)),
            ["cmd shop Makefile:3", "cmd/tool tool Makefile:6", " till Makefile:7"]
        );
        let release = "builds:\n  - binary: shop\n    main: ./cmd\n  - binary: \"{{ .X }}\"\n";
        assert_eq!(shown(of_releaser(".goreleaser.yml", release)), ["cmd shop .goreleaser.yml:2"]);
        assert!(of_releaser("x", "builds: [").is_empty());
    }
}
