//! Example documents for the style of a section, shipped with the crate (SEC-130). Their vendors do not exist.

use super::SectionTopic;
use crate::document::parse;

/// An example document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleDocument {
    /// Name, by which it is asked for.
    pub name: &'static str,
    /// Content in one line.
    pub about: &'static str,
    /// Categories of packages that it fits, as manifests name them.
    pub categories: &'static [&'static str],
    /// Text.
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

/// Returns all examples, by name.
pub fn list() -> &'static [ExampleDocument] {
    EXAMPLES
}

/// Returns the example of this name.
pub fn get(name: &str) -> Option<&'static ExampleDocument> {
    EXAMPLES.iter().find(|example| example.name == name)
}

/// Returns the section of the same subject from the example that fits a category of packages, else from any other one; `None` for a title whose
/// subject is not known.
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
