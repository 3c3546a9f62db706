//! The input of a debate: the idea and the settings. Both are validated once, before the first node and the first
//! model call; later code does not check again that the idea is not empty. Reads only the files that it is given.

pub mod settings;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use stategraph_base::regular::{Links, open};

/// Maximum size of an idea, in bytes (1 MiB).
pub const MAX_IDEA_BYTES: usize = 1 << 20;

/// A rough idea: text with at least one visible character, at most [`MAX_IDEA_BYTES`] bytes long. Immutable (ARD-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Idea(String);

impl Idea {
    /// Parses the bytes of a file or of standard input. Drops a leading byte order mark.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IdeaError> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        check_size(bytes.len())?;
        let text = std::str::from_utf8(bytes).map_err(|error| IdeaError::NotUtf8 {
            position: error.valid_up_to(),
            byte: bytes[error.valid_up_to()],
        })?;
        Self::parse(text)
    }

    /// Parses text. Drops white space around it (ARD-27).
    pub fn parse(text: &str) -> Result<Self, IdeaError> {
        check_size(text.len())?;
        let visible = text.trim();
        if visible.chars().all(is_invisible) {
            return Err(IdeaError::Empty);
        }
        Ok(Self(visible.to_owned()))
    }

    /// Reads a file. Fails before reading if the file is larger than [`MAX_IDEA_BYTES`].
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, IdeaError> {
        let path = path.into();
        let unreadable = |source| IdeaError::Unreadable { path: path.clone(), source };
        let file = open(&path, Links::Followed).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        if size > MAX_IDEA_BYTES as u64 {
            return Err(IdeaError::TooLong { size });
        }
        Self::from_reader(file).map_err(|error| error.with_path(&path))
    }

    /// Reads a stream such as standard input. Stops at the first byte above [`MAX_IDEA_BYTES`].
    pub fn from_reader(source: impl std::io::Read) -> Result<Self, IdeaError> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        source
            // One byte more than allowed, because a longer stream must not look like one of the maximum size.
            .take(MAX_IDEA_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| IdeaError::Unreadable { path: PathBuf::from("-"), source })?;
        Self::from_bytes(&bytes)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
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

fn check_size(size: usize) -> Result<(), IdeaError> {
    if size > MAX_IDEA_BYTES {
        return Err(IdeaError::TooLong { size: size as u64 });
    }
    Ok(())
}

/// Returns true for white space, control characters and characters without a glyph (zero-width space and joiners,
/// byte order mark, soft hyphen).
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// Reason why a text is no valid idea. [`IdeaError::hint`] has the advice for the user.
#[derive(Debug, thiserror::Error)]
pub enum IdeaError {
    /// The text has no visible character.
    #[error("the idea is empty: it holds no visible character")]
    Empty,
    /// The text is longer than [`MAX_IDEA_BYTES`].
    #[error("the idea is too long: {size} bytes or more, the limit is {MAX_IDEA_BYTES} bytes")]
    TooLong {
        /// Size in bytes; for a stream, the number of bytes read.
        size: u64,
    },
    /// The text is binary, or in another encoding.
    #[error("the idea is not UTF-8 text: byte 0x{byte:02x} at position {position}")]
    NotUtf8 {
        /// Offset of the first invalid byte, from 0.
        position: usize,
        /// The invalid byte.
        byte: u8,
    },
    /// The file or stream could not be read.
    #[error("cannot read the idea from {}", path.display())]
    Unreadable {
        /// Path of the file; `-` for standard input.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

impl IdeaError {
    /// Returns advice for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "describe what to build: --idea \"A tool that …\"".to_owned(),
            Self::TooLong { .. } => {
                "shorten it to what matters for the design, or debate its parts one by one".to_owned()
            }
            Self::NotUtf8 { position: 0, .. } => {
                "save the text as UTF-8; this looks like a binary file".to_owned()
            }
            Self::NotUtf8 { position, .. } => {
                format!("save the text as UTF-8; `head -c {position}` shows what comes before the bad byte")
            }
            Self::Unreadable { .. } => {
                "check the path and its permissions; `-` reads standard input".to_owned()
            }
        }
    }

    /// Replaces the path in [`Unreadable`](Self::Unreadable) by `file`, the path as the user typed it.
    pub(super) fn with_path(self, file: &std::path::Path) -> Self {
        match self {
            Self::Unreadable { source, .. } => Self::Unreadable { path: file.to_owned(), source },
            other => other,
        }
    }
}
