//! The template of a document: the sections that the document must have, with instructions for their author
//! (SEC-107).

use serde::{Deserialize, Serialize};

use super::IntegrationPackage;
use crate::document::{DocumentSection, parse};

/// Markdown text of the template for packages without one of their own.
pub const BUILT_IN_TEMPLATE: &str = include_str!("template.md");

/// Maximum length of an instruction, in characters; the rest is cut off.
const INSTRUCTION_CHARS: usize = 4_000;

/// Maximum number of sections that are taken from a template.
const SECTIONS: usize = 200;

/// A section of the template, that is, a section that the finished document must have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateSection {
    /// Title of the section.
    pub title: String,
    /// Level of its heading.
    pub level: u8,
    /// Titles of its sub-sections, in order.
    pub parts: Vec<String>,
    /// Instruction for the author, with those of the sub-sections; empty without one.
    pub instruction: String,
}

/// Returns true if the text of a template has a heading of level 2. Without one it cannot be used.
pub(super) fn has_sections(text: &str) -> bool {
    parse(text).sections.iter().any(|section| section.level == 2)
}

/// Returns the sections (level 2) of the package's template, in order; of the built-in template if that has
/// none. Sub-sections about a deployment (agentless or agent-based) that the package does not offer are
/// left out (SEC-125).
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

/// Returns false if the sub-section with the title `part` is about a deployment that the package does not
/// offer: agentless or agent-based. All other titles give true.
fn offers(package: &IntegrationPackage, part: &str) -> bool {
    let part = part.to_lowercase();
    let is_agentless = part.contains("agentless");
    if is_agentless {
        package.is_agentless()
    } else {
        !part.contains("agent-based") || package.is_agent_based()
    }
}

/// Appends the line `<title>: <part>` to the instruction `whole`; `part` is the instruction of the
/// sub-section `title`. Does nothing if `part` is empty or the whole would become too long.
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

/// Returns the instruction in the body of a template's section: its HTML comments, one per line, cut to
/// [`INSTRUCTION_CHARS`]. A body without comments is the instruction itself, because it may be an example
/// of the text.
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
