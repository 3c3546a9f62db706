//! The knowledge base of a package, which takes precedence over other sources (SEC-28 to SEC-37). Its headings count at every level,
//! because real files have the known ones at level 1 and at level 2.

use super::topic::{self, SectionTopic};
use crate::document::{DocumentLink, DocumentSection, ReadmeDocument, links, parse_all};

/// A parsed `service_info.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceInfo {
    document: ReadmeDocument,
}

/// A subject of a knowledge base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnowledgeTopic {
    /// Uses of the data.
    UseCases,
    /// Kinds of data.
    DataTypes,
    /// Supported versions.
    Compatibility,
    /// Requirements of the product.
    VendorPrerequisites,
    /// Requirements of the Elastic Stack.
    ElasticPrerequisites,
    /// Steps in the product, perhaps one sub-heading for each method.
    VendorSetUp,
    /// Steps in Kibana.
    KibanaSetUp,
    /// Steps that show that data arrives.
    Validation,
    /// Symptoms and remedies.
    Troubleshooting,
    /// Advice for large installations.
    Performance,
    /// Pages of the vendor.
    VendorResources,
    /// Pages of documentation.
    DocumentationSites,
}

impl KnowledgeTopic {
    /// All subjects.
    pub const ALL: &[Self] = &[
        Self::UseCases,
        Self::DataTypes,
        Self::Compatibility,
        Self::VendorPrerequisites,
        Self::ElasticPrerequisites,
        Self::VendorSetUp,
        Self::KibanaSetUp,
        Self::Validation,
        Self::Troubleshooting,
        Self::Performance,
        Self::VendorResources,
        Self::DocumentationSites,
    ];
}

/// Words that a heading must have to be about a subject, any of several sets.
const KNOWN: &[(KnowledgeTopic, &[&[&str]])] = &[
    (KnowledgeTopic::UseCases, &[&["use", "cases"], &["use", "case"]]),
    (
        KnowledgeTopic::DataTypes,
        &[&["data", "types"], &["data", "type"], &["data", "collected"], &["data", "collects"]],
    ),
    (
        KnowledgeTopic::Compatibility,
        &[&["compatibility"], &["compatible", "versions"], &["supported", "versions"]],
    ),
    (KnowledgeTopic::VendorPrerequisites, &[&["vendor", "prerequisites"], &["vendor", "requirements"]]),
    (KnowledgeTopic::ElasticPrerequisites, &[&["elastic", "prerequisites"], &["elastic", "requirements"]]),
    (KnowledgeTopic::VendorSetUp, &[&["vendor", "set", "up"], &["vendor", "configuration"]]),
    (KnowledgeTopic::KibanaSetUp, &[&["kibana", "set", "up"], &["kibana", "configuration"]]),
    (KnowledgeTopic::Validation, &[&["validation"]]),
    (KnowledgeTopic::Troubleshooting, &[&["troubleshooting"]]),
    (KnowledgeTopic::Performance, &[&["performance", "scaling"], &["performance"], &["scaling"]]),
    (KnowledgeTopic::VendorResources, &[&["vendor", "resources"], &["vendor", "links"]]),
    (
        KnowledgeTopic::DocumentationSites,
        &[&["documentation", "sites"], &["documentation", "links"], &["documentation"]],
    ),
];

/// Words that a heading of a known subject may have besides.
const FILLERS: &[&str] = &[
    "a",
    "additional",
    "all",
    "an",
    "and",
    "by",
    "collected",
    "common",
    "does",
    "for",
    "guide",
    "information",
    "instruction",
    "instructions",
    "integration",
    "notes",
    "of",
    "or",
    "procedure",
    "section",
    "set",
    "sites",
    "step",
    "steps",
    "supported",
    "the",
    "this",
    "tips",
    "typical",
    "up",
    "versions",
    "what",
    "with",
];

/// Subjects of the knowledge base for each subject of the document (SEC-34).
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

/// Words of a heading that belongs to a section as a whole, where none of the known headings exists.
const FALLBACK: &[(SectionTopic, &[&[&str]])] = &[
    (SectionTopic::Needs, &[&["prerequisites"], &["requirements"]]),
    (SectionTopic::Deploy, &[&["set", "up"], &["installation"], &["configuration"], &["deployment"]]),
    (SectionTopic::Reference, &[&["resources"], &["references"], &["links"]]),
];

impl ServiceInfo {
    /// Parses a knowledge base.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { document: parse_all(text) }
    }

    /// Returns the parts that belong to a section of the document, in the order of the file (SEC-31, SEC-34). A section that is not known or
    /// has no part, and no section, give the whole file (SEC-35).
    pub fn for_section(&self, readme_section: Option<&str>) -> String {
        let Some(title) = readme_section else { return self.document.text() };
        let mut found = SectionTopic::of(title).map_or_else(Vec::new, |topic| self.sections_for(topic));
        if found.is_empty() {
            found = self.titled(title);
        }
        if found.is_empty() {
            return self.document.text();
        }
        let texts = found.iter().map(|section| section.text().trim_end().to_owned());
        texts.collect::<Vec<_>>().join("\n\n") + "\n"
    }

    /// Returns the outermost sections about a subject, in the order of the file.
    pub fn sections(&self, topic: KnowledgeTopic) -> Vec<&DocumentSection> {
        self.matching(&|words| is_about(words, topic))
    }

    /// Returns the outermost sections whose titles have the same words as `title`, in any order and without regard to case and punctuation
    /// (SEC-37).
    pub fn titled(&self, title: &str) -> Vec<&DocumentSection> {
        let wanted = topic::words(title);
        self.matching(&|words| !wanted.is_empty() && has_words(words, &wanted))
    }

    /// Returns the links of the whole file (SEC-101).
    pub fn links(&self) -> Vec<DocumentLink> {
        links(&self.document.text())
    }

    /// Returns all headings with their sections, as a tree.
    pub fn document(&self) -> &ReadmeDocument {
        &self.document
    }

    /// Returns the outermost sections for a subject of the document, in the order of the file (SEC-34).
    pub fn sections_for(&self, topic: SectionTopic) -> Vec<&DocumentSection> {
        let wanted = MAPPING.iter().find(|(of, _)| *of == topic).map_or(&[][..], |(_, wanted)| wanted);
        let found = self.matching(&|words| wanted.iter().any(|wanted| is_about(words, *wanted)));
        if !found.is_empty() {
            return found;
        }
        let sets = FALLBACK.iter().find(|(of, _)| *of == topic).map_or(&[][..], |(_, sets)| sets);
        self.matching(&|words| sets.iter().any(|set| matches_set(words, set)))
    }

    /// Returns the sections whose words match; none inside another one. Sections without text in all of their sub-sections are none.
    fn matching(&self, matches: &dyn Fn(&[String]) -> bool) -> Vec<&DocumentSection> {
        fn collect<'a>(
            sections: &'a [DocumentSection],
            matches: &dyn Fn(&[String]) -> bool,
            found: &mut Vec<&'a DocumentSection>,
        ) {
            for section in sections {
                if !has_text(section) {
                    continue;
                }
                if matches(&topic::words(&section.title)) {
                    found.push(section);
                } else {
                    collect(&section.children, matches, found);
                }
            }
        }
        let mut found = Vec::new();
        collect(&self.document.sections, matches, &mut found);
        found
    }
}

fn has_text(section: &DocumentSection) -> bool {
    !section.body.trim().is_empty() || section.children.iter().any(has_text)
}

fn is_about(words: &[String], topic: KnowledgeTopic) -> bool {
    KNOWN
        .iter()
        .filter(|(known, _)| *known == topic)
        .any(|(_, sets)| sets.iter().any(|set| matches_set(words, set)))
}

/// Returns true if the words are those of the set in any order, with fillers only besides.
fn matches_set(words: &[String], set: &[&str]) -> bool {
    set.iter().all(|wanted| words.iter().any(|word| word == wanted))
        && words.iter().all(|word| set.contains(&word.as_str()) || FILLERS.contains(&word.as_str()))
}

fn has_words(words: &[String], wanted: &[String]) -> bool {
    words.len() == wanted.len() && wanted.iter().all(|word| words.contains(word))
}
