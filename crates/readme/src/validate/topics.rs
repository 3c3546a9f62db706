//! Finds the sections of a text about a subject, and tests them for words.

use super::page::MarkdownPage;
use crate::document::DocumentSection;
use crate::package::{IntegrationPackage, SectionTopic};

/// The part of a validated text that is about one subject, without comments, code blocks and link targets.
pub(super) struct TopicText {
    /// Text in lower case.
    pub(super) lower: String,
    /// Title of the first section about the subject; for a single section that is checked, its own title.
    pub(super) title: String,
    /// The sections about the subject and their sub-sections, each with its own text.
    pub(super) parts: Vec<TopicPart>,
}

/// A section or sub-section of a [`TopicText`].
pub(super) struct TopicPart {
    /// Title in lower case.
    pub(super) title: String,
    /// Text without sub-sections, in lower case.
    pub(super) lower: String,
    /// Byte offset of the text in the source.
    pub(super) at: usize,
}

/// Returns true if the text contains one of the words, also inside other words. The caller passes both in
/// lower case.
pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns true if the text contains the word with no letter or digit next to it. The caller passes both in
/// lower case.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric();
    !word.is_empty()
        && text.match_indices(word).any(|(at, found)| {
            !text[..at].chars().next_back().is_some_and(is_letter)
                && !text[at + found.len()..].chars().next().is_some_and(is_letter)
        })
}

/// Returns the text about a subject: the level-2 sections about it, else the first deeper one. If the
/// checked text is a single section, it is returned whole if its title is about the subject. `None` if
/// nothing is about it.
pub(super) fn topic_text(page: &MarkdownPage<'_>, topic: SectionTopic) -> Option<TopicText> {
    let all = page.parts.document.flatten();
    if let Some(title) = page.section {
        if SectionTopic::of(title) != Some(topic) {
            return None;
        }
        let before = TopicPart {
            title: title.to_lowercase(),
            lower: page.visible()[..page.parts.document.preamble.len()].to_lowercase(),
            at: 0,
        };
        let parts =
            std::iter::once(before).chain(all.iter().map(|section| read_part(page, section))).collect();
        return Some(TopicText { lower: page.visible().to_lowercase(), title: title.to_owned(), parts });
    }
    let is_about = |section: &&DocumentSection| SectionTopic::of(&section.title) == Some(topic);
    let mut found: Vec<&DocumentSection> =
        page.parts.document.sections.iter().filter(|section| section.level == 2).filter(is_about).collect();
    if found.is_empty() {
        found = all.into_iter().filter(is_about).take(1).collect();
    }
    let title = found.first()?.title.clone();
    let parts = found.iter().flat_map(|section| section.flatten());
    Some(TopicText {
        lower: found.iter().map(|section| page.visible()[page.range_of(section)].to_lowercase()).collect(),
        title,
        parts: parts.map(|part| read_part(page, part)).collect(),
    })
}

fn read_part(page: &MarkdownPage<'_>, section: &DocumentSection) -> TopicPart {
    let at = page.place_of(section) + section.heading.len();
    TopicPart {
        title: section.title.to_lowercase(),
        lower: page.visible()[at..at + section.body.len()].to_lowercase(),
        at,
    }
}

/// Returns true if a title, in lower case, is about steps in Kibana.
pub(super) fn is_about_kibana(title: &str) -> bool {
    ["kibana", "elastic", "fleet", "agent", "agentless"].iter().any(|word| has_word(title, word))
}

/// Returns true if a title, in lower case, is about a check that data arrives.
pub(super) fn is_about_validation(title: &str) -> bool {
    has_any(title, &["validat", "verif", "confirm"])
}

/// Returns true if the deployment text has steps in the vendor's product: a part with "vendor" in its title
/// and some text, or a list item before the first mention of Kibana. Parts about Kibana or validation do
/// not count.
pub(super) fn has_vendor_steps(deploy: &TopicText) -> bool {
    deploy.parts.iter().any(|part| {
        if is_about_kibana(&part.title) || is_about_validation(&part.title) {
            return false;
        }
        let text = part.lower.split("kibana").next().unwrap_or_default();
        let is_step = |line: &str| is_numbered(line) || is_bullet(line);
        has_word(&part.title, "vendor") && !text.trim().is_empty() || text.lines().any(is_step)
    })
}

/// Returns true if the deployment text has steps in Kibana: a part with "Kibana" in its title and some
/// text, or a list item that names Kibana.
pub(super) fn has_kibana_steps(deploy: &TopicText) -> bool {
    deploy.parts.iter().any(|part| {
        let is_named = has_word(&part.title, "kibana") && !part.lower.trim().is_empty();
        let is_step = |line: &str| (is_numbered(line) || is_bullet(line)) && has_word(line, "kibana");
        is_named || (!is_about_validation(&part.title) && part.lower.lines().any(is_step))
    })
}

/// Returns true for a line that is an item of a numbered list.
pub(super) fn is_numbered(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(['.', ')'])
}

fn is_bullet(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Returns true if the text, in lower case, names the product: by the title or name of the package, or by a
/// word of the title that is not common to many products.
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

/// Words in titles of products that many products share.
#[rustfmt::skip]
const SHARED_WORDS: &[&str] = &[
    "and", "for", "the", "of", "by", "logs", "log", "metrics", "events", "integration", "security", "cloud", "server",
    "service", "network", "data", "management", "manager", "platform", "system", "custom", "api", "audit", "gateway",
    "firewall", "endpoint", "web", "enterprise", "elastic", "monitoring", "analytics", "identity", "access", "protection",
    "threat", "intelligence",
];

fn own_words(title: &str) -> Vec<&str> {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= 3);
    words.filter(|word| !SHARED_WORDS.contains(word)).collect()
}
