//! Adds or removes the sub-section about the agentless deployment, which a document has exactly if the
//! manifest offers that deployment (SEC-125).

use std::ops::Range;

use crate::package::{IntegrationPackage, SectionTopic};

use super::edit::{Edit, EditableText, PlacedSection};

/// Body of the sub-section about the agentless deployment. It holds for every package that offers it.
pub(crate) const AGENTLESS_TEXT: &str = "The integration supports the agentless deployment: Elastic runs the collection, and you do not install an Elastic Agent. This deployment is available in Elastic Cloud. Choose it in the form when you add the integration.";

const TITLE: &str = "Agentless deployment";

/// Returns the edits that insert the missing sub-section about the agentless deployment, or remove one that
/// the manifest contradicts. Returns none for a package without policy templates.
pub(super) fn plan(text: &EditableText<'_>, package: &IntegrationPackage) -> Vec<Edit> {
    // A manifest without policy templates, perhaps a broken one, says nothing about deployments.
    if package.manifest.policy_templates.is_empty() {
        return Vec::new();
    }
    let sections = text.sections();
    let parts: Vec<PlacedSection<'_>> = sections
        .iter()
        .filter(|placed| is_agentless(&placed.section.title, placed.section.level))
        .copied()
        .collect();
    match (package.is_agentless(), parts.is_empty()) {
        (true, true) => insert(text, &sections).into_iter().collect(),
        (false, false) => remove(text, &parts),
        _ => Vec::new(),
    }
}

fn is_agentless(title: &str, level: u8) -> bool {
    level > 2 && title.to_lowercase().contains("agentless")
}

/// Returns the edit that adds the sub-section to the deployment section: behind the one about the
/// agent-based deployment, else before the first sub-section. `None` if the document has no deployment
/// section.
fn insert(text: &EditableText<'_>, sections: &[PlacedSection<'_>]) -> Option<Edit> {
    let deploy = sections.iter().find(|placed| {
        placed.section.level == 2 && SectionTopic::of(&placed.section.title) == Some(SectionTopic::Deploy)
    })?;
    let is_agent_based = |placed: &&PlacedSection<'_>| {
        let title = placed.section.title.to_lowercase();
        placed.section.level == 3 && (title.contains("agent-based") || title.contains("agent based"))
    };
    let inside = sections.iter().filter(|placed| placed.start > deploy.start && placed.end <= deploy.end);
    let at = inside.clone().find(is_agent_based).map_or(deploy.body_end, |placed| placed.end);
    let blocks = [format!("### {TITLE}"), AGENTLESS_TEXT.to_owned()];
    let change = format!("Added the part \"{TITLE}\", because the manifest offers this deployment.");
    Some(text.insert_blocks(at, &blocks, change))
}

/// Returns the edits that remove the given sub-sections, which are about the agentless deployment.
/// Protected blocks in them are kept.
fn remove(text: &EditableText<'_>, parts: &[PlacedSection<'_>]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut done = 0;
    for part in parts {
        let range: Range<usize> = part.start..part.end;
        // A part inside a removed part is gone.
        if range.start < done {
            continue;
        }
        done = range.end;
        let change = format!(
            "Removed the part \"{}\", because the manifest does not offer this deployment.",
            part.section.title
        );
        let mut kept = String::new();
        for block in text.protected_in(&range) {
            kept.extend([block.trim_end(), text.eol, text.eol]);
        }
        edits.push(Edit { range, text: kept, change });
    }
    edits
}
