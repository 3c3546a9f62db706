//! Reads settings that a document lists: entries that begin with a name in code and state a default, such
//! as `- `port`: Port of the server. Default: 80`.

use super::{ParsedSetting, fact};
use crate::collect::Texts;
use crate::fact::{Fact, SettingForm, SourceLines};
use crate::text::{purpose, without_strong};

/// Maximum number of documents that are read.
const DOCUMENTS: usize = 40;
/// Maximum number of settings of one document.
const SETTINGS: usize = 200;
/// Maximum size of a document, in bytes.
const BYTES: usize = 400_000;
/// Maximum length of an entry, in lines.
const LINES: usize = 25;
/// Maximum length of a default, in characters.
const DEFAULT: usize = 40;
/// Minimum number of entries of a list of settings; fewer are only examples.
const FEWEST: usize = 3;

/// Phrases that precede a default.
const MARKS: &[&str] =
    &["default value is", "defaults to", "default value:", "default is", "default:", "default ="];

/// Words of sentences that state bounds of a value; these sentences are quoted, too.
const BOUNDS: &[&str] = &[
    "lowest",
    "minimum",
    "maximum",
    "at least",
    "at most",
    "value of 0",
    "zero",
    "infinite",
    "unlimited",
    "disabled",
    "only appl",
];

/// Returns the settings listed in the README of the root and in documents about configuration.
pub(super) fn settings(texts: &Texts) -> Vec<Fact> {
    let is_document = |path: &&String| {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let is_markdown = name.ends_with(".md") || name.ends_with(".markdown");
        let is_about = ["config", "option", "setting", "parameter"].iter().any(|word| name.contains(word));
        is_markdown
            && (name.starts_with("readme") && !path.contains('/') || is_about && lower.contains("doc"))
            && !["changelog", "history", "node_modules/", "vendor/"].iter().any(|word| lower.contains(word))
    };
    let mut found = Vec::new();
    for path in texts.paths().filter(is_document).take(DOCUMENTS) {
        let Some(text) = texts.read(path).filter(|text| text.len() <= BYTES) else { continue };
        let entries = entries(&text);
        if entries.len() < FEWEST {
            continue;
        }
        for (line, setting) in entries {
            found.extend(fact(setting, path, SourceLines::line(path, line)));
        }
    }
    found
}

/// Returns the settings of a document that are described in a line or list item beginning with their name
/// in code, if the text states a default. Each has its line, from 1.
fn entries(text: &str) -> Vec<(usize, ParsedSetting)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<(usize, ParsedSetting)> = Vec::new();
    let mut in_fence = false;
    let mut at = 0;
    while at < lines.len() && found.len() < SETTINGS {
        let line = lines[at];
        at += 1;
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_fence = !in_fence;
        }
        let Some((name, rest)) = split_name(line).filter(|_| !in_fence) else { continue };
        let first = at;
        let mut said = rest.to_owned();
        for line in lines[first..].iter().take(LINES).take_while(|line| is_continuation(line)) {
            said.push(' ');
            said.push_str(line.trim());
            at += 1;
        }
        if let Some(default) = default_in(&said)
            && !found.iter().any(|(_, known)| known.name == name)
        {
            let setting = ParsedSetting::new(SettingForm::Key, name).text(meaning(&said));
            found.push((first, setting.default(default)));
        }
    }
    found
}

/// Splits a line that begins with a name in code into this name and the text after it.
fn split_name(line: &str) -> Option<(&str, &str)> {
    let start = line.find('`')?;
    // Bullets, emphasis, symbols, entities: nothing that is a word.
    let before = &line[..start];
    let is_mark = before.len() <= 30
        && before.split(['&', ';', '#']).all(|part| !part.chars().any(|c| c.is_ascii_alphabetic()));
    let fence = line[start..].chars().take_while(|c| *c == '`').count();
    let inner = &line[start + fence..];
    let end = inner.find(&"`".repeat(fence)).filter(|_| is_mark)?;
    let name = inner[..end].trim();
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let rest = inner[end + fence..].trim_start_matches(['*', ':', '_', ' ', '-', '–', '—']);
    is_name.then(|| (name, rest.strip_prefix("<br/>").unwrap_or(rest)))
}

/// Returns true for a line that continues the description of the setting above it: it is no empty line,
/// heading or table row and begins with no other name.
fn is_continuation(line: &str) -> bool {
    let bare = line.trim();
    !bare.is_empty()
        && !bare.starts_with(['#', '|'])
        && !bare.starts_with("```")
        && split_name(line).is_none()
}

/// Returns the default value that a description of a setting states: `None` if it states none, `Some(None)`
/// if the stated default is no plain value.
#[allow(clippy::option_option, reason = "a default that is told, and its value")]
fn default_in(text: &str) -> Option<Option<String>> {
    let lower = text.to_ascii_lowercase();
    let (at, mark) = MARKS.iter().find_map(|mark| Some((lower.find(mark)?, *mark)))?;
    let rest = text[at + mark.len()..].trim_start_matches([' ', '*', ':', '=']);
    let value = if let Some(code) = rest.strip_prefix('`') {
        code.trim_start_matches('`').split('`').next().unwrap_or_default()
    } else {
        let end = rest.find(['*', ')', ',', ';', '<', '`', '[']).unwrap_or(rest.len());
        let end = rest[..end].find(". ").unwrap_or(end);
        let value = rest[..end].trim_end_matches(['.', ' ']);
        // `30000 (30 seconds)` keeps its unit.
        if rest[end..].starts_with(')') && value.contains('(') { &rest[..=end] } else { value }
    };
    let value = value.trim();
    let is_plain = !value.is_empty()
        && value.chars().count() <= DEFAULT
        && value.split_whitespace().count() <= 4
        && !matches!(value.to_ascii_lowercase().as_str(), "none" | "null" | "nil" | "undefined");
    Some(is_plain.then(|| value.to_owned()))
}

/// Returns the first sentence of a setting's description, with the sentences that bound the value.
fn meaning(text: &str) -> Option<String> {
    let text = without_strong(text).replace("``", "`").replace("<br/>", " ");
    let mut sentences = text.split_inclusive(". ");
    let mut said = sentences.next()?.trim().to_owned();
    for sentence in sentences {
        let lower = sentence.to_lowercase();
        if BOUNDS.iter().any(|word| lower.contains(word)) && said.len() + sentence.len() < 400 {
            said.push(' ');
            said.push_str(sentence.trim());
        }
    }
    let end = said.to_ascii_lowercase().find("*default").unwrap_or(said.len());
    purpose(said[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::{entries, split_name};

    fn shown(text: &str) -> Vec<(usize, String, Option<String>, Option<String>)> {
        entries(text).into_iter().map(|(line, it)| (line, it.name, it.default, it.text)).collect()
    }

    #[test]
    fn an_entry_of_a_document_with_a_default_is_a_setting() {
        let text = "# Shop\n\n- `port`: Port of the server. Default: `80`\n- **`host`** - Host to listen on, defaults to localhost.\n\n&#8986;``wait``<br/>\nThis is the time to wait.  It may be long.\nLowest time is 250 ms.\n*Default: 30000 (30 seconds)*\n";
        assert_eq!(
            shown(text),
            [
                (3, "port".into(), Some("80".into()), Some("Port of the server.".into())),
                (
                    4,
                    "host".into(),
                    Some("localhost".into()),
                    Some("Host to listen on, defaults to localhost.".into())
                ),
                (
                    6,
                    "wait".into(),
                    Some("30000 (30 seconds)".into()),
                    Some("This is the time to wait. Lowest time is 250 ms.".into())
                ),
            ]
        );
    }

    #[test]
    fn sentences_with_code_and_examples_are_no_settings() {
        for line in
            ["Use `port` for this. Default: 80", "```\n`port`: x. Default: 80\n```", "- `a b`: x. Default: 1"]
        {
            assert!(shown(line).is_empty(), "{line}");
        }
        assert_eq!(split_name("- `"), None);
        assert_eq!(split_name("é`"), None);
    }
}
