//! Collects the Markdown of a section while it is written: blocks, each followed by a comment that names
//! its sources in the package.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pulldown_cmark::Parser;
use regex::Regex;

use crate::document::DocumentSection;
use crate::package::{IntegrationPackage, KnowledgePart, PackagePlace, SERVICE_INFO};

use super::{RuleSection, foreign};

/// Maximum number of sources that a comment names.
const NAMED_SOURCES: usize = 6;

/// Pattern of a reference label, such as `[guide]`, of at most 200 characters.
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([^\[\]]{1,200})\]").expect("a valid pattern"));

/// The Markdown of one section while it is written, and the places in the package that its statements come
/// from.
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

    /// Returns true if the section has a heading with this level and title already.
    pub(super) fn has_heading(&self, level: u8, title: &str) -> bool {
        let heading = format!("{} {title}", "#".repeat(usize::from(level)));
        self.text.lines().any(|line| line == heading)
    }

    /// Adds a block of Markdown that has no source in the package: a general statement, or a note that a
    /// fact is missing.
    pub(super) fn general(&mut self, text: &str) {
        self.push(text);
    }

    /// Adds a block of Markdown, and a comment with the places in the package that it comes from. An empty
    /// text adds nothing.
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

    /// Adds the contents of sections of the knowledge base, made safe and without their own headings.
    /// Headings in them start at `level`. Returns false if nothing was added.
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

    /// Adds the contents of parts of the knowledge base. If there are several, a part with an unusual title
    /// is added below a heading (at `level`) with this title. Returns false if nothing was added.
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

    /// Returns the link reference definitions (`[label]: <target>`) that `content` uses but that stand
    /// elsewhere in the knowledge base, as text to append; empty if there are none.
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

    /// Adds a table with its sources. Cells are Markdown of one line; an empty cell is shown as a dash.
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

    /// Adds a numbered list with its sources. Each step is Markdown; its further lines are indented.
    pub(super) fn steps(&mut self, steps: &[String], places: impl IntoIterator<Item = PackagePlace>) {
        let numbered = steps.iter().enumerate();
        let lines: Vec<String> =
            numbered.map(|(at, step)| format!("{}. {}", at + 1, step.replace('\n', "\n   "))).collect();
        self.block(&lines.join("\n"), places);
    }

    /// Adds a bullet list to the section, and a comment with its sources. Each item is Markdown.
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

    /// Returns the place of a key of the manifest, given as a dotted path; its line is 0 if it is not
    /// known.
    pub(super) fn manifest_place(&self, key: &str) -> PackagePlace {
        let line = self.package.manifest.lines.get(key).copied().unwrap_or(0);
        PackagePlace { path: crate::package::MANIFEST.to_owned(), line }
    }
}

/// Returns the comment `<!-- source: … -->` that names these places; `None` if none can be named. A path is
/// left out if its characters could end the comment.
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
