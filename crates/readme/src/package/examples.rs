//! Example documents for the style of a section, shipped with the crate (SEC-130). Their vendors do not exist.

use super::SectionTopic;
use crate::document::parse;

/// An example of a finished document, which shows an author the style of its sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleDocument {
    /// Name, with which [`get`] finds it.
    pub name: &'static str,
    /// One-line description of what it documents.
    pub about: &'static str,
    /// Categories of packages, as manifests name them, for which it is a good example.
    pub categories: &'static [&'static str],
    /// Markdown text of the document.
    pub text: &'static str,
}

const EXAMPLES: &[ExampleDocument] = &[
    ExampleDocument {
        name: "basalt_queue",
        about: "metrics of a server with two data streams",
        categories: &[
            "observability",
            "monitoring",
            "database",
            "datastore",
            "message_queue",
            "os_system",
            "containers",
            "kubernetes",
            "web",
        ],
        text: include_str!("../../examples/documents/basalt_queue.md"),
    },
    ExampleDocument {
        name: "harbor_gateway",
        about: "logs of a firewall over TCP and UDP, with a command line",
        categories: &[
            "network",
            "network_security",
            "firewall_security",
            "vpn_security",
            "ids_ips",
            "dns_security",
        ],
        text: include_str!("../../examples/documents/harbor_gateway.md"),
    },
    ExampleDocument {
        name: "lumen_identity",
        about: "events of a cloud service over an API, with the agentless deployment and secrets",
        categories: &[
            "security",
            "cloud",
            "iam",
            "auditd",
            "productivity_security",
            "edr_xdr",
            "cloudsecurity_cdr",
            "email_security",
            "threat_intel",
            "vulnerability_management",
        ],
        text: include_str!("../../examples/documents/lumen_identity.md"),
    },
];

/// Returns all example documents that the crate contains, ordered by name.
pub fn list() -> &'static [ExampleDocument] {
    EXAMPLES
}

/// Returns the example with this name; `None` if there is none.
pub fn get(name: &str) -> Option<&'static ExampleDocument> {
    EXAMPLES.iter().find(|example| example.name == name)
}

/// Returns the Markdown of the section about the same subject as the title `section`, from the first
/// example for the package category `category`, or from the first example of all if none fits. Returns
/// `None` if the words of the title tell no subject, or if the example has no such section.
///
/// ```
/// use stategraph_readme::package::examples;
///
/// let example = examples::for_section("network", "Troubleshooting").unwrap();
/// assert!(example.starts_with("## Troubleshooting\n"));
/// ```
pub fn for_section(category: &str, section: &str) -> Option<String> {
    let topic = SectionTopic::of(section)?;
    let fits = |example: &&ExampleDocument| example.categories.contains(&category);
    let example = EXAMPLES.iter().find(fits).or_else(|| EXAMPLES.first())?;
    let document = parse(example.text);
    let found = document.sections.iter().find(|section| SectionTopic::of(&section.title) == Some(topic))?;
    Some(found.text().trim_end().to_owned() + "\n")
}
