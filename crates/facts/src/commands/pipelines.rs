//! Reads commands from other CI systems: `GitLab`, `CircleCI`, Travis, Azure and the like. Only the keys
//! that hold shell scripts are read.

use serde_json::Value;

use super::actions::{is_other, place};
use super::scalars::ScriptPlaces;
use super::{FoundCommand, of_lines, script_lines};

/// Configuration files of these systems, with the keys whose values are scripts.
pub(super) const FILES: &[(&str, &[&str])] = &[
    (".gitlab-ci.yml", &["script"]),
    (".circleci/config.yml", &["run"]),
    (".travis.yml", &["script", "install"]),
    ("azure-pipelines.yml", &["script", "bash"]),
    (".azure-pipelines.yml", &["script", "bash"]),
    (".azure/pipelines.yml", &["script", "bash"]),
    ("appveyor.yml", &["test_script", "build_script"]),
    (".appveyor.yml", &["test_script", "build_script"]),
    (".cirrus.yml", &["test_script", "build_script"]),
];
/// Maximum depth of nested values that are read.
const DEPTH: usize = 12;

/// Returns the shell commands in the configuration of a CI system such as `GitLab`; none if it cannot be
/// parsed.
pub(super) fn commands(path: &str, text: &str) -> Vec<FoundCommand> {
    let Some((_, keys)) = FILES.iter().find(|(file, _)| *file == path) else { return Vec::new() };
    let Ok(root) = serde_saphyr::from_str::<Value>(text) else { return Vec::new() };
    let mut scripts = Vec::new();
    collect(&root, keys, DEPTH, &mut scripts);
    let mut found = Vec::new();
    for script in scripts {
        let Some(start) = place(text, &script, 0) else { continue };
        let mut places = ScriptPlaces::new(path, text, &script, start);
        let mut commands = of_lines(script_lines(&script), "", |first, last| places.of_lines(first, last));
        commands.iter_mut().for_each(|it| places.narrow(&it.command, &mut it.source));
        found.append(&mut commands);
    }
    found
}

/// Appends to `found` the shell scripts under the given keys of a CI configuration, at any depth. Jobs
/// about releases and the like are skipped.
fn collect(value: &Value, keys: &[&str], depth: usize, found: &mut Vec<String>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(map) => {
            for (key, inner) in map.iter().filter(|(key, _)| !is_other(key)) {
                if keys.contains(&key.as_str()) {
                    strings(inner, depth - 1, found);
                } else {
                    collect(inner, keys, depth - 1, found);
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|inner| collect(inner, keys, depth - 1, found)),
        _ => {}
    }
}

/// Appends to `found` the shell scripts in the value of a key: a string, a list of strings, or the
/// `command` of `CircleCI`.
fn strings(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) if depth > 0 => all.iter().for_each(|inner| strings(inner, depth - 1, found)),
        Value::Object(map) => found.extend(map.get("command").and_then(Value::as_str).map(str::to_owned)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_pipelines_are_quoted_with_their_lines() {
        for (path, text, expected) in [
            (
                ".gitlab-ci.yml",
                "stages: [test]\ntest:\n  script:\n    - cargo test\n    - echo x\ndeploy:\n  script: cargo build\n",
                vec!["cargo test .gitlab-ci.yml:4"],
            ),
            (
                ".circleci/config.yml",
                "jobs:\n  a:\n    steps:\n      - checkout\n      - run: npm ci\n      - run:\n          name: t\n          command: npm test\n",
                vec!["npm ci .circleci/config.yml:5", "npm test .circleci/config.yml:8"],
            ),
            (".travis.yml", "language: c\nscript:\n  - make check\n", vec!["make check .travis.yml:3"]),
            (
                "azure-pipelines.yml",
                "steps:\n- script: dotnet test\n",
                vec!["dotnet test azure-pipelines.yml:2"],
            ),
            (
                ".travis.yml",
                "script:\n  - case \"$(uname)\" in\n    Linux) make CFLAGS=-g && make check || exit 1 ;;\n    esac\n  - make test\n",
                vec!["make test .travis.yml:5"],
            ),
            (
                ".travis.yml",
                "script: >\n    cmake -DSHOP=ON\n    -DTILL=$TILL .\n    && make && make ARGS=-v test\n\ninstall:\n  - make deps\n",
                vec![
                    "cmake -DSHOP=ON -DTILL=$TILL . && make .travis.yml:2-4",
                    "make ARGS=-v test .travis.yml:4",
                    "make deps .travis.yml:7",
                ],
            ),
            (".travis.yml", "script: [", vec![]),
            (".travis.yml", "", vec![]),
        ] {
            let found: Vec<String> =
                commands(path, text).iter().map(|it| format!("{} {}", it.command, it.source)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
