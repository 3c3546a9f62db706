//! The parts (sub-sections) of a section: which ones rules can write, and how titles of a template are
//! recognized as one of them.

use crate::package::{SectionTopic, TemplateSection};

/// A part (sub-section) of a section that rules can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartTopic {
    Compatibility,
    HowItWorks,
    UseCases,
    AgentBased,
    Agentless,
    VendorSetUp,
    KibanaSetUp,
    Validation,
    InputsUsed,
    ApiUsage,
}

/// A part (sub-section) that is to be written: by rules if it has a topic, else only a heading from the
/// template, with the knowledge base's section of this title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedPart {
    /// Topic, for which rules have a text; `None` if the title is not recognized.
    pub(super) topic: Option<PartTopic>,
    /// Title in the template; `None` for the usual title of the topic.
    pub(super) title: Option<String>,
}

fn usual_parts(topic: SectionTopic) -> &'static [PartTopic] {
    use PartTopic as P;
    match topic {
        SectionTopic::Overview => &[P::Compatibility, P::HowItWorks],
        SectionTopic::Data => &[P::UseCases],
        SectionTopic::Deploy => &[P::AgentBased, P::Agentless, P::VendorSetUp, P::KibanaSetUp, P::Validation],
        SectionTopic::Reference => &[P::InputsUsed, P::ApiUsage],
        SectionTopic::Needs | SectionTopic::Troubleshooting | SectionTopic::Performance => &[],
    }
}

/// Returns the parts of a section that are to be written, in the order of the template. Usual parts of the
/// `topic` that the template lacks are added behind the usual part that precedes them.
pub(super) fn plan(section: &TemplateSection, topic: SectionTopic) -> Vec<PlannedPart> {
    let usual = usual_parts(topic);
    let mut planned: Vec<PlannedPart> = Vec::new();
    for title in &section.parts {
        let found = topics_of(title).into_iter().filter(|part| usual.contains(part));
        let found: Vec<PartTopic> =
            found.filter(|part| planned.iter().all(|it| it.topic != Some(*part))).collect();
        match found.as_slice() {
            [] => planned.push(PlannedPart { topic: None, title: Some(title.clone()) }),
            [one] => planned.push(PlannedPart { topic: Some(*one), title: Some(title.clone()) }),
            // `Set up steps` stands for those of the product and those of Kibana, under their usual titles.
            several => {
                planned.extend(several.iter().map(|part| PlannedPart { topic: Some(*part), title: None }));
            }
        }
    }
    for (at, part) in usual.iter().enumerate() {
        if planned.iter().any(|it| it.topic == Some(*part)) {
            continue;
        }
        let position = |before: &PartTopic| planned.iter().position(|it| it.topic == Some(*before));
        let behind = usual[..at].iter().rev().find_map(position).map_or(0, |found| found + 1);
        planned.insert(behind, PlannedPart { topic: Some(*part), title: None });
    }
    planned
}

/// Returns the topics that a title stands for: mostly one, none for an unknown title, and two for a title
/// about set-up that names neither the product nor Kibana.
fn topics_of(title: &str) -> Vec<PartTopic> {
    let title = title.to_lowercase().replace("setup", "set up").replace("set-up", "set up");
    let has = |word: &str| title.contains(word);
    let is_set_up = has("set up") || has("configur") || has("onboard");
    match () {
        () if has("compatib") || has("supported versions") => vec![PartTopic::Compatibility],
        () if has("how it works") || has("how does") => vec![PartTopic::HowItWorks],
        () if has("use case") => vec![PartTopic::UseCases],
        () if has("agentless") => vec![PartTopic::Agentless],
        () if has("agent-based") || has("agent based") => vec![PartTopic::AgentBased],
        () if has("validat") || has("verify") => vec![PartTopic::Validation],
        () if has("api usage") || has("apis used") => vec![PartTopic::ApiUsage],
        () if has("inputs") => vec![PartTopic::InputsUsed],
        () if is_set_up && has("kibana") => vec![PartTopic::KibanaSetUp],
        () if is_set_up && (has("vendor") || has("product") || has(" in ")) => vec![PartTopic::VendorSetUp],
        () if is_set_up => vec![PartTopic::VendorSetUp, PartTopic::KibanaSetUp],
        () => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::PartTopic as P;
    use super::*;

    #[test]
    fn parts_follow_the_template_and_usual_ones_are_added_in_their_places() {
        let section = TemplateSection {
            parts: ["Validate", "Set up steps", "Onboarding notes of the vendor", "Costs"]
                .map(str::to_owned)
                .to_vec(),
            ..TemplateSection::default()
        };
        let planned: Vec<_> =
            plan(&section, SectionTopic::Deploy).into_iter().map(|part| (part.topic, part.title)).collect();
        assert_eq!(
            planned,
            [
                (Some(P::AgentBased), None),
                (Some(P::Agentless), None),
                (Some(P::Validation), Some("Validate".to_owned())),
                (Some(P::VendorSetUp), None),
                (Some(P::KibanaSetUp), None),
                (None, Some("Onboarding notes of the vendor".to_owned())),
                (None, Some("Costs".to_owned())),
            ]
        );
    }
}
