//! The defects of a configuration file. All defects of a file are reported together, each with line, column, key and the expected value
//! (ARD-24).

use std::{fmt, path::PathBuf};

/// One thing wrong at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigDefect {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// Dotted key, such as `providers.local.base_url`.
    pub key: String,
    /// The kind of defect.
    pub fault: Fault,
}

/// The kinds of defects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A key that has to be there is not; the place is that of the map it belongs into.
    #[error("is missing: expected {expected}")]
    Missing {
        /// The expected value.
        expected: &'static str,
    },
    /// A value of the wrong type or outside its range.
    #[error("expected {expected}, found {found}")]
    Wrong {
        /// The expected value.
        expected: &'static str,
        /// The actual value.
        found: String,
    },
    /// No such key.
    #[error("is no setting{}", suggestion(nearest.as_deref()))]
    Unknown {
        /// The known key that is most like it, if one is.
        nearest: Option<String>,
    },
    /// The key stands there twice.
    #[error("is given twice, first in line {first}")]
    Duplicate {
        /// Line of the first one.
        first: u64,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl fmt::Display for ConfigDefect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: `{}` {}", self.line, self.column, self.key, self.fault)
    }
}

/// The error of settings that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No such file, no permission, a folder, not UTF-8.
    #[error("cannot read the configuration {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Above [`MAX_CONFIG_BYTES`](super::MAX_CONFIG_BYTES).
    #[error("the configuration {} is too long: {size} bytes, the limit is {limit} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Bytes it has.
        size: u64,
        /// Bytes it may have.
        limit: u64,
    },
    /// Not YAML, or a bomb of aliases.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// The message of the parser.
        message: String,
    },
    /// YAML, but not these settings.
    #[error("{}", listing(path, defects))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong, in the order of the file.
        defects: Vec<ConfigDefect>,
    },
}

fn listing(path: &std::path::Path, defects: &[ConfigDefect]) -> String {
    let lines: Vec<_> = defects.iter().map(|defect| format!("{}:{defect}", path.display())).collect();
    lines.join("\n")
}

impl ConfigError {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => {
                "name another file with --config, or leave it out to debate offline with the defaults"
                    .to_owned()
            }
            Self::TooLong { .. } => "is this the right file? settings take a few lines".to_owned(),
            Self::Syntax { .. } => {
                "indent with spaces, write `key: value`, quote values with a colon in them".to_owned()
            }
            Self::Invalid { .. } => format!("the settings are: {}", super::KEYS.join(", ")),
        }
    }
}
