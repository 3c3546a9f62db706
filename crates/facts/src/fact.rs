//! The data types of facts. They contain no logic besides the computation of a fact's id.

mod kind;

use std::fmt;

use serde::{Deserialize, Serialize};
pub use stategraph_repo::RelationKind;
use stategraph_repo::{EdgeClass, ProjectType, Scope};

pub use kind::FactKind;

/// A statement about a code base that its files prove: a subject, a value, and the source lines. Made by
/// `Facts::collect`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Hash of subject and value. The same fact found in two files has one id and two sources.
    pub id: String,
    /// The thing that the fact is about.
    pub subject: FactSubject,
    /// The statement; its variant is the kind of the fact.
    #[serde(flatten)]
    pub value: FactValue,
    /// The source lines that state it; at least one, the best first.
    pub sources: Vec<SourceLines>,
    /// The method by which it was found.
    pub origin: FactOrigin,
    /// Role of the source file, or of the file that the fact is about: part of the program, of its tests,
    /// of its documents.
    pub role: PathRole,
}

/// The thing that a fact is about. Paths are relative to the root of the code base.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactSubject {
    /// The whole repository.
    Repository,
    /// A project: the path of the folder with its manifest; empty for the root.
    Project(String),
    /// A folder, by its path.
    Folder(String),
    /// A file, by its path.
    File(String),
    /// A definition in a file, such as a function or a type.
    Symbol {
        /// Path of the file.
        path: String,
        /// Qualified name: the enclosing names and its own, joined by dots.
        name: String,
    },
}

/// The statement of a fact. Each variant is one kind of fact; see [`FactKind`].
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
    /// A product of a project's build, such as a library or a program.
    Target {
        /// Its kind.
        target: TargetKind,
        /// Its name.
        name: String,
        /// The file or function where it starts.
        entry: String,
    },
    /// A package that a project depends on.
    Dependency {
        /// As the registry calls it.
        name: String,
        /// The required version, as written.
        requirement: Option<String>,
        /// The purpose for which it is needed, such as the program or only its tests.
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
    /// A development tool that the project uses, and its configuration.
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
        /// The default value, as written in the source.
        default: Option<String>,
        /// The help text or the comment beside it.
        text: Option<String>,
    },
    /// A route (method and path) that a server of the code base answers.
    Route {
        /// In capitals; `None` if every method is answered.
        method: Option<String>,
        /// With its parameters as written.
        path: String,
        /// The function that handles the request, as written.
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
    /// A relation of a type to another type of the code base, such as inheritance.
    Relation {
        /// Its kind.
        relation: RelationKind,
        /// The file with the other type.
        to: String,
        /// The name of the other type.
        name: String,
        /// The field through which the types are related; `None` if the relation needs none.
        field: Option<String>,
    },
    /// The functions from the entry of a program to its core, in the order of the calls.
    Trace {
        /// Each calls the next one.
        steps: Vec<TraceStep>,
    },
    /// A construct that shows how the code handles a cross-cutting concern. The sources are its first uses;
    /// those of an error type begin with the places that raise it.
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
    /// A section of the documentation for users, quoted.
    Topic {
        /// The headings from the outer one on, such as `Usage › Retry`.
        title: String,
        /// The paragraphs and items of lists, one a line; at most 900 characters.
        text: Vec<String>,
        /// Number of lines of `text` that precede the first code of the section. Later lines may refer to
        /// that code.
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
    /// A dependency of the subject, a file, on another file.
    Edge {
        /// The file that is needed; for a package of Go its folder.
        to: String,
        /// Its class, such as an import or a call.
        class: EdgeClass,
        /// The name at its first place.
        name: String,
    },
}

/// The kind of product that a project is, as seen by its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectShape {
    /// Code that other programs call.
    Library,
    /// Programs that people or other programs start.
    Program,
    /// A library that also has programs.
    Both,
    /// Several projects in one repository, without code of its own.
    Workspace,
    /// A library that calls the code of its users.
    Framework,
    /// A web site.
    Website,
}

/// The use of a development tool.
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

/// The place where a user sets a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingForm {
    /// An environment variable.
    Variable,
    /// A command-line option.
    Flag,
    /// A configuration file that the program reads.
    File,
    /// A key of such a file.
    Key,
    /// A feature of the build: Cargo's features, extras of Python, macros and options of C builds.
    Feature,
}

/// A cross-cutting concern whose use the syntax of the code shows.
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

/// A function in a chain or list of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Its name, with that of its type.
    pub name: String,
    /// Position: the definition for the first function of a trace, the call for all others.
    pub at: SourceLines,
}

/// The kind of a build target.
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

/// The method by which a fact was found, which tells how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactOrigin {
    /// Quoted: the words of the source.
    Quoted,
    /// Read from the source by the rules of its format.
    Parsed,
    /// Derived from several files.
    Resolved,
    /// Assumed by a convention of the ecosystem; the source is the file that shows the ecosystem.
    Convention,
}

/// The role of a file in the code base: part of the program (`Runtime`), of its tests, documents and so on.
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

/// A range of lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceLines {
    /// Below the root.
    pub path: String,
    /// First line, from 1.
    pub start: usize,
    /// The last line, included.
    pub end: usize,
}

impl SourceLines {
    /// Makes the position of a single line, from 1.
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
    /// Returns the path of the subject's file or folder, relative to the root; empty for the repository and
    /// the root.
    pub fn path(&self) -> &str {
        match self {
            Self::Repository => "",
            Self::Project(path) | Self::Folder(path) | Self::File(path) | Self::Symbol { path, .. } => path,
        }
    }

    /// Returns the qualified name of a definition; `None` for every other subject.
    pub fn name(&self) -> Option<&str> {
        if let Self::Symbol { name, .. } = self { Some(name) } else { None }
    }
}

impl FactValue {
    /// Returns the kind of this fact (command, setting, route, …).
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
    /// Returns the fact with its id computed anew, after its value was changed.
    pub(crate) fn with_new_id(self) -> Self {
        let id = id(&self.subject, &self.value);
        Self { id, ..self }
    }

    /// Makes a fact with one source and the role `Runtime`; `Facts::collect` sets the role later.
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

/// Computes the id of a fact: the first 16 hexadecimal digits of a hash of subject and value.
fn id(subject: &FactSubject, value: &FactValue) -> String {
    let bytes = serde_json::to_vec(&(subject, value)).expect("facts are plain data");
    blake3::hash(&bytes).to_hex()[..16].to_owned()
}
