//! The template of a document: its sections, their parts and instructions (SEC-107).

use serde::{Deserialize, Serialize};

use super::IntegrationPackage;
use crate::document::{DocumentSection, parse};

/// Template for packages without one of their own.
pub const BUILT_IN_TEMPLATE: &str = include_str!("template.md");

/// Longest instruction that is kept, in characters.
const INSTRUCTION_CHARS: usize = 4_000;

/// Most sections of a template.
const SECTIONS: usize = 200;

/// A section that a document must have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateSection {
    /// Title.
    pub title: String,
    /// Level of its heading.
    pub level: u8,
    /// Titles of its parts, one level deeper, in order.
    pub parts: Vec<String>,
    /// Instruction for the author; empty without one.
    pub instruction: String,
}

/// Returns true if a template has sections below its title.
pub(super) fn has_sections(text: &str) -> bool {
    parse(text).sections.iter().any(|section| section.level == 2)
}

/// Returns the sections of the package's template in order. The part about the agentless deployment is there exactly if the manifest offers
/// that deployment (SEC-125).
pub fn template_sections(package: &IntegrationPackage) -> Vec<TemplateSection> {
    let text = if has_sections(&package.template) { &package.template } else { BUILT_IN_TEMPLATE };
    let document = parse(text);
    let sections = document.sections.iter().filter(|section| section.level == 2).take(SECTIONS);
    sections.map(|section| read_section(package, section)).collect()
}

fn read_section(package: &IntegrationPackage, section: &DocumentSection) -> TemplateSection {
    let mut instruction = read_instruction(&section.body);
    let offered = || section.children.iter().filter(|part| offers(package, &part.title));
    for part in offered().flat_map(DocumentSection::flatten) {
        append_instruction(&mut instruction, &part.title, &read_instruction(&part.body));
    }
    TemplateSection {
        title: section.title.clone(),
        level: section.level,
        parts: offered().map(|part| part.title.clone()).collect(),
        instruction,
    }
}

/// Returns false for a part that the package cannot have.
fn offers(package: &IntegrationPackage, part: &str) -> bool {
    let part = part.to_lowercase();
    let is_agentless = part.contains("agentless");
    if is_agentless {
        package.is_agentless()
    } else {
        !part.contains("agent-based") || package.is_agent_based()
    }
}

/// Adds the instruction of a part, named by its title.
fn append_instruction(whole: &mut String, title: &str, part: &str) {
    if part.is_empty() || whole.len() + part.len() > INSTRUCTION_CHARS {
        return;
    }
    if !whole.is_empty() {
        whole.push('\n');
    }
    whole.push_str(title);
    whole.push_str(": ");
    whole.push_str(part);
}

/// Returns the comments of a body as one line each; without comments the body itself, which may be an example.
fn read_instruction(body: &str) -> String {
    let mut comments = Vec::new();
    let mut rest = body;
    while let Some((_, behind)) = rest.split_once("<!--") {
        let Some((comment, after)) = behind.split_once("-->") else { break };
        comments.push(comment.split_whitespace().collect::<Vec<_>>().join(" "));
        rest = after;
    }
    let whole = if comments.is_empty() { body.trim().to_owned() } else { comments.join("\n") };
    stategraph_base::cut(&whole, INSTRUCTION_CHARS).in_line()
}
