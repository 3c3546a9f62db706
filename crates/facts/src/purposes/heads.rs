//! Finds the comment at the top of a file that describes the file, by the rules of its language. Licences
//! do not count, nor does the comment of the first definition.

use stategraph_repo::Language;

use super::comments::{CommentParagraph, CommentStyle, bare, first_told};
use super::sentence::purpose_of;

/// Maximum number of comments at the top that are read; the first may be a licence.
const BLOCKS: usize = 2;
/// Maximum number of lines at the top that are read.
const LINES: usize = 200;

/// Returns the purpose that the comment or docstring at the top of a source file states, with its lines
/// from 1.
pub(super) fn head(language: Language, path: &str, lines: &[&str]) -> Option<CommentParagraph> {
    let lines = &lines[..lines.len().min(LINES)];
    let from_one = |told: CommentParagraph, offset: usize| CommentParagraph {
        text: told.text,
        start: told.start + offset + 1,
        end: told.end + offset + 1,
    };
    let of_range = |(start, end): (usize, usize), style| {
        first_told(&lines[start..end], style).map(|told| from_one(told, start))
    };
    match language {
        Language::Rust => of_range(inner_docs(lines)?, CommentStyle::Comment),
        Language::Python => of_range(docstring(lines)?, CommentStyle::Docstring),
        Language::Go => of_range(
            above(lines, "package ", false).or_else(|| package_comment(lines))?,
            CommentStyle::Comment,
        ),
        Language::Java if path.ends_with("package-info.java") => {
            of_range(above(lines, "package ", true)?, CommentStyle::Comment)
        }
        Language::Java | Language::CSharp => None,
        _ => {
            let stem = path.rsplit('/').next().unwrap_or(path);
            blocks(language, lines).into_iter().take(BLOCKS).find_map(|block| {
                let block = below_notice(lines, block);
                let text = &lines[block.0..block.1];
                if is_licence(text) {
                    return None;
                }
                // A remark in plain comments is a sentence, or it belongs to the lines below.
                let is_doc = text.iter().any(|line| line.trim_start().starts_with("/**"));
                let is_script_head = language == Language::Bash && block.0 <= 1;
                let is_told = |told: &CommentParagraph| {
                    is_doc
                        || told.text.split_whitespace().count() >= 3
                            && (is_script_head && begins_with_verb(&told.text)
                                || told.text.starts_with(|c: char| !c.is_lowercase()))
                };
                // `name.c - description`
                let named = find_file_line(text, stem).map(|told| from_one(told, block.0));
                named.or_else(|| of_range(block, CommentStyle::Comment).filter(is_told))
            })
        }
    }
}

/// Returns true for a text that may begin with a verb in lower case and names no address: "build a release".
fn begins_with_verb(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.chars().all(|c| c.is_ascii_lowercase()) && first != "from" && !text.contains("://")
}

/// Returns the range of lines, the end excluded, of a Rust file's `//!` or `/*! … */` comment.
fn inner_docs(lines: &[&str]) -> Option<(usize, usize)> {
    let start = lines.iter().position(|line| {
        let bare = line.trim_start();
        let is_code =
            !(bare.is_empty() || bare.starts_with("//") || bare.starts_with("#!") || bare.starts_with("/*"));
        bare.starts_with("//!") || bare.starts_with("/*!") || is_code
    })?;
    let first = lines[start].trim_start();
    if first.starts_with("/*!") {
        let end =
            lines[start..].iter().position(|line| line.contains("*/")).unwrap_or(lines.len() - start - 1);
        return Some((start, start + end + 1));
    }
    let count = lines[start..].iter().take_while(|line| line.trim_start().starts_with("//!")).count();
    (count > 0).then_some((start, start + count))
}

/// Returns the range of lines, the end excluded, of the docstring at the top of a Python file.
fn docstring(lines: &[&str]) -> Option<(usize, usize)> {
    let start =
        lines.iter().position(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
    let first = lines[start].trim_start().trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''"].into_iter().find(|quote| first.starts_with(quote))?;
    if first[3..].contains(quote) {
        return Some((start, start + 1));
    }
    let end = lines[start + 1..].iter().position(|line| line.contains(quote))?;
    Some((start, start + end + 2))
}

/// Returns the range of lines, the end excluded, of the comment directly above the first line that begins
/// with `clause`.
fn above(lines: &[&str], clause: &str, clause_is_java: bool) -> Option<(usize, usize)> {
    let mut at = lines.iter().position(|line| line.starts_with(clause))?;
    while at > 0 && lines[at - 1].trim_start().starts_with('@') {
        at -= 1;
    }
    // An empty line may stand between the documentation of a package and its clause.
    while clause_is_java && at > 0 && lines[at - 1].trim().is_empty() {
        at -= 1;
    }
    let end = at;
    let last = lines.get(end.checked_sub(1)?)?.trim();
    let start = if last.ends_with("*/") {
        let start = (0..end).rev().find(|at| lines[*at].trim_start().starts_with("/*"))?;
        // In Java a block without the second star is a remark or a licence.
        if clause_is_java && !lines[start].trim_start().starts_with("/**") {
            return None;
        }
        start
    } else {
        let is_text = |line: &str| {
            line.starts_with("//") && !line.starts_with("//go:") && !line.starts_with("// +build")
        };
        end - lines[..end].iter().rev().take_while(|line| is_text(line)).count()
    };
    (start < end).then_some((start, end))
}

/// Returns the range of lines, the end excluded, of a Go comment "// Package x …" that an empty line
/// separates from the package clause.
fn package_comment(lines: &[&str]) -> Option<(usize, usize)> {
    let clause = lines.iter().position(|line| line.starts_with("package "))?;
    let start = lines[..clause].iter().position(|line| line.starts_with("// Package "))?;
    let count = lines[start..clause].iter().take_while(|line| line.starts_with("//")).count();
    Some((start, start + count))
}

/// Returns true for an empty line, or a line such as `<?php` or `#!…` that may precede the comment of the
/// file.
fn is_preamble(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "<?php",
        "#!",
        "'use strict'",
        "\"use strict\"",
        "declare(",
        "#pragma once",
        "# frozen_string_literal",
        "# -*-",
        "// @ts-",
        "// @flow",
        "<?",
    ];
    line.trim().is_empty() || STARTS.iter().any(|start| line.trim_start().starts_with(start))
}

/// Beginnings of lines that may follow the comment of a file without an empty line between.
const IMPORTS: &[&str] = &[
    "#include",
    "#ifndef",
    "#define",
    "#pragma",
    "#if ",
    "import ",
    "import{",
    "import(",
    "const ",
    "var ",
    "let ",
    "'use strict'",
    "\"use strict\"",
    "require ",
    "require_relative",
    "require(",
    "require_once",
    "namespace ",
    "use ",
    "declare(",
    "set -",
    "source ",
    "autoload ",
    "export * ",
    "@import",
];

/// Returns the ranges of lines, the ends excluded, of those comments before a file's first code that can
/// describe the file.
fn blocks(language: Language, lines: &[&str]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim_start();
        let is_guard =
            line.starts_with("#ifndef") || line.starts_with("#define ") || line.starts_with("#pragma");
        let is_hash = matches!(language, Language::Ruby | Language::Bash);
        let is_line = if is_hash { line.starts_with('#') } else { line.starts_with("//") };
        match () {
            () if is_preamble(line) || is_guard && !is_hash => at += 1,
            () if line.starts_with("/*") && !is_hash => {
                let length = lines[at..].iter().position(|line| line.contains("*/"));
                let Some(length) = length else { return found };
                found.extend(own(language, lines, at, at + length + 1));
                at += length + 1;
            }
            () if is_line => {
                let is_part = |line: &&&str| {
                    let line = line.trim_start();
                    if is_hash { line.starts_with('#') } else { line.starts_with("//") }
                };
                let length = lines[at..].iter().take_while(is_part).count();
                found.extend(own(language, lines, at, at + length));
                at += length;
            }
            () => return found,
        }
    }
    found
}

/// Returns the line range `start..end` of a comment if the comment describes the file; `None` if it
/// documents the definition below it.
fn own(language: Language, lines: &[&str], start: usize, end: usize) -> Option<(usize, usize)> {
    const MARKS: &[&str] =
        &["@file", "\\file", "@fileoverview", "@module", "@packageDocumentation", "@package"];
    let next = lines.get(end).map_or("", |line| line.trim_start());
    let says_so = lines[start..end].iter().any(|line| MARKS.iter().any(|mark| line.contains(mark)));
    let is_apart = next.is_empty() || IMPORTS.iter().any(|import| next.starts_with(import));
    // A constant may follow with its own comment; an import of CommonJS has `require`.
    // A remark above a macro or a condition of the preprocessor is about that.
    let is_macro = ["#if", "#define", "#pragma"].iter().any(|start| next.starts_with(start));
    let is_apart = is_apart && (!is_macro || start <= 1);
    let is_binding = ["const ", "var ", "let "].iter().any(|word| next.starts_with(word));
    let is_apart = is_apart && (!is_binding || next.contains("require(") || next.contains("import("));
    let is_script_head =
        language == Language::Bash && start <= 1 && !next.contains("()") && !next.starts_with("function");
    (says_so || is_apart || is_script_head).then_some((start, end))
}

/// Returns the line range of the rest of a comment below a short copyright notice at its top; the whole
/// range if there is none.
fn below_notice(lines: &[&str], (start, end): (usize, usize)) -> (usize, usize) {
    const SHORT: usize = 5;
    let is_empty = |line: &&str| bare(line, CommentStyle::Comment).trim().is_empty();
    let Some(length) = lines[start..end].iter().skip(1).position(is_empty).map(|at| at + 1) else {
        return (start, end);
    };
    let notice = lines[start..start + length].join(" ").to_lowercase();
    let is_notice = notice.contains("copyright")
        && ["license file", "licence file", "copying file", "spdx-license"]
            .iter()
            .any(|it| notice.contains(it));
    if is_notice && length <= SHORT { (start + length, end) } else { (start, end) }
}

/// Returns true if a comment is a licence without a description above it.
fn is_licence(block: &[&str]) -> bool {
    const WORDS: &[&str] = &[
        "permission is hereby granted",
        "redistribution and use",
        "gnu general public",
        "gnu lesser",
        "apache license",
        "mozilla public license",
        "mit license",
        "bsd license",
        "bsd-style license",
        "warranty",
        "spdx-license",
    ];
    let is_text = |line: &&str| {
        let lower = line.to_lowercase();
        WORDS.iter().any(|word| lower.contains(word))
    };
    // A licence with a description above it is longer than its own lines.
    let first = block.iter().position(is_text);
    first.is_some_and(|at| {
        let told = first_told(&block[..at], CommentStyle::Comment);
        told.is_none_or(|told| told.text.split_whitespace().count() < 4)
    })
}

/// Returns the description in a line `name.c - description` among the first four lines of a comment.
fn find_file_line(block: &[&str], name: &str) -> Option<CommentParagraph> {
    let stem = name.split('.').next().unwrap_or(name);
    block.iter().enumerate().take(4).find_map(|(at, line)| {
        let text = bare(line, CommentStyle::Comment).trim();
        let rest = text.strip_prefix(name).or_else(|| text.strip_prefix(stem))?.trim_start();
        let told = ["--", "-", "–", "—", ":"].iter().find_map(|mark| rest.strip_prefix(mark))?.trim();
        let more: Vec<&str> = block[at + 1..]
            .iter()
            .map(|line| bare(line, CommentStyle::Comment).trim())
            .take_while(|line| !line.is_empty() && !line.starts_with(['@', '\\', '-', '*']))
            .collect();
        let whole =
            if told.ends_with('.') { told.to_owned() } else { [&[told], more.as_slice()].concat().join(" ") };
        let lines = if told.ends_with('.') { 0 } else { more.len() };
        purpose_of(&whole)?;
        Some(CommentParagraph { text: whole, start: at, end: at + lines })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_of_the_file_is_found_in_every_language() {
        for (language, path, text, expected) in [
            (
                Language::Rust,
                "a.rs",
                "/*!\nThis crate prints lines.\n*/\nfn a() {}",
                Some(("This crate prints lines.", 2, 2)),
            ),
            (Language::Rust, "a.rs", "// licence\n//! Keeps orders.\n", Some(("Keeps orders.", 2, 2))),
            (Language::Rust, "a.rs", "fn a() {}\n//! Not here.\n", None),
            (
                Language::Python,
                "a.py",
                "#!/usr/bin/env python\n\"\"\"Reads the mail.\"\"\"\n",
                Some(("Reads the mail.", 2, 2)),
            ),
            (
                Language::Go,
                "a.go",
                "// Copyright 2020\n\n// Package a keeps orders.\npackage a\n",
                Some(("Package a keeps orders.", 3, 3)),
            ),
            (Language::Go, "a.go", "// Copyright of somebody.\n\npackage a\n", None),
            (
                Language::Java,
                "package-info.java",
                "/** Types of the shop. */\n@NonNull\npackage a.b;\n",
                Some(("Types of the shop.", 1, 1)),
            ),
            (Language::Java, "A.java", "/** Of the class. */\nclass A {}\n", None),
            (
                Language::C,
                "net.c",
                "/* net.c - Wrappers of sockets.\n *\n * Copyright (c) 2020\n */\n#include <a.h>\n",
                Some(("Wrappers of sockets.", 1, 1)),
            ),
            (
                Language::C,
                "a.c",
                "/*\n * Permission is hereby granted, free of charge, to any person.\n */\n\nint a;\n",
                None,
            ),
            (
                Language::Cpp,
                "a.h",
                "// Copyright (c) 2011 The Authors. All rights reserved.\n// Found in the LICENSE file.\n//\n// An Env opens all files.\n\n#ifndef A\n",
                Some(("An Env opens all files.", 4, 4)),
            ),
            (
                Language::C,
                "a.h",
                "#ifndef A_H\n#define A_H\n/* Parses all numbers. */\n\nint a;\n",
                Some(("Parses all numbers.", 3, 3)),
            ),
            (
                Language::JavaScript,
                "a.js",
                "'use strict';\n/** Adds two numbers. */\nfunction a() {}\n",
                None,
            ),
            (
                Language::JavaScript,
                "a.js",
                "/**\n * @module\n * Cookies of the server.\n */\nexport const a = 1;\n",
                Some(("Cookies of the server.", 3, 3)),
            ),
            (
                Language::TypeScript,
                "a.ts",
                "// Cookies of the server.\nimport a from 'a'\n",
                Some(("Cookies of the server.", 1, 1)),
            ),
            (
                Language::Bash,
                "a.sh",
                "#!/bin/sh\n# Installs the tool below a prefix.\nset -e\n",
                Some(("Installs the tool below a prefix.", 2, 2)),
            ),
            (Language::Bash, "a.sh", "#!/bin/sh\nset -e\n# Prints the help.\nusage() {\n", None),
            (
                Language::Ruby,
                "a.rb",
                "# frozen_string_literal: true\n\n# Parses the mail.\n\nrequire 'a'\n",
                Some(("Parses the mail.", 3, 3)),
            ),
            (
                Language::Php,
                "a.php",
                "<?php\n/**\n * Functions of the shop.\n */\n\nnamespace A;\n",
                Some(("Functions of the shop.", 3, 3)),
            ),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let told = head(language, path, &lines);
            assert_eq!(told.as_ref().map(|it| (it.text.as_str(), it.start, it.end)), expected, "{text}");
        }
    }

    #[test]
    fn the_comment_at_the_top_of_a_script_is_that_of_the_script() {
        for (text, expected) in [
            (
                "# build a release of the shop\n#\nversion=$(./version.sh)\n",
                Some("build a release of the shop"),
            ),
            (
                "#!/bin/sh\n# extract the version of the shop\nversion=1\n",
                Some("extract the version of the shop"),
            ),
            ("# from https://shop.example/a.sh\nversion=1\n", None),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let told = head(Language::Bash, "a.sh", &lines);
            assert_eq!(told.as_ref().map(|it| it.text.as_str()), expected, "{text}");
        }
    }

    #[test]
    fn the_documentation_of_a_java_package_may_stand_above_an_empty_line() {
        let text = "/* Licence. */\n\n/**\n * Types of the shop.\n */\n\npackage a.b;\n";
        let lines: Vec<&str> = text.lines().collect();
        let told = head(Language::Java, "package-info.java", &lines);
        assert_eq!(told, Some(CommentParagraph { text: "Types of the shop.".to_owned(), start: 4, end: 4 }));
    }
}
