//! Checks that a quoted command belongs to this project: its folder exists, its script is declared, and it
//! installs this project and nothing else.

use std::collections::BTreeSet;

use serde_json::Value;
use stategraph_repo::ProjectMetadata;

use super::FoundCommand;
use crate::collect::Texts;
use crate::fact::{CommandPurpose, FactOrigin, PathRole};
use crate::projects::{folder_of, join_path};
use crate::role::role_of;

/// Names by which the project may be called, in lower case: those of manifests, of programs and of the
/// folder.
pub(super) struct ProjectNames(BTreeSet<String>);

impl ProjectNames {
    /// Collects the names of a project; one-letter names are left out.
    pub(super) fn of(project: &ProjectMetadata) -> Self {
        let folder = project.path.rsplit('/').next().unwrap_or_default();
        let named = project.manifests.iter().filter_map(|it| it.name.as_deref());
        let programs = project.manifests.iter().flat_map(|it| it.programs.keys()).map(String::as_str);
        let all = named.chain(programs).chain([folder, project.name.as_str()]);
        let parts = all.flat_map(|name| {
            let last = name.rsplit(['/', ':']).next().unwrap_or(name);
            [name.to_lowercase(), last.to_lowercase()]
        });
        Self(parts.filter(|name| name.len() > 1).collect())
    }

    /// Returns true if a segment of an address (host or path) is a name of the project.
    fn has_part(&self, address: &str) -> bool {
        address.to_lowercase().split(['/', '.', ':', '@']).any(|part| self.0.contains(part))
    }

    /// Returns true if a folder is called like the project, with or without a version: `shop-1.2`. Release
    /// archives unpack to such folders.
    fn has_release(&self, folder: &str) -> bool {
        let lower = folder.to_lowercase();
        let name = lower
            .split_once('-')
            .filter(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit() || c == 'v'));
        self.0.contains(name.map_or(lower.as_str(), |(name, _)| name))
    }

    /// Returns true if a word names the project, possibly with a version, extras or a registry path:
    /// `@acme/shop@2`.
    pub(super) fn has(&self, word: &str) -> bool {
        let lower = word.trim_matches(['"', '\'']).to_lowercase();
        let plain = lower.trim_start_matches('@');
        let bare = plain.split(['[', '=', '<', '>', '~', '^', '@']).next().unwrap_or(plain);
        let parts = || bare.split(['/', ':']).filter(|part| !part.is_empty());
        self.0.contains(lower.as_str()) || self.0.contains(bare) || parts().any(|part| self.0.contains(part))
    }
}

/// Returns true if the command's `.jar` is a build output of the project or is called like it.
fn is_own_jar(words: &[&str], names: &ProjectNames) -> bool {
    let jar = words.iter().find(|word| word.ends_with(".jar")).copied().unwrap_or_default();
    let file = jar.rsplit('/').next().unwrap_or(jar).trim_end_matches(".jar").to_lowercase();
    let is_called = |name: &String| {
        file == *name || file.strip_prefix(name.as_str()).is_some_and(|it| it.starts_with('-'))
    };
    jar.starts_with("target/") || jar.contains("build/libs/") || names.0.iter().any(is_called)
}

/// Prefix of a folder that `git clone` creates, as opposed to a folder of the tree. No real folder begins
/// so.
pub(super) const CLONE: &str = "\u{0}clone/";

/// Folders that a build creates.
const MADE: &[&str] = &["build", "out", "_build", "cmake-build", "builddir", "target", "dist", "bin"];

/// Manifests and build files. A folder with one of them is a folder in which commands run.
const WORKPLACES: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "setup.py",
    "Makefile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "CMakeLists.txt",
    "composer.json",
    "Gemfile",
    "Rakefile",
];

/// Resolves the folder of a command to a folder of the tree, and stores it in `it.folder`. A leading folder
/// of a clone or with the name of the project stands for the root. Returns false if the folder belongs to
/// another project or does not exist.
pub(super) fn settle_folder(it: &mut FoundCommand, names: &ProjectNames, texts: &Texts) -> bool {
    let exists = |folder: &str| folder.is_empty() || texts.below(&format!("{folder}/")).next().is_some();
    if let Some(below) = it.folder.strip_prefix(CLONE) {
        let (name, rest) = below.split_once('/').unwrap_or((below, ""));
        let is_own = names.has(name) && exists(rest);
        it.folder = rest.to_owned();
        return is_own;
    }
    let (first, rest) = it.folder.split_once('/').unwrap_or((&it.folder, ""));
    // The package may be called like the repository; a folder to work in has a manifest.
    let has_manifest = WORKPLACES.iter().any(|file| texts.exists(&join_path(&it.folder, file)));
    if exists(&it.folder) && (it.folder.is_empty() || has_manifest || !names.has(first)) {
        return true;
    }
    if names.has(first) && exists(rest) {
        it.folder = rest.to_owned();
        return true;
    }
    // `cd shop-1.2/build` after unpacking.
    if !exists(first) && names.has_release(first) {
        it.folder = rest.to_owned();
    }
    let (before, last) = it.folder.rsplit_once('/').unwrap_or(("", &it.folder));
    exists(&it.folder) || exists(before) && (MADE.contains(&last) || last.starts_with("build"))
}

/// Moves a command from the README of an inner folder to the root, if its paths exist there and not in the
/// folder.
pub(super) fn settle_root(mut it: FoundCommand, texts: &Texts) -> FoundCommand {
    let exists = |path: &str| texts.exists(path) || texts.below(&format!("{path}/")).next().is_some();
    let is_of_root = it.command.split_whitespace().any(|word| {
        let path = word.trim_start_matches("./").trim_end_matches("/...").trim_end_matches('/');
        path.contains('/') && exists(path) && !exists(&join_path(&it.folder, path))
    });
    if is_of_root {
        it.folder.clear();
    }
    it
}

/// Package managers of whole operating systems.
const SYSTEMS: &[&str] =
    &["apt", "apt-get", "dnf", "yum", "apk", "pkg", "port", "scoop", "choco", "winget", "conda"];

/// Returns true if the command calls a package manager of an operating system.
pub(super) fn is_of_system(command: &str) -> bool {
    command.split_whitespace().take(2).any(|word| SYSTEMS.contains(&word))
}

/// Returns true if the command concerns this project. Commands that are not quoted from documents always
/// do. `in_ci` tells that it comes from a CI file.
pub(super) fn is_own(it: &FoundCommand, names: &ProjectNames, texts: &Texts, in_ci: bool) -> bool {
    if it.origin != FactOrigin::Quoted {
        return true;
    }
    let words: Vec<&str> = it.command.split_whitespace().collect();
    if has_open_quote(&it.command)
        || words.last().is_some_and(|word| matches!(*word, "run" | "\\" | "|" | "-e" | "&&"))
            && words.len() < 3
            && words.first() == Some(&"docker")
    {
        return false;
    }
    match it.purpose {
        CommandPurpose::Install if it.command.contains("://") && it.command.contains('|') => {
            words.iter().any(|word| word.contains("://") && names.has_part(word))
        }
        CommandPurpose::Run if words.contains(&"-jar") => is_own_jar(&words, names),
        CommandPurpose::Install => {
            installs_project(&words, names, texts) && is_declared(&words, &it.folder, texts)
        }
        CommandPurpose::Run | CommandPurpose::Build
            if words.contains(&"docker") || words.contains(&"podman") =>
        {
            !in_ci && is_own_container(&words, names)
        }
        _ => names_known_project(&words, &it.folder, texts) && is_declared(&words, &it.folder, texts),
    }
}

/// Returns false for a `dotnet` command whose `--project` does not exist in the tree, because a README shows
/// such commands for the readers' own projects. `dotnet run` without one needs a project in its folder.
fn names_known_project(words: &[&str], folder: &str, texts: &Texts) -> bool {
    let named = words.iter().position(|word| *word == "--project").and_then(|at| words.get(at + 1));
    if words.starts_with(&["dotnet", "run"])
        && !words.iter().any(|word| word.starts_with("--project") || matches!(*word, "-p" | "--file"))
        && !words.get(2).is_some_and(|word| word.ends_with(".cs"))
    {
        let is_project = |path: &String| {
            folder_of(path) == folder
                && [".csproj", ".fsproj", ".vbproj"].iter().any(|end| path.ends_with(end))
        };
        return texts.paths().any(is_project);
    }
    let Some(project) = named.filter(|_| words.first() == Some(&"dotnet")) else { return true };
    let project = project.trim_matches(['"', '\'']).trim_start_matches("./").trim_end_matches('/');
    let path = join_path(folder, project);
    let is_below = |it: &String| it == &path || it.starts_with(&format!("{path}/"));
    project.contains('$') || texts.paths().any(is_below)
}

/// Returns true if a quotation mark of the command is not closed.
fn has_open_quote(command: &str) -> bool {
    let (mut single, mut double) = (false, false);
    for c in command.chars() {
        match c {
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ => {}
        }
    }
    single || double
}

/// Package managers whose arguments after `install` are package names.
const MANAGERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "pipx", "brew", "gem", "cargo", "go", "uv", "poetry",
    "composer", "phive", "dotnet", "apt", "apt-get", "dnf", "yum", "apk", "pkg", "port", "scoop", "choco",
    "winget", "conda",
];

/// Returns true for a list of requirements that only documents, tests or scripts of the project need.
fn is_side_list(path: &str) -> bool {
    matches!(role_of(path), PathRole::Docs | PathRole::Build | PathRole::Example)
        || role_of(path) == PathRole::Test && path.contains('/')
}

/// Returns true if an installation command installs the project itself or the dependencies in its manifest,
/// not some other package.
fn installs_project(words: &[&str], names: &ProjectNames, texts: &Texts) -> bool {
    let Some(at) = words.iter().position(|word| MANAGERS.contains(word)) else { return true };
    // `pip install -U pip` installs a package of that name.
    let is_verb = |index: usize, word: &str| {
        word == "pip" && index == at + 1
            || matches!(
                word,
                "install"
                    | "i"
                    | "add"
                    | "get"
                    | "ci"
                    | "sync"
                    | "restore"
                    | "tool"
                    | "global"
                    | "mod"
                    | "download"
                    | "require"
                    | "self"
            )
    };
    let mut packages = Vec::new();
    let mut takes_value = false;
    for (index, word) in words.iter().enumerate().skip(at + 1) {
        if std::mem::take(&mut takes_value) {
            continue;
        }
        match word {
            word if is_verb(index, word) => {}
            // The file or the folder that follows is that of the project.
            word if matches!(*word, "-r" | "-e" | "--requirement" | "--editable" | "--path") => {
                return !words.get(index + 1).is_some_and(|list| is_side_list(list));
            }
            word if word.starts_with('-') => {
                takes_value = matches!(
                    *word,
                    "--git"
                        | "--branch"
                        | "--rev"
                        | "--tag"
                        | "--group"
                        | "--extra"
                        | "--features"
                        | "--version"
                        | "--with"
                );
            }
            word => packages.push(*word),
        }
    }
    let is_local = |word: &&str| {
        let bare = word.trim_matches(['"', '\'']).trim_end_matches('/');
        bare == "."
            || bare.starts_with(".[")
            || bare.starts_with("./") && texts.exists(bare.trim_start_matches("./"))
    };
    // What a system installs without a name, a machine of the CI needs.
    packages.is_empty() && !SYSTEMS.contains(&words[at])
        || packages.iter().any(|word| is_local(word) || names.has(word))
}

/// Returns true if a container command builds or starts the project. Containers of databases and other
/// services do not count.
fn is_own_container(words: &[&str], names: &ProjectNames) -> bool {
    if words.contains(&"compose") || words.contains(&"docker-compose") {
        let up = words.iter().position(|word| *word == "up");
        return up
            .is_none_or(|up| words[up + 1..].iter().all(|word| word.starts_with('-') || names.has(word)));
    }
    words.contains(&"build") || words.iter().skip(2).any(|word| names.has(word))
}

/// Returns false if the command calls an npm script, a make target or a file that the project does not
/// have.
fn is_declared(words: &[&str], folder: &str, texts: &Texts) -> bool {
    let is_option = |word: &&&str| word.starts_with('-') || word.contains('=');
    let mut plain =
        words.iter().filter(|word| !is_option(word) && !matches!(**word, "sudo" | "env" | "time"));
    let Some(program) = plain.next() else { return false };
    match *program {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let named = plain.find(|word| !matches!(**word, "run" | "run-script"));
            let Some(text) = texts.read(&join_path(folder, "package.json")) else { return true };
            let Some(named) = named.copied() else { return true };
            let Ok(root) = serde_json::from_str::<Value>(&text) else { return true };
            let is_script = root.get("scripts").and_then(|scripts| scripts.get(named)).is_some();
            // `bun test` and `yarn workspace …` are commands of the program itself.
            let is_command =
                words.get(1) != Some(&"run") && !matches!(named, "test" | "start") || *program == "bun";
            is_script || is_command
        }
        "make" => {
            let Some(target) = plain.next() else { return true };
            let path = ["Makefile", "makefile", "GNUmakefile"].map(|name| join_path(folder, name));
            let Some(text) =
                path.iter().find_map(|path| texts.exists(path).then(|| texts.read(path)).flatten())
            else {
                return true;
            };
            let is_computed = text
                .lines()
                .any(|line| line.contains("include ") || line.starts_with('$') || line.contains('%'));
            let declares = |line: &str| {
                line.split_once(':')
                    .is_some_and(|(head, _)| head.split_whitespace().any(|word| word == *target))
            };
            is_computed || text.lines().any(declares)
        }
        program => {
            let path = program.trim_start_matches("./");
            let is_script = super::classify::is_script(&words.join(" "), path)
                && !path.starts_with("vendor/")
                && !path.starts_with("node_modules/");
            let is_made = matches!(path, "configure" | "gradlew" | "mvnw") || path.starts_with("build/");
            !is_script
                || is_made
                || is_fetched(path, texts)
                || texts.exists(&join_path(folder, path))
                || texts.exists(path)
        }
    }
}

/// Returns true if `path` is a program that Phive, by its list in the tree, installs there.
fn is_fetched(path: &str, texts: &Texts) -> bool {
    let lists = || [".phive/phars.xml", "phive.xml"].iter().filter_map(|list| texts.read(list));
    path.starts_with("tools/") && lists().any(|text| text.contains(&format!("/{path}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_the_project_with_its_version_extras_or_path() {
        let names = ProjectNames(["shop".to_owned(), "@x/shop".to_owned()].into());
        for word in ["'shop[cli]>=2'", "@x/shop@2", "example.org/shop/v2", "ghcr.io/x/shop:latest"] {
            assert!(names.has(word), "{word}");
        }
        for word in ["autoconf", "shop-generator@4", "workshop", "postgres:18"] {
            assert!(!names.has(word), "{word}");
        }
        assert!(names.has_release("shop-1.2") && names.has_release("Shop") && !names.has_release("shop-web"));
        assert!(is_side_list("docs/requirements.txt") && !is_side_list("requirements.txt"));
        assert!(has_open_quote("docker run 'a b") && !has_open_quote("echo \"it's\""));
    }
}
