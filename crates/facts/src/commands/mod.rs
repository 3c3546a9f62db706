//! Facts about the commands that install, build, run and test a project, quoted from the files that contain
//! them. They are ordered by trust: documents for contributors, task runners, scripts of manifests, CI,
//! README, and last the usual commands of the ecosystem.

mod actions;
mod checks;
mod classify;
mod cmake;
mod containers;
mod extras;
mod pipelines;
mod prose;
mod readmes;
mod scalars;
mod scripts;
mod targets;
mod tasks;

use std::borrow::Cow;
use std::collections::BTreeSet;

use stategraph_base::quote_for_shell;
use stategraph_repo::{ProjectMetadata, ProjectType};

use crate::collect::Texts;
use crate::fact::{CommandPurpose, Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::projects::folder_of;
use crate::role::role_of;
use crate::text::{has_secret, visible};

/// Maximum length of a command, in characters; a longer one is dropped.
const CHARS: usize = 300;
/// Maximum number of commands from one file.
const OF_ONE: usize = 200;
/// Maximum number of READMEs of inner projects that are read.
const INNER: usize = 40;
/// Maximum number of commands for one purpose and project.
const MOST: usize = 6;

/// A shell command found in a file, with its purpose and source, before it becomes a fact.
pub(super) struct FoundCommand {
    pub(super) purpose: CommandPurpose,
    pub(super) command: String,
    /// Folder in which it runs, relative to the root.
    pub(super) folder: String,
    pub(super) source: SourceLines,
    pub(super) origin: FactOrigin,
    /// Lines of the script or recipe that it runs; empty if unknown.
    pub(super) runs: Vec<String>,
}

/// Returns the command facts of a code base. `programs` are the names of the programs that it builds.
pub(crate) fn facts(project: &ProjectMetadata, texts: &Texts, programs: &BTreeSet<String>) -> Vec<Fact> {
    let mut found: Vec<FoundCommand> = Vec::new();
    let documents: Vec<&String> = texts.paths().filter(|path| prose::is_for_contributors(path)).collect();
    // Hidden folders are not walked; GitHub looks for the guide there too.
    found.extend(read(texts, ".github/CONTRIBUTING.md", prose::guide_commands));
    found.extend(documents.iter().flat_map(|path| read(texts, path, prose::guide_commands)));
    found.extend(
        texts
            .paths()
            .filter(|path| targets::is_known(path))
            .flat_map(|path| read(texts, path, targets::commands)),
    );
    found.extend(
        texts
            .paths()
            .filter(|path| tasks::is_known(path))
            .flat_map(|path| read(texts, path, tasks::commands)),
    );
    containers::remove(&mut found, texts);
    found.extend(scripts::commands(texts));
    let before_ci = found.len();
    found.extend(
        texts
            .paths()
            .filter(|path| actions::is_workflow(path))
            .flat_map(|path| read(texts, path, actions::commands)),
    );
    found.extend(pipelines::FILES.iter().flat_map(|(path, _)| read(texts, path, pipelines::commands)));
    let after_ci = found.len();
    found.extend(
        texts
            .paths()
            .filter(|path| prose::is_readme(path))
            .flat_map(|path| read(texts, path, prose::commands)),
    );
    found.extend(
        texts
            .paths()
            .filter(|path| prose::is_readme(path))
            .flat_map(|path| read(texts, path, readmes::installs)),
    );
    let projects: BTreeSet<&str> = project.manifests.iter().map(|it| folder_of(&it.path)).collect();
    found.extend(
        texts
            .paths()
            .filter(|path| readmes::is_inner_readme(path) && projects.contains(folder_of(path)))
            .take(INNER)
            .flat_map(|path| read(texts, path, readmes::inner_commands))
            .map(|it| checks::settle_root(it, texts)),
    );
    for path in texts.paths().filter(|path| prose::is_readme(path)) {
        let mut runs = texts.read(path).map(|text| prose::runs(path, &text, programs)).unwrap_or_default();
        runs.truncate(OF_ONE);
        found.append(&mut runs);
    }
    let names = checks::ProjectNames::of(project);
    let extras = extras::DeclaredExtras::of(project, texts);
    let mut index = 0;
    found.retain_mut(|it| {
        let in_ci = (before_ci..after_ci).contains(&index);
        index += 1;
        scripts::settle_purpose(it, texts);
        make_alone(it, texts)
            && rake_alone(it, texts)
            && checks::settle_folder(it, &names, texts)
            && checks::is_own(it, &names, texts, in_ci)
            && extras.allows(&it.command, &names)
            && !(in_ci && is_setup(it))
    });
    // Of many installations those of the language are the first.
    found.sort_by_key(|it| it.purpose == CommandPurpose::Install && checks::is_of_system(&it.command));
    // What tests and copies of other projects hold is no command of this one.
    found.retain(|it| !matches!(role_of(&it.source.path), PathRole::Test | PathRole::Vendored));
    cmake::remove_lone(&mut found);
    let is_safe = |command: &str| visible(command) == command && !has_secret(command);
    found.retain(|it| it.command.chars().count() <= CHARS && is_safe(&it.command));
    by_convention(project, texts, &mut found);
    let folders: BTreeSet<&str> =
        project.manifests.iter().map(|manifest| folder_of(&manifest.path)).collect();
    let mut counts = std::collections::BTreeMap::new();
    let mut facts = Vec::new();
    for it in found {
        let subject = nearest(&folders, &it.folder);
        let count: &mut BTreeSet<String> = counts.entry((subject.to_owned(), it.purpose)).or_default();
        if count.contains(&it.command) || count.len() < MOST {
            // Tests of documents are those of Sphinx, and what a website of documents needs is nothing that the product needs.
            if it.purpose != CommandPurpose::Docs
                && texts.role_of(&format!("{}/x", it.folder)) == PathRole::Docs
            {
                continue;
            }
            count.insert(it.command.clone());
            let runs = shown_lines(&it.runs);
            let value =
                FactValue::Command { purpose: it.purpose, command: it.command, folder: it.folder, runs };
            facts.push(Fact::new(FactSubject::Project(subject.to_owned()), value, it.source, it.origin));
        }
    }
    facts
}

/// Returns true for a command that installs something: with a package manager, or by a script that is fetched
/// and run.
pub(crate) fn is_installation(command: &str) -> bool {
    let is_fetched = ["curl ", "wget "].iter().any(|fetch| command.contains(fetch));
    let runs = ["| sh", "| bash", "|sh", "|bash", "| sudo ", "bash <(", "sh <(", "sh -c \"$("];
    classify::purpose(command) == Some(CommandPurpose::Install)
        || is_fetched && runs.iter().any(|run| command.contains(run))
}

/// Quotes a name from a manifest for a shell if necessary, because a key of JSON may be `build; rm -rf x`.
fn as_word(name: &str) -> Cow<'_, str> {
    quote_for_shell(name.as_ref())
}

/// Maximum number of shown lines of a script or recipe.
const RUNS: usize = 6;

/// Returns the lines of a script or recipe for display; none at all if one is too long or unsafe, or if
/// there are more than 6.
fn shown_lines(lines: &[String]) -> Vec<String> {
    let is_shown =
        |line: &String| line.chars().count() <= CHARS && visible(line) == *line && !has_secret(line);
    if lines.len() <= RUNS && lines.iter().all(is_shown) { lines.to_vec() } else { Vec::new() }
}

/// Returns true for a CI command that only prepares the machine: it installs a single package or runs a
/// program.
fn is_setup(it: &FoundCommand) -> bool {
    let is_package = |word: &str| matches!(word, "brew" | "gem" | "cargo" | "pipx" | "-g" | "--global");
    it.purpose == CommandPurpose::Run && !it.command.contains("compose")
        || it.purpose == CommandPurpose::Install && it.command.split_whitespace().any(is_package)
        // Its package was a variable.
        || it.command == "go install"
        || is_single_package(&it.command)
}

/// Returns true for the installation of named packages of npm: `npm install semver`.
fn is_single_package(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (["npm", "install" | "i" | "add", rest @ ..] | ["yarn" | "pnpm", "add", rest @ ..]) =
        words.as_slice()
    else {
        return false;
    };
    !rest.is_empty()
        && rest.iter().all(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@'))
}

/// Sets the purpose of a plain `make` to that of its default target, or of the targets that this one needs.
/// Returns false if the default target only lists the others, such as `help`; the command is then dropped.
fn make_alone(it: &mut FoundCommand, texts: &Texts) -> bool {
    let is_alone = it.command.split_whitespace().last() == Some("make") && !it.command.contains("&&");
    if !is_alone || it.purpose != CommandPurpose::Build {
        return true;
    }
    let path = crate::projects::join_path(&it.folder, "Makefile");
    let Some(text) = texts.read(&path) else { return true };
    let goal = text.lines().find_map(|line| {
        Some(line.strip_prefix(".DEFAULT_GOAL")?.trim_start_matches([':', '?', '=', ' ']).trim())
    });
    let rule = text.lines().find_map(|line| {
        let (target, needs) = line.split_once(':')?;
        let is_target = target.starts_with(|c: char| c.is_ascii_alphabetic())
            && target.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let is_rule = is_target && !needs.starts_with(['=', ':']);
        (is_rule && goal.is_none_or(|goal| goal == target)).then_some((target, needs))
    });
    let (target, needs) = rule.unwrap_or((goal.unwrap_or_default(), ""));
    if matches!(target, "help" | "usage" | "list" | "targets") || needs.trim() == "help" {
        return false;
    }
    let mut purposes = needs.split_whitespace().map(classify::of_name);
    let of_needs = || purposes.next().flatten().filter(|first| purposes.all(|it| it == Some(*first)));
    // `testall` runs tests.
    let is_test = || target.starts_with("test").then_some(CommandPurpose::Test);
    let named = classify::of_name(target).filter(|_| target != "all").or_else(is_test);
    if let Some(purpose) = named.or_else(of_needs) {
        it.purpose = purpose;
    }
    true
}

/// Sets the purpose of a plain `rake` to that of its default task. Returns false if the Rakefile computes
/// the task.
fn rake_alone(it: &mut FoundCommand, texts: &Texts) -> bool {
    let is_rake = it.command.split_whitespace().last() == Some("rake");
    if is_rake {
        let path = crate::projects::join_path(&it.folder, "Rakefile");
        let default = texts.read(&path).and_then(|text| tasks::rake_default(&text));
        it.purpose = default.unwrap_or(it.purpose);
        return default.is_some() || !texts.exists(&path);
    }
    true
}

/// Applies the reader `commands` to a file and returns the commands found, at most 200; none if there is no
/// such file.
fn read(texts: &Texts, path: &str, commands: fn(&str, &str) -> Vec<FoundCommand>) -> Vec<FoundCommand> {
    let mut found = texts.read(path).map(|text| commands(path, &text)).unwrap_or_default();
    found.truncate(OF_ONE);
    found
}

/// Returns the innermost of `folders` (those with a manifest) that contains `folder`; empty for the root.
fn nearest<'a>(folders: &BTreeSet<&'a str>, folder: &str) -> &'a str {
    let around =
        |known: &&&str| folder == **known || known.is_empty() || folder.starts_with(&format!("{known}/"));
    folders.iter().filter(around).max_by_key(|known| known.len()).copied().unwrap_or("")
}

/// Adds the usual build and test commands of the root's ecosystem, such as `cargo test`, for purposes
/// without a command in `found`.
fn by_convention(project: &ProjectMetadata, texts: &Texts, found: &mut Vec<FoundCommand>) {
    const USUAL: &[(ProjectType, CommandPurpose, &str)] = &[
        (ProjectType::Rust, CommandPurpose::Build, "cargo build"),
        (ProjectType::Rust, CommandPurpose::Test, "cargo test"),
        (ProjectType::Go, CommandPurpose::Build, "go build ./..."),
        (ProjectType::Go, CommandPurpose::Test, "go test ./..."),
        (ProjectType::Maven, CommandPurpose::Build, "mvn package"),
        (ProjectType::Maven, CommandPurpose::Test, "mvn test"),
        (ProjectType::Gradle, CommandPurpose::Build, "./gradlew build"),
        (ProjectType::Gradle, CommandPurpose::Test, "./gradlew test"),
        (ProjectType::Dotnet, CommandPurpose::Build, "dotnet build"),
        (ProjectType::Dotnet, CommandPurpose::Test, "dotnet test"),
    ];
    let solution = find_solution(texts);
    // The solution in the root speaks for all projects of .NET below it.
    let is_root = |path: &str| !path.contains('/') || project.project_type == ProjectType::Dotnet;
    let Some(root) = project.manifests.iter().find(|it| is_root(&it.path)) else { return };
    for (kind, purpose, command) in USUAL {
        // What an inner project says of itself is not said of the whole.
        let is_of_whole =
            |it: &FoundCommand| it.folder.is_empty() || !readmes::is_inner_readme(&it.source.path);
        if root.project_type == *kind
            && !found.iter().any(|it| it.purpose == *purpose && is_of_whole(it))
            && texts.exists(&root.path)
            && (*kind != ProjectType::Gradle || texts.exists("gradlew"))
            && (*kind != ProjectType::Dotnet || solution.is_some())
        {
            let wrapped = command.strip_prefix("mvn ").filter(|_| texts.exists("mvnw"));
            let mut command = wrapped.map_or_else(|| (*command).to_owned(), |rest| format!("./mvnw {rest}"));
            if *kind == ProjectType::Rust && leaves_members_out(&root.path, texts) {
                command.push_str(" --workspace");
            }
            found.push(FoundCommand {
                purpose: *purpose,
                command,
                folder: String::new(),
                source: SourceLines::line(
                    solution.filter(|_| *kind == ProjectType::Dotnet).unwrap_or(&root.path),
                    1,
                ),
                origin: FactOrigin::Convention,
                runs: Vec::new(),
            });
        }
    }
}

/// Returns true for a `Cargo.toml` with a package and members, for which Cargo takes the package alone unless it is told otherwise.
fn leaves_members_out(path: &str, texts: &Texts) -> bool {
    let Some(root) = texts.read(path).and_then(|text| text.parse::<toml::Table>().ok()) else { return false };
    let workspace = root.get("workspace").and_then(toml::Value::as_table);
    let list = |key: &str| workspace.and_then(|table| table.get(key)).and_then(toml::Value::as_array);
    let has_member = list("members")
        .is_some_and(|members| members.iter().filter_map(toml::Value::as_str).any(|member| member != "."));
    root.contains_key("package") && has_member && list("default-members").is_none()
}

/// Returns the solution or project file in the root that `dotnet build` would use.
fn find_solution<'a>(texts: &'a Texts) -> Option<&'a String> {
    let is_solution = |path: &&String| {
        !path.contains('/')
            && [".sln", ".slnx", ".slnf", ".csproj", ".fsproj", ".proj"].iter().any(|end| path.ends_with(end))
    };
    texts.paths().find(is_solution)
}

/// A logical line of a script: a command with its continuation lines.
pub(super) struct ScriptLine {
    /// The text with continuation lines joined.
    pub(super) text: String,
    /// Number of its first line in the script, from 0.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Splits a shell script into logical lines; lines that end with a backslash are joined with the next one.
pub(super) fn script_lines(script: &str) -> Vec<ScriptLine> {
    let mut found: Vec<ScriptLine> = Vec::new();
    let mut open = false;
    for (at, line) in script.lines().enumerate() {
        let bare = line.trim();
        let (text, continues) = match bare.strip_suffix('\\') {
            Some(text) => (text.trim_end(), true),
            None => (bare, false),
        };
        match found.last_mut().filter(|_| open) {
            Some(last) => {
                last.text = format!("{} {text}", last.text);
                last.end = at;
            }
            None => found.push(ScriptLine { text: text.to_owned(), start: at, end: at }),
        }
        open = continues;
    }
    found
}

/// Returns true for a piece of a shell statement that is no command by itself, such as an arm of `case`.
fn is_fragment(part: &str) -> bool {
    let closes = part.matches(')').count() > part.matches('(').count();
    part.contains(";;")
        || closes
        || part.split_whitespace().any(|word| matches!(word, "esac" | "fi" | "done"))
}

/// Returns the commands with a known purpose in the lines of a script that starts in `folder`; a `cd`
/// changes the folder. `at` returns the source for the first and last line of a command, from 0.
pub(super) fn of_lines(
    lines: Vec<ScriptLine>,
    folder: &str,
    at: impl Fn(usize, usize) -> SourceLines,
) -> Vec<FoundCommand> {
    of_lines_after(lines, folder, &mut None, at)
}

/// Returns the commands of lines like `of_lines`, for one of several scripts of a document. `cloned` is the
/// folder that the last `git clone` created; it is read and updated.
pub(super) fn of_lines_after(
    lines: Vec<ScriptLine>,
    folder: &str,
    cloned: &mut Option<String>,
    at: impl Fn(usize, usize) -> SourceLines,
) -> Vec<FoundCommand> {
    let mut found = Vec::new();
    let mut current = folder.to_owned();
    for line in lines {
        let mut folder = current.clone();
        let mut ends_in_folder = false;
        for part in cmake::split_steps(&line.text) {
            let part = part.as_str();
            ends_in_folder = false;
            if let Some(to) = part.strip_prefix("cd ") {
                let to = to.trim().trim_matches('"');
                ends_in_folder = true;
                folder = match cloned.as_deref() {
                    Some(name) if to.trim_end_matches('/') == name => format!("{}{name}", checks::CLONE),
                    _ => join_folder(&folder, to),
                };
                continue;
            }
            if let Some(name) = clone_name(part) {
                *cloned = Some(name);
            }
            let Some(purpose) = classify::purpose(part).filter(|_| !is_fragment(part)) else { continue };
            let source = at(line.start, line.end);
            let origin = FactOrigin::Quoted;
            found.push(FoundCommand {
                purpose,
                command: part.to_owned(),
                folder: folder.clone(),
                source,
                origin,
                runs: Vec::new(),
            });
        }
        // What follows `mkdir build && cd build` runs there; `cd web && npm start` is a step of its own.
        if ends_in_folder {
            current = folder;
        }
    }
    found
}

/// Beginnings of commands that copy a repository.
const CLONES: &[&str] = &["git clone ", "gh repo clone ", "glab repo clone ", "hub clone "];

/// Returns the folder that a `git clone` command creates: `git clone https://x/acme/shop.git` → `shop`.
fn clone_name(command: &str) -> Option<String> {
    let rest = CLONES.iter().find_map(|clone| command.split_once(clone))?.1;
    let last = rest.split_whitespace().rfind(|word| !word.starts_with('-'))?;
    let name = last.trim_end_matches('/').rsplit(['/', ':']).next()?;
    Some(name.trim_end_matches(".git").to_owned())
}

/// Resolves `path` relative to `folder`. Returns `folder` unchanged if the result would leave the
/// repository.
pub(super) fn join_folder(folder: &str, path: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                if names.pop().is_none() {
                    return folder.to_owned();
                }
            }
            name => names.push(name),
        }
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_commands_follow_the_shell() {
        let shown = |script: &str| -> Vec<String> {
            let all = of_lines(script_lines(script), "", |start, _| SourceLines::line("a", start + 1));
            all.into_iter()
                .map(|it| format!("{} | {}", it.command, it.folder.replace(checks::CLONE, "clone:")))
                .collect()
        };
        assert_eq!(shown("mkdir build && cd build\ncmake ..\nmake"), ["cmake .. | build", "make | build"]);
        assert_eq!(shown("cd web && npm test\nmake"), ["npm test | web", "make | "]);
        assert_eq!(
            shown("git clone https://x.y/me/shop.git\ncd shop\nmake test"),
            ["make test | clone:shop"]
        );
        assert_eq!(shown("gh repo clone me/shop\ncd shop\n./mvnw test"), ["./mvnw test | clone:shop"]);
    }
}
