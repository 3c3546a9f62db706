//! Findings of the rules: sentences with sources, a topic, and the paths that they are about; and the
//! topics.

/// Finding of the rules about a repository. An agent writes it as a note; documents quote it.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFinding {
    /// Topic of the note, one of `TOPICS`.
    pub topic: &'static str,
    /// Statement with references to its sources.
    pub content: String,
    /// Files and folders that it is about, at least one; an empty path is the repository. The finding
    /// belongs to the deepest agent whose scope has all of them.
    pub(super) about: Vec<String>,
    /// Importance within the topic; greater comes first.
    pub(super) weight: f64,
}

impl RuleFinding {
    /// Makes a finding about the path `about`.
    pub(super) fn new(topic: &'static str, about: &str, weight: f64, content: String) -> Self {
        Self { topic, content, about: vec![about.to_owned()], weight }
    }
}

/// Topics in the order of the notes, each with the maximum number of findings of one agent. Areas that
/// a newcomer needs first come first.
pub(super) const TOPICS: &[(&str, usize)] = &[
    (PURPOSE, 10),
    (PROJECTS, 12),
    (ENTRIES, 8),
    (COMPONENTS, 14),
    (FLOW, 4),
    (FILES, 14),
    (TYPES, 10),
    (FUNCTIONS, 8),
    (IMPLEMENTATIONS, 6),
    (RELATIONS, 6),
    (CALLS, 5),
    (ROUTES, 8),
    (SUBCOMMANDS, 8),
    (SETTINGS, 10),
    (ERRORS, 4),
    (LOGGING, 2),
    (CONCURRENCY, 3),
    (LIMITS, 5),
    (COMMANDS, 14),
    (TOOLS, 8),
    (RULES, 10),
    (RECIPES, 4),
    (DEPENDENCIES, 3),
    (TESTS, 4),
    (DOCUMENTS, 10),
];

/// Returns the maximum number of findings of one agent in a topic; 0 for an unknown topic.
pub(super) fn most(topic: &str) -> usize {
    TOPICS.iter().find(|(known, _)| *known == topic).map_or(0, |(_, most)| *most)
}

/// The purpose of a repository, a project or a folder.
pub(super) const PURPOSE: &str = "overview.purpose";
/// Projects with their manifests.
pub(super) const PROJECTS: &str = "overview.projects";
/// Programs and libraries with their entries.
pub(super) const ENTRIES: &str = "architecture.entry_points";
/// Parts of a scope and their dependencies.
pub(super) const COMPONENTS: &str = "architecture.components";
/// The way from an entry to the core.
pub(super) const FLOW: &str = "architecture.flow";
/// Purposes of single files.
pub(super) const FILES: &str = "architecture.files";
/// Central types.
pub(super) const TYPES: &str = "types.central";
/// Implementations of interfaces.
pub(super) const IMPLEMENTATIONS: &str = "types.implementations";
/// Fields that hold other types.
pub(super) const RELATIONS: &str = "types.relations";
/// Central functions.
pub(super) const FUNCTIONS: &str = "functions.central";
/// Functions with the calls inside.
pub(super) const CALLS: &str = "architecture.call_order";
/// Paths that a server answers.
pub(super) const ROUTES: &str = "interface.routes";
/// Subcommands of programs.
pub(super) const SUBCOMMANDS: &str = "interface.subcommands";
/// Variables, options, keys, features.
pub(super) const SETTINGS: &str = "configuration.settings";
/// Types of errors, and their handling.
pub(super) const ERRORS: &str = "errors.handling";
/// Log statements, and what sets them up.
pub(super) const LOGGING: &str = "logging.calls";
/// Threads, tasks, locks.
pub(super) const CONCURRENCY: &str = "concurrency.constructs";
/// Limits that the project states.
pub(super) const LIMITS: &str = "overview.limits";
/// Commands that build, run and test.
pub(super) const COMMANDS: &str = "build.commands";
/// Tools of the development.
pub(super) const TOOLS: &str = "development.tools";
/// Rules for contributors.
pub(super) const RULES: &str = "development.rules";
/// Steps to add something.
pub(super) const RECIPES: &str = "development.recipes";
/// Libraries that a project needs.
pub(super) const DEPENDENCIES: &str = "dependencies.libraries";
/// Places of tests.
pub(super) const TESTS: &str = "tests.places";
/// Sections of the documentation.
pub(super) const DOCUMENTS: &str = "documentation.topics";
