//! The data of a fact. Contains no logic but its id.

mod kind;

use std::fmt;

use serde::{Deserialize, Serialize};
pub use stategraph_repo::RelationKind;
use stategraph_repo::{EdgeClass, ProjectType, Scope};

pub use kind::FactKind;

/// One fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        /// The kind of thing that it is; `None` if its manifest and its files do not tell.
        shape: Option<ProjectShape>,
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
        /// The lines of the script or the recipe that it runs; at most 6.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        runs: Vec<String>,
    },
    /// A tool that a project is developed with, and its configuration.
    Tool {
        /// Its use.
        purpose: ToolPurpose,
        /// Its name, in lower case.
        name: String,
    },
    /// A value that a user or an operator can set.
    Setting {
        /// The form of the setting: an environment variable, an option, a key.
        form: SettingForm,
        /// As it is typed: `PORT`, `--port`, `server.port`, `tls`.
        name: String,
        /// The value without it, as written in the source.
        default: Option<String>,
        /// The help text or the comment beside it.
        text: Option<String>,
    },
    /// A path that a server answers.
    Route {
        /// In capitals; `None` if every method is answered.
        method: Option<String>,
        /// With its parameters as written.
        path: String,
        /// The function that answers, as written.
        handler: Option<String>,
    },
    /// A subcommand of a program.
    Subcommand {
        /// The words to type after the program's name.
        name: String,
        /// Its help text.
        text: Option<String>,
    },
    /// The purpose of the subject, in the words of its source.
    Purpose {
        /// At most two sentences.
        text: String,
    },
    /// A relation of a type to another type of the code base.
    Relation {
        /// Its kind.
        relation: RelationKind,
        /// The file with the other type.
        to: String,
        /// The name of the other type.
        name: String,
        /// The field with it; `None` if no field has it.
        field: Option<String>,
    },
    /// The functions from the entry of a program to its core, in the order of the calls.
    Trace {
        /// Each calls the next one.
        steps: Vec<TraceStep>,
    },
    /// A way of working that the syntax shows. The sources are its first places; those of a type of errors begin with the places that raise it.
    Concern {
        /// Its subject.
        concern: ConcernKind,
        /// The construct: a type, a function, an attribute or an import, as written.
        construct: String,
    },
    /// A rule for contributors, in the words of its source.
    Rule {
        /// One sentence.
        text: String,
    },
    /// Steps to add or change something, in the words of its source.
    Recipe {
        /// The heading.
        title: String,
        /// The steps, one a line; at most 12.
        steps: Vec<String>,
    },
    /// A limit that the project names itself, in the words of its source.
    Limit {
        /// At most two sentences.
        text: String,
    },
    /// A section of the documentation for users, in its own words.
    Topic {
        /// The headings from the outer one on, such as `Usage › Retry`.
        title: String,
        /// The paragraphs and items of lists, one a line; at most 900 characters.
        text: Vec<String>,
        /// Number of lines of the text that stand before the first code of the section; later ones may speak of the code.
        lead: usize,
        /// The first example, as it is written; at most 20 lines.
        example: Option<String>,
    },
    /// The functions of the code base that a function calls, in the order of the text; calls in the receiver and in the arguments of a call
    /// come before it. Calls that do not resolve are missing.
    Calls {
        /// Each function once, with the line of the first call; at most 20.
        calls: Vec<TraceStep>,
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

/// The kind of thing that a project is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectShape {
    /// Other code calls it.
    Library,
    /// People or other programs start it.
    Program,
    /// A library that has programs too.
    Both,
    /// Several projects, and no code of its own.
    Workspace,
    /// A library that calls the code of its users.
    Framework,
    /// Pages.
    Website,
}

/// The use of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum ToolPurpose {
    Toolchain,
    Formatter,
    Linter,
    Types,
    Tests,
    Build,
    Docs,
    Hooks,
    Generator,
}

/// The form of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingForm {
    /// An environment variable.
    Variable,
    /// An option of a command line.
    Flag,
    /// A file that the program reads.
    File,
    /// A key of such a file.
    Key,
    /// A feature of the build: Cargo's features, extras of Python, macros and options of C builds.
    Feature,
}

/// The subject of a concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConcernKind {
    /// Types of errors, and how they are raised and handled.
    Errors,
    /// Log statements, with the library that they use.
    Logging,
    /// Threads, tasks, locks, channels.
    Concurrency,
}

/// A function of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Its name, with that of its type.
    pub name: String,
    /// The definition of the first function; of the others the place of the call.
    pub at: SourceLines,
}

/// Something that a project builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactOrigin {
    /// The words of the source.
    Quoted,
    /// Read by the rules of a format.
    Parsed,
    /// Found through other files.
    Resolved,
    /// Derived from a convention of the ecosystem; the source is the file that shows the ecosystem.
    Convention,
}

/// The use of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum PathRole {
    Runtime,
    Test,
    Example,
    Bench,
    Build,
    Docs,
    Generated,
    Vendored,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

impl FactSubject {
    /// Returns its path below the root; empty for the whole repository and for the root.
    pub fn path(&self) -> &str {
        match self {
            Self::Repository => "",
            Self::Project(path) | Self::Folder(path) | Self::File(path) | Self::Symbol { path, .. } => path,
        }
    }

    /// Returns the name of a definition.
    pub fn name(&self) -> Option<&str> {
        if let Self::Symbol { name, .. } = self { Some(name) } else { None }
    }
}

impl FactValue {
    /// Returns the kind.
    pub fn kind(&self) -> FactKind {
        match self {
            Self::Project { .. } => FactKind::Project,
            Self::Target { .. } => FactKind::Target,
            Self::Dependency { .. } => FactKind::Dependency,
            Self::Tool { .. } => FactKind::Tool,
            Self::Command { .. } => FactKind::Command,
            Self::Setting { .. } => FactKind::Setting,
            Self::Route { .. } => FactKind::Route,
            Self::Subcommand { .. } => FactKind::Subcommand,
            Self::Purpose { .. } => FactKind::Purpose,
            Self::Relation { .. } => FactKind::Relation,
            Self::Trace { .. } => FactKind::Trace,
            Self::Concern { .. } => FactKind::Concern,
            Self::Rule { .. } => FactKind::Rule,
            Self::Recipe { .. } => FactKind::Recipe,
            Self::Limit { .. } => FactKind::Limit,
            Self::Topic { .. } => FactKind::Topic,
            Self::Calls { .. } => FactKind::Calls,
            Self::Edge { .. } => FactKind::Edge,
        }
    }
}

impl Fact {
    /// Returns the fact with the id of its changed value.
    pub(crate) fn with_new_id(self) -> Self {
        let id = id(&self.subject, &self.value);
        Self { id, ..self }
    }

    pub(crate) fn new(
        subject: FactSubject,
        value: FactValue,
        source: SourceLines,
        origin: FactOrigin,
    ) -> Self {
        let id = id(&subject, &value);
        Self { id, subject, value, sources: vec![source], origin, role: PathRole::Runtime }
    }
}

fn id(subject: &FactSubject, value: &FactValue) -> String {
    let bytes = serde_json::to_vec(&(subject, value)).expect("facts are plain data");
    blake3::hash(&bytes).to_hex()[..16].to_owned()
}
