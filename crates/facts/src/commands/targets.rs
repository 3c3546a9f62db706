//! Targets of Makefiles, recipes of justfiles, tasks of Taskfiles.

use super::{Written, classify};
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};
use crate::projects::folder_of;

/// Returns true for the files of these task runners.
pub(super) fn is_known(path: &str) -> bool {
    runner(path).is_some()
}

fn runner(path: &str) -> Option<&'static str> {
    match path.rsplit('/').next().unwrap_or(path) {
        "Makefile" | "makefile" | "GNUmakefile" | "Makefile.am" => Some("make"),
        "justfile" | "Justfile" | ".justfile" => Some("just"),
        "Taskfile.yml" | "Taskfile.yaml" => Some("task"),
        _ => None,
    }
}

/// Returns the targets with a known purpose, by their names, then by their only command. The source is the target with its recipe.
pub(super) fn commands(path: &str, text: &str) -> Vec<Written> {
    let Some(runner) = runner(path) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let (mut found, mut by_recipe) = (Vec::new(), Vec::new());
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
        let indent = if runner == "task" { "    " } else { "" };
        let is_recipe = |line: &&&str| line.starts_with(['\t', ' ']) && line.starts_with(indent);
        let recipe: Vec<&str> = lines[at + 1..].iter().take_while(is_recipe).copied().collect();
        let named = classify::of_name(name);
        let Some(purpose) = named.or_else(|| of_recipe(name, line, &recipe).filter(|_| runner != "task"))
        else {
            continue;
        };
        if runner == "make" && only_speaks(line, &recipe) {
            continue;
        }
        let source = SourceLines { path: path.to_owned(), start: at + 1, end: at + 1 + recipe.len() };
        let (command, folder) = (format!("{runner} {name}"), folder_of(path).to_owned());
        let written = Written {
            purpose,
            command,
            folder,
            source,
            origin: FactOrigin::Parsed,
            runs: recipe_lines(&recipe, runner),
        };
        if named.is_some() { found.push(written) } else { by_recipe.push(written) }
    }
    found.append(&mut by_recipe);
    found
}

/// Returns the commands of a recipe, without marks of make and without lines that only speak. A task of a Taskfile has keys instead.
fn recipe_lines(recipe: &[&str], runner: &str) -> Vec<String> {
    if runner == "task" || recipe.iter().any(|line| line.trim_end().ends_with('\\')) {
        return Vec::new();
    }
    let commands = recipe.iter().map(|line| line.trim().trim_start_matches(['@', '-', '+', ' ']));
    let is_command = |line: &&str| !line.is_empty() && !line.starts_with(['#']) && !line.starts_with("echo ");
    commands.filter(is_command).map(str::to_owned).collect()
}

/// Returns the purpose of a target that is called otherwise and has one command.
fn of_recipe(name: &str, head: &str, recipe: &[&str]) -> Option<CommandPurpose> {
    const OTHER: &[&str] = &["release", "publish", "deploy", "upload", "clean", "help", "docker", "update"];
    let [line] = recipe else { return None };
    let command = line.trim().trim_start_matches(['@', '-']);
    let is_other = OTHER.iter().any(|word| name.contains(word)) || command.contains(['$', '|', ';', '\\']);
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

/// Returns the name of a task: a key at the second level.
fn task(line: &str) -> Option<&str> {
    let name = line.strip_prefix("  ")?.strip_suffix(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// Returns the name of a target that a person may ask for: no pattern, no file, no variable.
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
        let text = "all:\n\t@echo \"There is nothing to do, try it\"\nlocal:\n\tcargo build --release\nrelease:\n\tcargo build\ncheck-all: x\n\techo done\nlong:\n\tcargo test\n\tcargo doc\n";
        let found: Vec<String> =
            commands("Makefile", text).iter().map(|it| format!("{} {}", it.command, it.source)).collect();
        assert_eq!(found, ["make check-all Makefile:7-8", "make local Makefile:3-4"]);
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
}
