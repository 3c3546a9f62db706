//! Reads commands from the scripts of `package.json` and `composer.json`.

use serde_json::Value;

use super::{FoundCommand, as_word, classify};
use crate::collect::Texts;
use crate::fact::{CommandPurpose, FactOrigin, SourceLines};
use crate::projects::{folder_of, join_path};

/// Lock files and the package manager that writes each.
const LOCKS: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
];

/// Returns a command such as `npm run build` for each script with a known purpose in all files
/// `package.json` and `composer.json`.
pub(super) fn commands(texts: &Texts) -> Vec<FoundCommand> {
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
            let Some(purpose) = purpose(script, &shown).filter(|_| !is_step) else { continue };
            let Some(line) = line_of_key(&text, script) else { continue };
            let command = match script.as_str() {
                // `bun test` runs the tests of Bun itself.
                "test" | "start" if manager != "bun" => format!("{manager} {script}"),
                _ => format!("{manager} run {}", as_word(script)),
            };
            let source = SourceLines::line(path, line);
            // npm runs the scripts `pretest` and `posttest` with `test`.
            let beside = |before: &str| {
                let body = root["scripts"].get(format!("{before}{script}"));
                body.filter(|_| manager == "npm").map(script_lines).unwrap_or_default()
            };
            let lines = [beside("pre"), lines, beside("post")].concat();
            found.push(FoundCommand {
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

/// Returns the purpose of an npm or Composer script from its name and its lines; a `check` that runs no
/// tests is a lint.
fn purpose(script: &str, lines: &[&str]) -> Option<CommandPurpose> {
    // `check` tests only if it says so.
    let checks = matches!(script, "check" | "verify") && !lines.iter().any(|line| line.contains("test"));
    let purpose = classify::of_script(script, lines)?;
    Some(if checks && purpose == CommandPurpose::Test { CommandPurpose::Lint } else { purpose })
}

/// Sets the purpose of a quoted command such as `pnpm dev` to that of the script which it runs.
pub(super) fn settle_purpose(it: &mut FoundCommand, texts: &Texts) {
    let mut words = it.command.split_whitespace();
    let is_manager = words.next().is_some_and(|word| LOCKS.iter().any(|(_, manager)| *manager == word));
    let named = words.find(|word| !matches!(*word, "run" | "run-script"));
    let Some(script) = named.filter(|_| is_manager && it.origin == FactOrigin::Quoted) else { return };
    let text = texts.read(&join_path(&it.folder, "package.json"));
    let root = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let body = root.as_ref().and_then(|root| root.get("scripts")?.get(script));
    if let Some(body) = body {
        let lines = script_lines(body);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        it.purpose = purpose(script, &lines).unwrap_or(it.purpose);
    }
}

/// Returns the lines of a script in a `package.json`, whose value is a string or a list of strings.
fn script_lines(body: &Value) -> Vec<String> {
    let lines = body.as_array().map_or_else(|| vec![body], |lines| lines.iter().collect());
    lines.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the JavaScript package manager of a folder: that which `package.json` names, else that of the
/// nearest lock file in this or an outer folder, else `npm`.
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

/// Returns the line, from 1, of a script's name after `"scripts"` in the text of a manifest.
fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let start = text.find("\"scripts\"")?;
    let quoted = serde_json::to_string(key).ok()?;
    let at = text[start..]
        .match_indices(&quoted)
        .map(|(at, _)| start + at)
        .find(|at| text[at + quoted.len()..].trim_start().starts_with(':'))?;
    Some(text[..at].matches('\n').count() + 1)
}
