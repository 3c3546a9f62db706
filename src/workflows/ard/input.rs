//! What the user gives a debate: the idea and the settings. Checked once, before the first node and the first model
//! call; afterwards nobody asks again whether it is empty. Reads the files it is told to read, and nothing else.

pub mod settings;

use std::{fmt, path::PathBuf};

use serde::{Deserialize, Serialize};

use stategraph_base::regular::{Links, open};

/// The largest idea taken, in bytes (1 MiB).
pub const MAX_IDEA_BYTES: usize = 1 << 20;

/// A rough idea: text with at least one visible character, at most [`MAX_IDEA_BYTES`] long. Immutable (ARD-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Idea(String);

impl Idea {
    /// Takes bytes as they came from a file or from standard input; a byte order mark is dropped.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IdeaError> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        too_long(bytes.len())?;
        let text = std::str::from_utf8(bytes).map_err(|error| IdeaError::NotUtf8 {
            position: error.valid_up_to(),
            byte: bytes[error.valid_up_to()],
        })?;
        Self::parse(text)
    }

    /// Takes text; spaces and line breaks round it are dropped (ARD-27).
    pub fn parse(text: &str) -> Result<Self, IdeaError> {
        too_long(text.len())?;
        let visible = text.trim();
        if visible.chars().all(invisible) {
            return Err(IdeaError::Empty);
        }
        Ok(Self(visible.to_owned()))
    }

    /// Reads a file without taking more of it into memory than an idea may have.
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, IdeaError> {
        let path = path.into();
        let unreadable = |source| IdeaError::Unreadable { path: path.clone(), source };
        let file = open(&path, Links::Followed).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        if size > MAX_IDEA_BYTES as u64 {
            return Err(IdeaError::TooLong { size });
        }
        Self::from_reader(file).map_err(|error| error.at(&path))
    }

    /// Reads a stream such as standard input; stops at the first byte above the limit.
    pub fn from_reader(source: impl std::io::Read) -> Result<Self, IdeaError> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        source
            .take(MAX_IDEA_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| IdeaError::Unreadable { path: PathBuf::from("-"), source })?;
        Self::from_bytes(&bytes)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Idea {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for Idea {
    type Error = IdeaError;

    fn try_from(text: String) -> Result<Self, IdeaError> {
        Self::parse(&text)
    }
}

impl From<Idea> for String {
    fn from(idea: Idea) -> Self {
        idea.0
    }
}

fn too_long(size: usize) -> Result<(), IdeaError> {
    if size > MAX_IDEA_BYTES {
        return Err(IdeaError::TooLong { size: size as u64 });
    }
    Ok(())
}

/// White space, controls, and the characters that show nothing (zero-width space and joiners, byte order mark).
fn invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// Why a text is no idea. Every message says what was found; [`IdeaError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum IdeaError {
    /// Nothing, or nothing that shows.
    #[error("the idea is empty: it holds no visible character")]
    Empty,
    /// Above [`MAX_IDEA_BYTES`]; from a stream the size is what was read before it was given up.
    #[error("the idea is too long: {size} bytes or more, the limit is {MAX_IDEA_BYTES} bytes")]
    TooLong {
        /// Bytes seen.
        size: u64,
    },
    /// Binary or another encoding.
    #[error("the idea is not UTF-8 text: byte 0x{byte:02x} at position {position}")]
    NotUtf8 {
        /// Offset of the first bad byte, from 0.
        position: usize,
        /// That byte.
        byte: u8,
    },
    /// The file or stream failed.
    #[error("cannot read the idea from {}", path.display())]
    Unreadable {
        /// The file, or `-`.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl IdeaError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "say what should be built: --idea \"A tool that …\"".to_owned(),
            Self::TooLong { .. } => {
                "shorten it to what matters for the design, or debate its parts one by one".to_owned()
            }
            Self::NotUtf8 { position, .. } => {
                format!("save the text as UTF-8; `head -c {position}` shows what comes before the bad byte")
            }
            Self::Unreadable { .. } => {
                "check the path and its permissions; `-` reads standard input".to_owned()
            }
        }
    }

    /// The same of a file under the name that the user gave it.
    pub(super) fn at(self, file: &std::path::Path) -> Self {
        match self {
            Self::Unreadable { source, .. } => Self::Unreadable { path: file.to_owned(), source },
            other => other,
        }
    }
}
