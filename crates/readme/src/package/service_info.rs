//! The knowledge base of a package, which takes precedence over other sources (SEC-28 to SEC-37). Its headings count at every level,
//! because real files have the known ones at level 1 and at level 2.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::knowledge::KnowledgeTopic;
use super::topic::{self, SectionTopic};
use super::web_page::blank_debris;
use crate::document::{DocumentLink, DocumentSection, ReadmeDocument, links, parse_all};

/// The knowledge base of a package: its parsed `service_info.md`, divided into parts by subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceInfo {
    document: ReadmeDocument,
    parts: Vec<KnowledgePart>,
}

/// A piece of a knowledge base that is about one subject: a section, with its sub-sections unless they are
/// about something else. Every text below a heading is in exactly one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgePart {
    /// Subject; `None` if the heading, the heading above it and the content tell none.
    pub topic: Option<KnowledgeTopic>,
    /// True if the heading consists of the usual words for its subject, so that the subject is certain.
    pub is_usual: bool,
    /// Section; without its sub-sections if these are parts of their own.
    pub section: DocumentSection,
}

/// Subjects of the document's sections, each with the subjects of the knowledge base that belong to it
/// (SEC-34).
const MAPPING: &[(SectionTopic, &[KnowledgeTopic])] = &[
    (
        SectionTopic::Overview,
        &[KnowledgeTopic::UseCases, KnowledgeTopic::DataTypes, KnowledgeTopic::Compatibility],
    ),
    (SectionTopic::Data, &[KnowledgeTopic::DataTypes]),
    (SectionTopic::Needs, &[KnowledgeTopic::VendorPrerequisites, KnowledgeTopic::ElasticPrerequisites]),
    (
        SectionTopic::Deploy,
        &[KnowledgeTopic::VendorSetUp, KnowledgeTopic::KibanaSetUp, KnowledgeTopic::Validation],
    ),
    (SectionTopic::Troubleshooting, &[KnowledgeTopic::Troubleshooting]),
    (SectionTopic::Performance, &[KnowledgeTopic::Performance]),
    (SectionTopic::Reference, &[KnowledgeTopic::VendorResources, KnowledgeTopic::DocumentationSites]),
];

/// Minimum number of numbered steps for which a section counts as a set-up by its content.
const STEPS: usize = 2;

/// Pattern of a line that begins a numbered step, such as `1. `.
static STEP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d{1,2}[.)]\s").expect("a valid pattern"));

/// Pattern of the name of Kibana's application Discover; in lower case the word means a discovery.
static DISCOVER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bDiscover\b").expect("a valid pattern"));

/// Pattern of the number of an HTTP error as code or as bold text, such as `` `404` ``.
static STATUS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[`*]([45]\d\d)\b").expect("a valid pattern"));

impl ServiceInfo {
    /// Parses the text of a knowledge base. Remains of copied web pages, such as labels of buttons, are
    /// left out.
    pub fn parse(text: &str) -> Self {
        Self::parse_changed(text, |document| document)
    }

    /// Parses a knowledge base as [`parse`](Self::parse) does, and applies `change` to the parsed document
    /// before it is divided into parts.
    pub(crate) fn parse_changed(text: &str, change: impl FnOnce(ReadmeDocument) -> ReadmeDocument) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = change(parse_all(&blank_debris(text)));
        let mut parts = Vec::new();
        collect_parts(&document.sections, None, &mut parts);
        Self { document, parts }
    }

    /// Returns the text that belongs to the section `readme_section` of the document, in the order of the
    /// file: the parts about the subject of that title, else the sections with the same title (SEC-31,
    /// SEC-34). Returns the whole file for `None`, and if nothing is found (SEC-35).
    pub fn for_section(&self, readme_section: Option<&str>) -> String {
        let Some(title) = readme_section else { return self.document.text() };
        let mut found = SectionTopic::of(title).map_or_else(Vec::new, |topic| self.sections_for(topic));
        if found.is_empty() {
            found = self.titled(title);
        }
        // The title of a part of a section, such as `Supported use cases`.
        if found.is_empty()
            && let Some(topic) =
                KnowledgeTopic::of_usual(title).or_else(|| KnowledgeTopic::suggested_by(title))
        {
            found = self.sections(topic);
        }
        if found.is_empty() {
            return self.document.text();
        }
        let texts = found.iter().map(|section| section.text().trim_end().to_owned());
        texts.collect::<Vec<_>>().join("\n\n") + "\n"
    }

    /// Returns the parts of the knowledge base about a subject, in the order of the file.
    pub fn parts(&self, topic: KnowledgeTopic) -> Vec<&KnowledgePart> {
        self.parts.iter().filter(|part| part.topic == Some(topic)).collect()
    }

    /// Returns the parts of the knowledge base whose subject is unknown, in the order of the file.
    pub fn other_parts(&self) -> Vec<&KnowledgePart> {
        self.parts.iter().filter(|part| part.topic.is_none()).collect()
    }

    /// Returns the sections of the knowledge base about a subject, in the order of the file: those of its
    /// [`parts`](Self::parts).
    pub fn sections(&self, topic: KnowledgeTopic) -> Vec<&DocumentSection> {
        self.parts(topic).into_iter().map(|part| &part.section).collect()
    }

    /// Returns the sections whose titles have the same words as `title`, in any order and without regard to
    /// case and punctuation (SEC-37). Sections without text, and sections inside a found one, are left out.
    pub fn titled(&self, title: &str) -> Vec<&DocumentSection> {
        let wanted = topic::words(title);
        let mut found = Vec::new();
        if !wanted.is_empty() {
            collect_titled(&self.document.sections, &wanted, &mut found);
        }
        found
    }

    /// Returns all links and images of the knowledge base (SEC-101).
    pub fn links(&self) -> Vec<DocumentLink> {
        links(&self.document.text())
    }

    /// Returns the parsed knowledge base as a tree of sections.
    pub fn document(&self) -> &ReadmeDocument {
        &self.document
    }

    /// Returns the sections of the knowledge base that belong to a subject of the document, in the order of
    /// the file (SEC-34).
    pub fn sections_for(&self, topic: SectionTopic) -> Vec<&DocumentSection> {
        let wanted = MAPPING.iter().find(|(of, _)| *of == topic).map_or(&[][..], |(_, wanted)| wanted);
        let is_wanted = |part: &&KnowledgePart| part.topic.is_some_and(|topic| wanted.contains(&topic));
        self.parts.iter().filter(is_wanted).map(|part| &part.section).collect()
    }
}

/// Divides sections into parts, and appends these to `parts`. `group` is the subject of the heading above,
/// which a section without a subject of its own takes over. A section with a usual heading is one part, and
/// so is one without sub-sections about another subject; any other section is divided further.
fn collect_parts(
    sections: &[DocumentSection],
    group: Option<KnowledgeTopic>,
    parts: &mut Vec<KnowledgePart>,
) {
    for section in sections.iter().filter(|section| has_text(section)) {
        let usual = KnowledgeTopic::of_usual(&section.title);
        let suggested = || KnowledgeTopic::suggested_by(&section.title);
        let content = || topic_of_content(section);
        let mut topic = usual.or_else(suggested).or(group).or_else(content);
        let is_first = parts.is_empty();
        // The text below the title of the file is about the product, whatever the title promises.
        if is_first && group.is_none() && usual.is_none() && section.level == 1 && !has_steps(section) {
            let is_set_up = |topic: &KnowledgeTopic| {
                matches!(topic, KnowledgeTopic::VendorSetUp | KnowledgeTopic::KibanaSetUp)
            };
            topic = topic.filter(|topic| !is_set_up(topic));
        }
        let first = || is_first.then_some(KnowledgeTopic::Introduction);
        if usual.is_some() || !has_other_topic(&section.children, topic) {
            let is_usual = usual.is_some();
            parts.push(KnowledgePart { topic: topic.or_else(first), is_usual, section: section.clone() });
            continue;
        }
        if !section.body.trim().is_empty() {
            let section = DocumentSection { children: Vec::new(), ..section.clone() };
            parts.push(KnowledgePart { topic: topic.or_else(first), is_usual: false, section });
        }
        collect_parts(&section.children, topic, parts);
    }
}

/// Returns true if the section or one of its sub-sections has a numbered step.
fn has_steps(section: &DocumentSection) -> bool {
    section.body.lines().any(|line| STEP.is_match(line)) || section.children.iter().any(has_steps)
}

/// Returns the subject that the body of a section suggests: only links → documentation, several HTTP error
/// numbers → troubleshooting, two or more numbered steps → validation or set-up. `None` for any other body.
fn topic_of_content(section: &DocumentSection) -> Option<KnowledgeTopic> {
    let mut lines = section.body.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let is_link = |line: &str| {
        line.strip_prefix(['-', '*', '+'])
            .is_some_and(|item| item.trim_start().starts_with('[') && item.ends_with(')'))
    };
    let is_list = section.children.is_empty() && lines.peek().is_some() && lines.all(is_link);
    if is_list {
        return Some(KnowledgeTopic::DocumentationSites);
    }
    let statuses: BTreeSet<&str> =
        STATUS.captures_iter(&section.body).filter_map(|found| found.get(1)).map(|it| it.as_str()).collect();
    let steps = section.body.lines().filter(|line| STEP.is_match(line)).count();
    let has = |words: &str| section.body.contains(words);
    match () {
        () if statuses.len() > 1 && !has("\n|") => Some(KnowledgeTopic::Troubleshooting),
        () if steps < STEPS => None,
        () if DISCOVER.is_match(&section.body) => Some(KnowledgeTopic::Validation),
        () if has("Kibana") || has("Management > Integrations") => Some(KnowledgeTopic::KibanaSetUp),
        () => Some(KnowledgeTopic::VendorSetUp),
    }
}

/// Returns true if one of the sections, or a section below them, has a heading about a subject other than
/// `topic`.
fn has_other_topic(sections: &[DocumentSection], topic: Option<KnowledgeTopic>) -> bool {
    sections.iter().any(|section| {
        let own =
            KnowledgeTopic::of_usual(&section.title).or_else(|| KnowledgeTopic::suggested_by(&section.title));
        (own.is_some() && own != topic) || has_other_topic(&section.children, topic)
    })
}

/// Appends to `found` the sections with text whose titles have exactly the words `wanted`, in any order;
/// none inside another found one.
fn collect_titled<'a>(
    sections: &'a [DocumentSection],
    wanted: &[String],
    found: &mut Vec<&'a DocumentSection>,
) {
    for section in sections.iter().filter(|section| has_text(section)) {
        let words = topic::words(&section.title);
        if words.len() == wanted.len() && wanted.iter().all(|word| words.contains(word)) {
            found.push(section);
        } else {
            collect_titled(&section.children, wanted, found);
        }
    }
}

/// Returns true for a section with text in itself or in one of its sub-sections.
fn has_text(section: &DocumentSection) -> bool {
    !section.body.trim().is_empty() || section.children.iter().any(has_text)
}
