//! Settings of formatters and linters, quoted from their files: indentation, line length, quotes.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::about::without_links;
use super::{falling, lines_of};

/// Configuration files with the keys that are quoted from them.
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
    (".rubocop.yml", RUBOCOP),
    (".prospector.yaml", &["strictness", "max-line-length", "inherits"]),
];

/// Lists of tools that a file turns on: the file, the key around the list (empty for any) and that above it (or that of each item), the
/// title.
const LISTS: &[(&str, (&str, &str), &str)] = &[
    (".golangci.yml", ("linters", "enable"), "Linters turned on"),
    (".golangci.yaml", ("linters", "enable"), "Linters turned on"),
    (".pre-commit-config.yaml", ("", "id"), "Hooks before a commit"),
    (".prospector.yaml", ("", "disable"), "Checks turned off"),
];

/// Marks a file of which all keys are quoted.
const ALL: &[&str] = &["*"];
const CARGO: &[&str] = &["edition", "unsafe_code", "missing_docs", "pedantic"];
const NODE: &[&str] = &["packageManager"];

const EDITOR: &[&str] =
    &["indent_style", "indent_size", "tab_width", "max_line_length", "end_of_line", "insert_final_newline"];
const RUBOCOP: &[&str] = &["TargetRubyVersion", "EnforcedStyle", "Max", "NewCops"];
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
/// Maximum of lines of a history in which its first version is looked for.
const HISTORY: usize = 60;
/// Longest line that is quoted, in characters.
const CHARS: usize = 90;
/// Maximum of items of a list.
const ITEMS: usize = 14;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut at = 0;
    for (path, keys) in FILES {
        let Ok((_, text)) = survey.code.text(path) else { continue };
        let mut quoted = lines_with(&text, keys);
        let more = if quoted.len() > QUOTED { ", …" } else { "" };
        quoted.truncate(QUOTED);
        let shown: Vec<String> = quoted
            .iter()
            .filter_map(|(line, text)| {
                Some(format!("{} {}", survey.quoter.code(text)?, lines_of(*line, *line)))
            })
            .collect();
        if !shown.is_empty() {
            let text = format!("- Style in {}: {}{more}", path_span(path), shown.join(", "));
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

/// Adds a line for each configuration file in `LISTS`, with the tools that it turns on or off.
fn add_lists(survey: &Survey, draft: &mut LineDraft) {
    for (path, key, title) in LISTS {
        let Ok((_, text)) = survey.code.text(path) else { continue };
        let items = items_below(&text, *key);
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

/// Returns the items of YAML lists under `key`, each with its line; also single values of `key` itself, as in
/// `- id: name`. `around` is the key that must directly enclose `key`; empty for any.
fn items_below(text: &str, (around, key): (&str, &str)) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside: Option<usize> = None;
    let mut outer: Vec<(usize, &str)> = Vec::new();
    for (at, line) in text.lines().take(READ).enumerate() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let bare = bare.split(" #").next().unwrap_or(bare).trim_end();
        let item = bare.strip_prefix("- ").map(str::trim);
        if let Some(name) = bare.strip_suffix(':').filter(|name| !name.starts_with(['-', '#'])) {
            outer.retain(|(of, _)| *of < indent);
            outer.push((indent, name));
        }
        let is_around = around.is_empty() || outer.iter().rev().nth(1).is_some_and(|(_, of)| *of == around);
        let value = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let own =
            item.unwrap_or(bare).strip_prefix(key).and_then(|rest| rest.strip_prefix(':')).map(str::trim);
        match (own, item, inside) {
            (Some(own), ..) if !own.is_empty() && !own.starts_with('[') => found.push((at + 1, value(own))),
            (Some(_), None, _) if is_around => inside = Some(indent),
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

/// Adds a line about the change log in the root, with the heading of its newest version.
fn add_history(survey: &Survey, draft: &mut LineDraft) {
    let is_history = |path: &&String| {
        let lower = path.to_lowercase();
        let (stem, end) = lower.split_once('.').unwrap_or((&lower, ""));
        !path.contains('/')
            && matches!(stem, "changelog" | "changes" | "history" | "news" | "releases")
            && matches!(end, "" | "md" | "markdown" | "rst" | "txt" | "adoc")
    };
    let Some(path) = survey.files.iter().find(is_history) else { return };
    let Ok((_, text)) = survey.code.text(path) else { return };
    if let Some((at, line)) = newest_version(&text)
        && let Some(said) = survey.quoter.code(&without_links(line.trim_matches(['#', ' '])))
    {
        let text = format!(
            "- {} records changes; its newest section is {said} {}",
            path_span(path),
            lines_of(at, at)
        );
        draft.add(ContextSection::Conventions, 40.0, "conventions", text);
    }
}

/// Returns the first heading of a change log that names a version or "Unreleased", with its line, within the
/// first 60 lines.
fn newest_version(text: &str) -> Option<(usize, &str)> {
    let lines: Vec<&str> = text.lines().take(HISTORY).collect();
    let is_version = |word: &str| {
        let bare = word.trim_matches(['[', ']', '(', ')', ':', ',']);
        let mut parts = bare.trim_start_matches(['v', 'V']).split('.');
        let starts =
            |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        starts(parts.next()) && starts(parts.next())
    };
    let is_heading = |at: usize| {
        let is_rule = |line: &&str| {
            line.len() > 2
                && ["=", "-", "~", "^"].iter().any(|sign| line.trim_end().replace(sign, "").is_empty())
        };
        lines[at].starts_with('#') || lines[at].starts_with("==") || lines.get(at + 1).is_some_and(is_rule)
    };
    let names_version = |line: &str| {
        let words: Vec<String> =
            line.trim_matches(['#', '=', ' ']).split_whitespace().map(str::to_lowercase).collect();
        let first = words.first().map_or("", |word| word.trim_matches(['[', ']', ':']));
        let is_next = first == "unreleased" || words.len() <= 2 && matches!(first, "next" | "upcoming");
        line.len() < CHARS && (is_next || words.iter().take(3).any(|word| is_version(word)))
    };
    (0..lines.len()).find(|at| is_heading(*at) && names_version(lines[*at])).map(|at| (at + 1, lines[at]))
}

/// Returns the heading of a block whose settings hold only there: `[*.md]` in an `.editorconfig`, a rule's
/// name in a `RuboCop` file. `None` for other lines and files.
fn heading<'t>(line: &'t str, keys: &[&str]) -> Option<&'t str> {
    match () {
        () if keys == EDITOR => Some(line.trim()).filter(|line| line.starts_with('[')),
        () if keys == RUBOCOP => {
            line.trim_end().strip_suffix(':').filter(|name| !name.starts_with([' ', '#', '-']))
        }
        () => None,
    }
}

/// Returns the first setting of each key in `keys` as `key = value`, with its line; the heading of a block
/// stands in front if it holds only there. At most 8 (one more than are quoted).
fn lines_with(text: &str, keys: &[&str]) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut told: Vec<(&str, &str)> = Vec::new();
    let mut part = "";
    for (at, line) in text.lines().take(READ).enumerate() {
        if let Some(heading) = heading(line, keys) {
            part = if matches!(heading, "[*]" | "AllCops") { "" } else { heading };
        }
        let plain = line.trim().trim_end_matches(',').trim();
        let Some((key, value)) = plain.split_once("=>").or_else(|| plain.split_once([':', '='])) else {
            continue;
        };
        // An item of a list, such as `"ignore::a.Warning"`.
        if value.starts_with(':') {
            continue;
        }
        let key = key.trim().trim_matches(['"', '\'']);
        let value = value.trim();
        let is_whole = !value.starts_with('{') && (!value.starts_with('[') || value.ends_with(']'));
        let is_value = !value.is_empty() && is_whole && !plain.starts_with(['#', '/', '$', '-', ';']);
        let is_key = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '/'));
        let is_told = keys == ALL && is_key && !value.starts_with('$') || keys.contains(&key);
        if found.len() <= QUOTED
            && plain.chars().count() <= CHARS
            && is_value
            && is_told
            && !told.contains(&(part, key))
        {
            found.push((at + 1, format!("{part} {plain}").trim_start().to_owned()));
            told.push((part, key));
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
        let listed = "linters:\n  enable: # all\n    - govet\n    - gosec # x\n  disable:\n    - dupl\n";
        assert_eq!(
            items_below(listed, ("linters", "enable")),
            [(3, "govet".to_owned()), (4, "gosec".to_owned())]
        );
        let hooks = "repos:\n- repo: x\n  hooks:\n  - id: black\n    args: [a]\n  - id: flake8\n";
        assert_eq!(items_below(hooks, ("", "id")), [(4, "black".to_owned()), (6, "flake8".to_owned())]);
        let others = "linters:\n  settings:\n    govet:\n      enable:\n        - shadow\nformatters:\n  enable:\n    - gofmt\n";
        assert_eq!(items_below(others, ("linters", "enable")), []);
    }

    #[test]
    fn a_rule_of_a_part_of_the_files_is_told_with_the_part() {
        let shown = |text: &str, keys: &[&str]| -> Vec<String> {
            lines_with(text, keys).into_iter().map(|(line, text)| format!("{line} {text}")).collect()
        };
        let editor =
            "root = true\n[*.md]\nindent_size = 2\n[*]\nindent_size = 4\n[Makefile]\nindent_style = tab\n";
        assert_eq!(
            shown(editor, EDITOR),
            ["3 [*.md] indent_size = 2", "5 indent_size = 4", "7 [Makefile] indent_style = tab"]
        );
        let rubocop =
            "AllCops:\n  NewCops: enable\nLayout/LineLength:\n  Max: 120\nMetrics/MethodLength:\n  Max: 30\n";
        assert_eq!(
            shown(rubocop, RUBOCOP),
            ["2 NewCops: enable", "4 Layout/LineLength Max: 120", "6 Metrics/MethodLength Max: 30"]
        );
    }

    #[test]
    fn the_newest_version_is_a_heading() {
        for (text, expected) in [
            ("# Changelog\n\n## [Unreleased]\n", Some((3, "## [Unreleased]"))),
            ("Changes\n=======\n\n1.2 (2024-01-01)\n-----\n\n1.1\n---\n", Some((4, "1.2 (2024-01-01)"))),
            ("# News\n## Version 2.0\n", Some((2, "## Version 2.0"))),
            ("# Next steps of ours\n2. Fix it\n1.5 times faster.\nUnreleased work is here.\n", None),
        ] {
            assert_eq!(newest_version(text), expected, "{text}");
        }
    }
}
