//! Sections of a text by subject, and the words that decide about them.

use super::page::MarkdownPage;
use crate::document::DocumentSection;
use crate::package::{IntegrationPackage, SectionTopic};

/// The text about a subject.
pub(super) struct TopicText {
    /// Source text in lower case.
    pub(super) lower: String,
    /// Offset of its heading; 0 where the whole text is about the subject.
    pub(super) at: usize,
    /// Titles of the sections and of their parts, in lower case.
    pub(super) titles: Vec<String>,
}

/// Returns true if a text has one of the words. Both are in lower case.
pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns true if a text has the word with no letter or digit around it. Both are in lower case.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric();
    !word.is_empty()
        && text.match_indices(word).any(|(at, found)| {
            !text[..at].chars().next_back().is_some_and(is_letter)
                && !text[at + found.len()..].chars().next().is_some_and(is_letter)
        })
}

/// Returns the text about a subject: the sections of level 2 about it, else deeper ones; of a section's text, all of it or nothing.
pub(super) fn topic_text(page: &MarkdownPage<'_>, topic: SectionTopic) -> Option<TopicText> {
    if let Some(title) = page.section {
        let titles = page.document.flatten().into_iter().map(|section| section.title.to_lowercase()).collect();
        let is_about = SectionTopic::of(title) == Some(topic);
        return is_about.then(|| TopicText { lower: page.text.to_lowercase(), at: 0, titles });
    }
    let all = page.document.flatten();
    let is_about = |section: &&DocumentSection| SectionTopic::of(&section.title) == Some(topic);
    let mut found: Vec<&DocumentSection> =
        page.document.sections.iter().filter(|section| section.level == 2).filter(is_about).collect();
    if found.is_empty() {
        found = all.into_iter().filter(is_about).take(1).collect();
    }
    let first = found.first()?;
    let parts = found.iter().flat_map(|section| section.flatten());
    Some(TopicText {
        lower: found.iter().map(|section| section.text().to_lowercase()).collect(),
        at: page.place_of(first),
        titles: parts.map(|part| part.title.to_lowercase()).collect(),
    })
}

/// Returns true if the text, in lower case, names the product: by the title of the package, or by the words of it that are its own.
pub(super) fn names_product(lower: &str, package: &IntegrationPackage) -> bool {
    let title = package.manifest.title.trim().to_lowercase();
    if title.is_empty() {
        return true;
    }
    let name = package.manifest.name.replace('_', " ").to_lowercase();
    has_word(lower, &title)
        || has_word(lower, &name)
        || own_words(&title).iter().any(|word| has_word(lower, word))
}

/// Words of product titles that many products share.
const SHARED_WORDS: &[&str] = &[
    "and", "for", "the", "of", "by", "logs", "log", "metrics", "events", "integration", "security", "cloud", "server", "service",
    "network", "data", "management", "manager", "platform", "system", "custom", "api", "audit", "gateway", "firewall", "endpoint",
    "web", "enterprise", "elastic", "monitoring", "analytics", "identity", "access", "protection", "threat", "intelligence",
];

fn own_words(title: &str) -> Vec<&str> {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= 3);
    words.filter(|word| !SHARED_WORDS.contains(word)).collect()
}
