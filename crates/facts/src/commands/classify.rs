//! Classifies commands by purpose (build, test, run, …), from their program and arguments. Reading order:
//! this file (command lines), `scripts` (targets and scripts with their lines), `names` (the tables).

mod names;
mod scripts;

use crate::fact::CommandPurpose::{self, Bench, Build, Docs, Format, Install, Lint, Run, Test};
use names::{BY_ARGUMENT, BY_PROGRAM, NAMES, RUNNERS};
pub(super) use scripts::of_script;

/// Returns the purpose of a shell command, judged by its program and arguments: `cargo test --all` →
/// `Test`. `None` if the program is unknown or does something else.
pub(super) fn purpose(command: &str) -> Option<CommandPurpose> {
    let mut words = command.split_whitespace().skip_while(|word| is_before_program(word));
    let first = words.next()?.trim_start_matches("./");
    let held = held_program(first);
    let program = held.as_deref().unwrap_or(first);
    let rest: Vec<&str> = words.clone().collect();
    if matches!(rest.as_slice(), [.., "--version" | "-version" | "-V" | "--help" | "-h"] | ["version"]) {
        return None;
    }
    let words = arguments(program, &rest);
    let runs_module = matches!(program, "python" | "python3" | "py" | "npx" | "bunx" | "uvx");
    if runs_module
        || matches!(
            (program, words.first()),
            ("bundle" | "pnpm" | "composer", Some(&"exec"))
                | ("uv" | "poetry" | "pdm" | "hatch", Some(&"run"))
        )
    {
        return of_module(command, &words);
    }
    if matches!(program, "tox" | "nox") {
        // `tox list` runs nothing.
        let is_other =
            words.first().is_some_and(|it| matches!(*it, "list" | "l" | "config" | "devenv" | "depends"));
        let is_list = is_other || rest.iter().any(|word| matches!(*word, "-l" | "--list"));
        return environments(&rest).map_or((!is_list).then_some(Test), of_environments);
    }
    if let Some((_, arguments)) = BY_ARGUMENT.iter().find(|(name, _)| *name == program) {
        let first = words.first()?;
        let known = arguments.iter().find(|(name, _)| name == first).map(|(_, purpose)| *purpose);
        // `dotnet run --project benchmarks`.
        let is_profile = command.contains("--profile");
        let is_bench = known == Some(Run) && !is_profile && command.to_lowercase().contains("bench");
        return if is_bench { Some(Bench) } else { known };
    }
    // Prose has `configure` too.
    let is_option = |word: &&str| word.starts_with(['-', '$', '\\', '[']) || word.contains('=');
    if program == "configure" && !(command.contains("/configure") && rest.first().is_none_or(is_option)) {
        return None;
    }
    if matches!(program, "curl" | "wget") {
        return installs_itself(command).then_some(Install);
    }
    if program == "java" && command.contains(" -jar ") {
        return Some(Run);
    }
    // It adds the package to the project of a user.
    if program == "composer" && words.first() == Some(&"require") {
        return Some(Install);
    }
    if program == "php" && words.first().is_some_and(|file| file.ends_with(".phar")) {
        return Some(Run);
    }
    // `npm config set package-lock false`
    if words.first().is_some_and(|word| matches!(*word, "config" | "cache" | "publish")) {
        return None;
    }
    // A profile of Maven that signs or releases.
    if command.contains("performRelease") || command.contains("release-sign") {
        return None;
    }
    if RUNNERS.contains(&program) {
        return of_targets(program, &words).map(|purpose| of_maven(program, command, purpose));
    }
    if program == "cmake"
        && command.split_whitespace().any(|word| word == "-E" || word == "-P" || word == "--version")
    {
        return None;
    }
    // A build of tests of its own.
    if program == "cmake" && command.contains(" -S test") {
        return None;
    }
    if program == "cmake" && command.contains("--install") {
        return Some(Install);
    }
    // These builders check the documents, and make none.
    if program == "sphinx-build" && rest.iter().any(|word| matches!(*word, "doctest" | "linkcheck")) {
        return Some(if rest.contains(&"doctest") { Test } else { Lint });
    }
    // They write nothing.
    let is_dry = match program {
        "tsc" | "vue-tsc" => command.contains("--noEmit"),
        "typedoc" => command.contains("--emit none") || command.contains("--emit=none"),
        _ => false,
    };
    if is_dry {
        return Some(Lint);
    }
    let named = |program: &str| BY_PROGRAM.iter().find(|(name, _)| *name == program).map(|(_, it)| *it);
    if let Some(purpose) = named(program).or_else(|| named(local_program(program)?)) {
        return Some(purpose);
    }
    if is_script(command, program) {
        let name = program.rsplit('/').next().unwrap_or(program);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        // `build.cmd docs-fetch` does what its target says.
        let target = words.first().filter(|_| matches!(stem, "build" | "make"));
        if target.is_some_and(|target| of_name(target) != of_script_name(stem)) {
            return None;
        }
        return of_script_name(stem);
    }
    None
}

/// Returns the program that a make variable stands for, if it is a known one: `$(GO)` → `go`.
fn held_program(word: &str) -> Option<String> {
    let name = word.strip_prefix("$(").and_then(|it| it.strip_suffix(')'));
    let name = name.or_else(|| word.strip_prefix("${")?.strip_suffix('}'))?;
    let lower = name.to_lowercase();
    BY_ARGUMENT.iter().any(|(known, _)| *known == lower).then_some(lower)
}

/// Options of runners that take the next word as their value, by program.
const VALUES: &[(&[&str], &[&str])] = &[
    (&["mvn", "mvnw"], &["-P", "-pl", "-f", "-s", "-T", "-rf", "--file", "--projects", "--settings"]),
    (&["npm"], &["--prefix", "-C", "-w", "--workspace"]),
    (&["pnpm"], &["-C", "--dir", "--filter", "-F"]),
    (&["yarn"], &["--cwd"]),
];

/// Returns the plain words after a program: options and the values of options are left out.
fn arguments<'a>(program: &str, rest: &[&'a str]) -> Vec<&'a str> {
    let valued =
        VALUES.iter().find(|(programs, _)| programs.contains(&program)).map_or(&[][..], |(_, it)| *it);
    let is_value = |at: usize| at.checked_sub(1).is_some_and(|before| valued.contains(&rest[before]));
    let plain = rest.iter().enumerate().filter(|(at, word)| !word.starts_with(['-', '+']) && !is_value(*at));
    plain.map(|(_, word)| *word).collect()
}

/// Returns the comma-separated environments or sessions that a tox or nox command selects: `-e py,lint` →
/// `py,lint`.
fn environments<'a>(words: &[&'a str]) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| match *word {
        "-e" | "--env" | "-s" | "--session" | "--sessions" => words.get(at + 1).copied(),
        _ => word.strip_prefix("-e").filter(|it| it.starts_with(char::is_alphanumeric)),
    })
}

/// Returns the purpose of a list of tox environments: `Test` if one tests, else that of the first one with
/// a known purpose.
fn of_environments(list: &str) -> Option<CommandPurpose> {
    let of = |name: &str| {
        let program = BY_PROGRAM.iter().find(|(known, _)| *known == name).map(|(_, it)| *it);
        let version = name.strip_prefix("py").unwrap_or(name);
        let is_python = version.starts_with(|c: char| c.is_ascii_digit());
        let is_any = name == "py" || name.contains(['{', '$']);
        program.or_else(|| of_name(name)).or((is_python || is_any).then_some(Test))
    };
    // An environment for development is made, and nothing is started in it.
    let of = |name: &str| of(&name.replace('_', "-")).filter(|purpose| *purpose != Run);
    let known: Vec<CommandPurpose> = list.split(',').filter_map(of).collect();
    if known.contains(&Test) { Some(Test) } else { known.first().copied() }
}

/// Returns true for an installation that pipes a script into a shell: `curl -sSf https://…/install.sh |
/// sh`.
fn installs_itself(command: &str) -> bool {
    let Some((fetch, shell)) = command.split_once('|') else { return false };
    let shell = shell.split_whitespace().find(|word| *word != "sudo").unwrap_or_default();
    let is_script = |word: &str| word.contains("://") && word.to_lowercase().contains("install");
    matches!(shell, "sh" | "bash" | "zsh") && fetch.split_whitespace().any(is_script)
}

/// Returns the name of a program in a folder where projects keep their tools: `vendor/bin/phpunit` →
/// `phpunit`.
fn local_program(path: &str) -> Option<&str> {
    const FOLDERS: &[&str] =
        &["vendor/bin/", "tools/", "node_modules/.bin/", ".venv/bin/", "venv/bin/", "bin/"];
    let name = FOLDERS.iter().find_map(|folder| path.strip_prefix(folder))?;
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).then_some(name)
}

/// Corrects the purpose of a Maven or Gradle command: `install` builds, and `verify` without tests builds,
/// too.
fn of_maven(program: &str, command: &str, purpose: CommandPurpose) -> CommandPurpose {
    let is_untested = ["-DskipTests", "-Dmaven.test.skip", "-Dtest.skip"].iter().any(|option| {
        command.split_whitespace().any(|word| {
            word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest == "=true" || rest == "=")
        })
    });
    match purpose {
        Install if matches!(program, "mvn" | "mvnw" | "gradle" | "gradlew") => Build,
        Test if is_untested && matches!(program, "mvn" | "mvnw") => Build,
        purpose => purpose,
    }
}

/// Returns true if the program is a script of the project, such as `./build.sh` or `scripts/test`.
pub(super) fn is_script(command: &str, program: &str) -> bool {
    let ends = [".sh", ".bash", ".ps1", ".bat", ".cmd", ".py", ".rb", ".pl"]
        .iter()
        .any(|end| program.ends_with(end));
    let is_named = command.contains(&format!("./{program}")) || program.contains('/');
    is_named
        && (ends || !program.rsplit('/').next().unwrap_or(program).contains('.'))
        && !program.starts_with(['/', '~', '$'])
}

/// Returns the purpose of a script file by its name without ending. It is stricter than `of_name`, because
/// a script `check` may do anything and `install-x` installs something else.
fn of_script_name(stem: &str) -> Option<CommandPurpose> {
    let lower = stem.to_lowercase().replace('_', "-");
    let first = lower.split('-').next().unwrap_or_default();
    if matches!(first, "check" | "verify" | "all" | "t" | "i" | "up" | "package") {
        return None;
    }
    let runs_tests = ["run-tests", "runtests", "run-test", "runtest", "run-all-tests", "test-all"];
    if runs_tests.contains(&lower.as_str()) {
        return Some(Test);
    }
    let known = of_name(&lower)?;
    (lower == first || matches!(known, Test | Build | Lint | Format | Bench)).then_some(known)
}

/// Returns true for a word that may stand before the program: `sudo`, `env`, `time` or an assignment `A=1`.
pub(super) fn is_before_program(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    });
    matches!(word, "sudo" | "env" | "time" | "xvfb-run") || is_assignment
}

/// Returns the purpose of a command behind a launcher (`python -m pytest`, `npx vitest`, `bundle exec
/// rspec`): that of the first word which is a known program.
fn of_module(command: &str, words: &[&str]) -> Option<CommandPurpose> {
    let inner = |word: &&str| {
        if *word == "unittest" {
            return Some(Test);
        }
        let (_, tail) = command.split_once(&format!(" {word}"))?;
        purpose(&format!("{word}{tail}"))
    };
    // The words behind a script are its own: `python tool.py install black`.
    let is_script = |word: &&&str| [".py", ".pyz", ".js", ".mjs"].iter().any(|end| word.ends_with(end));
    let until = words.iter().position(|word| is_script(&word)).map_or(words.len(), |at| at + 1);
    words[..until].iter().filter(|word| !matches!(**word, "exec" | "run")).find_map(inner)
}

/// Returns the purpose of a command of a runner such as make or npm: that of the first target or script
/// name in its arguments with a known one, with make that of the last one. `make` alone builds.
fn of_targets(program: &str, words: &[&str]) -> Option<CommandPurpose> {
    let names =
        words.iter().copied().filter(|word| *word != "run" && *word != "run-script" && !word.contains('='));
    let names: Vec<&str> = names.collect();
    // `npm ci` is a command of the program, and not a script.
    let is_own = words.first() == Some(&"ci") && matches!(program, "npm" | "pnpm" | "bun");
    // The last step counts: `mvn test package deploy`.
    if names.iter().any(|name| matches!(*name, "deploy" | "release" | "publish")) {
        return None;
    }
    match names.first() {
        Some(_) if is_own => Some(Install),
        // The name of the script does not tell the subject of the check.
        Some(&"check") if matches!(program, "npm" | "pnpm" | "yarn" | "bun") => None,
        None if words.is_empty() && matches!(program, "make" | "rake" | "mvn" | "mvnw") => Some(Build),
        None if words.is_empty() && program == "yarn" => Some(Install),
        // Make builds the targets in their order, and the ones before the last prepare it.
        _ if program == "make" => names.into_iter().rev().find_map(of_name),
        _ => names.into_iter().find_map(of_name),
    }
}

/// Returns the purpose of a command (build, test, run, …) that the name of a target, task or script
/// suggests: `test:unit` → `Test`. `None` if it is unknown.
pub(super) fn of_name(name: &str) -> Option<CommandPurpose> {
    let lower = name.to_lowercase();
    if lower.ends_with("doctest") {
        return Some(Test);
    }
    // A list of findings that are let pass; a task that removes or only adds up what another one left.
    let rests = ["-clean", "-erase", "-report", "-combine", ":clean", ":erase", ":report", "_clean"];
    let is_page = lower.starts_with("cov") && lower.ends_with("html");
    if is_page || lower.contains("baseline") || rests.iter().any(|end| lower.ends_with(end)) {
        return None;
    }
    let known = |part: &str| NAMES.iter().find(|(name, _)| *name == part).map(|(_, purpose)| *purpose);
    let before = |marks: &[char]| lower.split(marks).next().and_then(known);
    // `check:lint` is what its second part is.
    let checked = lower.strip_prefix("check:").or(lower.strip_prefix("check-")).and_then(of_name);
    let documents = lower.strip_prefix("build:").or(lower.strip_prefix("build-")).and_then(of_name);
    let checked = checked.or(documents.filter(|purpose| *purpose == Docs));
    checked.or_else(|| known(&lower)).or_else(|| before(&[':'])).or_else(|| before(&[':', '-', '.']))
}

#[cfg(test)]
mod tests;
