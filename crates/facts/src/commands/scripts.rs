//! Scripts of manifests: `package.json` and `composer.json`.

use serde_json::Value;

use super::{Written, as_word, classify};
use crate::collect::Texts;
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};
use crate::projects::folder_of;

/// Lock files with the package manager that wrote them.
const LOCKS: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
];

/// Returns the scripts with a known purpose.
pub(super) fn commands(texts: &Texts) -> Vec<Written> {
    let mut found = Vec::new();
    for path in texts.paths() {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !matches!(name, "package.json" | "composer.json") {
            continue;
        }
        let Some(text) = texts.read(path) else { continue };
        let Ok(root) = serde_json::from_str::<Value>(&text) else { continue };
        let folder = folder_of(path);
        let manager =
            if name == "composer.json" { "composer".to_owned() } else { manager(&root, folder, texts) };
        let scripts = root.get("scripts").and_then(Value::as_object).into_iter().flatten();
        for (script, body) in scripts.filter(|(_, line)| line.is_string() || line.is_array()) {
            let is_step = ["pre", "post"].iter().any(|before| {
                script.strip_prefix(before).is_some_and(|rest| root["scripts"].get(rest).is_some())
            });
            let lines = script_lines(body);
            let shown: Vec<&str> = lines.iter().map(String::as_str).collect();
            let Some(purpose) = classify::of_script(script, &shown).filter(|_| !is_step) else { continue };
            // `check` tests only if it says so.
            let checks = matches!(script.as_str(), "check" | "verify")
                && purpose == CommandPurpose::Test
                && !body.to_string().contains("test");
            let purpose = if checks { CommandPurpose::Lint } else { purpose };
            let Some(line) = line_of_key(&text, script) else { continue };
            let command = match script.as_str() {
                "test" | "start" => format!("{manager} {script}"),
                _ => format!("{manager} run {}", as_word(script)),
            };
            let source = SourceLines::line(path, line);
            found.push(Written {
                purpose,
                command,
                folder: folder.to_owned(),
                source,
                origin: FactOrigin::Parsed,
                runs: lines,
            });
        }
    }
    found
}

/// Returns the lines of a script: a text, or a list of texts.
fn script_lines(body: &Value) -> Vec<String> {
    let lines = body.as_array().map_or_else(|| vec![body], |lines| lines.iter().collect());
    lines.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the package manager that the manifest or a lock file names.
fn manager(root: &Value, folder: &str, texts: &Texts) -> String {
    let named = root.get("packageManager").and_then(Value::as_str).and_then(|it| it.split('@').next());
    if let Some(named) = named.filter(|it| ["npm", "pnpm", "yarn", "bun"].contains(it)) {
        return named.to_owned();
    }
    let around = std::iter::successors(Some(folder), |at| (!at.is_empty()).then(|| folder_of(at)));
    let lock = around.filter_map(|folder| {
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        LOCKS.iter().find(|(file, _)| texts.exists(&format!("{below}{file}")))
    });
    lock.map(|(_, manager)| *manager).next().unwrap_or("npm").to_owned()
}

/// Returns the line, from 1, of a key below `scripts`.
fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let start = text.find("\"scripts\"")?;
    let quoted = serde_json::to_string(key).ok()?;
    let at = text[start..]
        .match_indices(&quoted)
        .map(|(at, _)| start + at)
        .find(|at| text[at + quoted.len()..].trim_start().starts_with(':'))?;
    Some(text[..at].matches('\n').count() + 1)
}
