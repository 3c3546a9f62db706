//! Subjects of the sections of a knowledge base (`service_info.md`), and the words of headings that reveal
//! them. Knows no files; the file itself is read in `service_info`.

use super::topic;

/// A subject that a section of a package's knowledge base (`service_info.md`) is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnowledgeTopic {
    /// General description of the product.
    Introduction,
    /// Purposes for which the collected data can be used.
    UseCases,
    /// Types of data that the package collects.
    DataTypes,
    /// Versions of the product that are supported.
    Compatibility,
    /// Requirements that the product of the vendor must meet.
    VendorPrerequisites,
    /// Requirements that the Elastic Stack must meet.
    ElasticPrerequisites,
    /// Set-up steps in the product of the vendor.
    VendorSetUp,
    /// Set-up steps in Kibana.
    KibanaSetUp,
    /// Steps that show that data arrives.
    Validation,
    /// Problems and their remedies.
    Troubleshooting,
    /// Advice for large installations, and limits.
    Performance,
    /// Links to pages of the vendor.
    VendorResources,
    /// Links to pages of documentation.
    DocumentationSites,
}

impl KnowledgeTopic {
    /// All subjects.
    pub const ALL: &[Self] = &[
        Self::Introduction,
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

    /// Returns the subject of a heading that consists of the usual words for it, with filler words at most,
    /// such as `Vendor set up steps` (SEC-33, SEC-37); else `None`. Everything below such a heading belongs
    /// to its subject.
    pub(super) fn of_usual(title: &str) -> Option<Self> {
        let words = topic::words(title);
        let matches = |sets: &[&[&str]]| sets.iter().any(|set| matches_set(&words, set));
        USUAL.iter().find(|(_, sets)| matches(sets)).map(|(known, _)| *known)
    }

    /// Returns the subject that single words of a heading suggest, such as [`Self::VendorSetUp`] for
    /// `Creating an API key`; `None` if no word suggests one. Weaker than [`of_usual`](Self::of_usual).
    pub(super) fn suggested_by(title: &str) -> Option<Self> {
        let words = topic::words(title);
        // Sections of single errors have the status as their title.
        if words.first().is_some_and(|word| is_error_status(word)) {
            return Some(Self::Troubleshooting);
        }
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        let suggests = |(_, sets): &&(Self, &[&[&str]])| sets.iter().any(|set| has_all(&words, set));
        let mut found = SUGGESTED.iter().find(suggests)?.0;
        // The verb decides: `Registering an application of Verify` checks nothing.
        let verb = words.first().into_iter().cloned().collect::<Vec<_>>();
        let is_step = |(topic, sets): &&(Self, &[&[&str]])| {
            *topic == Self::VendorSetUp && sets.iter().any(|set| set.len() == 1 && has_all(&verb, set))
        };
        if found == Self::Validation && SUGGESTED.iter().any(|entry| is_step(&entry)) {
            found = Self::VendorSetUp;
        }
        // The same words head the requirements and the steps of both sides.
        let is_elastic = has(&["kibana", "fleet"])
            || (has(&["elastic", "agent", "elasticsearch"]) && !words.iter().any(|word| word == "to"));
        Some(match found {
            Self::VendorPrerequisites if is_elastic => Self::ElasticPrerequisites,
            Self::VendorSetUp if is_elastic => Self::KibanaSetUp,
            found => found,
        })
    }
}

/// Returns true if a word is the number of an HTTP error status, such as `404`.
fn is_error_status(word: &str) -> bool {
    let status = word.parse::<u16>().ok().filter(|_| word.len() == 3);
    status.is_some_and(|status| matches!(status, 400..=431 | 451 | 500..=511))
}

/// Subjects with sets of words. A heading matches a subject if it contains all words of one of its sets.
type WordSets = &'static [(KnowledgeTopic, &'static [&'static [&'static str]])];

/// Sets of words that make a usual heading of a subject; see [`KnowledgeTopic::of_usual`].
const USUAL: WordSets = &[
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

/// Words that a usual heading may have besides the words of its set.
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

/// Sets of words that suggest a subject; the first match counts, so a heading about errors of the set-up is
/// about errors. `troubleshoot-` with a final `-` stands for every word that begins so.
const SUGGESTED: WordSets = &[
    (
        KnowledgeTopic::Troubleshooting,
        &[
            &["troubleshoot-"],
            &["problem-"],
            &["issue-"],
            &["error-"],
            &["faq"],
            &["symptom-"],
            &["gotcha-"],
            &["pitfall-"],
            &["caveat-"],
            &["trouble"],
            &["wrong"],
            &["fails"],
            &["failing"],
            &["failure-"],
            &["not", "work-"],
            &["no", "data"],
            &["no", "events"],
            &["missing"],
            &["nothing"],
            &["stuck"],
        ],
    ),
    (
        KnowledgeTopic::Performance,
        &[
            &["performance"],
            &["scaling"],
            &["sizing"],
            &["throughput"],
            &["how", "fast"],
            &["how", "many"],
            &["limits"],
            &["limit"],
            &["quota-"],
            &["tuning"],
            &["cost"],
            &["costs"],
            &["overhead"],
        ],
    ),
    (
        KnowledgeTopic::VendorPrerequisites,
        &[
            &["prerequisite-"],
            &["requirement-"],
            &["need"],
            &["needed"],
            &["before"],
            &["at", "hand"],
            &["ready"],
            &["required", "permissions"],
            &["required", "privileges"],
        ],
    ),
    (
        KnowledgeTopic::Validation,
        &[
            &["validat-"],
            &["verif-"],
            &["test-", "connection"],
            &["test-", "integration"],
            &["check-", "data"],
            &["check-", "work-"],
            &["check-", "it"],
            &["know", "work-"],
            &["is", "it", "work-"],
            &["confirm-"],
        ],
    ),
    (
        KnowledgeTopic::Compatibility,
        &[
            &["compatib-"],
            &["supported", "devices"],
            &["supported", "products"],
            &["supported", "platforms"],
            &["version"],
            &["versions"],
        ],
    ),
    (KnowledgeTopic::UseCases, &[&["use", "case-"], &["scenario-"], &["why"], &["benefit-"]]),
    (
        KnowledgeTopic::DataTypes,
        &[
            &["what", "ends"],
            &["what", "export-"],
            &["what", "collect-"],
            &["what", "send-"],
            &["what", "record-"],
            &["what", "log-"],
        ],
    ),
    (
        KnowledgeTopic::VendorSetUp,
        &[
            &["set", "up"],
            &["steps"],
            &["install-"],
            &["configur-"],
            &["deploy-"],
            &["enabl-"],
            &["creat-"],
            &["generat-"],
            &["get"],
            &["getting"],
            &["obtain-"],
            &["export-"],
            &["forward-"],
            &["send"],
            &["sending"],
            &["connect-"],
            &["regist-"],
            &["add"],
            &["adding"],
            &["grant-"],
            &["assign-"],
            &["allow-"],
            &["key"],
            &["keys"],
            &["token-"],
            &["credential-"],
            &["account-"],
            &["permission-"],
            &["in", "kibana"],
            &["in", "fleet"],
        ],
    ),
    (
        KnowledgeTopic::DocumentationSites,
        &[
            &["documentation"],
            &["docs"],
            &["resource-"],
            &["reference-"],
            &["link"],
            &["links"],
            &["further", "reading"],
            &["read", "on"],
            &["see", "also"],
            &["learn", "more"],
            &["read", "more"],
            &["further"],
            &["more", "information"],
        ],
    ),
    (
        KnowledgeTopic::DataTypes,
        &[
            &["data"],
            &["log", "types"],
            &["log", "sources"],
            &["logs"],
            &["event", "types"],
            &["events"],
            &["metrics"],
        ],
    ),
    (
        KnowledgeTopic::Introduction,
        &[&["overview"], &["introduction"], &["about"], &["description"], &["summary"]],
    ),
];

/// Returns true if the heading's `words` contain all words of `set`, in any order, and otherwise only
/// [`FILLERS`].
fn matches_set(words: &[String], set: &[&str]) -> bool {
    set.iter().all(|wanted| words.iter().any(|word| word == wanted))
        && words.iter().all(|word| set.contains(&word.as_str()) || FILLERS.contains(&word.as_str()))
}

/// Returns true if the heading's `words` contain all words of `set`, in any order. A word of the set that
/// ends in `-` matches every word that begins with it.
fn has_all(words: &[String], set: &[&str]) -> bool {
    set.iter().all(|wanted| match wanted.strip_suffix('-') {
        Some(stem) => words.iter().any(|word| word.starts_with(stem)),
        None => words.iter().any(|word| word == wanted),
    })
}

#[cfg(test)]
mod tests {
    use super::KnowledgeTopic as Topic;

    #[test]
    fn headings_in_other_words_suggest_their_subject() {
        for (title, topic) in [
            ("Prerequisites", Topic::VendorPrerequisites),
            ("What you'll need (vendor side)", Topic::VendorPrerequisites),
            ("Before you begin", Topic::VendorPrerequisites),
            ("Elastic Agent requirements", Topic::ElasticPrerequisites),
            ("Set up steps in Corvane", Topic::VendorSetUp),
            ("Setup", Topic::VendorSetUp),
            ("Configure Corvane", Topic::VendorSetUp),
            ("Creating an API key in Corvane", Topic::VendorSetUp),
            ("Configure syslog forwarding to Elastic Agent", Topic::VendorSetUp),
            ("Add the integration in Kibana", Topic::KibanaSetUp),
            ("Install the Elastic Agent", Topic::KibanaSetUp),
            ("Verify that data arrives", Topic::Validation),
            ("Known issues", Topic::Troubleshooting),
            ("Gotchas", Topic::Troubleshooting),
            ("Checking it works", Topic::Validation),
            ("Cost of query_stats", Topic::Performance),
            ("Errors of the set up", Topic::Troubleshooting),
            ("Rate limits", Topic::Performance),
            ("Supported devices", Topic::Compatibility),
            ("Logs", Topic::DataTypes),
            ("References", Topic::DocumentationSites),
            ("About Corvane", Topic::Introduction),
            ("Why connect Corvane to Elastic?", Topic::UseCases),
            ("What we export", Topic::DataTypes),
            ("Step 3: In Kibana", Topic::KibanaSetUp),
            ("How do I know it works?", Topic::Validation),
            ("When something goes wrong", Topic::Troubleshooting),
            ("429 Too Many Requests", Topic::Troubleshooting),
            ("Why do I see no data?", Topic::Troubleshooting),
            ("Read more", Topic::DocumentationSites),
            ("Before the first call", Topic::VendorPrerequisites),
            ("Registering a Verify application (identity checks)", Topic::VendorSetUp),
            ("Verify the registration", Topic::Validation),
            ("What ends up in Elastic", Topic::DataTypes),
            ("Have this at hand", Topic::VendorPrerequisites),
            ("When nothing arrives", Topic::Troubleshooting),
            ("How much, how fast", Topic::Performance),
        ] {
            assert_eq!(Topic::suggested_by(title), Some(topic), "{title}");
        }
        for title in ["Service Info", "Corvane", "Glossary", "514 UDP", "Failed logins", ""] {
            assert_eq!(Topic::suggested_by(title), None, "{title}");
        }
    }
}
