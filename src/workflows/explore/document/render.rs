//! Step `render` of a document: writes it as Markdown. Decides nothing about the content.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::overview::DocumentOverview;
use super::plan::{DocumentPlan, UncoveredFiles};
use super::section::{ScopeSection, SectionNote};
use crate::workflows::markdown;
use crate::workflows::mermaid;
use crate::workflows::survey::quoted::path_span;

/// Maximum number of sections in a drawing; a larger drawing is left out because it is unreadable.
const DRAWN: usize = 40;

/// Maximum number of files that a section lists.
const FILES: usize = 60;

/// Input of `render`: everything that the document shows.
#[derive(Clone, Copy)]
pub struct DocumentParts<'a> {
    /// Name of the repository.
    pub name: &'a str,
    /// The scopes.
    pub plan: &'a DocumentPlan,
    /// The beginning.
    pub overview: &'a DocumentOverview,
    /// The sections, in the order of the plan.
    pub sections: &'a [ScopeSection],
    /// Findings about the whole repository.
    pub general: &'a [SectionNote],
    /// Reasons why the document lacks something.
    pub warnings: &'a [String],
}

/// Renders the document as Markdown.
pub fn render(parts: &DocumentParts<'_>) -> String {
    let mut text = format!("# {}\n", markdown::inline(parts.name));
    for purpose in &parts.overview.purposes {
        push(&mut text, format_args!("\n{purpose}\n"));
    }
    for warning in parts.warnings {
        push(&mut text, format_args!("\n> **Warning:** {}\n", markdown::behind(warning)));
    }
    text.push_str("\n## Architecture\n");
    add_list(&mut text, None, &parts.overview.entries);
    add_drawing(&mut text, parts.overview, parts.sections);
    add_scopes(&mut text, parts.sections);
    let told: Vec<&String> = parts.overview.purposes.iter().chain(&parts.overview.entries).collect();
    let general: Vec<&SectionNote> =
        parts.general.iter().filter(|note| !told.contains(&&note.content)).collect();
    add_notes(&mut text, "### Findings about the whole", &general);
    for section in parts.sections {
        add_section(&mut text, section);
    }
    add_uncovered(&mut text, parts.plan);
    text
}

/// Appends the section of a scope.
fn add_section(text: &mut String, section: &ScopeSection) {
    push(text, format_args!("\n## {}\n", section.title));
    if let Some(purpose) = &section.purpose {
        push(text, format_args!("\n{purpose}\n"));
    }
    let files: Vec<String> = section.files.iter().take(FILES).map(|path| path_span(path)).collect();
    let more = if section.files.len() > FILES { " and others" } else { "" };
    push(text, format_args!("\nFiles: {}{more}\n", files.join(", ")));
    add_list(text, Some("Files with their purposes"), &section.described_files);
    add_list(text, Some("Public interface"), &section.interface);
    add_list(text, Some("Needs of other parts"), &section.needs);
    add_list(text, Some("Imports"), &section.imports);
    add_list(text, Some("Environment variables"), &section.variables);
    add_notes(text, "### Findings", &section.notes.iter().collect::<Vec<_>>());
}

/// Appends lines as a list under an optional title; nothing without lines.
fn add_list(text: &mut String, title: Option<&str>, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    if let Some(title) = title {
        push(text, format_args!("\n### {title}\n"));
    }
    text.push('\n');
    for line in lines {
        push(text, format_args!("- {line}\n"));
    }
}

/// Appends a Mermaid chart of the sections and their dependencies; nothing for fewer than two or more
/// than `DRAWN` sections.
fn add_drawing(text: &mut String, overview: &DocumentOverview, sections: &[ScopeSection]) {
    if sections.len() < 2 || sections.len() > DRAWN {
        return;
    }
    text.push_str("\n```mermaid\nflowchart LR\n");
    for (at, section) in sections.iter().enumerate() {
        let path = if section.path.is_empty() { section.title.trim_matches('`') } else { &section.path };
        push(text, format_args!("    s{at}[\"{}\"]\n", mermaid::label(path)));
    }
    for edge in &overview.edges {
        push(text, format_args!("    s{} --> s{}\n", edge.from, edge.to));
    }
    text.push_str("```\n");
}

/// Appends the list of all sections with their purposes.
fn add_scopes(text: &mut String, sections: &[ScopeSection]) {
    // One part is the whole.
    if sections.len() < 2 {
        return;
    }
    let lines: Vec<String> = sections
        .iter()
        .map(|section| match &section.purpose {
            Some(purpose) => format!("{}: {purpose}", section.title),
            None => section.title.clone(),
        })
        .collect();
    add_list(text, Some("Parts"), &lines);
}

/// Appends findings by topic, each with its author. Their Markdown is made harmless, because a model
/// may have written them.
fn add_notes(text: &mut String, title: &str, notes: &[&SectionNote]) {
    if notes.is_empty() {
        return;
    }
    push(text, format_args!("\n{title}\n\n"));
    let mut topics: BTreeMap<&str, Vec<&SectionNote>> = BTreeMap::new();
    for note in notes {
        topics.entry(&note.topic).or_default().push(note);
    }
    for (topic, notes) in topics {
        push(text, format_args!("- {}\n", path_span(topic)));
        for note in notes {
            let content = markdown::plain_lines(&note.content).join(" ");
            push(text, format_args!("  - {content} (agent {})\n", note.author));
        }
    }
}

/// Appends the list of folders that no section covers.
fn add_uncovered(text: &mut String, plan: &DocumentPlan) {
    let line = |files: &UncoveredFiles| {
        let folder = if files.folder.is_empty() {
            "the root".to_owned()
        } else {
            path_span(&format!("{}/", files.folder))
        };
        match &files.role {
            Some(role) if files.has_product => format!("{folder}: some files are {role}"),
            Some(role) => format!("{folder}: {role}"),
            None => format!("{folder}: no file in a known language"),
        }
    };
    let mut lines: Vec<String> = plan.uncovered.iter().map(line).collect();
    if plan.more_uncovered > 0 {
        lines.push(format!("and {} more", plan.more_uncovered));
    }
    if !lines.is_empty() {
        text.push_str("\n## Not covered\n");
        add_list(text, None, &lines);
    }
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _ = text.write_fmt(line);
}
