//! The style rules (SEC-88, SEC-179): one file, cut at its headings into the critical rules, the full rules and the reasons for which the
//! critic rejects. Generator and critic read the same text.

use serde::Serialize;

use crate::engine::NodeResult;
use crate::readme::document::parse;
use crate::workflows::sections::services::SectionsResources;

/// The three parts of the rules.
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
    /// Reads the rules. A part that an overriding file lacks is empty.
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

/// Returns the instructions for a section (SEC-87, SEC-178): those of the file for its title, else the general ones.
pub(super) fn section_instructions(title: &str, resources: &SectionsResources) -> NodeResult<String> {
    let text = resources.render("section_instructions.md", &())?;
    let own = section_body(&text, title);
    Ok(if own.is_empty() { section_body(&text, "Any section") } else { own })
}

/// Returns the question of a validator for a model; empty without one.
pub(super) fn validator_question(validator: &str, resources: &SectionsResources) -> NodeResult<String> {
    Ok(section_body(&resources.render("validator_questions.md", &())?, validator))
}

fn section_body(text: &str, title: &str) -> String {
    let document = parse(text);
    let section = document.sections.iter().find(|section| section.title.eq_ignore_ascii_case(title));
    section.map(|section| section.body.trim().to_owned()).unwrap_or_default()
}
