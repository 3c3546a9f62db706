//! Settings of formatters and linters, quoted from their files: indentation, line length, quotes.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::about::without_links;
use super::{falling, lines_of};

/// Files with the keys that tell how code is written.
const FILES: &[(&str, &[&str])] = &[
    (".editorconfig", EDITOR),
    ("rustfmt.toml", ALL),
    (".rustfmt.toml", ALL),
    ("clippy.toml", ALL),
    (".clippy.toml", ALL),
    ("Cargo.toml", CARGO),
    (".prettierrc", SCRIPT),
    (".prettierrc.json", SCRIPT),
    (".prettierrc.yml", SCRIPT),
    (".prettierrc.yaml", SCRIPT),
    ("prettier.config.js", SCRIPT),
    ("biome.json", SCRIPT),
    ("biome.jsonc", SCRIPT),
    ("pyproject.toml", PYTHON),
    ("ruff.toml", PYTHON),
    ("setup.cfg", PYTHON),
    (".flake8", PYTHON),
    (".clang-format", NATIVE),
    ("tsconfig.json", TYPES),
    ("mypy.ini", TYPES),
    ("package.json", NODE),
    (".php-cs-fixer.php", ALL),
    (".php-cs-fixer.dist.php", ALL),
    ("phpstan.neon", &["level"]),
    (".rubocop.yml", &["TargetRubyVersion", "EnforcedStyle", "Max", "NewCops"]),
    (".prospector.yaml", &["strictness", "max-line-length", "inherits"]),
];

/// Lists of tools that a file turns on: the file, the key above the list (or that of each item), the title.
const LISTS: &[(&str, &str, &str)] = &[
    (".golangci.yml", "enable", "Linters turned on"),
    (".golangci.yaml", "enable", "Linters turned on"),
    (".pre-commit-config.yaml", "id", "Hooks before a commit"),
    (".prospector.yaml", "disable", "Checks turned off"),
];

/// Marks a file whose keys are all told.
const ALL: &[&str] = &["*"];
const CARGO: &[&str] = &["edition", "unsafe_code", "missing_docs", "pedantic"];
const NODE: &[&str] = &["packageManager"];

const EDITOR: &[&str] =
    &["indent_style", "indent_size", "tab_width", "max_line_length", "end_of_line", "insert_final_newline"];
const SCRIPT: &[&str] = &[
    "semi",
    "singleQuote",
    "printWidth",
    "tabWidth",
    "useTabs",
    "trailingComma",
    "arrowParens",
    "indentStyle",
    "indentWidth",
    "lineWidth",
    "quoteStyle",
    "semicolons",
];
const PYTHON: &[&str] = &[
    "line-length",
    "line_length",
    "max-line-length",
    "target-version",
    "quote-style",
    "disallow_untyped_defs",
    "select",
    "extend-select",
    "ignore",
    "profile",
];
const NATIVE: &[&str] = &["BasedOnStyle", "IndentWidth", "ColumnLimit", "UseTab", "PointerAlignment"];
const TYPES: &[&str] =
    &["strict", "noImplicitAny", "strictNullChecks", "target", "module", "moduleResolution"];

/// Maximum of lines that are quoted of a file, and of those that are read.
const QUOTED: usize = 7;
const READ: usize = 600;
/// Longest line that is quoted, in characters.
const CHARS: usize = 90;
/// Maximum of items of a list.
const ITEMS: usize = 14;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut at = 0;
    for (path, keys) in FILES {
        let Ok((_, text)) = survey.code.text(path) else { continue };
        let quoted = lines_with(&text, keys);
        let shown: Vec<String> = quoted
            .iter()
            .filter_map(|(line, text)| {
                Some(format!("{} {}", survey.quoter.code(text)?, lines_of(*line, *line)))
            })
            .collect();
        if !shown.is_empty() {
            let text = format!("- Style in {}: {}", path_span(path), shown.join(", "));
            draft.add_many(
                ContextSection::Conventions,
                falling(62.0, at, 4.0),
                ("settings of style", shown.len()),
                text,
            );
            at += 1;
        }
    }
    add_lists(survey, draft);
    add_history(survey, draft);
}

/// Adds the tools that files list.
fn add_lists(survey: &Survey, draft: &mut LineDraft) {
    for (path, key, title) in LISTS {
        let Ok((_, text)) = survey.code.text(path) else { continue };
        let items = items_below(&text, key);
        let (Some(first), Some(last)) = (items.first(), items.last()) else { continue };
        let shown: Vec<&str> = items.iter().take(ITEMS).map(|(_, item)| item.as_str()).collect();
        let more = if items.len() > ITEMS { ", …" } else { "" };
        if let Some(shown) = survey.quoter.code(&shown.join(", ")) {
            let text =
                format!("- {title} in {}: {shown}{more} {}", path_span(path), lines_of(first.0, last.0));
            draft.add_many(
                ContextSection::Conventions,
                58.0,
                ("settings of style", items.len().min(4)),
                text,
            );
        }
    }
}

/// Returns the items of the lists below a key, with their lines; of items with that key their values.
fn items_below(text: &str, key: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside: Option<usize> = None;
    for (at, line) in text.lines().take(READ).enumerate() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let item = bare.strip_prefix("- ").map(str::trim);
        let value =
            |text: &str| text.split(" #").next().unwrap_or(text).trim().trim_matches(['"', '\'']).to_owned();
        let own =
            item.unwrap_or(bare).strip_prefix(key).and_then(|rest| rest.strip_prefix(':')).map(str::trim);
        match (own, item, inside) {
            (Some(own), ..) if !own.is_empty() && !own.starts_with('[') => found.push((at + 1, value(own))),
            (Some(_), None, _) => inside = Some(indent),
            (_, Some(item), Some(of)) if indent >= of && !item.contains(": ") => {
                found.push((at + 1, value(item)));
            }
            (_, None, Some(of)) if !bare.is_empty() && !bare.starts_with('#') && indent <= of => {
                inside = None;
            }
            _ => {}
        }
    }
    found
}

/// Adds the place where changes are recorded: the first section of a version in the history.
fn add_history(survey: &Survey, draft: &mut LineDraft) {
    let is_history = |path: &&String| {
        let lower = path.to_lowercase();
        let stem = lower.split('.').next().unwrap_or_default();
        !path.contains('/') && matches!(stem, "changelog" | "changes" | "history" | "news" | "releases")
    };
    let Some(path) = survey.files.iter().find(is_history) else { return };
    let Ok((_, text)) = survey.code.text(path) else { return };
    let is_version = |line: &str| {
        let bare = line.trim_start_matches(['#', '=', '*', ' ', '[']);
        let lower = bare.to_lowercase();
        line.len() < CHARS
            && (["unreleased", "next", "upcoming"].iter().any(|word| lower.starts_with(word))
                || bare.trim_start_matches(['v', 'V']).starts_with(|c: char| c.is_ascii_digit())
                    && bare.contains('.')
                || lower.starts_with("version ") && lower.contains(|c: char| c.is_ascii_digit()))
    };
    let newest = text.lines().take(READ).enumerate().find(|(_, line)| is_version(line));
    if let Some((at, line)) = newest
        && let Some(said) = survey.quoter.code(&without_links(line.trim_matches(['#', ' '])))
    {
        let text = format!(
            "- {} records changes; its first section of a version is {said} {}",
            path_span(path),
            lines_of(at + 1, at + 1)
        );
        draft.add(ContextSection::Conventions, 40.0, "conventions", text);
    }
}

/// Returns the first line with each key and its value, with its number.
fn lines_with(text: &str, keys: &[&str]) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for (at, line) in text.lines().take(READ).enumerate() {
        let plain = line.trim().trim_end_matches(',').trim();
        let Some((key, value)) = plain.split_once("=>").or_else(|| plain.split_once([':', '='])) else {
            continue;
        };
        let key = key.trim().trim_matches(['"', '\'']);
        let value = value.trim();
        let is_whole = !value.starts_with('{') && (!value.starts_with('[') || value.ends_with(']'));
        let is_value = !value.is_empty() && is_whole && !plain.starts_with(['#', '/', '$', '-', ';']);
        let is_key = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '/'));
        let is_told = keys == ALL && is_key && !value.starts_with('$') || keys.contains(&key);
        if found.len() < QUOTED
            && plain.chars().count() <= CHARS
            && is_value
            && is_told
            && !told.contains(&key)
        {
            found.push((at + 1, plain.to_owned()));
            told.push(key);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_style_and_lists_of_linters_are_quoted() {
        let text = "# a = 1\nmsrv = \"1.90\"\nlist = [\nmsrv = 2\n'x' => true,\n";
        let found = lines_with(text, ALL);
        assert_eq!(found, [(2, "msrv = \"1.90\"".to_owned()), (5, "'x' => true".to_owned())]);
        let listed = "linters:\n  enable:\n    - govet\n    - gosec # x\n  disable:\n    - dupl\n";
        assert_eq!(items_below(listed, "enable"), [(3, "govet".to_owned()), (4, "gosec".to_owned())]);
        let hooks = "repos:\n- repo: x\n  hooks:\n  - id: black\n    args: [a]\n  - id: flake8\n";
        assert_eq!(items_below(hooks, "id"), [(4, "black".to_owned()), (6, "flake8".to_owned())]);
    }
}
