//! Facts about the tools that a project is developed with, from configuration files, tables of manifests,
//! scripts and, last, development dependencies. `table` lists the known tools, `called` reads scripts,
//! `toolchain` the versions of languages.

mod called;
mod table;
mod toolchain;

use std::collections::BTreeSet;

use stategraph_repo::{ProjectMetadata, Scope};

use crate::collect::Texts;
use crate::fact::ToolPurpose::Tests;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines, ToolPurpose};
use crate::projects::{folder_of, join_path, list_dependencies};
use crate::role::role_of;
use called::of_makefile;
use table::{FILES, KEYS, PACKAGES, PLUGINS, TABLES};

/// Maximum number of folders that are read.
const FOLDERS: usize = 64;

/// Adds the tools that are development dependencies of a project and that no configuration file shows.
fn of_packages(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<Fact>) {
    let known: BTreeSet<(String, String)> = found
        .iter()
        .filter_map(|fact| match (&fact.subject, &fact.value) {
            (FactSubject::Project(folder), FactValue::Tool { name, .. }) => {
                Some((folder.clone(), name.clone()))
            }
            _ => None,
        })
        .collect();
    of_assemblies(project, texts, found);
    for it in list_dependencies(project, texts) {
        // A project of .NET that tests others needs its tools to run.
        let is_test = role_of(&it.source.path) == PathRole::Test;
        let is_dotnet = it.source.path.ends_with("proj");
        // Extras of Python such as `test` are for developers.
        let is_extra = it.scope == Scope::Optional
            && [".py", ".toml", ".cfg"].iter().any(|end| it.source.path.ends_with(end));
        if is_test && !is_dotnet || it.scope != Scope::Dev && !is_test && !is_extra {
            continue;
        }
        let Some((_, purpose, name)) =
            PACKAGES.iter().find(|(package, ..)| package.eq_ignore_ascii_case(&it.name))
        else {
            continue;
        };
        if !known.contains(&(it.folder.clone(), (*name).to_owned())) {
            let value = FactValue::Tool { purpose: *purpose, name: (*name).to_owned() };
            found.push(Fact::new(FactSubject::Project(it.folder), value, it.source, FactOrigin::Parsed));
        }
    }
}

/// Adds the test tools to whose assemblies an old .NET project refers.
fn of_assemblies(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<Fact>) {
    const KNOWN: &[(&str, &str)] =
        &[("nunit.framework", "nunit"), ("xunit.core", "xunit"), ("xunit", "xunit")];
    for manifest in project.manifests.iter().filter(|it| it.path.ends_with("proj")).take(FOLDERS) {
        let Some(text) = texts.read(&manifest.path) else { continue };
        for (at, line) in text.lines().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix("<Reference Include=\"") else { continue };
            let assembly = rest.split([',', '"']).next().unwrap_or_default();
            let Some((_, name)) = KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(assembly)) else {
                continue;
            };
            let value = FactValue::Tool { purpose: Tests, name: (*name).to_owned() };
            let source = SourceLines::line(&manifest.path, at + 1);
            let subject = FactSubject::Project(folder_of(&manifest.path).to_owned());
            found.push(Fact::new(subject, value, source, FactOrigin::Parsed));
        }
    }
}

/// Returns the development tools of all projects.
pub(crate) fn facts(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let manifests = project.manifests.iter().map(|it| folder_of(&it.path));
    let own = manifests.filter(|folder| role_of(&join_path(folder, "x")) == PathRole::Runtime);
    let mut folders: Vec<&str> =
        std::iter::once("").chain(own).collect::<BTreeSet<_>>().into_iter().collect();
    folders.sort_by_key(|folder| folder.matches('/').count());
    let mut found = Vec::new();
    for folder in folders.into_iter().take(FOLDERS) {
        of_folder(folder, texts, &mut found);
    }
    of_packages(project, texts, &mut found);
    called::facts(texts, &mut found);
    found.extend(toolchain::facts(project, texts));
    found
}

/// Returns true if the `package.json` of a folder, or that of the root, has one of these words.
fn manifest_has(folder: &str, texts: &Texts, words: &[&str]) -> bool {
    let names = |path: String| {
        let text = texts.exists(&path).then(|| texts.read(&path)).flatten().unwrap_or_default();
        text.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| words.contains(&word))
    };
    names(join_path(folder, "package.json")) || names("package.json".to_owned())
}

/// Adds the tools that the configuration files and manifests of one folder show.
fn of_folder(folder: &str, texts: &Texts, found: &mut Vec<Fact>) {
    let mut add = |purpose: ToolPurpose, name: &str, path: &str, line: usize| {
        let value = FactValue::Tool { purpose, name: name.to_owned() };
        let subject = FactSubject::Project(folder.to_owned());
        found.push(Fact::new(subject, value, SourceLines::line(path, line), FactOrigin::Parsed));
    };
    for (file, purpose, name) in FILES {
        let path = join_path(folder, file);
        let is_hidden = file.split('/').any(|part| part.starts_with('.'));
        // The walk leaves out hidden files, so they are read by name; the other files are known from the walk.
        let text = if is_hidden {
            texts.read(&path)
        } else {
            texts.exists(&path).then(|| texts.read(&path)).flatten()
        };
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
        if *name == "tox"
            && !text.lines().any(|line| {
                line.starts_with("[tox")
                    || line.starts_with("[testenv")
                    || line.starts_with("[env")
                    || line.starts_with("env_list")
            })
        {
            continue;
        }
        // Editors and other compilers read it too.
        if *file == "tsconfig.json" && !manifest_has(folder, texts, &["tsc", "vue-tsc", "tsd"]) {
            continue;
        }
        // Vitest reads it too.
        if *name == "vite" && !manifest_has(folder, texts, &["vite"]) {
            continue;
        }
        add(*purpose, name, &path, 1);
    }
    for file in ["pyproject.toml", "setup.cfg", "tox.ini", "Cargo.toml"] {
        let path = join_path(folder, file);
        let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() else { continue };
        for (section, line) in sections(&text) {
            let is_of = |table: &str| {
                section == table
                    || section
                        .strip_prefix(table)
                        .is_some_and(|rest| rest.starts_with('.') || rest.starts_with('-'))
            };
            let is_format = section == "tool.ruff.format";
            let known =
                TABLES.iter().find(|(table, ..)| if is_format { *table == section } else { is_of(table) });
            if let Some((_, purpose, name)) = known {
                add(*purpose, name, &path, line);
            }
        }
    }
    let path = join_path(folder, "package.json");
    if let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() {
        for (key, purpose, name) in KEYS {
            if let Some(line) = key_line(&text, key) {
                add(*purpose, name, &path, line);
            }
        }
    }
    for file in ["Makefile", "GNUmakefile", "CMakeLists.txt"] {
        let path = join_path(folder, file);
        match texts.exists(&path).then(|| texts.read(&path)).flatten() {
            Some(text) if file == "CMakeLists.txt" => of_cmake(&path, &text, &mut add),
            Some(text) => of_makefile(&path, &text, &mut add),
            None => {}
        }
    }
    for file in ["pom.xml", "build.gradle", "build.gradle.kts"] {
        let path = join_path(folder, file);
        let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() else { continue };
        for (at, line) in text.lines().enumerate() {
            let bare = line.trim();
            let is_comment = bare.starts_with("//") || bare.starts_with("<!--") || bare.starts_with('*');
            let is_plugin = |plugin: &str| {
                bare.contains(&format!(">{plugin}<"))
                    || bare.contains(&format!("\"{plugin}\""))
                    || bare.contains(&format!("'{plugin}'"))
            };
            if let Some((_, purpose, name)) =
                PLUGINS.iter().find(|(plugin, ..)| !is_comment && is_plugin(plugin))
            {
                add(*purpose, name, &path, at + 1);
            }
        }
    }
}

/// Test libraries that `CMake` links, with the tool that each belongs to.
const LINKED: &[(&str, &str)] = &[
    ("gtest", "googletest"),
    ("gtest_main", "googletest"),
    ("GTest", "googletest"),
    ("googletest", "googletest"),
    ("Catch2", "catch2"),
    ("doctest", "doctest"),
];

/// Adds the test libraries that a `CMakeLists.txt` links, finds or fetches.
fn of_cmake(path: &str, text: &str, add: &mut impl FnMut(ToolPurpose, &str, &str, usize)) {
    const CALLS: &[&str] =
        &["target_link_libraries(", "find_package(", "fetchcontent_declare(", "add_subdirectory("];
    let mut seen = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let lower = line.trim_start().to_lowercase();
        if !CALLS.iter().any(|call| lower.starts_with(call)) {
            continue;
        }
        let words = line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
        for word in words.filter(|word| !word.is_empty()) {
            if let Some((_, name)) = LINKED.iter().find(|(library, _)| *library == word)
                && seen.insert(*name)
            {
                add(Tests, name, path, at + 1);
            }
        }
    }
}

/// Returns the names of the tables or sections of a TOML or INI configuration file with their lines, from
/// 1; of several for one tool, only the first.
fn sections(text: &str) -> Vec<(String, usize)> {
    let header = |line: &str| {
        Some(line.trim_end().strip_prefix('[')?.strip_suffix(']')?.trim_matches(['[', ']']).to_owned())
    };
    let all = text.lines().enumerate();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (at, line) in all {
        let Some(name) = header(line) else { continue };
        let tool: String = name.split(['.', '-']).take(2).collect::<Vec<_>>().join(".");
        if seen.insert(tool) || name == "tool.ruff.format" {
            found.push((name, at + 1));
        }
    }
    found
}

/// Returns the line, from 1, of a key at the top level of a JSON object; `None` if its value is no object,
/// list or string.
fn key_line(text: &str, key: &str) -> Option<usize> {
    let root: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    root.get(key).filter(|value| value.is_object() || value.is_array() || value.is_string())?;
    let quoted = format!("\"{key}\"");
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| line.contains(&quoted)).collect();
    let is_key =
        |line: &str| line.split_once(&quoted).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
    lines.iter().filter(|(_, line)| is_key(line)).min_by_key(|(_, line)| indent(line)).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_tool_count_once() {
        let text = "[project]\n[tool.ruff]\n[tool.ruff.lint]\n[tool.ruff.format]\n[[tool.mypy.overrides]]\n[tool.mypy]\n";
        let names: Vec<String> = sections(text).iter().map(|(name, line)| format!("{name} {line}")).collect();
        assert_eq!(names, ["project 1", "tool.ruff 2", "tool.ruff.format 4", "tool.mypy.overrides 5"]);
    }

    #[test]
    fn recipes_call_tools_and_cmake_links_them() {
        type Add<'a> = &'a mut dyn FnMut(ToolPurpose, &str, &str, usize);
        let shown = |text: &str, read: fn(&str, Add)| {
            let mut found = Vec::new();
            read(text, &mut |_, name, _, line| found.push(format!("{name} {line}")));
            found
        };
        let text = "FMT = clang-format -i\nlint:\n\tfor f in *.c ; do clang-tidy $$f ; done\n\t@echo re2c is needed\n\tapt install cppcheck now\n";
        assert_eq!(
            shown(text, |text, mut add| of_makefile("Makefile", text, &mut add)),
            ["clang-format 1", "clang-tidy 3"]
        );
        let text = "# target_link_libraries(a gtest)\ntarget_link_libraries(\"${t}\" shop gmock gtest)\nadd_subdirectory(\"third_party/googletest\")\nfind_package(Catch2 3)\n";
        assert_eq!(
            shown(text, |text, mut add| of_cmake("CMakeLists.txt", text, &mut add)),
            ["googletest 2", "catch2 4"]
        );
    }

    #[test]
    fn only_keys_of_the_first_level_configure_a_tool() {
        let text = "{\n  \"scripts\": {\n    \"jest\": \"jest\"\n  },\n  \"jest\": {},\n  \"devDependencies\": { \"prettier\": \"3\" }\n}\n";
        assert_eq!(key_line(text, "jest"), Some(5));
        assert_eq!(key_line(text, "prettier"), None);
    }
}
