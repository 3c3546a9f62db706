//! Settings of formatters and linters, quoted from their files: indentation, line length, quotes.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, lines_of};

/// Files with the keys that tell how code is written.
const FILES: &[(&str, &[&str])] = &[
    (".editorconfig", EDITOR),
    ("rustfmt.toml", RUST),
    (".rustfmt.toml", RUST),
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
];

const EDITOR: &[&str] =
    &["indent_style", "indent_size", "tab_width", "max_line_length", "end_of_line", "insert_final_newline"];
const RUST: &[&str] =
    &["max_width", "edition", "hard_tabs", "imports_granularity", "group_imports", "use_small_heuristics"];
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
];
const NATIVE: &[&str] = &["BasedOnStyle", "IndentWidth", "ColumnLimit", "UseTab", "PointerAlignment"];
const TYPES: &[&str] =
    &["strict", "noImplicitAny", "strictNullChecks", "target", "module", "moduleResolution"];

/// Maximum of lines that are quoted of a file, and of those that are read.
const QUOTED: usize = 7;
const READ: usize = 600;
/// Longest line that is quoted, in characters.
const CHARS: usize = 60;

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
}

/// Returns the first line with each key and its value, with its number.
fn lines_with(text: &str, keys: &[&str]) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for (at, line) in text.lines().take(READ).enumerate() {
        let plain = line.trim().trim_end_matches(',').trim();
        let Some((key, value)) = plain.split_once([':', '=']) else { continue };
        let key = key.trim().trim_matches(['"', '\'']);
        let is_value = !value.trim().is_empty() && !value.trim().starts_with(['{', '[']);
        if found.len() < QUOTED
            && plain.chars().count() <= CHARS
            && is_value
            && keys.contains(&key)
            && !told.contains(&key)
        {
            found.push((at + 1, plain.to_owned()));
            told.extend(keys.iter().filter(|known| **known == key));
        }
    }
    found
}
