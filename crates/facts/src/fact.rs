//! The data of a fact. Contains no logic but its id.

use std::fmt;

use serde::Serialize;
use stategraph_repo::{EdgeClass, ProjectType, Scope};

/// One fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// Hash of subject and value: the same fact from two places has one id and two sources.
    pub id: String,
    /// Its subject.
    pub subject: FactSubject,
    /// The kind and the value.
    #[serde(flatten)]
    pub value: FactValue,
    /// The places with it; at least one, the best first.
    pub sources: Vec<SourceLines>,
    /// The method by which it was found.
    pub origin: FactOrigin,
    /// The use of the path that it is about.
    pub role: PathRole,
}

/// The subject of a fact. Paths are below the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FactSubject {
    /// The whole repository.
    Repository,
    /// A folder with a manifest; empty for the root.
    Project(String),
    /// A folder.
    Folder(String),
    /// A file.
    File(String),
    /// A definition: file and qualified name.
    Symbol {
        /// The file.
        path: String,
        /// The name with the names around it, joined by dots.
        name: String,
    },
}

/// The value of a fact, by kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FactValue {
    /// A project and its manifest.
    Project {
        /// The ecosystem of the manifest.
        ecosystem: ProjectType,
        /// As it calls itself.
        name: Option<String>,
        /// Its version.
        version: Option<String>,
    },
    /// Something that a project builds.
    Target {
        /// Its kind.
        target: TargetKind,
        /// Its name.
        name: String,
        /// The file or function where it begins.
        entry: String,
    },
    /// Something that a project needs.
    Dependency {
        /// As the registry calls it.
        name: String,
        /// The version as required.
        requirement: Option<String>,
        /// The use.
        scope: Scope,
    },
    /// A command that a person may type.
    Command {
        /// Its purpose.
        purpose: CommandPurpose,
        /// As written, with continuation lines joined.
        command: String,
        /// The folder in which it runs, below the root; empty for the root.
        folder: String,
    },
    /// The purpose of the subject, in the words of its source.
    Purpose {
        /// At most two sentences.
        text: String,
    },
    /// A dependency of the subject on another file.
    Edge {
        /// The file that is needed; for a package of Go its folder.
        to: String,
        /// Its class.
        class: EdgeClass,
        /// The name at its first place.
        name: String,
    },
}

/// The kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// [`FactValue::Project`].
    Project,
    /// [`FactValue::Target`].
    Target,
    /// [`FactValue::Dependency`].
    Dependency,
    /// [`FactValue::Command`].
    Command,
    /// [`FactValue::Purpose`].
    Purpose,
    /// [`FactValue::Edge`].
    Edge,
}

impl FactKind {
    /// All kinds, in the order in which facts are sorted.
    pub const ALL: [Self; 6] =
        [Self::Project, Self::Target, Self::Dependency, Self::Command, Self::Purpose, Self::Edge];

    /// Returns its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Target => "target",
            Self::Dependency => "dependency",
            Self::Command => "command",
            Self::Purpose => "purpose",
            Self::Edge => "edge",
        }
    }
}

/// Something that a project builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are the terms of the ecosystems")]
pub enum TargetKind {
    Library,
    Program,
    Example,
    Test,
    Bench,
}

/// The purpose of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum CommandPurpose {
    Install,
    Build,
    Run,
    Test,
    Lint,
    Format,
    Docs,
    Bench,
}

/// The method by which a fact was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FactOrigin {
    /// The words of the source.
    Quoted,
    /// Read by the rules of a format.
    Parsed,
    /// Found through other files.
    Resolved,
    /// What the ecosystem usually does; the source is the file that shows the ecosystem.
    Convention,
}

/// The use of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum PathRole {
    Runtime,
    Test,
    Example,
    Bench,
    Build,
    Docs,
    Vendored,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SourceLines {
    /// Below the root.
    pub path: String,
    /// From 1.
    pub start: usize,
    /// The last line, included.
    pub end: usize,
}

impl SourceLines {
    pub(crate) fn line(path: &str, line: usize) -> Self {
        Self { path: path.to_owned(), start: line, end: line }
    }
}

impl fmt::Display for SourceLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            return write!(f, "{}:{}", self.path, self.start);
        }
        write!(f, "{}:{}-{}", self.path, self.start, self.end)
    }
}

impl fmt::Display for FactSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository => f.write_str("the repository"),
            Self::Project(folder) | Self::Folder(folder) if folder.is_empty() => f.write_str("."),
            Self::Project(path) | Self::Folder(path) | Self::File(path) => f.write_str(path),
            Self::Symbol { path, name } => write!(f, "{path} {name}"),
        }
    }
}

impl FactValue {
    /// Returns the kind.
    pub fn kind(&self) -> FactKind {
        match self {
            Self::Project { .. } => FactKind::Project,
            Self::Target { .. } => FactKind::Target,
            Self::Dependency { .. } => FactKind::Dependency,
            Self::Command { .. } => FactKind::Command,
            Self::Purpose { .. } => FactKind::Purpose,
            Self::Edge { .. } => FactKind::Edge,
        }
    }
}

impl Fact {
    pub(crate) fn new(
        subject: FactSubject,
        value: FactValue,
        source: SourceLines,
        origin: FactOrigin,
    ) -> Self {
        let bytes = serde_json::to_vec(&(&subject, &value)).expect("facts are plain data");
        let id = blake3::hash(&bytes).to_hex()[..16].to_owned();
        Self { id, subject, value, sources: vec![source], origin, role: PathRole::Runtime }
    }
}
