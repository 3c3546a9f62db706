//! Defects of a configuration file. All defects of a file are reported together, each with line,
//! column, key and the expected value (ARD-24).

use std::{fmt, path::PathBuf};

/// Defect of a configuration at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigDefect {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// Dotted key, such as `providers.local.base_url`.
    pub key: String,
    /// The kind of defect.
    pub fault: ConfigDefectKind,
}

/// Kinds of defects of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigDefectKind {
    /// A required key is missing; the place is that of the map around it.
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
    /// A key that no setting has.
    #[error("is no setting{}", suggestion(nearest.as_deref()))]
    Unknown {
        /// Known key with the most similar name, if one is similar.
        nearest: Option<String>,
    },
    /// A key that its map has twice.
    #[error("is given twice, first in line {first}")]
    Duplicate {
        /// Line of the first occurrence.
        first: u64,
    },
}

/// Formats the end of the message for an unknown key; empty without a suggestion.
fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl fmt::Display for ConfigDefect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: `{}` {}", self.line, self.column, self.key, self.fault)
    }
}

/// Error of a configuration file that could not be read or is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file does not exist, is a folder, is not UTF-8, or may not be read.
    #[error("cannot read the configuration {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is larger than [`MAX_CONFIG_BYTES`](super::MAX_CONFIG_BYTES).
    #[error("the configuration {} is too long: {size} bytes, the limit is {limit} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Bytes it has.
        size: u64,
        /// Bytes it may have.
        limit: u64,
    },
    /// The file is no YAML, or exceeds the limits of aliases and depth.
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
    /// The file is YAML with invalid settings.
    #[error("{}", listing(path, defects))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// All defects, in the order of the file.
        defects: Vec<ConfigDefect>,
    },
}

/// Formats the defects, a line for each, with the path of the file.
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
