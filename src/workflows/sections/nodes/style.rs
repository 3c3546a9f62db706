//! The texts for prompts that are cut out of shared files: style rules (SEC-88, SEC-179), instructions per
//! section, questions per validator. Generator and critic read the same rules.

use serde::Serialize;

use crate::engine::NodeResult;
use crate::readme::document::parse;
use crate::workflows::sections::services::SectionsResources;

/// The style rules of the documents in three parts, as the prompts of generator and critic quote them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct StyleRules {
    /// Rules that a text must not break.
    pub(super) critical: String,
    /// All further rules.
    pub(super) full: String,
    /// Reasons for which the critic rejects.
    pub(super) rejection: String,
}

impl StyleRules {
    /// Reads the rules from the prompt `style_rules.md`. A part that the file lacks is empty, because the
    /// user may replace the file.
    pub(super) fn load(resources: &SectionsResources) -> NodeResult<Self> {
        let text = resources.render("style_rules.md", &())?;
        let part = |title: &str| section_body(&text, title);
        Ok(Self {
            critical: part("Critical rules"),
            full: part("Full rules"),
            rejection: part("Rejection criteria"),
        })
    }
}

/// Returns the instructions for the section with this title (SEC-87, SEC-178); without own ones, the
/// general instructions.
pub(super) fn section_instructions(title: &str, resources: &SectionsResources) -> NodeResult<String> {
    let text = resources.render("section_instructions.md", &())?;
    let own = section_body(&text, title);
    Ok(if own.is_empty() { section_body(&text, "Any section") } else { own })
}

/// Returns the question that a model is asked in the name of this validator, from a prompt file; empty if
/// it has none.
pub(super) fn validator_question(validator: &str, resources: &SectionsResources) -> NodeResult<String> {
    Ok(section_body(&resources.render("validator_questions.md", &())?, validator))
}

fn section_body(text: &str, title: &str) -> String {
    let document = parse(text);
    let section = document.sections.iter().find(|section| section.title.eq_ignore_ascii_case(title));
    section.map(|section| section.body.trim().to_owned()).unwrap_or_default()
}
