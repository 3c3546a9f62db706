//! Reads commands from the steps of GitHub Actions workflows.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::prose::has_variable;
use super::scalars::ScriptPlaces;
use super::{FoundCommand, ScriptLine, join_folder, of_lines, script_lines};

/// Words in names of jobs and workflows that a contributor does not run, such as releases.
const OTHER: &[&str] = &[
    "release",
    "publish",
    "deploy",
    "stale",
    "label",
    "codeql",
    "dependabot",
    "audit",
    "nightly",
    "cron",
    "backport",
    "triage",
    "lock-threads",
    "scorecard",
    "greeting",
    "welcome",
    "issue",
    "pages",
    "homebrew",
    "docker-hub",
    "winget",
    "upload",
    "sync",
    "abicheck",
    "abi-check",
];

/// The parts of a GitHub Actions workflow file that are read, as parsed from YAML.
#[derive(Deserialize)]
struct CiWorkflow {
    #[serde(default)]
    env: BTreeMap<String, Value>,
    #[serde(default)]
    jobs: BTreeMap<String, CiJob>,
    #[serde(default)]
    defaults: CiDefaults,
}

/// The parts of a job in a workflow that are read.
#[derive(Deserialize)]
struct CiJob {
    #[serde(default, rename = "if")]
    condition: Option<Value>,
    #[serde(default)]
    env: BTreeMap<String, Value>,
    #[serde(default)]
    steps: Vec<CiStep>,
    #[serde(default)]
    strategy: Option<Value>,
    #[serde(default)]
    defaults: CiDefaults,
}

/// The `defaults` of a workflow or job.
#[derive(Deserialize, Default)]
struct CiDefaults {
    #[serde(default)]
    run: CiRunDefaults,
}

/// The `defaults.run` of a workflow or job: the working folder of its scripts.
#[derive(Deserialize, Default)]
struct CiRunDefaults {
    #[serde(default, rename = "working-directory")]
    folder: Option<String>,
}

/// The parts of a step in a job that are read.
#[derive(Deserialize)]
struct CiStep {
    #[serde(default, rename = "if")]
    condition: Option<Value>,
    #[serde(default)]
    run: Option<String>,
    #[serde(default)]
    uses: Option<String>,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    #[serde(default, rename = "working-directory")]
    folder: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, Value>,
}

impl CiStep {
    /// Returns the shell script of a workflow step, and the text under which it is found in the file. For
    /// the action `actions-rs/cargo`, the script is put together from its inputs. `None` for other actions.
    fn script(&self) -> Option<(String, String)> {
        if let Some(run) = &self.run {
            return Some((run.clone(), run.clone()));
        }
        let is_cargo = self.uses.as_ref().is_some_and(|action| action.starts_with("actions-rs/cargo@"));
        let input = |name: &str| self.with.get(name).and_then(Value::as_str);
        let command = input("command").filter(|_| is_cargo)?;
        let run = format!("cargo {command} {}", input("args").unwrap_or_default());
        Some((run.trim_end().to_owned(), command.to_owned()))
    }
}

/// Returns true for the path of a GitHub workflow that is not about releases, issues and the like.
pub(super) fn is_workflow(path: &str) -> bool {
    let Some(name) = path.strip_prefix(".github/workflows/") else { return false };
    (name.ends_with(".yml") || name.ends_with(".yaml")) && !is_other(name)
}

/// Returns true if the name of a CI job or workflow shows that contributors do not run it, such as
/// `release` or `stale`.
pub(super) fn is_other(name: &str) -> bool {
    let lower = name.to_lowercase();
    OTHER.iter().any(|word| lower.contains(word))
}

/// Returns the commands of a workflow's steps, jobs in the order of their names. Jobs and steps for
/// releases, for manual runs or for one matrix entry only are skipped. Returns none if the file cannot be
/// parsed.
pub(super) fn commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let Ok(workflow) = serde_saphyr::from_str::<CiWorkflow>(text) else { return Vec::new() };
    let mut found = Vec::new();
    for (_, job) in
        workflow.jobs.iter().filter(|(name, job)| !is_other(name) && !is_rare(job.condition.as_ref()))
    {
        // Steps are looked for in order, so that equal scripts have their own lines.
        let mut from = 0;
        for step in &job.steps {
            let Some((run, written)) = step.script() else { continue };
            let Some(start) = place(text, &written, from) else { continue };
            from = start;
            if is_rare(step.condition.as_ref()) || is_partial(step.condition.as_ref()) {
                continue;
            }
            let folder = step.folder.as_ref().or(job.defaults.run.folder.as_ref());
            let folder = folder.or(workflow.defaults.run.folder.as_ref()).map_or("", String::as_str);
            if folder.contains("${{") {
                continue;
            }
            let values = CiValues { envs: [&step.env, &job.env, &workflow.env], matrix: matrix(job) };
            let lines = script_lines(&run).into_iter().filter_map(|line| {
                Some(ScriptLine { text: values.expand(&values.substitute(&line.text)?)?, ..line })
            });
            let mut places = ScriptPlaces::new(path, text, &run, start);
            let source = |first: usize, last: usize| places.of_lines(first, last);
            let mut commands = of_lines(lines.collect(), &join_folder("", folder), source);
            commands.iter_mut().for_each(|it| places.narrow(&it.command, &mut it.source));
            found.append(&mut commands);
        }
    }
    found
}

/// Returns true if an `if` condition limits a job or step to releases, manual runs, schedules or failures.
fn is_rare(condition: Option<&Value>) -> bool {
    const WORDS: &[&str] = &[
        "schedule",
        "workflow_dispatch",
        "release",
        "refs/tags",
        "inputs.",
        "failure()",
        "cancelled()",
        "steps.",
        "event.label",
    ];
    condition
        .and_then(Value::as_str)
        // A step that runs after a success and after a failure always runs.
        .is_some_and(|text| {
            WORDS.iter().any(|word| text.contains(word))
                && !text.contains("!=")
                && !text.contains("success()")
        })
}

/// Returns true if an `if` condition limits a step to a single unusual matrix entry, or to a system other
/// than Linux.
fn is_partial(condition: Option<&Value>) -> bool {
    condition.and_then(Value::as_str).is_some_and(|text| {
        text.contains("matrix.") && !is_usual_entry(text)
            || text.contains("runner.os") && !text.contains("Linux")
            || text.contains("Windows")
    })
}

/// Returns true if a condition selects the matrix entry in which checks usually run once: a released
/// version of the language, on Linux.
fn is_usual_entry(condition: &str) -> bool {
    const VERSIONS: &[&str] =
        &["rust", "toolchain", "channel", "go", "python", "node", "php", "java", "jdk", "ruby", "version"];
    let inside = condition.trim().trim_start_matches("${{").trim_end_matches("}}");
    inside.split("&&").all(|part| {
        let Some((name, value)) = part.split_once("==") else { return false };
        let Some(name) = name.trim().strip_prefix("matrix.") else { return false };
        let value = value.trim().trim_matches(['\'', '"']).to_lowercase();
        match name {
            "os" | "platform" | "runner" => value.starts_with("ubuntu") || value.starts_with("linux"),
            _ => {
                VERSIONS.contains(&name.trim_end_matches("-version").trim_end_matches("_version"))
                    && !["nightly", "beta", "dev", "main", "head"].iter().any(|word| value.contains(word))
            }
        }
    })
}

/// Finds the first line of a script in the text of a CI file, after the line number `from`. Returns the
/// line, from 1; `None` if it is not found.
pub(super) fn place(text: &str, script: &str, from: usize) -> Option<usize> {
    let first = script.lines().next()?.trim();
    let bare = |line: &str| without_key(line).trim_matches(['"', '\'']).to_owned();
    let find = |is_it: &dyn Fn(&str) -> bool| {
        text.lines().enumerate().skip(from).find(|(_, line)| is_it(&bare(line))).map(|(at, _)| at + 1)
    };
    // The lines of a folded scalar are one line of the script.
    let found =
        find(&|line| line == first).or_else(|| find(&|line| line.len() > 8 && first.starts_with(line)));
    found.or_else(|| folded(text, first, from))
}

/// Returns a line of a CI file without the mark of an item and the key of a script.
pub(super) fn without_key(line: &str) -> &str {
    const KEYS: &[&str] = &["run:", "command:", "script:", "bash:", "install:"];
    let bare = line.trim().trim_start_matches("- ");
    KEYS.iter().find_map(|key| bare.strip_prefix(key)).unwrap_or(bare).trim()
}

/// Finds a command that the file spreads over several lines. Returns the first of them, from 1.
fn folded(text: &str, command: &str, from: usize) -> Option<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins = |at: usize| {
        let rest = command.strip_prefix(lines[at])?.trim_start();
        let next = lines.get(at + 1).filter(|next| !next.is_empty() && !rest.is_empty())?;
        rest.starts_with(*next).then_some(at + 1)
    };
    (from..lines.len()).filter(|at| !lines[*at].is_empty()).find_map(begins)
}

/// Returns the `strategy.matrix` of a job.
fn matrix(job: &CiJob) -> Option<&Value> {
    job.strategy.as_ref()?.get("matrix")
}

/// Returns false for an empty command, and for a program alone that does nothing without arguments, such as
/// `cargo`. Such commands remain when an unknown expression is cut off.
fn is_whole<T: AsRef<str>>(words: &[T]) -> bool {
    let first = words.first().map(AsRef::as_ref);
    first.is_some()
        && (words.len() > 1
            || !matches!(first, Some("cmake" | "go" | "cargo" | "dotnet" | "docker" | "npm" | "uv")))
}

/// Literal values of a CI step for the expressions in its script: environment variables and the matrix.
struct CiValues<'a> {
    envs: [&'a BTreeMap<String, Value>; 3],
    matrix: Option<&'a Value>,
}

impl CiValues<'_> {
    /// Replaces each expression `${{ … }}` in a command by its literal value. An unknown expression cuts
    /// the command before the word that contains it; `None` if no usable command is left.
    fn substitute(&self, line: &str) -> Option<String> {
        let mut done = String::new();
        let mut rest = line;
        while let Some(at) = rest.find("${{") {
            let (before, after) = rest.split_at(at);
            done.push_str(before);
            let length = after.find("}}")?;
            let Some(value) = self.value(after[3..length].trim()) else {
                // The word that the expression is a part of goes with it, and an option that waits for it.
                let mut words: Vec<&str> = done.split_whitespace().collect();
                if !done.ends_with(char::is_whitespace) {
                    words.pop();
                }
                while words.last().is_some_and(|word| word.starts_with('-')) {
                    words.pop();
                }
                // `tox -e X` runs X alone, `tox` everything.
                let selects = done.split_whitespace().any(|word| matches!(word, "tox" | "nox"));
                return (is_whole(&words) && !selects).then(|| words.join(" "));
            };
            done.push_str(&value);
            rest = &after[length + 2..];
        }
        done.push_str(rest);
        Some(done.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Replaces `$X` and `${X}` in a command by literal values of the environment. An unknown variable cuts
    /// the command before it; `None` if no usable command is left.
    fn expand(&self, line: &str) -> Option<String> {
        if !has_variable(line) {
            return Some(line.to_owned());
        }
        let mut words: Vec<String> = Vec::new();
        for word in line.split_whitespace() {
            let Some((before, rest)) = word.split_once('$').filter(|_| has_variable(word)) else {
                words.push(word.to_owned());
                continue;
            };
            // A step before may have set another program.
            if words.is_empty() {
                return None;
            }
            let bare = rest.trim_start_matches('{');
            let name: String = bare.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let after = bare[name.len()..].trim_start_matches('}');
            match self.value(&format!("env.{name}")).filter(|_| !after.contains('$')) {
                Some(value) if before == "\"" && after == "\"" && !value.contains(' ') => words.push(value),
                Some(value) => words.push(format!("{before}{value}{after}")),
                None => {
                    // An option that waits for its value goes with it.
                    if words.last().is_some_and(|word| word.starts_with('-') && !word.contains('=')) {
                        words.pop();
                    }
                    break;
                }
            }
        }
        is_whole(&words).then(|| words.join(" "))
    }

    /// Returns the literal value of the expression `env.X` or `matrix.X` of a GitHub Actions step; of a
    /// matrix, the first entry. `None` if it is unknown.
    fn value(&self, expression: &str) -> Option<String> {
        let literal = |value: &Value| match value {
            Value::String(text) if !text.contains("${{") => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        if let Some(name) = expression.strip_prefix("env.") {
            return literal(self.envs.iter().find_map(|env| env.get(name))?);
        }
        let name = expression.strip_prefix("matrix.")?;
        literal(self.matrix?.get(name)?.as_array()?.first()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the commands of a workflow with their places.
    fn shown(text: &str) -> Vec<String> {
        let found = commands(".github/workflows/ci.yml", text);
        found.iter().map(|it| format!("{} {}", it.command, it.source)).collect()
    }

    #[test]
    fn a_runner_of_environments_is_not_told_without_the_environment() {
        let text = "on: push\njobs:\n  test:\n    steps:\n      - run: uv run tox run -e ${{ matrix.env }}\n      - run: tox -e style\n";
        assert_eq!(shown(text), ["tox -e style .github/workflows/ci.yml:6"]);
    }

    #[test]
    fn steps_are_quoted_with_their_lines_and_values() {
        let text = "on: push\nenv:\n  CARGO: cargo\njobs:\n  test:\n    strategy:\n      matrix:\n        go: ['1.22', '1.23']\n    steps:\n      - uses: actions/checkout@v4\n      - run: ${{ env.CARGO }} test --target ${{ env.FLAGS }}\n      - name: many\n        working-directory: sub\n        run: |\n          echo hello\n          go test \\\n            -race ./...\n          ${{ inputs.x }} test\n  release:\n    steps:\n      - run: cargo build\n";
        let found: Vec<String> = commands(".github/workflows/ci.yml", text)
            .iter()
            .map(|it| format!("{} | {} | {}", it.command, it.folder, it.source))
            .collect();
        assert_eq!(
            found,
            [
                "cargo test |  | .github/workflows/ci.yml:11",
                "go test -race ./... | sub | .github/workflows/ci.yml:16-17"
            ]
        );
    }

    #[test]
    fn a_command_of_cargo_may_be_the_input_of_an_action() {
        let text = "jobs:\n  test:\n    steps:\n      - name: Test\n        uses: actions-rs/cargo@v1\n        with:\n          command: test\n          args: --release\n      - uses: actions/checkout@v4\n        with:\n          command: build\n";
        assert_eq!(shown(text), ["cargo test --release .github/workflows/ci.yml:7"]);
    }

    #[test]
    fn a_folded_command_has_all_lines_of_its_scalar() {
        let text = "jobs:\n  a:\n    steps:\n      - name: Types\n        run: >-\n          mypy\n          a.py \n          b.py\n";
        assert_eq!(shown(text), ["mypy a.py b.py .github/workflows/ci.yml:6-8"]);
    }

    #[test]
    fn steps_of_one_entry_or_of_releases_and_unknown_variables_are_left_out() {
        let text = "env:\n  MODE: fast\n  TOOL: cargo\njobs:\n  a:\n    if: github.event_name == 'schedule'\n    steps:\n      - run: make test\n  b:\n    if: github.event_name != 'schedule'\n    steps:\n      - run: cargo build\n        if: matrix.os == 'windows'\n      - run: cargo test --$MODE --target ${TRIPLE} -q\n      - run: $TOOL build\n";
        let found: Vec<String> =
            commands(".github/workflows/ci.yml", text).into_iter().map(|it| it.command).collect();
        assert_eq!(found, ["cargo test --fast"]);
    }

    #[test]
    fn checks_of_one_usual_entry_of_a_matrix_are_commands() {
        let text = "jobs:\n  a:\n    steps:\n      - run: cargo clippy\n        if: ${{ matrix.rust == 'stable' }}\n      - run: go vet ./...\n        if: matrix.os == 'ubuntu-latest' && matrix.go-version == '1.26.x'\n      - run: cargo miri test\n        if: matrix.rust == 'nightly'\n";
        let found: Vec<String> =
            commands(".github/workflows/ci.yml", text).into_iter().map(|it| it.command).collect();
        assert_eq!(found, ["cargo clippy", "go vet ./..."]);
    }

    #[test]
    fn a_step_that_runs_after_a_success_and_after_a_failure_is_one_of_all() {
        let text = "jobs:\n  a:\n    steps:\n      - if: success() || failure()\n        run: cargo clippy\n      - if: failure()\n        run: cargo test\n";
        let found: Vec<String> =
            commands(".github/workflows/ci.yml", text).into_iter().map(|it| it.command).collect();
        assert_eq!(found, ["cargo clippy"]);
    }

    #[test]
    fn what_is_no_workflow_has_no_commands() {
        for text in ["", "[]", "jobs: 3", "jobs:\n  a: [", "\u{0}"] {
            assert!(commands(".github/workflows/ci.yml", text).is_empty(), "{text}");
        }
    }
}
