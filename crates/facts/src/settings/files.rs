//! Reads settings from files that list them with their defaults: `.env.example`, `application.properties`,
//! `application.yml`, `appsettings.json`.

use std::collections::BTreeSet;

use super::{ParsedSetting, fact};
use crate::collect::Texts;
use crate::fact::{Fact, PathRole, SettingForm, SourceLines};
use crate::projects::folder_of;
use crate::role::role_of;
use crate::text::purpose;

/// Names of example environment files. They are hidden, so a walk leaves them out and they are looked for
/// by name.
const EXAMPLES: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".env.defaults",
    ".env-example",
    ".env-sample",
    ".env-dist",
    ".env.development.example",
];
/// Names of example environment files that are not hidden.
const VISIBLE: &[&str] =
    &["env.example", "env.sample", "env.template", "env.dist", "example.env", "sample.env", "template.env"];
/// Ends of such names after a program's name: `shop.env.example`.
const ENDS: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Maximum number of folders in which hidden example files are looked for.
const FOLDERS: usize = 300;
/// Maximum length of a default, in bytes.
const VALUE: usize = 120;

/// A setting with its line, from 1.
pub(super) type Line = (usize, ParsedSetting);

/// Returns the settings in all configuration files of a code base that this module can read: example
/// environment files, Java properties, YAML and JSON files.
pub(super) fn settings(texts: &Texts) -> Vec<Fact> {
    let mut found = Vec::new();
    let folders: BTreeSet<&str> =
        texts.paths().map(|path| folder_of(path)).filter(|folder| folder.matches('/').count() < 3).collect();
    for folder in
        std::iter::once("").chain(folders.into_iter().filter(|folder| !folder.is_empty()).take(FOLDERS))
    {
        for name in EXAMPLES {
            let path = if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
            read(texts, &path, environment, &mut found);
        }
    }
    for path in texts.paths() {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "application.properties" => read(texts, path, properties, &mut found),
            "application.yml" | "application.yaml" => read(texts, path, yaml, &mut found),
            "appsettings.json" => read(texts, path, json, &mut found),
            name if is_visible_example(name)
                && !matches!(role_of(path), PathRole::Test | PathRole::Vendored) =>
            {
                read(texts, path, environment, &mut found);
            }
            _ => {}
        }
    }
    found
}

/// Returns true for the name of an example environment file that is not hidden.
fn is_visible_example(name: &str) -> bool {
    VISIBLE.contains(&name) || !name.starts_with('.') && ENDS.iter().any(|end| name.ends_with(end))
}

/// Parses a file with `parse` and adds its settings to `found`.
fn read(texts: &Texts, path: &str, parse: fn(&str) -> Vec<Line>, found: &mut Vec<Fact>) {
    let Some(text) = texts.read(path) else { return };
    let made = parse(&text)
        .into_iter()
        .filter_map(|(line, setting)| fact(setting, path, SourceLines::line(path, line)));
    found.extend(made.take(super::SETTINGS));
}

/// Returns the value of a setting without its quotes, to be shown as the default; `None` if it is empty,
/// too long, or refers to a variable.
fn plain(value: &str) -> Option<String> {
    let value = value.trim();
    let bare = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value);
    (!bare.is_empty() && bare.len() <= VALUE && !bare.contains("${")).then(|| bare.to_owned())
}

/// Returns true for a variable name in capitals of at least three characters.
fn is_upper(name: &str) -> bool {
    name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Returns as settings the variables of an environment file (`PORT=80`) with the comments above them.
fn environment(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(words) = line.strip_prefix('#') {
            // An assignment that is commented out shows that there is such a variable.
            let off = words.trim_start().split_once('=').map(|(name, _)| name).filter(|name| is_upper(name));
            if let Some(name) = off {
                let said = purpose(&std::mem::take(&mut comment));
                found.push((index + 1, ParsedSetting::new(SettingForm::Variable, name).text(said)));
                continue;
            }
            // A heading is not about the next line alone.
            if line.len() > 1 && line.ends_with('#') || line.ends_with("---") || line.ends_with("===") {
                comment.clear();
                continue;
            }
            comment.push(' ');
            comment.push_str(words.trim_start_matches('#'));
            continue;
        }
        let said = std::mem::take(&mut comment);
        let Some((name, value)) = line.trim_start_matches("export ").split_once('=') else { continue };
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value =
            if value.starts_with(['"', '\'']) { value } else { value.split(" #").next().unwrap_or_default() };
        if is_name {
            let setting =
                ParsedSetting::new(SettingForm::Variable, name).default(plain(value)).text(purpose(&said));
            found.push((index + 1, setting));
        }
    }
    // A comment over the first of several lines, none of which has another, is about all of them.
    if let [(_, first), rest @ ..] = &mut found[..]
        && rest.len() >= 2
        && rest.iter().all(|(_, setting)| setting.text.is_none())
    {
        first.text = None;
    }
    found
}

/// Returns as settings the keys of a Java properties file (`server.port=80`).
fn properties(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut is_continued = false;
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim();
        let is_part = std::mem::replace(&mut is_continued, bare.ends_with('\\'));
        if is_part || bare.starts_with(['#', '!']) {
            continue;
        }
        if let Some((name, value)) = bare.split_once('=') {
            let value = plain(value).filter(|_| !is_continued);
            found.push((index + 1, ParsedSetting::new(SettingForm::Key, name.trim()).default(value)));
        }
    }
    found
}

/// Returns as settings the scalars of a YAML file of nested maps, keys joined by dots. Lists and block
/// texts are left out, as are documents after the first.
pub(super) fn yaml(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut around: Vec<(usize, &str)> = Vec::new();
    let mut skipped: Option<usize> = None;
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        // A second document is that of another profile.
        if line.starts_with("---") && !found.is_empty() {
            break;
        }
        if skipped.is_some_and(|skipped| indent > skipped)
            || bare.starts_with("- ")
            || line.starts_with("---")
        {
            continue;
        }
        skipped = None;
        let Some((name, value)) =
            bare.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '))
        else {
            continue;
        };
        around.retain(|(outer, _)| *outer < indent);
        let value = if value.trim().starts_with(['"', '\'']) {
            value
        } else {
            value.split(" #").next().unwrap_or_default()
        }
        .trim();
        let is_text = value.starts_with(['|', '>', '{', '[', '&', '*', '!']);
        if value.is_empty() {
            around.push((indent, name));
        } else if is_text {
            skipped = Some(indent);
        } else {
            let path: Vec<&str> = around.iter().map(|(_, name)| *name).chain([name]).collect();
            found.push((
                index + 1,
                ParsedSetting::new(SettingForm::Key, path.join(".")).default(plain(value)),
            ));
        }
    }
    found
}

/// Returns as settings the scalars of a JSON file of nested objects with one key per line. Keys are joined
/// by `:`, as .NET does. Lists are left out.
fn json(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut around: Vec<Option<&str>> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim();
        if bare.starts_with("//") {
            continue;
        }
        let key = bare.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let key = key.and_then(|(name, rest)| Some((name, rest.trim_start().strip_prefix(':')?.trim())));
        match key {
            Some((name, "{")) => around.push(Some(name)),
            Some((_, value)) if value.ends_with(['[', '{']) => around.push(None),
            Some((name, value)) => {
                let is_scalar = !value.starts_with(['[', '{']);
                let is_known = around.iter().skip(1).all(Option::is_some);
                if is_scalar && is_known {
                    let path: Vec<&str> = around.iter().flatten().copied().chain([name]).collect();
                    let value = plain(value.trim_end_matches(','))
                        .filter(|value| value != "null" && !value.contains('\\'));
                    found.push((
                        index + 1,
                        ParsedSetting::new(SettingForm::Key, path.join(":")).default(value),
                    ));
                }
            }
            None if bare == "{" || bare == "[" => around.push(None),
            None if bare.starts_with(['}', ']']) => {
                around.pop();
            }
            None => {}
        }
    }
    found
}
