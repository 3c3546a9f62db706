//! The template of a document: its sections, their parts and instructions (SEC-107).

use serde::{Deserialize, Serialize};

use super::{IntegrationPackage, outline};

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
    outline::headings(text).iter().any(|heading| heading.level == 2)
}

/// Returns the sections of the package's template in order. The part about the agentless deployment is there exactly if the manifest offers
/// that deployment (SEC-125).
pub fn template_sections(package: &IntegrationPackage) -> Vec<TemplateSection> {
    let text = if has_sections(&package.template) { &package.template } else { BUILT_IN_TEMPLATE };
    let mut sections: Vec<TemplateSection> = Vec::new();
    for heading in outline::headings(text) {
        let instruction = instruction(&text[heading.body()]);
        match heading.level {
            0 | 1 => {}
            2 if sections.len() < SECTIONS => sections.push(TemplateSection {
                title: heading.title.trim().to_owned(),
                level: 2,
                parts: Vec::new(),
                instruction,
            }),
            2 => break,
            level => {
                let Some(section) = sections.last_mut() else { continue };
                if level == 3 && offers(package, &heading.title) {
                    section.parts.push(heading.title.trim().to_owned());
                }
                append_instruction(&mut section.instruction, &heading.title, &instruction);
            }
        }
    }
    sections
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
    whole.push_str(title.trim());
    whole.push_str(": ");
    whole.push_str(part);
}

/// Returns the comments of a body as one line each; without comments the body itself, which may be an example.
fn instruction(body: &str) -> String {
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
