//! Reads example configurations that a project ships (`config.example.toml`, `app.conf.in`): their keys
//! with the comments above them. A value in an example is not taken as a default.

use std::collections::BTreeSet;

use super::files::yaml;
use super::{ParsedSetting, fact};
use crate::collect::Texts;
use crate::fact::{Fact, PathRole, SettingForm, SourceLines};
use crate::projects::folder_of;
use crate::role::role_of;
use crate::text::purpose;

/// Maximum number of files that are read.
const FILES: usize = 20;
/// Maximum number of keys of one file.
const KEYS: usize = 300;

/// Words in the names of files that configure other programs.
const OTHERS: &[&str] = &[
    "docker",
    "compose",
    "nginx",
    "apache",
    "httpd",
    "supervisor",
    "systemd",
    "logrotate",
    "mkdocs",
    "eslint",
    "vagrant",
    "database",
    "cable",
    "codecov",
    "travis",
    "golangci",
    "jest",
    "babel",
    "webpack",
    "rollup",
    "vite",
    "tsconfig",
    "logging",
    "log4",
    "logback",
    "sphinx",
    "doxy",
    "fail2ban",
    "redis",
    "postgres",
    "mysql",
    "caddy",
    "haproxy",
    "prometheus",
    "grafana",
    "renovate",
    "pre-commit",
    "goreleaser",
    "setup",
    "sysctl",
    "modprobe",
    "dbus",
    "tmpfiles",
    "sysusers",
    "pytest",
    "locale",
];

/// Syntax of an example configuration file: assignments or words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SampleForm {
    /// Lines `key = value`, possibly in tables `[name]`.
    Assignments,
    /// Lines `Key value`.
    Words,
}

/// Returns the keys of all example configurations. `project` holds the names of the project and its
/// programs.
pub(super) fn settings(texts: &Texts, project: &BTreeSet<String>) -> Vec<Fact> {
    let mut found = Vec::new();
    for path in texts.paths().filter(|path| is_sample(path, project)).take(FILES) {
        let Some(text) = texts.read(path) else { continue };
        let keys = if path.contains(".yml") || path.contains(".yaml") {
            yaml(&text).into_iter().map(|(line, setting)| (line, setting.default(None))).take(KEYS).collect()
        } else {
            form(path, &text).map(|form| keys(&text, form)).unwrap_or_default()
        };
        found.extend(
            keys.into_iter().filter_map(|(line, setting)| fact(setting, path, SourceLines::line(path, line))),
        );
    }
    found
}

/// Returns true for the path of an example configuration of this project.
fn is_sample(path: &str, project: &BTreeSet<String>) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let words: Vec<&str> = name.split(['.', '-', '_']).filter(|word| !word.is_empty()).collect();
    let has = |all: &[&str]| words.iter().any(|word| all.contains(word));
    let is_example = has(&["example", "sample", "dist", "template", "in", "default", "defaults"]);
    let is_named = words.first().is_some_and(|first| project.contains(*first));
    let ends = ["conf", "ini", "toml", "cfg", "rc", "yml", "yaml"];
    let is_conf = has(&["conf"]);
    let is_config = has(&["config", "settings", "configuration"]) || is_conf || is_named;
    // A configuration in Python is one of Sphinx.
    let is_other = words.contains(&"py") || OTHERS.iter().any(|other| name.contains(other)) && !is_named;
    let is_outer = matches!(role_of(path), PathRole::Runtime | PathRole::Build | PathRole::Docs)
        && folder_of(path).matches('/').count() <= 2;
    has(&ends) && is_config && (is_example || is_conf && is_named) && !is_other && is_outer
}

/// Returns the syntax of a configuration; `None` if it has blocks or is in another syntax.
fn form(path: &str, text: &str) -> Option<SampleForm> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    let count = lines().count();
    let has_blocks =
        lines().filter(|line| line.ends_with('{') || *line == "}").count() > 0 && !path.contains(".toml");
    if has_blocks || text.contains("<?") {
        return None;
    }
    let assigned = lines().filter(|line| line.contains('=') || line.starts_with('[')).count();
    if assigned * 3 >= count * 2 {
        return Some(SampleForm::Assignments);
    }
    let is_plain = |line: &&str| line.split_once([' ', '\t']).is_some_and(|(key, _)| is_key(key));
    // Commands repeat where keys do not.
    let first = |line: &'_ str| line.split([' ', '\t']).next().unwrap_or_default().to_owned();
    let distinct: BTreeSet<String> = lines().map(first).collect();
    let is_table = lines().filter(is_plain).count() * 10 >= count * 8 && distinct.len() * 10 >= count * 7;
    (is_table && count >= 3).then_some(SampleForm::Words)
}

fn is_comment(line: &str) -> bool {
    line.starts_with(['#', ';'])
}

/// Returns true if a word can be a key of a configuration.
fn is_key(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.len() > 1
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Returns the keys of a configuration with their lines and comments; keys that are commented out count,
/// too.
fn keys(text: &str, form: SampleForm) -> Vec<(usize, ParsedSetting)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let (mut table, mut comment, mut open) = (String::new(), String::new(), None);
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim();
        if let Some(close) = open {
            open = Some(close).filter(|close: &&str| !bare.contains(*close));
            continue;
        }
        if bare.is_empty() {
            comment.clear();
            continue;
        }
        let words = bare.trim_start_matches(['#', ';']);
        let off = is_comment(bare).then(|| commented(words, form)).flatten();
        let is_table = form == SampleForm::Assignments && !(is_comment(bare) && words.starts_with(' '));
        if let Some(header) = header(words.trim()).filter(|_| is_table) {
            header.clone_into(&mut table);
            comment.clear();
            continue;
        }
        if is_comment(bare) && off.is_none() {
            let said = words.trim().trim_matches(['#', '-', '=', '*']);
            comment.push(' ');
            comment.push_str(said);
            continue;
        }
        let Some((key, value)) = off.or_else(|| assignment(bare, form)) else {
            comment.clear();
            continue;
        };
        if !is_comment(bare) {
            open = unclosed(value);
        }
        let name = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        let said = std::mem::take(&mut comment);
        if found.len() < KEYS && seen.insert(name.clone()) {
            let said = said.trim();
            let beside = value.split_once(" ; ").map_or("", |(_, beside)| beside.trim());
            let said = if said.is_empty() { beside } else { said };
            let said = said.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')).unwrap_or(said);
            found.push((index + 1, ParsedSetting::new(SettingForm::Key, name).text(purpose(said))));
        }
    }
    found
}

/// Returns the closing mark, such as `"""` or `]`, of a value that continues on the next lines; `None` if
/// the value is complete.
fn unclosed(value: &str) -> Option<&'static str> {
    let is_open = |start: &str, end: &str| value.starts_with(start) && !value[start.len()..].contains(end);
    [("\"\"\"", "\"\"\""), ("'''", "'''"), ("[", "]")]
        .iter()
        .find(|(start, end)| is_open(start, end))
        .map(|(_, end)| *end)
}

/// Returns the name of a table header `[a.b]`. A list of tables has no name that a person could type.
fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.split(']').next()?.trim_matches(['[', '"', '\'']);
    is_key(name).then_some(name)
}

/// Splits a line of a configuration file into key and value.
fn assignment(line: &str, form: SampleForm) -> Option<(&str, &str)> {
    let (key, value) = match form {
        SampleForm::Assignments => line.split_once('=')?,
        SampleForm::Words => line.split_once([' ', '\t'])?,
    };
    is_key(key.trim().trim_matches('"')).then(|| (key.trim().trim_matches('"'), value.trim()))
}

/// Returns the key and value of a line that is commented out; `None` if the comment is prose, which has
/// several words or ends like a sentence. `words` is the text after the comment mark.
fn commented(words: &str, form: SampleForm) -> Option<(&str, &str)> {
    let (key, value) = assignment(words.trim(), form)?;
    let is_short = value.split_whitespace().count() <= 3 && !value.ends_with(['.', ':', ',']);
    match form {
        SampleForm::Assignments => (is_short || value.starts_with(['"', '\''])).then_some((key, value)),
        SampleForm::Words => {
            let is_direct = words.starts_with(|c: char| c.is_ascii_alphabetic());
            (is_direct && is_short && !value.is_empty() && !key.ends_with(['.', ':'])).then_some((key, value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, form: SampleForm) -> Vec<String> {
        let said = |it: &ParsedSetting| it.text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        keys(text, form).iter().map(|(line, it)| format!("{line} {}{}", it.name, said(it))).collect()
    }

    #[test]
    fn keys_of_examples_have_their_tables_and_comments() {
        let text = "# A text about all.\n\n# Port to listen on.\nport = 80\n\n[log]\n#level = \"info\"\n# Use x = y here, as it is better.\nlist = [\n  a = 1,\n]\n";
        assert_eq!(
            shown(text, SampleForm::Assignments),
            ["4 port: Port to listen on.", "7 log.level", "9 log.list: Use x = y here, as it is better."]
        );
        let text = "[shop]\nopen=true   ; the shop is open on all days\n";
        assert_eq!(shown(text, SampleForm::Assignments), ["2 shop.open: the shop is open on all days"]);
        let text = "#\n# Port: The port to listen on.\n#\nPort 80\n\n# Several words are text.\n#Listen 127.0.0.1\n#The last word.\n";
        assert_eq!(
            shown(text, SampleForm::Words),
            ["4 Port: The port to listen on.", "7 Listen: Several words are text."]
        );
    }

    #[test]
    fn only_examples_of_the_own_configuration_are_read() {
        let names = BTreeSet::from(["shop".to_owned()]);
        for (path, expected) in [
            ("etc/shop.conf.in", true),
            ("config.example.toml", true),
            ("conf/app.example.ini", false),
            ("shop.conf", true),
            ("nginx.conf.example", false),
            ("tests/config.example.toml", false),
            ("config.toml", false),
        ] {
            assert_eq!(is_sample(path, &names), expected, "{path}");
        }
    }
}
