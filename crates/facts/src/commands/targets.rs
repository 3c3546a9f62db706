//! Reads commands from the targets of Makefiles, the recipes of justfiles and the tasks of Taskfiles.

use std::collections::{BTreeMap, BTreeSet};

use super::{FoundCommand, as_word, classify};
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};
use crate::projects::folder_of;

/// Returns true for the path of a Makefile, justfile or Taskfile.
pub(super) fn is_known(path: &str) -> bool {
    runner(path).is_some()
}

/// Returns the program that runs the targets of a file: `make` for a Makefile, `just` for a justfile,
/// `task` for a Taskfile; `None` for other files.
fn runner(path: &str) -> Option<&'static str> {
    match path.rsplit('/').next().unwrap_or(path) {
        "Makefile" | "makefile" | "GNUmakefile" | "Makefile.am" => Some("make"),
        "justfile" | "Justfile" | ".justfile" => Some("just"),
        "Taskfile.yml" | "Taskfile.yaml" => Some("task"),
        _ => None,
    }
}

/// A target of a Makefile, a recipe of a justfile or a task of a Taskfile, with its position in the file.
struct MakeTarget<'a> {
    name: &'a str,
    /// Number of its first line, from 0.
    at: usize,
    /// Its first line, with the prerequisites in a Makefile.
    head: &'a str,
    /// Its indented lines.
    recipe: Vec<&'a str>,
}

/// Returns a command such as `make test` for each target with a known purpose in a Makefile, justfile or
/// Taskfile. Targets with a known name come first; those known only by their single command follow.
pub(super) fn commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let Some(runner) = runner(path) else { return Vec::new() };
    let all = list_targets(path, text, runner);
    let mut purposes: BTreeMap<&str, CommandPurpose> = BTreeMap::new();
    for it in &all {
        let lines = recipe_commands(&it.recipe);
        let named = || classify::of_script(it.name, &lines).filter(|_| !lines.is_empty());
        let purpose = named().or_else(|| lines.iter().find_map(|line| classify::purpose(line)));
        purposes.extend(purpose.map(|purpose| (it.name, purpose)));
    }
    let (mut found, mut by_recipe) = (Vec::new(), Vec::new());
    for it in &all {
        let needed: Vec<&str> = if runner == "make" { prerequisites(it.head) } else { Vec::new() };
        let is_group = it.recipe.is_empty() && !needed.is_empty();
        let named = if is_group {
            of_group(it.name, &needed, &purposes)
        } else {
            classify::of_script(it.name, &recipe_commands(&it.recipe))
        };
        let Some(purpose) =
            named.or_else(|| of_recipe(it.name, it.head, &it.recipe).filter(|_| runner != "task"))
        else {
            continue;
        };
        if runner == "make" && (only_speaks(it.head, &it.recipe) || it.name == "dist") {
            continue;
        }
        // `test: test.o` makes a program and runs nothing.
        let recipe = recipe_commands(&it.recipe);
        let only_compiles = runner == "make" && !recipe.is_empty() && recipe.iter().all(compiles);
        let purpose =
            if purpose == CommandPurpose::Test && only_compiles { CommandPurpose::Build } else { purpose };
        let end = it.at + 1 + it.recipe.len();
        let runs = if is_group {
            match needed.as_slice() {
                [only] => recipe_of(only, text, runner),
                _ => needed.iter().flat_map(|needed| lines_of_needed(needed, text, runner)).collect(),
            }
        } else {
            recipe_lines(&it.recipe, runner)
        };
        let written = FoundCommand {
            purpose,
            command: format!("{runner} {}", as_word(it.name)),
            folder: folder_of(path).to_owned(),
            source: SourceLines { path: path.to_owned(), start: it.at + 1, end },
            origin: FactOrigin::Parsed,
            runs,
        };
        if named.is_some() { found.push(written) } else { by_recipe.push(written) }
    }
    found.append(&mut by_recipe);
    if runner == "make" && !found.iter().any(|it| it.purpose == CommandPurpose::Build) {
        found.extend(default_goal(path, text));
    }
    found
}

/// Returns true for a line of a recipe that compiles or links.
fn compiles(line: &&str) -> bool {
    const COMPILERS: &[&str] = &[
        "$(CC)", "${CC}", "$(CXX)", "${CXX}", "$(LD)", "${LD}", "cc", "c99", "gcc", "g++", "clang", "clang++",
    ];
    line.split_whitespace().next().is_some_and(|it| COMPILERS.contains(&it))
}

/// Returns the command `make` if the first target of a Makefile has a recipe that compiles or links. Make
/// builds that one if no target is asked for.
fn default_goal(path: &str, text: &str) -> Option<FoundCommand> {
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| rule_target(line).is_some())?;
    let first = rule_target(lines[at])?;
    // An included file may have the first target, and Automake adds its own.
    let may_be_other =
        lines[..at].iter().any(|line| line.trim_start_matches(['-', 's']).starts_with("include "))
            || text.contains(".DEFAULT_GOAL")
            || path.ends_with(".am");
    if may_be_other || first.is_empty() || first.starts_with('.') || first.contains(['%', '=']) {
        return None;
    }
    let rules = (0..lines.len()).filter(|at| rule_target(lines[*at]) == Some(first));
    let mut recipes = rules.map(|at| {
        let recipe: Vec<&str> =
            lines[at + 1..].iter().take_while(|line| line.starts_with('\t')).copied().collect();
        (at, recipe)
    });
    let (at, recipe) = recipes.find(|(_, recipe)| !recipe.is_empty())?;
    recipe_commands(&recipe).iter().any(compiles).then(|| FoundCommand {
        purpose: CommandPurpose::Build,
        command: "make".to_owned(),
        folder: folder_of(path).to_owned(),
        source: SourceLines { path: path.to_owned(), start: at + 1, end: at + 1 + recipe.len() },
        origin: FactOrigin::Parsed,
        runs: recipe_lines(&recipe, "make"),
    })
}

/// Returns the text before the colon of a line that begins a rule of a Makefile: the target, which may be a file, a pattern or a variable.
fn rule_target(line: &str) -> Option<&str> {
    let (head, after) = line.split_once(':')?;
    let is_rule =
        !line.starts_with(['\t', ' ', '#']) && !after.starts_with([':', '=']) && !head.contains('=');
    let is_directive = ["ifeq", "ifneq", "include", "export", "define"].iter().any(|it| head.starts_with(it));
    (is_rule && !is_directive).then(|| head.trim())
}

/// Lists the targets of a Makefile, justfile or Taskfile; `runner` is `make`, `just` or `task`.
fn list_targets<'a>(path: &str, text: &'a str, runner: &str) -> Vec<MakeTarget<'a>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut in_tasks = false;
    for (at, line) in lines.iter().enumerate() {
        in_tasks = if line.starts_with([' ', '\t', '#']) || line.trim().is_empty() {
            in_tasks
        } else {
            *line == "tasks:"
        };
        let name = if runner == "task" { task(line).filter(|_| in_tasks) } else { target(line, runner) };
        let Some(name) = name else { continue };
        // Automake calls these by itself.
        if path.ends_with(".am") && ["-local", "-hook", "-am"].iter().any(|end| name.ends_with(end)) {
            continue;
        }
        if runner == "just" && is_of_other_system(&lines[..at]) {
            continue;
        }
        let indent = if runner == "task" { "    " } else { "" };
        let is_recipe = |line: &&&str| line.starts_with(['\t', ' ']) && line.starts_with(indent);
        let recipe = lines[at + 1..].iter().take_while(is_recipe).copied().collect();
        found.push(MakeTarget { name, at, head: line, recipe });
    }
    found
}

/// Returns true if the attributes above a just recipe limit it to Windows or macOS. `above` holds all lines
/// above it.
fn is_of_other_system(above: &[&str]) -> bool {
    let attributes = above.iter().rev().map(|line| line.trim()).take_while(|line| line.starts_with('['));
    let words: Vec<&str> = attributes.flat_map(|line| line.split(|c: char| !c.is_alphanumeric())).collect();
    let has = |word: &str| words.contains(&word);
    (has("windows") || has("macos")) && !has("unix") && !has("linux")
}

/// Returns the targets that a make target needs, from its first line; empty if one of them is computed.
fn prerequisites(head: &str) -> Vec<&str> {
    let needed = head.split_once(':').map_or("", |(_, needed)| needed.split('#').next().unwrap_or_default());
    let needed = needed.trim_start_matches(':').split('|').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let names: Vec<&str> = needed.split_whitespace().collect();
    if names.iter().all(|name| name.chars().all(is_plain)) { names } else { Vec::new() }
}

/// Returns the command for a needed target, `make lint`; of a needed file the recipe that makes it, without lines if the Makefile has
/// none.
fn lines_of_needed(needed: &str, text: &str, runner: &str) -> Vec<String> {
    if needed.contains(['/', '.']) {
        recipe_of(needed, text, runner)
    } else {
        vec![format!("{runner} {}", as_word(needed))]
    }
}

/// Returns the lines of the recipe that makes a target; the command for it if it has none.
fn recipe_of(needed: &str, text: &str, runner: &str) -> Vec<String> {
    let makes = |line: &str| line.strip_prefix(needed).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let lines: Vec<&str> = text.lines().collect();
    let recipes = (0..lines.len()).filter(|at| makes(lines[*at]) && !lines[*at].contains('=')).map(|at| {
        lines[at + 1..].iter().take_while(|line| line.starts_with('\t')).copied().collect::<Vec<&str>>()
    });
    let found =
        recipes.filter(|recipe| !recipe.is_empty()).map(|recipe| recipe_lines(&recipe, runner)).next();
    match found {
        Some(found) => found,
        None if needed.contains(['/', '.']) => Vec::new(),
        None => vec![format!("{runner} {}", as_word(needed))],
    }
}

/// Returns the purpose of a target that only needs others: that of its name if one of them has it, or if none is known; else that of the first.
fn of_group(
    name: &str,
    needed: &[&str],
    purposes: &BTreeMap<&str, CommandPurpose>,
) -> Option<CommandPurpose> {
    let named = classify::of_name(name)?;
    let known: Vec<CommandPurpose> = needed.iter().filter_map(|it| purposes.get(it)).copied().collect();
    let kinds: BTreeSet<CommandPurpose> = known.iter().copied().collect();
    match known.first() {
        // A target that installs, formats and tests has no purpose that one word says.
        Some(_) if kinds.len() > 2 => None,
        Some(_) if known.contains(&named) => Some(named),
        Some(first) => Some(*first),
        None => classify::of_script(name, &[]),
    }
}

/// Returns the lines of a recipe without make's marks `@`, `-` and `+`.
fn recipe_commands<'a>(recipe: &[&'a str]) -> Vec<&'a str> {
    recipe.iter().map(|line| line.trim().trim_start_matches(['@', '-', '+', ' '])).collect()
}

/// Returns the shell lines of a Makefile or justfile recipe for display, without make's marks, comments and
/// `echo`. Returns none for a Taskfile and for a recipe with continuation lines.
fn recipe_lines(recipe: &[&str], runner: &str) -> Vec<String> {
    if runner == "task" || recipe.iter().any(|line| line.trim_end().ends_with('\\')) {
        return Vec::new();
    }
    let commands = recipe.iter().map(|line| line.trim().trim_start_matches(['@', '-', '+', ' ']));
    let is_command = |line: &&str| !line.is_empty() && !line.starts_with(['#']) && !line.starts_with("echo ");
    // Make writes a `$` of the shell twice.
    let shell = |line: &str| if runner == "make" { line.replace("$$", "$") } else { line.to_owned() };
    commands.filter(is_command).map(shell).collect()
}

/// Returns the purpose of a make target with an unknown name from its only command; `None` if it has
/// several commands or is about releases and the like.
fn of_recipe(name: &str, head: &str, recipe: &[&str]) -> Option<CommandPurpose> {
    const OTHER: &[&str] = &["release", "publish", "deploy", "upload", "clean", "help", "docker", "update"];
    let [line] = recipe else { return None };
    let command = line.trim().trim_start_matches(['@', '-']);
    // A failure that is ignored, and variables of make, leave the command what it is.
    let bare = command.strip_suffix("|| true").unwrap_or(command);
    let bare = bare.split_whitespace().filter(|word| !is_variable(word)).collect::<Vec<_>>().join(" ");
    let is_other = OTHER.iter().any(|word| name.contains(word)) || bare.contains(['$', '|', ';', '\\']);
    let is_alone = head.trim_end().ends_with(':');
    let purpose = classify::purpose(command).filter(|_| is_alone && !is_other && !command.contains("&&"))?;
    matches!(
        purpose,
        CommandPurpose::Build
            | CommandPurpose::Test
            | CommandPurpose::Lint
            | CommandPurpose::Format
            | CommandPurpose::Bench
    )
    .then_some(purpose)
}

/// Returns true for an argument whose value is one variable of make: `$(FLAGS)`, `--parallel=$(JOBS)`.
fn is_variable(word: &str) -> bool {
    let value =
        word.split_once('=').filter(|(name, _)| name.starts_with('-')).map_or(word, |(_, value)| value);
    let name = value.strip_prefix("$(").and_then(|name| name.strip_suffix(')'));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Returns true for a target that needs no other and only prints something: that there is nothing to do.
fn only_speaks(head: &str, recipe: &[&str]) -> bool {
    let needed = head.split_once(':').map_or("", |(_, needed)| needed.split('#').next().unwrap_or_default());
    let speaks = |line: &&str| {
        let command = line.trim().trim_start_matches(['@', '-']);
        let is_chained = ["&&", ";", "|", "$("].iter().any(|mark| command.contains(mark));
        (command.starts_with("echo ") || command.starts_with("printf ")) && !is_chained
    };
    needed.trim_matches([':', ' ']).is_empty() && !recipe.is_empty() && recipe.iter().all(speaks)
}

/// Returns the name of a Taskfile task if the line begins one: a key indented by two spaces.
fn task(line: &str) -> Option<&str> {
    let name = line.strip_prefix("  ")?.strip_suffix(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// Returns the name of the make target or just recipe that a line begins, if a person may ask for it: no
/// pattern, file or variable.
fn target<'a>(line: &'a str, runner: &str) -> Option<&'a str> {
    let (head, after) = line.split_once(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name = head.split_whitespace().next()?.trim_start_matches('@');
    let is_target =
        !line.starts_with(['\t', ' ', '#']) && !after.starts_with('=') && name.chars().all(is_plain);
    (is_target && !name.starts_with('_') && (runner == "just" || !head.contains('='))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_with_their_recipes() {
        let text = "CC := gcc\n.PHONY: test\ntest: build ## run\n\t./run\n\t./more\n%.o: %.c\n\tcc\nbuild:\n\tcc\nbin/x: y\n";
        let found: Vec<String> =
            commands("a/Makefile", text).iter().map(|it| format!("{} {}", it.command, it.source)).collect();
        assert_eq!(found, ["make test a/Makefile:3-5", "make build a/Makefile:8-9"]);
        assert_eq!(commands("Makefile", text)[0].runs, ["./run", "./more"]);
        let marked = "test:\n\t@echo all\n\t-@./run\nbuild:\n\tcc \\\n\t  a.c\n";
        let runs: Vec<Vec<String>> = commands("Makefile", marked).into_iter().map(|it| it.runs).collect();
        assert_eq!(runs, [vec!["./run".to_owned()], Vec::new()], "a line that goes on is left out");
        let systems = "[unix]\ntest:\n    nix-shell --run test\n\n[windows]\ntest:\n    cargo test\n";
        let runs: Vec<Vec<String>> = commands("justfile", systems).into_iter().map(|it| it.runs).collect();
        assert_eq!(runs, [["nix-shell --run test"]]);
        let text = "all:\n\t@echo \"There is nothing to do, try it\"\nlocal:\n\tcargo build --release\nrelease:\n\tcargo build\ntest-all: x\n\techo done\nlong:\n\tcargo test\n\tcargo doc\n";
        let found: Vec<String> =
            commands("Makefile", text).iter().map(|it| format!("{} {}", it.command, it.source)).collect();
        assert_eq!(found, ["make test-all Makefile:7-8", "make local Makefile:3-4"]);
        let made = commands("Makefile.am", "SUBDIRS = src\ntest:\nif A\n\t./run\nendif\nall-local:\n\tx\n");
        assert_eq!(made.iter().map(|it| it.command.as_str()).collect::<Vec<_>>(), ["make test"]);
        let just = commands("justfile", "_hidden:\n  x\ntest name='a': \n  cargo test\n");
        assert_eq!(just[0].command, "just test");
        assert_eq!(just.len(), 1);
        let tasks = commands(
            "Taskfile.yml",
            "vars:\n  test:\n    a: b\ntasks:\n  # all\n  test:\n    cmds:\n      - go test\n  lint:fix:\n    cmds: []\n",
        );
        let found: Vec<String> = tasks.iter().map(|it| format!("{} {}", it.command, it.source)).collect();
        assert_eq!(found, ["task test Taskfile.yml:6-8", "task lint:fix Taskfile.yml:9-10"]);
    }

    #[test]
    fn a_target_called_test_that_only_compiles_is_no_test() {
        let text = "test: test.o\n\t$(CC) -o $@ $^\n\ncheck: test\n\t./$^\n";
        let found: Vec<_> =
            commands("Makefile", text).into_iter().map(|it| (it.purpose, it.command)).collect();
        let expected = [(CommandPurpose::Build, "make test"), (CommandPurpose::Test, "make check")];
        assert_eq!(found, expected.map(|(purpose, command)| (purpose, command.to_owned())));
    }

    #[test]
    fn a_first_target_that_compiles_is_what_make_builds() {
        let shown = |text: &str| -> Vec<String> {
            let found = commands("Makefile", text);
            found.iter().map(|it| format!("{} {}: {}", it.command, it.source, it.runs.join(" "))).collect()
        };
        let twice =
            "CFLAGS := -O2\nline: line.h\n\nline: line.c\n\t$(CC) -o line line.c\nclean:\n\trm line\n";
        assert_eq!(shown(twice), ["make Makefile:4-5: $(CC) -o line line.c"]);
        assert_eq!(shown("$(BIN): $(OBJS)\n\t@$(CC) -o $@ $^\n"), ["make Makefile:1-2: $(CC) -o $@ $^"]);
        assert_eq!(shown("clean:\n\trm line\nline: line.c\n\tcc line.c\n"), [""; 0]);
        assert_eq!(shown("%.o: %.c\n\tcc $<\n"), [""; 0]);
        assert_eq!(shown("-include rules.mk\nline: line.c\n\tcc line.c\n"), [""; 0]);
        assert_eq!(shown("line: line.c\n\tcc line.c\n.DEFAULT_GOAL := other\n"), [""; 0]);
    }

    #[test]
    fn a_needed_file_shows_its_recipe_and_a_target_for_all_has_no_purpose() {
        let text = "J := 4\nall: install format lint test\ninstall: vendor/installed.json\nvendor/installed.json: x\n\t@composer install $(FLAGS)\nlint:\n\t@vendor/bin/phpcs --parallel=$(J) $(FLAGS)\nformat:\n\t@vendor/bin/phpcbf --parallel=$(J) || true\ntest:\n\t@phpunit\n";
        let shown: Vec<String> = commands("Makefile", text)
            .iter()
            .map(|it| format!("{:?} {}: {}", it.purpose, it.command, it.runs.join(" ")))
            .collect();
        assert_eq!(
            shown,
            [
                "Install make install: composer install $(FLAGS)",
                "Lint make lint: vendor/bin/phpcs --parallel=$(J) $(FLAGS)",
                "Format make format: vendor/bin/phpcbf --parallel=$(J) || true",
                "Test make test: phpunit",
            ]
        );
    }

    #[test]
    fn a_target_is_what_it_runs_and_a_group_lists_its_targets() {
        let text = "check: check-go check-js\ncheck-ci: check-go # for the CI\ncheck-go:\n\tgolangci-lint run\ncheck-js:\n\t(cd ui && yarn lint)\ncheck-pages: pages\n\tgit add docs\npackage-zip: x\n\tzip a\ntest: test-go lint\ntest-go:\n\tgo test ./...\ndist: x\n\ttar a\nverify: golangci-lint\ngolangci-lint:\n\t@echo all\n\tgolangci-lint run -v\n";
        let shown: Vec<String> = commands("Makefile", text)
            .iter()
            .map(|it| format!("{:?} {} {}", it.purpose, it.command, it.runs.join(" ")))
            .collect();
        assert_eq!(
            shown,
            [
                "Lint make check make check-go make check-js",
                "Lint make check-ci golangci-lint run",
                "Lint make check-go golangci-lint run",
                "Lint make check-js (cd ui && yarn lint)",
                "Test make test make test-go make lint",
                "Test make test-go go test ./...",
                "Lint make verify golangci-lint run -v",
            ]
        );
    }
}
