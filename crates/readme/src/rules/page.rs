//! A section while it is written: blocks of Markdown, each followed by a comment that names its sources.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pulldown_cmark::Parser;
use regex::Regex;

use crate::document::DocumentSection;
use crate::package::{IntegrationPackage, KnowledgePart, PackagePlace, SERVICE_INFO};

use super::{RuleSection, foreign};

/// Most sources that a comment names.
const NAMED_SOURCES: usize = 6;

/// Labels of references. A longer one than this is none.
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([^\[\]]{1,200})\]").expect("a valid pattern"));

/// A section while it is written.
pub(super) struct SectionPage<'a> {
    pub(super) package: &'a IntegrationPackage,
    text: String,
    sources: Vec<PackagePlace>,
}

impl<'a> SectionPage<'a> {
    pub(super) fn new(package: &'a IntegrationPackage) -> Self {
        Self { package, text: String::new(), sources: Vec::new() }
    }

    pub(super) fn heading(&mut self, level: u8, title: &str) {
        self.push(&format!("{} {title}", "#".repeat(usize::from(level))));
    }

    /// Returns true if the section has this heading already.
    pub(super) fn has_heading(&self, level: u8, title: &str) -> bool {
        let heading = format!("{} {title}", "#".repeat(usize::from(level)));
        self.text.lines().any(|line| line == heading)
    }

    /// Adds a block without a source in the package: a general truth, or a statement that a fact is missing.
    pub(super) fn general(&mut self, text: &str) {
        self.push(text);
    }

    /// Adds a block with its sources.
    pub(super) fn block(&mut self, text: &str, places: impl IntoIterator<Item = PackagePlace>) {
        if text.trim().is_empty() {
            return;
        }
        self.push(text);
        let mut named: Vec<PackagePlace> = Vec::new();
        for place in places {
            if !place.path.is_empty() && !named.contains(&place) {
                named.push(place);
            }
        }
        if let Some(comment) = comment(&named) {
            self.push(&comment);
        }
        for place in named {
            if !self.sources.contains(&place) {
                self.sources.push(place);
            }
        }
    }

    /// Adds the content of sections of the knowledge base without their own headings; returns false if there is none.
    pub(super) fn knowledge(&mut self, sections: &[&DocumentSection], level: u8) -> bool {
        let mut is_written = false;
        for section in sections {
            let children = section.children.iter().map(DocumentSection::text);
            let mut content: String = std::iter::once(section.body.clone()).chain(children).collect();
            content.push_str(&self.missing_definitions(&content));
            let text = foreign::markdown(&content, level);
            is_written |= !text.is_empty();
            self.block(&text, [PackagePlace { path: SERVICE_INFO.to_owned(), line: section.line }]);
        }
        is_written
    }

    /// Adds parts of the knowledge base. If there are several, those with a title of their own keep it.
    pub(super) fn parts(&mut self, parts: &[&KnowledgePart], level: u8) -> bool {
        let mut is_written = false;
        for part in parts {
            let title = foreign::line(&part.section.title);
            let is_titled = parts.len() > 1 && !part.is_usual && !title.is_empty();
            if is_titled {
                self.heading(level, title.trim_end_matches(':'));
            }
            is_written |= self.knowledge(&[&part.section], if is_titled { level + 1 } else { level });
        }
        is_written
    }

    /// Returns the definitions of references in a part of the knowledge base that stand elsewhere in the file.
    fn missing_definitions(&self, content: &str) -> String {
        let Some(info) = &self.package.service_info else { return String::new() };
        let used: BTreeSet<String> =
            LABEL.captures_iter(content).map(|found| found[1].to_lowercase()).collect();
        if used.is_empty() {
            return String::new();
        }
        let (all, own) = (Parser::new(info), Parser::new(content));
        let mut missing: Vec<String> = all
            .reference_definitions()
            .iter()
            .filter(|(label, _)| {
                used.contains(&label.to_lowercase()) && own.reference_definitions().get(label).is_none()
            })
            // A target with spaces needs the brackets.
            .map(|(label, definition)| format!("[{label}]: <{}>", definition.dest))
            .collect();
        missing.sort();
        if missing.is_empty() { String::new() } else { format!("\n\n{}\n", missing.join("\n")) }
    }

    /// Adds a table. Cells are Markdown in one line.
    pub(super) fn table(
        &mut self,
        header: &[&str],
        rows: &[Vec<String>],
        places: impl IntoIterator<Item = PackagePlace>,
    ) {
        let line = |cells: &[&str]| format!("| {} |", cells.join(" | "));
        let mut lines = vec![line(header), line(&vec!["---"; header.len()])];
        lines.extend(rows.iter().map(|row| {
            // A bar ends a cell, in code too.
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            line(
                &cells
                    .iter()
                    .map(|cell| if cell.is_empty() { "–" } else { cell.as_str() })
                    .collect::<Vec<_>>(),
            )
        }));
        self.block(&lines.join("\n"), places);
    }

    /// Adds a numbered list. Steps are Markdown; lines behind the first are indented.
    pub(super) fn steps(&mut self, steps: &[String], places: impl IntoIterator<Item = PackagePlace>) {
        let numbered = steps.iter().enumerate();
        let lines: Vec<String> =
            numbered.map(|(at, step)| format!("{}. {}", at + 1, step.replace('\n', "\n   "))).collect();
        self.block(&lines.join("\n"), places);
    }

    /// Adds a list.
    pub(super) fn bullets(&mut self, items: &[String], places: impl IntoIterator<Item = PackagePlace>) {
        let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
        self.block(&lines.join("\n"), places);
    }

    pub(super) fn finish(self) -> RuleSection {
        RuleSection { markdown: self.text + "\n", sources: self.sources }
    }

    fn push(&mut self, block: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(block.trim_end());
    }

    /// Returns the place of a key of the manifest.
    pub(super) fn manifest_place(&self, key: &str) -> PackagePlace {
        let line = self.package.manifest.lines.get(key).copied().unwrap_or(0);
        PackagePlace { path: crate::package::MANIFEST.to_owned(), line }
    }
}

/// Returns the comment that names sources; `None` without a source that can be named. A path with characters that could end the comment is
/// left out.
fn comment(places: &[PackagePlace]) -> Option<String> {
    let is_plain = |path: &str| {
        !path.contains("--")
            && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte))
    };
    let plain: Vec<&PackagePlace> = places.iter().filter(|place| is_plain(&place.path)).collect();
    let mut named: Vec<String> = Vec::new();
    for (at, place) in plain.iter().take(NAMED_SOURCES).enumerate() {
        let is_same_file = at > 0 && plain[at - 1].path == place.path;
        named.push(match place.line {
            0 if is_same_file => continue,
            0 => place.path.clone(),
            line if is_same_file => format!("{line}"),
            line => format!("{}:{line}", place.path),
        });
    }
    let more = plain.len().saturating_sub(NAMED_SOURCES);
    if named.is_empty() {
        return None;
    }
    if more > 0 {
        named.push(format!("{more} more"));
    }
    Some(format!("<!-- source: {} -->", named.join(", ")))
}
