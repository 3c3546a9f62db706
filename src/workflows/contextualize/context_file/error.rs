//! The errors of context files that cannot be read.

use std::io;
use std::path::PathBuf;

/// The error of a context file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the context file {}: {problem}", path.display())]
pub struct ContextFileError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub problem: ContextFileProblem,
}

/// The reason why a context file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextFileProblem {
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// It cannot be opened, or is no regular file.
    #[error("{reason}")]
    Unreadable {
        /// Error of the operating system.
        reason: String,
    },
    /// It is longer than a context file can be.
    #[error("it has more than {limit} bytes")]
    TooLarge {
        /// Maximum length in bytes.
        limit: usize,
    },
    /// It is not UTF-8.
    #[error("line {line} is not UTF-8 text")]
    NotText {
        /// Line of the first wrong byte, from 1.
        line: usize,
    },
    /// The first line is not `---`.
    #[error("it has no front matter: its first line is not `---`")]
    NoFrontMatter,
    /// No line ends the front matter.
    #[error("its front matter does not end: no line after the first is `---`")]
    Unclosed,
    /// The front matter is not YAML.
    #[error("line {line}: its front matter is not valid YAML: {message}")]
    Yaml {
        /// Line of the file, from 1.
        line: u64,
        /// Message of the parser.
        message: String,
    },
    /// The front matter is YAML, but has no keys.
    #[error("its front matter is not a map of keys and values")]
    NotAMap,
    /// The front matter does not say which repository the file describes.
    #[error("its front matter has no `source_repo` with a path or a URL")]
    NoRepository,
    /// A key is missing, or its value is of the wrong type.
    #[error("its front matter is not as this program writes it: {reason}")]
    Metadata {
        /// The key and the expected value.
        reason: String,
    },
}

impl ContextFileProblem {
    pub(super) fn unreadable(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Unreadable { reason: error.to_string() },
        }
    }

    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing => {
                "give the path of a file that `generate` or `scope` wrote, such as contexts/NAME/context.md"
            }
            Self::Unreadable { .. } => "give the path of a readable file",
            Self::TooLarge { .. } => "is this the right file? a context file takes a few pages",
            Self::NotText { .. } => "save the file as UTF-8",
            Self::NoFrontMatter | Self::Unclosed => {
                "begin the file with a line `---`, `source_repo: PATH` and a line `---`, or generate it again"
            }
            Self::Yaml { .. } => {
                "correct that line: write `key: value`, and quote values with a colon in them"
            }
            Self::NotAMap | Self::NoRepository | Self::Metadata { .. } => {
                "add the line `source_repo: PATH-OR-URL` to its front matter, or generate it again"
            }
        }
    }
}

impl ContextFileError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        self.problem.hint()
    }
}
