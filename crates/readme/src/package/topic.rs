//! The seven subjects that sections of a document can be about, whatever their titles.

use serde::{Deserialize, Serialize};

/// The subject of a section of an integration's README, which is recognized by words of the section's
/// title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionTopic {
    /// Product, compatibility, flow of data.
    Overview,
    /// Collected data.
    Data,
    /// Prerequisites.
    Needs,
    /// Installation and set-up.
    Deploy,
    /// Troubleshooting.
    Troubleshooting,
    /// Performance and scaling.
    Performance,
    /// Inputs, fields, events, links.
    Reference,
}

/// Words of titles with the subject that they tell. The first match counts: "Troubleshooting the
/// deployment" is about troubleshooting.
const WORDS: &[(SectionTopic, &[&str])] = &[
    (SectionTopic::Troubleshooting, &["troubleshooting", "troubleshoot", "problems", "faq"]),
    (SectionTopic::Performance, &["performance", "scaling", "sizing"]),
    (SectionTopic::Reference, &["reference", "references", "fields"]),
    (SectionTopic::Needs, &["need", "needs", "requirements", "prerequisites", "require"]),
    (
        SectionTopic::Deploy,
        &["deploy", "deployment", "setup", "set", "install", "installation", "configuration", "configure"],
    ),
    (SectionTopic::Data, &["data", "logs", "metrics", "events", "collect", "collected"]),
    (SectionTopic::Overview, &["overview", "introduction", "about", "summary"]),
];

impl SectionTopic {
    /// Returns the subject of the section with this title, by its words; `None` if no word is known.
    pub fn of(title: &str) -> Option<Self> {
        let lower = title.to_lowercase();
        let place = |word: &str| WORDS.iter().position(|(_, known)| known.contains(&word));
        lower.split(|c: char| !c.is_alphanumeric()).filter_map(place).min().map(|first| WORDS[first].0)
    }
}

/// Splits a title into its words, in lower case and without punctuation. `Set-up` and `setup` both give
/// `set`, `up`.
pub(super) fn words(title: &str) -> Vec<String> {
    let lower = title.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words
        .flat_map(|word| match word {
            "setup" => vec!["set".to_owned(), "up".to_owned()],
            word => vec![word.to_owned()],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::SectionTopic;

    #[test]
    fn the_titles_of_the_built_in_template_have_their_topics() {
        for (title, topic) in [
            ("Overview", SectionTopic::Overview),
            ("What data does this integration collect?", SectionTopic::Data),
            ("What do I need to use this integration?", SectionTopic::Needs),
            ("How do I deploy this integration?", SectionTopic::Deploy),
            ("TROUBLESHOOTING", SectionTopic::Troubleshooting),
            ("Scaling & performance", SectionTopic::Performance),
            ("Reference", SectionTopic::Reference),
            ("Setup", SectionTopic::Deploy),
            ("Logs", SectionTopic::Data),
        ] {
            assert_eq!(SectionTopic::of(title), Some(topic), "{title}");
        }
        assert_eq!(SectionTopic::of("Changelog"), None);
    }
}
