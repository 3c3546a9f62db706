//! Reads commands from Rake tasks, environments of tox and hatch, sessions of nox, and scripts of pdm, poe
//! and rye.

use super::{FoundCommand, as_word, classify};
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};
use crate::projects::folder_of;

/// Returns true for the path of a Rakefile, `tox.ini`, `noxfile.py` or the like, in the root or a folder of
/// it.
pub(super) fn is_known(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.matches('/').count() <= 1
        && matches!(name, "Rakefile" | "rakefile" | "tox.ini" | "tox.toml" | "noxfile.py" | "pyproject.toml")
}

/// Returns a command such as `rake test` or `tox -e lint` for each task with a known purpose in a Rakefile,
/// `tox.ini`, `noxfile.py`, `tox.toml` or `pyproject.toml`.
pub(super) fn commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = match name {
        "Rakefile" | "rakefile" => rake(text),
        "noxfile.py" => nox(text),
        "tox.ini" => tox(text),
        _ => tables(text, name == "tox.toml"),
    };
    found
        .into_iter()
        .map(|task| FoundCommand {
            purpose: task.purpose,
            command: task.command,
            folder: folder_of(path).to_owned(),
            source: SourceLines { path: path.to_owned(), start: task.start, end: task.end },
            origin: FactOrigin::Parsed,
            runs: task.runs,
        })
        .collect()
}

/// A task of Rake, tox, nox and the like, with the command that runs it. `start` and `end` are lines from
/// 1.
struct RunnerTask {
    purpose: CommandPurpose,
    command: String,
    start: usize,
    end: usize,
    /// The commands that it runs, as far as they are read.
    runs: Vec<String>,
}

/// Makes the runner task called `name`, which `command` runs, at the line `at` (from 0); `None` if the name
/// suggests no purpose.
fn task(command: String, name: &str, at: usize) -> Option<RunnerTask> {
    let purpose = classify::of_name(name)?;
    // An environment `dev` of tox is a place to work in.
    let is_place = purpose == CommandPurpose::Run && command.starts_with("tox ");
    (!is_place).then(|| RunnerTask { purpose, command, start: at + 1, end: at + 1, runs: Vec::new() })
}

/// Returns the tasks at the outermost level of a Rakefile: `task :test`, `task test: [..]`,
/// `Rake::TestTask.new(:x)`, `RSpec::Core::RakeTask.new`.
fn rake(text: &str) -> Vec<RunnerTask> {
    let word = |rest: &str| -> String {
        let bare = rest.trim_start().trim_start_matches(['(', ':', '"', '\'', ' ']);
        bare.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect()
    };
    let known = [
        ("Rake::TestTask.new", "test"),
        ("RSpec::Core::RakeTask.new", "spec"),
        ("RuboCop::RakeTask.new", "rubocop"),
        ("Minitest::TestTask.create", "test"),
    ];
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let made = known.iter().find_map(|(call, usual)| Some((line.strip_prefix(call)?, *usual)));
        let name = match (line.strip_prefix("task "), made) {
            (Some(rest), _) => word(rest),
            (None, Some((rest, usual))) => {
                let has_name = rest.starts_with("(:")
                    || rest.starts_with(" :")
                    || rest.starts_with("('")
                    || rest.starts_with("(\"");
                if has_name { word(rest) } else { usual.to_owned() }
            }
            _ => continue,
        };
        if !(name == "install" && installs_others(line)) {
            found.extend(task(format!("rake {}", as_word(&name)), &name, at));
        }
    }
    found
}

/// Returns true if the line defines a Rake task `install` that only calls the `install` tasks of other
/// things: `task :install => ['redis:install']`.
fn installs_others(line: &str) -> bool {
    let called = line.split_once('[').map_or("", |(_, list)| list);
    let mut names = called.split(['"', '\'']).skip(1).step_by(2).peekable();
    names.peek().is_some() && !line.contains(" do") && names.all(|name| name.ends_with(":install"))
}

/// Returns the purpose of a plain `rake` from a Rakefile: `Test` if the default task runs tests, else that
/// of its first task with a known purpose.
pub(super) fn rake_default(text: &str) -> Option<CommandPurpose> {
    let line = text.lines().find(|line| line.starts_with("task ") && line.contains("default"))?;
    let after = line.split_once("default")?.1;
    let words = after.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
    let known: Vec<CommandPurpose> =
        words.filter(|word| !word.is_empty()).filter_map(classify::of_name).collect();
    let is_test = known.contains(&CommandPurpose::Test);
    if is_test { Some(CommandPurpose::Test) } else { known.first().copied() }
}

/// Returns the sessions of a `noxfile.py`: the functions below `@nox.session`.
fn nox(text: &str) -> Vec<RunnerTask> {
    let mut found = Vec::new();
    let (mut is_session, mut named): (bool, Option<String>) = (false, None);
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("@nox.session") || line.starts_with("@session") {
            is_session = true;
            named = line
                .split_once("name=")
                .and_then(|(_, rest)| rest.split(['"', '\'']).nth(1))
                .map(str::to_owned);
        } else if let Some(rest) = line.strip_prefix("def ").filter(|_| is_session) {
            let function = rest.split('(').next().unwrap_or_default().to_owned();
            let name = named.take().unwrap_or(function);
            found.extend(task(format!("nox -s {}", as_word(&name)), &name.replace('_', "-"), at));
            is_session = false;
        }
    }
    found
}

/// Returns the environments of a `tox.ini` that have commands: the sections `[testenv]` and `[testenv:x]`.
fn tox(text: &str) -> Vec<RunnerTask> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(section) = line.strip_prefix("[testenv").and_then(|rest| rest.trim_end().strip_suffix(']'))
        else {
            continue;
        };
        let body = lines[at + 1..].iter().take_while(|line| !line.starts_with('['));
        let length = body.clone().count()
            - body.clone().collect::<Vec<_>>().iter().rev().take_while(|line| line.trim().is_empty()).count();
        if !body.clone().any(|line| line.trim_start().starts_with("commands")) {
            continue;
        }
        let source = (at + 1, at + 1 + length);
        let runs = tox_commands(body.clone().copied());
        let made = match section.strip_prefix(':') {
            None => Some(RunnerTask {
                purpose: CommandPurpose::Test,
                command: "tox".into(),
                start: source.0,
                end: source.1,
                runs,
            }),
            Some(name) => {
                let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
                let lines: Vec<&str> =
                    body.clone().map(|line| line.trim().trim_start_matches("commands = ")).collect();
                let does = |purpose| lines.iter().any(|line| classify::purpose(line) == Some(purpose));
                // `deps` may only look for a program, and `coverage` only add up what tests have left.
                let is_done = |it: &RunnerTask| match (it.purpose, name) {
                    (CommandPurpose::Install, _) | (CommandPurpose::Test, "coverage" | "cov") => {
                        does(it.purpose)
                    }
                    _ => true,
                };
                let task = task(format!("tox -e {name}"), &name.replace('_', "-"), at)
                    .filter(|it| plain && is_done(it));
                // `black --check` changes nothing.
                let format_lines: Vec<&str> = lines
                    .iter()
                    .copied()
                    .filter(|line| classify::purpose(line) == Some(CommandPurpose::Format))
                    .collect();
                let only_checks = !format_lines.is_empty()
                    && format_lines.iter().all(|line| line.contains("--check") || line.contains("--diff"));
                task.map(|task| {
                    let is_check = task.purpose == CommandPurpose::Format && only_checks;
                    let purpose = if is_check { CommandPurpose::Lint } else { task.purpose };
                    RunnerTask { end: source.1, purpose, runs, ..task }
                })
            }
        };
        found.extend(made);
    }
    found
}

/// Maximum number of commands of a tox environment that are told.
const TOX_COMMANDS: usize = 6;

/// Returns the values of `commands` in the lines of a tox environment, each on one line without continuations.
fn tox_commands<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut is_inside, mut goes_on) = (false, false);
    for line in lines {
        let value = if line.starts_with(char::is_whitespace) {
            Some(line.trim()).filter(|_| is_inside)
        } else {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            is_inside = key.trim() == "commands";
            Some(value.trim()).filter(|_| is_inside)
        };
        let Some(value) = value.filter(|value| !value.is_empty() && !value.starts_with('#')) else {
            continue;
        };
        let words = value.trim_end_matches('\\').split_whitespace().collect::<Vec<_>>().join(" ");
        match found.last_mut() {
            Some(last) if goes_on => last.extend([" ", &words]),
            _ => found.push(words),
        }
        goes_on = value.ends_with('\\');
    }
    found.truncate(TOX_COMMANDS);
    found
}

/// Returns the tasks in the tables of a TOML file: environments of tox, scripts of hatch, pdm, poe and rye.
/// `is_tox` is true for `tox.toml`, whose tables have no prefix.
fn tables(text: &str, is_tox: bool) -> Vec<RunnerTask> {
    let mut found = Vec::new();
    let mut section = String::new();
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim();
        if let Some(header) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            header.trim_matches(['[', ']']).clone_into(&mut section);
            // The commands of every environment without some of its own, as `[testenv]` of `tox.ini`.
            if is_tox && section == "env_run_base" || section == "tool.tox.env_run_base" {
                let (start, end, purpose) = (at + 1, at + 1, CommandPurpose::Test);
                found.push(RunnerTask { purpose, command: "tox".into(), start, end, runs: Vec::new() });
            }
            let env =
                section.strip_prefix("tool.tox.env.").or(section.strip_prefix("env.").filter(|_| is_tox));
            if let Some(env) = env.filter(|env| !env.contains('.')) {
                // An environment for development is made, and nothing is started in it.
                let made = task(format!("tox -e {}", as_word(env)), &env.replace('_', "-"), at);
                found.extend(made.filter(|it| it.purpose != CommandPurpose::Run));
            }
            continue;
        }
        let Some((key, _)) = bare.split_once('=').filter(|_| !line.starts_with([' ', '\t', '#'])) else {
            continue;
        };
        let key = key.trim().trim_matches('"');
        if !key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':')) {
            continue;
        }
        let hatch = section.strip_prefix("tool.hatch.envs.").and_then(|rest| rest.strip_suffix(".scripts"));
        let command = match (section.as_str(), hatch) {
            (_, Some("default")) => format!("hatch run {key}"),
            (_, Some(env)) => format!("hatch run {}", as_word(&format!("{env}:{key}"))),
            ("tool.pdm.scripts", _) => format!("pdm run {key}"),
            ("tool.poe.tasks", _) => format!("poe {key}"),
            ("tool.rye.scripts", _) => format!("rye run {key}"),
            _ => continue,
        };
        // `lint:check` lints.
        let own = key.replace('_', "-");
        let name = hatch.filter(|_| own == "check").map_or(own.clone(), |env| format!("check:{env}"));
        found.extend(task(command, &name, at));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_found_with_their_lines() {
        for (path, text, expected) in [
            (
                "Rakefile",
                "require 'x'\ntask :install => [ 'redis:install' ]\ntask :default => :test\ndesc 'all'\ntask test: [:a] do\nend\nRSpec::Core::RakeTask.new(:spec)\nnamespace :x do\n  task :build\nend\n",
                vec!["rake test Rakefile:5", "rake spec Rakefile:7"],
            ),
            (
                "noxfile.py",
                "import nox\n\n@nox.session(python=['3.9'])\ndef tests(session):\n    pass\n\n@nox.session(name=\"lint\")\ndef run_it(session):\n    pass\n\ndef build():\n    pass\n",
                vec!["nox -s tests noxfile.py:4", "nox -s lint noxfile.py:8"],
            ),
            (
                "tox.ini",
                "[tox]\nenvlist = py\n\n[testenv]\ncommands = pytest {posargs}\n\n[testenv:docs]\ncommands =\n    sphinx-build\n\n[testenv:empty]\ndeps = x\n",
                vec!["tox tox.ini:4-5", "tox -e docs tox.ini:7-9"],
            ),
            (
                "tox.ini",
                "[testenv:deps]\ncommands =\n    pandoc --version\n[testenv:coverage]\ncommands =\n    coverage combine -q\n    coverage report\n[testenv:cov]\ncommands = pytest --cov\n",
                vec!["tox -e cov tox.ini:8-9"],
            ),
            (
                "pyproject.toml",
                "[tool.hatch.envs.default.scripts]\ntest = \"pytest\"\n[tool.hatch.envs.docs.scripts]\nbuild = [\n  \"x\",\n]\n[tool.tox.env.style]\n[tool.tox.env.dev]\n[tool.poe.tasks]\nlint = \"ruff\"\n",
                vec![
                    "hatch run test pyproject.toml:2",
                    "hatch run docs:build pyproject.toml:4",
                    "tox -e style pyproject.toml:7",
                    "poe lint pyproject.toml:10",
                ],
            ),
            (
                "tox.toml",
                "env_list = [\"3.14\"]\n[env_run_base]\ncommands = [[\"pytest\"]]\n[env.docs]\n",
                vec!["tox tox.toml:2", "tox -e docs tox.toml:4"],
            ),
        ] {
            let found: Vec<String> =
                commands(path, text).iter().map(|it| format!("{} {}", it.command, it.source)).collect();
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(rake_default("task :default => [:clean, :spec]\n"), Some(CommandPurpose::Test));
        assert_eq!(rake_default("task default: %i[rubocop spec]\n"), Some(CommandPurpose::Test));
    }

    #[test]
    fn commands_of_an_environment_are_told_on_one_line_each() {
        let text = "[testenv]\npass_env =\n    A\ncommands =\n    python -m pytest \\\n      --cov x \\\n      {posargs}\n    # next\n    coverage xml\ndeps = y\n";
        let found = super::commands("tox.ini", text);
        assert_eq!(found[0].runs, ["python -m pytest --cov x {posargs}", "coverage xml"]);
    }

    #[test]
    fn an_environment_that_only_checks_the_format_is_a_lint() {
        for (commands, expected) in
            [("black --check .", CommandPurpose::Lint), ("black .", CommandPurpose::Format)]
        {
            let text = format!("[tox]\n\n[testenv:format]\ndeps = black\ncommands = {commands}\n");
            let found = super::commands("tox.ini", &text);
            assert_eq!(found.iter().map(|it| it.purpose).collect::<Vec<_>>(), [expected], "{commands}");
        }
    }
}
