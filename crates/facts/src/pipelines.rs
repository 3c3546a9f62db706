//! Summaries of the GitHub Actions workflows: the events that start each, and the steps of its jobs. They
//! show how a project is checked and released.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stategraph_base::redact_secrets;

use crate::collect::Texts;
use crate::fact::SourceLines;
use crate::text::visible;

/// Folder of the workflow files.
const FOLDER: &str = ".github/workflows/";
/// Maximum numbers: of workflows, of jobs of one workflow, and of steps of one job.
const MOST: (usize, usize, usize) = (20, 12, 8);
/// Maximum number of keys of a matrix.
const MATRIX: usize = 6;
/// Maximum length of a step, in characters.
const STEP: usize = 120;
/// Maximum number of lines shown of a script.
const SCRIPT: usize = 4;
/// Words in the file names of workflows that neither check nor release; such workflows are skipped.
const LEFT_OUT: [&str; 18] = [
    "stale",
    "label",
    "labels",
    "labeler",
    "labeller",
    "codeql",
    "dependabot",
    "lock",
    "triage",
    "greeting",
    "greetings",
    "welcome",
    "issue",
    "issues",
    "scorecard",
    "scorecards",
    "lockdown",
    "greet",
];
/// Beginnings of the names of actions that only prepare a job; they are not shown.
const PREPARES: [&str; 5] = [
    "actions/checkout",
    "actions/cache",
    "actions/upload-artifact",
    "actions/download-artifact",
    "actions/create-github-app-token",
];

/// Summary of a CI workflow of GitHub Actions. Made by `Facts::collect`; read by the program that writes a
/// project's documentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineSummary {
    /// Its name, or its file name if it has none.
    pub name: String,
    /// Its file, with all lines.
    pub source: SourceLines,
    /// The events that start it, in words: `push of tags v*`, `pull request`.
    pub events: Vec<String>,
    /// Its jobs in the order of their names.
    pub jobs: Vec<PipelineJob>,
}

/// Summary of a job of a GitHub Actions workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineJob {
    /// Its key in the file.
    pub name: String,
    /// The condition under which it runs, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The jobs that must have run before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Values of its matrix by their key, as written: `os: ubuntu-latest, windows-latest`; then the combinations that are added, such as
    /// `and os: macos-latest, node: 24`. Lists and words only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrix: Vec<String>,
    /// The machine that it runs on (`runs-on`), as written; empty for a list or a called workflow.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runs_on: String,
    /// Versions that its preparing actions set up: `java-version: 17`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<String>,
    /// Its steps: script lines joined by `; `, and the names of actions. Preparing actions are left out,
    /// and the number is bounded. A conditional step ends with its condition: `make docs (if …)`.
    pub steps: Vec<String>,
}

/// The parts of a GitHub Actions workflow file that are read, as parsed from YAML.
#[derive(Deserialize)]
struct WrittenPipeline {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    on: Value,
    #[serde(default)]
    jobs: BTreeMap<String, WrittenJob>,
}

/// The parts of a job in a workflow file that are read, as parsed from YAML.
#[derive(Deserialize)]
struct WrittenJob {
    #[serde(default, rename = "if")]
    condition: Value,
    #[serde(default)]
    needs: Value,
    #[serde(default)]
    uses: Option<String>,
    #[serde(default)]
    strategy: Value,
    #[serde(default, rename = "runs-on")]
    runs_on: Value,
    #[serde(default)]
    steps: Vec<WrittenStep>,
}

/// The parts of a job's step in a workflow file that are read, as parsed from YAML.
#[derive(Deserialize)]
struct WrittenStep {
    #[serde(default, rename = "if")]
    condition: Value,
    #[serde(default)]
    run: Option<String>,
    #[serde(default)]
    uses: Option<String>,
    #[serde(default)]
    with: Value,
}

/// Returns summaries of the GitHub Actions workflows that check or release the project, at most 20, in the
/// order of their files.
pub(crate) fn pipelines(texts: &Texts) -> Vec<PipelineSummary> {
    let is_told = |path: &&String| {
        let lower = path.to_lowercase();
        let is_yaml = lower.ends_with(".yml") || lower.ends_with(".yaml");
        let mut words = lower[FOLDER.len()..].split(|c: char| !c.is_alphanumeric());
        // `lock-threads.yml`, not `block.yml` and `lockfile.yml`.
        is_yaml && !words.any(|word| LEFT_OUT.contains(&word))
    };
    let read = |path: &String| pipeline(path, &texts.read(path)?);
    texts.below(FOLDER).filter(is_told).filter_map(read).take(MOST.0).collect()
}

/// Summarizes a workflow file; `None` if it cannot be parsed or no job has steps.
fn pipeline(path: &str, text: &str) -> Option<PipelineSummary> {
    let written = serde_saphyr::from_str::<WrittenPipeline>(text).ok()?;
    let job = |(name, job): (&String, &WrittenJob)| PipelineJob {
        name: clean(name),
        condition: condition(&job.condition),
        needs: words(&job.needs),
        matrix: matrix(&job.strategy),
        runs_on: scalar(&job.runs_on).map(|text| clean(&text)).unwrap_or_default(),
        setups: setups(job),
        steps: steps(job),
    };
    let jobs: Vec<PipelineJob> =
        written.jobs.iter().map(job).filter(|job| !job.steps.is_empty()).take(MOST.1).collect();
    let name = written.name.unwrap_or_else(|| path[FOLDER.len()..].to_owned());
    let source = SourceLines { path: path.to_owned(), start: 1, end: text.lines().count().max(1) };
    (!jobs.is_empty()).then(|| PipelineSummary {
        name: clean(&name),
        source,
        events: events(&written.on),
        jobs,
    })
}

/// Returns the shown steps of a job. Of more than 8, the middle ones are replaced by `…`, so that a release
/// step stays.
fn steps(job: &WrittenJob) -> Vec<String> {
    let prepares = |action: &str| {
        PREPARES.iter().any(|start| action.starts_with(start))
            || action.split('/').nth(1).is_some_and(|name| name.starts_with("setup-"))
    };
    let action = |uses: &String| {
        let name = uses.split('@').next().unwrap_or(uses);
        (!prepares(name)).then(|| format!("action {name}"))
    };
    let of_step = |step: &WrittenStep| match (&step.run, &step.uses) {
        (Some(run), _) => script(run),
        (None, Some(uses)) => action(uses).map(|text| clean(&text)),
        (None, None) => None,
    };
    let with_condition = |step: &WrittenStep| {
        let text = of_step(step)?;
        Some(condition(&step.condition).map_or(text.clone(), |condition| format!("{text} (if {condition})")))
    };
    let own = job.steps.iter().filter_map(with_condition);
    let mut all: Vec<String> =
        job.uses.iter().map(|uses| clean(&format!("workflow {uses}"))).chain(own).collect();
    if all.len() > MOST.2 {
        // A release is the aim of its job, and comes last.
        let releases =
            |step: &String| ["publish", "release", "deploy"].iter().any(|word| step.contains(word));
        let last = all[MOST.2..].iter().rposition(releases).map(|at| MOST.2 + at);
        let more = last.is_some_and(|last| last + 1 < all.len()).then(|| "…".to_owned());
        let release = last.map(|last| all[last].clone());
        all.truncate(MOST.2 - 1);
        all.push("…".to_owned());
        all.extend(release.into_iter().chain(more));
    }
    all
}

/// Returns the lines of a workflow step's script that do something, joined by `; `; at most 4. Lines that
/// only print, set a variable or show a version are left out.
fn script(run: &str) -> Option<String> {
    let joined = run.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut told: Vec<&str> = Vec::new();
    let mut is_cut = false;
    for line in lines.filter(|line| does_something(line)) {
        is_cut = told.len() == SCRIPT;
        if is_cut {
            break;
        }
        told.push(line);
    }
    let mark = if is_cut { "; …" } else { "" };
    (!told.is_empty()).then(|| clean(&format!("{}{mark}", told.join("; "))))
}

/// Returns false for a line that only prints, sets a variable or shows a version.
fn does_something(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_alone = words.next().is_none();
    let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
        is_alone && !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    let prints = matches!(first, "echo" | "printf" | "set" | "export");
    // `pytest -v` runs tests.
    let shows_version = line.ends_with(" --version")
        || line.split_whitespace().count() == 2 && (line.ends_with(" -V") || line.ends_with(" version"));
    !prints && !is_assignment && !shows_version
}

/// Returns an `if` condition without `${{` and `}}`; `None` if there is none.
fn condition(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim(),
        Value::Bool(false) => "false",
        _ => return None,
    };
    let inner = text.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"));
    Some(clean(inner.unwrap_or(text))).filter(|text| !text.is_empty())
}

/// Returns a text on one line without secrets and hidden characters, cut at 120 characters.
fn clean(text: &str) -> String {
    let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let line = redact_secrets(&line);
    match line.char_indices().nth(STEP) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

/// Returns the strings of a YAML value, which is a string or a list.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(word) => vec![clean(word)],
        Value::Array(all) => all.iter().filter_map(Value::as_str).take(MOST.1).map(clean).collect(),
        _ => Vec::new(),
    }
}

/// Returns the keys of a job's matrix with their values, then the combinations that `include` adds, each as `key: value, key: value`.
fn matrix(strategy: &Value) -> Vec<String> {
    let Some(Value::Object(keys)) = strategy.get("matrix") else { return Vec::new() };
    let of_key = |(key, values): (&String, &Value)| {
        let values: Vec<String> = values.as_array()?.iter().filter_map(scalar).collect();
        let is_own = !["include", "exclude"].contains(&key.as_str()) && !values.is_empty();
        is_own.then(|| clean(&format!("{key}: {}", first_of(values).join(", "))))
    };
    let added = keys.get("include").and_then(Value::as_array).into_iter().flatten();
    let combination = |one: &Value| {
        let pairs =
            one.as_object()?.iter().filter_map(|(key, value)| Some(format!("{key}: {}", scalar(value)?)));
        Some(clean(&pairs.collect::<Vec<_>>().join(", "))).filter(|text| !text.is_empty())
    };
    let mut found: Vec<String> = keys.iter().filter_map(of_key).take(MATRIX).collect();
    let has_keys = !found.is_empty();
    let added = first_of(added.filter_map(combination).collect());
    found.extend(added.into_iter().map(|text| if has_keys { format!("and {text}") } else { text }));
    found
}

/// Returns the first values of a list, and the number of the others.
fn first_of(mut values: Vec<String>) -> Vec<String> {
    let more = values.len().saturating_sub(MOST.1);
    values.truncate(MOST.1);
    values.extend((more > 0).then(|| format!("{more} more")));
    values
}

/// Returns the versions that the actions of a job set up, such as `node-version: 20`.
fn setups(job: &WrittenJob) -> Vec<String> {
    let versions = job.steps.iter().filter(|step| step.uses.is_some()).flat_map(|step| {
        let inputs = step.with.as_object().into_iter().flatten();
        let versions = inputs.filter(|(key, _)| key.ends_with("version") || *key == "toolchain");
        versions.filter_map(|(key, value)| Some(clean(&format!("{key}: {}", scalar(value)?))))
    });
    versions.take(MATRIX).collect()
}

/// Returns a word or number of YAML as text; `None` for lists and maps.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Describes the events that start a workflow (its key `on`), such as `push to main`.
fn events(on: &Value) -> Vec<String> {
    match on {
        Value::Object(map) => map.iter().take(MOST.1).map(|(name, filter)| event(name, filter)).collect(),
        other => words(other).iter().map(|name| event(name, &Value::Null)).collect(),
    }
}

/// Describes in words one event that starts a workflow, with its filters: `push of tags v*`.
fn event(name: &str, filter: &Value) -> String {
    let listed =
        |key: &str| filter.get(key).map(|value| words(value).join(", ")).filter(|words| !words.is_empty());
    let name = match name {
        "workflow_dispatch" => "a start by hand".to_owned(),
        "workflow_call" => "a call by another workflow".to_owned(),
        "schedule" => "a schedule".to_owned(),
        other => clean(&other.replace('_', " ")),
    };
    let mut text = match (listed("tags"), listed("branches")) {
        (Some(tags), None) => format!("{name} of tags {tags}"),
        (Some(tags), Some(branches)) => format!("{name} to {branches} or of tags {tags}"),
        (None, Some(branches)) => format!("{name} to {branches}"),
        (None, None) => listed("types").map_or(name.clone(), |types| format!("{name} ({types})")),
    };
    let filters = [
        ("branches-ignore", " except to "),
        ("tags-ignore", " except of tags "),
        ("paths", " that changes "),
        ("paths-ignore", " that changes more than "),
    ];
    for (key, words) in filters {
        text.extend(listed(key).map(|listed| format!("{words}{listed}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_steps_are_told_without_those_that_prepare() {
        let text = "name: Publish\non:\n  push:\n    tags: ['v*']\n  workflow_dispatch:\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          # why\n          make all\n  send:\n    needs: [build]\n    steps:\n      - uses: pads/publish@v1\n";
        let found = pipeline(".github/workflows/publish.yml", text).expect("a workflow");
        assert_eq!(
            (found.name.as_str(), found.events.join("; ")),
            ("Publish", "push of tags v*; a start by hand".to_owned())
        );
        let jobs: Vec<String> = found
            .jobs
            .iter()
            .map(|job| format!("{} {} {}", job.name, job.needs.join(","), job.steps.join(",")))
            .collect();
        assert_eq!(jobs, ["build  make all", "send build action pads/publish"]);
        for on in ["push", "[push, pull_request]"] {
            let text = format!("on: {on}\njobs:\n  a:\n    steps:\n      - run: x\n");
            let found = pipeline(".github/workflows/a.yml", &text).expect("a workflow");
            assert_eq!(found.events[0], "push");
        }
        assert_eq!(pipeline(".github/workflows/a.yml", "jobs: 1"), None);
    }

    #[test]
    fn all_lines_of_a_script_that_do_something_are_told() {
        let text = "on: push\njobs:\n  a:\n    steps:\n      - run: |\n          cargo --version\n          go version\n          NAME=x\n          make all \\\n            -j\n          pytest -v\n      - run: |\n          a\n          b\n          c\n          d\n          e\n      - run: rustc -V\n";
        let found = pipeline(".github/workflows/a.yml", text).expect("a workflow");
        assert_eq!(found.jobs[0].steps, ["make all -j; pytest -v", "a; b; c; d; …"]);
    }

    #[test]
    fn a_long_job_says_where_steps_are_left_out_and_shows_its_release() {
        let job = |last: &str| {
            let steps: Vec<_> = (0..9).map(|at| format!("      - run: make part{at}\n")).collect();
            let steps = steps.concat();
            let text =
                format!("on: push\njobs:\n  a:\n    steps:\n{steps}      - uses: a/gh-release@v1\n{last}");
            let found = pipeline(".github/workflows/a.yml", &text).expect("a workflow");
            found.jobs[0].steps[6..].join(", ")
        };
        assert_eq!(job(""), "make part6, …, action a/gh-release");
        assert_eq!(job("      - run: make clean\n"), "make part6, …, action a/gh-release, …");
    }

    #[test]
    fn conditions_and_paths_are_told() {
        let text = "on:\n  push:\n    branches: [main]\n    paths: ['src/**']\njobs:\n  a:\n    if: ${{ github.ref == 'x' }}\n    steps:\n      - run: make\n        if: always()\n";
        let found = pipeline(".github/workflows/a.yml", text).expect("a workflow");
        assert_eq!(found.events, ["push to main that changes src/**"]);
        assert_eq!(found.jobs[0].condition.as_deref(), Some("github.ref == 'x'"));
        assert_eq!(found.jobs[0].steps, ["make (if always())"]);
    }

    #[test]
    fn a_matrix_is_told_with_the_values_that_it_includes() {
        let text = "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        os: [linux, mac]\n        python: ['3.9', 3.10]\n        include:\n          - os: windows\n            python: '3.12'\n    steps:\n      - run: make\n";
        let found = pipeline(".github/workflows/a.yml", text).expect("a workflow");
        assert_eq!(
            found.jobs[0].matrix,
            ["os: linux, mac", "python: 3.9, 3.1", "and os: windows, python: 3.12"]
        );
    }

    #[test]
    fn machines_and_versions_are_told() {
        let text = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/setup-java@v4\n        with:\n          distribution: zulu\n          java-version: 17\n      - run: make\n";
        let found = pipeline(".github/workflows/a.yml", text).expect("a workflow");
        let job = &found.jobs[0];
        assert_eq!(
            (job.runs_on.as_str(), job.setups.as_slice()),
            ("ubuntu-latest", &["java-version: 17".to_owned()][..])
        );
    }

    #[test]
    fn only_whole_words_leave_a_workflow_out() {
        let job = "jobs:\n  a:\n    steps:\n      - run: x\n";
        let names = ["block.yml", "lock-threads.yml", "labeler.yml"].map(|name| format!("{FOLDER}{name}"));
        let files = stategraph_repo::MemoryFiles::new(names.iter().map(|path| (path.as_str(), job)));
        let code = stategraph_repo::CodeBase::new(std::sync::Arc::new(files));
        let found = crate::Facts::collect(&code).pipelines().to_vec();
        assert_eq!(found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["block.yml"]);
    }
}
